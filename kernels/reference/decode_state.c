/* State of a rollout: where it stands, what it has visited, what it carries and which nodes are
 * open. And the softmax over what is open. */
#pragma once

#include "reference.h"

#include <math.h>

/* What path_cycle_cover.c knows of a step. */
typedef struct decode_cover {
  int64_t *after;         /* (n) of each node */
  int64_t *label;         /* (n) its cycle */
  int64_t *first_label;   /* (n) its cycle in the first permutation */
  int64_t cycles;         /* now */
  double mean, later;     /* arc of the first permutation; exit of the rest of the cycle */
  int64_t entries;        /* of the tour at that step, -1: nothing is known */
  int table, permutation; /* of the features */
} decode_cover;

typedef struct decode_state {
  int64_t b, t;     /* instance; nodes visited so far, returns to the depot included */
  int64_t distinct; /* of them different ones */
  int64_t current, first;
  double left[EDGEFW_MAX_RESOURCES];
  bool *visited;       /* (n) */
  bool *open;          /* (n) may be visited now */
  const int32_t *tour; /* entries 0 .. t - 1 of the rollout's */
  decode_cover *cover;
} decode_state;

static bool decode_has_depot(const edgefw_decode_args *a) {
  return a->plan->start == EDGEFW_START_EACH_CUSTOMER;
}

/* Nodes at the beginning of the tour of rollout s that are not chosen. */
static int64_t decode_given(const edgefw_decode_args *a, int64_t b, int64_t s) {
  if (a->given != NULL) return a->given[b * a->rollouts + s];
  return decode_has_depot(a) ? 2 : 1;
}

/* Node number t of rollout s by its start rule. */
static int64_t decode_start(const edgefw_decode_args *a, int64_t s, int64_t t) {
  if (!decode_has_depot(a)) return a->selection.first_start + s;
  return t == 0 ? 0 : a->selection.first_start + s + 1;
}

static int64_t decode_closing(const edgefw_decode_args *a, const decode_state *state) {
  return a->plan->closing == EDGEFW_CLOSE_AT_DEPOT ? 0 : state->first;
}

static bool decode_is_finished(const edgefw_decode_args *a, const decode_state *state) {
  return state->distinct == a->nodes;
}

/* Does node j ask too much of a resource? */
static bool decode_exceeds(const edgefw_decode_args *a, const decode_state *state, int64_t j) {
  for (int r = 0; r < a->plan->resource_count; ++r)
    if (a->resources.demand[r][state->b * a->nodes + j] >
        state->left[r] + a->resources.slack[r][state->b])
      return true;
  return false;
}

static void decode_update_open(const edgefw_decode_args *a, decode_state *state) {
  for (int64_t j = 0; j < a->nodes; ++j)
    state->open[j] = !state->visited[j] && !decode_exceeds(a, state, j);
  if (decode_has_depot(a)) state->open[0] = state->current != 0;
}

static void decode_refill(const edgefw_decode_args *a, decode_state *state) {
  for (int r = 0; r < a->plan->resource_count; ++r)
    state->left[r] = a->resources.capacity[r][state->b];
}

/* Nothing is visited yet; with a depot, that alone is open. */
static void decode_begin(const edgefw_decode_args *a, int64_t b, decode_state *state) {
  state->b = b;
  state->t = state->distinct = 0;
  state->current = state->first = -1;
  state->cover->entries = -1;
  for (int64_t j = 0; j < a->nodes; ++j) {
    state->visited[j] = false;
    state->open[j] = j == 0 || !decode_has_depot(a);
  }
  decode_refill(a, state);
}

/* Can node j be reached from where the rollout stands by an arc that is not forbidden? */
static bool decode_is_allowed(const edgefw_decode_args *a, const decode_state *state, int64_t j) {
  const double *cost = a->cost + (state->b * a->nodes + state->current) * a->nodes;
  return a->forbidden == NULL || cost[j] < a->forbidden[state->b];
}

/* Before a choice: close the nodes behind forbidden arcs, unless nothing would stay open. */
static void decode_narrow(const edgefw_decode_args *a, decode_state *state) {
  bool any = false;
  for (int64_t j = 0; j < a->nodes; ++j)
    any = any || (state->open[j] && decode_is_allowed(a, state, j));
  for (int64_t j = 0; any && j < a->nodes; ++j)
    state->open[j] = state->open[j] && decode_is_allowed(a, state, j);
}

/* Go to an open node. */
static void decode_visit(const edgefw_decode_args *a, decode_state *state, int64_t node) {
  if (state->t == 0) state->first = node;
  if (!state->visited[node]) ++state->distinct;
  state->visited[node] = true;
  state->current = node;
  ++state->t;
  if (decode_has_depot(a) && node == 0) {
    decode_refill(a, state);
  } else {
    for (int r = 0; r < a->plan->resource_count; ++r)
      state->left[r] -= a->resources.demand[r][state->b * a->nodes + node];
  }
  decode_update_open(a, state);
}

static bool decode_any_open(const edgefw_decode_args *a, const decode_state *state) {
  for (int64_t j = 0; j < a->nodes; ++j)
    if (state->open[j]) return true;
  return false;
}

/* score = softmax over the open of `score`; closed ones become 0. Returns the log-sum-exp. */
static double decode_softmax(int64_t n, const bool *open, double *score) {
  double maximum = -(double)INFINITY, sum = 0.0;
  for (int64_t j = 0; j < n; ++j)
    if (open[j]) maximum = fmax(maximum, score[j]);
  for (int64_t j = 0; j < n; ++j) {
    score[j] = open[j] ? exp(score[j] - maximum) : 0.0;
    sum += score[j];
  }
  for (int64_t j = 0; j < n; ++j) score[j] /= sum;
  return maximum + log(sum);
}

/* The rollout cannot go on where it stands. */
static edgefw_status decode_refuse(edgefw_context *ctx, const edgefw_decode_args *a,
                                   const decode_state *state, int64_t s, edgefw_refusal why) {
  return edgefw_refuse_rollout(ctx, a, state->b, s, why, state->tour, state->t);
}

/* OK if `node`, which the caller has given as the next entry, may be visited now. */
static edgefw_status decode_admit(edgefw_context *ctx, const edgefw_decode_args *a,
                                  const decode_state *state, int64_t s, int64_t node) {
  if (node >= 0 && node < a->nodes && state->open[node]) return EDGEFW_OK;
  return decode_refuse(ctx, a, state, s, EDGEFW_REFUSAL_NOT_OPEN);
}
