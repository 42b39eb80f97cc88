/* Which files are a run's own, and what may be done with them. */
#include "support/test.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/layers.h"
#include "experiment/run_files.h"
#include "support/expect.h"
#include "support/workspace.h"

static bool exists(const workspace *w, const char *name) {
  struct stat information;
  return lstat(sandbox_path(&w->box, name), &information) == 0;
}

static void own_names_are_known(void **state) {
  static const char *const names[] = {"plain", "with-dash"};
  const edgefw__run_names none = {0}, two = {names, 2};
  (void)state;
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_TOP, "results.csv", none));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_TOP, "config.ini.tmp-12-0", none));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_TOP, "report.html.tmp-12-0", none));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_TOP, "machine.csv", none));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_TOP, "metrics.csv", none));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_PLOTS, "gap.svg", none));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_PLOTS, "results.csv", none));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_VARIANT, "metrics.csv", none));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_VARIANT, "checkpoint-12.h5", none));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_VARIANT, "checkpoint-12.h5.tmp-1-22", none));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_VARIANT, "events.out.tfevents.edgefw", none));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_VARIANT, "events.out.tfevents.17.host", none));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_VARIANT, "checkpoint-best.h5", none));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_VARIANT, "best.h5", none));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_VARIANT, "best.h5.tmp-1-22", none));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_TOP, "best.h5", none));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_VARIANT, "notes.txt.tmp-1-2", none));
  assert_true(edgefw__run_file_is_temporary(EDGEFW__RUN_TOP, "results.json.tmp-7-0", none));
  assert_false(edgefw__run_file_is_temporary(EDGEFW__RUN_TOP, "results.json", none));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_TABLES, "with-dash-100.csv", two));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_TABLES, "plain-files.csv.tmp-1-2", two));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_TABLES, "plain-solutions.csv", two));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_TABLES, "plain-solutions2.csv", two));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_PLOTS, "tour-plain-tsplib-best.svg", two));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_PLOTS, "tour-with-dash-a_b-2-worst.csv", two));
  assert_true(edgefw__run_file_is_own(EDGEFW__RUN_PLOTS, "tour-plain-x-best.gp.tmp-1-2", two));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_PLOTS, "tour-plain-x-best.gp", none));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_PLOTS, "tour-plain-x-mean.gp", two));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_PLOTS, "tour-plain-best.gp", two));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_PLOTS, "tour-other-x-best.gp", two));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_TABLES, "plain-100.csv", none));
  assert_false(edgefw__run_file_is_own(EDGEFW__RUN_TABLES, "plain-notes.csv", two));
}

static edgefw_status variants_of(workspace *w, const char *text, const char *const **names,
                                 size_t *count) {
  edgefw__ini *ini = NULL;
  expect_ok(w->ctx, edgefw__ini_read_text(w->ctx, w->arena, text, "x.ini", &ini));
  return edgefw__layers_folders(ini, w->arena, names, count);
}

static void variants_have_names_of_folders(void **state) {
  workspace *w = *state;
  const char *const *names = NULL;
  size_t count = 0;
  expect_ok(w->ctx, variants_of(w, "[variant a]\n[variant b-2.x]\n", &names, &count));
  assert_int_equal(count, 2);
  assert_string_equal(names[1], "b-2.x");
  expect_ok(w->ctx, variants_of(w, "[backbone]\nname = radar\n", &names, &count));
  assert_int_equal(count, 1);
  assert_string_equal(names[0], "radar");
  expect_ok(w->ctx, variants_of(w, "[train]\nsize = 3\n", &names, &count));
  assert_int_equal(count, 0);
  static const char *const bad[] = {"[variant ../x]\n",          "[variant ..]\n",
                                    "[variant a/b]\n",           "[variant ]\n",
                                    "[backbone]\nname = ../x\n", "[backbone]\nname = /etc\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    expect_failure(w->ctx, variants_of(w, bad[i], &names, &count), EDGEFW_CONFIG, "a variant '");
}

static void make_files(workspace *w) {
  static const char *const names[] = {"config.ini",    "results.csv.tmp-1-0",
                                      "results.csv",   "run.lock",
                                      "a/metrics.csv", "a/mine.txt",
                                      "plots/gap.csv", "b/checkpoint-3.h5",
                                      "mine.tmp-1-0",  "b/checkpoint-4.h5.tmp-9-1"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) sandbox_write(&w->box, names[i], "x");
}

static const char *const variants[] = {"a", "b", "never-trained"};

static void tidying_removes_temporary_files(void **state) {
  workspace *w = *state;
  make_files(w);
  expect_ok(w->ctx, edgefw__run_files_apply(w->ctx, EDGEFW__RUN_TIDY, w->box.folder, variants, 3));
  assert_false(exists(w, "results.csv.tmp-1-0"));
  assert_false(exists(w, "b/checkpoint-4.h5.tmp-9-1"));
  assert_true(exists(w, "results.csv"));
  assert_true(exists(w, "b/checkpoint-3.h5"));
  assert_true(exists(w, "mine.tmp-1-0"));
}

static void clearing_leaves_config_lock_and_strangers(void **state) {
  workspace *w = *state;
  make_files(w);
  expect_ok(w->ctx, edgefw__run_files_apply(w->ctx, EDGEFW__RUN_CLEAR, w->box.folder, variants, 3));
  assert_true(exists(w, "config.ini"));
  assert_true(exists(w, "run.lock"));
  assert_false(exists(w, "results.csv"));
  assert_false(exists(w, "plots"));
  assert_false(exists(w, "b"));
  assert_false(exists(w, "a/metrics.csv"));
  assert_true(exists(w, "a/mine.txt"));
  assert_true(exists(w, "mine.tmp-1-0"));
}

/* Neither a file nor a folder of a run may be a link, and what it points to stays as it is. */
static void links_are_refused(void **state) {
  static const char *const names[] = {"run/results.csv", "run/log.txt",           "run/a",
                                      "run/plots",       "run/b/checkpoint-3.h5", "run/config.ini"};
  workspace *w = *state;
  sandbox_write(&w->box, "victim/metrics.csv", "mine");
  const char *folder = edgefw_arena_text(w->arena, sandbox_path(&w->box, "run"));
  const char *victim = edgefw_arena_text(w->arena, sandbox_path(&w->box, "victim"));
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    sandbox_link(&w->box, names[i], victim);
    expect_failure(w->ctx, edgefw__run_files_apply(w->ctx, EDGEFW__RUN_CHECK, folder, variants, 3),
                   EDGEFW_CONFIG, names[i], "symbolic link");
    assert_int_equal(unlink(sandbox_path(&w->box, names[i])), 0);
  }
  sandbox_link(&w->box, "run/a", victim);
  expect_failure(w->ctx, edgefw__run_files_apply(w->ctx, EDGEFW__RUN_CLEAR, folder, variants, 3),
                 EDGEFW_CONFIG, "symbolic link");
  assert_true(exists(w, "victim/metrics.csv"));
}

int main(void) {
#define FILES_TEST(name)                                                                           \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_names_are_known),
      FILES_TEST(variants_have_names_of_folders),
      FILES_TEST(tidying_removes_temporary_files),
      FILES_TEST(clearing_leaves_config_lock_and_strangers),
      FILES_TEST(links_are_refused),
  };
  return test_run(tests, NULL, NULL);
}
