/* Collects what the score terms declare into a decode plan. */
#ifndef EDGEFW__TERM_BUILDER_H
#define EDGEFW__TERM_BUILDER_H

#include "edgefw/kernels.h"
#include "edgefw/term.h"

struct edgefw_term_builder {
  edgefw_graph *graph;
  edgefw_decode_plan *plan;               /* features and tables are appended here */
  edgefw_value tables[EDGEFW_MAX_TABLES]; /* graph value behind each of plan's tables */
  int logit_tensors[EDGEFW_MAX_LOGITS][EDGEFW_LOCAL_TENSORS]; /* parameters of plan's logits */
  int64_t logit_from[EDGEFW_MAX_LOGITS];                      /* first step each takes part in */
};

#endif
