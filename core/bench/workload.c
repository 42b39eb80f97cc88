/* Instances and policies, part by part, with a clock. */
#include "bench/workload.h"

#include <string.h>

#include "base/clock.h"
#include "train/step.h"

/* --- Instances --- */

edgefw_status edgefw__instances_open(const edgefw__engine *engine,
                                     const edgefw__composition *composition, int64_t count,
                                     int64_t n, edgefw__instances *out) {
  *out = (edgefw__instances){.engine = engine,
                             .composition = composition,
                             .seed = (uint64_t)edgefw_options_int(composition->experiment, "seed")};
  edgefw_status status = edgefw__generator_pool_create(engine->ctx, &out->pool);
  if (status == EDGEFW_OK)
    status = edgefw__batch_create(engine->ctx, composition->problem->vtable.problem.fields, count,
                                  n, &out->batch);
  return status;
}

void edgefw__instances_close(edgefw__instances *instances) {
  edgefw_context *ctx = instances->engine->ctx;
  edgefw__batch_destroy(ctx, instances->batch);
  edgefw__generator_pool_destroy(ctx, instances->pool);
}

edgefw_status edgefw__instances_generate(edgefw__instances *instances, double *seconds) {
  const edgefw__composition *composition = instances->composition;
  const edgefw__engine *engine = instances->engine;
  const double begin = edgefw__seconds();
  const edgefw_status status = edgefw__generate_batch(
      engine->ctx, instances->pool, &composition->problem->vtable.problem,
      composition->problem_options, engine->kernels->shortest_paths, instances->seed,
      instances->next, instances->batch->capacity, instances->batch);
  *seconds = edgefw__seconds() - begin;
  instances->next += (uint64_t)instances->batch->capacity;
  return status;
}

/* --- Policies --- */

static edgefw__rollout_request request_of(const edgefw__composition *composition, bool training) {
  const edgefw_options *eval = composition->eval;
  const uint64_t seed = (uint64_t)edgefw_options_int(composition->experiment, "seed");
  if (training)
    return (edgefw__rollout_request){
        .clip = edgefw_options_real(composition->decoder, "logit_clip"),
        .select = EDGEFW_SELECT_SAMPLE,
        .sample_seed = seed,
        .advantage = edgefw_options_choice(composition->train, "advantage_norm") == 0
                         ? EDGEFW_ADVANTAGE_SHARED
                         : EDGEFW_ADVANTAGE_MAX};
  return (edgefw__rollout_request){.lengths_only = true,
                                   .clip = edgefw_options_real(eval, "logit_clip"),
                                   .select = edgefw_options_choice(eval, "select") == 0
                                                 ? EDGEFW_SELECT_GREEDY
                                                 : EDGEFW_SELECT_SAMPLE,
                                   .sample_seed = seed};
}

edgefw_status edgefw__workload_open(const edgefw__engine *engine,
                                    const edgefw__composition *composition,
                                    const edgefw__batch *batch, bool training,
                                    edgefw__workload *out) {
  edgefw_context *ctx = engine->ctx;
  const int64_t starts = training ? 0 : edgefw_options_int(composition->eval, "starts");
  *out = (edgefw__workload){.batch = batch, .request = request_of(composition, training)};
  edgefw_status status = edgefw__model_create(
      engine, composition, (uint64_t)edgefw_options_int(composition->experiment, "seed"), training,
      &out->model);
  if (status == EDGEFW_OK)
    status = edgefw__policy_create(out->model, batch->capacity, batch->n, starts, training,
                                   &out->policy);
  if (status != EDGEFW_OK) return status;
  const size_t nodes = (size_t)out->policy->graph.graph->node_count;
  out->forward = edgefw_allocate(ctx, 2 * nodes, sizeof *out->forward, "times");
  if (!out->forward) return edgefw_failure(ctx);
  out->backward = out->forward + nodes;
  return EDGEFW_OK;
}

void edgefw__workload_close(edgefw__workload *workload) {
  if (!workload->model) return;
  edgefw_release(workload->model->engine->ctx, workload->forward);
  edgefw__policy_destroy(workload->policy);
  edgefw__model_destroy(workload->model);
}

edgefw_status edgefw__workload_encode(edgefw__workload *workload, double *seconds) {
  edgefw_graph *graph = workload->policy->graph.graph;
  const double begin = edgefw__seconds();
  double last = begin;
  for (int i = 0; i < graph->node_count; ++i) {
    const edgefw_status status = edgefw__graph_forward_node(graph, i, workload->batch);
    if (status != EDGEFW_OK) return status;
    const double now = edgefw__seconds();
    workload->forward[i] = now - last;
    last = now;
  }
  *seconds = last - begin;
  return EDGEFW_OK;
}

void edgefw__workload_clear(edgefw__workload *workload, double *seconds) {
  const edgefw__parameters *parameters = workload->model->parameters;
  const edgefw__engine *engine = workload->model->engine;
  const double begin = edgefw__seconds();
  engine->kernels->zero(engine->device, parameters->gradients,
                        (size_t)parameters->total * edgefw__real_size(engine->kernels));
  edgefw__graph_zero_gradients(workload->policy->graph.graph);
  *seconds = edgefw__seconds() - begin;
}

edgefw_status edgefw__workload_decode(edgefw__workload *workload, double *seconds) {
  const double begin = edgefw__seconds();
  const edgefw_status status =
      edgefw__policy_decode(workload->policy, workload->batch, &workload->request);
  *seconds = edgefw__seconds() - begin;
  return status;
}

edgefw_status edgefw__workload_backward(edgefw__workload *workload, double *seconds) {
  edgefw_graph *graph = workload->policy->graph.graph;
  const double begin = edgefw__seconds();
  double last = begin;
  for (int i = graph->node_count - 1; i >= 0; --i) {
    const edgefw_status status = edgefw__graph_backward_node(graph, i, workload->batch->count);
    if (status != EDGEFW_OK) return status;
    const double now = edgefw__seconds();
    workload->backward[i] = now - last;
    last = now;
  }
  *seconds = last - begin;
  return EDGEFW_OK;
}

edgefw_status edgefw__workload_update(edgefw__workload *workload, double *seconds) {
  double norm = 0.0;
  const double begin = edgefw__seconds();
  const edgefw_status status =
      edgefw__step_update(workload->policy, workload->batch, ++workload->step, 0.0, &norm);
  *seconds = edgefw__seconds() - begin;
  return status;
}
