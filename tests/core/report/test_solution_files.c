/* Where solutions go, and what is in the files. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/solution_files.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/workspace.h"

enum { MOST = 4 };

static const edgefw_problem closed = {.solution = EDGEFW_SOLUTION_TOUR},
                            routes = {.solution = EDGEFW_SOLUTION_ROUTES};
static const int32_t tour[] = {0, 2, 1}, trips[] = {0, 2, 0, 1};

/* Inputs of these paths; those that end in .h5 are datasets of two instances. */
typedef struct inputs {
  edgefw__input items[MOST];
  edgefw__inputs list;
} inputs;

static void fill(inputs *in, const char *const *paths) {
  *in = (inputs){.list = {in->items, 0}};
  for (; *paths; ++paths) {
    const bool dataset = strstr(*paths, ".h5") != NULL;
    edgefw__input *input = &in->items[in->list.count++];
    *input = (edgefw__input){.path = *paths,
                             .set = {.name = "hand", .n = 3, .size = 3, .count = dataset ? 2 : 1}};
    *(dataset ? &input->set.dataset : &input->set.file) = *paths;
  }
}

/* Plan and write the last instance of each input. */
static edgefw_status write_all(workspace *w, const edgefw_problem *problem, const char *target,
                               const char *const *paths) {
  inputs in;
  edgefw__solution_files files;
  fill(&in, paths);
  edgefw_status status =
      edgefw__solution_files_plan(w->ctx, w->arena, target, problem, &in.list, &files);
  const bool depot = problem == &routes;
  for (int64_t i = 0; status == EDGEFW_OK && i < in.list.count; ++i)
    status =
        edgefw__solution_files_write(w->ctx, w->arena, &files, &in.items[i],
                                     &(edgefw__eval_answer){.instance = in.items[i].set.count - 1,
                                                            .tour = depot ? trips : tour,
                                                            .count = depot ? 4 : 3,
                                                            .cost = 45});
  return status;
}

static void expect_file(workspace *w, const char *name, const char *part) {
  char *text = cli_read(&w->box, name);
  if (!text) fail_msg("there is no %s", name);
  if (!strstr(text, part)) fail_msg("no '%s' in %s:\n%s", part, name, text);
  free(text);
}

static const char *in_box(workspace *w, const char *name) {
  return edgefw_arena_text(w->arena, sandbox_path(&w->box, name));
}

static void nothing_asked_for_nothing_written(void **state) {
  workspace *w = *state;
  expect_ok(w->ctx, write_all(w, &closed, NULL, (const char *const[]){"a.tsp", "b.tsp", NULL}));
}

static void one_instance_goes_into_the_file(void **state) {
  workspace *w = *state;
  expect_ok(w->ctx,
            write_all(w, &closed, in_box(w, "x.out"), (const char *const[]){"a.tsp", NULL}));
  expect_file(w, "x.out", "NAME : hand.tour\nCOMMENT : cost 45\n");
  expect_file(w, "x.out", "TOUR_SECTION\n1\n3\n2\n-1\n");
  /* A file of that name is replaced. */
  expect_ok(w->ctx,
            write_all(w, &routes, in_box(w, "x.out"), (const char *const[]){"a.vrp", NULL}));
  expect_file(w, "x.out", "Route #1: 2\nRoute #2: 1\nCost 45\n");
}

static void one_instance_may_go_into_a_folder(void **state) {
  workspace *w = *state;
  expect_ok(w->ctx,
            write_all(w, &closed, in_box(w, "new/"), (const char *const[]){"x/a.tsp", NULL}));
  expect_file(w, "new/a.tour", "TOUR_SECTION\n1\n");
  expect_ok(w->ctx, write_all(w, &routes, in_box(w, "new"), (const char *const[]){"b.vrp", NULL}));
  expect_file(w, "new/b.sol", "Cost 45\n");
}

static void several_go_into_a_folder_that_is_made(void **state) {
  workspace *w = *state;
  expect_ok(w->ctx, write_all(w, &closed, in_box(w, "deep/out"),
                              (const char *const[]){"x/a.tsp", "b.atsp.gz", "y/mine.h5", NULL}));
  expect_file(w, "deep/out/a.tour", "NAME : hand.tour\n");
  expect_file(w, "deep/out/b.tour", "TOUR_SECTION\n1\n");
  expect_file(w, "deep/out/mine/1.tour", "NAME : hand-1.tour\n");
}

static void doubled_names_are_told_apart(void **state) {
  workspace *w = *state;
  expect_ok(w->ctx,
            write_all(w, &closed, in_box(w, "out"),
                      (const char *const[]){"x/a.tsp", "y/a.tsp", "y/b.tsp", "y/b.atsp", NULL}));
  expect_file(w, "out/x_a.tour", "TOUR_SECTION\n1\n");
  expect_file(w, "out/y_a.tour", "TOUR_SECTION\n1\n");
  expect_file(w, "out/b.tsp.tour", "TOUR_SECTION\n1\n");
  expect_file(w, "out/b.atsp.tour", "TOUR_SECTION\n1\n");
}

static void what_would_be_overwritten_is_refused(void **state) {
  workspace *w = *state;
  const char *file = edgefw_arena_text(w->arena, sandbox_write(&w->box, "file", "mine\n"));
  expect_failure(w->ctx, write_all(w, &closed, file, (const char *const[]){"a.tsp", "b.tsp", NULL}),
                 EDGEFW_CONFIG, "file is a file; the solutions of 2 instances need a folder");
  expect_file(w, "file", "mine\n");
  expect_failure(w->ctx, write_all(w, &closed, file, (const char *const[]){"a.h5", NULL}),
                 EDGEFW_CONFIG, "2 instances need a folder");
  expect_failure(
      w->ctx,
      write_all(w, &closed, in_box(w, "twice"), (const char *const[]){"x/a.tsp", "x/a.tsp", NULL}),
      EDGEFW_CONFIG, "x/a.tsp", "give each input once");
  assert_int_not_equal(access(in_box(w, "twice"), F_OK), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      TEST(nothing_asked_for_nothing_written), TEST(one_instance_goes_into_the_file),
      TEST(one_instance_may_go_into_a_folder), TEST(several_go_into_a_folder_that_is_made),
      TEST(doubled_names_are_told_apart),      TEST(what_would_be_overwritten_is_refused),
  };
  return test_run(tests, NULL, NULL);
}
