/* Library files by name or by folder. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "files/library_files.h"
#include "support/expect.h"
#include "support/workspace.h"

static void a_folder_stands_for_its_files(void **state) {
  workspace *w = *state;
  edgefw__library_files files = {0};
  sandbox_write(&w->box, "set/b.vrp", "");
  sandbox_write(&w->box, "set/a.tsp", "");
  sandbox_write(&w->box, "set/c.atsp", "");
  sandbox_write(&w->box, "set/c.sol", "");
  sandbox_write(&w->box, "set/tsp", "");
  char folder[512];
  snprintf(folder, sizeof folder, "%s/set", w->box.folder);
  expect_ok(w->ctx, edgefw__library_files_add(w->ctx, w->arena, folder, &files));
  assert_int_equal(files.count, 3);
  assert_non_null(strstr(files.paths[0], "/set/a.tsp"));
  assert_non_null(strstr(files.paths[1], "/set/b.vrp"));
  assert_non_null(strstr(files.paths[2], "/set/c.atsp"));
  expect_ok(w->ctx, edgefw__library_files_add(w->ctx, w->arena, "more.tsp", &files));
  assert_int_equal(files.count, 4);
  assert_non_null(strstr(files.paths[0], "/set/a.tsp"));
  assert_string_equal(files.paths[3], "more.tsp");
}

/* Upper case and packed files are found as well. */
static void extensions_have_no_case(void **state) {
  workspace *w = *state;
  edgefw__library_files files = {0};
  static const char *const found[] = {"A.TSP", "B.ATSP.GZ", "c.Vrp", "d.tsp.gz"};
  static const char *const passed_over[] = {"e.gz", "f.sol.gz", "g.tspx", ".tsp", ".vrp.gz"};
  char name[64], folder[512];
  for (size_t i = 0; i < sizeof found / sizeof *found; ++i) {
    snprintf(name, sizeof name, "set/%s", found[i]);
    sandbox_write(&w->box, name, "");
  }
  for (size_t i = 0; i < sizeof passed_over / sizeof *passed_over; ++i) {
    snprintf(name, sizeof name, "set/%s", passed_over[i]);
    sandbox_write(&w->box, name, "");
  }
  snprintf(folder, sizeof folder, "%s/set", w->box.folder);
  expect_ok(w->ctx, edgefw__library_files_add(w->ctx, w->arena, folder, &files));
  assert_int_equal(files.count, 4);
  for (int i = 0; i < 4; ++i) assert_string_equal(strrchr(files.paths[i], '/') + 1, found[i]);
}

static void a_file_is_itself(void **state) {
  workspace *w = *state;
  edgefw__library_files files = {0};
  expect_ok(w->ctx, edgefw__library_files_add(w->ctx, w->arena, "no/such.tsp", &files));
  assert_int_equal(files.count, 1);
  assert_string_equal(files.paths[0], "no/such.tsp");
}

static void an_empty_folder_is_refused(void **state) {
  workspace *w = *state;
  edgefw__library_files files = {0};
  sandbox_write(&w->box, "none/readme.txt", "");
  char folder[512];
  snprintf(folder, sizeof folder, "%s/none", w->box.folder);
  expect_failure(w->ctx, edgefw__library_files_add(w->ctx, w->arena, folder, &files), EDGEFW_CONFIG,
                 "none", ".atsp, .tsp or .vrp files", "holds no");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_folder_stands_for_its_files, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(extensions_have_no_case, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_file_is_itself, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(an_empty_folder_is_refused, workspace_set_up,
                                      workspace_tear_down)};
  return test_run(tests, NULL, NULL);
}
