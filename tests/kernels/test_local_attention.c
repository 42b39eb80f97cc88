/* Local attention (kernels/cpu/local_attention.c): folded weights and blocks of rollouts against
 * the oracle, at every width of the near set. labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#define SHARED &edgefw__reinforce
#define MAX    &edgefw__reinforce_max

static const ds_extras kinds[] = {
    {.penalty = 2, .attention = 3},
    {.depot = true, .attention = 2},
    {.depot = true, .resources = 2, .fractional = true, .penalty = 2, .attention = 3},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void devices_agree(void **state) {
  const ds_shape shapes[] = {
      {2, 20, 5, 2, 8, 32, false, 10, SHARED},
      {1, 40, 4, 4, 4, 8, false, 50, MAX},
      {1, 17, 5, 1, 16, 5, true, 10, SHARED},
      {1, 101, 1, 8, 8, 0, false, 50, SHARED},
  };
  const int64_t near[] = {1, 15, 16, 40};
  for (size_t i = 0; i < KINDS * sizeof shapes / sizeof shapes[0]; i += 2) { /* half of the pairs */
    ds_extras extras = kinds[i % KINDS];
    extras.attention = near[3 - i / KINDS];
    ds_problem p;
    ds_create_with(&p, &shapes[i / KINDS], &extras, "decode", 0.5);
    ks_check_parity(*state, &p.c);
    if (p.shape.nodes < 18) ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

/* More rollouts than the device `cpu` scores at a time (24), and one more than that. */
static void blocks_of_rollouts(void **state) {
  for (int64_t rollouts = 23; rollouts <= 25; ++rollouts) {
    const ds_shape shape = {1, 27, rollouts, 1, 4, 0, false, 10, SHARED};
    const ds_extras extras = {.depot = true, .resources = 1, .attention = 9};
    ds_problem p;
    ds_create_with(&p, &shape, &extras, "decode", 0.5);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

/* More members than a warp of the device `cuda` lists (128). */
static void large_sets(void **state) {
  const ds_shape shape = {1, 140, 1, 1, 4, 0, false, 10, SHARED};
  for (int depot = 0; depot < 2; ++depot) {
    const ds_extras extras = {.depot = depot == 1, .penalty = 133, .attention = 133};
    ds_problem p;
    ds_create_with(&p, &shape, &extras, "decode", 0.5);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(devices_agree),
      cmocka_unit_test(blocks_of_rollouts),
      cmocka_unit_test(large_sets),
  };
  return test_run(tests, ks_setup_long, ks_teardown);
}
