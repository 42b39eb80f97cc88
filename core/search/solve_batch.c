/* Construction, improvement and kicks, one after the other. */
#include "search/solve_batch.h"

#include "plugin/problem_shape.h"
#include "search/construct.h"

edgefw_status edgefw__solve_batch(edgefw_context *ctx, const edgefw__composition *composition,
                                  const edgefw__batch *batch, const edgefw__effort *effort,
                                  int32_t *tours, double *costs) {
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  const edgefw__search search = {.improve = true, .name = "to be solved"};
  const edgefw__kicks kicks = {.count = effort->kicks, .seed = effort->seed};
  const edgefw__tours best = {.each = 1,
                              .steps = edgefw__problem_steps(problem, batch->n),
                              .tours = tours,
                              .lengths = costs};
  edgefw__incumbents incumbents = {.tours = tours, .lengths = costs};
  const edgefw_status status =
      edgefw__search_heuristics(ctx, composition, batch, effort->starts, &search, &incumbents);
  if (status != EDGEFW_OK || kicks.count == 0) return status;
  return edgefw__search_kick(ctx, problem, batch, &kicks, &best);
}
