/* edgefw run, where results could be lost or mixed: two runs in one folder, checkpoints of another
 * training, inputs that change, references of other sets, and what a killed process leaves.
 * labels: e2e */
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/cli.h"
#include "support/tiny_model.h"

#define SMALL                                                                                      \
  "[train]\nsize = 6\nepochs = 2\ninstances_per_epoch = 8\nbatch = 4\nmilestones = 2\n"            \
  "checkpoint_every = 1\n[eval]\nsizes = 6\ninstances = 4\n"

/* --- Two runs --- */

static void a_second_run_in_the_folder_is_refused(void **state) {
  const sandbox *box = *state;
  const struct timespec moment = {.tv_nsec = 1000000};
  char words[64];
  cli_write_config(box, "[train]\nsize = 6\nepochs = 100000\nmilestones = 100000\n"
                        "instances_per_epoch = 2\nbatch = 2\n");
  const pid_t child = cli_start(box, "run tiny.ini --out a");
  for (int i = 0; i < 60000 && !cli_exists(box, "a/plain/metrics.csv"); ++i)
    nanosleep(&moment, NULL);
  snprintf(words, sizeof words, "a is in use by process %ld", (long)child);
  char *before = cli_read(box, "a/config.ini");
  /* Another box of the same folder, since the streams of the first are in use. */
  static const char *const seconds[] = {"run tiny.ini --out a",
                                        "run tiny.ini --out a --fresh --set experiment.seed=8"};
  for (int i = 0; i < 2; ++i) {
    sandbox beside;
    char arguments[256];
    sandbox_create(&beside);
    snprintf(arguments, sizeof arguments, "run %s/tiny.ini --out %s/a%s", box->folder, box->folder,
             seconds[i] + strlen("run tiny.ini --out a"));
    cli_expect(&beside, arguments, 1, "", words + 1);
    sandbox_remove(&beside);
  }
  cli_expect_same(before, cli_read(box, "a/config.ini"));
  assert_true(cli_exists(box, "a/plain/metrics.csv"));
  assert_int_equal(kill(child, SIGKILL), 0);
  cli_result result = cli_wait(box, child);
  cli_free(&result);
  assert_true(cli_exists(box, "a/run.lock")); /* which locks nothing now */
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --out a --fresh", 0, "ATSP-6 (4)", NULL);
  assert_false(cli_exists(box, "a/run.lock"));
}

/* --- Checkpoints of others --- */

static void a_checkpoint_of_another_training_is_refused(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --out a --only train", 0, NULL, NULL);
  cli_expect(box, "run tiny.ini --out b --only train --set train.learning_rate=0.5", 0, NULL, NULL);
  cli_expect(box, "run tiny.ini --out c --only train --set experiment.seed=8", 0, NULL, NULL);
  const char *own = "a/plain/checkpoint-2.h5";
  assert_int_equal(unlink(sandbox_path(box, own)), 0);
  assert_int_equal(rename(sandbox_path(box, "b/plain/checkpoint-2.h5"), sandbox_path(box, own)), 0);
  cli_expect(box, "run tiny.ini --out a", 1, "",
             "a/plain/checkpoint-2.h5' was written by another configuration: [train] learning_rate "
             "is '0.5' there and '0.0004' here");
  cli_expect(box, "run tiny.ini --out a --only eval", 1, "",
             "[train] learning_rate is '0.5' there");
  assert_int_equal(rename(sandbox_path(box, "c/plain/checkpoint-1.h5"), sandbox_path(box, own)), 0);
  cli_expect(box, "run tiny.ini --out a", 1, "", "[experiment] seed is '8' there and '1234' here");
  assert_false(cli_exists(box, "a/results.csv"));
  assert_int_equal(unlink(sandbox_path(box, own)), 0);
  cli_expect(box, "run tiny.ini --out a", 0, NULL, "going on from");
}

/* --- Inputs that change --- */

#define MATRIX(first)                                                                              \
  "NAME: own\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"                              \
  "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 " first " 2\n4 0 1\n1 1 0\nEOF\n"

static void changed_files_are_evaluated_again(void **state) {
  const sandbox *box = *state;
  const char *const run = "run tiny.ini --set eval.files=own.atsp --set data.optima=optima.csv";
  char arguments[256];
  cli_write_config(box, SMALL);
  sandbox_write(box, "own.atsp", MATRIX("1"));
  sandbox_write(box, "optima.csv", "set,name,n,optimum\nmine,own,3,3\n");
  snprintf(arguments, sizeof arguments, "%s --out b", run);
  cli_expect(box, run, 0, NULL, NULL);
  cli_expect(box, run, 0, NULL, "nothing to do");
  sandbox_write(box, "own.atsp", MATRIX("700"));
  cli_expect(box, run, 0, NULL, "set own is evaluated again: its files have changed");
  cli_expect(box, arguments, 0, NULL, NULL);
  cli_expect_same(cli_results(box, "runs/tiny"), cli_results(box, "b"));
  sandbox_write(box, "optima.csv", "set,name,n,optimum\nmine,own,3,2\n");
  cli_expect(box, run, 0, NULL, "set own is evaluated again");
  cli_expect(box, arguments, 0, NULL, "set own is evaluated again");
  cli_expect_same(cli_results(box, "runs/tiny"), cli_results(box, "b"));
  cli_expect(box, run, 0, NULL, "nothing to do");
}

static void a_changed_dataset_is_evaluated_again(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "data generate --problem atsp --size 6 --count 4 --seed 3 -o d.h5", 0, NULL,
             NULL);
  const char *const run = "run tiny.ini --set data.test.6=d.h5";
  cli_expect(box, run, 0, NULL, NULL);
  cli_expect(box, run, 0, NULL, "nothing to do");
  cli_expect(box, "data generate --problem atsp --size 6 --count 4 --seed 4 -o d.h5", 0, NULL,
             NULL);
  cli_expect(box, run, 0, NULL, "set 6 is evaluated again");
}

/* --- References of others --- */

static void references_of_other_sets_are_refused(void **state) {
  const sandbox *box = *state;
  const char *const run = "run tiny.ini --set data.reference.6=costs.csv";
  char arguments[256];
  cli_write_config(box, SMALL);
  sandbox_write(box, "costs.csv",
                "# set: problem = atsp; size = 6; seed = 2026\n# costs: exact\n"
                "instance,cost\n0,90\n1,90\n2,90\n3,90\n");
  cli_expect(box, run, 0, NULL,
             "warning: set 6: 4 of 4 tours cost less than the best that there is");
  snprintf(arguments, sizeof arguments, "%s --out b --set eval.seed=77", run);
  cli_expect(box, arguments, 1, "",
             "seed = 2026), while the set 6 is (problem = atsp; size = 6; "
             "seed = 77");
  cli_expect(box, "data generate --problem atsp --size 6 --count 4 --seed 5 -o d.h5", 0, NULL,
             NULL);
  snprintf(arguments, sizeof arguments, "%s --out b --set data.test.6=d.h5", run);
  cli_expect(box, arguments, 1, "", "d.h5");
  assert_false(cli_exists(box, "b"));
}

#define OWN_SET "# set: problem = atsp; size = 6; seed = 2026\n"

/* Does the file of the run have these words? */
static void expect_words(const sandbox *box, const char *name, const char *words) {
  char *text = cli_read(box, name);
  assert_non_null(text);
  if (!strstr(text, words)) print_error("'%s' is not in %s:\n%s\n", words, name, text);
  assert_non_null(strstr(text, words));
  free(text);
}

static void a_gap_to_a_bound_says_so(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  sandbox_write(box, "costs.csv",
                OWN_SET "# costs: lower bound\ninstance,cost\n0,0.1\n1,0.1\n2,0.1\n3,0.1\n");
  cli_expect(box, "run tiny.ini --set data.reference.6=costs.csv", 0, "(bound)   0.1000",
             "gap to bound ");
  expect_words(box, "runs/tiny/table.md", "| (bound) | 0.1000 |");
  expect_words(box, "runs/tiny/table.md", "Gap to bound: mean cost against mean lower bound");
  expect_words(box, "runs/tiny/results.csv", ",bound,");
  expect_words(box, "runs/tiny/results.json", "\"reference_kind\": \"bound\"");
  expect_words(box, "runs/tiny/results/plain-6.csv", ",bound\n");
  expect_words(box, "runs/tiny/plots/gap.gp", "set ylabel 'gap to bound (%)'");
}

/* No tour costs less than a bound: then the bound is wrong, and is named. */
static void a_bound_above_a_cost_is_named(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  sandbox_write(box, "costs.csv",
                OWN_SET "# costs: lower bound\ninstance,cost\n0,0.1\n1,0.1\n2,90\n3,0.1\n");
  cli_expect(box, "run tiny.ini --set data.reference.6=costs.csv", 0, NULL,
             "warning: set 6: 1 of 4 tours cost less than the lower bound according to ");
}

/* The table without its last columns, and with an end in their place; to be freed. */
static char *without_columns(const char *csv, int columns, const char *end) {
  char *out = calloc(1, 2 * strlen(csv) + 1), *to = out;
  assert_non_null(out);
  for (const char *from = csv; *from;) {
    const size_t length = strcspn(from, "\n");
    size_t kept = length;
    for (int c = 0; c < columns; ++c)
      while (from[--kept] != ',') continue;
    memcpy(to, from, kept);
    to += kept;
    to += sprintf(to, "%s\n", end);
    from += length + 1;
  }
  return out;
}

/* Rows of a program that knew neither kinds nor search apart learn their kinds without being
 * evaluated again. */
static void rows_of_older_programs_learn_their_kind(void **state) {
  const sandbox *box = *state;
  const char *const run = "run tiny.ini --set data.reference.6=costs.csv";
  cli_write_config(box, SMALL);
  sandbox_write(box, "costs.csv",
                OWN_SET "# costs: exact\ninstance,cost\n0,0.1\n1,0.1\n2,0.1\n3,0.1\n");
  cli_expect(box, run, 0, NULL, NULL);
  char *csv = cli_read(box, "runs/tiny/results.csv");
  char *older = without_columns(csv, 4, ""), *expected = without_columns(csv, 3, ",,,");
  sandbox_write(box, "runs/tiny/results.csv", older);
  cli_result again = cli_do(box, run);
  assert_int_equal(again.status, 0);
  assert_null(strstr(again.err, "evaluated again"));
  assert_null(strstr(again.err, "set 6, "));
  cli_free(&again);
  char *mended = cli_read(box, "runs/tiny/results.csv");
  assert_string_equal(strchr(mended, '\n'), strchr(expected, '\n'));
  cli_expect(box, run, 0, NULL, "nothing to do");
  free(mended);
  free(expected);
  free(older);
  free(csv);
}

static void a_reference_without_set_is_warned_of_once(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  sandbox_write(box, "costs.csv", "instance,cost\n0,0.1\n1,0.1\n2,0.1\n3,0.1\n");
  cli_result result = cli_do(box, "run tiny.ini --set data.reference.6=costs.csv");
  assert_int_equal(result.status, 0);
  const char *warning = strstr(result.err, "does not say of which instances its costs are");
  assert_non_null(warning);
  assert_null(strstr(warning + 1, "does not say of which instances"));
  cli_free(&result);
}

/* --- What a killed process leaves --- */

static void leftovers_are_mended_and_removed(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  sandbox_write(box, "runs/tiny/config.ini.tmp-12-0", "; Wr");
  cli_expect(box, "run tiny.ini", 0, NULL, NULL);
  assert_false(cli_exists(box, "runs/tiny/config.ini.tmp-12-0"));
  char *before = cli_snapshot(box, "runs/tiny");
  /* Killed between the two files of results, and while a checkpoint was written. */
  sandbox_write(box, "runs/tiny/results.json", "{\"experiment\": \"tiny\", \"results\": []}\n");
  sandbox_write(box, "runs/tiny/plain/checkpoint-2.h5.tmp-12-0", "half");
  sandbox_write(box, "runs/tiny/plots/gap.csv.tmp-12-3", "half");
  cli_expect(box, "run tiny.ini", 0, NULL, "tiny is complete");
  cli_expect_same(before, cli_snapshot(box, "runs/tiny"));
}

/* --- Links --- */

static void no_link_is_followed(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --out a --only train", 0, NULL, NULL);
  char target[256];
  snprintf(target, sizeof target, "%s", sandbox_write(box, "victim.txt", "mine"));
  assert_int_equal(unlink(sandbox_path(box, "a/log.txt")), 0);
  sandbox_link(box, "a/log.txt", target);
  cli_expect(box, "run tiny.ini --out a", 2, "", "a/log.txt is a symbolic link");
  cli_expect(box, "run tiny.ini --out a --fresh", 2, "", "a/log.txt is a symbolic link");
  char *text = cli_read(box, "victim.txt");
  assert_string_equal(text, "mine");
  free(text);
}

int main(void) {
  if (tiny_missing()) return 0;
#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, sandbox_set_up, sandbox_tear_down)
  const struct CMUnitTest tests[] = {
      RUN_TEST(a_second_run_in_the_folder_is_refused),
      RUN_TEST(a_checkpoint_of_another_training_is_refused),
      RUN_TEST(changed_files_are_evaluated_again),
      RUN_TEST(a_changed_dataset_is_evaluated_again),
      RUN_TEST(references_of_other_sets_are_refused),
      RUN_TEST(a_gap_to_a_bound_says_so),
      RUN_TEST(a_bound_above_a_cost_is_named),
      RUN_TEST(rows_of_older_programs_learn_their_kind),
      RUN_TEST(a_reference_without_set_is_warned_of_once),
      RUN_TEST(leftovers_are_mended_and_removed),
      RUN_TEST(no_link_is_followed),
  };
  return test_run(tests, NULL, NULL);
}
