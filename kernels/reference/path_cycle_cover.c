/* A cycle cover that follows the path (EDGEFW_PATH_CYCLE_COVER). The oracle begins anew for every
 * step: it follows the whole path from the first permutation on. */
#pragma once

#include "decode_state.c"
#include "reference.h"

#include <math.h>

/* The node before j. */
static int64_t decode_cover_before(int64_t n, const int64_t *after, int64_t j) {
  for (int64_t i = 0; i < n; ++i)
    if (after[i] == j) return i;
  return -1;
}

/* Number the cycles; returns how many there are. */
static int64_t decode_cover_label(int64_t n, const int64_t *after, int64_t *label) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) label[i] = -1;
  for (int64_t i = 0; i < n; ++i) {
    if (label[i] >= 0) continue;
    for (int64_t k = i; label[k] < 0; k = after[k]) label[k] = count;
    ++count;
  }
  return count;
}

/* Of an arc of the cover; a node that is a cycle alone has none. */
static double decode_cover_arc(const double *cost, int64_t n, int64_t i, int64_t j) {
  return i == j ? 0.0 : cost[i * n + j];
}

/* The permutation that the rollout begins with; its mean arc. */
static void decode_cover_begin(const edgefw_decode_args *a, const edgefw_feature *feature,
                               const decode_state *state) {
  const int64_t n = a->nodes;
  decode_cover *cover = state->cover;
  const double *cost = a->cost + state->b * n * n;
  double total = 0.0;
  for (int64_t i = 0; i < n; ++i) {
    cover->after[i] = (int64_t)get(a->tables[feature->permutation], state->b * n + i);
    total += decode_cover_arc(cost, n, i, cover->after[i]);
  }
  decode_cover_label(n, cover->after, cover->first_label);
  cover->mean = fmax(total / (double)n, 1e-9);
}

/* Bring the cover to where the rollout stands. */
static void decode_cover_follow(const edgefw_decode_args *a, const edgefw_feature *feature,
                                const decode_state *state) {
  const int64_t n = a->nodes;
  decode_cover *cover = state->cover;
  decode_cover_begin(a, feature, state);
  for (int64_t t = 1; t < state->t; ++t) {
    const int64_t i = state->tour[t - 1], j = state->tour[t];
    const int64_t left = cover->after[i], before = decode_cover_before(n, cover->after, j);
    if (left == j) continue;
    cover->after[before] = left;
    cover->after[i] = j;
  }
  cover->cycles = decode_cover_label(n, cover->after, cover->label);
  /* The least exit that the rest of the cycle offers. */
  cover->later = log1p((double)n);
  for (int64_t k = 0; k < n; ++k) {
    if (state->visited[k] || cover->label[k] != cover->label[state->current]) continue;
    for (int64_t l = 0; l < n; ++l)
      if (cover->first_label[l] != cover->first_label[k])
        cover->later =
            fmin(cover->later, get(a->tables[feature->table], (state->b * n + k) * n + l));
  }
  cover->entries = state->t;
  cover->table = feature->table;
  cover->permutation = feature->permutation;
}

/* log(1 + what leaving the cover for j raises it by, in mean arcs). */
static double decode_cover_rise(const edgefw_decode_args *a, const decode_state *state, int64_t j) {
  const int64_t n = a->nodes, i = state->current;
  const double *cost = a->cost + state->b * n * n;
  const decode_cover *cover = state->cover;
  const int64_t left = cover->after[i], before = decode_cover_before(n, cover->after, j);
  double rise = cost[i * n + j] + decode_cover_arc(cost, n, before, left) -
                decode_cover_arc(cost, n, i, left) - decode_cover_arc(cost, n, before, j);
  if (before == left) rise = 2.0 * cost[i * n + j];
  if (left == j) rise = 0.0;
  return log1p(fmax(rise, 0.0) / cover->mean);
}

/* The feature's number of candidate j. */
static double decode_path_cycle_cover(const edgefw_decode_args *a, const decode_state *state,
                                      const edgefw_feature *feature, int64_t j) {
  const decode_cover *cover = state->cover;
  if (cover->entries != state->t || cover->table != feature->table ||
      cover->permutation != feature->permutation)
    decode_cover_follow(a, feature, state);
  switch (feature->number) {
  case EDGEFW_COVER_RISE: return decode_cover_rise(a, state, j);
  case EDGEFW_COVER_SUCCESSOR: return cover->after[state->current] == j ? 1.0 : 0.0;
  case EDGEFW_COVER_SAME_CYCLE: return cover->label[state->current] == cover->label[j] ? 1.0 : 0.0;
  case EDGEFW_COVER_CYCLES: return log((double)cover->cycles);
  case EDGEFW_COVER_LATER_EXIT: return cover->later;
  case EDGEFW_COVER_NUMBERS: break;
  }
  return 0.0;
}
