/* Labels: a search for each instance, then tours of what it found. */
#include "train/labels.h"

#include "plugin/problem_shape.h"
#include "search/solve_batch.h"
#include "train/label_tours.h"

/* --- Memory --- */

edgefw__labels edgefw__labels_begin(edgefw_context *ctx, const edgefw__composition *composition) {
  return (edgefw__labels){.ctx = ctx, .composition = composition};
}

void edgefw__labels_end(edgefw__labels *labels) {
  edgefw_release(labels->ctx, labels->memory);
  edgefw_release(labels->ctx, labels->choices);
  edgefw_release(labels->ctx, labels->costs);
  edgefw_release(labels->ctx, labels->solutions);
  *labels = edgefw__labels_begin(labels->ctx, labels->composition);
}

/* Memory for a batch; kept while it is enough. */
static edgefw_status take(edgefw__labels *labels, const edgefw__batch *batch) {
  edgefw_context *ctx = labels->ctx;
  const edgefw_problem *problem = &labels->composition->problem->vtable.problem;
  const size_t room = (size_t)batch->capacity;
  const size_t tour_room = room * (size_t)edgefw__problem_steps(problem, batch->n);
  if (labels->choices && room <= labels->room && tour_room <= labels->tour_room) return EDGEFW_OK;
  edgefw__labels_end(labels);
  labels->solutions = edgefw_allocate(ctx, tour_room, sizeof *labels->solutions, "labels");
  labels->costs = edgefw_allocate(ctx, room, sizeof *labels->costs, "labels");
  labels->memory = edgefw_allocate(ctx, 1, edgefw__label_tours_bytes(batch->n), "labels");
  labels->choices = edgefw_allocate(ctx, room, sizeof *labels->choices, "labels");
  if (!labels->solutions || !labels->costs || !labels->memory || !labels->choices)
    return edgefw_failure(ctx);
  labels->room = room;
  labels->tour_room = tour_room;
  return EDGEFW_OK;
}

/* --- Search --- */

static edgefw_status search(const edgefw__labels *labels, const edgefw__batch *batch) {
  const edgefw_options *train = labels->composition->train;
  edgefw__composition labeller = *labels->composition;
  labeller.heuristics = labeller.label_heuristics;
  if (labeller.heuristics.count == 0)
    return edgefw_fail(labels->ctx, EDGEFW_CONFIG,
                       "train.label_heuristics: none of the heuristics that made the labels is "
                       "installed");
  const edgefw__effort effort = {.starts = 1,
                                 .kicks = edgefw_options_int(train, "label_kicks"),
                                 .seed = (uint64_t)edgefw_options_int(labeller.experiment, "seed")};
  return edgefw__solve_batch(labels->ctx, &labeller, batch, &effort, labels->solutions,
                             labels->costs);
}

/* --- Tours --- */

edgefw_status edgefw__labels_make(edgefw__labels *labels, const edgefw__batch *batch, int64_t each,
                                  int32_t *tours) {
  const edgefw__composition *composition = labels->composition;
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  const int64_t steps = edgefw__problem_steps(problem, batch->n);
  const uint64_t seed = (uint64_t)edgefw_options_int(composition->experiment, "seed");
  edgefw_status status = take(labels, batch);
  if (status == EDGEFW_OK) status = search(labels, batch);
  for (int64_t b = 0; status == EDGEFW_OK && b < batch->count; ++b) {
    const edgefw_route_plan plan = edgefw__route_plan_of(problem, batch, b);
    const edgefw__label_draw draw = {seed, batch->ids[b]};
    labels->choices[b] = edgefw__label_tours(&plan, labels->solutions + b * steps, steps, each,
                                             &draw, labels->memory, tours + b * each * steps);
  }
  return edgefw_note(labels->ctx, status, "while making labels");
}
