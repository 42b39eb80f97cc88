/* Gradients of the feature MLP, w2 . relu(w1 phi + b1) + b2, over all candidates of all decisions.
 * A block goes through a part of an instance's rows, a tile of candidates at a time: each thread
 * computes the features of one, then each thread sums over the tile for one hidden unit. */
#include "decode_backward.cuh"
#include "decode_paths.cuh"
#include "warp.cuh"

enum { CANDIDATES = CUDA_ELEMENT_THREADS };

/* --- Features --- */

static __device__ __forceinline__ decode_moment moment_of(const decode_call &call,
                                                          const decode_rows &rows, int64_t instance,
                                                          int row) {
  const decision at = decision_of(call, instance, row);
  decode_moment state;
  state.instance = instance;
  state.row = at.row;
  state.step = at.step;
  state.distinct = rows.distinct[at.row];
  state.current = at.current;
  state.closing = call.plan.closing == EDGEFW_CLOSE_AT_DEPOT ? 0 : at.first;
  state.position = rows.position + at.rollout * call.nodes;
  return state;
}

/* A number that follows the path. */
static __device__ __forceinline__ float path_at(const decode_call &call, const decode_moment &state,
                                                int f, int j) {
  switch (call.plan.features[f].path) {
#define DECODE_PATH_AT(NAME, name)                                                                 \
  case EDGEFW_PATH_##NAME: return decode_path_##name##_at(call, state, f, j);
    EDGEFW_PATHS(DECODE_PATH_AT)
#undef DECODE_PATH_AT
  case EDGEFW_PATH_COUNT: break;
  }
  return 0.0f;
}

static __device__ __forceinline__ int64_t node_at(const decode_moment &state, edgefw_at at, int j) {
  return at == EDGEFW_CURRENT ? state.current : at == EDGEFW_CLOSING ? state.closing : j;
}

/* Feature number f of candidate j. */
static __device__ float feature_of(const decode_call &call, const decode_moment &state, int f,
                                   int j) {
  const edgefw_feature &feature = call.plan.features[f];
  const int64_t n = call.nodes;
  if (feature.kind == EDGEFW_FEATURE_STATE) return (float)state.distinct / (float)n;
  if (feature.kind == EDGEFW_FEATURE_PATH) return path_at(call, state, f, j);
  const float *table = call.tables[feature.table];
  const int64_t row = node_at(state, feature.row, j);
  if (feature.kind == EDGEFW_FEATURE_NODE) return table[state.instance * n + row];
  const int64_t column = node_at(state, feature.column, j);
  table += state.instance * n * n;
  const float there = table[row * n + column];
  return feature.kind == EDGEFW_FEATURE_PAIR ? there : there - table[column * n + row];
}

/* --- Sums over a part of an instance --- */

/* How the work is cut, and the partial sums: dw1 (hidden,F), db1, dw2 (hidden) and db2 of each. */
typedef struct feature_parts {
  int parts;   /* of an instance */
  int rows;    /* of a part */
  int numbers; /* of a partial sum */
  float *sum;  /* (B,parts,numbers) */
} feature_parts;

/* A tile of candidates in shared memory: those whose score has a gradient, one after another. */
typedef struct candidate_tile {
  float *phi;    /* (CANDIDATES,stride) */
  float *dscore; /* (CANDIDATES) */
  int *counts;   /* (warps) */
} candidate_tile;

/* Fill the tile from candidates `first` .. of an instance's (S,T,n), those below `last`; returns
 * how many it has. */
template <int COLUMNS>
static __device__ int fill_tile(const decode_call &call, const decode_rows &rows, int64_t instance,
                                int64_t first, int64_t last, const candidate_tile &tile) {
  constexpr int STRIDE = COLUMNS + 4;
  const int warp = (int)threadIdx.x / WARP_LANES, lane = (int)threadIdx.x % WARP_LANES;
  const int64_t e = first + threadIdx.x,
                candidates = (int64_t)call.rollouts * call.steps * call.nodes;
  const float dscore = e < last ? call.saved.logit[instance * candidates + e] : 0.0f;
  const unsigned live = __ballot_sync(FULL_WARP, dscore != 0.0f);
  if (lane == 0) tile.counts[warp] = __popc(live);
  __syncthreads();
  int at = __popc(live & ((1u << lane) - 1u)), count = 0;
  for (int w = 0; w < CANDIDATES / WARP_LANES; ++w) {
    if (w < warp) at += tile.counts[w];
    count += tile.counts[w];
  }
  if (dscore != 0.0f) {
    const decode_moment state = moment_of(call, rows, instance, (int)(e / call.nodes));
    const int features = call.plan.feature_count, j = (int)(e % call.nodes);
    for (int f = 0; f < COLUMNS; ++f)
      tile.phi[at * STRIDE + f] = f < features ? feature_of(call, state, f, j) : 0.0f;
    tile.dscore[at] = dscore;
  }
  __syncthreads();
  return count;
}

/* One hidden unit's weights, and its gradients from some of the candidates. */
template <int COLUMNS> struct hidden_unit {
  float w1[COLUMNS], b1, w2;
  float dw1[COLUMNS], db1, dw2, db2;
};

template <int COLUMNS>
static __device__ hidden_unit<COLUMNS> load_unit(const decode_call &call, int unit) {
  hidden_unit<COLUMNS> u;
  const int features = call.plan.feature_count;
  for (int f = 0; f < COLUMNS; ++f) {
    u.w1[f] = f < features ? call.w1[unit * features + f] : 0.0f;
    u.dw1[f] = 0.0f;
  }
  u.b1 = call.b1[unit];
  u.w2 = call.w2[unit];
  u.db1 = u.dw2 = u.db2 = 0.0f;
  return u;
}

template <int COLUMNS>
static __device__ __forceinline__ void add_candidate(hidden_unit<COLUMNS> &u, const float *phi,
                                                     float dscore) {
  float z = u.b1;
#pragma unroll
  for (int f = 0; f < COLUMNS; ++f) z += u.w1[f] * phi[f];
  const float dz = z > 0.0f ? dscore * u.w2 : 0.0f;
  u.dw2 += z > 0.0f ? dscore * z : 0.0f;
  u.db1 += dz;
  u.db2 += dscore;
#pragma unroll
  for (int f = 0; f < COLUMNS; ++f) u.dw1[f] += dz * phi[f];
}

/* out = sum of `value` over the block's groups of `units` threads, by the first group's. */
static __device__ void sum_groups(float value, int units, int groups, float *shared, float *out) {
  const int thread = (int)threadIdx.x;
  shared[thread] = value;
  __syncthreads();
  if (thread < units) {
    float total = 0.0f;
    for (int g = 0; g < groups; ++g) total += shared[g * units + thread];
    *out = total;
  }
  __syncthreads();
}

template <int COLUMNS>
static __global__ void __launch_bounds__(CANDIDATES, 2)
    features_kernel(decode_call call, decode_rows rows, feature_parts to) {
  constexpr int STRIDE = COLUMNS + 4;
  const int part = (int)blockIdx.x % to.parts;
  const int64_t instance = blockIdx.x / to.parts;
  const int hidden = call.plan.hidden, features = call.plan.feature_count;
  const int first_unit = (int)blockIdx.y * CUDA_DECODE_UNITS;
  const int units = min(hidden - first_unit, (int)CUDA_DECODE_UNITS), groups = CANDIDATES / units;
  const int group = (int)threadIdx.x / units, unit = first_unit + (int)threadIdx.x % units;
  candidate_tile tile;
  tile.phi = shared_memory<float>();
  tile.dscore = tile.phi + CANDIDATES * STRIDE;
  tile.counts = (int *)(tile.dscore + CANDIDATES);
  hidden_unit<COLUMNS> u = load_unit<COLUMNS>(call, unit);
  const int64_t all = (int64_t)call.rollouts * call.steps, n = call.nodes;
  const int64_t first = (int64_t)part * to.rows * n,
                last = min(all, (part + 1) * (int64_t)to.rows) * n;
  for (int64_t e = first; e < last; e += CANDIDATES) {
    const int count = fill_tile<COLUMNS>(call, rows, instance, e, last, tile);
    for (int c = group < groups ? group : count; c < count; c += groups)
      add_candidate<COLUMNS>(u, tile.phi + c * STRIDE, tile.dscore[c]);
    __syncthreads();
  }
  float *sum = to.sum + (instance * to.parts + part) * to.numbers;
#pragma unroll
  for (int f = 0; f < COLUMNS; ++f)
    if (f < features) sum_groups(u.dw1[f], units, groups, tile.phi, sum + unit * features + f);
  sum += hidden * features;
  sum_groups(u.db1, units, groups, tile.phi, sum + unit);
  sum_groups(u.dw2, units, groups, tile.phi, sum + hidden + unit);
  if (first_unit == 0) /* every unit has summed the same */
    sum_groups(u.db2, units, groups, tile.phi, sum + 2 * hidden);
}

/* --- Sums over the instances, one after the other, so that chunks of them change nothing --- */

typedef struct mlp_gradients {
  float *dw1, *db1, *dw2, *db2; /* NULL: not wanted */
} mlp_gradients;

static __global__ void feature_totals_kernel(int batch, int hidden, int features,
                                             feature_parts from, mlp_gradients to) {
  FOR_ELEMENTS(e, from.numbers) {
    const int64_t after = e - (int64_t)hidden * features; /* number after dw1 */
    float *out = after < 0            ? to.dw1 ? to.dw1 + e : NULL
                 : after < hidden     ? to.db1 ? to.db1 + after : NULL
                 : after < 2 * hidden ? to.dw2 ? to.dw2 + after - hidden : NULL
                                      : to.db2;
    if (!out) continue;
    float total = *out;
    for (int b = 0; b < batch; ++b) {
      double sum = 0.0;
      for (int p = 0; p < from.parts; ++p)
        sum += (double)from.sum[((int64_t)b * from.parts + p) * from.numbers + e];
      total += (float)sum;
    }
    *out = total;
  }
}

template <int COLUMNS>
static edgefw_status run_features(edgefw_device *device, const decode_call *call,
                                  const decode_rows *rows, const feature_parts *parts) {
  const unsigned units = (unsigned)cuda_tiles(call->plan.hidden, CUDA_DECODE_UNITS);
  const launch_shape shape = {dim3((unsigned)(call->batch * parts->parts), units), CANDIDATES,
                              cuda_decode_features_shared(COLUMNS)};
  return launch(device, "decode's features", features_kernel<COLUMNS>, shape, *call, *rows, *parts);
}

static feature_parts parts_of(const decode_call *call) {
  const int64_t all = (int64_t)call->rollouts * call->steps;
  feature_parts parts = {};
  parts.rows = (int)cuda_tiles(all, cuda_decode_parts(all, call->nodes));
  parts.parts = (int)cuda_tiles(all, parts.rows);
  parts.numbers = call->plan.hidden * (call->plan.feature_count + 2) + 1;
  return parts;
}

size_t edgefw__cuda_decode_features_bytes(const decode_call *call, int64_t count) {
  if (call->plan.feature_count == 0) return 0;
  const feature_parts parts = parts_of(call);
  return (size_t)count * (size_t)parts.parts * (size_t)parts.numbers * sizeof *parts.sum;
}

edgefw_status edgefw__cuda_decode_features_backward(edgefw_device *device,
                                                    const edgefw_decode_args *args,
                                                    const decode_call *call,
                                                    const decode_rows *rows) {
  const int hidden = call->plan.hidden, features = call->plan.feature_count;
  const mlp_gradients to = {(float *)args->gradients.mlp.w1, (float *)args->gradients.mlp.b1,
                            (float *)args->gradients.mlp.w2, (float *)args->gradients.mlp.b2};
  if (features == 0 || (!to.dw1 && !to.db1 && !to.dw2 && !to.db2)) return EDGEFW_OK;
  feature_parts parts = parts_of(call);
  parts.sum = (float *)edgefw__cuda_scratch(device, CUDA_SCRATCH_PARTS,
                                            edgefw__cuda_decode_features_bytes(call, call->batch),
                                            "sums over candidates");
  if (!parts.sum) return EDGEFW_OUT_OF_MEMORY;
  edgefw_status status;
  switch (cuda_decode_feature_columns(features)) {
  case 8: status = run_features<8>(device, call, rows, &parts); break;
  case 16: status = run_features<16>(device, call, rows, &parts); break;
  default: status = run_features<32>(device, call, rows, &parts); break;
  }
  if (status != EDGEFW_OK) return status;
  return launch(device, "decode's features", feature_totals_kernel,
                shape_of_elements(parts.numbers), call->batch, hidden, features, parts, to);
}
