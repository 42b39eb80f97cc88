/* The near set of a step and the penalty on nodes outside it. */
#include "reference.h"

#include <math.h>

/* Members by rank: with a depot that is the first one, then customers from near to far. */
typedef struct decode_near {
  int64_t count;
  int64_t *member; /* (n) */
  double scale;    /* the farthest customer's entry; 0 without one */
} decode_near;

/* Entry of a logit's table at (current, j). */
static double decode_distance(const edgefw_decode_args *a, const edgefw_logit *logit,
                              const decode_state *state, int64_t j) {
  return get(a->tables[logit->table], (state->b * a->nodes + state->current) * a->nodes + j);
}

/* The open customer that follows `last` by entry and then index, -1 if there is none; last = -1
 * asks for the nearest. */
static int64_t decode_next_nearest(const edgefw_decode_args *a, const edgefw_logit *logit,
                                   const decode_state *state, int64_t last) {
  const double from = last < 0 ? -(double)INFINITY : decode_distance(a, logit, state, last);
  double least = (double)INFINITY;
  int64_t next = -1;
  for (int64_t j = decode_has_depot(a) ? 1 : 0; j < a->nodes; ++j) {
    const double entry = decode_distance(a, logit, state, j);
    const bool follows = entry > from || (entry == from && j > last);
    if (!state->open[j] || !follows || entry >= least) continue;
    least = entry;
    next = j;
  }
  return next;
}

static void decode_near_set(const edgefw_decode_args *a, const edgefw_logit *logit,
                            const decode_state *state, decode_near *near) {
  near->count = 0;
  near->scale = 0.0;
  if (decode_has_depot(a)) near->member[near->count++] = 0;
  int64_t next = -1;
  for (int64_t k = 0; k < logit->near; ++k) {
    next = decode_next_nearest(a, logit, state, next);
    if (next < 0) return;
    near->member[near->count++] = next;
    near->scale = decode_distance(a, logit, state, next);
  }
}

/* entry / (scale + epsilon) of a member; the depot counts as being here. */
static double decode_nearness(const edgefw_decode_args *a, const edgefw_logit *logit,
                              const decode_state *state, const decode_near *near, int64_t j) {
  const double scale = near->scale + logit->epsilon;
  const bool is_depot = decode_has_depot(a) && j == 0;
  return is_depot || scale == 0.0 ? 0.0 : decode_distance(a, logit, state, j) / scale;
}

/* score_j += -entry / (scale + epsilon) for members, `far` for all others. */
static void decode_penalty(const edgefw_decode_args *a, const edgefw_logit *logit,
                           const decode_state *state, decode_near *near, double *score) {
  decode_near_set(a, logit, state, near);
  for (int64_t j = 0; j < a->nodes; ++j) {
    bool is_near = false;
    for (int64_t r = 0; r < near->count; ++r) is_near = is_near || near->member[r] == j;
    score[j] += is_near ? -decode_nearness(a, logit, state, near, j) : logit->far;
  }
}
