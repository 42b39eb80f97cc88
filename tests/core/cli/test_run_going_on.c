/* edgefw run, gone on with after a change that no trained state depends on: how long training goes
 * on, and where its instances lie.
 * labels: e2e */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cli.h"
#include "support/tiny_model.h"

#define SETS "[eval]\nsizes = 6\ninstances = 3\n"
#define TRAIN                                                                                      \
  "[train]\nepochs = 2\ninstances_per_epoch = 4\nbatch = 2\nmilestones = 9\ncheckpoint_every = "   \
  "1\n"
#define ON_DATA  TRAIN "data = d.h5\n" SETS
#define THE_RUN  "run tiny.ini --variant plain --out "
#define NO_DATA  "train.data: cannot read"
#define REMAINED "has 3 epochs behind it, [train] epochs = 1"

static void write_data(const sandbox *box) {
  cli_expect(box, "data generate --problem atsp --size 6 --count 5 -o d.h5", 0, NULL, NULL);
}

static void move(const sandbox *box, const char *from, const char *to) {
  char there[1024];
  snprintf(there, sizeof there, "%s", sandbox_path(box, to));
  assert_int_equal(rename(sandbox_path(box, from), there), 0);
}

static void expect_line(const sandbox *box, const char *name, const char *line) {
  char *text = cli_read(box, name);
  assert_non_null(text);
  assert_non_null(strstr(text, line));
  free(text);
}

/* Other data of the same content, more epochs and other checkpoints: what was trained goes on. */
static void training_goes_on_for_longer_and_from_elsewhere(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, ON_DATA);
  write_data(box);
  cli_expect(box, THE_RUN "a", 0, NULL, NULL);
  move(box, "d.h5", "e.h5");
  cli_write_config(box, TRAIN "data = e.h5\n" SETS);
  cli_expect(box, THE_RUN "a", 0, NULL, "nothing to do");
#define LONGER " --set train.epochs=3 --set train.checkpoint_every=7"
  cli_expect(box, THE_RUN "a" LONGER, 0, NULL, "going on from 'a/plain/checkpoint-2.h5'");
  cli_expect(box, THE_RUN "b" LONGER, 0, NULL, NULL);
  cli_expect_same(cli_results(box, "a"), cli_results(box, "b"));
  expect_line(box, "a/config.ini", "epochs = 3\n");
  expect_line(box, "a/config.ini", "checkpoint_every = 7\n");
  /* Fewer epochs than there are would call what is evaluated something else. */
  cli_expect(box, THE_RUN "a --set train.epochs=1", 1, "", REMAINED);
  cli_expect(box, THE_RUN "a --set train.epochs=1 --only eval", 1, "", REMAINED);
  expect_line(box, "a/config.ini", "epochs = 3\n");
}

static void patience_may_change(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, TRAIN "size = 6\nvalidate_every = 1\nvalidation_instances = 4\n" SETS
                              "[variant plain]\ntrain.learning_rate = 1\ntrain.patience = 1\n");
  cli_expect(box, THE_RUN "a", 0, NULL, NULL);
  cli_expect(box, THE_RUN "a --set train.patience=5", 0, NULL, NULL);
  expect_line(box, "a/config.ini", "patience = 5\n");
}

/* Nobody asks for the instances of a training that is complete, or of one that is not done. */
static void a_complete_training_does_without_its_data(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, ON_DATA);
  write_data(box);
  cli_expect(box, THE_RUN "a", 0, NULL, NULL);
  assert_int_equal(unlink(sandbox_path(box, "d.h5")), 0);
  cli_expect(box, THE_RUN "a", 0, NULL, "nothing to do");
  cli_expect(box, THE_RUN "a --only eval", 0, NULL, "nothing to do");
  cli_expect(box, THE_RUN "a --set train.epochs=3", 1, "", NO_DATA);
  expect_line(box, "a/config.ini", "epochs = 2\n");
  cli_expect(box, THE_RUN "a --fresh", 2, "", "--fresh");
  assert_int_equal(unlink(sandbox_path(box, "a/plain/checkpoint-2.h5")), 0);
  cli_expect(box, THE_RUN "a", 1, "", NO_DATA);
  cli_expect(box, THE_RUN "b", 1, "", NO_DATA);
  assert_false(cli_exists(box, "b"));
  cli_write_config(box, ON_DATA "[variant plain]\ncheckpoint = a/plain/checkpoint-1.h5\n");
  cli_expect(box, THE_RUN "c", 0, "ATSP-6 (3)", NULL);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, sandbox_set_up, sandbox_tear_down)
  const struct CMUnitTest tests[] = {
      RUN_TEST(training_goes_on_for_longer_and_from_elsewhere),
      RUN_TEST(patience_may_change),
      RUN_TEST(a_complete_training_does_without_its_data),
  };
  return test_run(tests, NULL, NULL);
}
