/* One step of a rollout: query, masked attention, scores, softmax; and its backward, which expects
 * the work of the same step's forward. */
#include "reference.h"

#include <math.h>

/* Working memory of one step. Closed candidates have weight, probability and logit 0. */
typedef struct decode_work {
  double *query;       /* (d) */
  double *weight;      /* (H,n) attention weights */
  double *glimpse;     /* (d) o: attention times values */
  double *score;       /* (n) in the backward its gradient */
  double *squashed;    /* (n) tanh(score) */
  double *logit;       /* (n) */
  double *probability; /* (n) */
  double log_sum;      /* log-sum-exp of the open logits */
  double *dglimpse;    /* (d) */
  double *dquery;      /* (d) */
  decode_local local;
} decode_work;

/* Gradients of one instance, in double. */
typedef struct decode_gradients {
  double *keys, *values, *q_last, *q_first, *fold; /* (n,d) */
  double *fold_bias;                               /* (n) */
  double *mlp;                                     /* see decode_mlp_backward */
  double *w_left;                                  /* (d,resource_count) */
  double *local[EDGEFW_MAX_LOGITS][EDGEFW_LOCAL_TENSORS];
} decode_gradients;

/* left_r / capacity_r */
static double decode_share(const edgefw_decode_args *a, const decode_state *state, int r) {
  return state->left[r] / a->resources.capacity[r][state->b];
}

/* query = q_last[current] + q_first[first] + sum_r left_r / capacity_r * w_left[.,r] */
static void decode_query(const edgefw_decode_args *a, const decode_state *state,
                         decode_work *work) {
  const int64_t n = a->nodes, d = a->plan->width;
  for (int64_t c = 0; c < d; ++c) {
    work->query[c] = get(a->weights.pointer.q_last, (state->b * n + state->current) * d + c);
    if (a->weights.pointer.q_first != NULL)
      work->query[c] += get(a->weights.pointer.q_first, (state->b * n + state->first) * d + c);
    for (int r = 0; r < a->plan->resource_count; ++r)
      work->query[c] += decode_share(a, state, r) *
                        get(a->weights.pointer.w_left, c * a->weights.pointer.w_left_stride + r);
  }
}

/* weight = softmax_j(query . keys_j / sqrt(d_h)); o = weight values; per head */
static void decode_glimpse(const edgefw_decode_args *a, const decode_state *state,
                           decode_work *work) {
  const int64_t n = a->nodes, d = a->plan->width, width = d / a->plan->heads, b = state->b;
  for (int64_t h = 0; h < a->plan->heads; ++h) {
    double *weight = work->weight + h * n;
    for (int64_t j = 0; j < n; ++j) {
      double dot = 0.0;
      for (int64_t c = h * width; c < (h + 1) * width; ++c)
        dot += work->query[c] * get(a->weights.pointer.keys, (b * n + j) * d + c);
      weight[j] = dot / sqrt((double)width);
    }
    decode_softmax(n, state->open, weight);
    for (int64_t c = h * width; c < (h + 1) * width; ++c) {
      work->glimpse[c] = 0.0;
      for (int64_t j = 0; j < n; ++j)
        work->glimpse[c] += weight[j] * get(a->weights.pointer.values, (b * n + j) * d + c);
    }
  }
}

/* score_j = (o . fold_j + fold_bias_j) / sqrt(d) + MLP(phi(j)) + logits of the plan */
static void decode_scores(const edgefw_decode_args *a, const decode_state *state,
                          decode_work *work) {
  const int64_t n = a->nodes, d = a->plan->width, b = state->b;
  for (int64_t j = 0; j < n; ++j) {
    work->score[j] = 0.0;
    if (!state->open[j]) continue;
    double base = get(a->weights.pointer.fold_bias, b * n + j);
    for (int64_t c = 0; c < d; ++c)
      base += work->glimpse[c] * get(a->weights.pointer.fold, (b * n + j) * d + c);
    work->score[j] = base / sqrt((double)d) + decode_mlp(a, state, j);
  }
  for (int l = 0; l < a->plan->logit_count; ++l) {
    const edgefw_logit *logit = &a->plan->logits[l];
    if (logit->kind == EDGEFW_LOGIT_NEAR_PENALTY) {
      decode_penalty(a, logit, state, &work->local.near, work->score);
    } else {
      decode_local_forward(a, l, state, &work->local);
      decode_local_score(&work->local, work->score);
    }
  }
}

/* logit_j = clip * tanh(score_j), then softmax */
static void decode_step_forward(const edgefw_decode_args *a, const decode_state *state,
                                decode_work *work) {
  decode_query(a, state, work);
  decode_glimpse(a, state, work);
  decode_scores(a, state, work);
  for (int64_t j = 0; j < a->nodes; ++j) {
    work->squashed[j] = state->open[j] ? tanh(work->score[j]) : 0.0;
    work->logit[j] = work->probability[j] = a->selection.clip * work->squashed[j];
  }
  work->log_sum = decode_softmax(a->nodes, state->open, work->probability);
}

/* o = weight values; weight = softmax(query . keys / sqrt(d_h)), per head */
static void decode_glimpse_backward(const edgefw_decode_args *a, const decode_state *state,
                                    decode_work *work, decode_gradients *g) {
  const int64_t n = a->nodes, d = a->plan->width, width = d / a->plan->heads, b = state->b;
  for (int64_t c = 0; c < d; ++c) work->dquery[c] = 0.0;
  for (int64_t h = 0; h < a->plan->heads; ++h) {
    const double *weight = work->weight + h * n;
    const int64_t begin = h * width, end = begin + width;
    double mean = 0.0; /* sum_j weight_j dweight_j = o . do */
    for (int64_t c = begin; c < end; ++c) mean += work->glimpse[c] * work->dglimpse[c];
    for (int64_t j = 0; j < n; ++j) {
      if (!state->open[j]) continue;
      double dweight = 0.0;
      for (int64_t c = begin; c < end; ++c) {
        dweight += work->dglimpse[c] * get(a->weights.pointer.values, (b * n + j) * d + c);
        g->values[j * d + c] += weight[j] * work->dglimpse[c];
      }
      const double ddot = weight[j] * (dweight - mean) / sqrt((double)width);
      for (int64_t c = begin; c < end; ++c) {
        work->dquery[c] += ddot * get(a->weights.pointer.keys, (b * n + j) * d + c);
        g->keys[j * d + c] += ddot * work->query[c];
      }
    }
  }
}

/* See decode_query. */
static void decode_query_backward(const edgefw_decode_args *a, const decode_state *state,
                                  const decode_work *work, decode_gradients *g) {
  const int64_t d = a->plan->width, resources = a->plan->resource_count;
  for (int64_t c = 0; c < d; ++c) {
    g->q_last[state->current * d + c] += work->dquery[c];
    g->q_first[state->first * d + c] += work->dquery[c];
    for (int r = 0; r < resources; ++r)
      g->w_left[c * resources + r] += work->dquery[c] * decode_share(a, state, r);
  }
}

/* From the gradients of all scores: those of the MLP, the logits, fold and o. */
static void decode_scores_backward(const edgefw_decode_args *a, const decode_state *state,
                                   const double *dscore, decode_work *work, decode_gradients *g) {
  const int64_t n = a->nodes, d = a->plan->width, b = state->b;
  const double scale = 1.0 / sqrt((double)d);
  for (int64_t c = 0; c < d; ++c) work->dglimpse[c] = 0.0;
  for (int64_t j = 0; j < n; ++j) {
    if (!state->open[j]) continue;
    decode_mlp_backward(a, state, j, dscore[j], g->mlp);
    g->fold_bias[j] += dscore[j] * scale;
    for (int64_t c = 0; c < d; ++c) {
      g->fold[j * d + c] += dscore[j] * scale * work->glimpse[c];
      work->dglimpse[c] += dscore[j] * scale * get(a->weights.pointer.fold, (b * n + j) * d + c);
    }
  }
}

/* Gradient of upstream * log(probability of `chosen`), added to g. */
static void decode_step_backward(const edgefw_decode_args *a, const decode_state *state,
                                 int64_t chosen, double upstream, decode_work *work,
                                 decode_gradients *g) {
  double *dscore = work->score;
  for (int64_t j = 0; j < a->nodes; ++j) {
    /* log p = logit_chosen - log-sum-exp; logit = clip * tanh(score) */
    const double dlogit = upstream * ((j == chosen ? 1.0 : 0.0) - work->probability[j]);
    const double slope = a->selection.clip * (1.0 - work->squashed[j] * work->squashed[j]);
    dscore[j] = state->open[j] ? dlogit * slope : 0.0;
  }
  for (int l = 0; l < a->plan->logit_count; ++l) {
    if (a->plan->logits[l].kind != EDGEFW_LOGIT_LOCAL_ATTENTION) continue;
    decode_local_forward(a, l, state, &work->local); /* again: another one may have followed */
    decode_local_backward(a, l, &work->local, dscore, g->local[l]);
  }
  decode_scores_backward(a, state, dscore, work, g);
  decode_glimpse_backward(a, state, work, g);
  decode_query_backward(a, state, work, g);
}
