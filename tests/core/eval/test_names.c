/* Sets of one name are told apart by as much of their paths as it takes. */
#include "support/test.h"

#include "eval/names.h"
#include "support/expect.h"
#include "support/workspace.h"

enum { MOST = 8 };

/* Files of these paths, all called "hand", and the names that they get. */
static void expect_names(workspace *w, const char *const *paths, const char *const *names) {
  edgefw__instance_set sets[MOST] = {{0}}, *pointers[MOST] = {NULL};
  int count = 0;
  for (; names[count]; ++count) {
    sets[count] = (edgefw__instance_set){.name = "hand", .file = paths[count]};
    pointers[count] = &sets[count];
  }
  expect_ok(w->ctx, edgefw__names_tell_apart(w->ctx, w->arena, pointers, count));
  for (int s = 0; s < count; ++s) assert_string_equal(sets[s].name, names[s]);
}

static void base_names_do_where_they_differ(void **state) {
  expect_names(*state, (const char *const[]){"x/a.tsp", "x/b.tsp"},
               (const char *const[]){"hand (a.tsp)", "hand (b.tsp)", NULL});
}

static void folders_join_where_base_names_are_the_same(void **state) {
  expect_names(*state, (const char *const[]){"r/x/a.tsp", "r/y/a.tsp", "r/y/b.tsp"},
               (const char *const[]){"hand (x/a.tsp)", "hand (y/a.tsp)", "hand (b.tsp)", NULL});
  expect_names(*state, (const char *const[]){"a.tsp", "y/a.tsp"},
               (const char *const[]){"hand (a.tsp)", "hand (y/a.tsp)", NULL});
}

static void one_path_is_one_name(void **state) {
  expect_names(*state, (const char *const[]){"x/a.tsp", "x/a.tsp"},
               (const char *const[]){"hand", "hand", NULL});
  expect_names(*state, (const char *const[]){"/a.tsp"}, (const char *const[]){"hand", NULL});
}

static void generated_sets_keep_their_names(void **state) {
  workspace *w = *state;
  edgefw__instance_set size = {.name = "20"}, file = {.name = "20", .file = "x/t.tsp"},
                       dataset = {.name = "20", .dataset = "x/20.h5"}, other = {.name = "30"};
  edgefw__instance_set *sets[] = {&size, &file, &dataset, &other};
  expect_ok(w->ctx, edgefw__names_tell_apart(w->ctx, w->arena, sets, 4));
  assert_string_equal(size.name, "20");
  assert_string_equal(file.name, "20 (t.tsp)");
  assert_string_equal(dataset.name, "20 (20.h5)");
  assert_string_equal(other.name, "30");
}

static void ends_of_paths(void **state) {
  (void)state;
  assert_string_equal(edgefw__names_path_end("a/b/c.x", 1), "c.x");
  assert_string_equal(edgefw__names_path_end("a/b/c.x", 2), "b/c.x");
  assert_string_equal(edgefw__names_path_end("a/b/c.x", 3), "a/b/c.x");
  assert_string_equal(edgefw__names_path_end("a/b/c.x", 9), "a/b/c.x");
  assert_string_equal(edgefw__names_path_end("", 1), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(base_names_do_where_they_differ, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(folders_join_where_base_names_are_the_same, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(one_path_is_one_name, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(generated_sets_keep_their_names, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test(ends_of_paths),
  };
  return test_run(tests, NULL, NULL);
}
