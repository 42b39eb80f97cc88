/* Keys of one objective beside another one. */
#include "support/test.h"

#include "config/fit_objective.h"
#include "support/expect.h"
#include "support/toy_config.h"

static void keys_of_another_objective_are_refused(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t, TOY_SECTIONS "[train]\npreference_beta = 0.1\n", EDGEFW_CONFIG,
                    "x.ini:6: train.preference_beta = 0.1 would change nothing",
                    "train.objective = preference, which is reinforce here");
  toy_config_refuse(t, TOY_SECTIONS "[train]\nobjective = preference\nadvantage_norm = max\n",
                    EDGEFW_CONFIG, "x.ini:7: train.advantage_norm = max",
                    "train.objective = reinforce, which is preference here");
}

static void its_own_keys_and_defaults_are_taken(void **state) {
  toy_config *t = *state;
  edgefw__config *config =
      toy_config_load(t, TOY_SECTIONS "[train]\nobjective = preference\npreference_beta = 0.1\n"
                                      "advantage_norm = none\n");
  edgefw__config_destroy(config);
  config = toy_config_load(t, TOY_SECTIONS "[train]\npreference_beta = 5e-2\n");
  edgefw__config_destroy(config);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_of_another_objective_are_refused),
      cmocka_unit_test(its_own_keys_and_defaults_are_taken),
  };
  return test_run(tests, toy_config_set_up, toy_config_tear_down);
}
