/* Features of a step's candidates and the MLP over them. */
#include "reference.h"

#include <math.h>

/* Numbers that follow the path, by edgefw_path. */
typedef double (*decode_path)(const edgefw_decode_args *a, const decode_state *state,
                              const edgefw_feature *feature, int64_t j);
#define DECODE_PATH(NAME, name) [EDGEFW_PATH_##NAME] = decode_path_##name,
static const decode_path decode_paths[] = {EDGEFW_PATHS(DECODE_PATH)};
#undef DECODE_PATH

/* Feature number f of candidate j. */
static double decode_feature(const edgefw_decode_args *a, const decode_state *state, int f,
                             int64_t j) {
  const edgefw_feature *feature = &a->plan->features[f];
  const int64_t n = a->nodes, b = state->b;
  const int64_t node[3] = {[EDGEFW_CURRENT] = state->current,
                           [EDGEFW_CANDIDATE] = j,
                           [EDGEFW_CLOSING] = decode_closing(a, state)};
  if (feature->kind == EDGEFW_FEATURE_STATE) return (double)state->distinct / (double)n;
  if (feature->kind == EDGEFW_FEATURE_PATH)
    return decode_paths[feature->path](a, state, feature, j);
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
  double z = get(a->weights.mlp.b1, u);
  for (int f = 0; f < a->plan->feature_count; ++f)
    z += get(a->weights.mlp.w1, u * a->plan->feature_count + f) * phi[f];
  return z;
}

/* w2 . relu(w1 phi(j) + b1) + b2; 0 without features. */
static double decode_mlp(const edgefw_decode_args *a, const decode_state *state, int64_t j) {
  if (a->plan->feature_count == 0) return 0.0;
  double phi[EDGEFW_MAX_FEATURES];
  for (int f = 0; f < a->plan->feature_count; ++f) phi[f] = decode_feature(a, state, f, j);
  double sum = get(a->weights.mlp.b2, 0);
  for (int u = 0; u < a->plan->hidden; ++u) {
    const double z = decode_hidden(a, u, phi);
    sum += get(a->weights.mlp.w2, u) * (z < 0.0 ? 0.0 : z);
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
    const double dz = dscore * get(a->weights.mlp.w2, u);
    dw2[u] += dscore * z;
    db1[u] += dz;
    for (int64_t f = 0; f < features; ++f) dw1[u * features + f] += dz * phi[f];
  }
}
