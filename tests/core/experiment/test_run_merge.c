/* Shards: found, refused where they do not belong together, and joined.
 * labels: e2e */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cli.h"
#include "support/tiny_model.h"

#define CONFIG                                                                                     \
  "[train]\nsize = 6\nepochs = 1\ninstances_per_epoch = 4\nbatch = 4\nmilestones = 1\n"            \
  "[eval]\nsizes = 6, 5\ninstances = 7, 2\nbatch = 2\nfiles = " EDGEFW_SOURCE_DIR                  \
  "/data/atsplib/br17.atsp, " EDGEFW_SOURCE_DIR "/data/atsplib/ftv33.atsp\n[search]\nimprove = "   \
  "local\n"
#define RUN   "run tiny.ini --out "
#define MERGE "report merge "

static void write_config(const sandbox *box) {
  char text[4096];
  snprintf(text, sizeof text,
           "[experiment]\nname = tiny\nthreads = 1\ndevice = %s\n" TINY_PLAIN CONFIG
           "[variant plain]\n",
           tiny_has_device("cpu") ? "cpu" : "reference");
  sandbox_write(box, "tiny.ini", text);
}

static void split(const sandbox *box, const char *folder, int count) {
  char command[128];
  for (int i = 1; i <= count; ++i) {
    snprintf(command, sizeof command, RUN "%s --shard %d/%d", folder, i, count);
    cli_expect(box, command, 0, "", "is complete in");
  }
}

/* The columns of a table of instances that are no seconds; to be freed. */
static char *without_seconds(const sandbox *box, const char *name) {
  char *text = cli_read(box, name), *to = text;
  assert_non_null(text);
  int column = 0;
  for (const char *at = text; *at; ++at) {
    column = *at == '\n' ? 0 : column + (*at == ',');
    if (column != 4) *to++ = *at;
  }
  *to = '\0';
  return text;
}

static void joined_shards_are_one_run(void **state) {
  static const char *const tables[] = {"plain-6.csv", "plain-5.csv", "plain-files.csv"};
  const sandbox *box = *state;
  write_config(box);
  cli_expect(box, RUN "whole", 0, NULL, NULL);
  cli_expect(box, RUN "split --only train", 0, NULL, NULL);
  split(box, "split", 3);
  cli_expect(box, RUN "split --shard 2/3", 0, "", "nothing to do: shard 2 of 3");
  cli_expect(box, "report split/shards/2-of-3", 2, "", "report merge");
  cli_expect(box, MERGE "split", 0, "ATSP-6 (7)", NULL);
  cli_expect_same(cli_results(box, "whole"), cli_results(box, "split"));
  for (int t = 0; t < 3; ++t) {
    char a[64], b[64];
    snprintf(a, sizeof a, "whole/results/%s", tables[t]);
    snprintf(b, sizeof b, "split/results/%s", tables[t]);
    cli_expect_same(without_seconds(box, a), without_seconds(box, b));
  }
  cli_expect_same(cli_read(box, "whole/results/plain-solutions.csv"),
                  cli_read(box, "split/results/plain-solutions.csv"));
  cli_expect_same(cli_read(box, "whole/machine.csv"), cli_read(box, "split/machine.csv"));
  assert_int_equal(cli_exists(box, "whole/plots/gap.csv"), cli_exists(box, "split/plots/gap.csv"));
  cli_expect(box, RUN "split", 0, NULL, "nothing to do");
  cli_expect(box, MERGE "split", 0, NULL, "nothing to do");
}

/* Nothing is written where something is wrong. */
static void what_does_not_belong_together_is_refused(void **state) {
  const sandbox *box = *state;
  write_config(box);
  cli_expect(box, RUN "run --shard 1/2", 2, "", "no checkpoint of variant plain");
  assert_false(cli_exists(box, "run"));
  cli_expect(box, RUN "run --shard 1/2 --only train", 2, "", "--shard 1/2 evaluates");
  cli_expect(box, RUN "run --shard 1/2 --dry-run", 2, "", "leave out --shard");
  cli_expect(box, RUN "run --shard 3/2", 2, "", "expected I/N");
  cli_expect(box, RUN "run --only train", 0, NULL, NULL);
  cli_expect(box, MERGE "run", 2, "", "run/shards: ");
  cli_expect(box, RUN "run --shard 1/2 --set eval.instances=8,2", 2, "",
             "[eval] instances is '7, 2' there and '8, 2' here; choose another folder");
  cli_expect(box, RUN "run --shard 1/2", 0, "", NULL);
  cli_expect(box, MERGE "run", 2, "", "1 of 2 shards of run are missing: 2");
  cli_expect(box, RUN "run --shard 2/3", 0, "", NULL);
  cli_expect(box, MERGE "run", 2, "", "only shards of one division can be joined");
  assert_false(cli_exists(box, "run/results.csv"));
}

/* Shards of another place: another configuration, the same shard twice, one that is not finished,
 * and one of another model. */
static void strangers_are_named(void **state) {
  const sandbox *box = *state;
  write_config(box);
  cli_expect(box, RUN "run --only train", 0, NULL, NULL);
  cli_expect(box, RUN "run --shard 1/2", 0, "", NULL);
  cli_expect(box, RUN "b --only train --set eval.instances=8,2", 0, NULL, NULL);
  cli_expect(box, RUN "b --shard 2/2 --set eval.instances=8,2", 0, "", NULL);
  cli_expect(box, MERGE "run b", 2, "",
             "b/shards/2-of-2 holds a run of another configuration: [eval] instances");
  cli_expect(box, RUN "c --only train", 0, NULL, NULL);
  cli_expect(box, RUN "c --shard 1/2", 0, "", NULL);
  cli_expect(box, MERGE "run c", 2, "",
             "run/shards/1-of-2 and c/shards/1-of-2 are both shard 1 of 2");
  cli_expect(box, RUN "d --only train", 0, NULL, NULL);
  cli_expect(box, RUN "d --shard 2/2", 0, "", NULL);
  char *rows = cli_read(box, "d/shards/2-of-2/results.csv");
  char *last = strstr(rows, "\nplain,5,");
  assert_non_null(last);
  last[1] = '\0';
  sandbox_write(box, "d/shards/2-of-2/results.csv", rows);
  free(rows);
  cli_expect(box, MERGE "run d", 2, "",
             "d/shards/2-of-2: shard 2 of 2 has not finished set 5 of variant plain");
  cli_expect(box, RUN "d --shard 2/2", 0, "", NULL);
  assert_false(cli_exists(box, "run/results.csv"));
  cli_expect(box, MERGE "run d", 0, "ATSP-6 (7)", NULL);
  /* The model is another one since. */
  cli_expect(box, "run tiny.ini --out run --fresh --set experiment.seed=5 --only train", 0, NULL,
             NULL);
  cli_expect(box, MERGE "run d", 2, "", "[experiment] seed");
}

int main(void) {
#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, sandbox_set_up, sandbox_tear_down)
  const struct CMUnitTest tests[] = {RUN_TEST(joined_shards_are_one_run),
                                     RUN_TEST(what_does_not_belong_together_is_refused),
                                     RUN_TEST(strangers_are_named)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
