/* From a composition to parameters and graphs; the pointer decoder's projections live here. */
#include "policy/model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- The policy's graph --- */

static edgefw_status write_terms(const edgefw__model *model, bool training,
                                 edgefw__policy_graph *out) {
  const edgefw__composition *composition = model->composition;
  const edgefw__term_list *terms = training ? &composition->terms : &composition->eval_terms;
  edgefw_term_builder builder = {.graph = out->graph, .plan = &out->plan};
  for (int t = 0; t < terms->count; ++t) {
    const edgefw__plugin *term = terms->plugins[t];
    const int before = out->plan.feature_count + out->plan.logit_count;
    term->vtable.term.declare(&builder, terms->options[t]);
    if (out->graph->status != EDGEFW_OK)
      return edgefw_note(out->graph->ctx, out->graph->status, "while composing term %s",
                         term->descriptor->name);
    if (out->plan.feature_count + out->plan.logit_count == before)
      return edgefw_fail(out->graph->ctx, EDGEFW_INVALID_ARGUMENT,
                         "term %s declares neither feature nor logit", term->descriptor->name);
  }
  memcpy(out->tables, builder.tables, sizeof out->tables);
  memcpy(out->logit_tensors, builder.logit_tensors, sizeof out->logit_tensors);
  memcpy(out->logit_from, builder.logit_from, sizeof out->logit_from);
  return EDGEFW_OK;
}

/* The feature MLP phi -> hidden -> ReLU -> 1, under the names of the published decoder. */
static edgefw_status declare_mlp(const edgefw__model *model, edgefw__policy_graph *out) {
  static const char *const names[4] = {"decoder.edge_bias.0.weight", "decoder.edge_bias.0.bias",
                                       "decoder.edge_bias.2.weight", "decoder.edge_bias.2.bias"};
  const edgefw_options *options = model->composition->decoder;
  const int64_t hidden = edgefw_options_int(options, "edge_hidden");
  const int64_t features = out->plan.feature_count;
  out->plan.hidden = (int)hidden;
  for (int p = 0; p < 4; ++p) out->mlp[p] = -1;
  if (features == 0) return EDGEFW_OK;
  const int64_t shapes[4][2] = {{hidden, features}, {hidden, 0}, {1, hidden}, {1, 0}};
  const int ranks[4] = {2, 1, 2, 1};
  const bool zero = edgefw_options_choice(options, "edge_mlp_init") == 1;
  for (int p = 0; p < 4; ++p) {
    const double fan_in = (double)(p < 2 ? features : hidden);
    edgefw__init init = {EDGEFW__INIT_UNIFORM, 1.0 / sqrt(fan_in)};
    if (p >= 2 && zero) init = (edgefw__init){EDGEFW__INIT_CONSTANT, 0.0};
    const edgefw_status status = edgefw__parameters_declare(model->parameters, names[p], ranks[p],
                                                            shapes[p], init, &out->mlp[p]);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}

/* What the current and the first node add to the query. With R resources the projection of the
 * current node is one of [h ; left / capacity], (d, d + R): its last columns are w_left. */
static edgefw_status write_query(const edgefw__model *model, edgefw__policy_graph *out) {
  edgefw_graph *graph = out->graph;
  const edgefw_backbone *backbone = &model->composition->backbone->vtable.backbone;
  const edgefw_value h = out->embeddings;
  const int64_t d = edgefw_graph_width(graph, h);
  out->query = -1;
  out->q_first = 0;
  if (out->plan.resource_count == 0) {
    out->q_last = edgefw_graph_linear(graph, h, d, 0, "decoder.%s",
                                      backbone->query_last ? backbone->query_last : "Wq_0");
  } else {
    const int64_t in = d + out->plan.resource_count;
    const edgefw_status status = edgefw__parameters_declare(
        model->parameters, "decoder.Wq_last.weight", 2, (int64_t[]){d, in},
        (edgefw__init){EDGEFW__INIT_UNIFORM, 1.0 / sqrt((double)in)}, &out->query);
    if (status != EDGEFW_OK) return status;
    out->q_last = edgefw__graph_linear_with(graph, h, d, false, out->query, -1, in);
  }
  if (out->plan.query & EDGEFW_QUERY_FIRST)
    out->q_first = edgefw_graph_linear(graph, h, d, 0, "decoder.%s",
                                       backbone->query_first ? backbone->query_first : "Wq_1");
  return graph->status;
}

/* Keys, values and query parts; multi_head_combine (Wc, bc) is folded into the scoring keys:
 * (Wc o + bc) . h_j = o . (Wc^T h_j) + bc . h_j. */
static edgefw_status write_pointer(const edgefw__model *model, edgefw__policy_graph *out) {
  edgefw_graph *graph = out->graph;
  const edgefw_value h = out->embeddings;
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

/* What the problem says about rollouts. */
static void begin_plan(const edgefw__model *model, edgefw_decode_plan *plan) {
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  plan->start = problem->start;
  plan->closing = problem->closing;
  plan->query = problem->query;
  plan->resource_count = edgefw__problem_resources(problem);
}

static edgefw_status write_all(const edgefw__model *model, bool training,
                               edgefw__policy_graph *out) {
  const edgefw__composition *composition = model->composition;
  edgefw_graph *graph = out->graph;
  begin_plan(model, &out->plan);
  out->embeddings =
      composition->backbone->vtable.backbone.encode(graph, composition->backbone_options);
  if (graph->status != EDGEFW_OK)
    return edgefw_note(graph->ctx, graph->status, "while composing backbone %s",
                       composition->backbone->descriptor->name);
  const int64_t d = edgefw_graph_width(graph, out->embeddings);
  if (d < 1)
    return edgefw_fail(graph->ctx, EDGEFW_INVALID_ARGUMENT,
                       "backbone %s returns no embeddings of shape (n, width)",
                       composition->backbone->descriptor->name);
  out->plan.width = d;
  out->plan.heads = edgefw_options_int(composition->decoder, "heads");
  if (d % out->plan.heads != 0)
    return edgefw_fail(graph->ctx, EDGEFW_CONFIG,
                       "[decoder] heads = %" PRId64 " does not divide the embedding width %" PRId64
                       " of backbone %s",
                       out->plan.heads, d, composition->backbone->descriptor->name);
  edgefw_status status = write_pointer(model, out);
  if (status == EDGEFW_OK) status = write_terms(model, training, out);
  if (status == EDGEFW_OK) status = declare_mlp(model, out);
  return status;
}

edgefw_status edgefw__model_write(const edgefw__model *model, int64_t n, bool training,
                                  edgefw__policy_graph *out) {
  memset(out, 0, sizeof *out);
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  edgefw_status status = edgefw__graph_create(model->parameters, problem, n, &out->graph);
  if (status == EDGEFW_OK) status = write_all(model, training, out);
  if (status != EDGEFW_OK) {
    edgefw__graph_destroy(out->graph);
    out->graph = NULL;
  }
  return status;
}

/* --- The model --- */

/* The terms of evaluation alone: the feature MLP of other features would be another shape of the
 * same parameters. */
static edgefw_status write_eval_terms(const edgefw__model *model, edgefw__policy_graph *out) {
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  const edgefw_status status = edgefw__graph_create(model->parameters, problem, 2, &out->graph);
  if (status != EDGEFW_OK) return status;
  begin_plan(model, &out->plan);
  return write_terms(model, false, out);
}

/* Evaluation may leave logits out or add such that learn nothing; it cannot change what the feature
 * MLP was trained on. */
static edgefw_status check_eval_terms(const edgefw__model *model,
                                      const edgefw__policy_graph *trained) {
  const edgefw__composition *composition = model->composition;
  const edgefw__parameters *parameters = model->parameters;
  const int before = parameters->item_count;
  edgefw__policy_graph graph = {0};
  if (composition->eval_terms.count == composition->terms.count &&
      memcmp(composition->eval_terms.plugins, composition->terms.plugins,
             sizeof composition->terms.plugins) == 0)
    return EDGEFW_OK;
  const edgefw_decode_plan *plan = &graph.plan;
  edgefw_status status = write_eval_terms(model, &graph);
  if (status == EDGEFW_OK &&
      (plan->feature_count != trained->plan.feature_count ||
       memcmp(plan->features, trained->plan.features, sizeof plan->features) != 0))
    status =
        edgefw_fail(model->engine->ctx, EDGEFW_CONFIG,
                    "[eval] terms have other features (%d) than [decoder] terms (%d): features "
                    "are trained together; only logit terms can be left out or added",
                    plan->feature_count, trained->plan.feature_count);
  if (status == EDGEFW_OK && parameters->item_count != before)
    status = edgefw_fail(model->engine->ctx, EDGEFW_CONFIG,
                         "[eval] terms would need the parameter %s, which [decoder] terms do not "
                         "train",
                         parameters->items[before].name);
  edgefw__graph_destroy(graph.graph);
  return status;
}

edgefw_status edgefw__model_create(const edgefw__engine *engine,
                                   const edgefw__composition *composition, uint64_t seed,
                                   bool training, edgefw__model **out) {
  *out = NULL;
  edgefw__policy_graph graph = {0};
  edgefw__model *model = edgefw_allocate(engine->ctx, 1, sizeof *model, "model");
  if (!model) return edgefw_failure(engine->ctx);
  *model = (edgefw__model){.engine = engine, .composition = composition};
  edgefw_status status =
      edgefw__parameters_create(engine->ctx, engine->kernels, engine->device, &model->parameters);
  /* Shapes of parameters depend on no n: a smallest graph declares them all. */
  if (status == EDGEFW_OK) status = edgefw__model_write(model, 2, true, &graph);
  if (status == EDGEFW_OK) status = check_eval_terms(model, &graph);
  if (status == EDGEFW_OK) status = edgefw__parameters_seal(model->parameters, seed, training);
  edgefw__graph_destroy(graph.graph);
  if (status != EDGEFW_OK) {
    edgefw__model_destroy(model);
    return status;
  }
  *out = model;
  return EDGEFW_OK;
}

void edgefw__model_destroy(edgefw__model *model) {
  if (!model) return;
  edgefw__parameters_destroy(model->parameters);
  edgefw_release(model->engine->ctx, model);
}
