/* The pointer decoder's projections, under the names of the published decoder. */
#include "policy/pointer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nn/graph_write.h"

/* What the current node adds to the query where there are R resources: one projection of
 * [h ; left / capacity], (d, d + R), whose last columns are w_left. Older versions called it
 * Wq_last, whatever the backbone. */
static edgefw_status write_loaded_query(const edgefw__model *model, const char *name,
                                        edgefw__policy_graph *out) {
  static const char former[] = "decoder.Wq_last.weight";
  edgefw_graph *graph = out->graph;
  const edgefw_value h = out->encoding.query;
  const int64_t d = edgefw_graph_width(graph, h), in = d + out->plan.resource_count;
  const edgefw__init init = {EDGEFW__INIT_UNIFORM, 1.0 / sqrt((double)in)};
  char layer[EDGEFW__LAYER_NAME];
  snprintf(layer, sizeof layer, "decoder.%s", name);
  out->query = edgefw__graph_parameter(graph, layer, "weight", 2, (int64_t[]){d, in}, init);
  if (out->query < 0) return graph->status;
  if (strcmp(model->parameters->items[out->query].name, former) != 0) {
    const edgefw_status status = edgefw__parameters_renamed(model->parameters, out->query, former);
    if (status != EDGEFW_OK) return status;
  }
  out->q_last = edgefw__graph_linear_with(graph, h, d, false, out->query, -1, in);
  return graph->status;
}

/* What the current and the first node add to the query. */
static edgefw_status write_query(const edgefw__model *model, edgefw__policy_graph *out) {
  edgefw_graph *graph = out->graph;
  const edgefw_backbone *backbone = &model->composition->backbone->vtable.backbone;
  const edgefw_value h = out->encoding.query;
  const int64_t d = edgefw_graph_width(graph, h);
  const char *last = backbone->query_last ? backbone->query_last : "Wq_0";
  out->query = -1;
  out->q_first = 0;
  if (out->plan.resource_count == 0) {
    out->q_last = edgefw_graph_linear(graph, h, d, 0, "decoder.%s", last);
  } else {
    const edgefw_status status = write_loaded_query(model, last, out);
    if (status != EDGEFW_OK) return status;
  }
  if (out->plan.query & EDGEFW_QUERY_FIRST)
    out->q_first = edgefw_graph_linear(graph, h, d, 0, "decoder.%s",
                                       backbone->query_first ? backbone->query_first : "Wq_1");
  return graph->status;
}

/* Keys, values and query parts; multi_head_combine (Wc, bc) is folded into the scoring keys:
 * (Wc o + bc) . h_j = o . (Wc^T h_j) + bc . h_j. */
edgefw_status edgefw__pointer_write(const edgefw__model *model, edgefw__policy_graph *out) {
  edgefw_graph *graph = out->graph;
  const edgefw_value h = out->encoding.key;
  const int64_t d = edgefw_graph_width(graph, h);
  const double bound = d > 0 ? 1.0 / sqrt((double)d) : 0.0;
  const edgefw__init init = {EDGEFW__INIT_UNIFORM, bound};
  out->keys = edgefw_graph_linear(graph, h, d, 0, "decoder.Wk");
  out->values = edgefw_graph_linear(graph, h, d, 0, "decoder.Wv");
  edgefw_status status = write_query(model, out);
  if (status != EDGEFW_OK) return status;
  int weight = -1, bias = -1;
  status = edgefw__parameters_declare(model->parameters, "decoder.multi_head_combine.weight", 2,
                                      (int64_t[]){d, d}, init, &weight);
  if (status == EDGEFW_OK)
    status = edgefw__parameters_declare(model->parameters, "decoder.multi_head_combine.bias", 1, &d,
                                        init, &bias);
  if (status != EDGEFW_OK) return status;
  out->fold = edgefw__graph_linear_with(graph, h, d, true, weight, -1, 0);
  out->fold_bias = edgefw__graph_linear_with(graph, h, 1, false, bias, -1, 0);
  return graph->status;
}
