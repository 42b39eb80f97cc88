/* edgefw run: the run directory, resumption, interruption, refusals.
 * labels: e2e */
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/cli.h"
#include "support/tiny_model.h"

#define SETS "[eval]\nsizes = 6, 5\ninstances = 4, 3\n"
#define SMALL                                                                                      \
  "[train]\nsize = 6\nepochs = 2\ninstances_per_epoch = 8\nbatch = 4\nmilestones = 2\n"            \
  "checkpoint_every = 1\n" SETS

static void a_run_fills_its_directory_and_a_second_one_changes_nothing(void **state) {
  static const char *const files[] = {"config.ini",
                                      "log.txt",
                                      "results.csv",
                                      "results.json",
                                      "table.md",
                                      "report.html",
                                      "machine.csv",
                                      "plain/metrics.csv",
                                      "plain/checkpoint-1.h5",
                                      "plain/checkpoint-2.h5",
                                      "terms/metrics.csv",
                                      "plots/training.gp",
                                      "terms/checkpoint-2.h5",
                                      "plots/training.csv",
                                      "results/plain-6.csv",
                                      "results/terms-5.csv"};
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_result first = cli_do(box, "run tiny.ini");
  assert_int_equal(first.status, 0);
  assert_non_null(strstr(first.out, "ATSP-6 (4)"));
  assert_non_null(strstr(first.err, "epoch 2/2"));
  for (size_t f = 0; f < sizeof files / sizeof *files; ++f) {
    char name[128];
    snprintf(name, sizeof name, "runs/tiny/%s", files[f]);
    if (!cli_exists(box, name)) fail_msg("%s is missing", name);
  }
  char *before = cli_snapshot(box, "runs/tiny"), *log = cli_read(box, "runs/tiny/log.txt");
  cli_result second = cli_do(box, "run tiny.ini --set experiment.threads=2");
  assert_int_equal(second.status, 0);
  assert_string_equal(second.out, first.out);
  assert_non_null(strstr(second.err, "nothing to do"));
  cli_expect_same(before, cli_snapshot(box, "runs/tiny"));
  cli_expect_same(log, cli_read(box, "runs/tiny/log.txt"));
  cli_free(&first);
  cli_free(&second);
}

/* Number of lines in a file; -1 if there is none. */
static int count_lines(const sandbox *box, const char *name) {
  char *text = cli_read(box, name);
  if (!text) return -1;
  int lines = 0;
  for (const char *at = text; (at = strchr(at, '\n')) != NULL; ++at) ++lines;
  free(text);
  return lines;
}

/* Each set has a table of its instances; one that is lost is made again, and nothing else changes.
 */
static void instances_have_their_rows(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --out a", 0, NULL, NULL);
  char *results = cli_results(box, "a");
  assert_int_equal(count_lines(box, "a/results/plain-6.csv"), 1 + 4);
  assert_int_equal(count_lines(box, "a/results/terms-5.csv"), 1 + 3);
  assert_int_equal(unlink(sandbox_path(box, "a/results/plain-6.csv")), 0);
  cli_expect(box, "run tiny.ini --out a", 0, NULL, "plain: set 6, 4 instances");
  assert_int_equal(count_lines(box, "a/results/plain-6.csv"), 1 + 4);
  cli_expect_same(results, cli_results(box, "a"));
  cli_expect(box, "run tiny.ini --out a", 0, NULL, "nothing to do");
}

#define TINY_FILE(costs)                                                                           \
  "NAME: same\nTYPE: ATSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\n"                             \
  "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n" costs "\nEOF\n"

/* Library files of one NAME are rows of their own. */
static void files_of_one_name_are_told_apart(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  sandbox_write(box, "x/t.atsp", TINY_FILE("0 1 2 0"));
  sandbox_write(box, "y/t.atsp", TINY_FILE("0 3 4 0"));
  cli_expect(box, "run tiny.ini --out a --set eval.files=x,y", 0, "same (x/t.atsp)", NULL);
  char *table = cli_read(box, "a/results/plain-files.csv");
  assert_non_null(table);
  assert_non_null(strstr(table, "same (x/t.atsp),3,,,"));
  assert_non_null(strstr(table, "same (y/t.atsp),7,,,"));
  free(table);
  cli_expect(box, "run tiny.ini --out a --set eval.files=x,y", 0, NULL, "nothing to do");
  cli_expect(box, "run tiny.ini --out b --set eval.files=x,x/t.atsp", 2, "",
             "two test sets are called same");
}

/* A solution beside a library file is its best known one; another one makes the row stale. */
static void solutions_beside_files_are_compared_with(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  sandbox_write(box, "t.atsp", TINY_FILE("0 1 2 0"));
  cli_expect(box, "run tiny.ini --out a --set eval.files=t.atsp", 0, NULL, "set same, 1 instance");
  sandbox_write(box, "t.tour", "TOUR_SECTION\n2\n1\n-1\n");
  cli_expect(box, "run tiny.ini --out a --set eval.files=t.atsp", 0, NULL,
             "set same is evaluated again: its files have changed");
  char *table = cli_read(box, "a/results/plain-files.csv");
  assert_non_null(table);
  assert_non_null(strstr(table, "same,3,3,0,"));
  free(table);
  cli_expect(box, "run tiny.ini --out a --set eval.files=t.atsp", 0, NULL, "nothing to do");
}

static void the_same_run_twice_gives_the_same_results(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --out a", 0, NULL, NULL);
  cli_expect(box, "run tiny.ini --out b --set experiment.threads=2", 0, NULL, NULL);
  cli_expect_same(cli_results(box, "a"), cli_results(box, "b"));
}

/* Give a run that has begun to train a SIGINT; it must be far from its end then. */
static void interrupt(const sandbox *box, const char *arguments, const char *sign_of_life) {
  const struct timespec moment = {.tv_nsec = 1000000};
  const pid_t child = cli_start(box, arguments);
  for (int i = 0; i < 60000 && !cli_exists(box, sign_of_life); ++i) nanosleep(&moment, NULL);
  assert_int_equal(kill(child, SIGINT), 0);
  cli_result result = cli_wait(box, child);
  if (result.status != 130) print_error("%s%s", result.out, result.err);
  assert_int_equal(result.status, 130);
  assert_non_null(strstr(result.err, "edgefw: interrupted"));
  assert_non_null(strstr(result.err, "go on with: edgefw run tiny.ini --out b\n"));
  cli_free(&result);
}

static void an_interrupted_run_goes_on_to_the_same_results(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, "[train]\nsize = 6\nepochs = 60\ninstances_per_epoch = 6\nbatch = 2\n"
                        "milestones = 20\ncheckpoint_every = 20\n" SETS);
  cli_expect(box, "run tiny.ini --out a", 0, NULL, NULL);
  interrupt(box, "run tiny.ini --out b --fresh", "b/plain/metrics.csv");
  assert_false(cli_exists(box, "b/results.csv"));
  interrupt(box, "run tiny.ini --out b", "b/terms/metrics.csv");
  cli_expect(box, "run tiny.ini --out b", 0, NULL, "going on from");
  cli_expect_same(cli_results(box, "a"), cli_results(box, "b"));
}

static void another_configuration_is_refused_and_fresh_discards(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --out a", 0, NULL, NULL);
  sandbox_write(box, "a/notes.txt", "mine");
  cli_expect(box, "run tiny.ini --out a --set train.batch=2", 2, NULL,
             "[train] batch is '4' there and '2' here");
  cli_expect(box, "run tiny.ini --out a --set train.epochs=1 --fresh", 0, NULL, "epoch 1/1");
  assert_true(cli_exists(box, "a/notes.txt"));
  assert_false(cli_exists(box, "a/plain/checkpoint-2.h5"));
  sandbox_write(box, "other/notes.txt", "mine");
  cli_expect(box, "run tiny.ini --out other --fresh", 2, NULL, "is no run directory");
}

static void steps_can_be_done_one_by_one(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --out a --only eval", 2, NULL, "train it first");
  cli_expect(box, "run tiny.ini --out a --only train", 0, "", NULL);
  assert_false(cli_exists(box, "a/results.csv"));
  cli_expect(box, "run tiny.ini --out a --only eval", 0, "ATSP-5 (3)", NULL);
  cli_expect(box, "run tiny.ini --out b --only=train,eval", 0, NULL, NULL);
  cli_expect_same(cli_results(box, "a"), cli_results(box, "b"));
  cli_expect(box, "run tiny.ini --only trian", 2, NULL, "train, eval and diagnostics");
}

static void a_dry_run_tells_and_writes_nothing(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --dry-run", 0, "parameters (0.00 million", NULL);
  cli_expect(box, "run tiny.ini --dry-run", 0, "training (n=6)", NULL);
  cli_expect(box, "run tiny.ini --dry-run", 0, "test set 5", NULL);
  assert_false(cli_exists(box, "runs"));
}

/* A key that the program of an earlier run did not know has its default there. */
static void a_run_of_an_older_program_goes_on(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --out a", 0, NULL, NULL);
  char *config = cli_read(box, "a/config.ini");
  char *line = strstr(config, "forbidden = none\n");
  assert_non_null(line);
  memmove(line, strchr(line, '\n') + 1, strlen(strchr(line, '\n')));
  sandbox_write(box, "a/config.ini", config);
  free(config);
  char *results = cli_results(box, "a");
  cli_expect(box, "run tiny.ini --out a", 0, NULL,
             "tiny is complete"); /* its page shows the keys */
  cli_expect_same(results, cli_results(box, "a"));
  cli_expect(box, "run tiny.ini --out a", 0, NULL, "nothing to do");
  cli_expect(box, "run tiny.ini --out a --set problem.forbidden=9", 2, NULL,
             "[problem] forbidden is not set there and '9' here");
}

static void one_variant_may_be_done_alone(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --variant none --out a", 2, "",
             "tiny has no variant 'none'; its variants are: plain, terms");
  cli_expect(box, "run tiny.ini --variant plain --fresh --out a", 2, "",
             "leave out one of the two");
  assert_false(cli_exists(box, "a"));
  cli_expect(box, "run tiny.ini --variant plain --out a", 0, NULL, "1 variant on");
  cli_expect(box, "run tiny.ini --variant plain --out a", 0, NULL,
             "nothing to do: variant plain is complete in a\n");
  assert_true(cli_exists(box, "a/plain/checkpoint-2.h5"));
  assert_false(cli_exists(box, "a/terms"));
  cli_expect(box, "run tiny.ini --out a", 0, NULL, NULL);
  cli_expect(box, "run tiny.ini --out b", 0, NULL, NULL);
  cli_expect_same(cli_results(box, "a"), cli_results(box, "b"));
}

/* What other variants read is not looked at. */
static void one_variant_needs_its_own_inputs_only(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "bad.h5", "no checkpoint\n");
  sandbox_write(box, "bad.atsp", "no matrix\n");
  static const char *const inputs[] = {"checkpoint = bad.h5\n", "eval.files = bad.atsp\n"};
  for (int k = 0; k < 2; ++k) {
    char config[512], out[64], arguments[128];
    snprintf(config, sizeof config, SMALL "[variant terms]\n%s", inputs[k]);
    cli_write_config(box, config);
    snprintf(arguments, sizeof arguments, "run tiny.ini --out a%d", k);
    cli_expect(box, arguments, 1, "", k == 0 ? "bad.h5" : "bad.atsp");
    snprintf(out, sizeof out, "a%d", k);
    assert_false(cli_exists(box, out));
    snprintf(arguments, sizeof arguments, "run tiny.ini --variant plain --out a%d", k);
    cli_expect(box, arguments, 0, NULL, "variant plain is complete in a");
    snprintf(arguments, sizeof arguments, "run tiny.ini --variant terms --out a%d", k);
    cli_expect(box, arguments, 1, NULL, k == 0 ? "bad.h5" : "bad.atsp");
  }
}

static void a_variant_may_name_a_checkpoint(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --out a", 0, NULL, NULL);
  cli_write_config(box, SMALL "[variant plain]\ncheckpoint = a/plain/checkpoint-2.h5\n"
                              "[variant terms]\ncheckpoint = a/terms/checkpoint-2.h5\n");
  cli_expect(box, "run tiny.ini --out b", 0, NULL, NULL);
  assert_false(cli_exists(box, "b/plain"));
  cli_expect_same(cli_results(box, "a"), cli_results(box, "b"));
  assert_int_equal(truncate(sandbox_path(box, "a/plain/checkpoint-2.h5"), 2000), 0);
  cli_expect(box, "run tiny.ini --out c", 1, "", "cut short");
}

/* Not after hours of training, and with nothing on disk. */
/* The newest checkpoint has lost its end: training goes on from the one before and says so; the
 * files are then what they were. */
static void a_damaged_checkpoint_is_trained_again(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini", 0, NULL, NULL);
  char *results = cli_results(box, "runs/tiny");
  assert_int_equal(truncate(sandbox_path(box, "runs/tiny/plain/checkpoint-2.h5"), 2000), 0);
  cli_expect(box, "run tiny.ini", 0, NULL,
             "checkpoint-2.h5': the file is cut short, found 2000 bytes");
  cli_expect_same(results, cli_results(box, "runs/tiny"));
  cli_expect(box, "model info runs/tiny/plain/checkpoint-2.h5", 0, "", NULL);
  char *log = cli_read(box, "runs/tiny/log.txt");
  assert_non_null(strstr(log, "going on from the previous checkpoint"));
  free(log);
}

static void bad_inputs_are_refused_before_anything_is_written(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  sandbox_write(box, "bad", "what, is, this\n");
  sandbox_write(box, "negative.atsp",
                "NAME: negative\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 -3 2\n4 0 1\n1 1 0\n");
  cli_expect(box, "run tiny.ini --set data.test.5=bad", 1, "", "bad': it is not an HDF5 file");
  cli_expect(box, "run tiny.ini --set data.reference.6=bad", 1, "", "found 3 fields, expected 2");
  cli_expect(box, "run tiny.ini --set report.reported=bad", 1, "", "no column 'method'");
  cli_expect(box, "run tiny.ini --set eval.files=negative.atsp", 1, "", "is -3; expected");
  cli_expect(box, "run tiny.ini --dry-run --set data.test.5=bad", 1, "", "(variant plain)");
  cli_expect(box, "run tiny.ini --set decoder.heads=3", 2, "", "heads = 3 does not divide");
  assert_false(cli_exists(box, "runs"));
}

static void bad_configurations_are_usage_errors(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run", 2, "", "CONFIG.ini is missing");
  cli_expect(box, "run tiny.ini more", 2, "", "'more'");
  cli_expect(box, "run none.ini", 2, "", "none.ini");
  cli_expect(box, "run tiny.ini --set train.epoch=3", 2, "", "did you mean 'epochs'");
  cli_expect(box, "run tiny.ini --set problem.name=atps", 2, "", "did you mean 'atsp'");
  cli_expect(box, "run tiny.ini --set experiment.device=fast", 2, "", "known: ");
  assert_false(cli_exists(box, "runs"));
}

/* Its name is right, its file is not: that is what the message is about. */
static void a_device_that_cannot_be_loaded_says_why(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  sandbox_write(box, "edgefw_fast.so", "no library");
  cli_expect(box, "--plugin-path . run tiny.ini --set experiment.device=fast", 1, "",
             "edgefw_fast.so cannot be loaded");
  assert_false(cli_exists(box, "runs"));
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, sandbox_set_up, sandbox_tear_down)
  const struct CMUnitTest tests[] = {
      RUN_TEST(a_run_fills_its_directory_and_a_second_one_changes_nothing),
      RUN_TEST(instances_have_their_rows),
      RUN_TEST(files_of_one_name_are_told_apart),
      RUN_TEST(solutions_beside_files_are_compared_with),
      RUN_TEST(the_same_run_twice_gives_the_same_results),
      RUN_TEST(an_interrupted_run_goes_on_to_the_same_results),
      RUN_TEST(another_configuration_is_refused_and_fresh_discards),
      RUN_TEST(steps_can_be_done_one_by_one),
      RUN_TEST(a_dry_run_tells_and_writes_nothing),
      RUN_TEST(a_run_of_an_older_program_goes_on),
      RUN_TEST(one_variant_may_be_done_alone),
      RUN_TEST(one_variant_needs_its_own_inputs_only),
      RUN_TEST(a_variant_may_name_a_checkpoint),
      RUN_TEST(a_damaged_checkpoint_is_trained_again),
      RUN_TEST(bad_inputs_are_refused_before_anything_is_written),
      RUN_TEST(bad_configurations_are_usage_errors),
      RUN_TEST(a_device_that_cannot_be_loaded_says_why),
  };
  return test_run(tests, NULL, NULL);
}
