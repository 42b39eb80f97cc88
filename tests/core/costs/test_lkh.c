/* LKH as a program: found, run, judged, and nothing left behind. A script stands in for it.
 * labels: oom */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "costs/lkh.h"
#include "support/fake_lkh.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"
#include "support/workspace.h"

enum { N = 5 };

static double cost[N * N];
static const double demand[N] = {0, 1, 1, 1, 1};
static edgefw__routing tour_problem = {.n = N, .cost = cost};
static edgefw__routing route_problem = {.n = N, .cost = cost, .demand = demand, .capacity = 2.0};

/* Temporary folders are made in the box, so that one that stays is seen. */
static int setup(void **state) {
  if (workspace_set_up(state) != 0) return -1;
  workspace *w = *state;
  for (int k = 0; k < N * N; ++k) cost[k] = k / 8.0;
  mkdir(sandbox_path(&w->box, "tmp"), 0700);
  return setenv("TMPDIR", sandbox_path(&w->box, "tmp"), 1);
}

static edgefw_status solve(workspace *w, fake_lkh_mode mode, const edgefw__routing *routing,
                           int32_t *tour) {
  const edgefw__lkh lkh = {.program = fake_lkh_write(&w->box, "LKH", mode),
                           .parameters = {.runs = 1, .seed = 1},
                           .scale = 8.0,
                           .kill_after = mode == FAKE_LKH_HANGING ? 0.2 : 60.0};
  const edgefw_status status = edgefw__lkh_solve(w->ctx, &lkh, routing, tour);
  assert_int_equal(io_count_entries(sandbox_path(&w->box, "tmp")), 0);
  return status;
}

static void tours_come_back(void **state) {
  workspace *w = *state;
  static const int32_t plain[] = {0, 1, 2, 3, 4}, routes[2 * N] = {0, 1, 2, 0, 3, 4};
  int32_t tour[2 * N];
  assert_ok(w->ctx, solve(w, FAKE_LKH_GOOD, &tour_problem, tour));
  assert_memory_equal(tour, plain, sizeof plain);
  assert_ok(w->ctx, solve(w, FAKE_LKH_GOOD, &route_problem, tour));
  assert_memory_equal(tour, routes, sizeof routes);
  assert_int_equal(fake_lkh_calls(&w->box), 2);
}

static void failures_are_told_apart(void **state) {
  workspace *w = *state;
  int32_t tour[2 * N];
  assert_fails(w->ctx, solve(w, FAKE_LKH_FAILING, &tour_problem, tour), EDGEFW_IO,
               "LKH ended with status 1; it said: cannot go on");
  assert_fails(w->ctx, solve(w, FAKE_LKH_CRASHING, &tour_problem, tour), EDGEFW_IO,
               "LKH crashed: signal 11 ended it");
  assert_fails(w->ctx, solve(w, FAKE_LKH_HANGING, &tour_problem, tour), EDGEFW_IO,
               "was killed after 0.2 seconds");
  assert_fails(w->ctx, solve(w, FAKE_LKH_SILENT, &tour_problem, tour), EDGEFW_FORMAT,
               "LKH found no feasible tour");
  assert_fails(w->ctx, solve(w, FAKE_LKH_GARBAGE, &tour_problem, tour), EDGEFW_FORMAT,
               "the tour visits node 1 twice (the tour that ");
  const volatile int flag = 1;
  edgefw_set_interrupt(w->ctx, &flag);
  assert_fails(w->ctx, solve(w, FAKE_LKH_GOOD, &tour_problem, tour), EDGEFW_INTERRUPTED,
               "interrupted");
}

static void a_program_that_is_none_is_reported(void **state) {
  workspace *w = *state;
  int32_t tour[N];
  const edgefw__lkh lkh = {.program = "/none/LKH", .parameters = {.runs = 1}, .scale = 1.0};
  const edgefw_status status = edgefw__lkh_solve(w->ctx, &lkh, &tour_problem, tour);
  assert_fails(w->ctx, status, EDGEFW_IO, "/none/LKH");
  assert_int_equal(io_count_entries(sandbox_path(&w->box, "tmp")), 0);
}

static void the_executable_is_found(void **state) {
  workspace *w = *state;
  const char *found = NULL;
  char *path = edgefw_arena_text(w->arena, getenv("PATH"));
  char *bin = edgefw_arena_text(w->arena, sandbox_path(&w->box, "bin"));
  setenv("PATH", edgefw_arena_format(w->arena, "/none:%s", bin), 1);
  assert_fails(w->ctx, edgefw__lkh_find(w->ctx, w->arena, NULL, &found), EDGEFW_CONFIG,
               "neither LKH nor lkh is in PATH");
  assert_fails(w->ctx, edgefw__lkh_find(w->ctx, w->arena, "LKH-3", &found), EDGEFW_CONFIG,
               "LKH-3 is no executable file");
  sandbox_write(&w->box, "bin/LKH", "not executable");
  fake_lkh_write(&w->box, "bin/lkh", FAKE_LKH_GOOD);
  assert_ok(w->ctx, edgefw__lkh_find(w->ctx, w->arena, NULL, &found));
  assert_string_equal(found, sandbox_path(&w->box, "bin/lkh"));
  fake_lkh_write(&w->box, "bin/LKH", FAKE_LKH_GOOD);
  assert_ok(w->ctx, edgefw__lkh_find(w->ctx, w->arena, NULL, &found));
  assert_string_equal(found, sandbox_path(&w->box, "bin/LKH"));
  assert_ok(w->ctx, edgefw__lkh_find(w->ctx, w->arena, "lkh", &found));
  assert_string_equal(found, sandbox_path(&w->box, "bin/lkh"));
  assert_ok(w->ctx, edgefw__lkh_find(w->ctx, w->arena, sandbox_path(&w->box, "bin/lkh"), &found));
  assert_fails(w->ctx, edgefw__lkh_find(w->ctx, w->arena, bin, &found), EDGEFW_CONFIG,
               "is no executable file"); /* a folder */
  setenv("PATH", path, 1);
}

static void settings_are_one_line(void **state) {
  (void)state;
  char text[256];
  edgefw__lkh lkh = {.parameters = {.runs = 1, .seed = 1}, .scale = 1e6, .keep_whole = true};
  assert_string_equal(edgefw__lkh_settings(&lkh, text, sizeof text),
                      "RUNS = 1, SEED = 1, costs times 1000000 unless they are whole");
  lkh = (edgefw__lkh){.parameters = {3, 100, 2.5, 1}, .scale = 0.5};
  assert_string_equal(edgefw__lkh_settings(&lkh, text, sizeof text),
                      "RUNS = 3, MAX_TRIALS = 100, TIME_LIMIT = 2.5, SEED = 1, costs times 0.5");
}

typedef struct solving {
  const workspace *w;
  const char *program;
} solving;

static edgefw_status solve_once(edgefw_context *ctx, void *user) {
  const solving *s = user;
  int32_t tour[2 * N];
  const edgefw__lkh lkh = {
      .program = s->program, .parameters = {.runs = 1}, .scale = 8.0, .kill_after = 60.0};
  const edgefw_status status = edgefw__lkh_solve(ctx, &lkh, &route_problem, tour);
  assert_int_equal(io_count_entries(sandbox_path(&s->w->box, "tmp")), 0);
  return status;
}

static void running_out_of_memory_leaves_nothing(void **state) {
  workspace *w = *state;
  solving s = {w, fake_lkh_write(&w->box, "LKH", FAKE_LKH_GOOD)};
  out_of_memory_sweep(solve_once, &s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(tours_come_back, setup, workspace_tear_down),
      cmocka_unit_test_setup_teardown(failures_are_told_apart, setup, workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_program_that_is_none_is_reported, setup,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(the_executable_is_found, setup, workspace_tear_down),
      cmocka_unit_test_setup_teardown(settings_are_one_line, setup, workspace_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaves_nothing, setup,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
