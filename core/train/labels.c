/* Labels: a solution of each instance, searched or read, then tours of it. */
#include "train/labels.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "config/schema.h"
#include "data/dataset.h"
#include "data/forbidden.h"
#include "plugin/problem_shape.h"
#include "search/solve_batch.h"
#include "train/label_tours.h"

/* --- Memory --- */

edgefw__labels edgefw__labels_begin(edgefw_context *ctx, const edgefw__composition *composition) {
  return (edgefw__labels){.ctx = ctx,
                          .composition = composition,
                          .kicks = edgefw_options_int(composition->train, "label_kicks")};
}

/* Of a batch. */
static void release_batch(edgefw__labels *labels) {
  edgefw_release(labels->ctx, labels->memory);
  edgefw_release(labels->ctx, labels->choices);
  edgefw_release(labels->ctx, labels->costs);
  edgefw_release(labels->ctx, labels->solutions);
  labels->memory = NULL;
  labels->choices = NULL;
  labels->costs = NULL;
  labels->solutions = NULL;
}

void edgefw__labels_end(edgefw__labels *labels) {
  release_batch(labels);
  edgefw_release(labels->ctx, labels->stored);
  *labels = edgefw__labels_begin(labels->ctx, labels->composition);
}

/* Memory for a batch; kept while it is enough. */
static edgefw_status take(edgefw__labels *labels, const edgefw__batch *batch) {
  edgefw_context *ctx = labels->ctx;
  const edgefw_problem *problem = &labels->composition->problem->vtable.problem;
  const size_t room = (size_t)batch->capacity;
  const size_t tour_room = room * (size_t)edgefw__problem_steps(problem, batch->n);
  if (labels->choices && room <= labels->room && tour_room <= labels->tour_room) return EDGEFW_OK;
  release_batch(labels);
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
  edgefw__composition labeller = *labels->composition;
  labeller.heuristics = labeller.label_heuristics;
  if (labeller.heuristics.count == 0)
    return edgefw_fail(labels->ctx, EDGEFW_CONFIG,
                       "train.label_heuristics: none of the heuristics that made the labels is "
                       "installed");
  const edgefw__effort effort = {.starts = 1,
                                 .kicks = labels->kicks,
                                 .seed = (uint64_t)edgefw_options_int(labeller.experiment, "seed")};
  return edgefw__solve_batch(labels->ctx, &labeller, batch, &effort, labels->solutions,
                             labels->costs);
}

/* --- A dataset --- */

static edgefw_status read_labels(edgefw__labels *labels) {
  const edgefw_problem *problem = &labels->composition->problem->vtable.problem;
  edgefw__dataset_summary summary;
  edgefw__forbidden_rule rule = {.given = false};
  edgefw_status status = edgefw__dataset_info(labels->ctx, labels->path, &summary);
  if (status == EDGEFW_OK)
    status = edgefw__forbidden_rule_of(labels->ctx, labels->composition->problem_options, &rule);
  if (status != EDGEFW_OK) return status;
  labels->shape = (edgefw__label_shape){.count = summary.count,
                                        .n = summary.n,
                                        .steps = edgefw__problem_steps(problem, summary.n),
                                        .forbidden = rule};
  labels->stored = edgefw_allocate(labels->ctx, (size_t)summary.count,
                                   (size_t)labels->shape.steps * sizeof *labels->stored,
                                   "the labels of a dataset");
  if (!labels->stored) return edgefw_failure(labels->ctx);
  return edgefw__dataset_labels(labels->ctx, labels->path, &labels->shape, labels->stored);
}

edgefw_status edgefw__labels_open(edgefw__labels *labels) {
  const edgefw_options *train = labels->composition->train;
  if (edgefw__objective_kind_of(train) != EDGEFW__OBJECTIVE_IMITATION ||
      edgefw__label_source_of(train) != EDGEFW__LABELS_DATASET)
    return EDGEFW_OK;
  labels->path = edgefw_options_text(train, "data");
  return edgefw_note(labels->ctx, read_labels(labels), "[train] labels = dataset");
}

uint64_t edgefw__labels_digest(const edgefw__labels *labels, uint64_t digest) {
  const size_t bytes = (size_t)(labels->shape.count * labels->shape.steps) * sizeof(int32_t);
  return labels->stored ? edgefw__hash_add(digest, labels->stored, bytes) : digest;
}

/* What the checker says of the label of row `row`, which is of `instance`. */
static edgefw_status check_label(const edgefw__labels *labels, edgefw_instance instance,
                                 int64_t row, double *cost) {
  const edgefw__composition *composition = labels->composition;
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  const int64_t steps = labels->shape.steps;
  instance.name = labels->path;
  instance.id = (uint64_t)row;
  const edgefw_status status = problem->check(labels->ctx, composition->problem_options, &instance,
                                              labels->stored + row * steps, steps, cost);
  return edgefw_note(labels->ctx, status, "its label in '%s'; 'edgefw data label' finds others",
                     labels->path);
}

edgefw_status edgefw__labels_examine(const edgefw__labels *labels, edgefw__source *source) {
  const edgefw_problem *problem = &labels->composition->problem->vtable.problem;
  edgefw__batch *batch = NULL;
  double cost = 0.0;
  if (!labels->stored) return EDGEFW_OK;
  edgefw_status status =
      edgefw__batch_create(labels->ctx, problem->fields, 1, labels->shape.n, &batch);
  for (int64_t row = 0; status == EDGEFW_OK && row < labels->shape.count; ++row) {
    status = edgefw__source_load(source, row, 1, batch);
    if (status == EDGEFW_OK)
      status = check_label(labels, edgefw__batch_instance(batch, 0), row, &cost);
  }
  edgefw__batch_destroy(labels->ctx, batch);
  return edgefw_note(labels->ctx, status, "[train] labels = dataset");
}

/* Take the file's solutions of a batch, once the checker has seen them. */
static edgefw_status recall(const edgefw__labels *labels, const edgefw__batch *batch,
                            const int32_t *rows) {
  const int64_t steps = labels->shape.steps;
  edgefw_status status = EDGEFW_OK;
  for (int64_t b = 0; status == EDGEFW_OK && b < batch->count; ++b) {
    int32_t *solution = labels->solutions + b * steps;
    memcpy(solution, labels->stored + rows[b] * steps, (size_t)steps * sizeof *solution);
    status = check_label(labels, edgefw__batch_instance(batch, b), rows[b], &labels->costs[b]);
  }
  return status;
}

/* --- Tours --- */

/* Let decoding take a label that cannot do without forbidden arcs. */
static void lift_limit(const edgefw_problem *problem, edgefw__batch *batch, int64_t b,
                       const int32_t *solution, int64_t steps) {
  if (!batch->has_forbidden) return;
  const edgefw_instance instance = edgefw__batch_instance(batch, b);
  if (edgefw__forbidden_used(problem, &instance, solution, steps).arcs > 0)
    batch->limits[b] = (double)INFINITY;
}

edgefw_status edgefw__labels_make(edgefw__labels *labels, edgefw__batch *batch, const int32_t *rows,
                                  int64_t each, int32_t *tours) {
  const edgefw__composition *composition = labels->composition;
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  const int64_t steps = edgefw__problem_steps(problem, batch->n);
  const uint64_t seed = (uint64_t)edgefw_options_int(composition->experiment, "seed");
  edgefw_status status = take(labels, batch);
  if (status == EDGEFW_OK)
    status = labels->stored ? recall(labels, batch, rows) : search(labels, batch);
  for (int64_t b = 0; status == EDGEFW_OK && b < batch->count; ++b) {
    const int32_t *solution = labels->solutions + b * steps;
    const edgefw_route_plan plan = edgefw__route_plan_of(problem, batch, b);
    const edgefw__label_draw draw = {seed, batch->ids[b]};
    labels->choices[b] = edgefw__label_tours(&plan, solution, steps, each, &draw, labels->memory,
                                             tours + b * each * steps);
    lift_limit(problem, batch, b, solution, steps);
  }
  return edgefw_note(labels->ctx, status, "while making labels");
}
