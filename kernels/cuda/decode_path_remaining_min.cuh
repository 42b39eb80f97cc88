/* Minima over the remaining nodes (EDGEFW_PATH_REMAINING_MIN). A candidate's arcs are sorted once
 * per instance; a rollout remembers for each candidate how far along them it has come. */
#ifndef EDGEFW_CUDA_DECODE_PATH_REMAINING_MIN_CUH
#define EDGEFW_CUDA_DECODE_PATH_REMAINING_MIN_CUH

#include "decode_state.cuh"

static __device__ __forceinline__ void
decode_path_remaining_min_begin(decode_path_remaining_min *kept) {
  *kept = decode_path_remaining_min{0, -1, 0.0f};
}

/* Of candidate j. As nodes are only ever taken away, the walk goes on from where it stopped. */
static __device__ NOT_INLINE float
decode_path_remaining_min_value(const decode_block *block, int row, const edgefw_feature *feature,
                                decode_path_remaining_min *kept, int j) {
  const decode_call *call = block->call;
  const int64_t n = call->nodes, first = (int64_t)block->instance * n * n;
  const bool into = feature->column == EDGEFW_CANDIDATE;
  const float *table = call->tables[feature->table] + first;
  const int32_t *order =
      (into ? call->reverse_order : call->order)[feature->table] + first + (int64_t)j * n;
  const uint32_t *unvisited = decode_unvisited(block, row);
  decode_path_remaining_min least = *kept;
  if (least.node >= 0 && decode_bit(unvisited, least.node)) return least.value;
  least.node = -1;
  for (; least.place < n; ++least.place) {
    const int node = order[least.place];
    if (node == j || !decode_bit(unvisited, node)) continue;
    least.node = node;
    least.value = into ? table[node * n + j] : table[j * n + node];
    break;
  }
  *kept = least;
  if (least.node >= 0) return least.value;
  return into ? table[block->rows->current[row] * n + j]
              : table[j * n + decode_closing(block, row)];
}

/* The same for the backward, which knows at which entry of the tour each node is: `position` (n).
 */
static __device__ __forceinline__ float
decode_path_remaining_min_at(const decode_call &call, const edgefw_feature &feature,
                             int64_t instance, const int32_t *position, int step, int current,
                             int closing, int j) {
  const int64_t n = call.nodes, first = instance * n * n;
  const bool into = feature.column == EDGEFW_CANDIDATE;
  const float *table = call.tables[feature.table] + first;
  const int32_t *order =
      (into ? call.reverse_order : call.order)[feature.table] + first + (int64_t)j * n;
  for (int64_t k = 0; k < n; ++k) {
    const int l = order[k];
    if (l == j || position[l] < step) continue;
    const float least = into ? table[l * n + j] : table[j * n + l];
    if (least < INFINITY) return least;
    break;
  }
  return into ? table[current * n + j] : table[j * n + closing];
}

#endif
