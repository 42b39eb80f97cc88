/* The decode loop of the device cpu in BF16, on everything that multiplies: logits and gradients
 * near the oracle's, the same bits for any number of threads and whichever rollouts are decoded.
 * labels: threads */
#include "support/test.h"

#include "support/bf16_case.h"
#include "support/check.h"
#include "support/decode_support.h"

#define SHARED &edgefw__reinforce

static void check_shape(void **state, const ds_shape *shape, const ds_extras *extras) {
  ds_problem p;
  ds_create_with(&p, shape, extras, "decode", 0.3);
  bf16_check(state, &p.c, 2e-2, 5e-2);
  ds_destroy(&p);
}

static void tours(void **state) {
  const ds_shape shapes[] = {{2, 20, 20, 2, 10, 4, true, 10, SHARED},
                             {1, 35, 35, 1, 32, 0, false, 10, SHARED},
                             {1, 140, 3, 2, 5, 0, true, 10, SHARED}};
  const ds_extras none = {0};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i)
    check_shape(state, &shapes[i], &none);
}

static void routes_and_logits(void **state) {
  const ds_shape shape = {2, 18, 17, 2, 16, 3, true, 10, SHARED};
  const ds_extras extras = {
      .depot = true, .resources = 2, .fractional = true, .penalty = 4, .attention = 5};
  check_shape(state, &shape, &extras);
}

/* A rollout's logits do not depend on which others are decoded beside it. */
static void check_alone(const ks_device *d, const char *unit, void *user) {
  const ds_problem *p = user;
  const int64_t n = p->shape.nodes, last = n - 1;
  ds_rollouts all, alone;
  ds_decode(p, d, EDGEFW_SELECT_SAMPLE, 5, 0, n, NULL, &all);
  ds_decode(p, d, EDGEFW_SELECT_SAMPLE, 5, last, 1, NULL, &alone);
  check_same_bits(alone.logits, all.logits + last * p->steps * n,
                  (size_t)(p->steps * n) * sizeof(double), unit);
  ds_rollouts_destroy(&all);
  ds_rollouts_destroy(&alone);
}

static void rollouts_are_independent(void **state) {
  const ds_shape shape = {1, 45, 45, 2, 16, 3, true, 10, SHARED};
  const ds_extras none = {0};
  ds_problem p;
  ds_create_with(&p, &shape, &none, "decode", 0.3);
  bf16_each_unit(state, check_alone, &p);
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tours), cmocka_unit_test(routes_and_logits),
                                     cmocka_unit_test(rollouts_are_independent)};
  return test_run(tests, ks_setup, ks_teardown);
}
