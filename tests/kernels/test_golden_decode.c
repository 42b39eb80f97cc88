/* The decode operation of every device against golden values of an independent implementation
 * (tests/golden/make_golden.py): from golden embeddings and parameters to logits, probabilities,
 * lengths, the loss, and the gradients of all decoder parameters.
 * labels: golden */
#include "support/test.h"

#include <stdlib.h>

#include "support/golden_device.h"
#include "train/objectives/reinforce.h"

enum { B = 2, N = 6, S = N, D = 8, HEADS = 2, HIDDEN = 8, NODES = B * N, PAIRS = B * N * N };

/* --- The three terms, as they are declared ---------------------------------------------------- */

enum { TABLE_COST, TABLE_ROW_MIN, TABLE_COLUMN_MIN };

static void add_feature(edgefw_decode_plan *plan, edgefw_feature_kind kind, int table,
                        edgefw_at row, edgefw_at column) {
  plan->features[plan->feature_count++] =
      (edgefw_feature){.kind = kind, .table = table, .row = row, .column = column};
}

static void add_edge(edgefw_decode_plan *plan) {
  add_feature(plan, EDGEFW_FEATURE_PAIR, TABLE_COST, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  add_feature(plan, EDGEFW_FEATURE_PAIR, TABLE_COST, EDGEFW_CANDIDATE, EDGEFW_CURRENT);
  add_feature(plan, EDGEFW_FEATURE_ANTISYMMETRIC, TABLE_COST, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
}

static void add_closure(edgefw_decode_plan *plan) {
  add_feature(plan, EDGEFW_FEATURE_PAIR, TABLE_COST, EDGEFW_CANDIDATE, EDGEFW_CLOSING);
}

static void add_lookahead(edgefw_decode_plan *plan) {
  add_feature(plan, EDGEFW_FEATURE_NODE, TABLE_ROW_MIN, EDGEFW_CANDIDATE, EDGEFW_CANDIDATE);
  add_feature(plan, EDGEFW_FEATURE_NODE, TABLE_COLUMN_MIN, EDGEFW_CANDIDATE, EDGEFW_CANDIDATE);
}

static edgefw_decode_plan new_plan(void) {
  return (edgefw_decode_plan){.start = EDGEFW_START_EACH_NODE,
                              .closing = EDGEFW_CLOSE_AT_START,
                              .query = EDGEFW_QUERY_FIRST,
                              .heads = HEADS,
                              .width = D,
                              .hidden = HIDDEN,
                              .table_count = 3,
                              .table_is_pair = {true, false, false}};
}

/* --- Linear layers around the decoder --------------------------------------------------------- */

/* y (nodes,out) = embeddings times the golden parameter `name`; its gradient array included. */
static edgefw_linear_args layer(golden_device *g, const void *embeddings, const char *name,
                                int64_t out, bool transposed) {
  edgefw_linear_args args = {
      .rows = NODES, .in = D, .out = out, .transposed = transposed, .x = embeddings};
  args.w = golden_input(g, "parameters", name, out * D);
  args.y = golden_zeros(g, NODES * out);
  args.dy = golden_zeros(g, NODES * out);
  args.dw = golden_zeros(g, out * D);
  ks_ok(g->d, g->d->k->linear_forward(g->d->device, &args));
  return args;
}

static void expect_layer_gradient(golden_device *g, const edgefw_linear_args *args,
                                  const char *name) {
  ks_ok(g->d, g->d->k->linear_backward(g->d->device, args));
  golden_expect(g, args->dw, "gradients", name, args->out * D);
}

static void fill_tables(golden_device *g, edgefw_decode_args *args) {
  void *cost = golden_zeros(g, PAIRS), *row = golden_zeros(g, NODES),
       *column = golden_zeros(g, NODES);
  const edgefw_kernels *k = g->d->k;
  edgefw_table_args table = {.batch = B, .nodes = N, .pair = args->cost, .out = cost};
  ks_ok(g->d, k->zscore(g->d->device, &table));
  golden_expect(g, cost, "", "zscore", PAIRS);
  table.pair = cost;
  table.out = row;
  ks_ok(g->d, k->row_min(g->d->device, &table));
  table.out = column;
  ks_ok(g->d, k->column_min(g->d->device, &table));
  args->tables[TABLE_COST] = cost;
  args->tables[TABLE_ROW_MIN] = row;
  args->tables[TABLE_COLUMN_MIN] = column;
}

/* The MLP over the features and its gradients; nothing without features. */
static void fill_mlp(golden_device *g, edgefw_decode_args *args) {
  const int64_t features = args->plan->feature_count;
  if (features == 0) return;
  args->weights.mlp.w1 =
      golden_input(g, "parameters", "decoder.edge_bias.0.weight", HIDDEN * features);
  args->weights.mlp.b1 = golden_input(g, "parameters", "decoder.edge_bias.0.bias", HIDDEN);
  args->weights.mlp.w2 = golden_input(g, "parameters", "decoder.edge_bias.2.weight", HIDDEN);
  args->weights.mlp.b2 = golden_input(g, "parameters", "decoder.edge_bias.2.bias", 1);
  args->gradients.mlp.w1 = golden_zeros(g, HIDDEN * features);
  args->gradients.mlp.b1 = golden_zeros(g, HIDDEN);
  args->gradients.mlp.w2 = golden_zeros(g, HIDDEN);
  args->gradients.mlp.b2 = golden_zeros(g, 1);
}

static void expect_mlp_gradients(golden_device *g, const edgefw_decode_args *args) {
  const int64_t features = args->plan->feature_count;
  if (features == 0) return;
  golden_expect(g, args->gradients.mlp.w1, "gradients", "decoder.edge_bias.0.weight",
                HIDDEN * features);
  golden_expect(g, args->gradients.mlp.b1, "gradients", "decoder.edge_bias.0.bias", HIDDEN);
  golden_expect(g, args->gradients.mlp.w2, "gradients", "decoder.edge_bias.2.weight", HIDDEN);
  golden_expect(g, args->gradients.mlp.b2, "gradients", "decoder.edge_bias.2.bias", 1);
}

/* --- The decoder ------------------------------------------------------------------------------ */

enum { KEYS, VALUES, Q_LAST, Q_FIRST, FOLD, FOLD_BIAS, LAYERS };

static const char *const layer_names[LAYERS] = {"decoder.Wk.weight",
                                                "decoder.Wv.weight",
                                                "decoder.Wq_0.weight",
                                                "decoder.Wq_1.weight",
                                                "decoder.multi_head_combine.weight",
                                                "decoder.multi_head_combine.bias"};

static void fill_layers(golden_device *g, edgefw_linear_args layers[LAYERS],
                        edgefw_decode_args *args) {
  const void *embeddings = golden_input(g, "", "encoder", NODES * D);
  for (int l = 0; l < LAYERS; ++l)
    layers[l] = layer(g, embeddings, layer_names[l], l == FOLD_BIAS ? 1 : D, l == FOLD);
  args->weights.pointer.keys = layers[KEYS].y;
  args->weights.pointer.values = layers[VALUES].y;
  args->weights.pointer.q_last = layers[Q_LAST].y;
  args->weights.pointer.q_first = layers[Q_FIRST].y;
  args->weights.pointer.fold = layers[FOLD].y;
  args->weights.pointer.fold_bias = layers[FOLD_BIAS].y;
  args->gradients.pointer.keys = layers[KEYS].dy;
  args->gradients.pointer.values = layers[VALUES].dy;
  args->gradients.pointer.q_last = layers[Q_LAST].dy;
  args->gradients.pointer.q_first = layers[Q_FIRST].dy;
  args->gradients.pointer.fold = layers[FOLD].dy;
  args->gradients.pointer.fold_bias = layers[FOLD_BIAS].dy;
}

/* The logits come back as host reals. */
static void expect_logits(const golden_device *g, const void *logits) {
  double values[B * S * N * N];
  for (int i = 0; i < B * S * N * N; ++i)
    values[i] = g->d->k->dtype == EDGEFW_F64 ? ((const double *)logits)[i]
                                             : (double)((const float *)logits)[i];
  golden_expect_values(g, values, "", "logits", B * S * N * N, g->tolerance);
}

/* edgefw_decode_args.weigh; the user is the instances' losses. */
static void reinforce(void *user, int64_t instance, int64_t rollouts, const double *lengths,
                      const double *log_probability, double *weights) {
  const edgefw__outcome outcome = {instance, B, rollouts, lengths, log_probability};
  edgefw__objective_weigh(&edgefw__reinforce, &outcome, weights, (double *)user + instance);
}

static void decode_with(golden_device *g, const edgefw_decode_plan *plan) {
  static const uint64_t ids[B] = {0, 1};
  double cost[PAIRS], golden_tours[B * S * N];
  double lengths[B * S], log_probability[B * S], losses[B];
  int32_t tours[B * S * N];
  golden_read(g->file, "cost", PAIRS, cost);
  golden_read(g->file, "tours", B * S * N, golden_tours);
  for (int i = 0; i < B * S * N; ++i) tours[i] = (int32_t)golden_tours[i];

  edgefw_decode_args args = {.plan = plan, .batch = B, .nodes = N, .rollouts = S, .steps = N};
  edgefw_linear_args layers[LAYERS];
  args.cost = golden_exact(g, cost, PAIRS);
  args.selection.clip = 10.0;
  args.selection.instance_ids = ids;
  args.selection.select = EDGEFW_SELECT_FORCED;
  args.tours = tours;
  args.lengths = lengths;
  args.log_probability = log_probability;
  args.logits = ks_zeros(B * S * N * N); /* room for reals of either kind */
  args.weigh = reinforce;
  args.weigh_user = losses;
  args.train = true;
  fill_layers(g, layers, &args);
  fill_tables(g, &args);
  fill_mlp(g, &args);
  ks_ok(g->d, g->d->k->decode(g->d->device, &args));

  expect_logits(g, args.logits);
  free(args.logits);
  golden_expect_values(g, lengths, "", "lengths", B * S, 1e-12);
  golden_expect_values(g, log_probability, "", "log_probability", B * S, g->tolerance);
  const double loss = (losses[0] + losses[1]) / B;
  golden_expect_values(g, &loss, "", "loss", 1, g->tolerance);
  expect_mlp_gradients(g, &args);
  for (int l = 0; l < LAYERS; ++l) expect_layer_gradient(g, &layers[l], layer_names[l]);
}

static void run_all_terms(golden_device *g) {
  edgefw_decode_plan plan = new_plan();
  add_edge(&plan);
  add_closure(&plan);
  add_lookahead(&plan);
  decode_with(g, &plan);
}

static void run_no_term(golden_device *g) {
  const edgefw_decode_plan plan = new_plan();
  decode_with(g, &plan);
}

static void run_edge_alone(golden_device *g) {
  edgefw_decode_plan plan = new_plan();
  add_edge(&plan);
  decode_with(g, &plan);
}

static void all_terms(void **state) {
  golden_on_devices(*state, "radar_ours", run_all_terms);
}
static void no_term(void **state) {
  golden_on_devices(*state, "radar_plain", run_no_term);
}
static void edge_alone(void **state) {
  golden_on_devices(*state, "radar_softmax", run_edge_alone);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_terms), cmocka_unit_test(no_term),
                                     cmocka_unit_test(edge_alone)};
  return test_run(tests, ks_setup, ks_teardown);
}
