/* The distances that TSPLIB defines between coordinates, with its own rounding. */
#include "files/tsplib_distance.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- Lengths --- */

static double euclidean(const double from[2], const double to[2]) {
  const double dx = from[0] - to[0], dy = from[1] - to[1];
  return sqrt(dx * dx + dy * dy);
}

static double pseudo_euclidean(const double from[2], const double to[2]) {
  const double dx = from[0] - to[0], dy = from[1] - to[1];
  return sqrt((dx * dx + dy * dy) / 10.0);
}

static double maximum(const double from[2], const double to[2]) {
  return fmax(fabs(from[0] - to[0]), fabs(from[1] - to[1]));
}

static double manhattan(const double from[2], const double to[2]) {
  return fabs(from[0] - to[0]) + fabs(from[1] - to[1]);
}

/* DEGREES.MINUTES in radians. Degrees are truncated, and pi has the digits of the definition:
 * published optima depend on both. */
static double radians(double coordinate) {
  const double pi = 3.141592;
  const double degrees = trunc(coordinate);
  const double minutes = coordinate - degrees;
  return pi * (degrees + 5.0 * minutes / 3.0) / 180.0;
}

/* On the idealised sphere of the definition, in km. */
static double geographical(const double from[2], const double to[2]) {
  const double radius = 6378.388;
  const double latitude_from = radians(from[0]), latitude_to = radians(to[0]);
  const double q1 = cos(radians(from[1]) - radians(to[1]));
  const double q2 = cos(latitude_from - latitude_to);
  const double q3 = cos(latitude_from + latitude_to);
  const double cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);
  return radius * acos(fmax(-1.0, fmin(1.0, cosine))); /* rounding may leave [-1,1] */
}

/* --- Rounding --- */

static double nearest(double length) {
  return floor(length + 0.5); /* not nearbyint: halves go up */
}

static double nearest_not_below(double length) {
  const double rounded = nearest(length);
  return rounded < length ? rounded + 1.0 : rounded;
}

static double truncated_plus_one(double length) {
  return trunc(length + 1.0);
}

static double unchanged(double length) {
  return length;
}

/* --- The table --- */

static const edgefw__tsplib_distance distances[] = {
    {"EUC_2D", euclidean, nearest, false},
    {"CEIL_2D", euclidean, ceil, false},
    {"FLOOR_2D", euclidean, floor, false},
    {"EXACT_2D", euclidean, unchanged, false},
    {"MAX_2D", maximum, nearest, false},
    {"MAN_2D", manhattan, nearest, false},
    {"ATT", pseudo_euclidean, nearest_not_below, false},
    {"GEO", geographical, truncated_plus_one, true},
};

const edgefw__tsplib_distance *edgefw__tsplib_find_distance(const char *name) {
  for (size_t d = 0; d < sizeof distances / sizeof *distances; ++d) {
    if (strcmp(distances[d].name, name) == 0) return &distances[d];
  }
  return NULL;
}

/* --- Matrices --- */

static void warn_of_minutes(const edgefw__tsplib_document *document, const double *coordinates,
                            int64_t n) {
  for (int64_t k = 0; k < 2 * n; ++k) {
    const double minutes = 100.0 * fabs(coordinates[k] - trunc(coordinates[k]));
    if (minutes < 60.0 + 1e-6) continue; /* 38.60 - 38 is not exactly 0.60 */
    edgefw_log(document->ctx, EDGEFW_LOG_WARNING,
               "'%s': a coordinate of node %" PRId64
               " is %g, %.0f minutes (more than 60); taken as it is",
               document->path, k / 2 + 1, coordinates[k], minutes);
    return;
  }
}

edgefw_status edgefw__tsplib_measure(const edgefw__tsplib_document *document,
                                     const edgefw__tsplib_distance *distance,
                                     const double *coordinates, int64_t n, double *lengths,
                                     double *weights) {
  for (int64_t i = 0; i < n; ++i) {
    lengths[i * n + i] = weights[i * n + i] = 0.0;
    for (int64_t j = i + 1; j < n; ++j) {
      const double length = distance->length(&coordinates[2 * i], &coordinates[2 * j]);
      if (!isfinite(length)) {
        return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                           "'%s': the distance from node %" PRId64 " to node %" PRId64
                           " is %g, expected a finite number",
                           document->path, i + 1, j + 1, length);
      }
      lengths[i * n + j] = lengths[j * n + i] = length;
      weights[i * n + j] = weights[j * n + i] = distance->round(length);
    }
  }
  if (distance->geographical) warn_of_minutes(document, coordinates, n);
  return EDGEFW_OK;
}
