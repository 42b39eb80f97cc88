/* A backbone plugin: the encoder, instance -> node embeddings. */
#ifndef EDGEFW_BACKBONE_H
#define EDGEFW_BACKBONE_H

#include "edgefw/graph.h"
#include "edgefw/problem.h"

EDGEFW_BEGIN_DECLS

/* What an encoder gives the decoder, by the roles that embeddings have there: NODE values of one
 * width. Most encoders have one H for both. */
typedef struct edgefw_encoding {
  size_t size; /* set by the core: members behind it are not there */
  /* Of the nodes that a rollout stands on and began with: what queries are made of. */
  edgefw_value query;
  /* Of the candidates: what keys, values and scoring keys are made of. */
  edgefw_value key;
} edgefw_encoding;

typedef struct edgefw_backbone {
  size_t size; /* sizeof(edgefw_backbone) */

  /* Optional (NULL: fits every problem). Does this backbone fit the problem? Return false and write
   * the reason into `why` (one line, at most why_size bytes). Asked once, at composition. */
  bool (*supports)(const edgefw_problem *problem, const edgefw_options *options, char *why,
                   size_t why_size);

  /* Required. Write the encoder and fill in `out`; its width is the embedding width. Called once
   * per graph; it must depend on `options` alone. */
  void (*encode)(edgefw_graph *graph, const edgefw_options *options, edgefw_encoding *out);

  /* Optional. Names of the decoder's query projections, as published checkpoints of this backbone
   * have them; NULL: "Wq_0" (current node; with R resources it is (d, d + R)) and "Wq_1" (first
   * node, where a problem asks for that). */
  const char *query_last, *query_first;
} edgefw_backbone;

EDGEFW_END_DECLS

#endif
