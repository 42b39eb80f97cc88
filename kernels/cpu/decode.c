/* The decode loop (edgefw_decode_args): all rollouts of a task advance step by step. */
#include "decode.h"
#include "decode_layout.h"

static size_t decode_scratch_on(const edgefw_device *device, const edgefw_decode_args *args) {
  feature_plan plan;
  plan_features(args->plan, &plan);
  cpu_layout layout = {0};
  decode_layout(&layout, device, args, &plan, rollouts_per_chunk(args));
  return layout.used;
}

/* In FP32: without a device at hand its precision is not known, and BF16 takes about as much. */
static size_t decode_scratch(const edgefw_decode_args *args) {
  static const edgefw_device fp32 = {.bf16 = BF16_OFF};
  return decode_scratch_on(&fp32, args);
}

/* Views of slots first, first + 1, ... of a step; returns how many. */
static int64_t view_slots(const decode_task *task, int64_t first,
                          feature_view views[MLP_ROLLOUTS]) {
  const int64_t left = task->live - first;
  if (left <= 0) return 0;
  const int64_t count = left < MLP_ROLLOUTS ? left : MLP_ROLLOUTS;
  for (int64_t k = 0; k < count; ++k) view_row(task, task->row + first + k, &views[k]);
  return count;
}

/* Add the feature MLP to the scores of a step, some rollouts at a time. */
static void add_features(const decode_task *task, float *scores) {
  const int64_t stride = task->stride;
  feature_view views[2][MLP_ROLLOUTS];
  int64_t count = view_slots(task, 0, views[0]);
  for (int64_t first = 0, turn = 0; first < task->live; turn = 1 - turn) {
    const int64_t next = first + count;
    const int64_t next_count = view_slots(task, next, views[1 - turn]);
    const mlp_batch batch = {.count = count,
                             .next_count = next_count,
                             .views = views[turn],
                             .next = views[1 - turn],
                             .base = task->at.base,
                             .left = task->at.block_left + first * stride / LANES,
                             .stride = stride,
                             .shifts = task->at.shifts,
                             .score = scores + first * stride};
    mlp_forward(&task->job->mlp, &batch);
    first = next;
    count = next_count;
  }
}

static void add_logits(const decode_task *task, float *scores) {
  const edgefw_decode_plan *plan = task->args->plan;
  update_near(task);
  for (int l = 0; l < plan->logit_count; ++l)
    if (is_local(plan, l))
      add_local_attention(task, l, scores);
    else
      add_near_penalty(task, l, scores);
}

/* logits = clip * tanh(base + MLP + logits of the plan), all candidates. */
static void score_candidates(const decode_task *task, const float *context, float *logits) {
  const int64_t stride = task->stride;
  const lanes clip = lanes_all((float)task->args->selection.clip);
  if (rounds(task))
    rounded_base(task, context, logits);
  else
    wide_product(task->live, stride, task->d, context, task->d, task->at.packed_fold, stride, false,
                 logits, stride);
  if (task->args->plan->feature_count > 0) add_features(task, logits);
  if (task->args->plan->logit_count > 0) add_logits(task, logits);
  for (int64_t k = 0; k < task->live; ++k) {
    float *row = logits + k * stride;
    for (int64_t j = 0; j < stride; j += LANES)
      lanes_store(row + j,
                  clip * lanes_tanh(lanes_load(row + j) + lanes_load(task->at.bias_row + j)));
  }
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

static int32_t choose(const decode_task *task, int64_t slot, const float *logits, float largest,
                      const float *probability, const int32_t *open) {
  const edgefw_decode_args *args = task->args;
  const int32_t t = task->at.step[slot];
  if (args->selection.select == EDGEFW_SELECT_GREEDY)
    return greedy_choice(logits, open, largest, task->stride);
  if (args->selection.select == EDGEFW_SELECT_FORCED) return slot_tour(task, slot)[t];
  const uint64_t number =
      (uint64_t)(args->selection.first_start + task->first + task->at.rollout[slot]);
  const uint32_t word = edgefw_random_word(args->selection.seed, EDGEFW_STREAM_ROLLOUT,
                                           args->selection.instance_ids[task->b],
                                           number * (uint64_t)task->steps + (uint64_t)t);
  return sampled_choice(probability, open, task->n, edgefw_random_unit(word));
}

static float *logits_of(const decode_task *task, int64_t s, int64_t t) {
  const int64_t rollout = task->b * task->args->rollouts + task->first + s;
  return (float *)task->args->logits + (rollout * task->steps + t) * task->n;
}

static void record_logits(const decode_task *task, int64_t slot, const float *logits,
                          const int32_t *open) {
  float *out = logits_of(task, task->at.rollout[slot], task->at.step[slot]);
  for (int64_t j = 0; j < task->n; ++j) out[j] = open[j] ? logits[j] : 0.0f;
}

/* Choose the next node of every rollout. */
static edgefw_status select_nodes(const decode_task *task, const float *logits,
                                  float *probability) {
  /* The greedy choice needs logits only. */
  const edgefw_select select = task->args->selection.select;
  const bool probable =
      select != EDGEFW_SELECT_GREEDY || task->args->train || task->args->log_probability;
  for (int64_t k = 0; k < task->live; ++k) {
    const float *row = logits + k * task->stride;
    const int32_t *open = task->at.open + k * task->stride;
    const int32_t s = task->at.rollout[k], t = task->at.step[k];
    float *p = probability + k * task->stride;
    const float largest = masked_largest(row, open, task->stride);
    const float sum = probable ? masked_softmax(false, row, open, largest, p, task->stride) : 1.0f;
    if (task->args->logits) record_logits(task, k, row, open);
    const int32_t node = choose(task, k, row, largest, p, open);
    if (node < 0 || node >= task->n || !open[node])
      return refuse(task, s, t,
                    select == EDGEFW_SELECT_FORCED ? EDGEFW_REFUSAL_NOT_OPEN
                                                   : EDGEFW_REFUSAL_NOT_FINITE);
    task->tours[s * task->steps + t] = node;
    task->at.log_probability[s] += (double)(row[node] - largest) - log((double)sum);
    visit(task, k, node);
  }
  return EDGEFW_OK;
}

/* Logits of the next step of every rollout that is not finished. */
static edgefw_status score_step(const decode_task *task, float *logits) {
  float *context = task->at.context + task->row * task->d;
  const edgefw_status status = open_nodes(task);
  if (status != EDGEFW_OK) return status;
  enter_rows(task);
  enter_paths(task);
  attend(task, context);
  score_candidates(task, context, logits);
  return EDGEFW_OK;
}

/* One decision of every rollout that is not finished. */
static edgefw_status advance(decode_task *task) {
  const int64_t row = task->row, decided = task->live;
  float *logits = task->at.logits + row * task->stride;
  edgefw_status status = score_step(task, logits);
  if (status == EDGEFW_OK)
    status = select_nodes(task, logits, task->at.probability + row * task->stride);
  if (status == EDGEFW_OK) status = retire_finished(task);
  if (task->args->train) task->row += decided;
  return status;
}

/* --- Where rollouts stop early --- */

/* The best candidates of a slot's rollout, from its logits. What is taken is closed. */
static void rank_candidates(const decode_task *task, int64_t slot, const float *logits) {
  const edgefw_decode_stop *stop = &task->args->stop;
  const int64_t rollout = task->b * task->args->rollouts + task->first + task->at.rollout[slot];
  int32_t *open = task->at.open + slot * task->stride;
  float *p = task->at.probability + slot * task->stride;
  const float largest = masked_largest(logits, open, task->stride);
  const double log_sum = log((double)masked_softmax(false, logits, open, largest, p, task->stride));
  for (int64_t k = 0; k < stop->best; ++k) {
    const float next = masked_largest(logits, open, task->stride);
    const int32_t node = greedy_choice(logits, open, next, task->stride);
    if (node < 0) break;
    stop->candidates[rollout * stop->best + k] = node;
    stop->candidate_log_probability[rollout * stop->best + k] =
        (double)(logits[node] - largest) - log_sum;
    open[node] = 0;
  }
}

/* Logits of the step where rollouts stand: nothing at first, then those of a slot's rollout. */
static void clear_stop_logits(const decode_task *task) {
  double *out = task->args->stop.logits;
  const int64_t first = (task->b * task->args->rollouts + task->first) * task->n;
  for (int64_t j = 0; out && j < task->rollouts * task->n; ++j) out[first + j] = (double)NAN;
}

static void keep_stop_logits(const decode_task *task, int64_t slot, const float *logits) {
  const int64_t rollout = task->b * task->args->rollouts + task->first + task->at.rollout[slot];
  const int32_t *open = task->at.open + slot * task->stride;
  double *out = task->args->stop.logits;
  for (int64_t j = 0; out && j < task->n; ++j)
    if (open[j]) out[rollout * task->n + j] = (double)logits[j];
}

static edgefw_status stop_early(const decode_task *task) {
  const edgefw_decode_stop *stop = &task->args->stop;
  const int64_t first = task->b * task->args->rollouts + task->first;
  for (int64_t k = 0; k < task->live; ++k) task->at.entries[task->at.rollout[k]] = task->at.step[k];
  if (stop->entries)
    memcpy(stop->entries + first, task->at.entries, (size_t)task->rollouts * sizeof *stop->entries);
  for (int64_t c = first * stop->best; c < (first + task->rollouts) * stop->best; ++c) {
    stop->candidates[c] = -1;
    stop->candidate_log_probability[c] = -(double)INFINITY;
  }
  clear_stop_logits(task);
  if ((stop->best == 0 && !stop->logits) || task->live == 0) return EDGEFW_OK;
  const edgefw_status status = score_step(task, task->at.logits);
  for (int64_t k = 0; status == EDGEFW_OK && k < task->live; ++k) {
    keep_stop_logits(task, k, task->at.logits + k * task->stride);
    rank_candidates(task, k, task->at.logits + k * task->stride);
  }
  return status;
}

/* --- The loop --- */

static edgefw_status roll_out(decode_task *task) {
  const edgefw_decode_stop *stop = &task->args->stop;
  if (task->args->logits)
    memset(logits_of(task, 0, 0), 0,
           (size_t)(task->rollouts * task->steps * task->n) * sizeof(float));
  task->row = 0;
  edgefw_status status = start_rollouts(task);
  if (status == EDGEFW_OK) status = retire_finished(task);
  for (int64_t made = 0; status == EDGEFW_OK && task->live > 0; ++made) {
    if (stop->early && made == stop->decisions) break;
    status = advance(task);
  }
  if (status == EDGEFW_OK && stop->early) status = stop_early(task);
  if (status == EDGEFW_OK) measure_tours(task);
  return status;
}

static void set_tables(decode_task *task) {
  const edgefw_decode_plan *plan = task->args->plan;
  const int64_t n = task->n, stride = task->stride;
  task->tables.stride = stride;
  for (int t = 0; t < plan->table_count; ++t) {
    const float *table = task->args->tables[t];
    if (is_points(plan, t)) continue; /* read by its logit alone */
    if (!plan->table_is_pair[t]) {
      task->tables.table[t] = table + task->b * n;
      continue;
    }
    table += task->b * n * n;
    for (int64_t i = 0; i < n; ++i) {
      float *row = task->at.padded[t] + i * stride;
      memcpy(row, table + i * n, (size_t)n * sizeof *row);
      memset(row + n, 0, (size_t)(stride - n) * sizeof *row);
    }
    task->tables.table[t] = task->at.padded[t];
    if (!task->at.transposed[t]) continue;
    pack_transposed(table, n, n, n, 1.0f, task->at.transposed[t], stride);
    task->tables.transposed[t] = task->at.transposed[t];
  }
}

/* What all rollouts of an instance multiply with, in the order in which products want it. The
 * softmax of attention works with powers of 2. */
static void pack_factors_of_all(const decode_task *task) {
  const int64_t n = task->n, d = task->d, width = task->width, stride = task->stride;
  const int64_t padded = lanes_padded(width);
  const float *values = instance_rows(task, task->args->weights.pointer.values);
  pack_transposed(instance_rows(task, task->args->weights.pointer.keys), n, d, d,
                  LANES_LOG2E / sqrtf((float)width), task->at.packed_keys, stride);
  pack_transposed(instance_rows(task, task->args->weights.pointer.fold), n, d, d,
                  1.0f / sqrtf((float)d), task->at.packed_fold, stride);
  for (int64_t h = 0; h < task->heads; ++h)
    pack_rows(values + h * width, n, width, d, 1.0f, task->at.packed_values + h * n * padded,
              padded);
}

/* What all rollouts of an instance read. */
static void pack_instance(const decode_task *task) {
  const int64_t n = task->n, stride = task->stride;
  const float *bias = (const float *)task->args->weights.pointer.fold_bias + task->b * n;
  const float scale = 1.0f / sqrtf((float)task->d);
  if (rounds(task))
    pack_rounded(task);
  else
    pack_factors_of_all(task);
  float far = 0.0f; /* what all candidates get; near ones are corrected */
  for (int l = 0; l < task->args->plan->logit_count; ++l)
    far += is_local(task->args->plan, l) ? 0.0f : (float)task->args->plan->logits[l].far;
  for (int64_t j = 0; j < stride; ++j) task->at.bias_row[j] = j < n ? scale * bias[j] + far : 0.0f;
  if (task->args->plan->feature_count > 0)
    mlp_base(&task->job->mlp, &task->tables, n, task->at.base);
}

/* Rollouts first .. first + count - 1 of the instance. */
static edgefw_status decode_chunk(decode_task *task, int64_t first, int64_t count) {
  const edgefw_decode_args *args = task->args;
  const int64_t rollout = task->b * args->rollouts + first;
  task->first = first;
  task->rollouts = count;
  task->rows = decode_rows(args, count);
  task->tours = args->tours + rollout * task->steps;
  task->lengths = args->lengths + rollout;
  const edgefw_status status = roll_out(task);
  if (status == EDGEFW_OK && args->log_probability)
    memcpy(args->log_probability + rollout, task->at.log_probability,
           (size_t)count * sizeof *args->log_probability);
  return status;
}

/* What a task knows of its instance before it packs anything. */
static decode_task decode_task_of(const decode_job *job, int64_t b) {
  const edgefw_decode_args *args = job->args;
  decode_task task = {.job = job, .args = args, .b = b, .n = args->nodes, .d = args->plan->width};
  task.heads = args->plan->heads;
  task.width = task.d / task.heads;
  task.stride = lanes_padded(task.n);
  task.steps = args->steps;
  task.depot = has_depot(args) ? 0 : -1;
  task.resources = args->plan->resource_count;
  for (int r = 0; r < task.resources; ++r)
    for (int64_t j = 0; j < task.n; ++j) {
      const double demand = args->resources.demand[r][b * task.n + j];
      if (demand > task.largest_demand[r]) task.largest_demand[r] = demand;
    }
  return task;
}

static edgefw_status decode_instance(const decode_job *job, int64_t index, int thread) {
  const edgefw_decode_args *args = job->args;
  const int64_t each = rollouts_per_chunk(args), chunks = (args->rollouts + each - 1) / each;
  decode_task task = decode_task_of(job, index / job->tasks);
  cpu_layout layout = {job->device->scratch[thread].memory, 0};
  task.at = decode_layout(&layout, job->device, args, &job->mlp.plan, each);
  set_tables(&task);
  begin_paths(&task);
  begin_near(&task);
  for (int l = 0; l < args->plan->logit_count; ++l)
    if (is_local(args->plan, l)) begin_local(&task, l);
  pack_instance(&task);
  begin_scores(&task);
  for (int64_t c = index % job->tasks; c < chunks; c += job->tasks) {
    const int64_t first = c * each, left = args->rollouts - first;
    const edgefw_status status = decode_chunk(&task, first, left < each ? left : each);
    if (status != EDGEFW_OK) return status;
  }
  if (args->train) decode_backward(&task);
  return EDGEFW_OK;
}

static edgefw_status decode_one(void *user, int64_t index, int thread) {
  const decode_job *job = user;
  bf16_begin(job->device->bf16);
  const edgefw_status status = decode_instance(job, index, thread);
  bf16_end(job->device->bf16);
  return status;
}

static edgefw_status decode(edgefw_device *device, const edgefw_decode_args *args) {
  decode_job job = {.args = args, .device = device};
  if (args->rollouts < 1) return EDGEFW_OK;
  const int64_t each = rollouts_per_chunk(args), chunks = (args->rollouts + each - 1) / each;
  /* Packing is done once per task: no more of them than keep the threads busy. The cut into chunks,
   * which decides the bits, is always the same. */
  const int64_t wanted = (2 * edgefw_threads(device->ctx) + args->batch - 1) / args->batch;
  job.tasks = wanted < chunks ? wanted : chunks;
  edgefw_status status = edgefw_check_steps(device->ctx, args);
  if (status == EDGEFW_OK) status = prepare_shared(&job);
  if (status == EDGEFW_OK)
    status = edgefw__cpu_reserve_scratch(device, decode_scratch_on(device, args), "decoding");
  if (status == EDGEFW_OK)
    status = edgefw_parallel(device->ctx, args->batch * job.tasks, decode_one, &job);
  if (status == EDGEFW_OK && args->train) reduce_shared(&job);
  return status;
}
