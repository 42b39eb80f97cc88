/* Backward of the decode loop, all decisions at once. From the logits that a training forward has
 * saved to the scores' gradients; from these, in turn, those of the MLP and the logits of the plan,
 * of the pointer (fold), of the attention and of what queries are made of. */
#include "decode_backward.cuh"
#include "layout.cuh"
#include "libraries.cuh"
#include "warp.cuh"

enum { SUM_STRIPES = 16 }; /* in which a block sums over an instance's rows */

/* --- Scores: a warp has a row --- */

/* log p = logit_chosen - log-sum-exp; logit = clip * tanh(score). In place of the logits; what is
 * no decision gets zeros, o too. */
static __global__ void scores_kernel(decode_call call, decode_rows rows, const float *upstream) {
  const int lane = (int)threadIdx.x % WARP_LANES, n = call.nodes, d = (int)call.plan.width;
  const int64_t count = (int64_t)call.batch * call.rollouts * call.steps;
  FOR_WARPS(row, count) {
    const int64_t rollout = row / call.steps;
    const bool made = is_decision(call, rollout, (int)(row % call.steps));
    const float log_sum = made ? call.saved.log_sum[row] : 0.0f;
    const int chosen = made ? call.tours[row] : -1;
    const float weight = upstream[rollout] * call.clip;
    float *logit = call.saved.logit + row * n;
    for (int first = 0; first < n; first += WARP_LANES) {
      const int j = first + lane;
      const float x = made && j < n ? logit[j] : -INFINITY;
      const bool open = x > -INFINITY;
      const unsigned bits = __ballot_sync(FULL_WARP, open);
      if (lane == 0) rows.open[row * rows.words + first / WARP_LANES] = bits;
      const float squashed = x / call.clip;
      const float slope = (1.0f - squashed) * (1.0f + squashed);
      const float choice = (j == chosen ? 1.0f : 0.0f) - expf(x - log_sum);
      if (j < n) logit[j] = open ? weight * choice * slope : 0.0f;
    }
    if (made) continue;
    for (int c = lane; c < d; c += WARP_LANES) call.saved.glimpse[row * d + c] = 0.0f;
  }
}

/* Where every node is in the tour, and how many there are before each entry; a warp has a rollout.
 * The depot counts once. */
static __global__ void tours_kernel(decode_call call, decode_rows rows) {
  const int lane = (int)threadIdx.x % WARP_LANES;
  const bool depot = call.plan.start == EDGEFW_START_EACH_CUSTOMER;
  const int64_t count = (int64_t)call.batch * call.rollouts;
  FOR_WARPS(rollout, count) {
    const int length = call.saved.length[rollout];
    int before = 0;
    for (int j = lane; j < call.nodes; j += WARP_LANES)
      rows.position[rollout * call.nodes + j] = call.steps;
    __syncwarp();
    for (int first = 0; first < length; first += WARP_LANES) {
      const int t = first + lane;
      const int node = t < length ? call.tours[rollout * call.steps + t] : 0;
      const bool is_new = t < length && (!depot || node != 0 || t == 0);
      const unsigned bits = __ballot_sync(FULL_WARP, is_new);
      if (is_new) rows.position[rollout * call.nodes + node] = t;
      if (t < length)
        rows.distinct[rollout * call.steps + t] = before + __popc(bits & ((1u << lane) - 1u));
      before += __popc(bits);
    }
  }
}

/* --- Pointer: base = (o . fold + fold_bias) / sqrt(d) --- */

/* dfold_bias (B,n) += scale * sum of dscore over an instance's rows; a block has 32 columns, a warp
 * a stripe of the rows. */
static __global__ void bias_kernel(decode_call call, int tiles, float scale, float *dfold_bias) {
  float *sums = shared_memory<float>(); /* (SUM_STRIPES,32) */
  const int lane = (int)threadIdx.x % WARP_LANES, stripe = (int)threadIdx.x / WARP_LANES;
  const int64_t instance = blockIdx.x / tiles, count = (int64_t)call.rollouts * call.steps;
  const int64_t n = call.nodes, j = (int64_t)(blockIdx.x % tiles) * WARP_LANES + lane;
  const float *dscore = call.saved.logit + instance * count * n;
  float sum = 0.0f;
  for (int64_t row = stripe; j < n && row < count; row += SUM_STRIPES) sum += dscore[row * n + j];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (stripe > 0 || j >= n) return;
  sum = 0.0f;
  for (int s = 0; s < SUM_STRIPES; ++s) sum += sums[s * WARP_LANES + lane];
  dfold_bias[instance * n + j] += scale * sum;
}

/* dfold += dbase^T o, do = dbase fold, dfold_bias += sum of dbase; dbase = dscore / sqrt(d) */
static edgefw_status pointer_backward(edgefw_device *device, const decode_call *call,
                                      const decode_rows *rows, float *dfold, float *dfold_bias) {
  const int64_t n = call->nodes, d = call->plan.width,
                decisions = (int64_t)call->rollouts * call->steps;
  const float scale = 1.0f / sqrtf((float)d);
  cuda_product product = {};
  product.batch = call->batch;
  product.alpha = scale;
  product.a = call->saved.logit;
  product.lda = n;
  product.stride_a = decisions * n;
  product.ldb = product.ldc = product.n = d;
  edgefw_status status = EDGEFW_OK;
  if (dfold_bias) {
    const int64_t tiles = cuda_tiles(n, WARP_LANES);
    const launch_shape shape = {dim3((unsigned)(call->batch * tiles)), SUM_STRIPES * WARP_LANES,
                                SUM_STRIPES * WARP_LANES * sizeof(float)};
    status =
        launch(device, "decode's bias", bias_kernel, shape, *call, (int)tiles, scale, dfold_bias);
  }
  if (status == EDGEFW_OK && dfold) {
    cuda_product fold = product;
    fold.transpose_a = true;
    fold.m = n;
    fold.k = decisions;
    fold.beta = 1.0f;
    fold.b = call->saved.glimpse;
    fold.stride_b = decisions * d;
    fold.c = dfold;
    fold.stride_c = n * d;
    status = edgefw__cuda_multiply(device, &fold);
  }
  if (status != EDGEFW_OK) return status;
  product.m = decisions;
  product.k = n;
  product.b = call->fold;
  product.stride_b = n * d;
  product.c = rows->gradient;
  product.stride_c = decisions * d;
  return edgefw__cuda_multiply(device, &product);
}

/* --- Queries: q_last[current] + q_first[first] + sum_r share_r * w_left[.,r] --- */

enum {
  SUM_ALL = 0,
  SUM_DEPOT,
  SUM_LEFT
}; /* of a rollout's decisions; SUM_LEFT + r: times share_r */

/* sums (B,S,SUM_LEFT + resources,d); a block has a rollout, a thread a column. */
static __global__ void rollout_sums_kernel(decode_call call, decode_rows rows, float *sums) {
  const int64_t rollout = blockIdx.x, d = call.plan.width;
  const int resources = call.plan.resource_count, length = call.saved.length[rollout];
  const int32_t *tour = call.tours + rollout * call.steps;
  for (int64_t c = threadIdx.x; c < d; c += blockDim.x) {
    float all = 0.0f, depot = 0.0f, left[EDGEFW_MAX_RESOURCES] = {};
    for (int t = decode_given(&call, rollout); t < length; ++t) {
      const int64_t row = rollout * call.steps + t;
      const float dquery = rows.gradient[row * d + c];
      all += dquery;
      if (tour[t - 1] == 0) depot += dquery;
#pragma unroll
      for (int r = 0; r < EDGEFW_MAX_RESOURCES; ++r)
        if (r < resources) left[r] += dquery * call.saved.share[row * resources + r];
    }
    float *out = sums + rollout * (SUM_LEFT + resources) * d + c;
    out[SUM_ALL * d] = all;
    out[SUM_DEPOT * d] = depot;
#pragma unroll
    for (int r = 0; r < EDGEFW_MAX_RESOURCES; ++r)
      if (r < resources) out[(SUM_LEFT + r) * d] = left[r];
  }
}

/* What rollout `rollout` adds to column c of dq_last[node]: a customer it leaves once, the depot
 * once a route. */
static __device__ __forceinline__ float last_gradient(const decode_call &call,
                                                      const decode_rows &rows, const float *sum,
                                                      int64_t rollout, int node, int64_t c) {
  const int64_t d = call.plan.width;
  if (call.plan.start == EDGEFW_START_EACH_CUSTOMER && node == 0) return sum[SUM_DEPOT * d + c];
  const int t = rows.position[rollout * call.nodes + node] + 1;
  return is_decision(call, rollout, t) ? rows.gradient[(rollout * call.steps + t) * d + c] : 0.0f;
}

/* dq_last and dq_first (B,n,d) += theirs, NULL: not wanted; a block has a node. */
static __global__ void nodes_kernel(decode_call call, decode_rows rows, const float *sums,
                                    float *dq_last, float *dq_first) {
  const int node = (int)(blockIdx.x % (unsigned)call.nodes);
  const int64_t instance = blockIdx.x / (unsigned)call.nodes, d = call.plan.width;
  const int64_t width = (SUM_LEFT + call.plan.resource_count) * d;
  for (int64_t c = threadIdx.x; c < d; c += blockDim.x) {
    float last = 0.0f, first = 0.0f;
    for (int s = 0; s < call.rollouts; ++s) {
      const int64_t rollout = instance * call.rollouts + s;
      const float *sum = sums + rollout * width;
      if (dq_last) last += last_gradient(call, rows, sum, rollout, node, c);
      if (dq_first && call.tours[rollout * call.steps] == node) first += sum[SUM_ALL * d + c];
    }
    const int64_t at = (instance * call.nodes + node) * d + c;
    if (dq_last) dq_last[at] += last;
    if (dq_first) dq_first[at] += first;
  }
}

/* Sums over an instance's rollouts in the place of its first rollout's; a block has an instance. */
static __global__ void left_kernel(decode_call call, float *sums) {
  const int64_t resources = call.plan.resource_count, d = call.plan.width;
  const int64_t width = (SUM_LEFT + resources) * d;
  float *first = sums + blockIdx.x * call.rollouts * width + SUM_LEFT * d;
  for (int64_t e = threadIdx.x; e < resources * d; e += blockDim.x) {
    float total = 0.0f;
    for (int s = 0; s < call.rollouts; ++s) total += first[s * width + e];
    first[e] = total;
  }
}

/* dw_left (d,resources) += the instances', one after the other. */
static __global__ void left_totals_kernel(decode_call call, const float *sums, float *dw_left) {
  const int64_t resources = call.plan.resource_count, d = call.plan.width;
  const int64_t width = (SUM_LEFT + resources) * d;
  FOR_ELEMENTS(e, resources * d) {
    float *out = dw_left + e % d * call.w_left_stride + e / d;
    float total = *out;
    for (int b = 0; b < call.batch; ++b)
      total += sums[(int64_t)b * call.rollouts * width + SUM_LEFT * d + e];
    *out = total;
  }
}

static edgefw_status queries_backward(edgefw_device *device, const decode_call *call,
                                      const decode_rows *rows, float *sums, float *dq_last,
                                      float *dq_first, float *dw_left) {
  const int64_t d = call->plan.width, resources = call->plan.resource_count;
  launch_shape shape = {dim3((unsigned)(call->batch * call->rollouts)),
                        (unsigned)cuda_threads_for(d, CUDA_ELEMENT_THREADS), 0};
  edgefw_status status =
      launch(device, "decode's queries", rollout_sums_kernel, shape, *call, *rows, sums);
  shape.grid.x = (unsigned)(call->batch * call->nodes);
  if (status == EDGEFW_OK && (dq_last || dq_first))
    status = launch(device, "decode's queries", nodes_kernel, shape, *call, *rows,
                    (const float *)sums, dq_last, dq_first);
  if (status != EDGEFW_OK || !dw_left || resources == 0) return status;
  shape.grid.x = (unsigned)call->batch;
  status = launch(device, "decode's resources", left_kernel, shape, *call, sums);
  if (status != EDGEFW_OK) return status;
  return launch(device, "decode's resources", left_totals_kernel, shape_of_elements(resources * d),
                *call, (const float *)sums, dw_left);
}

/* --- All of it --- */

/* `x` moved by `count` numbers; NULL stays so. */
static float *moved(void *x, int64_t count) {
  return x ? (float *)x + count : NULL;
}

/* Scratch bytes of `count` instances, and where in `memory` everything is. */
static size_t place_rows(const decode_call *call, int64_t count, void *memory, decode_rows *rows,
                         float **sums) {
  const int64_t n = call->nodes, d = call->plan.width, rollouts = count * call->rollouts;
  const int64_t entries = rollouts * call->steps;
  cuda_layout layout = {(char *)memory, 0};
  rows->words = (int)cuda_tiles(n, 32);
  take(&layout, entries * d, &rows->gradient);
  take(&layout, entries * call->plan.heads, &rows->mean);
  take(&layout, entries * rows->words, &rows->open);
  take(&layout, rollouts * n, &rows->position);
  take(&layout, entries, &rows->distinct);
  take(&layout, rollouts * (SUM_LEFT + call->plan.resource_count) * d, sums);
  return layout.used;
}

static size_t rows_bytes(const decode_call *call, int64_t count) {
  decode_rows rows;
  float *sums;
  return place_rows(call, count, NULL, &rows, &sums);
}

/* What all gradients begin with: those of the scores, and a table of each tour. */
static edgefw_status scores_backward(edgefw_device *device, const decode_call *call,
                                     const decode_rows *rows, const float *upstream) {
  const int64_t rollouts = (int64_t)call->batch * call->rollouts;
  const edgefw_status status =
      launch(device, "decode's tours", tours_kernel, shape_of_warps(rollouts), *call, *rows);
  if (status != EDGEFW_OK) return status;
  return launch(device, "decode's scores", scores_kernel, shape_of_warps(rollouts * call->steps),
                *call, *rows, upstream);
}

/* Bytes of CUDA_SCRATCH_PARTS for `count` instances. */
static size_t parts_bytes(const decode_call *call, int64_t count) {
  const size_t features = edgefw__cuda_decode_features_bytes(call, count);
  const size_t logits = edgefw__cuda_logits_backward_bytes(call, count);
  return features > logits ? features : logits;
}

size_t edgefw__cuda_decode_backward_bytes(const decode_call *call, int64_t count) {
  return rows_bytes(call, count) + parts_bytes(call, count);
}

bool edgefw__cuda_decode_backward_reserve(edgefw_device *device, const decode_call *call,
                                          int64_t count) {
  const size_t parts = parts_bytes(call, count);
  return edgefw__cuda_try_scratch(device, CUDA_SCRATCH_BACKWARD, rows_bytes(call, count)) &&
         (parts == 0 || edgefw__cuda_try_scratch(device, CUDA_SCRATCH_PARTS, parts));
}

edgefw_status edgefw__cuda_decode_backward(edgefw_device *device, const edgefw_decode_args *args,
                                           int64_t first, const decode_call *call,
                                           const float *upstream) {
  void *memory = edgefw__cuda_scratch(device, CUDA_SCRATCH_BACKWARD, rows_bytes(call, call->batch),
                                      "gradients of decisions");
  if (!memory) return EDGEFW_OUT_OF_MEMORY;
  decode_rows rows = {};
  float *sums = NULL;
  (void)place_rows(call, call->batch, memory, &rows, &sums);
  const int64_t node = first * call->nodes, number = node * call->plan.width;
  edgefw_status status = scores_backward(device, call, &rows, upstream);
  for (int l = 0; status == EDGEFW_OK && l < call->plan.logit_count; ++l)
    if (call->plan.logits[l].kind == EDGEFW_LOGIT_LOCAL_ATTENTION)
      status = edgefw__cuda_logits_backward(device, args, call, l, call->saved.logit, rows.open,
                                            rows.words);
  if (status == EDGEFW_OK)
    status = edgefw__cuda_decode_features_backward(device, args, call, &rows);
  if (status == EDGEFW_OK)
    status = pointer_backward(device, call, &rows, moved(args->gradients.pointer.fold, number),
                              moved(args->gradients.pointer.fold_bias, node));
  if (status == EDGEFW_OK)
    status = edgefw__cuda_decode_attention_backward(device, call, &rows,
                                                    moved(args->gradients.pointer.keys, number),
                                                    moved(args->gradients.pointer.values, number));
  if (status != EDGEFW_OK) return status;
  return queries_backward(device, call, &rows, sums, moved(args->gradients.pointer.q_last, number),
                          moved(args->gradients.pointer.q_first, number),
                          (float *)args->gradients.pointer.w_left);
}
