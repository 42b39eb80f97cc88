/* Numbers that follow the path of a rollout (EDGEFW_PATHS), whichever they are. Each has a file
 * decode_path_NAME.cuh with the entries `begin` (a rollout that has visited nothing yet) and
 * `value` (of a candidate, now); what visits change is looked up in the state of the rollout. */
#ifndef EDGEFW_CUDA_DECODE_PATHS_CUH
#define EDGEFW_CUDA_DECODE_PATHS_CUH

#include "decode_path_remaining_min.cuh"

static inline __host__ __device__ int decode_path_count(const edgefw_decode_plan *plan) {
  int count = 0;
  for (int f = 0; f < plan->feature_count; ++f)
    count += plan->features[f].kind == EDGEFW_FEATURE_PATH ? 1 : 0;
  return count;
}

/* (n) what is kept for the candidates of a row by path feature number `path`. */
static __device__ __forceinline__ decode_path *decode_path_of(const decode_block *block, int row,
                                                              int path) {
  const int paths = decode_path_count(&block->call->plan);
  const int64_t tile = (int64_t)block->instance * block->job->tiles + block->tile;
  return block->job->paths + ((tile * DECODE_TILE + row) * paths + path) * block->call->nodes;
}

/* By a warp, before the first node of a tour. */
static __device__ __forceinline__ void decode_begin_paths(const decode_block *block, int row) {
  const edgefw_decode_plan *plan = &block->call->plan;
  int path = 0;
  for (int f = 0; f < plan->feature_count; ++f) {
    if (plan->features[f].kind != EDGEFW_FEATURE_PATH) continue;
    decode_path *kept = decode_path_of(block, row, path++);
    for (int j = block->lane; j < block->call->nodes; j += WARP_LANES)
      switch (plan->features[f].path) {
#define DECODE_PATH_BEGIN(NAME, name)                                                              \
  case EDGEFW_PATH_##NAME: decode_path_##name##_begin(&kept[j].name); break;
        EDGEFW_PATHS(DECODE_PATH_BEGIN)
#undef DECODE_PATH_BEGIN
      case EDGEFW_PATH_COUNT: break;
      }
  }
}

/* Of candidate j. */
static __device__ __forceinline__ float decode_path_value(const decode_block *block, int row,
                                                          const edgefw_feature *feature, int path,
                                                          int j) {
  decode_path *kept = decode_path_of(block, row, path) + j;
  switch (feature->path) {
#define DECODE_PATH_VALUE(NAME, name)                                                              \
  case EDGEFW_PATH_##NAME: return decode_path_##name##_value(block, row, feature, &kept->name, j);
    EDGEFW_PATHS(DECODE_PATH_VALUE)
#undef DECODE_PATH_VALUE
  case EDGEFW_PATH_COUNT: break;
  }
  return 0.0f;
}

#endif
