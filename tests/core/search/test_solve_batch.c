/* Solutions of a batch: whole, of what they cost, better with more effort.
 * labels: threads
 * needs plugins: atsp acvrp */
#include "support/test.h"

#include <stdio.h>

#include "plugin/problem_shape.h"
#include "search/solve_batch.h"
#include "support/check.h"
#include "support/tiny_model.h"

enum { COUNT = 4, MOST = 24 };

/* Solve generated instances of n nodes, on so many threads; the sum of the costs. */
static double solve(const char *problem, int64_t n, const edgefw__effort *effort, int threads,
                    int32_t *tours) {
  sandbox box;
  tiny_model tiny;
  char text[128];
  double costs[COUNT], sum = 0.0;
  snprintf(text, sizeof text, "[problem]\nname = %s\n[variant h]\nconstruct = inorder\n", problem);
  sandbox_create(&box);
  tiny_open_heuristic(&tiny, &box, text);
  edgefw_set_threads(tiny.ctx, threads);
  edgefw__batch *batch = tiny_batch(&tiny, n, 3, 0, COUNT);
  const edgefw_problem *made = &tiny.composition->problem->vtable.problem;
  const int64_t steps = edgefw__problem_steps(made, n);
  tiny_ok(&tiny, edgefw__solve_batch(tiny.ctx, tiny.composition, batch, effort, tours, costs));
  for (int64_t b = 0; b < COUNT; ++b) {
    const edgefw_instance instance = edgefw__batch_instance(batch, b);
    double cost = 0.0;
    tiny_ok(&tiny, made->check(tiny.ctx, tiny.composition->problem_options, &instance,
                               tours + b * steps, steps, &cost));
    check_close(costs[b], cost, 1e-12, 1e-12, "cost");
    sum += cost;
  }
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
  sandbox_remove(&box);
  return sum;
}

static void more_effort_finds_better_ones(void **state) {
  (void)state;
  static const char *const problems[] = {"atsp", "acvrp"};
  int32_t tours[COUNT * 2 * MOST];
  for (int p = 0; p < 2; ++p) {
    const double least = solve(problems[p], MOST, &(edgefw__effort){.starts = 1}, 1, tours);
    const double kicked =
        solve(problems[p], MOST, &(edgefw__effort){.starts = 1, .kicks = 60}, 1, tours);
    const double wide = solve(problems[p], MOST, &(edgefw__effort){.starts = 0}, 1, tours);
    assert_true(kicked < least);
    assert_true(wide < least);
  }
}

static void threads_change_no_bit(void **state) {
  (void)state;
  int32_t one[COUNT * 2 * MOST] = {0}, three[COUNT * 2 * MOST] = {0};
  const edgefw__effort effort = {.starts = 2, .kicks = 5, .seed = 7};
  (void)solve("acvrp", 10, &effort, 1, one);
  (void)solve("acvrp", 10, &effort, 3, three);
  check_same_bits(three, one, sizeof one, "solutions");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(more_effort_finds_better_ones),
      cmocka_unit_test(threads_change_no_bit),
  };
  return test_run(tests, NULL, NULL);
}
