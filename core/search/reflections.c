/* Rollouts in reflected coordinates. */
#include "search/reflections.h"

#include <string.h>

enum { SYMMETRIES = 8 };

/* Symmetry `number` of the unit square: bit 0 reflects x, bit 1 reflects y, bit 2 exchanges the
 * axes first. */
static void reflect(int number, const double *from, int64_t count, double *to) {
  for (int64_t i = 0; i < count; ++i) {
    const double x = from[2 * i + (number >> 2)], y = from[2 * i + 1 - (number >> 2)];
    to[2 * i] = number & 1 ? 1.0 - x : x;
    to[2 * i + 1] = number & 2 ? 1.0 - y : y;
  }
}

/* Costs stay as they are: the square's symmetries change no distance. */
edgefw_status edgefw__search_reflections(edgefw__policy *policy, const edgefw__batch *batch,
                                         const edgefw__search *search, double *scratch,
                                         edgefw__incumbents *best) {
  const edgefw_problem *problem = &policy->model->composition->problem->vtable.problem;
  const edgefw_instance first = edgefw__batch_instance(batch, 0);
  double *points = edgefw_instance_field(&first, problem->coordinates);
  const int64_t count = batch->count * batch->n;
  edgefw_status status = EDGEFW_OK;
  memcpy(scratch, points, (size_t)(2 * count) * sizeof *points);
  for (int s = 1; s < SYMMETRIES && status == EDGEFW_OK; ++s) {
    reflect(s, scratch, count, points);
    status = edgefw__search_rollouts(policy, batch, search, false, best);
  }
  memcpy(points, scratch, (size_t)(2 * count) * sizeof *points);
  return status;
}
