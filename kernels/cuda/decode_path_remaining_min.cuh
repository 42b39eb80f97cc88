/* Minima over the remaining nodes (EDGEFW_PATH_REMAINING_MIN). A candidate's arcs are sorted once
 * per instance; a rollout remembers for each candidate how far along them it has come. */
#ifndef EDGEFW_CUDA_DECODE_PATH_REMAINING_MIN_CUH
#define EDGEFW_CUDA_DECODE_PATH_REMAINING_MIN_CUH

#include "decode_state.cuh"

/* By a warp: nothing is known of any candidate. */
static __device__ __forceinline__ void
decode_path_remaining_min_begin(const decode_block *block, const edgefw_feature *feature,
                                decode_path *kept) {
  (void)feature;
  for (int j = block->lane; j < block->call->nodes; j += WARP_LANES)
    kept[j].remaining_min = decode_path_remaining_min{0, -1, 0.0f};
}

/* Nothing is to be done before the numbers of a step. */
static __device__ __forceinline__ void
decode_path_remaining_min_follow(const decode_block *block, int row, decode_path *kept) {
  (void)block;
  (void)row;
  (void)kept;
}

/* Of candidate j. As nodes are only ever taken away, the walk goes on from where it stopped. */
static __device__ NOT_INLINE float decode_path_remaining_min_value(const decode_block *block,
                                                                   int row,
                                                                   const edgefw_feature *feature,
                                                                   decode_path *kept, int j) {
  const decode_call *call = block->call;
  const int64_t n = call->nodes, first = (int64_t)block->instance * n * n;
  const bool into = feature->column == EDGEFW_CANDIDATE;
  const float *table = call->tables[feature->table] + first;
  const int32_t *order =
      (into ? call->reverse_order : call->order)[feature->table] + first + (int64_t)j * n;
  const uint32_t *unvisited = decode_unvisited(block, row);
  decode_path_remaining_min least = kept[j].remaining_min;
  if (least.node >= 0 && decode_bit(unvisited, least.node)) return least.value;
  least.node = -1;
  for (; least.place < n; ++least.place) {
    const int node = order[least.place];
    if (node == j || !decode_bit(unvisited, node)) continue;
    least.node = node;
    least.value = into ? table[node * n + j] : table[j * n + node];
    break;
  }
  kept[j].remaining_min = least;
  if (least.node >= 0) return least.value;
  return into ? table[block->rows->current[row] * n + j]
              : table[j * n + decode_closing(block, row)];
}

/* Of feature number f and candidate j at a saved decision, for the backward. */
static __device__ __forceinline__ float
decode_path_remaining_min_at(const decode_call &call, const decode_moment &moment, int f, int j) {
  const edgefw_feature &feature = call.plan.features[f];
  const int64_t n = call.nodes, first = moment.instance * n * n;
  const bool into = feature.column == EDGEFW_CANDIDATE;
  const float *table = call.tables[feature.table] + first;
  const int32_t *order =
      (into ? call.reverse_order : call.order)[feature.table] + first + (int64_t)j * n;
  for (int64_t k = 0; k < n; ++k) {
    const int l = order[k];
    if (l == j || moment.position[l] < moment.step) continue;
    const float least = into ? table[l * n + j] : table[j * n + l];
    if (least < INFINITY) return least;
    break;
  }
  return into ? table[moment.current * n + j] : table[j * n + moment.closing];
}

#endif
