/* From scores to a choice, a warp for each rollout; and what a step leaves for the backward. */
#ifndef EDGEFW_CUDA_DECODE_CHOICE_CUH
#define EDGEFW_CUDA_DECODE_CHOICE_CUH

#include <limits.h>

#include "decode_tiles.cuh"

#include "edgefw/rng.h"

/* logit = clip * tanh(score), in its place; the largest of the open, the first one on a tie. */
static __device__ __forceinline__ largest decode_squash(const decode_block *block,
                                                        const uint32_t *open, float *score) {
  largest best = {-INFINITY, INT_MAX};
  for (int j = block->lane; j < block->call->nodes; j += WARP_LANES) {
    if (!decode_bit(open, j)) continue;
    const float logit = block->call->clip * tanhf(score[j]);
    score[j] = logit;
    if (logit > best.value) best = largest{logit, j};
  }
  best = warp_largest(best);
  __syncwarp(); /* others read what this lane has written */
  return best;
}

/* Sum over the open of exp(logit - most). */
static __device__ NOT_INLINE double decode_sum(const decode_block *block, const uint32_t *open,
                                               const float *logit, float most) {
  double sum = 0.0;
  for (int j = block->lane; j < block->call->nodes; j += WARP_LANES)
    if (decode_bit(open, j)) sum += (double)__expf(logit[j] - most);
  return warp_sum(sum);
}

/* The first open node at which the cumulative sum, in the order of nodes, exceeds `bound`; the last
 * open one if rounding never lets it. */
static __device__ __forceinline__ int decode_sample(const decode_block *block, const uint32_t *open,
                                                    const float *logit, float most, double bound) {
  double before = 0.0;
  int last = INT_MAX;
  for (int word = 0; word < block->job->shape.words; ++word) {
    const int j = word * DECODE_NODES + block->lane;
    const uint32_t bits = open[word];
    const bool is_open = (bits >> block->lane) & 1u;
    if (bits == 0) continue;
    const double sum = before + warp_prefix_sum(is_open ? (double)__expf(logit[j] - most) : 0.0);
    const unsigned beyond = __ballot_sync(FULL_WARP, is_open && sum > bound);
    if (beyond) return word * DECODE_NODES + __ffs((int)beyond) - 1;
    last = word * DECODE_NODES + DECODE_NODES - 1 - __clz((int)bits);
    before = __shfl_sync(FULL_WARP, sum, WARP_LANES - 1);
  }
  return last;
}

static __device__ __forceinline__ int decode_choose(const decode_block *block, int row,
                                                    const float *logit, largest best, double sum) {
  const decode_call *call = block->call;
  const int step = block->rows->step[row];
  if (best.at == INT_MAX || call->select == EDGEFW_SELECT_GREEDY) return best.at;
  if (call->select == EDGEFW_SELECT_FORCED) return decode_tour(block, row)[step];
  const uint64_t rollout = (uint64_t)(call->first_start + block->first + row);
  const uint32_t word = edgefw_random_word(call->sample_seed, EDGEFW_STREAM_ROLLOUT,
                                           call->instance_ids[block->instance],
                                           rollout * (uint64_t)call->steps + (uint64_t)step);
  return decode_sample(block, decode_open(block, row), logit, best.value,
                       edgefw_random_unit(word) * sum);
}

/* Of the state before the choice. */
static __device__ NOT_INLINE void decode_save(const decode_block *block, int row,
                                              const float *logit, float log_sum) {
  const decode_call *call = block->call;
  const decode_saved *saved = &call->saved;
  const cuda_decode_shape *shape = &block->job->shape;
  const int64_t at = decode_rollout(block, row) * call->steps + block->rows->step[row];
  const int64_t n = call->nodes;
  const int width = (int)call->plan.width, heads = (int)call->plan.heads;
  const int resources = call->plan.resource_count;
  const uint32_t *open = decode_open(block, row);
  const float *glimpse = (const float *)(block->shared + shape->glimpse) + row * shape->stride;
  for (int j = block->lane; saved->logit && j < n; j += WARP_LANES)
    saved->logit[at * n + j] = decode_bit(open, j) ? logit[j] : -INFINITY;
  for (int c = block->lane; saved->glimpse && c < width; c += WARP_LANES)
    saved->glimpse[at * width + c] = glimpse[c];
  for (int h = block->lane; saved->attention_log_sum && h < heads; h += WARP_LANES) {
    const decode_total total = decode_total_of(block, h, row);
    saved->attention_log_sum[at * heads + h] = total.most + logf(total.sum);
  }
  if (saved->share && block->lane < resources)
    saved->share[at * resources + block->lane] = block->rows->share[row][block->lane];
  if (saved->log_sum && block->lane == 0) saved->log_sum[at] = log_sum;
}

/* The next entry of a row's tour, from its scores. By the row's warp. */
static __device__ NOT_INLINE void decode_decide(const decode_block *block, int row, float *score) {
  decode_standing *rows = block->rows;
  const largest best = decode_squash(block, decode_open(block, row), score);
  const double sum =
      block->job->probable ? decode_sum(block, decode_open(block, row), score, best.value) : 1.0;
  const int node = decode_choose(block, row, score, best, sum);
  const bool exists = node >= 0 && node < block->call->nodes;
  const double log_sum = log(sum);
  decode_save(block, row, score, best.value + (float)log_sum);
  if (exists && block->lane == 0)
    rows->log_probability[row] += (double)(score[node] - best.value) - log_sum;
  __syncwarp();
  decode_enter(block, row, node,
               best.at == INT_MAX ? EDGEFW_REFUSAL_NOT_FINITE : EDGEFW_REFUSAL_NOT_OPEN);
  decode_finish(block, row);
}

/* The largest of the open, the first one on a tie. */
static __device__ __forceinline__ largest decode_largest(const decode_block *block,
                                                         const uint32_t *open, const float *logit) {
  largest best = {-INFINITY, INT_MAX};
  for (int j = block->lane; j < block->call->nodes; j += WARP_LANES)
    if (decode_bit(open, j) && logit[j] > best.value) best = largest{logit[j], j};
  return warp_largest(best);
}

/* Logits and best candidates of a row that stops here, from its scores. What is taken is closed. By
 * the row's warp. */
static __device__ NOT_INLINE void decode_rank(const decode_block *block, int row, float *score) {
  const decode_call *call = block->call;
  const int64_t first = decode_rollout(block, row) * call->best;
  uint32_t *open = decode_open(block, row);
  largest next = decode_squash(block, open, score);
  const float most = next.value;
  if (call->stop_logits) {
    double *out = call->stop_logits + decode_rollout(block, row) * call->nodes;
    for (int j = block->lane; j < call->nodes; j += WARP_LANES)
      if (decode_bit(open, j)) out[j] = (double)score[j];
    __syncwarp(); /* all have read the bits that lane 0 changes */
  }
  const double log_sum = log(decode_sum(block, open, score, most));
  for (int k = 0; k < call->best && next.at != INT_MAX; ++k) {
    if (block->lane == 0) {
      call->candidates[first + k] = next.at;
      call->candidate_log_probability[first + k] = (double)(next.value - most) - log_sum;
      open[next.at / DECODE_NODES] &= ~(1u << (next.at % DECODE_NODES));
    }
    __syncwarp();
    next = decode_largest(block, open, score);
    __syncwarp(); /* all have read the bits that the next turn changes */
  }
}

#endif
