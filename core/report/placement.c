/* Positions of nodes. */
#include "report/placement.h"

#include <math.h>
#include <string.h>

#include "plugin/problem_shape.h"
#include "report/classical_scaling.h"

/* DEGREES.MINUTES in degrees: the minutes are hundredths in the file. */
static double degrees(double coordinate) {
  const double whole = trunc(coordinate);
  return whole + (coordinate - whole) * 5.0 / 3.0;
}

static void take_from_file(const edgefw_problem *problem, const edgefw_tsplib *file,
                           const edgefw_instance *instance, edgefw__placement *out) {
  const bool depot = edgefw__problem_has_depot(problem);
  const bool globe = strcmp(file->edge_weight_type, "GEO") == 0;
  out->kind = globe ? EDGEFW__PLACEMENT_GLOBE : EDGEFW__PLACEMENT_PLANE;
  for (int64_t i = 0; i < instance->n; ++i) {
    const double *at = file->coordinates + 2 * (depot ? edgefw_tsplib_node(file, i) : i);
    out->points[2 * i] = globe ? degrees(at[1]) : at[0];
    out->points[2 * i + 1] = globe ? degrees(at[0]) : at[1];
  }
}

static bool is_directed(const double *cost, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j) {
      const double there = cost[i * n + j], back = cost[j * n + i];
      if (fabs(there - back) > 1e-12 * fmax(fabs(there), fabs(back))) return true;
    }
  return false;
}

edgefw_status edgefw__placement_find(edgefw_context *ctx, edgefw_arena *arena,
                                     const edgefw_problem *problem, const edgefw_instance *instance,
                                     const edgefw_tsplib *file, edgefw__placement *out) {
  const double *cost = edgefw_instance_field(instance, problem->objective);
  const double *points =
      problem->coordinates ? edgefw_instance_field(instance, problem->coordinates) : NULL;
  *out = (edgefw__placement){
      .points = edgefw_arena_take(arena, (size_t)(2 * instance->n), sizeof *out->points),
      .directed = is_directed(cost, instance->n)};
  if (!out->points) return edgefw_failure(ctx);
  if (file && file->coordinates) {
    take_from_file(problem, file, instance, out);
    return EDGEFW_OK;
  }
  if (points) {
    memcpy(out->points, points, (size_t)(2 * instance->n) * sizeof *points);
    return EDGEFW_OK;
  }
  out->kind = EDGEFW__PLACEMENT_SCALED;
  return edgefw__classical_scaling(ctx, instance->n, cost, instance->forbidden, out->points);
}
