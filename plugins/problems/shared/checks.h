/* What problem plugins have in common: how messages name instances and nodes, the examination of
 * cost matrices, the checker of closed tours, and what library files must hold. */
#ifndef EDGEFW_PROBLEMS_CHECKS_H
#define EDGEFW_PROBLEMS_CHECKS_H

#include <inttypes.h>

#include "edgefw/edgefw.h"

/* --- Names in messages --- */

/* An instance, as the beginning of a message. */
#define INSTANCE_FORMAT "instance %s (number %" PRIu64 "): "
#define INSTANCE_ARGUMENTS(instance)                                                               \
  (instance)->name ? (instance)->name : "generated", (instance)->id

typedef struct node_name {
  char text[32];
} node_name;

/* "node 1", ... as files count; with a depot "the depot" and "customer 1", ... */
node_name name_node(int64_t node, bool has_depot);

/* --- Instances --- */

/* Set the diagonal to zero and refuse costs that are none, or too large to be added up. */
edgefw_status accept_costs(edgefw_context *ctx, const edgefw_instance *instance, bool has_depot);

/* The checker of problems without a depot: each node once, and the tour closes. Deliberately plain:
 * it looks at the matrix and the list of nodes and nothing else. As edgefw_problem.check. */
edgefw_status check_closed_tour(edgefw_context *ctx, const edgefw_options *options,
                                const edgefw_instance *instance, const int32_t *tour, int64_t count,
                                double *cost);

/* --- Library files --- */

/* What a problem reads. */
typedef struct file_wish {
  const char *problem;          /* its name */
  const char *type, *also_type; /* of files; NULL: no second one. A file may name none. */
  bool coordinates;             /* are coordinates needed? Weights always are. */
} file_wish;

/* UNSUPPORTED, with what is missing, unless the file holds what is wanted. */
edgefw_status want_file(edgefw_context *ctx, const edgefw_tsplib *file, const file_wish *wish);

/* The file's matrix, node by node. As edgefw_problem.read. */
edgefw_status read_costs(edgefw_context *ctx, const edgefw_options *options,
                         const edgefw_tsplib *file, edgefw_instance *out);

#endif
