/* Paths and folders. */
#include "support/test.h"

#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "support/workspace.h"
#include "support/io_support.h"

static void parts_of_a_path(void **state) {
  workspace *f = *state;
  assert_string_equal(edgefw__path_join(f->arena, "a", "b"), "a/b");
  assert_string_equal(edgefw__path_join(f->arena, "a/", "b"), "a/b");
  assert_string_equal(edgefw__path_join(f->arena, "", "b"), "b");
  assert_string_equal(edgefw__path_join(f->arena, "a", "/b"), "/b");
  assert_string_equal(edgefw__path_folder(f->arena, "a/b/c.x"), "a/b");
  assert_string_equal(edgefw__path_folder(f->arena, "c.x"), ".");
  assert_string_equal(edgefw__path_folder(f->arena, "/c"), "/");
  assert_string_equal(edgefw__path_base("a/b/c.x"), "c.x");
  assert_string_equal(edgefw__path_base("c"), "c");
  assert_string_equal(edgefw__path_stem(f->arena, "a.b/c.x.y"), "c.x");
  assert_string_equal(edgefw__path_stem(f->arena, "a.b/.x"), ".x");
  assert_string_equal(edgefw__path_stem(f->arena, "a.b/c"), "c");
}

static void folders_are_made_with_their_parents(void **state) {
  workspace *f = *state;
  char path[512];
  io_path(path, f->box.folder, "a/b//c/");
  assert_ok(f->ctx, edgefw__make_folders(f->ctx, path));
  assert_int_equal(access(path, W_OK), 0);
  assert_ok(f->ctx, edgefw__make_folders(f->ctx, path)); /* again: nothing to do */
  edgefw__sync_folder_of(path);
  edgefw__sync_folder_of("/nowhere/at/all");
}

static void what_is_in_the_way_is_named(void **state) {
  workspace *f = *state;
  char file[512], below[512];
  io_write(io_path(file, f->box.folder, "file"), "x", 1);
  io_path(below, f->box.folder, "file/sub");
  assert_fails(f->ctx, edgefw__make_folders(f->ctx, below), EDGEFW_IO, "in the way");
  assert_fails(f->ctx, edgefw__make_folders(f->ctx, ""), EDGEFW_IO, "empty");
  char *longest = edgefw_arena_take(f->arena, 100000, 1);
  memset(longest, 'x', 99999);
  assert_int_equal(edgefw__make_folders(f->ctx, longest), EDGEFW_IO);
  edgefw_clear(f->ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_of_a_path),
      cmocka_unit_test(folders_are_made_with_their_parents),
      cmocka_unit_test(what_is_in_the_way_is_named),
  };
  return test_run(tests, workspace_set_up, workspace_tear_down);
}
