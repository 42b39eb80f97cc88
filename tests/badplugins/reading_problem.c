/* A problem that reads any library file. */
#include "good_problem.h"

static edgefw_status file_nodes(edgefw_context *ctx, const edgefw_options *options,
                                const edgefw_tsplib *file, int64_t *nodes) {
  (void)ctx, (void)options;
  *nodes = file->dimension;
  return EDGEFW_OK;
}

static edgefw_status read(edgefw_context *ctx, const edgefw_options *options,
                          const edgefw_tsplib *file, edgefw_instance *out) {
  (void)ctx, (void)options, (void)file, (void)out;
  return EDGEFW_OK;
}

static const edgefw_problem problem = {.size = sizeof problem,
                                       GOOD_PROBLEM,
                                       .check = good_check,
                                       .file_nodes = file_nodes,
                                       .read = read};

EDGEFW_PLUGIN(EDGEFW_KIND_PROBLEM, "reader", "1.0", "a problem for tests", &problem, NULL);
