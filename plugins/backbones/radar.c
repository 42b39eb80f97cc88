/* Backbone `radar` (RADAR; "Edge-aware Decoding for Neural Asymmetric Routing", appendix RADAR
 * baseline): spectral features of the cost matrix, then blocks of mixed-score attention.
 *   Dn = z-score(D) = U S V^T;  X = [U S^1/2 | V S^1/2]  (n, 2k);  H = X W^T + b  (n, d)
 *   (where visits use something up, X has one more column: demand / (all demand + 1e-6))
 *   per block:  A = Sinkhorn(MLP[q_i.k_j / sqrt(d_h), Dn_ij, Dn_ji])
 *               H1 = InstanceNorm(H + combine(A V));  H = InstanceNorm(H1 + FF(H1))
 * Defaults are the published ones (d=256, H=8, L=5, ff=512, mix 16, k=10). */
#include "shared/encoder.h"

static const edgefw_option options_table[] = {
    ENCODER_OPTIONS("256", "5", "8", "512"),
    {.key = "mix_hidden",
     .type = EDGEFW_OPTION_INT,
     .fallback = "16",
     .min = 1,
     .max = 1024,
     .help = "hidden width of the score-mixing MLP"},
    {.key = "mix1_init",
     .type = EDGEFW_OPTION_REAL,
     .fallback = "0.7071067811865476",
     .min = 0,
     .max = 100,
     .help = "first mixing layer starts uniform in +- this"},
    {.key = "mix2_init",
     .type = EDGEFW_OPTION_REAL,
     .fallback = "0.25",
     .min = 0,
     .max = 100,
     .help = "second mixing layer starts uniform in +- this"},
    {.key = "svd_rank",
     .type = EDGEFW_OPTION_INT,
     .fallback = "10",
     .min = 1,
     .max = 1024,
     .help = "rank k of the spectral features; columns beyond the nodes are 0"},
    {.key = "svd",
     .type = EDGEFW_OPTION_CHOICE,
     .choices = "exact|randomized|published",
     .fallback = "exact",
     .help =
         "exact factors, or those of a randomised range finder with a fixed test matrix, of ten "
         "more columns than svd_rank (randomized) or as many (published)"},
    {.key = "attention",
     .type = EDGEFW_OPTION_CHOICE,
     .choices = "sinkhorn|softmax",
     .fallback = "sinkhorn",
     .help = "normalisation of the attention scores"},
    {.key = "sinkhorn_iterations",
     .type = EDGEFW_OPTION_INT,
     .fallback = "10",
     .min = 1,
     .max = 100,
     .help = "row and column normalisations (attention = sinkhorn)"},
    {.key = NULL}};

static bool supports(const edgefw_problem *problem, const edgefw_options *options, char *why,
                     size_t why_size) {
  (void)problem; /* every problem has an objective, and that is a matrix */
  return encoder_supports(options, why, why_size);
}

/* Columns of the SVD's test matrix: none, or with the usual oversampling, or without any, as the
 * published programs call torch.svd_lowrank. */
static int64_t test_columns(const edgefw_options *options) {
  const int64_t rank = edgefw_options_int(options, "svd_rank");
  switch (edgefw_options_choice(options, "svd")) {
  case 0: return 0;
  case 1: return rank + 10;
  default: return rank;
  }
}

/* Spectral features of the cost, and each node's share of what is demanded. */
static edgefw_value features(edgefw_graph *graph, const edgefw_options *options,
                             edgefw_value cost) {
  edgefw_value x = edgefw_graph_svd_features(graph, cost, edgefw_options_int(options, "svd_rank"),
                                             test_columns(options));
  for (const edgefw_resource *r = edgefw_graph_problem(graph)->resources; r && r->name; ++r)
    x = edgefw_graph_concat(graph, x,
                            edgefw_graph_input(graph, r->demand, EDGEFW_INPUT_SHARE, NULL));
  return x;
}

static edgefw_value block(edgefw_graph *graph, edgefw_value h, edgefw_value cost,
                          const edgefw_mixed_attention *attention, int64_t ff_hidden, int layer) {
  const int64_t d = edgefw_graph_width(graph, h);
  const uint32_t bias = EDGEFW_LINEAR_BIAS;
  const edgefw_value q = edgefw_graph_linear(graph, h, d, bias, "encoder.layers.%d.Wq", layer);
  const edgefw_value k = edgefw_graph_linear(graph, h, d, bias, "encoder.layers.%d.Wk", layer);
  const edgefw_value v = edgefw_graph_linear(graph, h, d, 0, "encoder.layers.%d.Wv", layer);
  const edgefw_value heads = edgefw_graph_mixed_attention(
      graph, q, k, v, cost, attention, "encoder.layers.%d.mixed_score_MHA", layer);
  const edgefw_value out =
      edgefw_graph_linear(graph, heads, d, bias, "encoder.layers.%d.multi_head_combine", layer);
  const edgefw_value h1 =
      edgefw_graph_add_norm(graph, out, h, "encoder.layers.%d.add_n_normalization_1.norm", layer);
  const edgefw_value hidden = edgefw_graph_linear(graph, h1, ff_hidden, bias | EDGEFW_LINEAR_RELU,
                                                  "encoder.layers.%d.feed_forward.W1", layer);
  const edgefw_value ff =
      edgefw_graph_linear(graph, hidden, d, bias, "encoder.layers.%d.feed_forward.W2", layer);
  return edgefw_graph_add_norm(graph, ff, h1, "encoder.layers.%d.add_n_normalization_2.norm",
                               layer);
}

static void encode(edgefw_graph *graph, const edgefw_options *options, edgefw_encoding *out) {
  const int64_t d = edgefw_options_int(options, "embedding_dim");
  const edgefw_mixed_attention attention = {
      .size = sizeof attention,
      .heads = edgefw_options_int(options, "heads"),
      .hidden = edgefw_options_int(options, "mix_hidden"),
      .norm = edgefw_options_choice(options, "attention") == 0 ? EDGEFW_ATTENTION_SINKHORN
                                                               : EDGEFW_ATTENTION_SOFTMAX,
      .iterations = (int)edgefw_options_int(options, "sinkhorn_iterations"),
      .mix1_init = edgefw_options_real(options, "mix1_init"),
      .mix2_init = edgefw_options_real(options, "mix2_init"),
  };
  const char *objective = edgefw_graph_problem(graph)->objective;
  const edgefw_value cost = edgefw_graph_zscore(graph, edgefw_graph_field(graph, objective));
  edgefw_value h = edgefw_graph_linear(graph, features(graph, options, cost), d, EDGEFW_LINEAR_BIAS,
                                       "projection");
  const int layers = (int)edgefw_options_int(options, "layers");
  for (int layer = 0; layer < layers; ++layer) {
    h = block(graph, h, cost, &attention, edgefw_options_int(options, "ff_hidden"), layer);
    /* Published state dicts carry one more linear layer per block that their forward never uses. */
    edgefw_graph_foreign_parameter(graph, 2, (int64_t[]){d, d}, "encoder.layers.%d.g_layer.weight",
                                   layer);
    edgefw_graph_foreign_parameter(graph, 1, &d, "encoder.layers.%d.g_layer.bias", layer);
  }
  /* ... and on problems that do not ask for the first node its projection all the same. */
  if (!(edgefw_graph_problem(graph)->query & EDGEFW_QUERY_FIRST))
    edgefw_graph_foreign_parameter(graph, 2, (int64_t[]){d, d}, "decoder.Wq_1.weight");
  out->query = out->key = h;
}

static const edgefw_backbone backbone = {
    .size = sizeof(edgefw_backbone), .supports = supports, .encode = encode};

EDGEFW_PLUGIN(EDGEFW_KIND_BACKBONE, "radar", "1.0.0",
              "SVD features and Sinkhorn-normalised mixed-score attention over the cost matrix",
              &backbone, options_table);
