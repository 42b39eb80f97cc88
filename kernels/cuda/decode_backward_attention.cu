/* Backward of the decode loop's attention, as flash attention does it: weights are computed again
 * from the log-sum-exp that the forward has saved, one kernel sums over the decisions for keys and
 * values, another over the keys for queries. A product's result becomes an operand of the next one
 * without leaving its registers. */
#include "decode_backward.cuh"
#include "products.cuh"

enum { ROWS = CUDA_DECODE_ROWS, KEYS = CUDA_DECODE_KEYS };

/* --- Parts of a head --- */

/* The block's instance, head and tile of keys or rows. */
typedef struct head_tile {
  int64_t instance;
  int head, tile;
  int width, column; /* of a head; its first column of d */
} head_tile;

static __device__ __forceinline__ head_tile head_tile_of(const decode_call &call, int tiles) {
  const int heads = (int)call.plan.heads, block = (int)blockIdx.x;
  head_tile at;
  at.tile = block % tiles;
  at.head = block / tiles % heads;
  at.instance = block / tiles / heads;
  at.width = (int)call.plan.width / heads;
  at.column = at.head * at.width;
  return at;
}

/* query = q_last[current] (+ q_first[first]) + sum_r share_r * w_left[.,r], column c of d; 0 for
 * what is no decision. */
static __device__ __forceinline__ float query_of(const decode_call &call, int64_t instance,
                                                 const decision &at, int c) {
  if (!at.made) return 0.0f;
  const int d = (int)call.plan.width, resources = call.plan.resource_count;
  const int64_t node = instance * call.nodes;
  float query = call.q_last[(node + at.current) * d + c];
  if (call.q_first) query += call.q_first[(node + at.first) * d + c];
  for (int r = 0; r < resources; ++r)
    query += call.saved.share[at.row * resources + r] * call.w_left[c * call.w_left_stride + r];
  return query;
}

/* Entry of an array (B,n,d): node and column of a head, 0 beyond them. */
static __device__ __forceinline__ float node_entry(const decode_call &call, const head_tile &at,
                                                   const float *x, int node, int c) {
  if (node >= call.nodes || c >= at.width) return 0.0f;
  return x[(at.instance * call.nodes + node) * call.plan.width + at.column + c];
}

/* Attention's weight and the gradient of q.k from the two products of a pair. */
typedef struct pair_gradient {
  float weight, ddot;
} pair_gradient;

static __device__ __forceinline__ pair_gradient pair_of(bool open, float dot, float dweight,
                                                        float scale, float log_sum, float mean) {
  pair_gradient at = {0.0f, 0.0f};
  if (!open) return at;
  at.weight = __expf(dot * scale - log_sum);
  at.ddot = at.weight * (dweight - mean) * scale;
  return at;
}

/* mean (B,S,T,H) = o . do of each head */
static __global__ void means_kernel(decode_call call, decode_rows rows) {
  const int heads = (int)call.plan.heads, d = (int)call.plan.width, width = d / heads;
  const int64_t count = (int64_t)call.batch * call.rollouts * call.steps * heads;
  FOR_ELEMENTS(e, count) {
    const int64_t row = e / heads, begin = row * d + e % heads * width;
    if (!is_decision(call, row / call.steps, (int)(row % call.steps))) continue;
    float mean = 0.0f;
    for (int c = 0; c < width; ++c)
      mean += call.saved.glimpse[begin + c] * rows.gradient[begin + c];
    rows.mean[e] = mean;
  }
}

/* --- Keys and values: a warp has 16 keys, the block goes through all rows --- */

/* The block's ROWS rows in shared memory. */
typedef struct row_stage {
  float *query, *gradient; /* (ROWS,stride) of the head */
  float *log_sum, *mean;   /* (ROWS) */
  int *current, *first;    /* (ROWS); current -1: no decision */
  uint32_t *open;          /* (ROWS,words) of the block's keys */
} row_stage;

static __device__ __forceinline__ row_stage row_stage_at(float *shared, int stride) {
  row_stage stage;
  stage.query = shared;
  stage.gradient = stage.query + ROWS * stride;
  stage.log_sum = stage.gradient + ROWS * stride;
  stage.mean = stage.log_sum + ROWS;
  stage.current = (int *)(stage.mean + ROWS);
  stage.first = stage.current + ROWS;
  stage.open = (uint32_t *)(stage.first + ROWS);
  return stage;
}

/* What each row is, by the first ROWS threads; the openness of keys from word `word` on. */
static __device__ void stage_rows(const decode_call &call, const decode_rows &rows,
                                  const head_tile &at, int row, int word, int words,
                                  const row_stage &stage) {
  const int heads = (int)call.plan.heads;
  for (int r = (int)threadIdx.x; r < ROWS; r += (int)blockDim.x) {
    const decision made = decision_of(call, at.instance, row + r);
    stage.current[r] = made.made ? made.current : -1;
    stage.first[r] = made.first;
    stage.log_sum[r] = made.made ? call.saved.attention_log_sum[made.row * heads + at.head] : 0.0f;
    stage.mean[r] = made.made ? rows.mean[made.row * heads + at.head] : 0.0f;
    for (int w = 0; w < words; ++w)
      stage.open[r * words + w] =
          made.made && word + w < rows.words ? rows.open[made.row * rows.words + word + w] : 0u;
  }
}

/* Their queries and gradients, 0 beyond the head. */
static __device__ void stage_vectors(const decode_call &call, const decode_rows &rows,
                                     const head_tile &at, int row, int padded, int stride,
                                     const row_stage &stage) {
  const int64_t first = at.instance * call.rollouts * call.steps + row;
  for (int e = (int)threadIdx.x; e < ROWS * padded; e += (int)blockDim.x) {
    const int r = e / padded, c = e % padded;
    decision made = {stage.current[r] >= 0, first + r, 0, 0, stage.current[r], stage.first[r]};
    const bool valid = made.made && c < at.width;
    made.made = valid;
    stage.query[r * stride + c] = query_of(call, at.instance, made, at.column + c);
    stage.gradient[r * stride + c] =
        valid ? rows.gradient[made.row * call.plan.width + at.column + c] : 0.0f;
  }
}

/* The 16 keys of a warp as operands A: of heads up to 32 wide they stay in registers, else they
 * are loaded every time. */
template <int PRECISION, int STEPS> struct held_tiles {
  static constexpr bool HELD = STEPS <= 4;
  static constexpr int UNROLLED =
      HELD ? STEPS : 1; /* loads of many steps would fill all registers */
  tile_a<PRECISION> tile[HELD ? STEPS : 1];
};

template <int PRECISION, int STEPS, typename ENTRY>
static __device__ __forceinline__ void hold(held_tiles<PRECISION, STEPS> &held, ENTRY x) {
  if constexpr (held_tiles<PRECISION, STEPS>::HELD) {
#pragma unroll
    for (int k = 0; k < STEPS; ++k)
      held.tile[k] = tile_a_from<PRECISION>([&](int row, int c) { return x(row, 8 * k + c); });
  }
}

template <int PRECISION, int STEPS, typename ENTRY>
static __device__ __forceinline__ tile_a<PRECISION>
held_tile(const held_tiles<PRECISION, STEPS> &held, int k, ENTRY x) {
  if constexpr (held_tiles<PRECISION, STEPS>::HELD) {
    return held.tile[k];
  } else {
    return tile_a_from<PRECISION>([&](int row, int c) { return x(row, 8 * k + c); });
  }
}

/* out (B,n,d) += sum, keys `key` .. + 15 of a head, columns from `column` on; out NULL: not wanted.
 */
template <int STEPS>
static __device__ void add_keys(const decode_call &call, const head_tile &at, int key, int column,
                                const float sum[STEPS][4], float *out) {
  if (!out) return;
#pragma unroll
  for (int k = 0; k < STEPS; ++k)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int node = key + tile_row(e), c = column + 8 * k + tile_column(e);
      if (node < call.nodes && c < at.width)
        out[(at.instance * call.nodes + node) * call.plan.width + at.column + c] += sum[k][e];
    }
}

/* Columns, in eights, that a warp sums for at once: as many as it has registers for. */
template <int STEPS> constexpr int summed_steps = STEPS < 8 ? STEPS : 8;

/* blockIdx.y: which of SUMMED * 8 of the head's columns the sums are for. */
template <int PRECISION, int STEPS>
static __global__ void __launch_bounds__(256, 1)
    keys_kernel(decode_call call, decode_rows rows, int tiles, float *dkeys, float *dvalues) {
  [[maybe_unused]] constexpr int UNROLLED = held_tiles<PRECISION, STEPS>::UNROLLED;
  constexpr int PADDED = 8 * STEPS, STRIDE = PADDED + 4, SUMMED = summed_steps<STEPS>;
  const head_tile at = head_tile_of(call, tiles);
  const int warp = (int)threadIdx.x / WARP_LANES, lane = (int)threadIdx.x % WARP_LANES;
  const int column = (int)blockIdx.y * 8 * SUMMED;
  const int keys = (int)blockDim.x / WARP_LANES * 16, words = (keys + 31) / 32;
  const int key = at.tile * keys + warp * 16;
  const float scale = rsqrtf((float)at.width);
  const row_stage stage = row_stage_at(shared_memory<float>(), STRIDE);
  const auto key_at = [&](int r, int c) { return node_entry(call, at, call.keys, key + r, c); };
  const auto value_at = [&](int r, int c) { return node_entry(call, at, call.values, key + r, c); };
  held_tiles<PRECISION, STEPS> key_tiles, value_tiles;
  hold(key_tiles, key_at);
  hold(value_tiles, value_at);
  float dkey[SUMMED][4] = {}, dvalue[SUMMED][4] = {};
  for (int row = 0; row < call.rollouts * call.steps; row += ROWS) {
    __syncthreads(); /* the rows before are done with */
    stage_rows(call, rows, at, row, at.tile * keys / 32, words, stage);
    __syncthreads();
    const unsigned made = __ballot_sync(FULL_WARP, stage.current[lane] >= 0);
    if (made == 0) continue; /* the whole block does */
    stage_vectors(call, rows, at, row, PADDED, STRIDE, stage);
    __syncthreads();
    /* Tensor cores cut off what does not fit when they add: sums over all rows, up to a million,
     * would come out too small. So these are of the stage's rows, and are added up outside. */
    float staged_dkey[SUMMED][4] = {}, staged_dvalue[SUMMED][4] = {};
    for (int first = 0; first < ROWS; first += 8) {
      if ((made >> first & 0xffu) == 0) continue;
      const float *query = stage.query + first * STRIDE,
                  *gradient = stage.gradient + first * STRIDE;
      float dot[4] = {}, dweight[4] = {}, weight[4], ddot[4];
#pragma unroll UNROLLED
      for (int k = 0; k < STEPS; ++k) {
        const auto q =
            tile_b_from<PRECISION>([&](int c, int r) { return query[r * STRIDE + 8 * k + c]; });
        const auto g =
            tile_b_from<PRECISION>([&](int c, int r) { return gradient[r * STRIDE + 8 * k + c]; });
        tile_multiply(dot, held_tile(key_tiles, k, key_at), q);
        tile_multiply(dweight, held_tile(value_tiles, k, value_at), g);
      }
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int r = first + tile_column(e), bit = warp % 2 * 16 + tile_row(e);
        const bool open = stage.open[r * words + warp / 2] >> bit & 1u;
        const pair_gradient pair =
            pair_of(open, dot[e], dweight[e], scale, stage.log_sum[r], stage.mean[r]);
        weight[e] = pair.weight;
        ddot[e] = pair.ddot;
      }
      const auto weights = tile_a_of_product<PRECISION>(weight);
      const auto ddots = tile_a_of_product<PRECISION>(ddot);
#pragma unroll
      for (int k = 0; k < SUMMED; ++k) {
        tile_multiply(staged_dvalue[k], weights, tile_b_from<PRECISION>([&](int r, int c) {
                        return gradient[product_column<PRECISION>(r) * STRIDE + column + 8 * k + c];
                      }));
        tile_multiply(staged_dkey[k], ddots, tile_b_from<PRECISION>([&](int r, int c) {
                        return query[product_column<PRECISION>(r) * STRIDE + column + 8 * k + c];
                      }));
      }
    }
    add_tiles(dkey, staged_dkey);
    add_tiles(dvalue, staged_dvalue);
  }
  add_keys<SUMMED>(call, at, key, column, dkey, dkeys);
  add_keys<SUMMED>(call, at, key, column, dvalue, dvalues);
}

/* --- Queries: a warp has 16 rows, the block goes through all keys --- */

/* Keys and values from node `key` on in shared memory, (KEYS,stride) each. */
static __device__ void stage_keys(const decode_call &call, const head_tile &at, int key, int padded,
                                  int stride, float *keys, float *values) {
  for (int e = (int)threadIdx.x; e < KEYS * padded; e += (int)blockDim.x) {
    const int j = e / padded, c = e % padded;
    keys[j * stride + c] = node_entry(call, at, call.keys, key + j, c);
    values[j * stride + c] = node_entry(call, at, call.values, key + j, c);
  }
}

/* One of a lane's two rows. */
typedef struct query_row {
  decision at;
  float log_sum, mean;
} query_row;

static __device__ __forceinline__ query_row query_row_of(const decode_call &call,
                                                         const decode_rows &rows,
                                                         const head_tile &at, int row) {
  const int64_t heads = call.plan.heads;
  query_row out = {decision_of(call, at.instance, row), 0.0f, 0.0f};
  if (!out.at.made) return out;
  out.log_sum = call.saved.attention_log_sum[out.at.row * heads + at.head];
  out.mean = rows.mean[out.at.row * heads + at.head];
  return out;
}

template <int PRECISION, int STEPS>
static __global__ void __launch_bounds__(CUDA_DECODE_QUERY_WARPS * 32, 1)
    queries_kernel(decode_call call, decode_rows rows, int tiles) {
  [[maybe_unused]] constexpr int UNROLLED = held_tiles<PRECISION, STEPS>::UNROLLED;
  constexpr int PADDED = 8 * STEPS, STRIDE = PADDED + 4;
  const head_tile at = head_tile_of(call, tiles);
  const int warp = (int)threadIdx.x / WARP_LANES, lane = (int)threadIdx.x % WARP_LANES;
  const int row = (at.tile * (int)(blockDim.x / WARP_LANES) + warp) * 16;
  const float scale = rsqrtf((float)at.width);
  const int64_t d = call.plan.width;
  float *keys = shared_memory<float>(), *values = keys + KEYS * STRIDE;
  const query_row mine[2] = {query_row_of(call, rows, at, row + lane / 4),
                             query_row_of(call, rows, at, row + lane / 4 + 8)};
  const bool busy = __any_sync(FULL_WARP, mine[0].at.made || mine[1].at.made);
  const auto query_at = [&](int r, int c) {
    return c < at.width ? query_of(call, at.instance, mine[r / 8].at, at.column + c) : 0.0f;
  };
  const auto gradient_at = [&](int r, int c) {
    const decision &made = mine[r / 8].at;
    return made.made && c < at.width ? rows.gradient[made.row * d + at.column + c] : 0.0f;
  };
  held_tiles<PRECISION, STEPS> query_tiles, gradient_tiles;
  hold(query_tiles, query_at);
  hold(gradient_tiles, gradient_at);
  float dquery[STEPS][4] = {};
  for (int key = 0; key < call.nodes; key += KEYS) {
    __syncthreads(); /* the keys before are done with */
    stage_keys(call, at, key, PADDED, STRIDE, keys, values);
    __syncthreads();
    if (!busy) continue;
    uint32_t open[2];
#pragma unroll
    for (int h = 0; h < 2; ++h)
      open[h] = mine[h].at.made ? rows.open[mine[h].at.row * rows.words + key / 32] : 0u;
    for (int first = 0; first < KEYS; first += 8) {
      const float *key_rows = keys + first * STRIDE, *value_rows = values + first * STRIDE;
      float dot[4] = {}, dweight[4] = {}, ddot[4];
#pragma unroll UNROLLED
      for (int k = 0; k < STEPS; ++k) {
        tile_multiply(
            dot, held_tile(query_tiles, k, query_at),
            tile_b_from<PRECISION>([&](int c, int j) { return key_rows[j * STRIDE + 8 * k + c]; }));
        tile_multiply(dweight, held_tile(gradient_tiles, k, gradient_at),
                      tile_b_from<PRECISION>(
                          [&](int c, int j) { return value_rows[j * STRIDE + 8 * k + c]; }));
      }
#pragma unroll
      for (int e = 0; e < 4; ++e)
        ddot[e] = pair_of(open[e / 2] >> (first + tile_column(e)) & 1u, dot[e], dweight[e], scale,
                          mine[e / 2].log_sum, mine[e / 2].mean)
                      .ddot;
      const auto ddots = tile_a_of_product<PRECISION>(ddot);
#pragma unroll
      for (int k = 0; k < STEPS; ++k)
        tile_multiply(dquery[k], ddots, tile_b_from<PRECISION>([&](int j, int c) {
                        return key_rows[product_column<PRECISION>(j) * STRIDE + 8 * k + c];
                      }));
    }
  }
  __syncwarp(); /* all lanes have read the gradients that are now overwritten */
#pragma unroll
  for (int k = 0; k < STEPS; ++k)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const decision &made = mine[e / 2].at;
      const int c = 8 * k + tile_column(e);
      if (made.made && c < at.width) rows.gradient[made.row * d + at.column + c] = dquery[k][e];
    }
}

/* --- Launching --- */

typedef struct attention_backward {
  edgefw_device *device;
  const decode_call *call;
  const decode_rows *rows;
  float *dkeys, *dvalues;
} attention_backward;

template <int PRECISION, int STEPS>
static edgefw_status run_kernels(const attention_backward *job) {
  const decode_call *call = job->call;
  const int64_t n = call->nodes, decisions = (int64_t)call->rollouts * call->steps;
  const int64_t heads = call->batch * call->plan.heads;
  const int64_t key_warps = cuda_decode_key_warps(n);
  const int64_t key_tiles = cuda_tiles(n, 16 * key_warps);
  const int64_t row_tiles = cuda_tiles(decisions, 16 * CUDA_DECODE_QUERY_WARPS);
  launch_shape shape = {dim3((unsigned)(heads * key_tiles), STEPS / summed_steps<STEPS>),
                        (unsigned)(32 * key_warps), cuda_decode_rows_shared(key_warps, 8 * STEPS)};
  edgefw_status status = EDGEFW_OK;
  if (job->dkeys || job->dvalues)
    status = launch(job->device, "decode's keys", keys_kernel<PRECISION, STEPS>, shape, *call,
                    *job->rows, (int)key_tiles, job->dkeys, job->dvalues);
  if (status != EDGEFW_OK) return status;
  shape.grid = dim3((unsigned)(heads * row_tiles));
  shape.threads = 32 * CUDA_DECODE_QUERY_WARPS;
  shape.shared = cuda_decode_keys_shared(8 * STEPS);
  return launch(job->device, "decode's queries", queries_kernel<PRECISION, STEPS>, shape, *call,
                *job->rows, (int)row_tiles);
}

edgefw_status edgefw__cuda_decode_attention_backward(edgefw_device *device, const decode_call *call,
                                                     const decode_rows *rows, float *dkeys,
                                                     float *dvalues) {
  const int64_t width = call->plan.width / call->plan.heads;
  const int64_t means = (int64_t)call->batch * call->rollouts * call->steps * call->plan.heads;
  const attention_backward job = {device, call, rows, dkeys, dvalues};
  const edgefw_status status =
      launch(device, "decode's means", means_kernel, shape_of_elements(means), *call, *rows);
  if (status != EDGEFW_OK) return status;
  const int64_t columns = cuda_decode_head_columns(width);
  if (columns > 0)
    return with_precision(device, [&](auto precision) {
      switch (columns) {
      case 8: return run_kernels<precision, 1>(&job);
      case 16: return run_kernels<precision, 2>(&job);
      case 32: return run_kernels<precision, 4>(&job);
      case 64: return run_kernels<precision, 8>(&job);
      default: return run_kernels<precision, 16>(&job);
      }
    });
  return edgefw_fail(device->ctx, EDGEFW_UNSUPPORTED,
                     "device cuda: heads of the decoder are %lld wide, at most 128 can be trained; "
                     "use more heads or the device cpu",
                     (long long)width);
}
