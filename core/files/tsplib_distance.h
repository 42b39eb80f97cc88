/* The distances that TSPLIB defines between coordinates, with its own rounding. */
#ifndef EDGEFW__TSPLIB_DISTANCE_H
#define EDGEFW__TSPLIB_DISTANCE_H

#include "files/tsplib_scan.h"

/* One EDGE_WEIGHT_TYPE that is computed from coordinates. */
typedef struct edgefw__tsplib_distance {
  const char *name;
  double (*length)(const double from[2], const double to[2]);
  double (*round)(double length); /* what the file's objective adds up */
  bool geographical; /* coordinates are latitude and longitude, written DEGREES.MINUTES */
} edgefw__tsplib_distance;

/* The distance called `name` (upper case); NULL if there is none. */
const edgefw__tsplib_distance *edgefw__tsplib_find_distance(const char *name);

/* Fill `lengths` and the rounded `weights`, (n,n) each, from `coordinates` (n,2); diagonals are 0.
 * Warns once of geographical coordinates with more than 60 minutes, which public files have.
 * FORMAT if a distance is not finite. */
EDGEFW_NODISCARD edgefw_status edgefw__tsplib_measure(const edgefw__tsplib_document *document,
                                                      const edgefw__tsplib_distance *distance,
                                                      const double *coordinates, int64_t n,
                                                      double *lengths, double *weights);

#endif
