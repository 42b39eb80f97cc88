/* Reference costs: priced by the checker, kept in a file, and gone on with.
 * labels: threads */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/reference_file.h"
#include "costs/reference_costs.h"
#include "support/fake_lkh.h"
#include "support/io_support.h"
#include "support/workspace.h"

enum { COUNT = 7 };

static const edgefw_field fields[] = {
    {.name = "cost", .shape = EDGEFW_FIELD_PAIR, .storage = EDGEFW_STORE_FLOAT}, {.name = NULL}};

/* The price is the instance's number and the tour's first two nodes: 100 id + 10 t0 + t1. */
static edgefw_status check(edgefw_context *ctx, const edgefw_options *options,
                           const edgefw_instance *instance, const int32_t *tour, int64_t count,
                           double *cost) {
  (void)options;
  if (count != instance->n) return edgefw_fail(ctx, EDGEFW_CHECK_FAILED, "no tour");
  *cost = 100.0 * (double)instance->id + 10 * tour[0] + tour[1];
  return EDGEFW_OK;
}

static const edgefw_problem problem = {.size = sizeof problem,
                                       .fields = fields,
                                       .objective = "cost",
                                       .start = EDGEFW_START_EACH_NODE,
                                       .closing = EDGEFW_CLOSE_AT_START,
                                       .check = check};

static edgefw_status load(void *user, int64_t first, int64_t count, edgefw__batch *out) {
  (void)user;
  for (int64_t b = 0; b < count; ++b) out->ids[b] = (uint64_t)(first + b);
  for (int64_t k = 0; k < count * out->n * out->n; ++k) out->data[0][k] = (double)k;
  out->count = count;
  return EDGEFW_OK;
}

typedef struct fixture {
  workspace *w;
  edgefw__reference_request request;
  double cost[COUNT];
  int64_t solved;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (!f || workspace_set_up((void **)&f->w) != 0) return -1;
  mkdir(sandbox_path(&f->w->box, "tmp"), 0700);
  setenv("TMPDIR", sandbox_path(&f->w->box, "tmp"), 1);
  edgefw_set_threads(f->w->ctx, 1);
  f->request = (edgefw__reference_request){
      .problem_name = "toy",
      .problem = &problem,
      .n = 4,
      .count = COUNT,
      .load = load,
      .path = edgefw_arena_text(f->w->arena, sandbox_path(&f->w->box, "costs.csv")),
      .set = "problem = toy;\nnodes = 4",
      .lkh = {.parameters = {.runs = 1, .seed = 1}, .scale = 1.0, .kill_after = 60.0}};
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  void *w = f->w;
  free(f);
  return workspace_tear_down(&w);
}

static edgefw_status run(fixture *f, fake_lkh_mode mode) {
  f->request.lkh.program = edgefw_arena_text(f->w->arena, fake_lkh_write(&f->w->box, "LKH", mode));
  const edgefw_status status = edgefw__reference_costs(f->w->ctx, &f->request, f->cost, &f->solved);
  assert_int_equal(io_count_entries(sandbox_path(&f->w->box, "tmp")), 0);
  return status;
}

static void expect_file(fixture *f, const char *rows) {
  size_t length = 0;
  char expected[512], *text = io_read(f->request.path, &length);
  snprintf(expected, sizeof expected,
           "# set: problem = toy;_nodes = 4\n# costs: best found\n"
           "# solver: LKH, tours priced by the problem toy\n"
           "# settings: RUNS = 1, SEED = 1, costs times 1\ninstance,cost\n%s",
           rows);
  assert_string_equal(text, expected);
  free(text);
}

static void costs_are_the_checkers(void **state) {
  fixture *f = *state;
  for (int threads = 1; threads <= 3; ++threads) {
    edgefw_set_threads(f->w->ctx, threads);
    unlink(f->request.path);
    assert_ok(f->w->ctx, run(f, FAKE_LKH_GOOD));
    for (int i = 0; i < COUNT; ++i) assert_true(f->cost[i] == 100.0 * i + 1.0);
    assert_int_equal(f->solved, COUNT);
    expect_file(f, "0,1\n1,101\n2,201\n3,301\n4,401\n5,501\n6,601\n");
  }
}

static void what_is_known_is_not_solved_again(void **state) {
  fixture *f = *state;
  assert_fails(f->w->ctx, run(f, FAKE_LKH_THIRD_FAILS), EDGEFW_IO,
               "ended with status 1 (instance 2)");
  assert_int_equal(f->solved, 2);
  expect_file(f, "0,1\n1,101\n");
  assert_ok(f->w->ctx, run(f, FAKE_LKH_GOOD));
  assert_int_equal(f->solved, COUNT - 2);
  assert_int_equal(fake_lkh_calls(&f->w->box), 3 + COUNT - 2);
  expect_file(f, "0,1\n1,101\n2,201\n3,301\n4,401\n5,501\n6,601\n");
  assert_ok(f->w->ctx, run(f, FAKE_LKH_CRASHING)); /* is not called */
  assert_int_equal(f->solved, 0);
  f->request.count = 3;
  assert_ok(f->w->ctx, run(f, FAKE_LKH_CRASHING));
  assert_true(f->cost[2] == 201.0);
}

static void other_settings_are_refused(void **state) {
  fixture *f = *state;
  assert_ok(f->w->ctx, run(f, FAKE_LKH_GOOD));
  f->request.lkh.parameters.runs = 2;
  assert_fails(f->w->ctx, run(f, FAKE_LKH_GOOD), EDGEFW_MISMATCH, "with other settings");
  f->request.lkh.parameters.runs = 1;
  f->request.set = "problem = toy; nodes = 5";
  assert_fails(f->w->ctx, run(f, FAKE_LKH_GOOD), EDGEFW_MISMATCH, "costs of other instances");
}

static void an_interruption_keeps_what_there_is(void **state) {
  fixture *f = *state;
  const volatile int flag = 1;
  edgefw_set_interrupt(f->w->ctx, &flag);
  assert_fails(f->w->ctx, run(f, FAKE_LKH_GOOD), EDGEFW_INTERRUPTED, "interrupted");
  assert_int_equal(access(f->request.path, F_OK), -1);
}

static void tiny_instances_need_no_solver(void **state) {
  fixture *f = *state;
  f->request.n = 3;
  assert_ok(f->w->ctx, run(f, FAKE_LKH_CRASHING));
  assert_int_equal(fake_lkh_calls(&f->w->box), 0);
  assert_true(f->cost[1] == 101.0 || f->cost[1] == 102.0);
  edgefw__reference_head head;
  assert_ok(f->w->ctx, edgefw__reference_file_head(f->w->ctx, f->w->arena, f->request.path, &head));
  assert_int_equal(head.kind, EDGEFW__REFERENCE_OPTIMUM);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(costs_are_the_checkers, setup, teardown),
      cmocka_unit_test_setup_teardown(what_is_known_is_not_solved_again, setup, teardown),
      cmocka_unit_test_setup_teardown(other_settings_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(an_interruption_keeps_what_there_is, setup, teardown),
      cmocka_unit_test_setup_teardown(tiny_instances_need_no_solver, setup, teardown),
  };
  return test_run(tests, NULL, NULL);
}
