/* A backbone plugin: the encoder, instance -> node embeddings. */
#ifndef EDGEFW_BACKBONE_H
#define EDGEFW_BACKBONE_H

#include "edgefw/graph.h"
#include "edgefw/problem.h"

EDGEFW_BEGIN_DECLS

typedef struct edgefw_backbone {
  size_t size; /* sizeof(edgefw_backbone) */

  /* Optional (NULL: fits every problem). Does this backbone fit the problem? Return false and write
   * the reason into `why` (one line, at most why_size bytes). Asked once, at composition. */
  bool (*supports)(const edgefw_problem *problem, const edgefw_options *options, char *why,
                   size_t why_size);

  /* Required. Write the encoder and return H, a NODE value whose width is the embedding width.
   * Called once per graph; it must depend on `options` alone. */
  edgefw_value (*encode)(edgefw_graph *graph, const edgefw_options *options);

  /* Optional. Names of the decoder's query projections on problems without resources, as published
   * checkpoints of this backbone have them; NULL: "Wq_0" (current node) and "Wq_1" (first node).
   * With resources the name is "Wq_last". */
  const char *query_last, *query_first;
} edgefw_backbone;

EDGEFW_END_DECLS

#endif
