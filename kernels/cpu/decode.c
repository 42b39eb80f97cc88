/* The decode loop (edgefw_decode_args): all rollouts of a task advance step by step. */
#include "decode.h"

static decode_scratch_arrays decode_layout(cpu_layout *layout, const edgefw_decode_args *args,
                                           const feature_plan *plan, int64_t rollouts) {
  const int64_t n = args->nodes, d = args->plan->width, stride = lanes_padded(n);
  const int64_t steps = n > 1 ? n - 1 : 1, rows = args->train ? steps * rollouts : rollouts;
  const int64_t heads = args->train ? args->plan->heads : 1;
  const int64_t hidden = lanes_padded(args->plan->hidden);
  decode_scratch_arrays at;
  memset(&at, 0, sizeof at);
  for (int t = 0; t < args->plan->table_count; ++t)
    if (plan->transposed[t]) at.transposed[t] = cpu_take_floats(layout, n * n);
  const int64_t slots = plan->remaining_count;
  at.order = cpu_take(layout, slots * n * n, sizeof *at.order);
  at.sorting = cpu_take(layout, slots > 0 ? n : 0, sizeof *at.sorting);
  at.cursor = cpu_take(layout, slots * rollouts * stride, sizeof *at.cursor);
  at.nearest = cpu_take(layout, slots * rollouts * stride, sizeof *at.nearest);
  at.minima = cpu_take_floats(layout, slots * rows * stride);
  at.query = cpu_take_floats(layout, rows * d);
  at.attention = cpu_take_floats(layout, heads * rows * stride);
  at.context = cpu_take_floats(layout, rows * d);
  at.logits = cpu_take_floats(layout, rows * stride);
  at.probability = cpu_take_floats(layout, rows * stride);
  at.open = cpu_take(layout, rollouts * stride, sizeof *at.open);
  at.bias = cpu_take_floats(layout, hidden);
  at.total = cpu_take_floats(layout, hidden);
  at.log_probability = cpu_take(layout, rollouts, sizeof *at.log_probability);
  at.advantage = cpu_take(layout, rollouts, sizeof *at.advantage);
  if (!args->train) return at;
  at.dcontext = cpu_take_floats(layout, rows * d);
  at.dquery = cpu_take_floats(layout, rows * d);
  at.dattention = cpu_take_floats(layout, rows * stride);
  return at;
}

static int64_t rollouts_per_task(const edgefw_decode_args *args) {
  return args->train || args->rollouts < DECODE_CHUNK ? args->rollouts : DECODE_CHUNK;
}

static size_t decode_scratch(const edgefw_decode_args *args) {
  feature_plan plan;
  plan_features(args->plan, &plan);
  cpu_layout layout = {0};
  decode_layout(&layout, args, &plan, rollouts_per_task(args));
  return layout.used;
}

/* Start nodes, and everything else open. */
static void start_rollouts(decode_task *task) {
  const edgefw_decode_args *args = task->args;
  for (int64_t s = 0; s < task->rollouts; ++s) {
    int32_t *tour = task->tours + s * task->n, *open = task->at.open + s * task->stride;
    if (args->select != EDGEFW_SELECT_FORCED)
      tour[0] = (int32_t)(args->first_start + task->first + s);
    for (int64_t j = 0; j < task->stride; ++j) open[j] = j < task->n ? -1 : 0;
    open[tour[0]] = 0;
    task->at.log_probability[s] = 0.0;
  }
}

static void gather_queries(const decode_task *task, int64_t t, float *query) {
  const float *last = instance_rows(task, task->args->q_last);
  const float *first = task->args->q_first ? instance_rows(task, task->args->q_first) : NULL;
  for (int64_t s = 0; s < task->rollouts; ++s) {
    const int32_t *tour = task->tours + s * task->n;
    memcpy(query + s * task->d, last + tour[t - 1] * task->d, (size_t)task->d * sizeof *query);
    if (first) lanes_add_scaled(query + s * task->d, 1.0f, first + tour[0] * task->d, task->d);
  }
}

/* Softmax over the open entries of x, in lanes; closed ones become exactly 0. Returns the largest
 * open x, and the sum of exponentials in *sum. */
static float masked_softmax(const float *x, const int32_t *open, float *out, int64_t stride,
                            float *sum) {
  lanes most = lanes_all(-INFINITY), total = lanes_all(0.0f);
  for (int64_t j = 0; j < stride; j += LANES)
    most = lanes_max(
        most, lanes_select(lanes_load_mask(open + j), lanes_load(x + j), lanes_all(-INFINITY)));
  const float largest = lanes_greatest(most);
  for (int64_t j = 0; j < stride; j += LANES) {
    const lanes e =
        lanes_keep(lanes_load_mask(open + j), lanes_exp(lanes_load(x + j) - lanes_all(largest)));
    total += e;
    lanes_store(out + j, e);
  }
  *sum = lanes_sum(total);
  const float inverse = 1.0f / *sum;
  for (int64_t j = 0; j < stride; j += LANES) lanes_store(out + j, lanes_load(out + j) * inverse);
  return largest;
}

/* context = softmax over open of query . keys / sqrt(d_h), times values, head by head. */
static void attend(const decode_task *task, int64_t row, const float *query, float *context) {
  const float *keys = instance_rows(task, task->args->keys);
  const float *values = instance_rows(task, task->args->values);
  const int64_t n = task->n, d = task->d, width = task->width, stride = task->stride;
  const float scale = 1.0f / sqrtf((float)width);
  for (int64_t h = 0; h < task->heads; ++h) {
    const int64_t head = task->args->train ? h : 0;
    float *scores = task->at.attention + (head * task->rows + row) * stride;
    gemm_nt(task->rollouts, n, width, scale, query + h * width, d, keys + h * width, d, 0.0f,
            scores, stride);
    for (int64_t s = 0; s < task->rollouts; ++s) {
      float sum;
      masked_softmax(scores + s * stride, task->at.open + s * stride, scores + s * stride, stride,
                     &sum);
    }
    gemm_nn(task->rollouts, width, n, 1.0f, scores, stride, values + h * width, d, 0.0f,
            context + h * width, d);
  }
}

/* logits = clip * tanh(base + MLP), all candidates. */
static void score_candidates(const decode_task *task, int64_t t, const float *context,
                             float *logits) {
  const edgefw_decode_args *args = task->args;
  const float *fold_bias = (const float *)args->fold_bias + task->b * task->n;
  const int64_t n = task->n, stride = task->stride;
  const float scale = 1.0f / sqrtf((float)task->d), clip = (float)args->clip;
  gemm_nt(task->rollouts, n, task->d, scale, context, task->d, instance_rows(task, args->fold),
          task->d, 0.0f, logits, stride);
  for (int64_t s = 0; s < task->rollouts; ++s) {
    float *row = logits + s * stride;
    lanes_add_scaled(row, scale, fold_bias, n);
    for (int64_t j = n; j < stride; ++j) row[j] = 0.0f;
    if (args->plan->feature_count > 0) {
      feature_view view;
      view_step(task, s, t, &view);
      shared_bias(&task->job->mlp, &view, task->at.bias);
      mlp_forward(&task->job->mlp, &view, task->at.bias, n, row);
    }
    for (int64_t j = 0; j < stride; j += LANES)
      lanes_store(row + j, clip * lanes_tanh(lanes_load(row + j)));
  }
}

/* Given tours come from outside: each must visit every node once. */
static edgefw_status check_forced(const decode_task *task) {
  for (int64_t s = 0; s < task->rollouts; ++s) {
    const int32_t *tour = task->tours + s * task->n;
    int32_t *seen = task->at.open + s * task->stride;
    for (int64_t t = 0; t < task->n; ++t) {
      if (tour[t] < 0 || tour[t] >= task->n || seen[tour[t]])
        return edgefw_fail(task->job->device->ctx, EDGEFW_INVALID_ARGUMENT,
                           "forced tour %lld of instance %lld is no permutation of its nodes: "
                           "position %lld is node %d",
                           (long long)(task->first + s), (long long)task->b, (long long)t, tour[t]);
      seen[tour[t]] = 1;
    }
  }
  return EDGEFW_OK;
}

static int32_t greedy_choice(const float *logits, const int32_t *open, int64_t n) {
  int32_t best = -1;
  for (int64_t j = 0; j < n; ++j)
    if (open[j] && (best < 0 || logits[j] > logits[best])) best = (int32_t)j;
  return best;
}

/* The first open node at which the cumulative sum exceeds u; the last open one if rounding never
 * lets it. A closed node is never taken. */
static int32_t sampled_choice(const float *probability, const int32_t *open, int64_t n, double u) {
  double total = 0.0, cumulative = 0.0;
  int32_t choice = -1;
  for (int64_t j = 0; j < n; ++j) total += (double)probability[j];
  for (int64_t j = 0; j < n; ++j) {
    if (!open[j]) continue;
    choice = (int32_t)j;
    cumulative += (double)probability[j];
    if (cumulative > u * total) break;
  }
  return choice;
}

static int32_t choose(const decode_task *task, int64_t s, int64_t t, const float *logits,
                      const float *probability, const int32_t *open) {
  const edgefw_decode_args *args = task->args;
  if (args->select == EDGEFW_SELECT_GREEDY) return greedy_choice(logits, open, task->n);
  if (args->select == EDGEFW_SELECT_FORCED) return task->tours[s * task->n + t];
  const uint64_t number = (uint64_t)(args->first_start + task->first + s);
  const uint32_t word =
      edgefw_random_word(args->sample_seed, EDGEFW_STREAM_ROLLOUT, args->instance_ids[task->b],
                         number * (uint64_t)task->n + (uint64_t)t);
  return sampled_choice(probability, open, task->n, edgefw_random_unit(word));
}

static void record_logits(const decode_task *task, int64_t s, int64_t t, const float *logits,
                          const int32_t *open) {
  const int64_t n = task->n, rollout = task->b * task->args->rollouts + task->first + s;
  float *out = (float *)task->args->logits + (rollout * n + t) * n;
  for (int64_t j = 0; j < n; ++j) out[j] = open[j] ? logits[j] : 0.0f;
}

/* Choose node t of every rollout. */
static edgefw_status select_nodes(const decode_task *task, int64_t t, const float *logits,
                                  float *probability) {
  for (int64_t s = 0; s < task->rollouts; ++s) {
    const float *row = logits + s * task->stride;
    int32_t *open = task->at.open + s * task->stride;
    float *p = probability + s * task->stride, sum;
    const float largest = masked_softmax(row, open, p, task->stride, &sum);
    if (task->args->logits) record_logits(task, s, t, row, open);
    const int32_t node = choose(task, s, t, row, p, open);
    if (node < 0 || node >= task->n || !open[node])
      return edgefw_fail(task->job->device->ctx, EDGEFW_INFEASIBLE,
                         "instance %lld of the batch, rollout %lld, step %lld: node %d is not open",
                         (long long)task->b, (long long)(task->first + s), (long long)t, node);
    task->tours[s * task->n + t] = node;
    task->at.log_probability[s] += (double)(row[node] - largest) - log((double)sum);
    open[node] = 0;
  }
  return EDGEFW_OK;
}

/* Closed tours under the raw cost. */
static void measure_tours(const decode_task *task) {
  const double *cost = task->args->cost + task->b * task->n * task->n;
  for (int64_t s = 0; s < task->rollouts; ++s) {
    const int32_t *tour = task->tours + s * task->n;
    double length = 0.0;
    for (int64_t t = 1; t < task->n; ++t) length += cost[tour[t - 1] * task->n + tour[t]];
    task->lengths[s] = length + cost[tour[task->n - 1] * task->n + closing_node(task, s)];
  }
}

static edgefw_status roll_out(decode_task *task) {
  const size_t open_bytes = (size_t)(task->rollouts * task->stride) * sizeof *task->at.open;
  memset(task->at.open, 0, open_bytes);
  if (task->args->select == EDGEFW_SELECT_FORCED) {
    const edgefw_status status = check_forced(task);
    if (status != EDGEFW_OK) return status;
  }
  start_rollouts(task);
  for (int64_t t = 1; t < task->n; ++t) {
    const int64_t row = task->args->train ? (t - 1) * task->rollouts : 0;
    float *query = task->at.query + row * task->d, *context = task->at.context + row * task->d;
    float *logits = task->at.logits + row * task->stride;
    update_remaining(task, t);
    gather_queries(task, t, query);
    attend(task, row, query, context);
    score_candidates(task, t, context, logits);
    const edgefw_status status =
        select_nodes(task, t, logits, task->at.probability + row * task->stride);
    if (status != EDGEFW_OK) return status;
  }
  measure_tours(task);
  return EDGEFW_OK;
}

static void set_tables(decode_task *task) {
  const edgefw_decode_plan *plan = task->args->plan;
  for (int t = 0; t < plan->table_count; ++t) {
    const int64_t size = plan->table_is_pair[t] ? task->n * task->n : task->n;
    task->tables.table[t] = (const float *)task->args->tables[t] + task->b * size;
    if (!task->at.transposed[t]) continue;
    transpose_matrix(task->tables.table[t], task->at.transposed[t], task->n);
    task->tables.transposed[t] = task->at.transposed[t];
  }
}

static edgefw_status decode_one(void *user, int64_t index, int thread) {
  const decode_job *job = user;
  const edgefw_decode_args *args = job->args;
  const int64_t n = args->nodes, each = rollouts_per_task(args);
  decode_task task = {.job = job, .args = args, .n = n, .d = args->plan->width};
  task.b = index / job->chunks;
  task.first = index % job->chunks * each;
  task.rollouts = args->rollouts - task.first < each ? args->rollouts - task.first : each;
  task.heads = args->plan->heads;
  task.width = task.d / task.heads;
  task.stride = lanes_padded(n);
  task.rows = task.rollouts * (args->train && n > 1 ? n - 1 : 1);
  const int64_t rollout = task.b * args->rollouts + task.first;
  task.tours = args->tours + rollout * n;
  task.lengths = args->lengths + rollout;
  cpu_layout layout = {job->device->scratch[thread].memory, 0};
  task.at = decode_layout(&layout, args, &job->mlp.plan, task.rollouts);
  set_tables(&task);
  begin_remaining(&task);
  const edgefw_status status = roll_out(&task);
  if (status == EDGEFW_OK && args->log_probability)
    memcpy(args->log_probability + rollout, task.at.log_probability,
           (size_t)task.rollouts * sizeof *args->log_probability);
  if (status == EDGEFW_OK && args->train) decode_backward(&task);
  return status;
}

/* Fold the MLP and make room for its gradients, in the shared block. */
static edgefw_status prepare_mlp(decode_job *job) {
  const edgefw_decode_args *args = job->args;
  feature_mlp *mlp = &job->mlp;
  plan_features(args->plan, &mlp->plan);
  if (args->plan->feature_count == 0) return EDGEFW_OK;
  mlp->hidden = args->plan->hidden;
  mlp->width = lanes_padded(mlp->hidden);
  const int64_t gradients = args->train ? args->batch * mlp_gradient_size(mlp) : 0;
  const int64_t weights = (mlp->plan.count + 2) * mlp->width;
  float *block = edgefw__cpu_reserve(job->device, &job->device->shared,
                                     (size_t)(weights + gradients) * sizeof *block,
                                     "gradients of the feature MLP");
  if (!block) return edgefw_failure(job->device->ctx);
  mlp->folded = block;
  mlp->b1 = mlp->folded + mlp->plan.count * mlp->width;
  mlp->w2 = mlp->b1 + mlp->width;
  job->partial = mlp->w2 + mlp->width;
  memset(job->partial, 0, (size_t)gradients * sizeof *job->partial);
  fold_weights(args, mlp);
  return EDGEFW_OK;
}

/* Add up the instances' MLP gradients, in their order. */
static void reduce_mlp(const decode_job *job) {
  const edgefw_decode_args *args = job->args;
  const feature_mlp *mlp = &job->mlp;
  for (int64_t b = 0; b < args->batch; ++b) {
    const float *part = job->partial + b * mlp_gradient_size(mlp);
    const float *db1 = part + mlp->plan.count * mlp->width, *dw2 = db1 + mlp->width;
    if (args->dw1) unfold_gradient(mlp, args->plan, part, args->dw1);
    if (args->db1) lanes_add_scaled(args->db1, 1.0f, db1, mlp->hidden);
    if (args->dw2) lanes_add_scaled(args->dw2, 1.0f, dw2, mlp->hidden);
    if (args->db2) *(float *)args->db2 += dw2[mlp->width];
  }
}

static edgefw_status decode(edgefw_device *device, const edgefw_decode_args *args) {
  decode_job job = {.args = args, .device = device};
  const int64_t each = rollouts_per_task(args);
  job.chunks = (args->rollouts + each - 1) / each;
  edgefw_status status = prepare_mlp(&job);
  if (status == EDGEFW_OK)
    status = edgefw__cpu_reserve_scratch(device, decode_scratch(args), "decoding");
  if (status == EDGEFW_OK)
    status = edgefw_parallel(device->ctx, args->batch * job.chunks, decode_one, &job);
  if (status == EDGEFW_OK && args->train && args->plan->feature_count > 0) reduce_mlp(&job);
  return status;
}
