/* A cycle cover that follows the path (EDGEFW_PATH_CYCLE_COVER). Of each candidate a rollout keeps
 * the nodes after and before it in the permutation, its cycle, and its exit from the first cycles;
 * behind them what it knows of the whole. Steps are followed when numbers are asked for: then the
 * tour tells all that were made since. */
#ifndef EDGEFW_CUDA_DECODE_PATH_CYCLE_COVER_CUH
#define EDGEFW_CUDA_DECODE_PATH_CYCLE_COVER_CUH

#include "decode_state.cuh"

/* Features of the plan before number f that are the cover's. */
static inline __host__ __device__ int decode_cover_before(const edgefw_decode_plan *plan, int f) {
  int count = 0;
  for (int g = 0; g < f; ++g)
    count += plan->features[g].kind == EDGEFW_FEATURE_PATH &&
                     plan->features[g].path == EDGEFW_PATH_CYCLE_COVER
                 ? 1
                 : 0;
  return count;
}

static inline __host__ __device__ int decode_cover_count(const edgefw_decode_plan *plan) {
  return decode_cover_before(plan, plan->feature_count);
}

/* (n) the numbers of feature f that are saved of entry `entry` of (B,S,T). */
static __device__ __forceinline__ float *decode_cover_saved(const decode_call *call, int64_t entry,
                                                            int f) {
  return call->saved.cover +
         (entry * decode_cover_count(&call->plan) + decode_cover_before(&call->plan, f)) *
             call->nodes;
}

/* Behind the candidates. */
static __device__ __forceinline__ decode_cover_whole *
decode_cover_whole_of(const decode_block *block, decode_path *kept) {
  return &kept[block->call->nodes].cover_whole;
}

static __device__ __forceinline__ double *decode_cover_mean_of(const decode_block *block,
                                                               decode_path *kept) {
  return &kept[block->call->nodes + 1].cover_mean;
}

/* A node that is a cycle alone has no arc. */
static __device__ __forceinline__ double decode_cover_arc(const decode_block *block, int i, int j) {
  return i == j ? 0.0 : decode_cost(block, i, j);
}

/* By one lane: labels 0, 1, ... of the cycles; how many there are. */
static __device__ NOT_INLINE int decode_cover_label(const decode_block *block, decode_path *kept) {
  int count = 0;
  for (int i = 0; i < block->call->nodes; ++i) {
    if (kept[i].cycle_cover.label >= 0) continue;
    for (int k = i; kept[k].cycle_cover.label < 0; k = kept[k].cycle_cover.after)
      kept[k].cycle_cover.label = count;
    ++count;
  }
  return count;
}

/* The least table[k][l] over the nodes l of other cycles, at most log(1 + n). */
static __device__ NOT_INLINE void
decode_cover_exits(const decode_block *block, const edgefw_feature *feature, decode_path *kept) {
  const int n = block->call->nodes;
  const float *table = block->call->tables[feature->table] + (int64_t)block->instance * n * n;
  for (int k = 0; k < n; ++k) {
    float least = log1pf((float)n);
    for (int l = block->lane; l < n; l += WARP_LANES)
      if (kept[l].cycle_cover.label != kept[k].cycle_cover.label)
        least = fminf(least, table[(int64_t)k * n + l]);
    least = warp_min(least);
    if (block->lane == 0) kept[k].cycle_cover.exit = least;
  }
}

/* By a warp: the first permutation, its cycles and exits. */
static __device__ NOT_INLINE void decode_path_cycle_cover_begin(const decode_block *block,
                                                                const edgefw_feature *feature,
                                                                decode_path *kept) {
  const int n = block->call->nodes;
  const float *successor = block->call->tables[feature->permutation] + (int64_t)block->instance * n;
  double total = 0.0;
  for (int i = block->lane; i < n; i += WARP_LANES) {
    const int next = (int)successor[i];
    kept[i].cycle_cover.after = next;
    kept[next].cycle_cover.before = i;
    kept[i].cycle_cover.label = -1;
    total += decode_cover_arc(block, i, next);
  }
  total = warp_sum(total);
  __syncwarp();
  if (block->lane == 0) {
    decode_cover_whole *whole = decode_cover_whole_of(block, kept);
    *decode_cover_mean_of(block, kept) = fmax(total / (double)n, 1e-9);
    whole->cycles = whole->label = decode_cover_label(block, kept);
    whole->entries = 0;
    whole->later = 0.0f;
  }
  __syncwarp();
  decode_cover_exits(block, feature, kept);
  __syncwarp();
}

/* By a warp: exchange two arcs so that i -> j is one. Two cycles become one, or the nodes from
 * where i went up to the one before j become a cycle of their own. */
static __device__ NOT_INLINE void decode_cover_exchange(const decode_block *block,
                                                        decode_path *kept, int i, int j) {
  const int left = kept[i].cycle_cover.after, before = kept[j].cycle_cover.before;
  const int here = kept[i].cycle_cover.label, there = kept[j].cycle_cover.label;
  decode_cover_whole *whole = decode_cover_whole_of(block, kept);
  if (left == j) return;
  __syncwarp(); /* all lanes have read */
  if (block->lane == 0) {
    kept[before].cycle_cover.after = left;
    kept[left].cycle_cover.before = before;
    kept[i].cycle_cover.after = j;
    kept[j].cycle_cover.before = i;
    whole->cycles += here == there ? 1 : -1;
    const int label = here == there ? whole->label++ : here;
    for (int k = left; here == there && kept[k].cycle_cover.label != label;
         k = kept[k].cycle_cover.after)
      kept[k].cycle_cover.label = label;
  }
  for (int k = block->lane; here != there && k < block->call->nodes; k += WARP_LANES)
    if (kept[k].cycle_cover.label == there) kept[k].cycle_cover.label = here;
  __syncwarp();
}

/* By a warp, before the numbers of a step: the steps made since, and the least exit that the rest
 * of the cycle offers. */
static __device__ NOT_INLINE void decode_path_cycle_cover_follow(const decode_block *block, int row,
                                                                 decode_path *kept) {
  const int32_t *tour = decode_tour(block, row);
  decode_cover_whole *whole = decode_cover_whole_of(block, kept);
  const int entries = block->rows->step[row], known = whole->entries;
  __syncwarp();
  for (int t = max(known, 1); t < entries; ++t)
    decode_cover_exchange(block, kept, tour[t - 1], tour[t]);
  const int here = kept[block->rows->current[row]].cycle_cover.label;
  const uint32_t *unvisited = decode_unvisited(block, row);
  float least = log1pf((float)block->call->nodes);
  for (int k = block->lane; k < block->call->nodes; k += WARP_LANES)
    if (decode_bit(unvisited, k) && kept[k].cycle_cover.label == here)
      least = fminf(least, kept[k].cycle_cover.exit);
  least = warp_min(least);
  if (block->lane == 0) {
    whole->entries = entries;
    whole->later = least;
  }
  __syncwarp();
}

/* log(1 + what leaving the cover for j raises it by, in mean arcs). */
static __device__ __forceinline__ float decode_cover_rise(const decode_block *block, int row,
                                                          decode_path *kept, int j) {
  const int i = block->rows->current[row];
  const int left = kept[i].cycle_cover.after, before = kept[j].cycle_cover.before;
  if (left == j) return 0.0f;
  const double to = decode_cost(block, i, j);
  double rise = ((to + decode_cover_arc(block, before, left)) - decode_cover_arc(block, i, left)) -
                decode_cover_arc(block, before, j);
  if (before == left) rise = 2.0 * to; /* which would be a cycle alone */
  const double ratio = rise / *decode_cover_mean_of(block, kept);
  return ratio > 0.0 ? log1pf((float)fmin(ratio, (double)FLT_MAX)) : 0.0f;
}

/* The feature's number of candidate j. */
static __device__ NOT_INLINE float decode_path_cycle_cover_value(const decode_block *block, int row,
                                                                 const edgefw_feature *feature,
                                                                 decode_path *kept, int j) {
  const decode_path_cycle_cover *here = &kept[block->rows->current[row]].cycle_cover;
  const decode_cover_whole *whole = decode_cover_whole_of(block, kept);
  switch (feature->number) {
  case EDGEFW_COVER_RISE: return decode_cover_rise(block, row, kept, j);
  case EDGEFW_COVER_SUCCESSOR: return here->after == j ? 1.0f : 0.0f;
  case EDGEFW_COVER_SAME_CYCLE: return here->label == kept[j].cycle_cover.label ? 1.0f : 0.0f;
  case EDGEFW_COVER_CYCLES: return logf((float)whole->cycles);
  case EDGEFW_COVER_LATER_EXIT: return whole->later;
  case EDGEFW_COVER_NUMBERS: break;
  }
  return 0.0f;
}

/* Of feature number f and candidate j at a saved decision: as it was then. */
static __device__ __forceinline__ float
decode_path_cycle_cover_at(const decode_call &call, const decode_moment &moment, int f, int j) {
  return decode_cover_saved(&call, moment.row, f)[j];
}

#endif
