/* Running a model: encoder forward, decode loop, and backward through both. */
#include "policy/policy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

int64_t edgefw__policy_rollouts(const edgefw__model *model, int64_t n, int64_t starts) {
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  const int64_t all = edgefw__problem_has_depot(problem) ? n - 1 : n;
  return starts > 0 && starts < all ? starts : all;
}

edgefw_status edgefw__policy_create(edgefw__model *model, int64_t capacity, int64_t n,
                                    int64_t rollouts, bool training, edgefw__policy **out) {
  *out = NULL;
  edgefw_context *ctx = model->engine->ctx;
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  edgefw__policy *policy = edgefw_allocate(ctx, 1, sizeof *policy, "policy");
  if (!policy) return edgefw_failure(ctx);
  *policy = (edgefw__policy){.model = model,
                             .capacity = capacity,
                             .n = n,
                             .rollouts = edgefw__policy_rollouts(model, n, rollouts),
                             .steps = edgefw__problem_steps(problem, n),
                             .training = training};
  const size_t runs = (size_t)(capacity * policy->rollouts);
  edgefw_status status = edgefw__model_write(model, n, training, &policy->graph);
  if (status == EDGEFW_OK)
    status = edgefw__graph_allocate(policy->graph.graph, capacity, training, false);
  if (status != EDGEFW_OK) {
    edgefw__policy_destroy(policy);
    return status;
  }
  policy->tours =
      edgefw_allocate(ctx, runs * (size_t)policy->steps, sizeof *policy->tours, "tours");
  policy->lengths = edgefw_allocate(ctx, runs, sizeof *policy->lengths, "tour lengths");
  policy->log_probability =
      edgefw_allocate(ctx, runs, sizeof *policy->log_probability, "log-probabilities");
  policy->losses = edgefw_allocate(ctx, (size_t)capacity, sizeof *policy->losses, "losses");
  policy->slack = edgefw_allocate(ctx, EDGEFW_MAX_RESOURCES * (size_t)capacity,
                                  sizeof *policy->slack, "tolerances of resources");
  if (!policy->tours || !policy->lengths || !policy->log_probability || !policy->losses ||
      !policy->slack) {
    edgefw__policy_destroy(policy);
    return edgefw_failure(ctx);
  }
  *out = policy;
  return EDGEFW_OK;
}

void edgefw__policy_destroy(edgefw__policy *policy) {
  if (!policy) return;
  edgefw_context *ctx = policy->model->engine->ctx;
  edgefw__graph_destroy(policy->graph.graph);
  edgefw_release(ctx, policy->tours);
  edgefw_release(ctx, policy->lengths);
  edgefw_release(ctx, policy->log_probability);
  edgefw_release(ctx, policy->losses);
  edgefw_release(ctx, policy->slack);
  edgefw_release(ctx, policy);
}

static void *data_of(const edgefw__policy_graph *graph, edgefw_value value) {
  const edgefw__node *node = edgefw__graph_node(graph->graph, value);
  return node ? node->data : NULL;
}

static void *gradient_of(const edgefw__policy_graph *graph, edgefw_value value) {
  const edgefw__node *node = edgefw__graph_node(graph->graph, value);
  return node ? node->dy : NULL;
}

/* What the decode loop needs to know of sizes (enough for decode_scratch). */
static edgefw_decode_args decode_shape(const edgefw__policy *policy, int64_t count) {
  return (edgefw_decode_args){.plan = &policy->plan,
                              .batch = count,
                              .nodes = policy->n,
                              .rollouts = policy->rollouts,
                              .steps = policy->steps,
                              .train = policy->training};
}

static void set_weights(const edgefw__policy *policy, edgefw_decode_args *args) {
  const edgefw__parameters *parameters = policy->model->parameters;
  const int *mlp = policy->graph.mlp;
  args->w1 = edgefw__parameters_at(parameters, parameters->values, mlp[0]);
  args->b1 = edgefw__parameters_at(parameters, parameters->values, mlp[1]);
  args->w2 = edgefw__parameters_at(parameters, parameters->values, mlp[2]);
  args->b2 = edgefw__parameters_at(parameters, parameters->values, mlp[3]);
  if (!policy->training) return;
  args->dw1 = edgefw__parameters_at(parameters, parameters->gradients, mlp[0]);
  args->db1 = edgefw__parameters_at(parameters, parameters->gradients, mlp[1]);
  args->dw2 = edgefw__parameters_at(parameters, parameters->gradients, mlp[2]);
  args->db2 = edgefw__parameters_at(parameters, parameters->gradients, mlp[3]);
}

/* The last columns of the query projection, and the tensors of the logits in force. */
static void set_query_and_logits(const edgefw__policy *policy, edgefw_decode_args *args) {
  const edgefw__parameters *parameters = policy->model->parameters;
  const edgefw__policy_graph *graph = &policy->graph;
  void *gradients = policy->training ? parameters->gradients : NULL;
  const size_t real = edgefw__real_size(parameters->kernels);
  if (graph->query >= 0) {
    const size_t skipped = (size_t)graph->plan.width * real;
    args->w_left_stride = graph->plan.width + graph->plan.resource_count;
    args->w_left =
        (char *)edgefw__parameters_at(parameters, parameters->values, graph->query) + skipped;
    if (gradients)
      args->dw_left = (char *)edgefw__parameters_at(parameters, gradients, graph->query) + skipped;
  }
  for (int l = 0; l < policy->plan.logit_count; ++l)
    for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t) {
      const int index = graph->logit_tensors[policy->in_force[l]][t];
      args->logit_tensors[l][t] = edgefw__parameters_at(parameters, parameters->values, index);
      args->dlogit_tensors[l][t] = edgefw__parameters_at(parameters, gradients, index);
    }
}

/* Leave out the logits that join later than the model's step. */
static void choose_logits(edgefw__policy *policy) {
  const edgefw__policy_graph *graph = &policy->graph;
  policy->plan = graph->plan;
  policy->plan.logit_count = 0;
  for (int l = 0; l < graph->plan.logit_count; ++l) {
    if (policy->model->step < graph->logit_from[l]) continue;
    policy->in_force[policy->plan.logit_count] = l;
    policy->plan.logits[policy->plan.logit_count++] = graph->plan.logits[l];
  }
}

static bool all_whole(const double *x, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (x[i] != floor(x[i])) return false;
  return true;
}

/* Demands, capacities and their tolerance (problem.h, edgefw_resource). */
static void set_resources(const edgefw__policy *policy, const edgefw__batch *batch,
                          edgefw_decode_args *args) {
  const edgefw_problem *problem = &policy->model->composition->problem->vtable.problem;
  const edgefw_instance first = edgefw__batch_instance(batch, 0);
  for (int r = 0; r < policy->graph.plan.resource_count; ++r) {
    const edgefw_resource *resource = &problem->resources[r];
    const double *demand = edgefw_instance_field(&first, resource->demand);
    const double *capacity = edgefw_instance_field(&first, resource->capacity);
    double *slack = policy->slack + r * policy->capacity;
    for (int64_t b = 0; b < batch->count; ++b)
      slack[b] = all_whole(demand + b * policy->n, policy->n) && all_whole(capacity + b, 1)
                     ? 0.0
                     : 1e-9 * capacity[b];
    args->demand[r] = demand;
    args->capacity[r] = capacity;
    args->slack[r] = slack;
  }
}

static edgefw_decode_args decode_args(const edgefw__policy *policy, const edgefw__batch *batch,
                                      const edgefw__rollout_request *request) {
  const edgefw__policy_graph *graph = &policy->graph;
  edgefw_decode_args args = decode_shape(policy, batch->count);
  args.keys = data_of(graph, graph->keys);
  args.values = data_of(graph, graph->values);
  args.q_last = data_of(graph, graph->q_last);
  args.q_first = data_of(graph, graph->q_first);
  args.fold = data_of(graph, graph->fold);
  args.fold_bias = data_of(graph, graph->fold_bias);
  for (int t = 0; t < graph->plan.table_count; ++t)
    args.tables[t] = data_of(graph, graph->tables[t]);
  set_weights(policy, &args);
  set_query_and_logits(policy, &args);
  set_resources(policy, batch, &args);
  const edgefw_problem *problem = &policy->model->composition->problem->vtable.problem;
  const edgefw_instance first = edgefw__batch_instance(batch, 0);
  args.cost = edgefw_instance_field(&first, problem->objective);
  args.clip = request->clip;
  args.select = request->select;
  args.sample_seed = request->sample_seed;
  args.instance_ids = batch->ids;
  args.tours = policy->tours;
  args.lengths = policy->lengths;
  args.log_probability =
      request->lengths_only && !policy->training ? NULL : policy->log_probability;
  args.logits = request->logits;
  args.advantage = request->advantage;
  args.losses = policy->losses;
  if (policy->training) {
    args.dkeys = gradient_of(graph, graph->keys);
    args.dvalues = gradient_of(graph, graph->values);
    args.dq_last = gradient_of(graph, graph->q_last);
    args.dq_first = gradient_of(graph, graph->q_first);
    args.dfold = gradient_of(graph, graph->fold);
    args.dfold_bias = gradient_of(graph, graph->fold_bias);
  }
  return args;
}

edgefw_status edgefw__policy_decode(edgefw__policy *policy, const edgefw__batch *batch,
                                    const edgefw__rollout_request *request) {
  const edgefw__engine *engine = policy->model->engine;
  if (request->select == EDGEFW_SELECT_FORCED)
    memcpy(policy->tours, request->forced_tours,
           (size_t)(batch->count * policy->rollouts * policy->steps) * sizeof *policy->tours);
  choose_logits(policy);
  const edgefw_decode_args args = decode_args(policy, batch, request);
  return engine->kernels->decode(engine->device, &args);
}

edgefw_status edgefw__policy_run(edgefw__policy *policy, const edgefw__batch *batch,
                                 const edgefw__rollout_request *request) {
  edgefw_graph *graph = policy->graph.graph;
  edgefw_status status = edgefw__graph_forward(graph, batch);
  if (status != EDGEFW_OK) return status;
  if (policy->training) edgefw__graph_zero_gradients(graph);
  status = edgefw__policy_decode(policy, batch, request);
  if (status != EDGEFW_OK || !policy->training) return status;
  return edgefw__graph_backward(graph, batch->count);
}

edgefw_status edgefw__policy_bytes(edgefw__model *model, int64_t capacity, int64_t n,
                                   int64_t rollouts, bool training, edgefw__memory *bytes) {
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  edgefw__policy policy = {.model = model,
                           .capacity = capacity,
                           .n = n,
                           .rollouts = edgefw__policy_rollouts(model, n, rollouts),
                           .steps = edgefw__problem_steps(problem, n),
                           .training = training};
  edgefw_status status = edgefw__model_write(model, n, training, &policy.graph);
  if (status != EDGEFW_OK) return status;
  status = edgefw__graph_allocate(policy.graph.graph, capacity, training, true);
  choose_logits(&policy);
  const edgefw_decode_args args = decode_shape(&policy, capacity);
  const size_t runs = (size_t)(capacity * policy.rollouts);
  const size_t scratch = model->engine->kernels->decode_scratch(&args);
  const bool apart = edgefw__engine_has_memory(model->engine);
  /* Of the batch itself, and of what a device that closes its matrices hands back. */
  const size_t entry =
      sizeof(double) + (model->engine->kernels->closed_costs ? sizeof(int32_t) : 0);
  const size_t graph = policy.graph.graph->activation_bytes + policy.graph.graph->gradient_bytes;
  *bytes = (edgefw__memory){
      .host = runs * ((size_t)policy.steps * sizeof(int32_t) + 2 * sizeof(double)) +
              (size_t)(capacity * n * n) * entry};
  if (apart)
    bytes->device = graph + scratch;
  else
    bytes->host += graph + scratch * (size_t)edgefw_threads(model->engine->ctx);
  edgefw__graph_destroy(policy.graph.graph);
  return status;
}
