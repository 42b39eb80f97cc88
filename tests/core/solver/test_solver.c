/* Solving for applications: right answers, in any thread, stopped or not.
 * labels: threads oom
 * needs plugins: atsp radar nearest */
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/out_of_memory.h"
#include "support/solver_case.h"

enum { N = 8, COUNT = 5, THREADS = 24 };

static edgefw_instances instances_of(const double *costs) {
  return (edgefw_instances){
      .size = sizeof(edgefw_instances), .count = COUNT, .nodes = N, .costs = costs};
}

/* The tour visits every node once from `first`, and costs what it says. */
static void expect_tour(const double *costs, int first, const edgefw_solution *s) {
  bool seen[N] = {false};
  double cost = 0.0;
  assert_int_equal(s->count, N);
  assert_int_equal(s->nodes[0], first);
  for (int t = 0; t < N; ++t) {
    assert_in_range(s->nodes[t], 0, N - 1);
    assert_false(seen[s->nodes[t]]);
    seen[s->nodes[t]] = true;
    cost += costs[s->nodes[t] * N + s->nodes[(t + 1) % N]];
  }
  check_close(s->cost, cost, 1e-9, 0.0, "cost");
}

static void every_instance_has_a_tour(void **state) {
  const solver_case *c = *state;
  double *costs = solver_case_costs(COUNT, N, 1);
  edgefw_instances instances = instances_of(costs);
  edgefw_solutions *s = NULL;
  int64_t stride = 0;
  instances.depot = 3;
  solver_case_ok(c->ctx, edgefw_solver_solve(c->solver, &instances, NULL, &s));
  assert_int_equal(edgefw_solutions_count(s), COUNT);
  assert_false(edgefw_solutions_stopped(s));
  assert_true(edgefw_solutions_seconds(s) > 0.0);
  for (int64_t b = 0; b < COUNT; ++b) {
    edgefw_solution one = {.size = sizeof one};
    assert_int_equal(edgefw_solutions_get(s, b, &one), EDGEFW_OK);
    expect_tour(costs + b * N * N, 3, &one);
    assert_true(isnan(one.bound));
    assert_true(strcmp(one.maker, "policy") == 0 || strcmp(one.maker, "nearest") == 0);
    check_close(edgefw_solutions_costs(s)[b], one.cost, 0.0, 0.0, "cost of all");
    assert_ptr_equal(edgefw_solutions_nodes(s, &stride) + b * stride, one.nodes);
  }
  edgefw_solutions_destroy(s);
  free(costs);
}

/* Both sides are at least as good as each alone. */
static void sides_may_be_alone(void **state) {
  const solver_case *c = *state;
  double *costs = solver_case_costs(COUNT, N, 2), found[3][COUNT];
  const edgefw_instances instances = instances_of(costs);
  for (int makers = EDGEFW_MAKERS_ALL; makers <= EDGEFW_MAKERS_HEURISTICS; ++makers) {
    const edgefw_solve_settings settings = {
        .size = sizeof settings, .makers = (edgefw_makers)makers, .unimproved = true};
    edgefw_solutions *s = NULL;
    solver_case_ok(c->ctx, edgefw_solver_solve(c->solver, &instances, &settings, &s));
    memcpy(found[makers], edgefw_solutions_costs(s), sizeof found[makers]);
    edgefw_solutions_destroy(s);
  }
  for (int b = 0; b < COUNT; ++b)
    check_close(found[EDGEFW_MAKERS_ALL][b],
                fmin(found[EDGEFW_MAKERS_POLICY][b], found[EDGEFW_MAKERS_HEURISTICS][b]), 0.0, 0.0,
                "cost of both");
  free(costs);
}

/* --- Threads --- */

typedef struct worker {
  const solver_case *test;
  const double *costs;
  double found[COUNT];
  bool failed;
} worker;

/* Two calls, the second on what the first has left. */
static void *work(void *user) {
  worker *w = user;
  const edgefw_instances instances = instances_of(w->costs);
  edgefw_context *ctx = NULL;
  edgefw_solver *solver = NULL;
  edgefw_solutions *s = NULL;
  w->failed = edgefw_context_create(&ctx, NULL) != EDGEFW_OK;
  if (w->failed) return NULL;
  edgefw_set_threads(ctx, 1);
  w->failed = edgefw_solver_create(ctx, w->test->model, &solver) != EDGEFW_OK;
  for (int round = 0; !w->failed && round < 2; ++round) {
    edgefw_solutions_destroy(s);
    w->failed = edgefw_solver_solve(solver, &instances, NULL, &s) != EDGEFW_OK;
  }
  if (!w->failed) memcpy(w->found, edgefw_solutions_costs(s), sizeof w->found);
  edgefw_solutions_destroy(s);
  edgefw_solver_destroy(solver);
  edgefw_context_destroy(ctx);
  return NULL;
}

static void many_threads_share_a_model(void **state) {
  const solver_case *c = *state;
  double *costs[2] = {solver_case_costs(COUNT, N, 3), solver_case_costs(COUNT, N, 4)};
  pthread_t threads[THREADS];
  worker workers[THREADS],
      alone[2] = {{.test = c, .costs = costs[0]}, {.test = c, .costs = costs[1]}};
  for (int i = 0; i < 2; ++i) work(&alone[i]);
  for (int t = 0; t < THREADS; ++t) {
    workers[t] = (worker){.test = c, .costs = costs[t % 2]};
    assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
  }
  for (int t = 0; t < THREADS; ++t) assert_int_equal(pthread_join(threads[t], NULL), 0);
  for (int t = 0; t < THREADS; ++t) {
    assert_false(workers[t].failed);
    check_same_bits(workers[t].found, alone[t % 2].found, sizeof alone->found, "costs");
  }
  for (int i = 0; i < 2; ++i) free(costs[i]);
}

/* --- Stopping --- */

static bool refuse(void *user, const edgefw_progress *progress) {
  ++*(int *)user;
  assert_int_equal(progress->count, 1);
  return false;
}

/* A search without an end, but for the callback. */
static void a_callback_stops_it(void **state) {
  const solver_case *c = *state;
  int calls = 0;
  double *costs = solver_case_costs(1, N, 5);
  edgefw_instances instances = instances_of(costs);
  edgefw_solve_settings settings = {
      .size = sizeof settings, .kicks = INT64_MAX, .starts = 1, .progress = refuse, .user = &calls};
  edgefw_solutions *s = NULL;
  instances.count = 1;
  solver_case_ok(c->ctx, edgefw_solver_solve(c->solver, &instances, &settings, &s));
  assert_true(calls > 0);
  assert_true(edgefw_solutions_stopped(s));
  edgefw_solution one = {.size = sizeof one};
  assert_int_equal(edgefw_solutions_get(s, 0, &one), EDGEFW_OK);
  expect_tour(costs, 0, &one);
  edgefw_solutions_destroy(s);
  /* The next call is another one. */
  settings.progress = NULL;
  settings.kicks = 1;
  solver_case_ok(c->ctx, edgefw_solver_solve(c->solver, &instances, &settings, &s));
  assert_false(edgefw_solutions_stopped(s));
  edgefw_solutions_destroy(s);
  free(costs);
}

static void *stop(void *solver) {
  edgefw_solver_stop(solver);
  return NULL;
}

/* Before it begins, or in the middle: either ends a search that has no other end. */
static void another_thread_stops_it(void **state) {
  const solver_case *c = *state;
  double *costs = solver_case_costs(1, N, 5);
  edgefw_instances instances = instances_of(costs);
  const edgefw_solve_settings settings = {.size = sizeof settings, .kicks = INT64_MAX};
  edgefw_solutions *s = NULL;
  pthread_t thread;
  instances.count = 1;
  assert_int_equal(pthread_create(&thread, NULL, stop, c->solver), 0);
  const edgefw_status status = edgefw_solver_solve(c->solver, &instances, &settings, &s);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_true(status == EDGEFW_OK || status == EDGEFW_INTERRUPTED);
  assert_true((s != NULL) == (status == EDGEFW_OK));
  if (s) assert_true(edgefw_solutions_stopped(s));
  edgefw_solutions_destroy(s);
  edgefw_clear(c->ctx);
  free(costs);
}

/* --- Failures --- */

/* Node 2 cannot be left. The other instance is solved all the same. */
static void missing_ways_are_told(void **state) {
  const solver_case *c = *state;
  double costs[] = {0, 1, 2, 1, 0, 1, (double)INFINITY, (double)INFINITY, 0, 0, 1, 2,
                    1, 0, 1, 1, 1, 0};
  const edgefw_instances instances = {
      .size = sizeof instances, .count = 2, .nodes = 3, .costs = costs};
  edgefw_solutions *s = NULL;
  solver_case_fails(c->ctx, edgefw_solver_solve(c->solver, &instances, NULL, &s), EDGEFW_INFEASIBLE,
                    "from stop 2 to stop");
  assert_non_null(s);
  edgefw_solution one = {.size = sizeof one};
  assert_int_equal(edgefw_solutions_get(s, 0, &one), EDGEFW_OK);
  assert_int_equal(one.count, 0);
  assert_int_equal(edgefw_solutions_get(s, 1, &one), EDGEFW_OK);
  check_close(one.cost, 3.0, 0.0, 0.0, "cost of the other");
  assert_false(edgefw_solutions_stopped(s));
  edgefw_solutions_destroy(s);
  const edgefw_solve_settings late = {.size = sizeof late, .time_limit = 1e-9};
  solver_case_fails(c->ctx, edgefw_solver_solve(c->solver, &instances, &late, &s),
                    EDGEFW_INFEASIBLE, "from stop 2 to stop");
  assert_non_null(s);
  assert_true(edgefw_solutions_stopped(s));
  edgefw_solutions_destroy(s);
}

static void a_limit_may_be_too_short(void **state) {
  const solver_case *c = *state;
  double *costs = solver_case_costs(1, N, 5);
  edgefw_instances instances = instances_of(costs);
  const edgefw_solve_settings settings = {
      .size = sizeof settings, .time_limit = 0.01, .kicks = INT64_MAX};
  edgefw_solutions *s = NULL;
  instances.count = 1;
  solver_case_ok(c->ctx, edgefw_solver_solve(c->solver, &instances, &settings, &s));
  assert_true(edgefw_solutions_stopped(s));
  edgefw_solutions_destroy(s);
  free(costs);
}

static void a_failure_is_forgotten(void **state) {
  const solver_case *c = *state;
  double *costs = solver_case_costs(COUNT, N, 6);
  edgefw_instances instances = instances_of(costs);
  edgefw_solutions *s = NULL;
  instances.count = -1;
  assert_int_equal(edgefw_solver_solve(c->solver, &instances, NULL, &s), EDGEFW_INVALID_ARGUMENT);
  assert_null(s);
  instances.count = COUNT;
  solver_case_ok(c->ctx, edgefw_solver_solve(c->solver, &instances, NULL, &s));
  edgefw_solutions_destroy(s);
  free(costs);
}

static edgefw_status solve_once(edgefw_context *ctx, void *user) {
  const solver_case *c = user;
  const edgefw_instances instances = {.size = sizeof instances,
                                      .count = 1,
                                      .nodes = 3,
                                      .costs = (const double[]){0, 1, 9, 9, 0, 1, 1, 9, 0}};
  const edgefw_solve_settings settings = {.size = sizeof settings, .kicks = 1};
  edgefw_solver *solver = NULL;
  edgefw_solutions *s = NULL;
  edgefw_set_threads(ctx, 1);
  edgefw_status status = edgefw_solver_create(ctx, c->model, &solver);
  for (int round = 0; status == EDGEFW_OK && round < 2; ++round) {
    edgefw_solutions_destroy(s);
    status = edgefw_solver_solve(solver, &instances, &settings, &s);
  }
  edgefw_solutions_destroy(s);
  edgefw_solver_destroy(solver);
  return status;
}

static void memory_may_end_anywhere(void **state) {
  out_of_memory_sweep(solve_once, *state);
}

#define SOLVER_TEST(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, solver_case_set_up, solver_case_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      SOLVER_TEST(every_instance_has_a_tour),  SOLVER_TEST(sides_may_be_alone),
      SOLVER_TEST(many_threads_share_a_model), SOLVER_TEST(a_callback_stops_it),
      SOLVER_TEST(another_thread_stops_it),    SOLVER_TEST(missing_ways_are_told),
      SOLVER_TEST(a_limit_may_be_too_short),   SOLVER_TEST(a_failure_is_forgotten),
      SOLVER_TEST(memory_may_end_anywhere),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
