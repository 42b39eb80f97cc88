/* Gradients through the decode loop's attention where scores spread little, much, and both.
 * labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/spread_case.h"

#define SHARED &edgefw__reinforce

/* Sizes with more rows of decisions than are worked on at once, and a last block that is smaller.
 */
static void gradients_agree(void **state) {
  for (int k = 0; k < SPREAD_CASES; ++k) {
    const ds_shape shape = {2, 18, 7, 2, 5, 0, false, 10, SHARED};
    ds_problem p;
    spread_create(&p, &spread_cases[k], &shape);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

/* Gradients are added, are the same when asked for alone, and on two threads. */
static void rules_hold(void **state) {
  for (int k = 0; k < SPREAD_CASES; ++k) {
    const ds_shape shape = {2, 5, 3, 2, 3, 0, false, 10, SHARED};
    ds_problem p;
    spread_create(&p, &spread_cases[k], &shape);
    ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_agree),
      cmocka_unit_test(rules_hold),
  };
  return test_run(tests, ks_setup_long, ks_teardown);
}
