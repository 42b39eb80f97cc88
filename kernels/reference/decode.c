/* Rollouts and their policy gradient. An instance is one task: roll out, then, knowing lengths and
 * advantages, walk every rollout again, recompute each step and differentiate it. */
#include "reference.h"

#include "edgefw/rng.h"

#include <math.h>

typedef struct decode_call {
  const edgefw_decode_args *a;
  edgefw_context *ctx;
  double *params; /* train: (B, decode_param_count) gradients of each instance */
} decode_call;

/* Everything one instance needs, in one block of memory. */
typedef struct decode_instance {
  double *block;
  decode_work work;
  decode_gradients gradients;
  double *log_probability; /* (S) */
  double *advantage;       /* (S) */
} decode_instance;

static int64_t decode_instance_doubles(const edgefw_decode_args *a) {
  const int64_t n = a->nodes, d = a->plan->width;
  const int64_t work = 4 * d + (a->plan->heads + 4) * n; /* n doubles hold `open` */
  return work + 2 * a->rollouts + (a->train ? 5 * n * d + n : 0);
}

static double *decode_take(double **next, int64_t count) {
  double *taken = *next;
  *next += count;
  return taken;
}

static edgefw_status decode_instance_create(const decode_call *call, int64_t b,
                                            decode_instance *out) {
  const edgefw_decode_args *a = call->a;
  const int64_t n = a->nodes, d = a->plan->width;
  out->block = edgefw_allocate(call->ctx, (size_t)decode_instance_doubles(a), sizeof(double),
                               "reference decode");
  if (out->block == NULL) return EDGEFW_OUT_OF_MEMORY;
  double *next = out->block;
  out->work = (decode_work){.query = decode_take(&next, d),
                            .glimpse = decode_take(&next, d),
                            .dglimpse = decode_take(&next, d),
                            .dquery = decode_take(&next, d),
                            .weight = decode_take(&next, a->plan->heads * n),
                            .squashed = decode_take(&next, n),
                            .logit = decode_take(&next, n),
                            .probability = decode_take(&next, n),
                            .open = (bool *)decode_take(&next, n)};
  out->log_probability = decode_take(&next, a->rollouts);
  out->advantage = decode_take(&next, a->rollouts);
  if (!a->train) return EDGEFW_OK;
  out->gradients = (decode_gradients){.keys = decode_take(&next, n * d),
                                      .values = decode_take(&next, n * d),
                                      .q_last = decode_take(&next, n * d),
                                      .q_first = decode_take(&next, n * d),
                                      .fold = decode_take(&next, n * d),
                                      .fold_bias = decode_take(&next, n),
                                      .params = call->params + b * decode_param_count(a->plan)};
  return EDGEFW_OK;
}

static int64_t decode_greedy(int64_t n, const decode_work *work) {
  int64_t best = -1;
  for (int64_t j = 0; j < n; ++j)
    if (work->open[j] && (best < 0 || work->logit[j] > work->logit[best])) best = j;
  return best;
}

/* The first open node whose cumulative probability exceeds u * sum; the last open one if rounding
 * lets none do so. */
static int64_t decode_sample(int64_t n, const decode_work *work, double u) {
  double sum = 0.0, cumulative = 0.0;
  for (int64_t j = 0; j < n; ++j) sum += work->probability[j];
  int64_t chosen = -1;
  for (int64_t j = 0; j < n; ++j) {
    if (!work->open[j]) continue;
    chosen = j;
    cumulative += work->probability[j];
    if (cumulative > u * sum) break;
  }
  return chosen;
}

static int64_t decode_select(const edgefw_decode_args *a, const decode_place *place, int64_t s,
                             int32_t given, const decode_work *work) {
  if (a->select == EDGEFW_SELECT_FORCED) return given;
  if (a->select == EDGEFW_SELECT_GREEDY) return decode_greedy(a->nodes, work);
  const uint64_t word = (uint64_t)((a->first_start + s) * a->nodes + place->t);
  return decode_sample(a->nodes, work,
                       edgefw_random_unit(edgefw_random_word(a->sample_seed, EDGEFW_STREAM_ROLLOUT,
                                                             a->instance_ids[place->b], word)));
}

/* Is node `node` one that may be visited now? Only a forced tour can say something else. */
static edgefw_status decode_admit(const decode_call *call, const decode_work *work, int64_t b,
                                  int64_t s, int64_t t, int64_t node) {
  if (node >= 0 && node < call->a->nodes && work->open[node]) return EDGEFW_OK;
  return edgefw_fail(call->ctx, EDGEFW_INVALID_ARGUMENT,
                     "forced tour of instance %lld, rollout %lld: node %lld at step %lld is out of "
                     "range or visited before",
                     (long long)b, (long long)s, (long long)node, (long long)t);
}

static void decode_store_logits(const edgefw_decode_args *a, int64_t b, int64_t s, int64_t t,
                                const double *logit) {
  if (a->logits == NULL) return;
  const int64_t n = a->nodes;
  for (int64_t j = 0; j < n; ++j)
    set(a->logits, ((b * a->rollouts + s) * n + t) * n + j, logit == NULL ? 0.0 : logit[j]);
}

/* Build one tour; its length and log-probability. */
static edgefw_status decode_rollout(const decode_call *call, int64_t b, int64_t s,
                                    decode_instance *instance) {
  const edgefw_decode_args *a = call->a;
  const int64_t n = a->nodes;
  int32_t *tour = a->tours + (b * a->rollouts + s) * n;
  const double *cost = a->cost + b * n * n;
  decode_work *work = &instance->work;
  if (a->select != EDGEFW_SELECT_FORCED) tour[0] = (int32_t)(a->first_start + s);
  for (int64_t j = 0; j < n; ++j) work->open[j] = true;
  edgefw_status status = decode_admit(call, work, b, s, 0, tour[0]);
  if (status != EDGEFW_OK) return status;
  work->open[tour[0]] = false;
  decode_store_logits(a, b, s, 0, NULL);
  double length = 0.0, log_probability = 0.0;
  for (int64_t t = 1; t < n; ++t) {
    const decode_place place = {b, t, tour[t - 1], tour[0], work->open};
    decode_step_forward(a, &place, work);
    decode_store_logits(a, b, s, t, work->logit);
    const int64_t chosen = decode_select(a, &place, s, tour[t], work);
    status = decode_admit(call, work, b, s, t, chosen);
    if (status != EDGEFW_OK) return status;
    tour[t] = (int32_t)chosen;
    work->open[chosen] = false;
    log_probability += work->logit[chosen] - work->log_sum;
    length += cost[tour[t - 1] * n + chosen];
  }
  a->lengths[b * a->rollouts + s] = length + cost[tour[n - 1] * n + tour[0]];
  instance->log_probability[s] = log_probability;
  if (a->log_probability != NULL) a->log_probability[b * a->rollouts + s] = log_probability;
  return EDGEFW_OK;
}

/* Reward is minus the length: advantage = mean length - length. Sums are of distances to the first
 * length, so that equal lengths give exactly 0; with MAX, a largest advantage that is only the
 * rounding of equal tours counts as 0. */
static void decode_advantages(const edgefw_decode_args *a, int64_t b, double *advantage) {
  const double *length = a->lengths + b * a->rollouts;
  double mean = 0.0, largest = 0.0;
  for (int64_t s = 0; s < a->rollouts; ++s) mean += length[s] - length[0];
  mean = length[0] + mean / (double)a->rollouts;
  for (int64_t s = 0; s < a->rollouts; ++s) {
    advantage[s] = mean - length[s];
    largest = fmax(largest, advantage[s]);
  }
  if (a->advantage != EDGEFW_ADVANTAGE_MAX) return;
  for (int64_t s = 0; s < a->rollouts; ++s)
    advantage[s] = largest > 1e-12 * fabs(mean) ? advantage[s] / largest : 0.0;
}

/* Gradient of (1 / B) * mean over s of -(advantage_s * log-probability_s), for one rollout. */
static void decode_rollout_backward(const edgefw_decode_args *a, int64_t b, int64_t s,
                                    decode_instance *instance) {
  const int64_t n = a->nodes;
  const int32_t *tour = a->tours + (b * a->rollouts + s) * n;
  const double upstream = -instance->advantage[s] / (double)(a->rollouts * a->batch);
  for (int64_t j = 0; j < n; ++j) instance->work.open[j] = j != tour[0];
  for (int64_t t = 1; t < n; ++t) {
    const decode_place place = {b, t, tour[t - 1], tour[0], instance->work.open};
    decode_step_forward(a, &place, &instance->work);
    decode_step_backward(a, &place, tour[t], upstream, &instance->work, &instance->gradients);
    instance->work.open[tour[t]] = false;
  }
}

static void decode_add_gradients(const edgefw_decode_args *a, int64_t b,
                                 const decode_gradients *g) {
  const int64_t n = a->nodes, d = a->plan->width;
  for (int64_t i = 0; i < n * d; ++i) {
    add(a->dkeys, b * n * d + i, g->keys[i]);
    add(a->dvalues, b * n * d + i, g->values[i]);
    add(a->dq_last, b * n * d + i, g->q_last[i]);
    add(a->dq_first, b * n * d + i, g->q_first[i]);
    add(a->dfold, b * n * d + i, g->fold[i]);
  }
  for (int64_t i = 0; i < n; ++i) add(a->dfold_bias, b * n + i, g->fold_bias[i]);
}

static edgefw_status decode_one_instance(void *user, int64_t b, int thread) {
  (void)thread;
  const decode_call *call = user;
  const edgefw_decode_args *a = call->a;
  decode_instance instance;
  edgefw_status status = decode_instance_create(call, b, &instance);
  for (int64_t s = 0; status == EDGEFW_OK && s < a->rollouts; ++s)
    status = decode_rollout(call, b, s, &instance);
  if (status == EDGEFW_OK && a->train) {
    decode_advantages(a, b, instance.advantage);
    a->losses[b] = 0.0;
    for (int64_t s = 0; s < a->rollouts; ++s) {
      a->losses[b] -= instance.advantage[s] * instance.log_probability[s] / (double)a->rollouts;
      decode_rollout_backward(a, b, s, &instance);
    }
    decode_add_gradients(a, b, &instance.gradients);
  }
  edgefw_release(call->ctx, instance.block);
  return status;
}

/* Add the instances' parameter gradients, in their order. */
static void decode_reduce(const edgefw_decode_args *a, const double *params) {
  const int64_t count = decode_param_count(a->plan);
  const int64_t hidden = a->plan->hidden, w1 = hidden * a->plan->feature_count;
  for (int64_t p = 0; p < count; ++p) {
    double sum = 0.0;
    for (int64_t b = 0; b < a->batch; ++b) sum += params[b * count + p];
    if (p < w1) {
      add(a->dw1, p, sum);
    } else if (p < w1 + hidden) {
      add(a->db1, p - w1, sum);
    } else if (p < w1 + 2 * hidden) {
      add(a->dw2, p - w1 - hidden, sum);
    } else {
      add(a->db2, 0, sum);
    }
  }
}

static edgefw_status decode(edgefw_device *device, const edgefw_decode_args *a) {
  decode_call call = {.a = a, .ctx = device->ctx};
  if (a->train) {
    call.params = edgefw_allocate(device->ctx, (size_t)(a->batch * decode_param_count(a->plan)),
                                  sizeof(double), "reference decode gradients");
    if (call.params == NULL) return EDGEFW_OUT_OF_MEMORY;
  }
  const edgefw_status status = edgefw_parallel(device->ctx, a->batch, decode_one_instance, &call);
  if (status == EDGEFW_OK && a->train) decode_reduce(a, call.params);
  edgefw_release(device->ctx, call.params);
  return status;
}

static size_t decode_scratch(const edgefw_decode_args *a) {
  return (size_t)decode_instance_doubles(a) * sizeof(double);
}
