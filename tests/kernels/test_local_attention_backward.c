/* Gradients of local attention (kernels/cpu/local_attention_backward.c): of all its tensors,
 * against differences and between devices. labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#define SHARED &edgefw__reinforce
#define MAX    &edgefw__reinforce_max

static const ds_extras kinds[] = {
    {.attention = 3},
    {.depot = true, .attention = 2},
    {.depot = true, .resources = 2, .fractional = true, .penalty = 2, .attention = 3},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void gradients(void **state) {
  const ds_shape shapes[] = {{1, 4, 2, 1, 2, 2, false, 10, SHARED},
                             {1, 2, 1, 2, 1, 0, true, 10, MAX},
                             {2, 3, 2, 1, 2, 0, false, 10, MAX}};
  for (size_t i = 0; i < KINDS * sizeof shapes / sizeof shapes[0]; ++i) {
    ds_problem p;
    ds_create_with(&p, &shapes[i / KINDS], &kinds[i % KINDS], "decode", 0.7);
    ks_check_gradient(*state, &p.c);
    ks_check_parity(*state, &p.c);
    ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

/* More decisions than the device `cpu` differentiates at a time (48 rows). */
static void blocks_of_decisions(void **state) {
  for (int k = 0; k < KINDS; ++k) {
    const ds_shape shape = {2, 12, 11, 1, 4, 0, false, 10, SHARED};
    ds_extras extras = kinds[k];
    extras.attention = 7;
    ds_problem p;
    ds_create_with(&p, &shape, &extras, "decode", 0.7);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

/* On the oracle, two attentions of different near sets over the same tensors: gradients add up. */
static void two_over_the_same_tensors(void **state) {
  const ds_shape shape = {1, 4, 2, 1, 2, 0, false, 10, SHARED};
  const ds_extras attention = {.depot = true, .attention = 3};
  ds_problem p;
  ds_create_with(&p, &shape, &attention, "decode", 0.7);
  p.plan.logits[p.plan.logit_count++] = p.plan.logits[0];
  p.plan.logits[0].near = 1;
  ks_check_gradient(*state, &p.c);
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients),
      cmocka_unit_test(blocks_of_decisions),
      cmocka_unit_test(two_over_the_same_tensors),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
