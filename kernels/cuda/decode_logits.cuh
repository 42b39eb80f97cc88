/* Logits over the near set of a step (edgefw/term.h), a warp for each rollout: finding the set by a
 * walk along the current node's sorted arcs, the penalty, and the local attention, which is linear
 * in the members' embeddings but for its softmax, so that means of their inputs and positions are
 * all it takes. */
#ifndef EDGEFW_CUDA_DECODE_LOGITS_CUH
#define EDGEFW_CUDA_DECODE_LOGITS_CUH

#include <limits.h>

#include "decode.cuh"
#include "warp.cuh"

enum {
  LOCAL_WIDTH = EDGEFW_LOCAL_WIDTH,
  LOCAL_HEADS = EDGEFW_LOCAL_HEADS,
  LOCAL_HEAD = LOCAL_WIDTH / LOCAL_HEADS,
  LOCAL_INPUTS = 3, /* the third one is 0 without resources */
  NEAR_LISTED = 128 /* members that are kept; those beyond are looked for whenever needed */
};
static_assert(LOCAL_WIDTH == WARP_LANES && LOCAL_HEADS == 4, "a lane is a component, heads float4");

#define LOCAL_SCALE 0.17677669529663687f /* 1 / sqrt(LOCAL_WIDTH) */

/* Shared memory of one warp. */
typedef struct logits_slot {
  float4 by_head[WARP_LANES]; /* four numbers of a member, or of a component */
  float vector[LOCAL_WIDTH];
  int list[NEAR_LISTED];
} logits_slot;

/* Bytes of shared memory, aligned to 16, that decode_add_logits takes. */
static inline __host__ __device__ size_t decode_logits_shared(const edgefw_decode_plan *plan) {
  return plan->logit_count > 0 ? DECODE_TILE * sizeof(logits_slot) : 0;
}

/* Most customers of a logit's near set. */
static inline __host__ __device__ int near_most(const edgefw_decode_plan *plan, int logit,
                                                int nodes) {
  const int customers = nodes - (plan->start == EDGEFW_START_EACH_CUSTOMER ? 1 : 0);
  return plan->logits[logit].near < customers ? (int)plan->logits[logit].near : customers;
}

static __device__ __forceinline__ int lane_of_warp(void) {
  return (int)(threadIdx.x % WARP_LANES);
}

/* --- Near sets --- */

/* A place in the order of nodes: there, so many open customers have been passed. */
typedef struct near_place {
  int at, found;
} near_place;

typedef struct near_set {
  const int32_t *order; /* all nodes, the nearest first */
  const uint32_t *open; /* bits */
  int *list;            /* (NEAR_LISTED) the first members */
  int nodes, depot;     /* depot: 1 if node 0 is one */
  int most;             /* customers */
  int count;            /* members, the depot with them */
  float scale;          /* the farthest customer's entry; 0 without one */
  near_place rest, end; /* where members that are not listed begin, and customers beyond the set */
} near_set;

/* Up to 32 members, a lane for each. */
typedef struct near_batch {
  int first, count; /* their ranks: first .. first + count - 1 */
  int node, rank;   /* this lane's; node 0 if it has none */
  bool taken;       /* it has one */
} near_batch;

static __device__ __forceinline__ bool near_is_open(const near_set *set, int node) {
  return (set->open[node / 32] >> (node % 32)) & 1u;
}

/* This lane's node at `at` of the order; -1 unless it is an open customer. */
static __device__ __forceinline__ int near_customer(const near_set *set, int at) {
  const int place = at + lane_of_warp();
  const int node = place < set->nodes ? set->order[place] : -1;
  return node >= set->depot && near_is_open(set, node) ? node : -1;
}

/* From what near_customer gave at a place: those of them whose number among the open customers is
 * in [from, to). Moves the place on. */
static __device__ __forceinline__ near_batch near_take(const near_set *set, int node,
                                                       near_place *place, int from, int to) {
  const unsigned open = __ballot_sync(FULL_WARP, node >= 0);
  const int number = place->found + __popc(open & ((1u << lane_of_warp()) - 1u));
  const int low = max(place->found, from), high = min(place->found + __popc(open), to);
  near_batch batch;
  batch.first = low + set->depot;
  batch.count = max(high - low, 0);
  batch.rank = number + set->depot;
  batch.taken = node >= 0 && number >= from && number < to;
  batch.node = batch.taken ? node : 0;
  place->at += WARP_LANES;
  place->found += __popc(open);
  return batch;
}

/* body(batch, place) for customers number [from, to), beginning at a place that is not beyond them;
 * `place` is where the batch was found. Some batches may be empty. */
template <typename BODY>
static __device__ __forceinline__ void near_walk(const near_set *set, near_place place, int from,
                                                 int to, BODY body) {
  enum { AHEAD = 4 }; /* loads that wait together */
  while (place.at < set->nodes && place.found < to) {
    int node[AHEAD];
#pragma unroll
    for (int a = 0; a < AHEAD; ++a) node[a] = near_customer(set, place.at + a * WARP_LANES);
#pragma unroll
    for (int a = 0; a < AHEAD; ++a) {
      const near_place here = place;
      const near_batch batch = near_take(set, node[a], &place, from, to);
      body(batch, here);
    }
  }
}

/* Members by rank, given order, open, list, nodes, depot and most; `distance`: the current node's
 * entries. The warp is in step afterwards. */
static __device__ __forceinline__ void near_find(near_set *set, const float *distance) {
  int last = -1; /* the farthest customer */
  set->count = set->depot;
  set->rest = set->end = near_place{0, 0};
  if (set->depot && lane_of_warp() == 0) set->list[0] = 0;
  near_walk(set, near_place{0, 0}, 0, set->most, [&](const near_batch &batch, near_place place) {
    if (batch.taken && batch.rank < NEAR_LISTED) set->list[batch.rank] = batch.node;
    if (place.found + set->depot <= NEAR_LISTED) set->rest = place;
    if (place.found < set->most) set->end = place;
    if (batch.count == 0) return;
    set->count = batch.first + batch.count;
    const unsigned is_last = __ballot_sync(FULL_WARP, batch.taken && batch.rank == set->count - 1);
    last = __shfl_sync(FULL_WARP, batch.node, __ffs((int)is_last) - 1);
  });
  set->scale = last >= 0 ? distance[last] : 0.0f;
  __syncwarp();
}

/* body(batch) for all members in the order of rank. */
template <typename BODY>
static __device__ __forceinline__ void near_members(const near_set *set, BODY body) {
  near_place place = set->rest;
  for (int done = 0; done < set->count;) {
    near_batch batch;
    if (done < NEAR_LISTED) {
      batch.first = done;
      batch.count = min(min(set->count, (int)NEAR_LISTED) - done, WARP_LANES);
      batch.rank = done + lane_of_warp();
      batch.taken = lane_of_warp() < batch.count;
      batch.node = batch.taken ? set->list[batch.rank] : 0;
    } else {
      const int node = near_customer(set, place.at);
      batch = near_take(set, node, &place, NEAR_LISTED - set->depot, set->most);
    }
    body(batch);
    done += batch.count;
  }
}

/* score_j += -entry / (scale + epsilon) for the customers of the set, `far` for other open ones. */
static __device__ __forceinline__ void near_penalty(const near_set *set, const float *distance,
                                                    const edgefw_logit *logit, float *score) {
  const float scale = set->scale + (float)logit->epsilon, far_penalty = (float)logit->far;
  const float inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
  near_members(set, [&](const near_batch &batch) {
    if (batch.taken && batch.node >= set->depot)
      score[batch.node] -= distance[batch.node] * inverse;
  });
  near_walk(set, set->end, set->most, INT_MAX, [&](const near_batch &batch, near_place) {
    if (batch.taken) score[batch.node] += far_penalty;
  });
}

/* --- Local attention --- */

/* What a rollout's members are seen from; rows of the current node, arrays of the instance. */
typedef struct local_view {
  const float *distance; /* (n) */
  const float2 *points;  /* (n) */
  const double *demand;  /* (n) of the first resource; NULL: none */
  float2 here;
  float scale, left; /* what entries and demands are divided by */
  int depot;         /* 1 if node 0 is one */
} local_view;

static __device__ __forceinline__ float local_quotient(float x, float y) {
  return y == 0.0f ? 0.0f : x / y;
}

static __device__ __forceinline__ local_view local_view_of(const decode_call *c, int logit,
                                                           int instance, int current,
                                                           const near_set *set, float share) {
  const edgefw_logit *plan = &c->plan.logits[logit];
  const int64_t first = (int64_t)instance * c->nodes;
  local_view view;
  view.distance = c->tables[plan->table] + (first + current) * c->nodes;
  view.points = (const float2 *)c->tables[plan->points] + first;
  view.here = view.points[current];
  view.scale = set->scale + (float)plan->epsilon;
  view.depot = set->depot;
  const bool loaded = c->plan.resource_count > 0;
  view.demand = loaded ? c->demand[0] + first : NULL;
  view.left = loaded ? share * (float)c->capacity[0][instance] : 0.0f;
  return view;
}

/* x = [entry / scale, angle, demand / left] of a node, 0 of the depot */
static __device__ __forceinline__ void local_inputs(const local_view *view, int node,
                                                    float x[LOCAL_INPUTS]) {
  const float2 there = view->points[node];
  x[0] = x[1] = x[2] = 0.0f;
  if (node < view->depot) return;
  x[0] = local_quotient(view->distance[node], view->scale);
  x[1] = atan2f(there.y - view->here.y, there.x - view->here.x);
  x[2] = view->demand ? local_quotient((float)view->demand[node], view->left) : 0.0f;
}

/* Column f of the embedding's weights at this lane's component. */
static __device__ __forceinline__ void local_embed(const decode_call *c, int logit,
                                                   float column[LOCAL_INPUTS]) {
  const float *embed = c->logit_tensors[logit][EDGEFW_LOCAL_EMBED];
  const int inputs = c->plan.resource_count > 0 ? 3 : 2;
#pragma unroll
  for (int f = 0; f < LOCAL_INPUTS; ++f)
    column[f] = f < inputs ? embed[lane_of_warp() * inputs + f] : 0.0f;
}

/* A member's score in each head. */
static __device__ __forceinline__ void local_scores(const local_tables *tables, int rank,
                                                    const float x[LOCAL_INPUTS],
                                                    float score[LOCAL_HEADS]) {
  const float4 of_rank = ((const float4 *)tables->rank_score)[rank];
  score[0] = of_rank.x;
  score[1] = of_rank.y;
  score[2] = of_rank.z;
  score[3] = of_rank.w;
#pragma unroll
  for (int f = 0; f < LOCAL_INPUTS; ++f)
#pragma unroll
    for (int h = 0; h < LOCAL_HEADS; ++h)
      score[h] += tables->input_score[f * LOCAL_HEADS + h] * x[f];
}

/* sum[h] += sum over a batch's members of by_head[member].h * position[rank] at this lane's
 * component; `mine` are this lane's numbers. */
static __device__ __forceinline__ void
local_add_positions(const local_tables *tables, const near_batch *batch,
                    const float mine[LOCAL_HEADS], float4 *by_head, float sum[LOCAL_HEADS]) {
  if (batch->taken)
    by_head[batch->rank - batch->first] = make_float4(mine[0], mine[1], mine[2], mine[3]);
  __syncwarp();
  const float *position = tables->position + batch->first * LOCAL_WIDTH + lane_of_warp();
#pragma unroll 4
  for (int r = 0; r < batch->count; ++r) {
    const float4 number = by_head[r];
    const float of_rank = position[r * LOCAL_WIDTH];
    sum[0] += number.x * of_rank;
    sum[1] += number.y * of_rank;
    sum[2] += number.z * of_rank;
    sum[3] += number.w * of_rank;
  }
  __syncwarp();
}

/* Attention over the open members. Scalars are the same in all lanes; of vectors, a lane has its
 * component. */
typedef struct local_attention {
  float most[LOCAL_HEADS], total[LOCAL_HEADS]; /* weight = exp(score - most) / total */
  float inputs[LOCAL_HEADS][LOCAL_INPUTS];     /* mean of x under a head's weights */
  float mean[LOCAL_HEADS];                     /* of the embeddings */
  float attended, z;                           /* the heads' values; what combine makes of them */
} local_attention;

/* The softmax, a batch at a time, and what is to be averaged: most and the sums. */
static __device__ __forceinline__ void local_accumulate(const local_tables *tables,
                                                        const local_view *view, const near_set *set,
                                                        float4 *by_head, local_attention *a) {
#pragma unroll
  for (int h = 0; h < LOCAL_HEADS; ++h) {
    a->most[h] = -INFINITY;
    a->total[h] = a->mean[h] = 0.0f;
    a->inputs[h][0] = a->inputs[h][1] = a->inputs[h][2] = 0.0f;
  }
  near_members(set, [&](const near_batch &batch) {
    float x[LOCAL_INPUTS], weight[LOCAL_HEADS];
    const bool open = batch.taken && near_is_open(set, batch.node);
    local_inputs(view, batch.node, x);
    local_scores(tables, batch.taken ? batch.rank : 0, x, weight);
#pragma unroll
    for (int h = 0; h < LOCAL_HEADS; ++h) {
      const float before = a->most[h];
      a->most[h] = max(before, warp_max(open ? weight[h] : -INFINITY));
      const float shift = a->most[h] == -INFINITY ? 0.0f : a->most[h]; /* none is open yet */
      const float shrink = __expf(before - shift);
      weight[h] = open ? __expf(weight[h] - shift) : 0.0f;
      a->total[h] = a->total[h] * shrink + weight[h];
      a->mean[h] *= shrink;
#pragma unroll
      for (int f = 0; f < LOCAL_INPUTS; ++f)
        a->inputs[h][f] = a->inputs[h][f] * shrink + weight[h] * x[f];
    }
    local_add_positions(tables, &batch, weight, by_head, a->mean);
  });
}

/* z = combine(values of the mean embeddings), and all else of `a`. */
static __device__ __forceinline__ void local_attend(const decode_call *c, int logit,
                                                    const local_view *view, const near_set *set,
                                                    logits_slot *slot, local_attention *a) {
  const local_tables *tables = &c->local[logit];
  const float *const *tensor = c->logit_tensors[logit];
  const int lane = lane_of_warp();
  float column[LOCAL_INPUTS];
  local_embed(c, logit, column);
  local_accumulate(tables, view, set, slot->by_head, a);
#pragma unroll
  for (int h = 0; h < LOCAL_HEADS; ++h) {
    a->total[h] = warp_sum(a->total[h]);
    a->mean[h] = a->mean[h] / a->total[h] + tensor[EDGEFW_LOCAL_EMBED_BIAS][lane];
#pragma unroll
    for (int f = 0; f < LOCAL_INPUTS; ++f) {
      a->inputs[h][f] = warp_sum(a->inputs[h][f]) / a->total[h];
      a->mean[h] += column[f] * a->inputs[h][f];
    }
  }
  slot->by_head[lane] = make_float4(a->mean[0], a->mean[1], a->mean[2], a->mean[3]);
  __syncwarp();
  const float *mean = (const float *)slot->by_head + lane / LOCAL_HEAD;
  a->attended = 0.0f;
#pragma unroll 8
  for (int i = 0; i < LOCAL_WIDTH; ++i)
    a->attended += tables->value_t[i * LOCAL_WIDTH + lane] * mean[i * LOCAL_HEADS];
  slot->vector[lane] = a->attended;
  __syncwarp();
  a->z = tensor[EDGEFW_LOCAL_COMBINE_BIAS][lane];
#pragma unroll 8
  for (int i = 0; i < LOCAL_WIDTH; ++i)
    a->z += tables->combine_t[i * LOCAL_WIDTH + lane] * slot->vector[i];
  __syncwarp();
}

/* score_j += z . e_j / sqrt(LOCAL_WIDTH) for open members */
static __device__ __forceinline__ void local_add_scores(const decode_call *c, int logit,
                                                        const local_view *view, const near_set *set,
                                                        float z, float *vector, float *score) {
  const local_tables *tables = &c->local[logit];
  const int lane = lane_of_warp();
  float column[LOCAL_INPUTS];
  local_embed(c, logit, column);
#pragma unroll
  for (int f = 0; f < LOCAL_INPUTS; ++f) column[f] = warp_sum(z * column[f]);
  const float bias = warp_sum(z * c->logit_tensors[logit][EDGEFW_LOCAL_EMBED_BIAS][lane]);
  vector[lane] = z;
  __syncwarp();
  near_members(set, [&](const near_batch &batch) {
    if (!batch.taken || !near_is_open(set, batch.node)) return;
    float x[LOCAL_INPUTS];
    local_inputs(view, batch.node, x);
    float dot = bias + column[0] * x[0] + column[1] * x[1] + column[2] * x[2];
#pragma unroll 8
    for (int i = 0; i < LOCAL_WIDTH; ++i)
      dot += vector[i] * tables->transposed[i * tables->ranks + batch.rank];
    score[batch.node] += dot * LOCAL_SCALE;
  });
}

/* --- All logits --- */

/* What near_find asks for, of a rollout that stands on `current`. */
static __device__ __forceinline__ near_set near_set_of(const decode_call *c, int logit,
                                                       int instance, int current,
                                                       const uint32_t *open, int *list) {
  const int64_t row = (int64_t)instance * c->nodes + current;
  near_set set = {};
  set.order = c->order[c->plan.logits[logit].table] + row * c->nodes;
  set.open = open;
  set.list = list;
  set.nodes = c->nodes;
  set.depot = c->plan.start == EDGEFW_START_EACH_CUSTOMER ? 1 : 0;
  set.most = near_most(&c->plan, logit, c->nodes);
  return set;
}

/* The logits of one row, by one warp. */
static __device__ NOT_INLINE void decode_add_row(const decode_call *c, const decode_tile *tile,
                                                 int row, logits_slot *slot) {
  const int current = tile->current[row];
  float *score = tile->score + row * tile->score_stride;
  near_set set = {};
  for (int l = 0; l < c->plan.logit_count; ++l) {
    const edgefw_logit *logit = &c->plan.logits[l];
    const float *distance =
        c->tables[logit->table] + ((int64_t)tile->instance * c->nodes + current) * c->nodes;
    if (l == 0 || logit->table != logit[-1].table || logit->near != logit[-1].near) {
      set = near_set_of(c, l, tile->instance, current, tile->open + row * tile->open_words,
                        slot->list);
      near_find(&set, distance);
    }
    if (logit->kind == EDGEFW_LOGIT_NEAR_PENALTY) {
      near_penalty(&set, distance, logit, score);
    } else {
      const local_view view = local_view_of(c, l, tile->instance, current, &set,
                                            tile->share[row * EDGEFW_MAX_RESOURCES]);
      local_attention attention;
      local_attend(c, l, &view, &set, slot, &attention);
      local_add_scores(c, l, &view, &set, attention.z, slot->vector, score);
    }
    __syncwarp(); /* another lane may add to the same node next, or list another set */
  }
}

/* Adds the plan's logits to the scores of the tile's active rows, where open; by the whole block,
 * any number of warps. Begins and ends with a barrier of the block if there are logits, else does
 * nothing. `shared`: decode_logits_shared bytes, for the duration of the call. */
static __device__ __forceinline__ void decode_add_logits(const decode_call *c,
                                                         const decode_tile *tile, void *shared) {
  if (c->plan.logit_count == 0) return;
  __syncthreads();
  const int warp = (int)(threadIdx.x / WARP_LANES), warps = (int)(blockDim.x / WARP_LANES);
  for (int row = warp; row < tile->count; row += warps)
    if (tile->active[row]) decode_add_row(c, tile, row, (logits_slot *)shared + warp);
  __syncthreads();
}

#endif
