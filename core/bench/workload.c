/* Instances and policies, part by part, with a clock. */
#include "bench/workload.h"

#include <string.h>

#include "base/clock.h"
#include "nn/op.h"
#include "train/objectives/reinforce.h"
#include "train/step.h"

/* --- Instances --- */

edgefw_status edgefw__instances_open(const edgefw__engine *engine,
                                     const edgefw__composition *composition, int64_t count,
                                     int64_t n, edgefw__instances *out) {
  *out = (edgefw__instances){.engine = engine,
                             .composition = composition,
                             .seed = (uint64_t)edgefw_options_int(composition->experiment, "seed")};
  edgefw_status status = edgefw__generator_pool_create(engine->ctx, &out->pool);
  if (status == EDGEFW_OK) edgefw__generator_pool_use(out->pool, engine->kernels, engine->device);
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
      engine->ctx, instances->pool,
      &(edgefw__generate_request){.problem = &composition->problem->vtable.problem,
                                  .options = composition->problem_options,
                                  .shortest_paths = engine->kernels->shortest_paths,
                                  .seed = instances->seed,
                                  .first_id = instances->next,
                                  .count = instances->batch->capacity},
      instances->batch);
  *seconds = edgefw__seconds() - begin;
  instances->next += (uint64_t)instances->batch->capacity;
  return status;
}

/* --- Policies --- */

static edgefw__rollout_request request_of(const edgefw__composition *composition, bool training) {
  const edgefw_options *eval = composition->eval;
  const uint64_t seed = (uint64_t)edgefw_options_int(composition->experiment, "seed");
  if (training)
    return (edgefw__rollout_request){.clip =
                                         edgefw_options_real(composition->decoder, "logit_clip"),
                                     .select = EDGEFW_SELECT_SAMPLE,
                                     .sample_seed = seed,
                                     .objective = &edgefw__reinforce};
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
    status = edgefw__policy_create(out->model, batch->capacity, batch->n,
                                   edgefw__policy_rollouts(out->model, batch->n, starts), training,
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

static const edgefw__engine *engine_of(const edgefw__workload *workload) {
  return workload->model->engine;
}

/* When the device has done everything: the seconds since `begin`. */
static edgefw_status stop_clock(const edgefw__workload *workload, double begin, double *seconds) {
  const edgefw_status status = edgefw__engine_finish(engine_of(workload));
  *seconds = edgefw__seconds() - begin;
  return status;
}

static bool is_timed(const edgefw__workload *workload, int index) {
  const edgefw_graph *graph = workload->policy->graph.graph;
  return workload->by_node || !engine_of(workload)->kernels->finish ||
         graph->nodes[index].spec.op->timed_apart;
}

/* One node's forward or backward, and how long it took if that is wanted. */
static edgefw_status run_node(edgefw__workload *workload, int index, bool backward) {
  edgefw_graph *graph = workload->policy->graph.graph;
  const bool timed = is_timed(workload, index);
  double *times = backward ? workload->backward : workload->forward;
  double waited = 0.0;
  edgefw_status status = timed ? stop_clock(workload, 0.0, &waited) : EDGEFW_OK;
  const double begin = edgefw__seconds();
  if (status == EDGEFW_OK)
    status = backward ? edgefw__graph_backward_node(graph, index, workload->batch->count)
                      : edgefw__graph_forward_node(graph, index, workload->batch);
  if (status == EDGEFW_OK && timed) status = stop_clock(workload, begin, &times[index]);
  return status;
}

edgefw_status edgefw__workload_encode(edgefw__workload *workload, double *seconds) {
  const int count = workload->policy->graph.graph->node_count;
  const double begin = edgefw__seconds();
  edgefw_status status = EDGEFW_OK;
  for (int i = 0; i < count && status == EDGEFW_OK; ++i) status = run_node(workload, i, false);
  return status == EDGEFW_OK ? stop_clock(workload, begin, seconds) : status;
}

edgefw_status edgefw__workload_clear(edgefw__workload *workload, double *seconds) {
  const edgefw__parameters *parameters = workload->model->parameters;
  const edgefw__engine *engine = engine_of(workload);
  const double begin = edgefw__seconds();
  engine->kernels->zero(engine->device, parameters->gradients,
                        (size_t)parameters->total * edgefw__real_size(engine->kernels));
  edgefw__graph_zero_gradients(workload->policy->graph.graph);
  return stop_clock(workload, begin, seconds);
}

edgefw_status edgefw__workload_decode(edgefw__workload *workload, double *seconds) {
  const double begin = edgefw__seconds();
  const edgefw_status status =
      edgefw__policy_decode(workload->policy, workload->batch, &workload->request);
  return status == EDGEFW_OK ? stop_clock(workload, begin, seconds) : status;
}

edgefw_status edgefw__workload_backward(edgefw__workload *workload, double *seconds) {
  const int count = workload->policy->graph.graph->node_count;
  const double begin = edgefw__seconds();
  edgefw_status status = EDGEFW_OK;
  for (int i = count - 1; i >= 0 && status == EDGEFW_OK; --i) status = run_node(workload, i, true);
  return status == EDGEFW_OK ? stop_clock(workload, begin, seconds) : status;
}

edgefw_status edgefw__workload_update(edgefw__workload *workload, double *seconds) {
  double norm = 0.0;
  const double begin = edgefw__seconds();
  const edgefw_status status =
      edgefw__step_update(workload->policy, workload->batch, ++workload->step, 0.0, &norm);
  return status == EDGEFW_OK ? stop_clock(workload, begin, seconds) : status;
}
