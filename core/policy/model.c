/* From a composition to parameters and graphs. */
#include "policy/model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "policy/pointer.h"

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

const char *const edgefw__mlp_names[4] = {"decoder.edge_bias.0.weight", "decoder.edge_bias.0.bias",
                                          "decoder.edge_bias.2.weight", "decoder.edge_bias.2.bias"};

/* The feature MLP phi -> hidden -> ReLU -> 1. */
static edgefw_status declare_mlp(const edgefw__model *model, edgefw__policy_graph *out) {
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
    const edgefw_status status = edgefw__parameters_declare(
        model->parameters, edgefw__mlp_names[p], ranks[p], shapes[p], init, &out->mlp[p]);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}

/* What the problem says about rollouts. */
static void begin_plan(const edgefw__model *model, edgefw_decode_plan *plan) {
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  plan->start = problem->start;
  plan->closing = problem->closing;
  plan->query = problem->query;
  plan->resource_count = edgefw__problem_resources(problem);
}

/* The backbone's graph, and what it gives the decoder. */
static edgefw_status write_encoder(const edgefw__model *model, edgefw__policy_graph *out) {
  const edgefw__composition *composition = model->composition;
  const char *name = composition->backbone->descriptor->name;
  edgefw_graph *graph = out->graph;
  out->encoding = (edgefw_encoding){.size = sizeof out->encoding};
  composition->backbone->vtable.backbone.encode(graph, composition->backbone_options,
                                                &out->encoding);
  if (graph->status != EDGEFW_OK)
    return edgefw_note(graph->ctx, graph->status, "while composing backbone %s", name);
  const int64_t query = edgefw_graph_width(graph, out->encoding.query);
  const int64_t key = edgefw_graph_width(graph, out->encoding.key);
  if (query < 1 || key < 1)
    return edgefw_fail(graph->ctx, EDGEFW_INVALID_ARGUMENT,
                       "backbone %s gives no %s embeddings of shape (n, width)", name,
                       query < 1 ? "query" : "key");
  if (query != key)
    return edgefw_fail(graph->ctx, EDGEFW_INVALID_ARGUMENT,
                       "backbone %s gives query embeddings of width %" PRId64
                       " and key embeddings of width %" PRId64 "; the decoder needs one width",
                       name, query, key);
  return EDGEFW_OK;
}

static edgefw_status write_all(const edgefw__model *model, bool training,
                               edgefw__policy_graph *out) {
  const edgefw__composition *composition = model->composition;
  edgefw_graph *graph = out->graph;
  begin_plan(model, &out->plan);
  out->cost = edgefw_graph_field(graph, edgefw_graph_problem(graph)->objective);
  edgefw_status status = write_encoder(model, out);
  if (status != EDGEFW_OK) return status;
  const int64_t d = edgefw_graph_width(graph, out->encoding.key);
  out->plan.width = d;
  out->plan.heads = edgefw_options_int(composition->decoder, "heads");
  if (d % out->plan.heads != 0)
    return edgefw_fail(graph->ctx, EDGEFW_CONFIG,
                       "[decoder] heads = %" PRId64 " does not divide the embedding width %" PRId64
                       " of backbone %s",
                       out->plan.heads, d, composition->backbone->descriptor->name);
  status = edgefw__pointer_write(model, out);
  if (status == EDGEFW_OK) status = write_terms(model, training, out);
  if (status == EDGEFW_OK) status = declare_mlp(model, out);
  return status;
}

edgefw_status edgefw__model_write(const edgefw__model *model, int64_t n, bool training,
                                  edgefw__policy_graph *out) {
  memset(out, 0, sizeof *out);
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  edgefw_status status = edgefw__graph_create(model->parameters, problem,
                                              model->composition->problem_options, n, &out->graph);
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
  const edgefw_status status = edgefw__graph_create(
      model->parameters, problem, model->composition->problem_options, 2, &out->graph);
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

/* A model without parameters yet. */
static edgefw_status create(const edgefw__engine *engine, const edgefw__composition *composition,
                            edgefw__model **out) {
  *out = NULL;
  edgefw__model *model = edgefw_allocate(engine->ctx, 1, sizeof *model, "model");
  if (!model) return edgefw_failure(engine->ctx);
  *model = (edgefw__model){.engine = engine, .composition = composition};
  const edgefw_status status =
      edgefw__parameters_create(engine->ctx, engine->kernels, engine->device, &model->parameters);
  if (status == EDGEFW_OK)
    *out = model;
  else
    edgefw__model_destroy(model);
  return status;
}

edgefw_status edgefw__model_constructing(const edgefw__engine *engine,
                                         const edgefw__composition *composition,
                                         edgefw__model **out) {
  return create(engine, composition, out);
}

edgefw_status edgefw__model_declare(const edgefw__engine *engine,
                                    const edgefw__composition *composition, edgefw__model **out) {
  edgefw__policy_graph graph = {0};
  edgefw__model *model = NULL;
  *out = NULL;
  if (edgefw__constructs(composition))
    return edgefw_fail(engine->ctx, EDGEFW_CONFIG,
                       "variant '%s' has no model: heuristics construct its solutions",
                       composition->variant);
  edgefw_status status = create(engine, composition, &model);
  /* Shapes of parameters depend on no n: a smallest graph declares them all. */
  if (status == EDGEFW_OK) status = edgefw__model_write(model, 2, true, &graph);
  if (status == EDGEFW_OK) status = check_eval_terms(model, &graph);
  edgefw__graph_destroy(graph.graph);
  if (status != EDGEFW_OK) {
    edgefw__model_destroy(model);
    return status;
  }
  *out = model;
  return EDGEFW_OK;
}

edgefw_status edgefw__model_seal(edgefw__model *model, uint64_t seed, bool training) {
  return edgefw__parameters_seal(model->parameters, seed, training);
}

edgefw_status edgefw__model_create(const edgefw__engine *engine,
                                   const edgefw__composition *composition, uint64_t seed,
                                   bool training, edgefw__model **out) {
  edgefw_status status = edgefw__model_declare(engine, composition, out);
  if (status == EDGEFW_OK) status = edgefw__model_seal(*out, seed, training);
  if (status != EDGEFW_OK) {
    edgefw__model_destroy(*out);
    *out = NULL;
  }
  return status;
}

void edgefw__model_destroy(edgefw__model *model) {
  if (!model) return;
  edgefw__parameters_destroy(model->parameters);
  edgefw_release(model->engine->ctx, model);
}
