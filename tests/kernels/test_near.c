/* Near sets (kernels/cpu/near.c): widths around whole lanes, sets that logits share and sets that
 * they do not, and order among equals, on every device.
 * labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#include <math.h>

#define SHARED &edgefw__reinforce
#define MAX    &edgefw__reinforce_max

static const ds_extras kinds[] = {
    {.penalty = 2},
    {.depot = true, .penalty = 3},
    {.depot = true, .resources = 1, .penalty = 3},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void gradients(void **state) {
  const ds_shape shapes[] = {{1, 4, 2, 1, 2, 2, false, 10, SHARED},
                             {1, 2, 1, 2, 1, 0, true, 10, MAX}};
  for (size_t i = 0; i < KINDS * sizeof shapes / sizeof shapes[0]; ++i) {
    ds_problem p;
    ds_create_with(&p, &shapes[i / KINDS], &kinds[i % KINDS], "decode", 0.7);
    ks_check_gradient(*state, &p.c);
    ks_check_parity(*state, &p.c);
    ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

/* Sets that fill their lanes, overflow them by one with or without a depot, and hold everybody. */
static void every_width(void **state) {
  const ds_shape shapes[] = {
      {2, 20, 5, 2, 8, 8, false, 10, SHARED},
      {1, 40, 4, 4, 4, 8, false, 50, MAX},
      {1, 101, 1, 8, 8, 0, false, 50, SHARED},
  };
  const int64_t near[] = {1, 15, 16, 17, 31, 32, 40, 100};
  for (int k = 0; k < 2 * 8; ++k) { /* each width with two of the kinds, on two of the shapes */
    ds_extras extras = kinds[k % KINDS];
    extras.penalty = near[k / 2];
    ds_problem p;
    ds_create_with(&p, &shapes[(k + k / 4) % 3], &extras, "decode", 0.5);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

/* Entries of which many are equal: members are those of the lowest index, everywhere. */
static void equals_are_taken_by_index(void **state) {
  for (int levels = 1; levels <= 4; levels += 3)
    for (int k = 0; k < KINDS; ++k) {
      const ds_shape shape = {1, 33, 6, 1, 4, 0, false, 10, SHARED};
      ds_extras extras = kinds[k];
      extras.penalty = 5;
      ds_problem p;
      ds_create_with(&p, &shape, &extras, "decode", 0.5);
      ks_tensor *table = &p.c.tensor[DS_DISTANCE];
      for (int64_t i = 0; i < table->count; ++i)
        table->value[i] = floor(levels * table->value[i]) * 0.25;
      ks_check_parity(*state, &p.c);
      ds_destroy(&p);
    }
}

/* Two penalties with a local attention between them: the first has a set of its own, the last one
 * that of neither; then all three share one. */
static void sets_are_shared_by_size(void **state) {
  const ds_shape shape = {2, 5, 4, 1, 2, 0, false, 10, SHARED};
  const ds_extras both = {.depot = true, .resources = 1, .penalty = 2, .attention = 3};
  for (int shared = 0; shared < 2; ++shared) {
    ds_problem p;
    ds_create_with(&p, &shape, &both, "decode", 0.7);
    edgefw_logit *logits = p.plan.logits;
    logits[p.plan.logit_count++] = logits[0];
    logits[0].far = 0.5;
    logits[0].near = shared ? 3 : 1;
    logits[2].near = shared ? 3 : 2;
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients),
      cmocka_unit_test(every_width),
      cmocka_unit_test(equals_are_taken_by_index),
      cmocka_unit_test(sets_are_shared_by_size),
  };
  return test_run(tests, ks_setup_long, ks_teardown);
}
