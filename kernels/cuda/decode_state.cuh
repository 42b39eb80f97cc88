/* Where the rollouts of a block stand, what they have left and what is open to them. A row's state
 * belongs to one warp, which alone changes it, between barriers of the block. */
#ifndef EDGEFW_CUDA_DECODE_STATE_CUH
#define EDGEFW_CUDA_DECODE_STATE_CUH

#include "decode.cuh"
#include "warp.cuh"

/* In shared memory. */
typedef struct decode_standing {
  double left[DECODE_TILE][EDGEFW_MAX_RESOURCES];
  double length[DECODE_TILE], log_probability[DECODE_TILE];
  int active[DECODE_TILE]; /* it has decisions before it */
  int current[DECODE_TILE], first[DECODE_TILE];
  int distinct[DECODE_TILE]; /* nodes visited */
  int step[DECODE_TILE];     /* entries of its tour */
  int failure[DECODE_TILE];
  float share[DECODE_TILE][EDGEFW_MAX_RESOURCES]; /* left / capacity */
} decode_standing;

/* What a thread knows of its block. */
typedef struct decode_block {
  const decode_job *job;
  const decode_call *call;
  unsigned char *shared;
  decode_standing *rows;
  int instance, tile, first, count; /* rollouts first .. first + count - 1 of the instance */
  int warp, warps, lane;
} decode_block;

/* The rows of a warp. */
#define FOR_OWN_ROWS(block, row)                                                                   \
  for (int row = (block)->warp; row < (block)->count; row += (block)->warps)

static __device__ __forceinline__ bool decode_has_depot(const decode_call *call) {
  return call->plan.start == EDGEFW_START_EACH_CUSTOMER;
}

static __device__ __forceinline__ uint32_t *decode_open(const decode_block *block, int row) {
  return (uint32_t *)(block->shared + block->job->shape.open) + row * block->job->shape.words;
}

static __device__ __forceinline__ uint32_t *decode_unvisited(const decode_block *block, int row) {
  return (uint32_t *)(block->shared + block->job->shape.unvisited) + row * block->job->shape.words;
}

static __device__ __forceinline__ bool decode_bit(const uint32_t *bits, int node) {
  return (bits[node / DECODE_NODES] >> (node % DECODE_NODES)) & 1u;
}

/* Number of a row among all rollouts of the chunk. */
static __device__ __forceinline__ int64_t decode_rollout(const decode_block *block, int row) {
  return (int64_t)block->instance * block->call->rollouts + block->first + row;
}

static __device__ __forceinline__ int32_t *decode_tour(const decode_block *block, int row) {
  return block->call->tours + decode_rollout(block, row) * block->call->steps;
}

static __device__ __forceinline__ int decode_closing(const decode_block *block, int row) {
  return block->call->plan.closing == EDGEFW_CLOSE_AT_DEPOT ? 0 : block->rows->first[row];
}

static __device__ __forceinline__ double decode_cost(const decode_block *block, int from, int to) {
  const int64_t n = block->call->nodes;
  return block->call->cost[(block->instance * n + from) * n + to];
}

/* --- By a whole warp, which is in step before and afterwards --- */

/* With a depot: customers not visited yet whose demand fits, and the depot unless it stands there.
 * Without one, open nodes are the unvisited ones, and unless arcs are forbidden nothing is to be
 * done. */
static __device__ __forceinline__ void decode_update_open(const decode_block *block, int row) {
  const decode_call *call = block->call;
  if (!decode_has_depot(call) && !call->narrows) return;
  const uint32_t *unvisited = decode_unvisited(block, row);
  uint32_t *open = decode_open(block, row);
  double most[EDGEFW_MAX_RESOURCES];
#pragma unroll
  for (int r = 0; r < EDGEFW_MAX_RESOURCES; ++r)
    if (r < call->plan.resource_count)
      most[r] = block->rows->left[row][r] + call->slack[r][block->instance];
  for (int word = 0; word < block->job->shape.words; ++word) {
    const int64_t at = (int64_t)block->instance * call->nodes + word * DECODE_NODES + block->lane;
    bool is_open = (unvisited[word] >> block->lane) & 1u;
#pragma unroll
    for (int r = 0; r < EDGEFW_MAX_RESOURCES; ++r)
      if (r < call->plan.resource_count && is_open) is_open = !(call->demand[r][at] > most[r]);
    uint32_t bits = __ballot_sync(FULL_WARP, is_open);
    if (word == 0 && decode_has_depot(call))
      bits = (bits & ~1u) | (block->rows->current[row] != 0 ? 1u : 0u);
    if (block->lane == 0) open[word] = bits;
  }
  __syncwarp();
}

/* Before a choice: close the nodes behind forbidden arcs, unless nothing would stay open. */
static __device__ NOT_INLINE void decode_narrow(const decode_block *block, int row) {
  const decode_call *call = block->call;
  const double limit = call->forbidden[block->instance];
  if (!(limit < (double)INFINITY) || !block->rows->active[row]) return;
  uint32_t *open = decode_open(block, row);
  const int64_t n = call->nodes;
  const double *cost = call->cost + ((int64_t)block->instance * n + block->rows->current[row]) * n;
  uint32_t any = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int word = 0; word < block->job->shape.words; ++word) {
      const int node = word * DECODE_NODES + block->lane;
      const bool stays = ((open[word] >> block->lane) & 1u) && cost[node] < limit;
      const uint32_t bits = __ballot_sync(FULL_WARP, stays);
      if (pass == 1 && block->lane == 0) open[word] = bits;
      any |= bits;
    }
    __syncwarp();
    if (any == 0) return;
  }
}

/* Nothing is visited yet; with a depot, that alone is open. */
static __device__ __forceinline__ void decode_begin(const decode_block *block, int row) {
  const decode_call *call = block->call;
  decode_standing *rows = block->rows;
  uint32_t *unvisited = decode_unvisited(block, row), *open = decode_open(block, row);
  for (int word = block->lane; word < block->job->shape.words; word += WARP_LANES) {
    const int nodes = call->nodes - word * DECODE_NODES;
    unvisited[word] = nodes >= DECODE_NODES ? 0xffffffffu : (1u << nodes) - 1u;
    if (decode_has_depot(call)) {
      open[word] = word == 0 ? 1u : 0u;
    } else if (call->narrows) {
      open[word] = unvisited[word];
    }
  }
  if (block->lane == 0) {
    rows->active[row] = 1;
    rows->current[row] = rows->first[row] = -1;
    rows->distinct[row] = rows->failure[row] = rows->step[row] = 0;
    rows->length[row] = rows->log_probability[row] = 0.0;
    for (int r = 0; r < call->plan.resource_count; ++r)
      rows->left[row][r] = call->capacity[r][block->instance];
  }
  __syncwarp();
}

/* At entry `step` of the tour. */
static __device__ __forceinline__ void decode_fail(const decode_block *block, int row, int step,
                                                   int why) {
  if (block->lane == 0) {
    block->rows->failure[row] = EDGEFW_REFUSALS * step + why;
    block->rows->active[row] = 0;
  }
  __syncwarp();
}

/* Changes of the state by one lane; see decode_enter. */
static __device__ NOT_INLINE void decode_visit(const decode_block *block, int row, int node) {
  const decode_call *call = block->call;
  decode_standing *rows = block->rows;
  const int step = rows->step[row]++;
  uint32_t *word = decode_unvisited(block, row) + node / DECODE_NODES;
  const uint32_t bit = 1u << (node % DECODE_NODES);
  if (step == 0) rows->first[row] = node;
  if (step > 0) rows->length[row] += decode_cost(block, rows->current[row], node);
  if (*word & bit) ++rows->distinct[row];
  *word &= ~bit;
  rows->current[row] = node;
  const bool refills = decode_has_depot(call) && node == 0;
  for (int r = 0; r < call->plan.resource_count; ++r) {
    const double capacity = call->capacity[r][block->instance];
    if (refills) {
      rows->left[row][r] = capacity;
    } else {
      rows->left[row][r] -= call->demand[r][(int64_t)block->instance * call->nodes + node];
    }
    rows->share[row][r] = (float)(rows->left[row][r] / capacity);
  }
  decode_tour(block, row)[step] = node;
}

/* Goes to `node`, the next entry of the tour, if it is open. */
static __device__ __forceinline__ void decode_enter(const decode_block *block, int row, int node,
                                                    int otherwise) {
  const bool is_open =
      node >= 0 && node < block->call->nodes && decode_bit(decode_open(block, row), node);
  __syncwarp();
  if (!is_open) {
    decode_fail(block, row, block->rows->step[row], otherwise);
    return;
  }
  if (block->lane == 0) decode_visit(block, row, node);
  __syncwarp();
  decode_update_open(block, row);
}

/* The rest of a finished tour: the depot, which a forced or given one must say too. */
static __device__ __forceinline__ void decode_pad(const decode_block *block, int row) {
  const decode_call *call = block->call;
  int32_t *tour = decode_tour(block, row);
  int known = call->given ? decode_given(call, decode_rollout(block, row)) : 0, wrong = call->steps;
  if (call->select == EDGEFW_SELECT_FORCED) known = call->steps;
  for (int t = block->rows->step[row] + block->lane; t < call->steps; t += WARP_LANES) {
    if (t >= known) {
      tour[t] = 0;
    } else if (tour[t] != 0) {
      wrong = min(wrong, t);
    }
  }
  wrong = warp_min(wrong);
  if (wrong < call->steps) decode_fail(block, row, wrong, EDGEFW_REFUSAL_NOT_OPEN);
}

/* Results of a rollout that goes no further; one that stopped early has not come back. */
static __device__ __forceinline__ void decode_leave(const decode_block *block, int row,
                                                    bool finished) {
  const decode_call *call = block->call;
  decode_standing *rows = block->rows;
  const int64_t rollout = decode_rollout(block, row);
  if (block->lane == 0) {
    double length = rows->length[row];
    if (finished) length += decode_cost(block, rows->current[row], decode_closing(block, row));
    call->lengths[rollout] = rows->failure[row] ? 0.0 : length;
    call->log_probability[rollout] = rows->log_probability[row];
    if (call->saved.length) call->saved.length[rollout] = rows->step[row];
    if (call->entries) call->entries[rollout] = finished ? call->steps : rows->step[row];
    block->job->failure[rollout] = rows->failure[row];
    rows->active[row] = 0;
  }
  __syncwarp();
}

/* After an entry: results, if that was the last one that matters. */
static __device__ __forceinline__ void decode_finish(const decode_block *block, int row) {
  const decode_standing *rows = block->rows;
  const bool finished = rows->distinct[row] == block->call->nodes, failed = !rows->active[row];
  __syncwarp();
  if (!finished && !failed) return;
  if (!failed) decode_pad(block, row);
  decode_leave(block, row, finished && !failed);
}

/* The rest of the tour of a rollout that stopped early is 0, unless it is forced. */
static __device__ __forceinline__ void decode_stop(const decode_block *block, int row) {
  const decode_call *call = block->call;
  int32_t *tour = decode_tour(block, row);
  for (int t = block->rows->step[row] + block->lane; t < call->steps; t += WARP_LANES)
    if (call->select != EDGEFW_SELECT_FORCED) tour[t] = 0;
  __syncwarp();
  decode_leave(block, row, false);
}

/* The beginning of a tour: what is given. */
static __device__ NOT_INLINE void decode_start(const decode_block *block, int row) {
  const decode_call *call = block->call;
  const decode_standing *rows = block->rows;
  const int start = (int)call->first_start + block->first + row;
  const int given = decode_given(call, decode_rollout(block, row));
  const bool known = call->given || call->select == EDGEFW_SELECT_FORCED;
  decode_begin(block, row);
  for (int step = 0; step < given; ++step) {
    int node = decode_has_depot(call) ? (step == 0 ? 0 : start + 1) : start;
    if (known) node = decode_tour(block, row)[step];
    if (!rows->active[row] || rows->distinct[row] == call->nodes) break;
    __syncwarp();
    decode_enter(block, row, node, known ? EDGEFW_REFUSAL_NOT_OPEN : EDGEFW_REFUSAL_NO_NODE);
  }
  decode_finish(block, row);
}

/* Is a node open? If none is, the rollout fails. */
static __device__ __forceinline__ void decode_need_open(const decode_block *block, int row) {
  const uint32_t *open = decode_open(block, row);
  uint32_t any = 0;
  for (int word = block->lane; word < block->job->shape.words; word += WARP_LANES)
    any |= open[word];
  if (__any_sync(FULL_WARP, any != 0)) return;
  decode_fail(block, row, block->rows->step[row], EDGEFW_REFUSAL_NO_NODE);
  decode_finish(block, row);
}

#endif
