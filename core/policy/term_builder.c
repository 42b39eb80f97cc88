/* The public functions with which a score term declares its features (edgefw/term.h). */
#include "policy/term_builder.h"

#include <string.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "nn/graph_write.h"
#include "plugin/sized.h"

edgefw_graph *edgefw_term_graph(edgefw_term_builder *builder) {
  return builder->graph;
}

/* Index of a table in the plan, entered now if it is new; -1 after recording a failure. `width`: of
 * a NODE value, 0 for a PAIR. */
static int table_index(edgefw_term_builder *builder, edgefw_value table, int64_t width) {
  const bool pair = width == 0;
  const edgefw__node *node = edgefw__graph_node(builder->graph, table);
  if (builder->graph->status != EDGEFW_OK) return -1;
  if (!node || node->pair != pair || (!pair && node->width != width) || node->gradient ||
      node->spec.op->raw) {
    edgefw_graph_fail(builder->graph, EDGEFW_INVALID_ARGUMENT,
                      "a %s look-up takes a computed table of shape %s without gradient",
                      pair ? "pair" : "node",
                      pair         ? "(n,n)"
                      : width == 1 ? "(n)"
                                   : "(n,2)");
    return -1;
  }
  edgefw_decode_plan *plan = builder->plan;
  for (int t = 0; t < plan->table_count; ++t)
    if (builder->tables[t] == table) return t;
  if (plan->table_count == EDGEFW_MAX_TABLES) {
    edgefw_graph_fail(builder->graph, EDGEFW_UNSUPPORTED, "the terms use more than %d tables",
                      EDGEFW_MAX_TABLES);
    return -1;
  }
  builder->tables[plan->table_count] = table;
  plan->table_is_pair[plan->table_count] = pair;
  return plan->table_count++;
}

static void add_feature(edgefw_term_builder *builder, edgefw_feature feature) {
  if (builder->graph->status != EDGEFW_OK) return;
  edgefw_decode_plan *plan = builder->plan;
  if (plan->feature_count == EDGEFW_MAX_FEATURES) {
    edgefw_graph_fail(builder->graph, EDGEFW_UNSUPPORTED, "the terms declare more than %d features",
                      EDGEFW_MAX_FEATURES);
    return;
  }
  plan->features[plan->feature_count++] = feature;
}

static void add_pair(edgefw_term_builder *builder, edgefw_feature_kind kind, edgefw_value table,
                     edgefw_at row, edgefw_at column) {
  if (row == column || row < EDGEFW_CURRENT || row > EDGEFW_CLOSING || column < EDGEFW_CURRENT ||
      column > EDGEFW_CLOSING) {
    edgefw_graph_fail(builder->graph, EDGEFW_INVALID_ARGUMENT,
                      "row and column of a pair feature must be two different nodes");
    return;
  }
  const int index = table_index(builder, table, 0);
  add_feature(builder,
              (edgefw_feature){.kind = kind, .table = index, .row = row, .column = column});
}

void edgefw_term_pair(edgefw_term_builder *builder, edgefw_value table, edgefw_at row,
                      edgefw_at column) {
  add_pair(builder, EDGEFW_FEATURE_PAIR, table, row, column);
}

void edgefw_term_antisymmetric(edgefw_term_builder *builder, edgefw_value table, edgefw_at row,
                               edgefw_at column) {
  add_pair(builder, EDGEFW_FEATURE_ANTISYMMETRIC, table, row, column);
}

void edgefw_term_node(edgefw_term_builder *builder, edgefw_value table, edgefw_at at) {
  const int index = table_index(builder, table, 1);
  add_feature(builder, (edgefw_feature){.kind = EDGEFW_FEATURE_NODE, .table = index, .row = at});
}

void edgefw_term_remaining_min(edgefw_term_builder *builder, edgefw_value table,
                               edgefw_direction direction) {
  const int index = table_index(builder, table, 0);
  const bool out = direction == EDGEFW_OUT_OF_CANDIDATE;
  add_feature(builder, (edgefw_feature){.kind = EDGEFW_FEATURE_PATH,
                                        .path = EDGEFW_PATH_REMAINING_MIN,
                                        .table = index,
                                        .row = out ? EDGEFW_CANDIDATE : EDGEFW_CURRENT,
                                        .column = out ? EDGEFW_CLOSING : EDGEFW_CANDIDATE});
}

/* Are they the successors of an optimal assignment, and the prices of exchanges in it? Devices go
 * from node to node by the former. */
static bool are_of_a_cover(const edgefw_term_builder *builder, edgefw_value successors,
                           edgefw_value exchanges) {
  const edgefw__node *next = edgefw__graph_node(builder->graph, successors);
  const edgefw__node *price = edgefw__graph_node(builder->graph, exchanges);
  return next && price && strcmp(next->spec.op->name, "successors") == 0 &&
         strcmp(price->spec.op->name, "exchange") == 0 && price->spec.inputs[1] == successors - 1;
}

void edgefw_term_cycle_cover(edgefw_term_builder *builder, edgefw_value successors,
                             edgefw_value exchanges, edgefw_cover_number number) {
  if (number < EDGEFW_COVER_RISE || number >= EDGEFW_COVER_NUMBERS) {
    edgefw_graph_fail(builder->graph, EDGEFW_INVALID_ARGUMENT,
                      "number %d of a cycle cover; there are %d, from 0", (int)number,
                      EDGEFW_COVER_NUMBERS);
    return;
  }
  if (builder->plan->start == EDGEFW_START_EACH_CUSTOMER) {
    edgefw_graph_fail(builder->graph, EDGEFW_UNSUPPORTED,
                      "a cycle cover follows paths that visit each node once, and not those that "
                      "come back to a depot");
    return;
  }
  if (builder->graph->status == EDGEFW_OK && !are_of_a_cover(builder, successors, exchanges)) {
    edgefw_graph_fail(
        builder->graph, EDGEFW_INVALID_ARGUMENT,
        "a cycle cover takes edgefw_graph_successors and edgefw_graph_exchange of one "
        "matrix, found other tables");
    return;
  }
  const int permutation = table_index(builder, successors, 1);
  const int table = table_index(builder, exchanges, 0);
  add_feature(builder, (edgefw_feature){.kind = EDGEFW_FEATURE_PATH,
                                        .path = EDGEFW_PATH_CYCLE_COVER,
                                        .table = table,
                                        .permutation = permutation,
                                        .number = number,
                                        .row = EDGEFW_CURRENT,
                                        .column = EDGEFW_CANDIDATE});
}

void edgefw_term_state(edgefw_term_builder *builder, edgefw_state state) {
  add_feature(builder, (edgefw_feature){.kind = EDGEFW_FEATURE_STATE, .state = state});
}

/* --- Logits --- */

/* Enter a logit without tensors; its index, -1 after recording a failure. */
static int add_logit(edgefw_term_builder *builder, edgefw_logit logit) {
  if (builder->graph->status != EDGEFW_OK) return -1;
  edgefw_decode_plan *plan = builder->plan;
  if (plan->logit_count == EDGEFW_MAX_LOGITS || logit.near < 1) {
    edgefw_graph_fail(builder->graph, EDGEFW_INVALID_ARGUMENT,
                      "a near set of %" PRId64 " nodes in logit %d; at least 1 node and at most %d "
                      "logits are possible",
                      logit.near, plan->logit_count + 1, EDGEFW_MAX_LOGITS);
    return -1;
  }
  if (!(logit.epsilon >= 0.0 && isfinite(logit.epsilon))) {
    edgefw_graph_fail(builder->graph, EDGEFW_INVALID_ARGUMENT,
                      "an epsilon of %g in logit %d; expected 0 or a positive number",
                      logit.epsilon, plan->logit_count + 1);
    return -1;
  }
  const int index = plan->logit_count++;
  plan->logits[index] = logit;
  builder->logit_from[index] = 0;
  for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t) builder->logit_tensors[index][t] = -1;
  return index;
}

void edgefw_term_near_penalty(edgefw_term_builder *builder, edgefw_value table, int64_t near,
                              double far, double epsilon) {
  const int index = table_index(builder, table, 0);
  add_logit(builder, (edgefw_logit){.kind = EDGEFW_LOGIT_NEAR_PENALTY,
                                    .table = index,
                                    .points = -1,
                                    .near = near,
                                    .far = far,
                                    .epsilon = epsilon});
}

/* Name, rank and shape of LOCAL_ATTENTION's tensors; bounds as PyTorch's linear layers have them,
 * the token uniform in [-1, 1). `former`: NULL or what stood for `name`. */
static void declare_local(edgefw_term_builder *builder, int index, const char *name,
                          const char *former) {
  static const char *const suffixes[EDGEFW_LOCAL_TENSORS] = {"init_emb.weight",
                                                             "init_emb.bias",
                                                             "cur_token_emb",
                                                             "Wq.weight",
                                                             "Wk.weight",
                                                             "Wv.weight",
                                                             "multi_head_combine.weight",
                                                             "multi_head_combine.bias"};
  const int64_t inputs = builder->plan->resource_count > 0 ? 3 : 2, width = EDGEFW_LOCAL_WIDTH;
  for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t) {
    const bool vector =
        t == EDGEFW_LOCAL_EMBED_BIAS || t == EDGEFW_LOCAL_TOKEN || t == EDGEFW_LOCAL_COMBINE_BIAS;
    const bool embed = t == EDGEFW_LOCAL_EMBED || t == EDGEFW_LOCAL_EMBED_BIAS;
    const int64_t shape[2] = {width, embed ? inputs : width};
    const double bound =
        t == EDGEFW_LOCAL_TOKEN ? 1.0 : 1.0 / sqrt((double)(embed ? inputs : width));
    char full[160];
    snprintf(full, sizeof full, "decoder.%s.%s", name, suffixes[t]);
    int *tensor = &builder->logit_tensors[index][t];
    edgefw__parameters *parameters = builder->graph->parameters;
    edgefw_status status =
        edgefw__parameters_declare(parameters, full, vector ? 1 : 2, shape,
                                   (edgefw__init){EDGEFW__INIT_UNIFORM, bound}, tensor);
    if (status == EDGEFW_OK && former) {
      snprintf(full, sizeof full, "decoder.%s.%s", former, suffixes[t]);
      status = edgefw__parameters_renamed(parameters, *tensor, full);
    }
    if (status == EDGEFW_OK) continue;
    edgefw__graph_failed(builder->graph, status);
    return;
  }
}

void edgefw_term_local_attention(edgefw_term_builder *builder, edgefw_value table,
                                 edgefw_value points, const edgefw_local_attention *spec,
                                 const char *name) {
  const int distance = table_index(builder, table, 0);
  const int place = table_index(builder, points, 2);
  edgefw_local_attention own = {.from_step = 0};
  char why[160];
  if (!edgefw__sized_check(spec, offsetof(edgefw_local_attention, from_step), why, sizeof why)) {
    edgefw_graph_fail(builder->graph, EDGEFW_INVALID_ARGUMENT, "local attention %s: %s", name, why);
    return;
  }
  edgefw__sized_take(&own, sizeof own, spec);
  const int index = add_logit(builder, (edgefw_logit){.kind = EDGEFW_LOGIT_LOCAL_ATTENTION,
                                                      .table = distance,
                                                      .points = place,
                                                      .near = own.near,
                                                      .epsilon = own.epsilon});
  if (index < 0) return;
  builder->logit_from[index] = own.from_step;
  declare_local(builder, index, name, own.former);
}
