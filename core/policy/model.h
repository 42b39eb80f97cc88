/* A model: a composition made concrete on a device. It holds the parameters; policies (policy.h)
 * run it for given sizes. */
#ifndef EDGEFW__MODEL_H
#define EDGEFW__MODEL_H

#include "config/compose.h"
#include "device/engine.h"
#include "nn/graph.h"
#include "plugin/problem_shape.h"
#include "policy/term_builder.h"

typedef struct edgefw__model {
  const edgefw__engine *engine;
  const edgefw__composition *composition;
  edgefw__parameters *parameters;
  int64_t step;  /* optimiser steps behind the parameters: logits may join late */
  int64_t epoch; /* finished epochs behind them; 0 where that is not known */
} edgefw__model;

/* The graph of the whole policy up to the decode loop: encoder, projections of the pointer decoder,
 * folded scoring keys, tables of the terms. */
typedef struct edgefw__policy_graph {
  edgefw_graph *graph;
  edgefw_decode_plan plan;
  edgefw_value cost;        /* the objective's raw field (B,n,n) */
  edgefw_encoding encoding; /* embeddings (B,n,d), by their role */
  edgefw_value keys, values, q_last, q_first, fold, fold_bias;
  edgefw_value tables[EDGEFW_MAX_TABLES];
  int mlp[4]; /* parameters of the feature MLP: w1, b1, w2, b2; -1 without features */
  int query; /* parameter of the query projection whose last columns are w_left; -1: no resources */
  /* Of each of plan's logits: */
  int logit_tensors[EDGEFW_MAX_LOGITS][EDGEFW_LOCAL_TENSORS]; /* parameters, -1: none */
  int64_t logit_from[EDGEFW_MAX_LOGITS];                      /* first optimiser step it is in */
} edgefw__policy_graph;

/* Make a model: compose the graph once, lay out the parameters and initialise them from `seed`.
 * `training` makes room for gradients and moments. Engine and composition outlive it. */
EDGEFW_NODISCARD edgefw_status edgefw__model_create(const edgefw__engine *engine,
                                                    const edgefw__composition *composition,
                                                    uint64_t seed, bool training,
                                                    edgefw__model **out);
void edgefw__model_destroy(edgefw__model *model); /* NULL is allowed */

/* What stands in for a model where heuristics construct: it has no parameters, takes no memory of
 * the device, and no policy runs it. All other ways to make a model fail with CONFIG for such a
 * composition. */
EDGEFW_NODISCARD edgefw_status edgefw__model_constructing(const edgefw__engine *engine,
                                                          const edgefw__composition *composition,
                                                          edgefw__model **out);

/* The two halves of making one: names and shapes of all parameters, which takes no memory that
 * grows with them; then their memory and initial values. Between them, what a file claims to hold
 * can be held against the shapes. */
EDGEFW_NODISCARD edgefw_status edgefw__model_declare(const edgefw__engine *engine,
                                                     const edgefw__composition *composition,
                                                     edgefw__model **out);
EDGEFW_NODISCARD edgefw_status edgefw__model_seal(edgefw__model *model, uint64_t seed,
                                                  bool training);

/* Parameters of the feature MLP, in the order of edgefw__policy_graph.mlp, under the names of the
 * published decoder. The first has shape (hidden, features). */
extern const char *const edgefw__mlp_names[4];

/* Write the policy's graph for n nodes, with the terms of training or those of evaluation. */
EDGEFW_NODISCARD edgefw_status edgefw__model_write(const edgefw__model *model, int64_t n,
                                                   bool training, edgefw__policy_graph *out);

#endif
