/* Files that grow: what is there stays where it is a beginning, and goes where it is none. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/growing_file.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/io_support.h"
#include "support/workspace.h"

static const char bytes[] = "one\0two three";

/* The file becomes the first `length` of `bytes`. Returns whether it was written. */
static bool set(workspace *w, size_t length) {
  bool changed = false;
  const char *path = sandbox_path(&w->box, "f");
  expect_ok(w->ctx, edgefw__growing_file_set(w->ctx, path, bytes, length, &changed));
  size_t found = 0;
  char *content = io_read(sandbox_path(&w->box, "f"), &found);
  assert_int_equal(found, length);
  assert_memory_equal(content, bytes, length);
  free(content);
  return changed;
}

static ino_t file_number(const workspace *w) {
  struct stat information;
  assert_int_equal(lstat(sandbox_path(&w->box, "f"), &information), 0);
  assert_true(S_ISREG(information.st_mode));
  return information.st_ino;
}

static void a_beginning_is_added_to(void **state) {
  workspace *w = *state;
  assert_true(set(w, 3));
  const ino_t first = file_number(w);
  assert_true(set(w, 9));
  assert_true(set(w, 13));
  assert_false(set(w, 13));
  assert_true(file_number(w) == first); /* whoever has it open sees all of it */
}

static void anything_else_is_replaced(void **state) {
  workspace *w = *state;
  assert_true(set(w, 13));
  const char *kept = edgefw_arena_text(w->arena, sandbox_path(&w->box, "kept"));
  assert_int_equal(link(sandbox_path(&w->box, "f"), kept), 0); /* its number is not given again */
  const ino_t first = file_number(w);
  assert_true(set(w, 9)); /* what is too much goes */
  assert_true(file_number(w) != first);
  sandbox_write(&w->box, "f", "ore");
  assert_true(set(w, 13));
}

static void links_are_not_followed(void **state) {
  workspace *w = *state;
  const char *victim = edgefw_arena_text(w->arena, sandbox_write(&w->box, "victim", "one"));
  sandbox_link(&w->box, "f", victim);
  assert_true(set(w, 9));
  char *content = cli_read(&w->box, "victim");
  assert_string_equal(content, "one");
  free(content);
}

static void failures_name_the_file(void **state) {
  workspace *w = *state;
  bool changed = false;
  expect_failure(w->ctx, edgefw__growing_file_set(w->ctx, "/nowhere/at/all/f", bytes, 3, &changed),
                 EDGEFW_IO, "/nowhere/at/all/f");
}

int main(void) {
#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      FILE_TEST(a_beginning_is_added_to),
      FILE_TEST(anything_else_is_replaced),
      FILE_TEST(links_are_not_followed),
      FILE_TEST(failures_name_the_file),
  };
  return test_run(tests, NULL, NULL);
}
