/* One step of a rollout: query, masked attention, scores, softmax; and its backward, which expects
 * the work of the same step's forward. */
#include "reference.h"

#include <math.h>

/* A step: rollout standing on `current` after t visits, begun at `first`. */
typedef struct decode_place {
  int64_t b, t, current, first;
  const bool *open; /* (n) not visited yet */
} decode_place;

/* Working memory of one step. Closed candidates have weight, probability and logit 0. */
typedef struct decode_work {
  bool *open;          /* (n) not visited yet */
  double *query;       /* (d) */
  double *weight;      /* (H,n) attention weights */
  double *glimpse;     /* (d) o: attention times values */
  double *squashed;    /* (n) tanh(score) */
  double *logit;       /* (n) */
  double *probability; /* (n) */
  double log_sum;      /* log-sum-exp of the open logits */
  double *dglimpse;    /* (d) */
  double *dquery;      /* (d) */
} decode_work;

/* Gradients of one instance, in double; params is dw1 (hidden,F), db1, dw2 (hidden), db2 (1). */
typedef struct decode_gradients {
  double *keys, *values, *q_last, *q_first, *fold; /* (n,d) */
  double *fold_bias;                               /* (n) */
  double *params;
} decode_gradients;

static int64_t decode_param_count(const edgefw_decode_plan *plan) {
  return plan->feature_count == 0 ? 0 : plan->hidden * (plan->feature_count + 2) + 1;
}

/* Minimum over the open l != j of the arcs out of or into j; without one, what stands in. */
static double decode_remaining_min(const edgefw_decode_args *a, const decode_place *place,
                                   const edgefw_feature *feature, int64_t j) {
  const int64_t n = a->nodes, first = place->b * n * n;
  const bool into = feature->column == EDGEFW_CANDIDATE;
  const void *table = a->tables[feature->table];
  double least = (double)INFINITY;
  for (int64_t l = 0; l < n; ++l)
    if (place->open[l] && l != j)
      least = fmin(least, get(table, first + (into ? l * n + j : j * n + l)));
  if (least < (double)INFINITY) return least;
  return get(table, first + (into ? place->current * n + j : j * n + place->first));
}

/* Feature number f of candidate j. */
static double decode_feature(const edgefw_decode_args *a, const decode_place *place, int f,
                             int64_t j) {
  const edgefw_feature *feature = &a->plan->features[f];
  const int64_t n = a->nodes, b = place->b;
  const int64_t node[3] = {
      [EDGEFW_CURRENT] = place->current, [EDGEFW_CANDIDATE] = j, [EDGEFW_CLOSING] = place->first};
  if (feature->kind == EDGEFW_FEATURE_STATE) return (double)place->t / (double)n; /* PROGRESS */
  if (feature->kind == EDGEFW_FEATURE_REMAINING_MIN)
    return decode_remaining_min(a, place, feature, j);
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
static double decode_mlp(const edgefw_decode_args *a, const decode_place *place, int64_t j) {
  if (a->plan->feature_count == 0) return 0.0;
  double phi[EDGEFW_MAX_FEATURES];
  for (int f = 0; f < a->plan->feature_count; ++f) phi[f] = decode_feature(a, place, f, j);
  double sum = get(a->b2, 0);
  for (int u = 0; u < a->plan->hidden; ++u) {
    const double z = decode_hidden(a, u, phi);
    sum += get(a->w2, u) * (z < 0.0 ? 0.0 : z);
  }
  return sum;
}

/* weight = softmax over the open of `score`, in place; closed ones become 0. Returns the
 * log-sum-exp. */
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

/* query = q_last[current] + q_first[first] */
static void decode_query(const edgefw_decode_args *a, const decode_place *place,
                         decode_work *work) {
  const int64_t n = a->nodes, d = a->plan->width;
  for (int64_t c = 0; c < d; ++c) {
    work->query[c] = get(a->q_last, (place->b * n + place->current) * d + c);
    if (a->q_first != NULL)
      work->query[c] += get(a->q_first, (place->b * n + place->first) * d + c);
  }
}

/* weight = softmax_j(query . keys_j / sqrt(d_h)); o = weight values; per head */
static void decode_glimpse(const edgefw_decode_args *a, int64_t b, decode_work *work) {
  const int64_t n = a->nodes, d = a->plan->width, width = d / a->plan->heads;
  for (int64_t h = 0; h < a->plan->heads; ++h) {
    double *weight = work->weight + h * n;
    for (int64_t j = 0; j < n; ++j) {
      double dot = 0.0;
      for (int64_t c = h * width; c < (h + 1) * width; ++c)
        dot += work->query[c] * get(a->keys, (b * n + j) * d + c);
      weight[j] = dot / sqrt((double)width);
    }
    decode_softmax(n, work->open, weight);
    for (int64_t c = h * width; c < (h + 1) * width; ++c) {
      work->glimpse[c] = 0.0;
      for (int64_t j = 0; j < n; ++j)
        work->glimpse[c] += weight[j] * get(a->values, (b * n + j) * d + c);
    }
  }
}

/* logit_j = clip * tanh((o . fold_j + fold_bias_j) / sqrt(d) + MLP(phi(j))), then softmax */
static void decode_step_forward(const edgefw_decode_args *a, const decode_place *place,
                                decode_work *work) {
  const int64_t n = a->nodes, d = a->plan->width, b = place->b;
  decode_query(a, place, work);
  decode_glimpse(a, b, work);
  for (int64_t j = 0; j < n; ++j) {
    work->logit[j] = work->squashed[j] = work->probability[j] = 0.0;
    if (!work->open[j]) continue;
    double base = get(a->fold_bias, b * n + j);
    for (int64_t c = 0; c < d; ++c) base += work->glimpse[c] * get(a->fold, (b * n + j) * d + c);
    work->squashed[j] = tanh(base / sqrt((double)d) + decode_mlp(a, place, j));
    work->logit[j] = work->probability[j] = a->clip * work->squashed[j];
  }
  work->log_sum = decode_softmax(n, work->open, work->probability);
}

/* MLP(phi(j)) = w2 . relu(z) + b2, z = w1 phi + b1 */
static void decode_mlp_backward(const edgefw_decode_args *a, const decode_place *place, int64_t j,
                                double dscore, double *params) {
  const int64_t features = a->plan->feature_count, hidden = a->plan->hidden;
  if (features == 0) return;
  double *dw1 = params, *db1 = dw1 + hidden * features, *dw2 = db1 + hidden, *db2 = dw2 + hidden;
  double phi[EDGEFW_MAX_FEATURES];
  for (int f = 0; f < features; ++f) phi[f] = decode_feature(a, place, f, j);
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

/* o = weight values; weight = softmax(query . keys / sqrt(d_h)), per head */
static void decode_glimpse_backward(const edgefw_decode_args *a, int64_t b, decode_work *work,
                                    decode_gradients *g) {
  const int64_t n = a->nodes, d = a->plan->width, width = d / a->plan->heads;
  for (int64_t c = 0; c < d; ++c) work->dquery[c] = 0.0;
  for (int64_t h = 0; h < a->plan->heads; ++h) {
    const double *weight = work->weight + h * n;
    const int64_t begin = h * width, end = begin + width;
    double mean = 0.0; /* sum_j weight_j dweight_j = o . do */
    for (int64_t c = begin; c < end; ++c) mean += work->glimpse[c] * work->dglimpse[c];
    for (int64_t j = 0; j < n; ++j) {
      if (!work->open[j]) continue;
      double dweight = 0.0;
      for (int64_t c = begin; c < end; ++c) {
        dweight += work->dglimpse[c] * get(a->values, (b * n + j) * d + c);
        g->values[j * d + c] += weight[j] * work->dglimpse[c];
      }
      const double ddot = weight[j] * (dweight - mean) / sqrt((double)width);
      for (int64_t c = begin; c < end; ++c) {
        work->dquery[c] += ddot * get(a->keys, (b * n + j) * d + c);
        g->keys[j * d + c] += ddot * work->query[c];
      }
    }
  }
}

/* Gradient of upstream * log(probability of `chosen`), added to g. */
static void decode_step_backward(const edgefw_decode_args *a, const decode_place *place,
                                 int64_t chosen, double upstream, decode_work *work,
                                 decode_gradients *g) {
  const int64_t n = a->nodes, d = a->plan->width, b = place->b;
  const double scale = 1.0 / sqrt((double)d);
  for (int64_t c = 0; c < d; ++c) work->dglimpse[c] = 0.0;
  for (int64_t j = 0; j < n; ++j) {
    if (!work->open[j]) continue;
    /* log p = logit_chosen - log-sum-exp; logit = clip * tanh(score) */
    const double dlogit = upstream * ((j == chosen ? 1.0 : 0.0) - work->probability[j]);
    const double dscore = dlogit * a->clip * (1.0 - work->squashed[j] * work->squashed[j]);
    decode_mlp_backward(a, place, j, dscore, g->params);
    /* score = (o . fold_j + fold_bias_j) / sqrt(d) + ... */
    g->fold_bias[j] += dscore * scale;
    for (int64_t c = 0; c < d; ++c) {
      g->fold[j * d + c] += dscore * scale * work->glimpse[c];
      work->dglimpse[c] += dscore * scale * get(a->fold, (b * n + j) * d + c);
    }
  }
  decode_glimpse_backward(a, b, work, g);
  for (int64_t c = 0; c < d; ++c) {
    g->q_last[place->current * d + c] += work->dquery[c];
    g->q_first[place->first * d + c] += work->dquery[c];
  }
}
