/* A model for applications. */
#include "support/test.h"

#include "support/solver_case.h"

#include <stdio.h>
#include <stdlib.h>

#include "edgefw/rng.h"

static void write_checkpoint(solver_case *c) {
  tiny_model tiny;
  snprintf(c->path, sizeof c->path, "%s", sandbox_path(&c->box, "tiny.h5"));
  tiny_open(&tiny, TINY_PLAIN, c->device, 5, true);
  tiny_checkpoint(&tiny, c->path, tiny.composition->text);
  tiny_close(&tiny);
}

int solver_case_set_up(void **state) {
  solver_case *c = calloc(1, sizeof *c);
  assert_non_null(c);
  c->device = tiny_has_device("cpu") ? "cpu" : "reference";
  sandbox_create(&c->box);
  write_checkpoint(c);
  const edgefw_model_request request = {
      .size = sizeof request, .model = c->path, .heuristics = "nearest", .device = c->device};
  assert_int_equal(edgefw_context_create(&c->ctx, NULL), EDGEFW_OK);
  edgefw_set_threads(c->ctx, 1);
  solver_case_ok(c->ctx, edgefw_model_open(c->ctx, &request, &c->model));
  solver_case_ok(c->ctx, edgefw_solver_create(c->ctx, c->model, &c->solver));
  *state = c;
  return 0;
}

int solver_case_tear_down(void **state) {
  solver_case *c = *state;
  edgefw_solver_destroy(c->solver);
  edgefw_model_destroy(c->model);
  edgefw_context_destroy(c->ctx);
  sandbox_remove(&c->box);
  free(c);
  return 0;
}

double *solver_case_costs(int64_t count, int64_t n, unsigned seed) {
  double *costs = malloc((size_t)(count * n * n) * sizeof *costs);
  assert_non_null(costs);
  for (int64_t e = 0; e < count * n * n; ++e) {
    uint32_t words[4];
    edgefw_random_block(seed, EDGEFW_STREAM_COST, 0, (uint32_t)e, words);
    costs[e] = 1.0 + edgefw_random_below(words[0], 1000);
  }
  return costs;
}
