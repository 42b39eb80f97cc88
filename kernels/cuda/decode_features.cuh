/* Features of a step's candidates and the MLP over them, a warp for each rollout: its lanes take
 * candidates, several at once so that a weight is read once for all of them. */
#ifndef EDGEFW_CUDA_DECODE_FEATURES_CUH
#define EDGEFW_CUDA_DECODE_FEATURES_CUH

#include "decode_paths.cuh"

/* A feature of a rollout's candidates at one step: constant + plus[j * plus_step] - minus[j *
 * minus_step], pointers NULL where there is nothing to read; or a number that follows the path. */
typedef struct decode_look_up {
  const float *plus, *minus;
  float constant;
  int plus_step, minus_step;
  int path;    /* what it follows the path by, -1: it does not */
  float *kept; /* (n) where its numbers are saved for the backward, NULL: nowhere */
} decode_look_up;

/* Features that the MLP is compiled for: the least that is enough. */
static inline __host__ __device__ int decode_padded_features(int count) {
  return count <= 4 ? 4 : count <= 8 ? 8 : count <= 16 ? 16 : EDGEFW_MAX_FEATURES;
}

/* Numbers in shared memory: of each hidden unit the padded row of w1, b1, w2, 0, 0; then b2. */
static inline __host__ __device__ int64_t decode_mlp_numbers(const edgefw_decode_plan *plan) {
  if (plan->feature_count == 0) return 0;
  return (int64_t)plan->hidden * (decode_padded_features(plan->feature_count) + 4) + 1;
}

/* By the block. */
static __device__ __forceinline__ void decode_load_mlp(const decode_block *block) {
  const decode_call *call = block->call;
  const int features = call->plan.feature_count, padded = decode_padded_features(features);
  const int unit = padded + 4, count = call->plan.hidden * unit;
  float *mlp = (float *)(block->shared + block->job->shape.mlp);
  if (features == 0) return;
  for (int e = (int)threadIdx.x; e < count; e += (int)blockDim.x) {
    const int u = e / unit, f = e % unit;
    float value = f < features ? call->w1[u * features + f] : 0.0f;
    if (f == padded) value = call->b1[u];
    if (f == padded + 1) value = call->w2[u];
    mlp[e] = value;
  }
  if (threadIdx.x == 0) mlp[count] = call->b2[0];
}

/* --- Look-ups --- */

/* What table[row][column] of a candidate is read through; a number if it does not depend on it. */
static __device__ __forceinline__ const float *decode_entry(const decode_block *block,
                                                            int row_of_tile, int table,
                                                            edgefw_at row, edgefw_at column,
                                                            int *step) {
  const decode_call *call = block->call;
  const int64_t n = call->nodes, first = (int64_t)block->instance * n * n;
  const float *entries = call->tables[table] + first;
  const int current = block->rows->current[row_of_tile];
  const int closing = decode_closing(block, row_of_tile);
  const int r = row == EDGEFW_CURRENT ? current : row == EDGEFW_CLOSING ? closing : 0;
  const int c = column == EDGEFW_CURRENT ? current : column == EDGEFW_CLOSING ? closing : 0;
  if (row == EDGEFW_CANDIDATE && column != EDGEFW_CANDIDATE && call->transposed[table]) {
    *step = 1;
    return call->transposed[table] + first + c * n;
  }
  *step = (row == EDGEFW_CANDIDATE ? (int)n : 0) + (column == EDGEFW_CANDIDATE ? 1 : 0);
  return entries + r * n + c;
}

static __device__ __forceinline__ decode_look_up decode_look_up_of(const decode_block *block,
                                                                   int row, int f) {
  const decode_call *call = block->call;
  const edgefw_feature *feature = &call->plan.features[f];
  decode_look_up look = {NULL, NULL, 0.0f, 0, 0, -1, NULL};
  if (feature->kind == EDGEFW_FEATURE_STATE) {
    look.constant = (float)((double)block->rows->distinct[row] / (double)call->nodes);
  } else if (feature->kind == EDGEFW_FEATURE_PATH) {
    look.path = decode_path_number(&call->plan, f);
    if (call->saved.cover && feature->path == EDGEFW_PATH_CYCLE_COVER) {
      const int64_t entry = decode_rollout(block, row) * call->steps + block->rows->step[row];
      look.kept = decode_cover_saved(call, entry, f);
    }
  } else if (feature->kind == EDGEFW_FEATURE_NODE) {
    look.plus = call->tables[feature->table] + (int64_t)block->instance * call->nodes;
    look.plus_step = feature->row == EDGEFW_CANDIDATE ? 1 : 0;
    if (feature->row == EDGEFW_CURRENT) look.plus += block->rows->current[row];
    if (feature->row == EDGEFW_CLOSING) look.plus += decode_closing(block, row);
  } else {
    look.plus =
        decode_entry(block, row, feature->table, feature->row, feature->column, &look.plus_step);
    if (feature->kind == EDGEFW_FEATURE_ANTISYMMETRIC)
      look.minus =
          decode_entry(block, row, feature->table, feature->column, feature->row, &look.minus_step);
  }
  if (look.plus && look.plus_step == 0) {
    look.constant = look.minus ? *look.plus - *look.minus : *look.plus;
    look.plus = look.minus = NULL;
  }
  return look;
}

static __device__ __forceinline__ float decode_feature(const decode_block *block, int row, int f,
                                                       const decode_look_up *look, int j) {
  if (look->path >= 0) {
    const float value =
        decode_path_value(block, row, &block->call->plan.features[f], look->path, j);
    if (look->kept) look->kept[j] = value;
    return value;
  }
  if (!look->plus) return look->constant;
  const float there = look->plus[(int64_t)j * look->plus_step];
  return look->minus ? there - look->minus[(int64_t)j * look->minus_step] : there;
}

/* --- The MLP --- */

/* w2 . relu(w1 phi + b1) + b2 of several candidates; phi padded with zeros */
template <int FEATURES, int AT_ONCE>
static __device__ __forceinline__ void
decode_mlp(const float *mlp, int hidden, const float phi[AT_ONCE][FEATURES], float out[AT_ONCE]) {
#pragma unroll
  for (int a = 0; a < AT_ONCE; ++a) out[a] = mlp[hidden * (FEATURES + 4)];
  for (int u = 0; u < hidden; ++u) {
    const float4 *unit = (const float4 *)(mlp + u * (FEATURES + 4));
    const float4 rest = unit[FEATURES / 4]; /* b1, w2 */
    float z[AT_ONCE];
#pragma unroll
    for (int a = 0; a < AT_ONCE; ++a) z[a] = rest.x;
#pragma unroll
    for (int f = 0; f < FEATURES / 4; ++f) {
      const float4 w = unit[f];
#pragma unroll
      for (int a = 0; a < AT_ONCE; ++a)
        z[a] += w.x * phi[a][4 * f] + w.y * phi[a][4 * f + 1] + w.z * phi[a][4 * f + 2] +
                w.w * phi[a][4 * f + 3];
    }
#pragma unroll
    for (int a = 0; a < AT_ONCE; ++a) out[a] += rest.y * (z[a] < 0.0f ? 0.0f : z[a]);
  }
}

/* Adds the MLP to a row's scores, where open. */
template <int FEATURES>
static __device__ NOT_INLINE void decode_add_mlp(const decode_block *block, int row,
                                                 const decode_look_up *look, float *score) {
  enum { AT_ONCE = FEATURES <= 4 ? 4 : FEATURES <= 8 ? 2 : 1 };
  const decode_call *call = block->call;
  const float *mlp = (const float *)(block->shared + block->job->shape.mlp);
  const uint32_t *open = decode_open(block, row);
  for (int first = block->lane; first < call->nodes; first += AT_ONCE * WARP_LANES) {
    float phi[AT_ONCE][FEATURES], out[AT_ONCE];
    bool wanted[AT_ONCE];
#pragma unroll
    for (int a = 0; a < AT_ONCE; ++a) {
      const int j = first + a * WARP_LANES;
      wanted[a] = j < call->nodes && decode_bit(open, j);
    }
#pragma unroll
    for (int f = 0; f < FEATURES; ++f)
#pragma unroll
      for (int a = 0; a < AT_ONCE; ++a)
        phi[a][f] = f < call->plan.feature_count && wanted[a]
                        ? decode_feature(block, row, f, &look[f], first + a * WARP_LANES)
                        : 0.0f;
    decode_mlp<FEATURES, AT_ONCE>(mlp, call->plan.hidden, phi, out);
#pragma unroll
    for (int a = 0; a < AT_ONCE; ++a)
      if (wanted[a]) score[first + a * WARP_LANES] += out[a];
  }
}

/* The same with the features that there are. By the row's warp. */
static __device__ NOT_INLINE void decode_add_features(const decode_block *block, int row,
                                                      float *score) {
  const int features = block->call->plan.feature_count;
  if (features == 0) return;
  decode_look_up *look =
      (decode_look_up *)(block->shared + block->job->shape.look_ups) + block->warp * features;
  __syncwarp(); /* the row before has been read */
  decode_follow_paths(block, row);
  if (block->lane < features) look[block->lane] = decode_look_up_of(block, row, block->lane);
  __syncwarp();
  switch (decode_padded_features(features)) {
  case 4: decode_add_mlp<4>(block, row, look, score); break;
  case 8: decode_add_mlp<8>(block, row, look, score); break;
  case 16: decode_add_mlp<16>(block, row, look, score); break;
  default: decode_add_mlp<EDGEFW_MAX_FEATURES>(block, row, look, score); break;
  }
  __syncwarp();
}

#endif
