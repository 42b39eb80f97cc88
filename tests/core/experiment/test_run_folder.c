/* Run directories: recognised, refused, cleared. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/run_folder.h"
#include "report/run_record.h"
#include "base/atomic_file.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/toy_config.h"

#define TEXT TOY_SECTIONS "[variant a]\n[variant b]\ntrain.batch = 3\n"

typedef struct folder {
  toy_config *t;
  edgefw_arena *arena;
  const char *path;
} folder;

static folder begin(void **state) {
  folder f = {.t = *state};
  expect_ok(f.t->ctx, edgefw_arena_create(f.t->ctx, &f.arena, "test", 1 << 12, true));
  f.path = edgefw_arena_text(f.arena, sandbox_path(&f.t->box, "run"));
  return f;
}

static edgefw_status prepare(const folder *f, const char *text, const char *set, bool fresh) {
  edgefw__config *config = NULL;
  edgefw__run_lock lock;
  expect_ok(f->t->ctx, toy_config_try(f->t, text, set, &config));
  const edgefw_status status = edgefw__run_folder_prepare(f->t->ctx, f->arena, f->path,
                                                          EDGEFW__RUN_MARK, config, fresh, &lock);
  assert_int_equal(lock.file >= 0, status == EDGEFW_OK);
  edgefw__run_lock_release(&lock);
  edgefw__config_destroy(config);
  return status;
}

static bool exists(const folder *f, const char *name) {
  return access(sandbox_path(&f->t->box, name), F_OK) == 0;
}

static void the_same_configuration_goes_on(void **state) {
  const folder f = begin(state);
  expect_ok(f.t->ctx, prepare(&f, TEXT, NULL, false));
  char *before = cli_read(&f.t->box, "run/config.ini");
  assert_non_null(before);
  expect_ok(f.t->ctx, prepare(&f, TEXT, "experiment.threads=3", false));
  expect_ok(f.t->ctx, prepare(&f, TEXT, "experiment.precision=fp32", false));
  expect_ok(f.t->ctx, prepare(&f, TEXT, "eval.batch=3", false));
  char *after = cli_read(&f.t->box, "run/config.ini");
  assert_string_equal(before, after);
  free(before);
  free(after);
  edgefw_arena_destroy(f.arena);
}

/* What is asked of the models of a run may change; config.ini then says the latest. */
static void other_diagnostics_go_on(void **state) {
  const folder f = begin(state);
  expect_ok(f.t->ctx, prepare(&f, TEXT, NULL, false));
  char *before = cli_read(&f.t->box, "run/config.ini");
  expect_ok(f.t->ctx, prepare(&f, TEXT, "diagnostics.states=3", false));
  char *asked = cli_read(&f.t->box, "run/config.ini");
  assert_non_null(strstr(asked, "[diagnostics]\nstates = 3\n"));
  expect_ok(f.t->ctx, prepare(&f, TEXT, "diagnostics.states=4", false));
  char *more = cli_read(&f.t->box, "run/config.ini");
  assert_non_null(strstr(more, "[diagnostics]\nstates = 4\n"));
  expect_failure(f.t->ctx, prepare(&f, TEXT "[diagnostics]\nstates = 4\n", "train.size=7", false),
                 EDGEFW_CONFIG, "[train] size");
  expect_ok(f.t->ctx, prepare(&f, TEXT, NULL, false));
  char *after = cli_read(&f.t->box, "run/config.ini");
  assert_string_equal(before, after);
  free(before);
  free(asked);
  free(more);
  free(after);
  edgefw_arena_destroy(f.arena);
}

/* How long training goes on may change, of all variants or of one; config.ini says the latest.
 * Where its data lie may change, too, as the device may. */
static void more_training_goes_on(void **state) {
  const folder f = begin(state);
  static const char *const changes[] = {"train.epochs=9", "train.patience=4",
                                        "train.checkpoint_every=3"};
  const char *validated = TEXT "[train]\nvalidate_every = 1\n[variant a]\neval.batch = 7\n";
  const char *own = TEXT "[train]\nvalidate_every = 1\n[variant a]\ntrain.epochs = 7\n";
  expect_ok(f.t->ctx, prepare(&f, validated, NULL, false));
  for (size_t c = 0; c < sizeof changes / sizeof *changes; ++c) {
    char line[64];
    const char *key = strchr(changes[c], '.') + 1, *value = strchr(changes[c], '=');
    snprintf(line, sizeof line, "\n%.*s = %s\n", (int)(value - key), key, value + 1);
    expect_ok(f.t->ctx, prepare(&f, validated, changes[c], false));
    char *text = cli_read(&f.t->box, "run/config.ini");
    assert_non_null(strstr(text, line));
    free(text);
  }
  expect_ok(f.t->ctx, prepare(&f, own, NULL, false));
  char *text = cli_read(&f.t->box, "run/config.ini");
  assert_non_null(strstr(text, "train.epochs = 7\n"));
  free(text);
  expect_ok(f.t->ctx, prepare(&f, validated, "eval.batch=5", false));
  edgefw_arena_destroy(f.arena);
}

static void data_may_lie_elsewhere(void **state) {
  const folder f = begin(state);
  expect_ok(f.t->ctx, prepare(&f, TEXT, "train.data=a.h5", false));
  expect_ok(f.t->ctx, prepare(&f, TEXT, "train.data=b.h5", false));
  expect_ok(f.t->ctx, prepare(&f, TEXT "train.data = c.h5\n", "train.data=b.h5", false));
  expect_failure(f.t->ctx, prepare(&f, TEXT, NULL, false), EDGEFW_CONFIG, "[train] data",
                 "a.h5' there and '' here");
  edgefw_arena_destroy(f.arena);
}

static void another_configuration_is_refused(void **state) {
  const folder f = begin(state);
  expect_ok(f.t->ctx, prepare(&f, TEXT, NULL, false));
  expect_failure(f.t->ctx, prepare(&f, TEXT, "train.size=7", false), EDGEFW_CONFIG, "[train] size",
                 "'7' here", "--out", "--fresh");
  expect_failure(f.t->ctx, prepare(&f, TEXT "[variant c]\n", NULL, false), EDGEFW_CONFIG,
                 "[variant c]");
  expect_failure(f.t->ctx, prepare(&f, TOY_SECTIONS "[variant a]\n", NULL, false), EDGEFW_CONFIG,
                 "[variant b]");
  expect_failure(f.t->ctx, prepare(&f, TOY_SECTIONS "[variant a]\n[variant b]\n", NULL, false),
                 EDGEFW_CONFIG, "batch");
  edgefw_arena_destroy(f.arena);
}

static void clearing_spares_what_is_not_ours(void **state) {
  const folder f = begin(state);
  expect_ok(f.t->ctx, prepare(&f, TEXT, NULL, false));
  sandbox_write(&f.t->box, "run/a/checkpoint-10.h5", "x");
  sandbox_write(&f.t->box, "run/a/metrics.csv", "x");
  sandbox_write(&f.t->box, "run/b/checkpoint-1.h5", "x");
  sandbox_write(&f.t->box, "run/b/checkpoint-best.h5", "mine");
  sandbox_write(&f.t->box, "run/results.csv", "x");
  sandbox_write(&f.t->box, "run/plots/gap.svg", "x");
  sandbox_write(&f.t->box, "run/results/a-20.csv", "x");
  sandbox_write(&f.t->box, "run/results/b-files.csv", "x");
  sandbox_write(&f.t->box, "run/results/mine.csv", "mine");
  sandbox_write(&f.t->box, "run/other/checkpoint-1.h5", "mine");
  expect_ok(f.t->ctx, prepare(&f, TEXT, "train.size=7", true));
  assert_false(exists(&f, "run/a"));
  assert_false(exists(&f, "run/b/checkpoint-1.h5"));
  assert_true(exists(&f, "run/b/checkpoint-best.h5"));
  assert_false(exists(&f, "run/results.csv"));
  assert_false(exists(&f, "run/plots"));
  assert_false(exists(&f, "run/results/a-20.csv"));
  assert_false(exists(&f, "run/results/b-files.csv"));
  assert_true(exists(&f, "run/results/mine.csv"));
  assert_true(exists(&f, "run/other/checkpoint-1.h5"));
  assert_true(exists(&f, "run/config.ini"));
  edgefw_arena_destroy(f.arena);
}

static void a_strange_folder_is_left_alone(void **state) {
  const folder f = begin(state);
  sandbox_write(&f.t->box, "run/results.csv", "mine");
  expect_failure(f.t->ctx, prepare(&f, TEXT, NULL, false), EDGEFW_CONFIG, "no run directory");
  expect_failure(f.t->ctx, prepare(&f, TEXT, NULL, true), EDGEFW_CONFIG, "no run directory");
  assert_true(exists(&f, "run/results.csv"));
  sandbox_write(&f.t->box, "run/config.ini", TEXT); /* as of a user who calls it so */
  expect_failure(f.t->ctx, prepare(&f, TEXT, NULL, false), EDGEFW_CONFIG, "no run wrote");
  expect_failure(f.t->ctx, prepare(&f, TEXT, NULL, true), EDGEFW_CONFIG, "no run wrote");
  assert_true(exists(&f, "run/config.ini"));
  edgefw_arena_destroy(f.arena);
}

/* What a process leaves that was killed when it began is no obstacle, with --fresh or without. */
static void a_folder_with_temporary_files_alone_is_empty(void **state) {
  const folder f = begin(state);
  for (int fresh = 0; fresh < 2; ++fresh) {
    sandbox_write(&f.t->box, "run/config.ini.tmp-31-0", "; Wri");
    sandbox_write(&f.t->box, "run/run.lock", "31 here\n");
    expect_ok(f.t->ctx, prepare(&f, TEXT, NULL, fresh));
    assert_true(exists(&f, "run/config.ini"));
    assert_false(exists(&f, "run/config.ini.tmp-31-0"));
    assert_false(exists(&f, "run/run.lock"));
    unlink(sandbox_path(&f.t->box, "run/config.ini"));
  }
  sandbox_write(&f.t->box, "run/mine.tmp-31-0", "mine");
  expect_failure(f.t->ctx, prepare(&f, TEXT, NULL, false), EDGEFW_CONFIG, "no run directory");
  edgefw_arena_destroy(f.arena);
}

/* Whatever --fresh cannot remove, there is a config.ini: the old one or the new one. */
static void clearing_keeps_a_config_all_the_time(void **state) {
  const folder f = begin(state);
  expect_ok(f.t->ctx, prepare(&f, TEXT, NULL, false));
  sandbox_write(&f.t->box, "run/results.csv/x", "a folder, which no run makes");
  expect_failure(f.t->ctx, prepare(&f, TEXT, "train.size=7", true), EDGEFW_IO, "run/results.csv",
                 "cannot remove");
  expect_ok(f.t->ctx, prepare(&f, TEXT, NULL, false)); /* the old one's */
  unlink(sandbox_path(&f.t->box, "run/results.csv/x"));
  rmdir(sandbox_path(&f.t->box, "run/results.csv"));
  expect_ok(f.t->ctx, prepare(&f, TEXT, "train.size=7", true));
  expect_ok(f.t->ctx, prepare(&f, TEXT, "train.size=7", false));
  edgefw_arena_destroy(f.arena);
}

/* A config.ini from elsewhere may name anything; only names of variants lead to folders. */
static void names_from_elsewhere_lead_nowhere(void **state) {
  const folder f = begin(state);
  expect_ok(f.t->ctx, prepare(&f, TEXT, NULL, false));
  char *written = cli_read(&f.t->box, "run/config.ini"), text[256];
  snprintf(text, sizeof text, "%.*s\n[variant ../victim]\ntrain.size = 1\n",
           (int)strcspn(written, "\n"), written);
  free(written);
  sandbox_write(&f.t->box, "run/config.ini", text);
  sandbox_write(&f.t->box, "victim/metrics.csv", "mine");
  sandbox_write(&f.t->box, "victim/checkpoint-1.h5", "mine");
  for (int fresh = 0; fresh < 2; ++fresh)
    expect_failure(f.t->ctx, prepare(&f, TEXT, NULL, fresh), EDGEFW_CONFIG, "'../victim'",
                   "run/config.ini", "--out");
  assert_true(exists(&f, "victim/metrics.csv"));
  assert_true(exists(&f, "victim/checkpoint-1.h5"));
  edgefw_arena_destroy(f.arena);
}

static void no_link_leads_out_of_the_folder(void **state) {
  const folder f = begin(state);
  sandbox_write(&f.t->box, "victim/metrics.csv", "mine");
  const char *victim = edgefw_arena_text(f.arena, sandbox_path(&f.t->box, "victim"));
  expect_ok(f.t->ctx, prepare(&f, TEXT, NULL, false));
  sandbox_link(&f.t->box, "run/a", victim);
  for (int fresh = 0; fresh < 2; ++fresh)
    expect_failure(f.t->ctx, prepare(&f, TEXT, NULL, fresh), EDGEFW_CONFIG, "run/a is a symbolic");
  assert_true(exists(&f, "victim/metrics.csv"));
  edgefw_arena_destroy(f.arena);
}

static void a_folder_in_use_is_left_alone(void **state) {
  const folder f = begin(state);
  edgefw__run_lock lock;
  expect_ok(f.t->ctx, prepare(&f, TEXT, NULL, false));
  expect_ok(f.t->ctx, edgefw__run_lock_take(f.t->ctx, f.path, &lock));
  sandbox_write(&f.t->box, "run/results.csv.tmp-1-0", "of the run that goes on");
  for (int fresh = 0; fresh < 2; ++fresh)
    expect_failure(f.t->ctx, prepare(&f, TEXT, NULL, fresh), EDGEFW_IO, "in use by process");
  assert_true(exists(&f, "run/results.csv.tmp-1-0"));
  edgefw__run_lock_release(&lock);
  edgefw_arena_destroy(f.arena);
}

static void files_are_written_when_they_change(void **state) {
  const folder f = begin(state);
  bool changed = false;
  sandbox_write(&f.t->box, "run/x.txt", "one");
  expect_ok(f.t->ctx, edgefw__update_file(f.t->ctx, f.arena, f.path, "x.txt", "one", &changed));
  assert_false(changed);
  expect_ok(f.t->ctx, edgefw__update_file(f.t->ctx, f.arena, f.path, "x.txt", "two", &changed));
  assert_true(changed);
  sandbox_write_bytes(&f.t->box, "run/x.txt", "t\0o", 3); /* no text: as a crash may leave it */
  expect_ok(f.t->ctx, edgefw__update_file(f.t->ctx, f.arena, f.path, "x.txt", "two", &changed));
  char *text = cli_read(&f.t->box, "run/x.txt");
  assert_string_equal(text, "two");
  free(text);
  edgefw_arena_destroy(f.arena);
}

int main(void) {
#define FOLDER_TEST(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, toy_config_set_up, toy_config_tear_down)
  const struct CMUnitTest tests[] = {
      FOLDER_TEST(the_same_configuration_goes_on),
      FOLDER_TEST(other_diagnostics_go_on),
      FOLDER_TEST(more_training_goes_on),
      FOLDER_TEST(data_may_lie_elsewhere),
      FOLDER_TEST(another_configuration_is_refused),
      FOLDER_TEST(clearing_spares_what_is_not_ours),
      FOLDER_TEST(a_strange_folder_is_left_alone),
      FOLDER_TEST(a_folder_with_temporary_files_alone_is_empty),
      FOLDER_TEST(clearing_keeps_a_config_all_the_time),
      FOLDER_TEST(names_from_elsewhere_lead_nowhere),
      FOLDER_TEST(no_link_leads_out_of_the_folder),
      FOLDER_TEST(a_folder_in_use_is_left_alone),
      FOLDER_TEST(files_are_written_when_they_change),
  };
  return test_run(tests, NULL, NULL);
}
