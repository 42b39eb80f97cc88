/* Heuristics in place of a trained model, where nobody wrote a configuration. */
#ifndef EDGEFW__UNTRAINED_H
#define EDGEFW__UNTRAINED_H

#include "eval/trained.h"

/* The configuration of these heuristics ("nearest, patching"; NULL: all that fit by their defaults)
 * for the problem at its defaults. *out is NULL where none fits. CONFIG as a configuration that
 * says so. */
EDGEFW_NODISCARD edgefw_status edgefw__untrained_compose(edgefw_context *ctx,
                                                         const edgefw__registry *registry,
                                                         const edgefw__plugin *problem,
                                                         const char *heuristics,
                                                         edgefw__config **out);

/* The same on the device called `device`, with what stands in for a model. Close it as a trained
 * model, also after a failure. CONFIG if no heuristic fits, or as a configuration that says so. */
EDGEFW_NODISCARD edgefw_status edgefw__untrained_open(edgefw_context *ctx,
                                                      const edgefw__registry *registry,
                                                      const edgefw__plugin *problem,
                                                      const char *heuristics, const char *device,
                                                      edgefw__trained *out);

#endif
