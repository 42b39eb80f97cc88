/* The decode loop (edgefw_decode_args): all rollouts of a task advance step by step. */
#include "decode.h"

static void take_backward(cpu_layout *layout, const edgefw_decode_args *args,
                          decode_scratch_arrays *at) {
  const int64_t n = args->nodes, d = args->plan->width, stride = lanes_padded(n);
  const int64_t width = lanes_padded(d), head = lanes_padded(d / args->plan->heads);
  at->dcontext = cpu_take_floats(layout, DECODE_ROWS * width);
  at->dquery = cpu_take_floats(layout, DECODE_ROWS * d);
  at->dattention = cpu_take_floats(layout, DECODE_ROWS * stride);
  at->padded_rows = cpu_take_floats(layout, DECODE_ROWS * width);
  at->head_rows = cpu_take_floats(layout, DECODE_ROWS * head);
  at->chosen = cpu_take(layout, n, sizeof *at->chosen);
  at->values_transposed = cpu_take_floats(layout, d * stride);
  at->key_rows = cpu_take_floats(layout, args->plan->heads * n * head);
  at->fold_rows = cpu_take_floats(layout, n * width);
  at->dvalues = cpu_take_floats(layout, args->plan->heads * n * head);
  at->dkeys = cpu_take_floats(layout, args->plan->heads * n * head);
  at->dfold = cpu_take_floats(layout, n * width);
  at->dbias = cpu_take_floats(layout, stride);
}

static decode_scratch_arrays decode_layout(cpu_layout *layout, const edgefw_decode_args *args,
                                           const feature_plan *plan, int64_t rollouts) {
  const int64_t n = args->nodes, d = args->plan->width, stride = lanes_padded(n);
  const int64_t steps = n > 1 ? n - 1 : 1, rows = args->train ? steps * rollouts : rollouts;
  const int64_t heads = args->plan->heads, head_width = lanes_padded(d / heads);
  const int64_t attention_rows = args->train ? heads * rows : DECODE_BLOCK;
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
  at.packed_keys = cpu_take_floats(layout, d * stride);
  at.packed_values = cpu_take_floats(layout, heads * n * head_width);
  at.packed_fold = cpu_take_floats(layout, d * stride);
  at.bias_row = cpu_take_floats(layout, stride);
  at.head_context = cpu_take_floats(layout, DECODE_BLOCK * head_width);
  at.base = cpu_take_floats(layout, args->plan->feature_count > 0 ? hidden * stride : 0);
  at.query = cpu_take_floats(layout, rows * d);
  at.attention = cpu_take_floats(layout, attention_rows * stride);
  at.context = cpu_take_floats(layout, rows * d);
  at.logits = cpu_take_floats(layout, rows * stride);
  at.probability = cpu_take_floats(layout, rows * stride);
  at.open = cpu_take(layout, rollouts * stride, sizeof *at.open);
  at.bias = cpu_take_floats(layout, hidden);
  at.shifts = cpu_take_floats(layout, MLP_ROLLOUTS * hidden);
  at.total = cpu_take_floats(layout, hidden);
  at.log_probability = cpu_take(layout, rollouts, sizeof *at.log_probability);
  at.advantage = cpu_take(layout, rollouts, sizeof *at.advantage);
  if (!args->train) return at;
  take_backward(layout, args, &at);
  return at;
}

static int64_t rollouts_per_chunk(const edgefw_decode_args *args) {
  return args->train || args->rollouts < DECODE_CHUNK ? args->rollouts : DECODE_CHUNK;
}

static size_t decode_scratch(const edgefw_decode_args *args) {
  feature_plan plan;
  plan_features(args->plan, &plan);
  cpu_layout layout = {0};
  decode_layout(&layout, args, &plan, rollouts_per_chunk(args));
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

/* Largest open entry of x. */
static float masked_largest(const float *x, const int32_t *open, int64_t stride) {
  lanes most = lanes_all(-INFINITY);
  for (int64_t j = 0; j < stride; j += LANES)
    most = lanes_max(
        lanes_select(lanes_load_mask(open + j), lanes_load(x + j), lanes_all(-INFINITY)), most);
  return lanes_greatest(most);
}

/* Softmax over the open entries of x to the base 2 or e; closed ones become exactly 0. Returns the
 * sum of the powers of x - largest. */
INLINE float masked_softmax(bool base2, const float *x, const int32_t *open, float largest,
                            float *out, int64_t stride) {
  lanes total = lanes_all(0.0f);
  for (int64_t j = 0; j < stride; j += LANES) {
    const lanes shifted = lanes_load(x + j) - lanes_all(largest);
    const lanes e =
        lanes_keep(lanes_load_mask(open + j), base2 ? lanes_exp2(shifted) : lanes_exp(shifted));
    total += e;
    lanes_store(out + j, e);
  }
  const float sum = lanes_sum(total);
  const float inverse = 1.0f / sum;
  for (int64_t j = 0; j < stride; j += LANES) lanes_store(out + j, lanes_load(out + j) * inverse);
  return sum;
}

/* One head for a block of rollouts: scores, softmax, context, while the scores are in the cache. */
static void attend_block(const decode_task *task, int64_t h, int64_t first, int64_t count,
                         const float *query, float *scores, float *context) {
  const int64_t n = task->n, d = task->d, width = task->width, stride = task->stride;
  const int64_t padded = lanes_padded(width);
  wide_product(count, stride, width, query + first * d + h * width, d,
               task->at.packed_keys + h * width * stride, stride, false, scores, stride);
  for (int64_t s = 0; s < count; ++s) {
    const int32_t *open = task->at.open + (first + s) * stride;
    float *row = scores + s * stride;
    masked_softmax(true, row, open, masked_largest(row, open, stride), row, stride);
  }
  float *out = task->at.head_context;
  narrow_product(count, padded, n, scores, stride, task->at.packed_values + h * n * padded, padded,
                 out, padded);
  for (int64_t s = 0; s < count; ++s)
    memcpy(context + (first + s) * d + h * width, out + s * padded, (size_t)width * sizeof *out);
}

/* context = softmax over open of query . keys / sqrt(d_h), times values. */
static void attend(const decode_task *task, int64_t row, const float *query, float *context) {
  for (int64_t first = 0; first < task->rollouts; first += DECODE_BLOCK) {
    const int64_t left = task->rollouts - first, count = left < DECODE_BLOCK ? left : DECODE_BLOCK;
    for (int64_t h = 0; h < task->heads; ++h) {
      float *scores = task->at.attention;
      if (task->args->train) scores += (h * task->rows + row + first) * task->stride;
      attend_block(task, h, first, count, query, scores, context);
    }
  }
}

/* Views of rollouts first, first + 1, ... of a step; returns how many. */
static int64_t view_rollouts(const decode_task *task, int64_t t, int64_t first,
                             feature_view views[MLP_ROLLOUTS]) {
  const int64_t left = task->rollouts - first;
  if (left <= 0) return 0;
  const int64_t count = left < MLP_ROLLOUTS ? left : MLP_ROLLOUTS;
  for (int64_t s = 0; s < count; ++s) view_step(task, first + s, t, &views[s]);
  return count;
}

/* Add the feature MLP to the scores of a step, some rollouts at a time. */
static void add_features(const decode_task *task, int64_t t, float *scores) {
  feature_view views[2][MLP_ROLLOUTS];
  int64_t count = view_rollouts(task, t, 0, views[0]);
  for (int64_t first = 0, turn = 0; first < task->rollouts; turn = 1 - turn) {
    const int64_t next = first + count;
    const int64_t next_count = view_rollouts(task, t, next, views[1 - turn]);
    mlp_forward(&task->job->mlp, views[turn], count, views[1 - turn], next_count, task->at.base,
                task->at.open + first * task->stride, task->stride, task->n, task->at.shifts,
                scores + first * task->stride);
    first = next;
    count = next_count;
  }
}

/* logits = clip * tanh(base + MLP), all candidates. */
static void score_candidates(const decode_task *task, int64_t t, const float *context,
                             float *logits) {
  const int64_t stride = task->stride;
  const lanes clip = lanes_all((float)task->args->clip);
  wide_product(task->rollouts, stride, task->d, context, task->d, task->at.packed_fold, stride,
               false, logits, stride);
  if (task->args->plan->feature_count > 0) add_features(task, t, logits);
  for (int64_t s = 0; s < task->rollouts; ++s) {
    float *row = logits + s * stride;
    for (int64_t j = 0; j < stride; j += LANES)
      lanes_store(row + j,
                  clip * lanes_tanh(lanes_load(row + j) + lanes_load(task->at.bias_row + j)));
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

/* The first open node whose logit is `largest`, the largest of them. */
static int32_t greedy_choice(const float *logits, const int32_t *open, float largest,
                             int64_t stride) {
  for (int64_t first = 0; first < stride; first += LANES) {
    int32_t hits = 0;
    for (int64_t j = first; j < first + LANES; ++j) hits |= -(logits[j] == largest) & open[j];
    if (!hits) continue;
    for (int64_t j = first; j < first + LANES; ++j)
      if (logits[j] == largest && open[j]) return (int32_t)j;
  }
  return -1;
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
                      float largest, const float *probability, const int32_t *open) {
  const edgefw_decode_args *args = task->args;
  if (args->select == EDGEFW_SELECT_GREEDY)
    return greedy_choice(logits, open, largest, task->stride);
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
  /* The greedy choice needs logits only. */
  const bool probable = task->args->select != EDGEFW_SELECT_GREEDY || task->args->train ||
                        task->args->log_probability;
  for (int64_t s = 0; s < task->rollouts; ++s) {
    const float *row = logits + s * task->stride;
    int32_t *open = task->at.open + s * task->stride;
    float *p = probability + s * task->stride;
    const float largest = masked_largest(row, open, task->stride);
    const float sum = probable ? masked_softmax(false, row, open, largest, p, task->stride) : 1.0f;
    if (task->args->logits) record_logits(task, s, t, row, open);
    const int32_t node = choose(task, s, t, row, largest, p, open);
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

/* What all rollouts of an instance read, in the order in which the products want it. */
static void pack_instance(const decode_task *task) {
  const int64_t n = task->n, d = task->d, width = task->width, stride = task->stride;
  const int64_t padded = lanes_padded(width);
  const float *values = instance_rows(task, task->args->values);
  const float *bias = (const float *)task->args->fold_bias + task->b * n;
  const float scale = 1.0f / sqrtf((float)d);
  /* The softmax of attention works with powers of 2. */
  pack_transposed(instance_rows(task, task->args->keys), n, d, d, LANES_LOG2E / sqrtf((float)width),
                  task->at.packed_keys, stride);
  pack_transposed(instance_rows(task, task->args->fold), n, d, d, scale, task->at.packed_fold,
                  stride);
  for (int64_t h = 0; h < task->heads; ++h)
    for (int64_t j = 0; j < n; ++j) {
      float *to = task->at.packed_values + (h * n + j) * padded;
      memcpy(to, values + j * d + h * width, (size_t)width * sizeof *to);
      for (int64_t c = width; c < padded; ++c) to[c] = 0.0f;
    }
  for (int64_t j = 0; j < stride; ++j) task->at.bias_row[j] = j < n ? scale * bias[j] : 0.0f;
  if (task->args->plan->feature_count > 0)
    mlp_base(&task->job->mlp, &task->tables, n, stride, task->at.base);
}

/* Rollouts first .. first + count - 1 of the instance. */
static edgefw_status decode_chunk(decode_task *task, int64_t first, int64_t count) {
  const edgefw_decode_args *args = task->args;
  const int64_t rollout = task->b * args->rollouts + first;
  task->first = first;
  task->rollouts = count;
  task->rows = count * (args->train && task->n > 1 ? task->n - 1 : 1);
  task->tours = args->tours + rollout * task->n;
  task->lengths = args->lengths + rollout;
  const edgefw_status status = roll_out(task);
  if (status == EDGEFW_OK && args->log_probability)
    memcpy(args->log_probability + rollout, task->at.log_probability,
           (size_t)count * sizeof *args->log_probability);
  return status;
}

static edgefw_status decode_one(void *user, int64_t index, int thread) {
  const decode_job *job = user;
  const edgefw_decode_args *args = job->args;
  const int64_t each = rollouts_per_chunk(args), n = args->nodes;
  const int64_t chunks = (args->rollouts + each - 1) / each;
  decode_task task = {.job = job, .args = args, .n = n, .d = args->plan->width};
  task.b = index / job->tasks;
  task.heads = args->plan->heads;
  task.width = task.d / task.heads;
  task.stride = lanes_padded(n);
  cpu_layout layout = {job->device->scratch[thread].memory, 0};
  task.at = decode_layout(&layout, args, &job->mlp.plan, each);
  set_tables(&task);
  begin_remaining(&task);
  pack_instance(&task);
  for (int64_t c = index % job->tasks; c < chunks; c += job->tasks) {
    const int64_t first = c * each, left = args->rollouts - first;
    const edgefw_status status = decode_chunk(&task, first, left < each ? left : each);
    if (status != EDGEFW_OK) return status;
  }
  if (args->train) decode_backward(&task);
  return EDGEFW_OK;
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
  const int64_t weights = (2 * mlp->plan.count + 3) * mlp->width;
  float *block = edgefw__cpu_reserve(job->device, &job->device->shared,
                                     (size_t)(weights + gradients) * sizeof *block,
                                     "gradients of the feature MLP");
  if (!block) return edgefw_failure(job->device->ctx);
  mlp->folded = block;
  mlp->b1 = mlp->folded + mlp->plan.count * mlp->width;
  mlp->w2 = mlp->b1 + mlp->width;
  mlp->forward = mlp->w2 + mlp->width;
  mlp->forward_b1 = mlp->forward + mlp->plan.count * mlp->width;
  job->partial = mlp->forward_b1 + mlp->width;
  memset(job->partial, 0, (size_t)gradients * sizeof *job->partial);
  fold_weights(args, mlp);
  absorb_second_layer(mlp);
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
  const int64_t each = rollouts_per_chunk(args), chunks = (args->rollouts + each - 1) / each;
  /* Packing is done once per task: no more of them than keep the threads busy. The cut into chunks,
   * which decides the bits, is always the same. */
  const int64_t wanted = (2 * edgefw_threads(device->ctx) + args->batch - 1) / args->batch;
  job.tasks = wanted < chunks ? wanted : chunks;
  edgefw_status status = prepare_mlp(&job);
  if (status == EDGEFW_OK)
    status = edgefw__cpu_reserve_scratch(device, decode_scratch(args), "decoding");
  if (status == EDGEFW_OK)
    status = edgefw_parallel(device->ctx, args->batch * job.tasks, decode_one, &job);
  if (status == EDGEFW_OK && args->train && args->plan->feature_count > 0) reduce_mlp(&job);
  return status;
}
