/* The transformer over coordinates, written as a graph. */
#include "transformer.h"

#include <stdio.h>

#include "encoder.h"

bool transformer_supports(const edgefw_problem *problem, const edgefw_options *options, char *why,
                          size_t why_size) {
  if (problem->coordinates) return encoder_supports(options, why, why_size);
  snprintf(why, why_size, "it needs coordinates, and the problem has a cost matrix only");
  return false;
}

/* Names of a block's parts. */
typedef struct block_names {
  const char *norm1, *norm2, *feed_forward;
} block_names;

static const block_names plain_names = {"addAndNormalization1", "addAndNormalization2",
                                        "feedForward"};
static const block_names depot_names = {"add_n_normalization_1", "add_n_normalization_2",
                                        "feed_forward"};

static bool has_depot(const edgefw_problem *problem) {
  return problem->start == EDGEFW_START_EACH_CUSTOMER;
}

static edgefw_value embed(edgefw_graph *graph, int64_t d) {
  const edgefw_problem *problem = edgefw_graph_problem(graph);
  const uint32_t bias = EDGEFW_LINEAR_BIAS;
  const edgefw_value points =
      edgefw_graph_input(graph, problem->coordinates, EDGEFW_INPUT_RAW, NULL);
  if (!has_depot(problem)) return edgefw_graph_linear(graph, points, d, bias, "encoder.embedding");
  edgefw_value customers = points;
  for (const edgefw_resource *r = problem->resources; r && r->name; ++r)
    customers = edgefw_graph_concat(
        graph, customers, edgefw_graph_input(graph, r->demand, EDGEFW_INPUT_RATIO, r->capacity));
  return edgefw_graph_depot_and_customers(
      graph, edgefw_graph_linear(graph, points, d, bias, "encoder.embedding_depot"),
      edgefw_graph_linear(graph, customers, d, bias, "encoder.embedding_node"));
}

static edgefw_value block(edgefw_graph *graph, edgefw_value h, const edgefw_options *options,
                          const block_names *names, int layer) {
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

void transformer_encode(edgefw_graph *graph, const edgefw_options *options, edgefw_encoding *out) {
  const block_names *names = has_depot(edgefw_graph_problem(graph)) ? &depot_names : &plain_names;
  edgefw_value h = embed(graph, edgefw_options_int(options, "embedding_dim"));
  const int layers = (int)edgefw_options_int(options, "layers");
  for (int layer = 0; layer < layers; ++layer) h = block(graph, h, options, names, layer);
  out->query = out->key = h;
}
