/* Bounds, one instance at a time. */
#include "solver/bounds.h"

#include <math.h>

#include "costs/assignment_bound.h"

/* The bound of an instance; it stays as it is where none is known. */
static edgefw_status bound_one(edgefw__source *source, int64_t index, edgefw__batch *batch,
                               double *bound) {
  edgefw_context *ctx = source->engine->ctx;
  const edgefw__plugin *problem = source->composition->problem;
  edgefw__routing routing;
  source->reported = true; /* its missing ways have been told */
  edgefw_status status = edgefw__source_load(source, index, 1, batch);
  if (status != EDGEFW_OK) return status;
  const edgefw_instance instance = edgefw__batch_instance(batch, 0);
  status = edgefw__routing_of(ctx, problem->descriptor->name, &problem->vtable.problem, &instance,
                              &routing);
  if (status != EDGEFW_OK) {
    edgefw_clear(ctx); /* an ordinary answer: no bound is known */
    return EDGEFW_OK;
  }
  double found = 0.0;
  const edgefw_status end = edgefw__assignment_bound(ctx, &routing, &found);
  if (end == EDGEFW_OK) *bound = found;
  return end;
}

edgefw_status edgefw__bounds_find(const edgefw__engine *engine,
                                  const edgefw__composition *composition,
                                  const edgefw__instance_set *set, double *bounds) {
  edgefw_context *ctx = engine->ctx;
  edgefw__batch *batch = NULL;
  edgefw__source source;
  for (int64_t b = 0; b < set->count; ++b) bounds[b] = (double)NAN;
  edgefw_status status = edgefw__source_open(engine, composition, set, &source);
  if (status == EDGEFW_OK)
    status =
        edgefw__batch_create(ctx, composition->problem->vtable.problem.fields, 1, set->n, &batch);
  for (int64_t b = 0; status == EDGEFW_OK && b < set->count; ++b)
    status = bound_one(&source, b, batch, &bounds[b]);
  edgefw__batch_destroy(ctx, batch);
  edgefw__source_close(&source);
  return status;
}
