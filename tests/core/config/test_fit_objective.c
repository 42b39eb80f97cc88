/* Keys of one objective beside another one. */
#include "support/test.h"

#include <stdio.h>

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
  toy_config_refuse(t, TOY_SECTIONS "[train]\nobjective = preference\nleader = 30\n", EDGEFW_CONFIG,
                    "x.ini:7: train.leader = 30 would change nothing",
                    "train.objective = reinforce, which is preference here");
}

static void keys_of_labels_need_imitation(void **state) {
  toy_config *t = *state;
  static const char *const keys[][2] = {{"labels", "search"},
                                        {"label_starts", "4"},
                                        {"label_heuristics", "inorder"},
                                        {"label_kicks", "7"}};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) {
    char text[256], says[128];
    snprintf(text, sizeof text, TOY_SECTIONS "[train]\n%s = %s\n", keys[k][0], keys[k][1]);
    snprintf(says, sizeof says, "x.ini:6: train.%s = %s would change nothing", keys[k][0],
             keys[k][1]);
    toy_config_refuse(t, text, EDGEFW_CONFIG, says,
                      "train.objective = imitation, which is reinforce here");
  }
}

#define IMITATE TOY_SECTIONS "[train]\nobjective = imitation\n"

static void imitation_needs_labels(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t, IMITATE, EDGEFW_CONFIG,
                    "x.ini:6: train.objective = imitation needs tours to imitate",
                    "expected train.labels = search or dataset");
}

static void no_more_labels_than_starts(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t, IMITATE "labels = search\nsize = 5\n", EDGEFW_CONFIG,
                    "train.label_starts = 8, but an instance of train.size = 5 has 5 starts");
  toy_config_refuse(t, IMITATE "labels = search\nsize = 5\nlabel_starts = 6\n", EDGEFW_CONFIG,
                    "x.ini:9: train.label_starts = 6");
  edgefw__config *config =
      toy_config_load(t, IMITATE "labels = search\nsize = 5\nlabel_starts = 5\n");
  edgefw__config_destroy(config);
}

static void labels_of_a_dataset_need_one(void **state) {
  toy_config *t = *state;
  sandbox_write(&t->box, "d.h5", "");
  toy_config_refuse(t, IMITATE "labels = dataset\n", EDGEFW_CONFIG,
                    "x.ini:7: train.labels = dataset needs a dataset that has labels",
                    "expected train.data = FILE.h5");
  toy_config_refuse(t, IMITATE "labels = dataset\ndata = d.h5\nlabel_kicks = 3\n", EDGEFW_CONFIG,
                    "x.ini:9: train.label_kicks = 3 would change nothing",
                    "train.labels = search, which is dataset here");
  edgefw__config *config = toy_config_load(t, IMITATE "labels = dataset\ndata = d.h5\n");
  assert_int_equal(config->variants[0].label_heuristics.count, 0);
  edgefw__config_destroy(config);
}

static void its_own_keys_and_defaults_are_taken(void **state) {
  toy_config *t = *state;
  edgefw__config *config =
      toy_config_load(t, TOY_SECTIONS "[train]\nobjective = preference\npreference_beta = 0.1\n"
                                      "advantage_norm = none\n");
  edgefw__config_destroy(config);
  config = toy_config_load(t, TOY_SECTIONS "[train]\npreference_beta = 2e-1\n");
  edgefw__config_destroy(config);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_of_another_objective_are_refused),
      cmocka_unit_test(keys_of_labels_need_imitation),
      cmocka_unit_test(imitation_needs_labels),
      cmocka_unit_test(no_more_labels_than_starts),
      cmocka_unit_test(labels_of_a_dataset_need_one),
      cmocka_unit_test(its_own_keys_and_defaults_are_taken),
  };
  return test_run(tests, toy_config_set_up, toy_config_tear_down);
}
