/* Rollouts and their gradient. An instance is one task: roll out, then, knowing what each rollout's
 * log-probability weighs, walk every rollout again, recompute each step and differentiate it. */
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
  decode_state state;
  decode_cover cover;
  decode_work work;
  decode_gradients gradients;
  double *log_probability; /* (S) */
  double *weight;          /* (S) d loss / d log-probability */
} decode_instance;

/* One of the caller's parameter gradients: `rows` rows of `width` numbers, `stride` apart. */
typedef struct decode_parameter {
  void *gradient;
  int64_t rows, width, stride;
} decode_parameter;

enum { DECODE_PARAMETERS = 5 + EDGEFW_MAX_LOGITS * EDGEFW_LOCAL_TENSORS };

/* All of them, in the order in which an instance's own lie one after the other; returns how many.
 */
static int decode_parameters(const edgefw_decode_args *a, decode_parameter *out) {
  const edgefw_decode_plan *plan = a->plan;
  int count = 0;
  if (plan->feature_count > 0) {
    const int64_t w1 = (int64_t)plan->hidden * plan->feature_count;
    out[count++] = (decode_parameter){a->gradients.mlp.w1, 1, w1, w1};
    out[count++] = (decode_parameter){a->gradients.mlp.b1, 1, plan->hidden, plan->hidden};
    out[count++] = (decode_parameter){a->gradients.mlp.w2, 1, plan->hidden, plan->hidden};
    out[count++] = (decode_parameter){a->gradients.mlp.b2, 1, 1, 1};
  }
  if (plan->resource_count > 0)
    out[count++] = (decode_parameter){a->gradients.pointer.w_left, plan->width,
                                      plan->resource_count, a->weights.pointer.w_left_stride};
  for (int l = 0; l < plan->logit_count; ++l) {
    if (plan->logits[l].kind != EDGEFW_LOGIT_LOCAL_ATTENTION) continue;
    for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t) {
      const int64_t numbers = decode_local_count(plan, t);
      out[count++] = (decode_parameter){a->gradients.logits[l][t], 1, numbers, numbers};
    }
  }
  return count;
}

static int64_t decode_param_count(const edgefw_decode_args *a) {
  decode_parameter parameter[DECODE_PARAMETERS];
  const int parameters = decode_parameters(a, parameter);
  int64_t count = 0;
  for (int p = 0; p < parameters; ++p) count += parameter[p].rows * parameter[p].width;
  return count;
}

/* Room in doubles for n of the smaller types too. */
static int64_t decode_instance_doubles(const edgefw_decode_args *a) {
  const int64_t n = a->nodes, d = a->plan->width;
  const int64_t state = 5 * n, work = 4 * d + (a->plan->heads + 4) * n;
  const int64_t local = n * (2 + LOCAL_INPUTS + LOCAL_HEADS + 4 * LOCAL);
  return state + work + (a->plan->logit_count > 0 ? local : 0) + 2 * a->rollouts +
         (a->train ? 5 * n * d + n : 0);
}

static double *decode_take(double **next, int64_t count) {
  double *taken = *next;
  *next += count;
  return taken;
}

static decode_local decode_take_local(double **next, int64_t n) {
  return (decode_local){.near = {.member = (int64_t *)decode_take(next, n)},
                        .open = (bool *)decode_take(next, n),
                        .input = decode_take(next, n * LOCAL_INPUTS),
                        .embedding = decode_take(next, n * LOCAL),
                        .key = decode_take(next, n * LOCAL),
                        .value = decode_take(next, n * LOCAL),
                        .weight = decode_take(next, n * LOCAL_HEADS),
                        .dembedding = decode_take(next, n * LOCAL)};
}

/* The parameters' part of an instance's gradients begins at `next`; see decode_parameters. */
static void decode_take_params(const edgefw_decode_args *a, double *next, decode_gradients *out) {
  const edgefw_decode_plan *plan = a->plan;
  if (plan->feature_count > 0)
    out->mlp = decode_take(&next, (int64_t)plan->hidden * (plan->feature_count + 2) + 1);
  out->w_left = decode_take(&next, plan->width * plan->resource_count);
  for (int l = 0; l < plan->logit_count; ++l)
    for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t)
      if (plan->logits[l].kind == EDGEFW_LOGIT_LOCAL_ATTENTION)
        out->local[l][t] = decode_take(&next, decode_local_count(plan, t));
}

static edgefw_status decode_instance_create(const decode_call *call, int64_t b,
                                            decode_instance *out) {
  const edgefw_decode_args *a = call->a;
  const int64_t n = a->nodes, d = a->plan->width;
  out->block = edgefw_allocate(call->ctx, (size_t)decode_instance_doubles(a), sizeof(double),
                               "reference decode");
  if (out->block == NULL) return EDGEFW_OUT_OF_MEMORY;
  double *next = out->block;
  out->state = (decode_state){.visited = (bool *)decode_take(&next, n),
                              .open = (bool *)decode_take(&next, n),
                              .cover = &out->cover};
  out->cover = (decode_cover){.after = (int64_t *)decode_take(&next, n),
                              .label = (int64_t *)decode_take(&next, n),
                              .first_label = (int64_t *)decode_take(&next, n)};
  out->work = (decode_work){.query = decode_take(&next, d),
                            .glimpse = decode_take(&next, d),
                            .dglimpse = decode_take(&next, d),
                            .dquery = decode_take(&next, d),
                            .weight = decode_take(&next, a->plan->heads * n),
                            .score = decode_take(&next, n),
                            .squashed = decode_take(&next, n),
                            .logit = decode_take(&next, n),
                            .probability = decode_take(&next, n)};
  if (a->plan->logit_count > 0) out->work.local = decode_take_local(&next, n);
  out->log_probability = decode_take(&next, a->rollouts);
  out->weight = decode_take(&next, a->rollouts);
  if (!a->train) return EDGEFW_OK;
  out->gradients = (decode_gradients){.keys = decode_take(&next, n * d),
                                      .values = decode_take(&next, n * d),
                                      .q_last = decode_take(&next, n * d),
                                      .q_first = decode_take(&next, n * d),
                                      .fold = decode_take(&next, n * d),
                                      .fold_bias = decode_take(&next, n)};
  decode_take_params(a, call->params + b * decode_param_count(a), &out->gradients);
  return EDGEFW_OK;
}

static int64_t decode_greedy(int64_t n, const bool *open, const decode_work *work) {
  int64_t best = -1;
  for (int64_t j = 0; j < n; ++j)
    if (open[j] && (best < 0 || work->logit[j] > work->logit[best])) best = j;
  return best;
}

/* The first open node whose cumulative probability exceeds u * sum; the last open one if rounding
 * lets none do so. */
static int64_t decode_sample(int64_t n, const bool *open, const decode_work *work, double u) {
  double sum = 0.0, cumulative = 0.0;
  for (int64_t j = 0; j < n; ++j) sum += work->probability[j];
  int64_t chosen = -1;
  for (int64_t j = 0; j < n; ++j) {
    if (!open[j]) continue;
    chosen = j;
    cumulative += work->probability[j];
    if (cumulative > u * sum) break;
  }
  return chosen;
}

static int64_t decode_select(const edgefw_decode_args *a, const decode_state *state, int64_t s,
                             const decode_work *work) {
  if (a->selection.select == EDGEFW_SELECT_GREEDY)
    return decode_greedy(a->nodes, state->open, work);
  const uint64_t word = (uint64_t)((a->selection.first_start + s) * a->steps + state->t);
  return decode_sample(
      a->nodes, state->open, work,
      edgefw_random_unit(edgefw_random_word(a->selection.seed, EDGEFW_STREAM_ROLLOUT,
                                            a->selection.instance_ids[state->b], word)));
}

static void decode_store_logits(const edgefw_decode_args *a, int64_t b, int64_t s, int64_t t,
                                const double *logit) {
  if (a->logits == NULL) return;
  const int64_t n = a->nodes;
  for (int64_t j = 0; j < n; ++j)
    set(a->logits, ((b * a->rollouts + s) * a->steps + t) * n + j, logit == NULL ? 0.0 : logit[j]);
}

/* Entry t of a tour before the rollout is finished: what is given, forced or chosen, into *node. */
static edgefw_status decode_next(const decode_call *call, int64_t s, decode_instance *instance,
                                 int32_t *node) {
  const edgefw_decode_args *a = call->a;
  const decode_state *state = &instance->state;
  const bool given = state->t < decode_given(a, state->b, s);
  const bool known = a->selection.select == EDGEFW_SELECT_FORCED || (given && a->given != NULL);
  if (!given) {
    if (!decode_any_open(a, state))
      return decode_refuse(call->ctx, a, state, s, EDGEFW_REFUSAL_NO_NODE);
    decode_narrow(a, &instance->state);
    decode_step_forward(a, state, &instance->work);
    if (!known) *node = (int32_t)decode_select(a, state, s, &instance->work);
  } else if (!known) {
    *node = (int32_t)decode_start(a, s, state->t);
    if (!state->open[*node]) return decode_refuse(call->ctx, a, state, s, EDGEFW_REFUSAL_NO_NODE);
  }
  decode_store_logits(a, state->b, s, state->t, given ? NULL : instance->work.logit);
  return known ? decode_admit(call->ctx, a, state, s, *node) : EDGEFW_OK;
}

/* The rest of a tour: 0, which for a finished one is the depot; a forced or given one must say that
 * too. */
static edgefw_status decode_pad(const decode_call *call, int64_t s, const decode_state *state,
                                int32_t *tour) {
  const edgefw_decode_args *a = call->a;
  const bool forced = a->selection.select == EDGEFW_SELECT_FORCED;
  const bool finished = decode_is_finished(a, state);
  for (int64_t t = state->t; t < a->steps; ++t) {
    const bool known = forced || (a->given != NULL && t < decode_given(a, state->b, s));
    decode_state place = *state;
    place.t = t;
    if (!known) tour[t] = 0;
    if (finished && tour[t] != 0) return decode_admit(call->ctx, a, &place, s, tour[t]);
    decode_store_logits(a, state->b, s, t, NULL);
  }
  return EDGEFW_OK;
}

/* Of the step where a rollout stands; `logit` NULL: it is finished. */
static void decode_store_stop(const edgefw_decode_args *a, int64_t b, int64_t s, const bool *open,
                              const double *logit) {
  double *out = a->stop.logits;
  if (out == NULL) return;
  out += (b * a->rollouts + s) * a->nodes;
  for (int64_t j = 0; j < a->nodes; ++j) out[j] = logit != NULL && open[j] ? logit[j] : (double)NAN;
}

/* The logits and the best candidates of the step where a rollout stands; none if it is finished. */
static edgefw_status decode_candidates(const decode_call *call, int64_t s,
                                       decode_instance *instance) {
  const edgefw_decode_args *a = call->a;
  const decode_state *state = &instance->state;
  decode_work *work = &instance->work;
  const int64_t best = a->stop.best, first = (state->b * a->rollouts + s) * best;
  for (int64_t k = 0; k < best; ++k) {
    a->stop.candidates[first + k] = -1;
    a->stop.candidate_log_probability[first + k] = -(double)INFINITY;
  }
  decode_store_stop(a, state->b, s, NULL, NULL);
  if ((best == 0 && a->stop.logits == NULL) || decode_is_finished(a, state)) return EDGEFW_OK;
  if (!decode_any_open(a, state))
    return decode_refuse(call->ctx, a, state, s, EDGEFW_REFUSAL_NO_NODE);
  decode_narrow(a, &instance->state);
  decode_step_forward(a, state, work);
  decode_store_stop(a, state->b, s, state->open, work->logit);
  bool *open = instance->state.open; /* of no use afterwards: what is taken is closed */
  for (int64_t k = 0; k < best; ++k) {
    const int64_t j = decode_greedy(a->nodes, open, work);
    if (j < 0) break;
    a->stop.candidates[first + k] = (int32_t)j;
    a->stop.candidate_log_probability[first + k] = work->logit[j] - work->log_sum;
    open[j] = false;
  }
  return EDGEFW_OK;
}

/* Has a rollout chosen as many nodes as it may? */
static bool decode_stops(const edgefw_decode_args *a, const decode_state *state, int64_t s) {
  return a->stop.early && state->t >= decode_given(a, state->b, s) + a->stop.decisions;
}

/* Build one tour; its length and log-probability. */
static edgefw_status decode_rollout(const decode_call *call, int64_t b, int64_t s,
                                    decode_instance *instance) {
  const edgefw_decode_args *a = call->a;
  const int64_t n = a->nodes, run = b * a->rollouts + s;
  const double *cost = a->cost + b * n * n;
  int32_t *tour = a->tours + run * a->steps;
  decode_state *state = &instance->state;
  double length = 0.0, log_probability = 0.0;
  state->tour = tour;
  decode_begin(a, b, state);
  while (!decode_is_finished(a, state) && !decode_stops(a, state, s)) {
    int32_t *node = tour + state->t; /* no more than `steps` times; see decode */
    const edgefw_status status = decode_next(call, s, instance, node);
    if (status != EDGEFW_OK) return status;
    if (state->t >= decode_given(a, b, s))
      log_probability += instance->work.logit[*node] - instance->work.log_sum;
    if (state->t > 0) length += cost[state->current * n + *node];
    decode_visit(a, state, *node);
  }
  const bool finished = decode_is_finished(a, state);
  if (finished) length += cost[state->current * n + decode_closing(a, state)];
  a->lengths[run] = length;
  instance->log_probability[s] = log_probability;
  if (a->log_probability != NULL) a->log_probability[run] = log_probability;
  if (a->stop.early && a->stop.entries != NULL)
    a->stop.entries[run] = (int32_t)(finished ? a->steps : state->t);
  const edgefw_status status = decode_pad(call, s, state, tour);
  return status == EDGEFW_OK && a->stop.early ? decode_candidates(call, s, instance) : status;
}

/* Gradient of weight_s * log-probability_s, for one rollout. */
static void decode_rollout_backward(const edgefw_decode_args *a, int64_t b, int64_t s,
                                    decode_instance *instance) {
  const int32_t *tour = a->tours + (b * a->rollouts + s) * a->steps;
  decode_state *state = &instance->state;
  state->tour = tour;
  decode_begin(a, b, state);
  while (!decode_is_finished(a, state) && !decode_stops(a, state, s)) {
    const int64_t chosen = tour[state->t];
    if (state->t >= decode_given(a, b, s)) {
      decode_narrow(a, state);
      decode_step_forward(a, state, &instance->work);
      decode_step_backward(a, state, chosen, instance->weight[s], &instance->work,
                           &instance->gradients);
    }
    decode_visit(a, state, chosen);
  }
}

static void decode_add_gradients(const edgefw_decode_args *a, int64_t b,
                                 const decode_gradients *g) {
  const int64_t n = a->nodes, d = a->plan->width;
  for (int64_t i = 0; i < n * d; ++i) {
    add(a->gradients.pointer.keys, b * n * d + i, g->keys[i]);
    add(a->gradients.pointer.values, b * n * d + i, g->values[i]);
    add(a->gradients.pointer.q_last, b * n * d + i, g->q_last[i]);
    add(a->gradients.pointer.q_first, b * n * d + i, g->q_first[i]);
    add(a->gradients.pointer.fold, b * n * d + i, g->fold[i]);
  }
  for (int64_t i = 0; i < n; ++i) add(a->gradients.pointer.fold_bias, b * n + i, g->fold_bias[i]);
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
    a->weigh(a->weigh_user, b, a->rollouts, a->lengths + b * a->rollouts, instance.log_probability,
             instance.weight);
    for (int64_t s = 0; s < a->rollouts; ++s) decode_rollout_backward(a, b, s, &instance);
    decode_add_gradients(a, b, &instance.gradients);
  }
  edgefw_release(call->ctx, instance.block);
  return status;
}

/* Add the instances' parameter gradients, in their order. */
static void decode_reduce(const edgefw_decode_args *a, const double *params) {
  decode_parameter parameter[DECODE_PARAMETERS];
  const int parameters = decode_parameters(a, parameter);
  const int64_t count = decode_param_count(a);
  int64_t from = 0;
  for (int p = 0; p < parameters; ++p)
    for (int64_t row = 0; row < parameter[p].rows; ++row)
      for (int64_t c = 0; c < parameter[p].width; ++c, ++from) {
        double sum = 0.0;
        for (int64_t b = 0; b < a->batch; ++b) sum += params[b * count + from];
        add(parameter[p].gradient, row * parameter[p].stride + c, sum);
      }
}

static edgefw_status decode(edgefw_device *device, const edgefw_decode_args *a) {
  decode_call call = {.a = a, .ctx = device->ctx};
  edgefw_status status = edgefw_check_steps(device->ctx, a);
  if (status != EDGEFW_OK) return status;
  if (a->train) {
    call.params = edgefw_allocate(device->ctx, (size_t)(a->batch * decode_param_count(a)),
                                  sizeof(double), "reference decode gradients");
    if (call.params == NULL) return EDGEFW_OUT_OF_MEMORY;
  }
  status = edgefw_parallel(device->ctx, a->batch, decode_one_instance, &call);
  if (status == EDGEFW_OK && a->train) decode_reduce(a, call.params);
  edgefw_release(device->ctx, call.params);
  return status;
}

static size_t decode_scratch(const edgefw_decode_args *a) {
  return (size_t)decode_instance_doubles(a) * sizeof(double);
}
