/* Points of the plane: generated, examined, and scaled. */
#include "points.h"

#include <math.h>

/* Beyond this, squared distances overflow. */
#define MOST_COORDINATE 1e150

/* In the order of the choices of coordinate_scale. */
enum { SCALE_COMMON, SCALE_PER_AXIS, SCALE_ELG };

void generate_points(edgefw_generator *generator, const edgefw_options *options, bool has_depot,
                     edgefw_instance *out) {
  double *points = edgefw_instance_field(out, "coords");
  /* The choices are listed in the order of the enumeration. */
  const edgefw_points distribution = (edgefw_points)edgefw_options_choice(options, "distribution");
  edgefw_generate_points(generator, distribution, has_depot, out->n, points);
  edgefw_point_distances(points, out->n, edgefw_instance_field(out, "cost"));
}

bool near_by_scaled_points(const edgefw_options *options) {
  return edgefw_options_choice(options, "coordinate_scale") == SCALE_ELG;
}

void fit_points(const edgefw_options *options, double *points, int64_t n, bool has_depot) {
  const int scale = edgefw_options_choice(options, "coordinate_scale");
  double least[2] = {points[0], points[1]}, extent[2] = {0.0, 0.0};
  for (int64_t i = 0; i < n; ++i)
    for (int axis = 0; axis < 2; ++axis) least[axis] = fmin(least[axis], points[2 * i + axis]);
  if (scale == SCALE_ELG && !has_depot) least[0] = least[1] = fmin(least[0], least[1]);
  for (int64_t i = 0; i < n; ++i)
    for (int axis = 0; axis < 2; ++axis)
      extent[axis] = fmax(extent[axis], points[2 * i + axis] - least[axis]);
  if (scale == SCALE_COMMON || (scale == SCALE_ELG && !has_depot))
    extent[0] = extent[1] = fmax(extent[0], extent[1]);
  for (int64_t i = 0; i < n; ++i)
    for (int axis = 0; axis < 2; ++axis) {
      double *x = &points[2 * i + axis];
      *x = extent[axis] > 0.0 ? (*x - least[axis]) / extent[axis] : 0.0;
    }
}

/* A dataset stores no derived field; its reader leaves NaN everywhere. */
static bool is_left_out(const double *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (!isnan(values[i])) return false;
  return true;
}

edgefw_status accept_points(edgefw_context *ctx, const edgefw_options *options,
                            const edgefw_instance *instance, bool has_depot) {
  const int64_t n = instance->n;
  double *points = edgefw_instance_field(instance, "coords");
  double *cost = edgefw_instance_field(instance, "cost");
  bool fits = true;
  for (int64_t i = 0; i < n; ++i) {
    const double x = points[2 * i], y = points[2 * i + 1];
    if (!(fabs(x) <= MOST_COORDINATE && fabs(y) <= MOST_COORDINATE))
      return edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                         INSTANCE_FORMAT "%s has the coordinates (%g, %g); expected numbers of at "
                                         "most %g in size",
                         INSTANCE_ARGUMENTS(instance), name_node(i, has_depot).text, x, y,
                         MOST_COORDINATE);
    fits = fits && x >= 0.0 && x <= 1.0 && y >= 0.0 && y <= 1.0;
  }
  if (is_left_out(cost, n * n)) edgefw_point_distances(points, n, cost);
  if (!fits) fit_points(options, points, n, has_depot);
  return EDGEFW_OK;
}
