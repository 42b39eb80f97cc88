/* Features of a step's candidates and the MLP over them. */
#include "reference.h"

#include <math.h>

/* Minimum over the remaining l != j of the arcs out of or into j; without one, what stands in. */
static double decode_remaining_min(const edgefw_decode_args *a, const decode_state *state,
                                   const edgefw_feature *feature, int64_t j) {
  const int64_t n = a->nodes, first = state->b * n * n;
  const bool into = feature->column == EDGEFW_CANDIDATE;
  const void *table = a->tables[feature->table];
  double least = (double)INFINITY;
  for (int64_t l = 0; l < n; ++l)
    if (!state->visited[l] && l != j)
      least = fmin(least, get(table, first + (into ? l * n + j : j * n + l)));
  if (least < (double)INFINITY) return least;
  return get(table, first + (into ? state->current * n + j : j * n + decode_closing(a, state)));
}

/* Feature number f of candidate j. */
static double decode_feature(const edgefw_decode_args *a, const decode_state *state, int f,
                             int64_t j) {
  const edgefw_feature *feature = &a->plan->features[f];
  const int64_t n = a->nodes, b = state->b;
  const int64_t node[3] = {[EDGEFW_CURRENT] = state->current,
                           [EDGEFW_CANDIDATE] = j,
                           [EDGEFW_CLOSING] = decode_closing(a, state)};
  if (feature->kind == EDGEFW_FEATURE_STATE) return (double)state->distinct / (double)n;
  if (feature->kind == EDGEFW_FEATURE_REMAINING_MIN)
    return decode_remaining_min(a, state, feature, j);
  const void *table = a->tables[feature->table];
  const int64_t row = node[feature->row];
  if (feature->kind == EDGEFW_FEATURE_NODE) return get(table, b * n + row);
  const int64_t column = node[feature->column];
  const double there = get(table, (b * n + row) * n + column);
  if (feature->kind == EDGEFW_FEATURE_PAIR) return there;
  return there - get(table, (b * n + column) * n + row);
}

/* Hidden unit u of the feature MLP before its ReLU. */
static double decode_hidden(const edgefw_decode_args *a, int64_t u, const double *phi) {
  double z = get(a->b1, u);
  for (int f = 0; f < a->plan->feature_count; ++f)
    z += get(a->w1, u * a->plan->feature_count + f) * phi[f];
  return z;
}

/* w2 . relu(w1 phi(j) + b1) + b2; 0 without features. */
static double decode_mlp(const edgefw_decode_args *a, const decode_state *state, int64_t j) {
  if (a->plan->feature_count == 0) return 0.0;
  double phi[EDGEFW_MAX_FEATURES];
  for (int f = 0; f < a->plan->feature_count; ++f) phi[f] = decode_feature(a, state, f, j);
  double sum = get(a->b2, 0);
  for (int u = 0; u < a->plan->hidden; ++u) {
    const double z = decode_hidden(a, u, phi);
    sum += get(a->w2, u) * (z < 0.0 ? 0.0 : z);
  }
  return sum;
}

/* Gradients of the MLP's parameters: w1 (hidden,F), b1, w2 (hidden), b2 (1), in this order. */
static void decode_mlp_backward(const edgefw_decode_args *a, const decode_state *state, int64_t j,
                                double dscore, double *mlp) {
  const int64_t features = a->plan->feature_count, hidden = a->plan->hidden;
  if (features == 0) return;
  double *dw1 = mlp, *db1 = dw1 + hidden * features, *dw2 = db1 + hidden, *db2 = dw2 + hidden;
  double phi[EDGEFW_MAX_FEATURES];
  for (int f = 0; f < features; ++f) phi[f] = decode_feature(a, state, f, j);
  *db2 += dscore;
  for (int64_t u = 0; u < hidden; ++u) {
    const double z = decode_hidden(a, u, phi);
    if (z <= 0.0) continue;
    const double dz = dscore * get(a->w2, u);
    dw2[u] += dscore * z;
    db1[u] += dz;
    for (int64_t f = 0; f < features; ++f) dw1[u * features + f] += dz * phi[f];
  }
}
