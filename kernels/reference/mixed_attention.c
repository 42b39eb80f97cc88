/* Mixed-score attention with Sinkhorn or softmax weights, by definition in the log domain. The
 * backward recomputes the forward of a head, so nothing is saved between the two.
 *
 * Both normalisations are chains of "subtract the log-sum-exp of every line": the softmax is one
 * over rows, Sinkhorn alternates rows and columns. */
#pragma once

#include "attention.c"
#include "reference.h"

#include <math.h>
#include <string.h>

/* Working memory of one head of one instance, in one block. */
typedef struct attention_work {
  double *dot;    /* (n,n) q_i.k_j / sqrt(d_h); in the backward its gradient afterwards */
  double *weight; /* (n,n) a_ij */
  double *g;      /* (n,n) gradient that travels back through the steps */
  double *log;    /* (steps+1,n,n) log weights: after the row maximum, then after every step */
  int64_t *peak;  /* (n) column of each row's maximum */
} attention_work;

static int64_t attention_steps(const edgefw_mixed_attention_args *a) {
  return a->norm == EDGEFW_ATTENTION_SOFTMAX ? 1 : 2 * (int64_t)a->iterations;
}

static edgefw_status attention_work_create(edgefw_context *ctx,
                                           const edgefw_mixed_attention_args *a,
                                           attention_work *work) {
  const int64_t pairs = a->nodes * a->nodes, matrices = attention_steps(a) + 4;
  work->dot = edgefw_allocate(ctx, (size_t)(matrices * pairs + a->nodes), sizeof(double),
                              "reference attention");
  if (work->dot == NULL) return EDGEFW_OUT_OF_MEMORY;
  work->weight = work->dot + pairs;
  work->g = work->weight + pairs;
  work->log = work->g + pairs;
  work->peak = (int64_t *)(work->dot + matrices * pairs);
  return EDGEFW_OK;
}

/* What is the same without a mix: the dot products, and what the weights are multiplied with. */
static edgefw_attention_args attention_plain(const edgefw_mixed_attention_args *a) {
  return (edgefw_attention_args){.nodes = a->nodes,
                                 .width = a->width,
                                 .heads = a->heads,
                                 .q = a->q,
                                 .k = a->k,
                                 .v = a->v,
                                 .out = a->out,
                                 .dout = a->dout,
                                 .dq = a->dq,
                                 .dk = a->dk,
                                 .dv = a->dv};
}

/* The three inputs of the mix MLP for the pair (i,j). */
static void attention_inputs(const edgefw_mixed_attention_args *a, int64_t b, int64_t i, int64_t j,
                             double dot, double x[3]) {
  const int64_t n = a->nodes;
  x[0] = dot;
  x[1] = get(a->cost, (b * n + i) * n + j);
  x[2] = get(a->cost, (b * n + j) * n + i);
}

/* Hidden unit u of head h before its ReLU. */
static double attention_hidden(const edgefw_mixed_attention_args *a, int64_t h, int64_t u,
                               const double x[3]) {
  double z = get(a->b1, h * a->hidden + u);
  for (int64_t c = 0; c < 3; ++c) z += get(a->w1, (h * 3 + c) * a->hidden + u) * x[c];
  return z;
}

/* m_ij = w2 . relu(w1^T [q_i.k_j / sqrt(d_h), cost_ij, cost_ji] + b1) + b2, into log[0] */
static void attention_scores(const edgefw_mixed_attention_args *a, int64_t b, int64_t h,
                             attention_work *work) {
  const edgefw_attention_args plain = attention_plain(a);
  const int64_t n = a->nodes;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double x[3], m = get(a->b2, h);
      work->dot[i * n + j] = mha_score(&plain, b, h, i, j);
      attention_inputs(a, b, i, j, work->dot[i * n + j], x);
      for (int64_t u = 0; u < a->hidden; ++u) {
        const double z = attention_hidden(a, h, u, x);
        m += get(a->w2, h * a->hidden + u) * (z < 0.0 ? 0.0 : z);
      }
      work->log[i * n + j] = m;
    }
}

static void attention_subtract_row_maximum(int64_t n, double *m, int64_t *peak) {
  for (int64_t i = 0; i < n; ++i) {
    peak[i] = 0;
    for (int64_t j = 1; j < n; ++j)
      if (m[i * n + j] > m[i * n + peak[i]]) peak[i] = j;
    const double maximum = m[i * n + peak[i]];
    for (int64_t j = 0; j < n; ++j) m[i * n + j] -= maximum;
  }
}

/* Entry `at` of line `line`: a row in even steps, a column in odd ones. */
static int64_t attention_at(int64_t n, int64_t step, int64_t line, int64_t at) {
  return step % 2 == 0 ? line * n + at : at * n + line;
}

/* to = from - log-sum-exp of the line */
static void attention_normalize(int64_t n, int64_t step, const double *from, double *to) {
  for (int64_t line = 0; line < n; ++line) {
    double maximum = from[attention_at(n, step, line, 0)], sum = 0.0;
    for (int64_t i = 1; i < n; ++i) maximum = fmax(maximum, from[attention_at(n, step, line, i)]);
    for (int64_t i = 0; i < n; ++i) sum += exp(from[attention_at(n, step, line, i)] - maximum);
    const double log_sum = maximum + log(sum);
    for (int64_t i = 0; i < n; ++i)
      to[attention_at(n, step, line, i)] = from[attention_at(n, step, line, i)] - log_sum;
  }
}

/* Its backward, in place: dfrom = dto - exp(to) * sum of dto over the line. */
static void attention_normalize_backward(int64_t n, int64_t step, const double *to, double *g) {
  for (int64_t line = 0; line < n; ++line) {
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i) sum += g[attention_at(n, step, line, i)];
    for (int64_t i = 0; i < n; ++i)
      g[attention_at(n, step, line, i)] -= exp(to[attention_at(n, step, line, i)]) * sum;
  }
}

/* Scores, all normalisation steps and the weights of one head. */
static void attention_weights(const edgefw_mixed_attention_args *a, int64_t b, int64_t h,
                              attention_work *work) {
  const int64_t pairs = a->nodes * a->nodes, steps = attention_steps(a);
  attention_scores(a, b, h, work);
  attention_subtract_row_maximum(a->nodes, work->log, work->peak);
  for (int64_t step = 0; step < steps; ++step)
    attention_normalize(a->nodes, step, work->log + step * pairs, work->log + (step + 1) * pairs);
  for (int64_t e = 0; e < pairs; ++e) work->weight[e] = exp(work->log[steps * pairs + e]);
}

static edgefw_status mixed_attention_forward_one(edgefw_device *device,
                                                 const edgefw_mixed_attention_args *a, int64_t b) {
  const edgefw_attention_args plain = attention_plain(a);
  attention_work work;
  const edgefw_status status = attention_work_create(device->ctx, a, &work);
  if (status != EDGEFW_OK) return status;
  for (int64_t h = 0; h < a->heads; ++h) {
    attention_weights(a, b, h, &work);
    mha_output(&plain, b, h, work.weight);
  }
  edgefw_release(device->ctx, work.dot);
  return EDGEFW_OK;
}

PARALLEL_STATUS(mixed_attention_forward, edgefw_mixed_attention_args, a->batch)

static size_t mixed_attention_saved(const edgefw_mixed_attention_args *a) {
  (void)a;
  return 0;
}

/* m = log[0] + row maximum: what the maximum was taken off goes back to it. */
static void attention_row_maximum_backward(int64_t n, const int64_t *peak, double *g) {
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int64_t j = 0; j < n; ++j) sum += g[i * n + j];
    g[i * n + peak[i]] -= sum;
  }
}

/* m = w2 . relu(z) + b2, z = w1^T x + b1: gradients of w1 (3,hidden), b1, w2 (hidden) and b2, one
 * after the other, into `params`; that of x[0], the scaled dot product, replaces work->dot. */
static void attention_scores_backward(const edgefw_mixed_attention_args *a, int64_t b, int64_t h,
                                      attention_work *work, double *params) {
  const int64_t n = a->nodes, hidden = a->hidden;
  double *dw1 = params, *db1 = dw1 + 3 * hidden, *dw2 = db1 + hidden, *db2 = dw2 + hidden;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const double dm = work->g[i * n + j];
      double x[3], ddot = 0.0;
      attention_inputs(a, b, i, j, work->dot[i * n + j], x);
      *db2 += dm;
      for (int64_t u = 0; u < hidden; ++u) {
        const double z = attention_hidden(a, h, u, x);
        if (z <= 0.0) continue;
        const double dz = dm * get(a->w2, h * hidden + u);
        dw2[u] += dm * z;
        db1[u] += dz;
        for (int64_t c = 0; c < 3; ++c) dw1[c * hidden + u] += dz * x[c];
        ddot += dz * get(a->w1, h * 3 * hidden + u);
      }
      work->dot[i * n + j] = ddot;
    }
}

/* One head of instance b; see attention_scores_backward for `params`. */
static void attention_head_backward(const edgefw_mixed_attention_args *a, int64_t b, int64_t h,
                                    attention_work *work, double *params) {
  const edgefw_attention_args plain = attention_plain(a);
  const int64_t pairs = a->nodes * a->nodes;
  attention_weights(a, b, h, work);
  mha_output_backward(&plain, b, h, work->weight, work->g);
  for (int64_t e = 0; e < pairs; ++e) work->g[e] *= work->weight[e]; /* by the logarithm */
  for (int64_t step = attention_steps(a) - 1; step >= 0; --step)
    attention_normalize_backward(a->nodes, step, work->log + (step + 1) * pairs, work->g);
  attention_row_maximum_backward(a->nodes, work->peak, work->g);
  attention_scores_backward(a, b, h, work, params);
  mha_score_backward(&plain, b, h, work->dot);
}

/* A head, whose parameter gradients are added up over the instances, in their order. */
static edgefw_status mixed_attention_backward_one(edgefw_device *device,
                                                  const edgefw_mixed_attention_args *a, int64_t h) {
  const int64_t hidden = a->hidden, count = 5 * hidden + 1;
  attention_work work;
  edgefw_status status = attention_work_create(device->ctx, a, &work);
  double *sum = edgefw_allocate(device->ctx, (size_t)(2 * count), sizeof(double),
                                "reference attention gradients");
  if (sum == NULL) status = EDGEFW_OUT_OF_MEMORY;
  for (int64_t b = 0; status == EDGEFW_OK && b < a->batch; ++b) {
    double *params = sum + count;
    memset(params, 0, (size_t)count * sizeof *params);
    attention_head_backward(a, b, h, &work, params);
    for (int64_t p = 0; p < count; ++p) sum[p] += params[p];
  }
  for (int64_t p = 0; status == EDGEFW_OK && p < hidden; ++p) {
    for (int64_t c = 0; c < 3; ++c) add(a->dw1, (h * 3 + c) * hidden + p, sum[c * hidden + p]);
    add(a->db1, h * hidden + p, sum[3 * hidden + p]);
    add(a->dw2, h * hidden + p, sum[4 * hidden + p]);
  }
  if (status == EDGEFW_OK) add(a->db2, h, sum[5 * hidden]);
  edgefw_release(device->ctx, sum);
  edgefw_release(device->ctx, work.dot);
  return status;
}

PARALLEL_STATUS(mixed_attention_backward, edgefw_mixed_attention_args, a->heads)
