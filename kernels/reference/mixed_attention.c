/* Mixed-score attention with Sinkhorn or softmax weights, by definition in the log domain. The
 * backward recomputes the forward of a head, so nothing is saved between the two.
 *
 * Both normalisations are chains of "subtract the log-sum-exp of every line": the softmax is one
 * over rows, Sinkhorn alternates rows and columns. */
#pragma once

#include "reference.h"

#include <math.h>

/* Working memory of one head of one instance, all in double. */
typedef struct attention_work {
  double *dot;   /* (n,n) q_i.k_j / sqrt(d_h); in the backward its gradient afterwards */
  double *log;   /* (steps+1,n,n) log weights: after the row maximum, then after every step */
  double *g;     /* (n,n) gradient that travels back through the steps */
  int64_t *peak; /* (n) column of each row's maximum */
} attention_work;

typedef struct attention_call {
  const edgefw_mixed_attention_args *a;
  edgefw_context *ctx;
  double *params; /* backward: (B, attention_params) gradients of each instance */
} attention_call;

static int64_t attention_steps(const edgefw_mixed_attention_args *a) {
  return a->norm == EDGEFW_ATTENTION_SOFTMAX ? 1 : 2 * (int64_t)a->iterations;
}

/* Parameter gradients of one head lie in the order dw1 (3,hidden), db1, dw2 (hidden), db2 (1). */
static int64_t attention_head_params(const edgefw_mixed_attention_args *a) {
  return 5 * a->hidden + 1;
}

static edgefw_status attention_work_create(edgefw_context *ctx,
                                           const edgefw_mixed_attention_args *a,
                                           attention_work *work) {
  const size_t pairs = (size_t)(a->nodes * a->nodes);
  const size_t matrices = (size_t)attention_steps(a) + 3;
  work->peak = NULL;
  work->dot = edgefw_allocate(ctx, matrices * pairs, sizeof(double), "reference attention");
  if (work->dot == NULL) return EDGEFW_OUT_OF_MEMORY;
  work->g = work->dot + pairs;
  work->log = work->g + pairs;
  work->peak = edgefw_allocate(ctx, (size_t)a->nodes, sizeof(int64_t), "reference attention");
  if (work->peak == NULL) return EDGEFW_OUT_OF_MEMORY;
  return EDGEFW_OK;
}

static void attention_work_destroy(edgefw_context *ctx, attention_work *work) {
  edgefw_release(ctx, work->dot);
  edgefw_release(ctx, work->peak);
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
  const int64_t n = a->nodes, d = a->width, width = d / a->heads;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double dot = 0.0;
      for (int64_t c = 0; c < width; ++c)
        dot +=
            get(a->q, (b * n + i) * d + h * width + c) * get(a->k, (b * n + j) * d + h * width + c);
      work->dot[i * n + j] = dot / sqrt((double)width);
      double x[3];
      attention_inputs(a, b, i, j, work->dot[i * n + j], x);
      double m = get(a->b2, h);
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

/* Scores and all normalisation steps of one head; the log weights are the last matrix of log. */
static const double *attention_head_forward(const edgefw_mixed_attention_args *a, int64_t b,
                                            int64_t h, attention_work *work) {
  const int64_t n = a->nodes, steps = attention_steps(a);
  attention_scores(a, b, h, work);
  attention_subtract_row_maximum(n, work->log, work->peak);
  for (int64_t step = 0; step < steps; ++step)
    attention_normalize(n, step, work->log + step * n * n, work->log + (step + 1) * n * n);
  return work->log + steps * n * n;
}

/* out_i = sum_j a_ij v_j */
static edgefw_status attention_forward_instance(void *user, int64_t b, int thread) {
  (void)thread;
  const attention_call *call = user;
  const edgefw_mixed_attention_args *a = call->a;
  const int64_t n = a->nodes, d = a->width, width = d / a->heads;
  attention_work work;
  const edgefw_status status = attention_work_create(call->ctx, a, &work);
  for (int64_t h = 0; status == EDGEFW_OK && h < a->heads; ++h) {
    const double *weight = attention_head_forward(a, b, h, &work);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t c = h * width; c < (h + 1) * width; ++c) {
        double sum = 0.0;
        for (int64_t j = 0; j < n; ++j)
          sum += exp(weight[i * n + j]) * get(a->v, (b * n + j) * d + c);
        set(a->out, (b * n + i) * d + c, sum);
      }
  }
  attention_work_destroy(call->ctx, &work);
  return status;
}

static size_t mixed_attention_saved(const edgefw_mixed_attention_args *a) {
  (void)a;
  return 0;
}

static edgefw_status mixed_attention_forward(edgefw_device *device,
                                             const edgefw_mixed_attention_args *a) {
  attention_call call = {.a = a, .ctx = device->ctx};
  return edgefw_parallel(device->ctx, a->batch, attention_forward_instance, &call);
}

/* out_i = sum_j a_ij v_j: dv_j = sum_i a_ij dout_i; d(log a_ij) = a_ij * dout_i.v_j, into g. */
static void attention_values_backward(const edgefw_mixed_attention_args *a, int64_t b, int64_t h,
                                      const double *weight, double *g) {
  const int64_t n = a->nodes, d = a->width, width = d / a->heads;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t c = h * width; c < (h + 1) * width; ++c) {
      double sum = 0.0;
      for (int64_t i = 0; i < n; ++i)
        sum += exp(weight[i * n + j]) * get(a->dout, (b * n + i) * d + c);
      add(a->dv, (b * n + j) * d + c, sum);
    }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int64_t c = h * width; c < (h + 1) * width; ++c)
        sum += get(a->dout, (b * n + i) * d + c) * get(a->v, (b * n + j) * d + c);
      g[i * n + j] = exp(weight[i * n + j]) * sum;
    }
}

/* m = log[0] + row maximum: what the maximum was taken off goes back to it. */
static void attention_row_maximum_backward(int64_t n, const int64_t *peak, double *g) {
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int64_t j = 0; j < n; ++j) sum += g[i * n + j];
    g[i * n + peak[i]] -= sum;
  }
}

/* m = w2 . relu(z) + b2, z = w1^T x + b1: parameter gradients into `params`, and the gradient of
 * x[0], the scaled dot product, replaces work->dot. */
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

static edgefw_status attention_backward_instance(void *user, int64_t b, int thread) {
  (void)thread;
  const attention_call *call = user;
  const edgefw_mixed_attention_args *a = call->a;
  const int64_t n = a->nodes;
  /* Its dot products are those of attention without a mix. */
  const edgefw_attention_args plain = {.nodes = n,
                                       .width = a->width,
                                       .heads = a->heads,
                                       .q = a->q,
                                       .k = a->k,
                                       .dq = a->dq,
                                       .dk = a->dk};
  attention_work work;
  const edgefw_status status = attention_work_create(call->ctx, a, &work);
  for (int64_t h = 0; status == EDGEFW_OK && h < a->heads; ++h) {
    const double *weight = attention_head_forward(a, b, h, &work);
    attention_values_backward(a, b, h, weight, work.g);
    for (int64_t step = attention_steps(a) - 1; step >= 0; --step)
      attention_normalize_backward(n, step, work.log + (step + 1) * n * n, work.g);
    attention_row_maximum_backward(n, work.peak, work.g);
    attention_scores_backward(a, b, h, &work,
                              call->params + (b * a->heads + h) * attention_head_params(a));
    mha_score_backward(&plain, b, h, work.dot);
  }
  attention_work_destroy(call->ctx, &work);
  return status;
}

/* Add the instances' parameter gradients, in their order. */
static void attention_reduce(const edgefw_mixed_attention_args *a, const double *params) {
  const int64_t hidden = a->hidden, count = attention_head_params(a);
  for (int64_t h = 0; h < a->heads; ++h)
    for (int64_t p = 0; p < count; ++p) {
      double sum = 0.0;
      for (int64_t b = 0; b < a->batch; ++b) sum += params[(b * a->heads + h) * count + p];
      if (p < 3 * hidden) {
        add(a->dw1, h * 3 * hidden + p, sum);
      } else if (p < 4 * hidden) {
        add(a->db1, h * hidden + p - 3 * hidden, sum);
      } else if (p < 5 * hidden) {
        add(a->dw2, h * hidden + p - 4 * hidden, sum);
      } else {
        add(a->db2, h, sum);
      }
    }
}

static edgefw_status mixed_attention_backward(edgefw_device *device,
                                              const edgefw_mixed_attention_args *a) {
  attention_call call = {.a = a, .ctx = device->ctx};
  call.params =
      edgefw_allocate(device->ctx, (size_t)(a->batch * a->heads * attention_head_params(a)),
                      sizeof(double), "reference attention gradients");
  if (call.params == NULL) return EDGEFW_OUT_OF_MEMORY;
  const edgefw_status status =
      edgefw_parallel(device->ctx, a->batch, attention_backward_instance, &call);
  if (status == EDGEFW_OK) attention_reduce(a, call.params);
  edgefw_release(device->ctx, call.params);
  return status;
}
