/* A word about loads whose numbers were rounded to float32 before they came here. */
#ifndef EDGEFW__LOAD_ROUNDING_H
#define EDGEFW__LOAD_ROUNDING_H

#include "data/batch.h"
#include "edgefw/problem.h"

/* Warn, unless *said, if an instance of `batch`, which came from `path`, has a resource whose
 * demands or capacity are fractions of float32: names the field and the tolerance that it gets
 * (edgefw_load_tolerance), and sets *said. */
void edgefw__warn_of_rounded_loads(edgefw_context *ctx, const edgefw_problem *problem,
                                   const edgefw__batch *batch, const char *path, bool *said);

#endif
