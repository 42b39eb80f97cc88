/* The transformer over coordinates of POMO (Kwon et al. 2020, "POMO: policy optimization with
 * multiple optima"), which ELG shares:
 *   H = x W^T + b  (n, d),  x the coordinates; with a depot that has an embedding of its own and
 *                           customers also take demand / capacity
 *   per block:  H1 = InstanceNorm(H + combine(attention(q, k, v)));  H = InstanceNorm(H1 + FF(H1))
 * Names are those of the published state dicts, which differ with and without a depot. */
#ifndef EDGEFW_BACKBONES_TRANSFORMER_H
#define EDGEFW_BACKBONES_TRANSFORMER_H

#include <stdio.h>

#include "edgefw/edgefw.h"

/* clang-format off */
#define TRANSFORMER_OPTIONS                                                                        \
    {.key = "embedding_dim",                                                                       \
     .type = EDGEFW_OPTION_INT,                                                                    \
     .fallback = "128",                                                                            \
     .min = 1,                                                                                     \
     .max = 8192,                                                                                  \
     .help = "width d of the node embeddings; a multiple of heads"},                               \
    {.key = "layers",                                                                              \
     .type = EDGEFW_OPTION_INT,                                                                    \
     .fallback = "6",                                                                              \
     .min = 1,                                                                                     \
     .max = 128,                                                                                   \
     .help = "number of encoder blocks"},                                                          \
    {.key = "heads",                                                                               \
     .type = EDGEFW_OPTION_INT,                                                                    \
     .fallback = "8",                                                                              \
     .min = 1,                                                                                     \
     .max = 1024,                                                                                  \
     .help = "attention heads of the encoder"},                                                    \
    {.key = "ff_hidden",                                                                           \
     .type = EDGEFW_OPTION_INT,                                                                    \
     .fallback = "512",                                                                            \
     .min = 1,                                                                                     \
     .max = 65536,                                                                                 \
     .help = "hidden width of the feed-forward layers"}
/* clang-format on */

/* Names of the decoder's query projections. */
#define TRANSFORMER_QUERY_LAST  "Wq_last"
#define TRANSFORMER_QUERY_FIRST "Wq_first"

static inline bool transformer_supports(const edgefw_problem *problem,
                                        const edgefw_options *options, char *why, size_t why_size) {
  const long long d = edgefw_options_int(options, "embedding_dim");
  const long long heads = edgefw_options_int(options, "heads");
  if (!problem->coordinates)
    snprintf(why, why_size, "it needs coordinates, and the problem has a cost matrix only");
  else if (d % heads != 0)
    snprintf(why, why_size, "embedding_dim = %lld is no multiple of heads = %lld", d, heads);
  else
    return true;
  return false;
}

/* Names of a block's parts. */
typedef struct transformer_names {
  const char *norm1, *norm2, *feed_forward;
} transformer_names;

static const transformer_names transformer_plain_names = {"addAndNormalization1",
                                                          "addAndNormalization2", "feedForward"};
static const transformer_names transformer_depot_names = {"add_n_normalization_1",
                                                          "add_n_normalization_2", "feed_forward"};

static inline bool transformer_has_depot(const edgefw_problem *problem) {
  return problem->start == EDGEFW_START_EACH_CUSTOMER;
}

static inline edgefw_value transformer_embed(edgefw_graph *graph, int64_t d) {
  const edgefw_problem *problem = edgefw_graph_problem(graph);
  const uint32_t bias = EDGEFW_LINEAR_BIAS;
  const edgefw_value points =
      edgefw_graph_input(graph, problem->coordinates, EDGEFW_INPUT_RAW, NULL);
  if (!transformer_has_depot(problem))
    return edgefw_graph_linear(graph, points, d, bias, "encoder.embedding");
  edgefw_value customers = points;
  for (const edgefw_resource *r = problem->resources; r && r->name; ++r)
    customers = edgefw_graph_concat(
        graph, customers, edgefw_graph_input(graph, r->demand, EDGEFW_INPUT_RATIO, r->capacity));
  return edgefw_graph_depot_and_customers(
      graph, edgefw_graph_linear(graph, points, d, bias, "encoder.embedding_depot"),
      edgefw_graph_linear(graph, customers, d, bias, "encoder.embedding_node"));
}

static inline edgefw_value transformer_block(edgefw_graph *graph, edgefw_value h,
                                             const edgefw_options *options,
                                             const transformer_names *names, int layer) {
  const int64_t d = edgefw_graph_width(graph, h);
  const int64_t ff_hidden = edgefw_options_int(options, "ff_hidden");
  const uint32_t bias = EDGEFW_LINEAR_BIAS;
  const edgefw_value q = edgefw_graph_linear(graph, h, d, 0, "encoder.layers.%d.Wq", layer);
  const edgefw_value k = edgefw_graph_linear(graph, h, d, 0, "encoder.layers.%d.Wk", layer);
  const edgefw_value v = edgefw_graph_linear(graph, h, d, 0, "encoder.layers.%d.Wv", layer);
  const edgefw_value attended =
      edgefw_graph_attention(graph, q, k, v, edgefw_options_int(options, "heads"));
  const edgefw_value out =
      edgefw_graph_linear(graph, attended, d, bias, "encoder.layers.%d.multi_head_combine", layer);
  const edgefw_value h1 =
      edgefw_graph_add_norm(graph, out, h, "encoder.layers.%d.%s.norm", layer, names->norm1);
  const edgefw_value hidden =
      edgefw_graph_linear(graph, h1, ff_hidden, bias | EDGEFW_LINEAR_RELU,
                          "encoder.layers.%d.%s.W1", layer, names->feed_forward);
  const edgefw_value ff = edgefw_graph_linear(graph, hidden, d, bias, "encoder.layers.%d.%s.W2",
                                              layer, names->feed_forward);
  return edgefw_graph_add_norm(graph, ff, h1, "encoder.layers.%d.%s.norm", layer, names->norm2);
}

static inline edgefw_value transformer_encode(edgefw_graph *graph, const edgefw_options *options) {
  const transformer_names *names = transformer_has_depot(edgefw_graph_problem(graph))
                                       ? &transformer_depot_names
                                       : &transformer_plain_names;
  edgefw_value h = transformer_embed(graph, edgefw_options_int(options, "embedding_dim"));
  const int layers = (int)edgefw_options_int(options, "layers");
  for (int layer = 0; layer < layers; ++layer)
    h = transformer_block(graph, h, options, names, layer);
  return h;
}

#endif
