/* A word about loads whose numbers were rounded to float32 before they came here. */
#include "data/load_rounding.h"

/* Beyond the tolerance of fractions in double (1e-9), below the one of float32 (2^-23). */
#define BETWEEN 1e-8

/* The rounded field of a resource; NULL if neither is. */
static const char *rounded_field(const edgefw_resource *resource, const edgefw_instance *instance) {
  const double *demand = edgefw_instance_field(instance, resource->demand);
  const double capacity = *edgefw_instance_field(instance, resource->capacity);
  const int64_t n = instance->n;
  if (edgefw_load_tolerance(demand, n, 1.0) > BETWEEN) return resource->demand;
  if (edgefw_load_tolerance(demand, n, capacity) > BETWEEN * capacity) return resource->capacity;
  return NULL;
}

void edgefw__warn_of_rounded_loads(edgefw_context *ctx, const edgefw_problem *problem,
                                   const edgefw__batch *batch, const char *path, bool *said) {
  if (!problem->resources) return;
  for (int64_t b = 0; b < batch->count && !*said; ++b) {
    const edgefw_instance instance = edgefw__batch_instance(batch, b);
    for (const edgefw_resource *r = problem->resources; r->name && !*said; ++r) {
      const char *field = rounded_field(r, &instance);
      if (!field) continue;
      edgefw_log(ctx, EDGEFW_LOG_WARNING,
                 "%s: '%s' holds fractions that were rounded to float32; so that full loads fit, a "
                 "route may carry %.2g of the capacity more",
                 path, field, 0x1p-23);
      *said = true;
    }
  }
}
