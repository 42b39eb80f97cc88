/* The pointer decoder: what its loop reads of the embeddings. */
#ifndef EDGEFW__POINTER_H
#define EDGEFW__POINTER_H

#include "policy/model.h"

/* Write the projections of out->encoding: keys, values and folded scoring keys of its keys, query
 * parts of its queries. Declares their parameters. Failures are the graph's. */
EDGEFW_NODISCARD edgefw_status edgefw__pointer_write(const edgefw__model *model,
                                                     edgefw__policy_graph *out);

#endif
