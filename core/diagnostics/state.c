/* Drawing decoding states. */
#include "diagnostics/state.h"

#include <math.h>

#include "edgefw/rng.h"
#include "plugin/problem_shape.h"

int64_t edgefw__state_below(uint64_t seed, int64_t number, int word, int64_t bound) {
  return edgefw_random_below(
      edgefw_random_word(seed, EDGEFW_STREAM_STATE, (uint64_t)number, (uint64_t)word),
      (uint32_t)bound);
}

/* --- Where --- */

edgefw__state_range edgefw__state_range_of(const edgefw_problem *problem, const int32_t *tour,
                                           int64_t steps) {
  if (!edgefw__problem_has_depot(problem)) return (edgefw__state_range){1, steps - 2};
  int64_t last = steps - 1;
  while (last > 2 && tour[last] == 0) --last; /* what fills the tour up */
  return (edgefw__state_range){2, last};
}

int64_t edgefw__state_entries(uint64_t seed, int64_t number, int64_t states,
                              edgefw__state_range range) {
  const double u = edgefw_random_unit(
      edgefw_random_word(seed, EDGEFW_STREAM_STATE, (uint64_t)number, EDGEFW__WORD_STEP));
  const int64_t count = range.last - range.least + 1;
  const int64_t at = (int64_t)(((double)number + u) / (double)states * (double)count);
  return range.least + (at < count ? at : count - 1);
}

int64_t edgefw__state_open(const double *logits, int64_t n) {
  int64_t open = 0;
  for (int64_t j = 0; j < n; ++j) open += !isnan(logits[j]);
  return open;
}

/* --- Which --- */

static int32_t open_node(const double *logits, int64_t which) {
  int32_t j = 0;
  for (;; ++j)
    if (!isnan(logits[j]) && which-- == 0) return j;
}

static double mean_arc(const edgefw__state_view *view) {
  double sum = 0.0;
  for (int64_t i = 0; i < view->n; ++i)
    for (int64_t j = 0; j < view->n; ++j) sum += i == j ? 0.0 : view->cost[i * view->n + j];
  return sum / ((double)view->n * (double)(view->n - 1));
}

/* Least costs out of each node, and into it. */
static void least_arcs(const edgefw__state_view *view, double *out, double *in) {
  const int64_t n = view->n;
  for (int64_t j = 0; j < n; ++j) out[j] = in[j] = (double)INFINITY;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      if (i == j) continue;
      out[i] = fmin(out[i], view->cost[i * n + j]);
      in[j] = fmin(in[j], view->cost[i * n + j]);
    }
}

/* Does nothing tell the two apart but the arcs that lead to them? */
static bool alike(const edgefw__state_view *view, const edgefw__diagnosed_state *state, int64_t a,
                  int64_t b, double most) {
  const int64_t n = view->n;
  const double *cost = view->cost, *out = view->scratch, *in = view->scratch + n;
  return fabs(cost[a * n + state->closing] - cost[b * n + state->closing]) <= most &&
         fabs(out[a] - out[b]) <= most && fabs(in[a] - in[b]) <= most &&
         cost[state->current * n + a] != cost[state->current * n + b];
}

/* The pair of number `which`, or with -1 none; returns how many there are before it. */
static int64_t find_pair(const edgefw__state_view *view, double most, int64_t which,
                         edgefw__diagnosed_state *state) {
  int64_t count = 0;
  for (int64_t a = view->depot; a < view->n; ++a) {
    if (isnan(view->logits[a])) continue;
    for (int64_t b = a + 1; b < view->n; ++b) {
      if (isnan(view->logits[b]) || !alike(view, state, a, b, most)) continue;
      if (count == which) {
        state->pair[0] = (int32_t)a;
        state->pair[1] = (int32_t)b;
        return count;
      }
      ++count;
    }
  }
  return count;
}

static void draw_pair(const edgefw__state_view *view, uint64_t seed, double closeness,
                      edgefw__diagnosed_state *state) {
  const double most = closeness * state->unit;
  state->pair[0] = state->pair[1] = -1;
  least_arcs(view, view->scratch, view->scratch + view->n);
  const int64_t count = find_pair(view, most, -1, state);
  if (count == 0) return;
  (void)find_pair(view, most, edgefw__state_below(seed, state->number, EDGEFW__WORD_PAIR, count),
                  state);
  for (int k = 0; k < 2; ++k) {
    state->pair_cost[k] = view->cost[state->current * view->n + state->pair[k]];
    state->pair_logit[k] = view->logits[state->pair[k]];
  }
}

void edgefw__state_draw(const edgefw__state_view *view, uint64_t seed,
                        const edgefw__diagnostic_rules *rules, edgefw__diagnosed_state *state) {
  state->current = state->tour[state->entries - 1];
  state->open = edgefw__state_open(view->logits, view->n);
  state->candidate = open_node(
      view->logits, edgefw__state_below(seed, state->number, EDGEFW__WORD_CANDIDATE, state->open));
  state->unit = mean_arc(view);
  state->forth = view->cost[state->current * view->n + state->candidate];
  state->back = view->cost[state->candidate * view->n + state->current];
  state->logit = view->logits[state->candidate];
  draw_pair(view, seed, rules->closeness, state);
}
