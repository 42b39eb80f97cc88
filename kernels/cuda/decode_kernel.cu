/* The decode loop: one persistent kernel (decode.cuh). A step is: queries; glimpses and base scores
 * of all rows by all warps; then, each row by its own warp, features, choice and the new state. */
#include "decode_choice.cuh"
#include "decode_features.cuh"
#include "decode_logits.cuh"

/* query = q_last[current] (+ q_first[first]) + sum_r share_r * w_left[.,r]; by the row's warp. */
static __device__ NOT_INLINE void decode_query(const decode_block *block, int row) {
  const decode_call *call = block->call;
  const int64_t width = call->plan.width, n = call->nodes, first = block->instance * n * width;
  const float *last = call->q_last + first + block->rows->current[row] * width;
  const float *start =
      call->q_first ? call->q_first + first + block->rows->first[row] * width : NULL;
  float *query =
      (float *)(block->shared + block->job->shape.query) + row * block->job->shape.stride;
  for (int c = block->lane; c < width; c += WARP_LANES) {
    float x = start ? last[c] + start[c] : last[c];
    for (int r = 0; r < call->plan.resource_count; ++r)
      x += block->rows->share[row][r] * call->w_left[c * call->w_left_stride + r];
    query[c] = x;
  }
}

static __device__ __forceinline__ decode_block decode_block_of(const decode_job *job) {
  decode_block block;
  block.job = job;
  block.call = &job->call;
  block.shared = shared_memory<unsigned char>();
  block.rows = (decode_standing *)(block.shared + job->shape.rows);
  block.instance = (int)blockIdx.x / job->tiles;
  block.tile = (int)blockIdx.x % job->tiles;
  block.first = block.tile * DECODE_TILE;
  block.count = min((int)DECODE_TILE, job->call.rollouts - block.first);
  block.warp = (int)threadIdx.x / WARP_LANES;
  block.warps = (int)blockDim.x / WARP_LANES;
  block.lane = (int)threadIdx.x % WARP_LANES;
  return block;
}

/* What the block has before its first step. */
template <int PRECISION>
static __device__ NOT_INLINE void decode_prepare(const decode_block *block) {
  decode_load<PRECISION>(block);
  decode_load_mlp(block);
  for (int row = block->warp; row < DECODE_TILE; row += block->warps) {
    uint32_t *open = decode_open(block, row);
    if (row < block->count) {
      decode_begin_paths(block, row);
      decode_start(block, row);
    } else {
      for (int word = block->lane; word < block->job->shape.words; word += WARP_LANES)
        open[word] = 0;
      if (block->lane == 0) block->rows->active[row] = 0;
    }
  }
}

/* By the block; with barriers if there are logits. */
static __device__ NOT_INLINE void decode_logits(const decode_block *block, float *score) {
  decode_tile tile;
  tile.instance = block->instance;
  tile.first = block->first;
  tile.count = block->count;
  tile.active = block->rows->active;
  tile.current = block->rows->current;
  tile.open = decode_open(block, 0);
  tile.open_words = block->job->shape.words;
  tile.share = &block->rows->share[0][0];
  tile.score = score;
  tile.score_stride = block->job->shape.score_stride;
  decode_add_logits(block->call, &tile, block->shared + block->job->shape.logits);
}

/* Base scores of all rows; ends with a barrier. */
template <int PRECISION>
static __device__ NOT_INLINE void decode_score(const decode_block *block, float *score) {
  decode_attend<PRECISION>(block);
  __syncthreads();
  if (block->job->shape.parts > 1) {
    decode_merge(block);
    __syncthreads();
  }
  decode_base_scores<PRECISION>(block, score);
  __syncthreads();
}

/* Queries of the rows that go on; do any? By the block, ends with a barrier. */
static __device__ NOT_INLINE bool decode_go_on(const decode_block *block) {
  int active = 0;
  FOR_OWN_ROWS(block, row) {
    if (!block->rows->active[row]) continue;
    decode_need_open(block, row);
    if (block->call->narrows) decode_narrow(block, row);
    if (block->rows->active[row]) decode_query(block, row);
  }
  __syncthreads();
  for (int row = 0; row < DECODE_TILE; ++row) active |= block->rows->active[row];
  return active != 0;
}

template <int PRECISION>
static __global__ void __launch_bounds__(DECODE_MANY_WARPS *WARP_LANES)
    decode_kernel(const __grid_constant__ decode_job job) {
  const decode_block all = decode_block_of(&job), *block = &all;
  const int64_t stride = job.shape.score_stride;
  float *score = job.shape.scores_shared ? (float *)(block->shared + job.shape.score)
                                         : job.score + (int64_t)blockIdx.x * DECODE_TILE * stride;
  decode_prepare<PRECISION>(block);
  for (int made = 0; made < job.call.steps; ++made) {
    const bool last = job.call.stops && made == job.call.decisions;
    if (last && job.call.best == 0 && !job.call.stop_logits) break;
    if (!decode_go_on(block)) break;
    decode_score<PRECISION>(block, score);
    FOR_OWN_ROWS(block, row)
    if (block->rows->active[row]) decode_add_features(block, row, score + row * stride);
    if (job.call.plan.logit_count > 0) decode_logits(block, score);
    FOR_OWN_ROWS(block, row) {
      if (!block->rows->active[row]) continue;
      if (last)
        decode_rank(block, row, score + row * stride);
      else
        decode_decide(block, row, score + row * stride);
    }
    if (last) break;
  }
  FOR_OWN_ROWS(block, row)
  if (block->rows->active[row]) decode_stop(block, row);
}

edgefw_status edgefw__cuda_decode_plan(edgefw_device *device, decode_job *job) {
  const edgefw_decode_plan *plan = &job->call.plan;
  cuda_decode_size size = {};
  size.nodes = job->call.nodes;
  size.width = plan->width;
  size.heads = plan->heads;
  size.mlp = decode_mlp_numbers(plan);
  size.element = device->precision == EDGEFW_PRECISION_BF16 ? 2 : sizeof(float);
  size.depot = plan->start == EDGEFW_START_EACH_CUSTOMER || job->call.narrows;
  size.rows = sizeof(decode_standing);
  size.look_ups = (size_t)plan->feature_count * sizeof(decode_look_up);
  size.logits = decode_logits_shared(plan);
  job->shape = cuda_decode_shape_of(&size, device->shared_limit);
  job->tiles = (job->call.rollouts + DECODE_TILE - 1) / DECODE_TILE;
  if (job->shape.bytes <= device->shared_limit) return EDGEFW_OK;
  return edgefw_fail(device->ctx, EDGEFW_UNSUPPORTED,
                     "device cuda: decoding %d nodes with embeddings of %lld numbers takes %lld "
                     "bytes of a block's shared memory, of which this GPU has %lld; decode on the "
                     "device cpu, or with narrower embeddings",
                     job->call.nodes, (long long)plan->width, (long long)job->shape.bytes,
                     (long long)device->shared_limit);
}

edgefw_status edgefw__cuda_decode_launch(edgefw_device *device, const decode_job *job) {
  const launch_shape shape = {dim3((unsigned)(job->call.batch * job->tiles)),
                              (unsigned)(job->shape.warps * WARP_LANES), job->shape.bytes};
  return with_precision(device, [&](auto precision) {
    return launch(device, "decode", decode_kernel<precision>, shape, *job);
  });
}
