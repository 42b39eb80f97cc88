/* Folders to look in: their order, and that each is there once. */
#include "support/test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/search_path.h"
#include "support/io_support.h"
#include "support/workspace.h"

static void folders_stay_in_their_order(void **state) {
  workspace *f = *state;
  edgefw__search_path path = {0};
  assert_ok(f->ctx, edgefw__search_path_add(f->ctx, f->arena, "b", &path));
  assert_ok(f->ctx, edgefw__search_path_add_list(f->ctx, f->arena, "none/d:::none/a:", &path));
  assert_ok(f->ctx, edgefw__search_path_add_list(f->ctx, f->arena, NULL, &path));
  assert_ok(f->ctx, edgefw__search_path_add_list(f->ctx, f->arena, "", &path));
  assert_int_equal(path.count, 3);
  assert_string_equal(path.folders[0], "b");
  assert_string_equal(path.folders[1], "none/d");
  assert_string_equal(path.folders[2], "none/a");
}

/* More than there is room for at first. */
static void there_may_be_many(void **state) {
  workspace *f = *state;
  edgefw__search_path path = {0};
  char name[32];
  for (int i = 0; i < 40; ++i) {
    snprintf(name, sizeof name, "none/%d", i);
    assert_ok(f->ctx, edgefw__search_path_add(f->ctx, f->arena, name, &path));
  }
  assert_int_equal(path.count, 40);
  assert_string_equal(path.folders[7], "none/7");
  assert_string_equal(path.folders[39], "none/39");
}

static void a_folder_counts_once(void **state) {
  workspace *f = *state;
  edgefw__search_path path = {0};
  char real[512], link[512], list[2048];
  io_path(real, f->box.folder, "real");
  io_path(link, f->box.folder, "link");
  assert_int_equal(mkdir(real, 0700), 0);
  assert_int_equal(symlink(real, link), 0);
  snprintf(list, sizeof list, "%s:%s:%s/.", link, real, real);
  assert_ok(f->ctx, edgefw__search_path_add_list(f->ctx, f->arena, list, &path));
  assert_int_equal(path.count, 1);
  assert_string_equal(path.folders[0], link);
}

/* The folder of this test's program, and the one that this lies in. */
static void the_program_has_two_places(void **state) {
  workspace *f = *state;
  edgefw__search_path path = {0};
  assert_ok(f->ctx, edgefw__search_path_add_program(f->ctx, f->arena, "share/none", &path));
  assert_int_equal(path.count, 2);
  assert_string_equal(path.folders[0], EDGEFW_BUILD_DIR "/tests/core/base/share/none");
  assert_string_equal(path.folders[1], EDGEFW_BUILD_DIR "/tests/core/base/../share/none");
}

/* Tests are linked with the library of the build tree. */
static void the_library_has_places(void **state) {
  workspace *f = *state;
  static const char *const places[] = {"none", "../none", NULL};
  edgefw__search_path path = {0};
  char real[PATH_MAX];
  assert_ok(f->ctx, edgefw__search_path_add_library(f->ctx, f->arena, places, &path));
  assert_int_equal(path.count, 2);
  char *end = strrchr(path.folders[0], '/');
  assert_string_equal(end, "/none");
  char *library = strdup(path.folders[0]);
  library[end - path.folders[0]] = '\0';
  assert_non_null(realpath(library, real));
  assert_string_equal(strrchr(real, '/'), "/lib");
  free(library);
}

#define PATH_TEST(name) cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      PATH_TEST(folders_stay_in_their_order), PATH_TEST(there_may_be_many),
      PATH_TEST(a_folder_counts_once),        PATH_TEST(the_program_has_two_places),
      PATH_TEST(the_library_has_places),
  };
  return test_run(tests, NULL, NULL);
}
