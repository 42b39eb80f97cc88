/* Running a model: encoder forward, decode loop, and backward through both. */
#include "policy/policy.h"

#include <inttypes.h>
#include <string.h>

int64_t edgefw__policy_rollouts(const edgefw__model *model, int64_t n, int64_t starts) {
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  const int64_t all = edgefw__problem_has_depot(problem) ? n - 1 : n;
  return starts > 0 && starts < all ? starts : all;
}

/* S for a policy: what is asked for, 0 being all starts. */
static int64_t rollouts_of(const edgefw__model *model, int64_t n, int64_t asked) {
  return asked > 0 ? asked : edgefw__policy_rollouts(model, n, 0);
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
                             .rollouts = rollouts_of(model, n, rollouts),
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

/* What decode differentiates, `values` being the parameters or their gradients; the values of the
 * graph, or their gradients, are taken by `of`. */
static edgefw_decode_weights weights_of(const edgefw__policy *policy, void *values,
                                        void *(*of)(const edgefw__policy_graph *, edgefw_value)) {
  const edgefw__parameters *parameters = policy->model->parameters;
  const edgefw__policy_graph *graph = &policy->graph;
  edgefw_decode_weights out = {
      .pointer = {.keys = of(graph, graph->keys),
                  .values = of(graph, graph->values),
                  .q_last = of(graph, graph->q_last),
                  .q_first = of(graph, graph->q_first),
                  .fold = of(graph, graph->fold),
                  .fold_bias = of(graph, graph->fold_bias)},
      .mlp = {.w1 = edgefw__parameters_at(parameters, values, graph->mlp[0]),
              .b1 = edgefw__parameters_at(parameters, values, graph->mlp[1]),
              .w2 = edgefw__parameters_at(parameters, values, graph->mlp[2]),
              .b2 = edgefw__parameters_at(parameters, values, graph->mlp[3])}};
  if (graph->query >= 0) { /* the last columns of the query projection */
    const size_t skipped = (size_t)graph->plan.width * edgefw__real_size(parameters->kernels);
    out.pointer.w_left_stride = graph->plan.width + graph->plan.resource_count;
    out.pointer.w_left = (char *)edgefw__parameters_at(parameters, values, graph->query) + skipped;
  }
  for (int l = 0; l < policy->plan.logit_count; ++l)
    for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t)
      out.logits[l][t] =
          edgefw__parameters_at(parameters, values, graph->logit_tensors[policy->in_force[l]][t]);
  return out;
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
      slack[b] = edgefw_load_tolerance(demand + b * policy->n, policy->n, capacity[b]);
    args->resources.demand[r] = demand;
    args->resources.capacity[r] = capacity;
    args->resources.slack[r] = slack;
  }
}

/* A decode call of a training policy, for the objective. */
typedef struct weighing {
  const edgefw__policy *policy;
  const edgefw__objective *objective;
  int64_t instances;
} weighing;

static void weigh(void *user, int64_t instance, int64_t rollouts, const double *lengths,
                  const double *log_probability, double *weights) {
  const weighing *call = user;
  const edgefw__outcome outcome = {.instance = instance,
                                   .instances = call->instances,
                                   .rollouts = rollouts,
                                   .lengths = lengths,
                                   .log_probability = log_probability};
  edgefw__objective_weigh(call->objective, &outcome, weights, &call->policy->losses[instance]);
}

static edgefw_decode_args decode_args(const edgefw__policy *policy, const edgefw__batch *batch,
                                      const edgefw__rollout_request *request) {
  const edgefw__policy_graph *graph = &policy->graph;
  const edgefw__parameters *parameters = policy->model->parameters;
  edgefw_decode_args args = decode_shape(policy, batch->count);
  args.weights = weights_of(policy, parameters->values, data_of);
  for (int t = 0; t < graph->plan.table_count; ++t)
    args.tables[t] = data_of(graph, graph->tables[t]);
  set_resources(policy, batch, &args);
  args.cost = data_of(graph, graph->cost);
  args.forbidden = edgefw__batch_forbidden(batch);
  args.selection = (edgefw_selection){.select = request->select,
                                      .clip = request->clip,
                                      .seed = request->sample_seed,
                                      .instance_ids = batch->ids};
  args.given = request->given;
  args.stop = request->stop;
  if (args.stop.decisions > policy->steps) args.stop.decisions = policy->steps;
  args.tours = policy->tours;
  args.lengths = policy->lengths;
  args.log_probability =
      request->lengths_only && !policy->training ? NULL : policy->log_probability;
  args.logits = request->logits;
  if (policy->training) args.gradients = weights_of(policy, parameters->gradients, gradient_of);
  return args;
}

/* Refuse what a device need not look at: mistakes of the core itself. */
static const char *misuse_of(const edgefw__policy *policy, const edgefw__rollout_request *request) {
  const edgefw_decode_stop *stop = &request->stop;
  const bool forced = request->select == EDGEFW_SELECT_FORCED;
  if (policy->training && !request->objective) return "a policy is trained without an objective";
  if ((forced || request->given) && !request->tours) return "no tours are given";
  if (!stop->early) return NULL;
  if (stop->decisions < 0 || stop->best < 0)
    return "a number of decisions or candidates is negative";
  if (policy->training && (stop->best > 0 || stop->logits))
    return "candidates and their logits are not handed out in training";
  if (stop->best > 0 && (!stop->candidates || !stop->candidate_log_probability))
    return "there is no room for the candidates";
  return NULL;
}

static edgefw_status check_request(const edgefw__policy *policy, const edgefw__batch *batch,
                                   const edgefw__rollout_request *request) {
  edgefw_context *ctx = policy->model->engine->ctx;
  const int64_t least = policy->plan.start == EDGEFW_START_EACH_CUSTOMER ? 2 : 1;
  const int64_t starts = edgefw__policy_rollouts(policy->model, policy->n, 0);
  const char *misuse = misuse_of(policy, request);
  if (misuse) return edgefw_fail(ctx, EDGEFW_INTERNAL, "%s", misuse);
  if (!request->given && policy->rollouts > starts)
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                       "%" PRId64 " rollouts of %" PRId64 " nodes have %" PRId64
                       " nodes to start with; more need tours to begin with",
                       policy->rollouts, policy->n, starts);
  for (int64_t r = 0; request->given && r < batch->count * policy->rollouts; ++r)
    if (request->given[r] < least || request->given[r] > policy->steps)
      return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                         "instance %" PRId64 " of the batch, rollout %" PRId64
                         ": %d entries of its tour are given, expected %" PRId64 " to %" PRId64,
                         r / policy->rollouts, r % policy->rollouts, request->given[r], least,
                         policy->steps);
  return EDGEFW_OK;
}

edgefw_status edgefw__policy_decode(edgefw__policy *policy, const edgefw__batch *batch,
                                    const edgefw__rollout_request *request) {
  const edgefw__engine *engine = policy->model->engine;
  choose_logits(policy);
  const edgefw_status status = check_request(policy, batch, request);
  if (status != EDGEFW_OK) return status;
  if ((request->select == EDGEFW_SELECT_FORCED || request->given) &&
      request->tours != policy->tours)
    memcpy(policy->tours, request->tours,
           (size_t)(batch->count * policy->rollouts * policy->steps) * sizeof *policy->tours);
  edgefw_decode_args args = decode_args(policy, batch, request);
  weighing call = {policy, request->objective,
                   request->loss_instances > 0 ? request->loss_instances : batch->count};
  args.weigh = weigh;
  args.weigh_user = &call;
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
                           .rollouts = rollouts_of(model, n, rollouts),
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
