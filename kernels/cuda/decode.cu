/* Rollouts and, with `train`, their gradients: what the decode loop needs on the device, for as
 * many instances at once as there is memory for, and its results. */
#include "decode.cuh"
#include "decode_features.cuh"
#include "layout.cuh"

/* A call of the operation. */
typedef struct decode_run {
  edgefw_device *device;
  const edgefw_decode_args *args;
  decode_job job;
  float *to_upstream;        /* device (B,S), of a chunk, in training */
  double *log_probability;   /* host (B,S): the caller's, or our own */
  int32_t *failure, *length; /* host, of a chunk */
  double *weights;           /* host (S), in training */
  float *upstream;           /* host, of a chunk, in training */
} decode_run;

/* --- What tables are needed for --- */

/* Is a pair table read along a column, with the candidate as its row? */
static bool reads_columns(const edgefw_decode_plan *plan, int table) {
  for (int f = 0; f < plan->feature_count; ++f) {
    const edgefw_feature *feature = &plan->features[f];
    const bool from = feature->row == EDGEFW_CANDIDATE, to = feature->column == EDGEFW_CANDIDATE;
    if (feature->table != table || from == to) continue;
    if (feature->kind == EDGEFW_FEATURE_ANTISYMMETRIC) return true;
    if (feature->kind == EDGEFW_FEATURE_PAIR && from) return true;
  }
  return false;
}

/* Are its arcs wanted in their order: out of each node, or into it? */
static bool sorts_arcs(const edgefw_decode_plan *plan, int table, bool into) {
  for (int l = 0; l < plan->logit_count && !into; ++l)
    if (plan->logits[l].table == table) return true;
  for (int f = 0; f < plan->feature_count; ++f) {
    const edgefw_feature *feature = &plan->features[f];
    if (feature->kind == EDGEFW_FEATURE_PATH && feature->path == EDGEFW_PATH_REMAINING_MIN &&
        feature->table == table && (feature->column == EDGEFW_CANDIDATE) == into)
      return true;
  }
  return false;
}

/* --- Layout --- */

static void take_saved(cuda_layout *layout, const edgefw_decode_args *args, int64_t batch,
                       decode_saved *out) {
  const int64_t rollouts = batch * args->rollouts, rows = rollouts * args->steps;
  const bool logits = args->train || args->logits;
  const int covers = args->train ? decode_cover_count(args->plan) : 0;
  take(layout, logits ? rows * args->nodes : 0, &out->logit);
  take(layout, logits ? rollouts : 0, &out->length);
  take(layout, args->train ? rows : 0, &out->log_sum);
  take(layout, args->train ? rows * args->plan->width : 0, &out->glimpse);
  take(layout, args->train ? rows * args->plan->heads : 0, &out->attention_log_sum);
  take(layout, args->train ? rows * args->plan->resource_count : 0, &out->share);
  take(layout, rows * covers * args->nodes, &out->cover);
}

/* Candidates that each rollout hands out. */
static int64_t candidates_of(const edgefw_decode_args *args) {
  return args->stop.early ? args->stop.best : 0;
}

/* Logits that each rollout hands out where it stops. */
static int64_t stop_logits_of(const edgefw_decode_args *args) {
  return args->stop.early && args->stop.logits ? args->nodes : 0;
}

/* Arrays for `batch` instances at `base`, NULL where they are not wanted; returns their bytes, also
 * without a base. */
static size_t lay_out(decode_run *run, int64_t batch, void *base) {
  const edgefw_decode_args *args = run->args;
  const edgefw_decode_plan *plan = args->plan;
  decode_job *job = &run->job;
  decode_call *call = &job->call;
  const int64_t n = args->nodes, rollouts = batch * args->rollouts;
  const int64_t tile_rows = batch * job->tiles * DECODE_TILE;
  cuda_layout layout = {(char *)base, 0};
  take(&layout, rollouts, &call->lengths);
  take(&layout, rollouts, &call->log_probability);
  for (int r = 0; r < plan->resource_count; ++r) {
    take(&layout, batch * n, &call->demand[r]);
    take(&layout, batch, &call->capacity[r]);
    take(&layout, batch, &call->slack[r]);
  }
  take(&layout, args->forbidden ? batch : 0, &call->forbidden);
  take(&layout, args->selection.select == EDGEFW_SELECT_SAMPLE ? batch : 0, &call->instance_ids);
  take(&layout, rollouts * args->steps, &call->tours);
  take(&layout, rollouts, &job->failure);
  take(&layout, args->given ? rollouts : 0, &call->given);
  take(&layout, args->stop.early ? rollouts : 0, &call->entries);
  take(&layout, rollouts * candidates_of(args), &call->candidates);
  take(&layout, rollouts * candidates_of(args), &call->candidate_log_probability);
  take(&layout, rollouts * stop_logits_of(args), &call->stop_logits);
  for (int t = 0; t < plan->table_count; ++t) {
    take(&layout, sorts_arcs(plan, t, false) ? batch * n * n : 0, &call->order[t]);
    take(&layout, sorts_arcs(plan, t, true) ? batch * n * n : 0, &call->reverse_order[t]);
    take(&layout, reads_columns(plan, t) ? batch * n * n : 0, &call->transposed[t]);
  }
  take(&layout, job->shape.scores_shared ? 0 : tile_rows * job->shape.score_stride, &job->score);
  take(&layout, tile_rows * decode_path_count(plan) * (n + DECODE_PATH_WHOLE), &job->paths);
  take(&layout, args->train ? rollouts : 0, &run->to_upstream);
  take_saved(&layout, args, batch, &call->saved);
  return layout.used;
}

/* Instances that a training call begins to look for memory with. An eighth of what is free is left
 * to the operations between two calls. */
static int64_t trainable(const decode_run *run, size_t each) {
  const cuda_block *scratch = run->device->scratch;
  size_t free_bytes = 0, total = 0;
  int64_t count = run->args->batch;
  if (cudaMemGetInfo(&free_bytes, &total) != cudaSuccess) return count;
  const size_t usable = free_bytes - free_bytes / 8 + scratch[CUDA_SCRATCH_SAVED].bytes +
                        scratch[CUDA_SCRATCH_BACKWARD].bytes + scratch[CUDA_SCRATCH_PARTS].bytes;
  while (count > 1 && (size_t)count * each > usable) count = (count + 1) / 2;
  return count;
}

/* Scratch for as many instances as there is memory for, their gradients included in training; NULL
 * with a recorded OUT_OF_MEMORY if there is not enough for one. */
static void *scratch_for(decode_run *run, int64_t *instances) {
  const edgefw_decode_args *args = run->args;
  const decode_call *call = &run->job.call;
  const size_t each = lay_out(run, 1, NULL);
  if (!args->train)
    return edgefw__cuda_scratch_for(run->device, CUDA_SCRATCH_SAVED, args->batch, each, "rollouts",
                                    instances);
  int64_t count = trainable(run, each + edgefw__cuda_decode_backward_bytes(call, 1));
  for (bool last = false; !last; count = (count + 1) / 2) {
    void *memory = edgefw__cuda_try_scratch(run->device, CUDA_SCRATCH_SAVED, (size_t)count * each);
    *instances = count;
    if (memory && edgefw__cuda_decode_backward_reserve(run->device, call, count)) return memory;
    edgefw__cuda_release_scratch(run->device, CUDA_SCRATCH_SAVED);
    edgefw__cuda_release_scratch(run->device, CUDA_SCRATCH_BACKWARD);
    edgefw__cuda_release_scratch(run->device, CUDA_SCRATCH_PARTS);
    last = count == 1;
  }
  const edgefw_status status = edgefw__cuda_check(run->device, cudaErrorMemoryAllocation,
                                                  "an instance's rollouts and their gradients");
  (void)status;
  return NULL;
}

/* --- Before the loop --- */

/* The call's arrays that belong to instances first .. of the caller's. */
static void set_inputs(decode_run *run, int64_t first, int64_t count) {
  const edgefw_decode_args *args = run->args;
  const int64_t n = args->nodes, d = args->plan->width;
  decode_call *call = &run->job.call;
  call->batch = (int)count;
  call->keys = (const float *)args->weights.pointer.keys + first * n * d;
  call->values = (const float *)args->weights.pointer.values + first * n * d;
  call->q_last = (const float *)args->weights.pointer.q_last + first * n * d;
  call->q_first = args->weights.pointer.q_first
                      ? (const float *)args->weights.pointer.q_first + first * n * d
                      : NULL;
  call->fold = (const float *)args->weights.pointer.fold + first * n * d;
  call->fold_bias = (const float *)args->weights.pointer.fold_bias + first * n;
  call->cost = args->cost + first * n * n;
  for (int t = 0; t < args->plan->table_count; ++t) {
    int64_t numbers = args->plan->table_is_pair[t] ? n * n : n;
    for (int l = 0; l < args->plan->logit_count; ++l) {
      const edgefw_logit *logit = &args->plan->logits[l];
      if (logit->kind == EDGEFW_LOGIT_LOCAL_ATTENTION && logit->points == t) numbers = 2 * n;
    }
    call->tables[t] = args->tables[t] ? (const float *)args->tables[t] + first * numbers : NULL;
  }
}

/* A host array's part of a chunk: `each` numbers for an instance. */
template <typename T>
static edgefw_status upload_part(decode_run *run, const T *to, const T *from, int64_t first,
                                 int64_t each) {
  return edgefw__cuda_to_device(run->device, (void *)to, from + first * each,
                                (size_t)(run->job.call.batch * each) * sizeof(T));
}

template <typename T>
static edgefw_status download_part(decode_run *run, T *to, const T *from, int64_t first,
                                   int64_t each) {
  return edgefw__cuda_to_host(run->device, to + first * each, from,
                              (size_t)(run->job.call.batch * each) * sizeof(T));
}

/* Sets all bits of an array that may not be wanted: `each` numbers for an instance. */
template <typename T>
static edgefw_status set_bits(decode_run *run, T *array, int64_t each, const char *what) {
  const size_t bytes = (size_t)(run->job.call.batch * each) * sizeof(T);
  if (!array) return EDGEFW_OK;
  return edgefw__cuda_check(run->device, cudaMemsetAsync(array, 0xff, bytes, run->device->stream),
                            what);
}

static edgefw_status upload_inputs(decode_run *run, int64_t first) {
  const edgefw_decode_args *args = run->args;
  const decode_call *call = &run->job.call;
  edgefw_status status = EDGEFW_OK;
  for (int r = 0; r < args->plan->resource_count && status == EDGEFW_OK; ++r) {
    status = upload_part(run, call->demand[r], args->resources.demand[r], first, args->nodes);
    if (status == EDGEFW_OK)
      status = upload_part(run, call->capacity[r], args->resources.capacity[r], first, 1);
    if (status == EDGEFW_OK)
      status = upload_part(run, call->slack[r], args->resources.slack[r], first, 1);
  }
  if (status == EDGEFW_OK && args->forbidden)
    status = upload_part(run, call->forbidden, args->forbidden, first, 1);
  if (status == EDGEFW_OK && call->instance_ids)
    status = upload_part(run, call->instance_ids, args->selection.instance_ids, first, 1);
  if (status == EDGEFW_OK && (args->given || args->selection.select == EDGEFW_SELECT_FORCED))
    status = upload_part(run, call->tours, (const int32_t *)args->tours, first,
                         args->rollouts * args->steps);
  if (status == EDGEFW_OK && args->given)
    status = upload_part(run, call->given, args->given, first, args->rollouts);
  if (status == EDGEFW_OK) /* -1 */
    status = set_bits(run, call->candidates, args->rollouts * args->stop.best, "candidates");
  if (status == EDGEFW_OK) /* NaN */
    status = set_bits(run, call->stop_logits, args->rollouts * args->nodes, "logits");
  return status;
}

/* Transposed tables and sorted arcs. */
static edgefw_status prepare_tables(decode_run *run) {
  const decode_call *call = &run->job.call;
  edgefw_status status = EDGEFW_OK;
  for (int t = 0; t < call->plan.table_count && status == EDGEFW_OK; ++t) {
    edgefw_table_args transpose = {};
    transpose.batch = call->batch;
    transpose.nodes = call->nodes;
    transpose.pair = call->tables[t];
    transpose.out = (void *)call->transposed[t];
    if (transpose.out) status = edgefw__cuda_transpose(run->device, &transpose);
    if (status == EDGEFW_OK && call->order[t])
      status = edgefw__cuda_sort_arcs(run->device, call->batch, call->nodes, call->tables[t], false,
                                      (int32_t *)call->order[t]);
    if (status == EDGEFW_OK && call->reverse_order[t])
      status = edgefw__cuda_sort_arcs(run->device, call->batch, call->nodes, call->tables[t], true,
                                      (int32_t *)call->reverse_order[t]);
  }
  return status;
}

/* --- After the loop --- */

/* The first rollout of the chunk that could not go on, if there is one, by its status. */
static edgefw_status check_rollouts(decode_run *run, int64_t first) {
  const edgefw_decode_args *args = run->args;
  const int64_t count = run->job.call.batch * args->rollouts, steps = args->steps;
  edgefw_status status = edgefw__cuda_to_host(run->device, run->failure, run->job.failure,
                                              (size_t)count * sizeof *run->failure);
  int64_t failed = 0;
  while (failed < count && run->failure[failed] == 0) ++failed;
  if (status != EDGEFW_OK || failed == count) return status;
  const int64_t rollout = first * args->rollouts + failed;
  int32_t *tour = args->tours + rollout * steps;
  if (args->selection.select != EDGEFW_SELECT_FORCED) /* what is given there is the same */
    status = edgefw__cuda_to_host(run->device, tour, run->job.call.tours + failed * steps,
                                  (size_t)steps * sizeof *tour);
  if (status != EDGEFW_OK) return status;
  const int32_t failure = run->failure[failed];
  return edgefw_refuse_rollout(
      run->device->ctx, args, rollout / args->rollouts, rollout % args->rollouts,
      (edgefw_refusal)(failure % EDGEFW_REFUSALS), tour, failure / EDGEFW_REFUSALS);
}

/* Logits of the chunk; 0 instead of -INFINITY and for entries that are not chosen. */
static edgefw_status download_logits(decode_run *run, int64_t first) {
  const edgefw_decode_args *args = run->args;
  const int64_t rollouts = run->job.call.batch * args->rollouts, n = args->nodes;
  float *logits = (float *)args->logits + first * args->rollouts * args->steps * n;
  edgefw_status status = edgefw__cuda_to_host(run->device, logits, run->job.call.saved.logit,
                                              (size_t)(rollouts * args->steps * n) * sizeof(float));
  if (status == EDGEFW_OK)
    status = edgefw__cuda_to_host(run->device, run->length, run->job.call.saved.length,
                                  (size_t)rollouts * sizeof *run->length);
  for (int64_t row = 0; status == EDGEFW_OK && row < rollouts * args->steps; ++row) {
    const int64_t step = row % args->steps;
    const int64_t rollout = row / args->steps;
    const int64_t begin =
        args->given ? args->given[first * args->rollouts + rollout] : run->job.call.start;
    const bool chosen = step >= begin && step < run->length[rollout];
    for (int64_t j = row * n; j < (row + 1) * n; ++j)
      if (!chosen || logits[j] == -INFINITY) logits[j] = 0.0f;
  }
  return status;
}

/* Where rollouts stand, and their candidates; those that there are not have no probability. */
static edgefw_status download_stop(decode_run *run, int64_t first) {
  const edgefw_decode_args *args = run->args;
  const edgefw_decode_stop *stop = &args->stop;
  const int64_t each = args->rollouts * stop->best;
  edgefw_status status = EDGEFW_OK;
  if (stop->entries)
    status = download_part(run, stop->entries, run->job.call.entries, first, args->rollouts);
  if (status == EDGEFW_OK && run->job.call.stop_logits)
    status = download_part(run, stop->logits, run->job.call.stop_logits, first,
                           args->rollouts * args->nodes);
  if (status != EDGEFW_OK || stop->best == 0) return status;
  status = download_part(run, stop->candidates, run->job.call.candidates, first, each);
  if (status == EDGEFW_OK)
    status = download_part(run, stop->candidate_log_probability,
                           run->job.call.candidate_log_probability, first, each);
  for (int64_t c = first * each; c < (first + run->job.call.batch) * each; ++c)
    if (stop->candidates[c] < 0) stop->candidate_log_probability[c] = -INFINITY;
  return status;
}

static edgefw_status download_results(decode_run *run, int64_t first) {
  const edgefw_decode_args *args = run->args;
  edgefw_status status = check_rollouts(run, first);
  if (status == EDGEFW_OK)
    status = download_part(run, args->lengths, run->job.call.lengths, first, args->rollouts);
  if (status == EDGEFW_OK && run->log_probability)
    status = download_part(run, run->log_probability, run->job.call.log_probability, first,
                           args->rollouts);
  if (status == EDGEFW_OK && args->selection.select != EDGEFW_SELECT_FORCED)
    status =
        download_part(run, args->tours, run->job.call.tours, first, args->rollouts * args->steps);
  if (status == EDGEFW_OK && args->logits) status = download_logits(run, first);
  if (status == EDGEFW_OK && args->stop.early) status = download_stop(run, first);
  return status;
}

/* --- Gradients --- */

/* What each rollout of the chunk weighs, as the caller says, and the gradients. */
static edgefw_status learn(decode_run *run, int64_t first) {
  const edgefw_decode_args *args = run->args;
  const int64_t rollouts = args->rollouts, count = run->job.call.batch * rollouts;
  for (int64_t b = 0; b < run->job.call.batch; ++b) {
    const int64_t at = (first + b) * rollouts;
    args->weigh(args->weigh_user, first + b, rollouts, args->lengths + at,
                run->log_probability + at, run->weights);
    for (int64_t s = 0; s < rollouts; ++s) run->upstream[b * rollouts + s] = (float)run->weights[s];
  }
  const edgefw_status status = edgefw__cuda_to_device(run->device, run->to_upstream, run->upstream,
                                                      (size_t)count * sizeof *run->upstream);
  if (status != EDGEFW_OK) return status;
  return edgefw__cuda_decode_backward(run->device, args, first, &run->job.call, run->to_upstream);
}

/* --- The operation --- */

/* All of the call that is not an array of instances. */
static decode_job job_of(const edgefw_decode_args *args) {
  decode_job job = {};
  decode_call *call = &job.call;
  call->plan = *args->plan;
  call->nodes = (int)args->nodes;
  call->rollouts = (int)args->rollouts;
  call->steps = (int)args->steps;
  call->start = args->plan->start == EDGEFW_START_EACH_CUSTOMER ? 2 : 1;
  call->stops = args->stop.early;
  call->decisions = (int)args->stop.decisions;
  call->best = (int)candidates_of(args);
  call->first_start = args->selection.first_start;
  call->w1 = (const float *)args->weights.mlp.w1;
  call->b1 = (const float *)args->weights.mlp.b1;
  call->w2 = (const float *)args->weights.mlp.w2;
  call->b2 = (const float *)args->weights.mlp.b2;
  call->narrows = args->forbidden != NULL;
  call->clip = (float)args->selection.clip;
  call->select = args->selection.select;
  call->sample_seed = args->selection.seed;
  call->w_left = (const float *)args->weights.pointer.w_left;
  call->w_left_stride = args->weights.pointer.w_left_stride;
  for (int l = 0; l < args->plan->logit_count; ++l)
    for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t)
      call->logit_tensors[l][t] = (const float *)args->weights.logits[l][t];
  job.probable =
      args->train || args->log_probability || args->selection.select != EDGEFW_SELECT_GREEDY;
  return job;
}

static edgefw_status run_chunk(decode_run *run, int64_t first, int64_t count, void *scratch) {
  (void)lay_out(run, count, scratch);
  set_inputs(run, first, count);
  edgefw_status status = upload_inputs(run, first);
  if (status == EDGEFW_OK) status = prepare_tables(run);
  if (status == EDGEFW_OK) status = edgefw__cuda_decode_launch(run->device, &run->job);
  if (status == EDGEFW_OK) status = download_results(run, first);
  if (status == EDGEFW_OK && run->args->train) status = learn(run, first);
  return status;
}

/* Host memory of a call whose chunks have so many instances. */
static edgefw_status allocate_host(decode_run *run, int64_t instances) {
  const edgefw_decode_args *args = run->args;
  edgefw_context *ctx = run->device->ctx;
  const size_t chunk = (size_t)(instances * args->rollouts);
  run->failure = (int32_t *)edgefw_allocate(ctx, chunk, sizeof *run->failure, "rollouts");
  run->length = (int32_t *)edgefw_allocate(ctx, chunk, sizeof *run->length, "rollouts");
  if (args->train && !args->log_probability)
    run->log_probability = (double *)edgefw_allocate(ctx, (size_t)(args->batch * args->rollouts),
                                                     sizeof *run->log_probability, "rollouts");
  if (args->train) {
    run->weights = (double *)edgefw_allocate(ctx, (size_t)args->rollouts, sizeof *run->weights,
                                             "weights of rollouts");
    run->upstream =
        (float *)edgefw_allocate(ctx, chunk, sizeof *run->upstream, "weights of rollouts");
  }
  const bool complete = run->failure && run->length &&
                        (!args->train || (run->log_probability && run->weights && run->upstream));
  return complete ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}

edgefw_status edgefw__cuda_decode(edgefw_device *device, const edgefw_decode_args *args) {
  decode_run run = {};
  run.device = device;
  run.args = args;
  run.job = job_of(args);
  run.log_probability = args->log_probability;
  edgefw_status status = edgefw_check_steps(device->ctx, args);
  if (status == EDGEFW_OK) status = edgefw__cuda_decode_plan(device, &run.job);
  if (status == EDGEFW_OK) status = edgefw__cuda_logits_prepare(device, &run.job.call);
  int64_t chunk = 1;
  void *scratch = status == EDGEFW_OK ? scratch_for(&run, &chunk) : NULL;
  if (status == EDGEFW_OK && !scratch) status = EDGEFW_OUT_OF_MEMORY;
  if (status == EDGEFW_OK) status = allocate_host(&run, chunk);
  for (int64_t first = 0; status == EDGEFW_OK && first < args->batch; first += chunk)
    status =
        run_chunk(&run, first, args->batch - first < chunk ? args->batch - first : chunk, scratch);
  edgefw_release(device->ctx, run.failure);
  edgefw_release(device->ctx, run.length);
  edgefw_release(device->ctx, run.weights);
  edgefw_release(device->ctx, run.upstream);
  if (run.log_probability != args->log_probability)
    edgefw_release(device->ctx, run.log_probability);
  return status;
}

size_t edgefw__cuda_decode_scratch(const edgefw_decode_args *args) {
  decode_run run = {};
  decode_job *job = &run.job;
  run.args = args;
  *job = job_of(args);
  job->tiles = (int)((args->rollouts + DECODE_TILE - 1) / DECODE_TILE);
  /* Whether scores fit in shared memory depends on the GPU; they are a small part of it all. */
  job->shape.score_stride = (int)cuda_round_up(args->nodes, DECODE_NODES) + 8;
  size_t bytes = lay_out(&run, args->batch, NULL);
  bytes += edgefw__cuda_logits_bytes(&job->call);
  if (args->train) bytes += edgefw__cuda_decode_backward_bytes(&job->call, args->batch);
  return bytes;
}
