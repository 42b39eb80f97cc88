/* Numbers that follow the path of a rollout (EDGEFW_PATHS), whichever they are. Each has a file
 * decode_path_NAME.cuh with the entries `begin` (a rollout that has visited nothing yet), `follow`
 * (before the numbers of a step) and `value` (of a candidate, now), which are in the loop, and `at`
 * (of a candidate at a saved decision). What visits change is looked up in the state of the
 * rollout. Features that differ in `number` alone share what is kept: they are one path. */
#ifndef EDGEFW_CUDA_DECODE_PATHS_CUH
#define EDGEFW_CUDA_DECODE_PATHS_CUH

#include "decode_path_cycle_cover.cuh"
#include "decode_path_remaining_min.cuh"

/* The first feature of the path of feature f, -1 if it has none. */
static inline __host__ __device__ int decode_path_first(const edgefw_decode_plan *plan, int f) {
  const edgefw_feature *own = &plan->features[f];
  if (own->kind != EDGEFW_FEATURE_PATH) return -1;
  for (int g = 0; g < f && own->path == EDGEFW_PATH_CYCLE_COVER; ++g) {
    const edgefw_feature *other = &plan->features[g];
    if (other->kind == EDGEFW_FEATURE_PATH && other->path == own->path &&
        other->table == own->table && other->permutation == own->permutation)
      return g;
  }
  return f;
}

/* How many paths begin with features before number f. */
static inline __host__ __device__ int decode_paths_before(const edgefw_decode_plan *plan, int f) {
  int count = 0;
  for (int g = 0; g < f; ++g) count += decode_path_first(plan, g) == g ? 1 : 0;
  return count;
}

static inline __host__ __device__ int decode_path_count(const edgefw_decode_plan *plan) {
  return decode_paths_before(plan, plan->feature_count);
}

/* Number of the path of feature f. */
static inline __host__ __device__ int decode_path_number(const edgefw_decode_plan *plan, int f) {
  return decode_paths_before(plan, decode_path_first(plan, f));
}

/* What is kept for the candidates of a row by a path, and DECODE_PATH_WHOLE more. */
static __device__ __forceinline__ decode_path *decode_path_of(const decode_block *block, int row,
                                                              int path) {
  const int paths = decode_path_count(&block->call->plan);
  const int64_t tile = (int64_t)block->instance * block->job->tiles + block->tile;
  return block->job->paths +
         ((tile * DECODE_TILE + row) * paths + path) * (block->call->nodes + DECODE_PATH_WHOLE);
}

/* body(feature, kept) for the first feature of each path of a row. */
template <typename BODY>
static __device__ __forceinline__ void decode_each_path(const decode_block *block, int row,
                                                        BODY body) {
  const edgefw_decode_plan *plan = &block->call->plan;
  int path = 0;
  for (int f = 0; f < plan->feature_count; ++f)
    if (decode_path_first(plan, f) == f)
      body(&plan->features[f], decode_path_of(block, row, path++));
}

/* By a warp, before the first node of a tour. */
static __device__ __forceinline__ void decode_begin_paths(const decode_block *block, int row) {
  decode_each_path(block, row, [&](const edgefw_feature *feature, decode_path *kept) {
    switch (feature->path) {
#define DECODE_PATH_BEGIN(NAME, name)                                                              \
  case EDGEFW_PATH_##NAME:                                                                         \
    decode_path_##name##_begin(block, feature, kept);                                              \
    break;
      EDGEFW_PATHS(DECODE_PATH_BEGIN)
#undef DECODE_PATH_BEGIN
    case EDGEFW_PATH_COUNT: break;
    }
  });
}

/* By a warp, before the numbers of a step. */
static __device__ __forceinline__ void decode_follow_paths(const decode_block *block, int row) {
  decode_each_path(block, row, [&](const edgefw_feature *feature, decode_path *kept) {
    switch (feature->path) {
#define DECODE_PATH_FOLLOW(NAME, name)                                                             \
  case EDGEFW_PATH_##NAME:                                                                         \
    decode_path_##name##_follow(block, row, kept);                                                 \
    break;
      EDGEFW_PATHS(DECODE_PATH_FOLLOW)
#undef DECODE_PATH_FOLLOW
    case EDGEFW_PATH_COUNT: break;
    }
  });
}

/* Of candidate j. */
static __device__ __forceinline__ float decode_path_value(const decode_block *block, int row,
                                                          const edgefw_feature *feature, int path,
                                                          int j) {
  decode_path *kept = decode_path_of(block, row, path);
  switch (feature->path) {
#define DECODE_PATH_VALUE(NAME, name)                                                              \
  case EDGEFW_PATH_##NAME: return decode_path_##name##_value(block, row, feature, kept, j);
    EDGEFW_PATHS(DECODE_PATH_VALUE)
#undef DECODE_PATH_VALUE
  case EDGEFW_PATH_COUNT: break;
  }
  return 0.0f;
}

#endif
