/* Backbone elg; values are in tests/core/policy/test_golden_policy.c. */
/* needs plugins: atsp tsp cvrp */
#include "support/transformer_support.h"

int main(void) {
  char name[] = "elg";
  return transformer_run_tests(name);
}
