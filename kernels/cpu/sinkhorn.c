/* Normalisation of one head's scores by Sinkhorn. Tiles are (n, stride) with rows of whole lanes.
 *
 * Sinkhorn works on E = exp(m - row maximum), 0 in the padding, and two scaling vectors: a row step
 * is r = 1 / (E c), a column step c = 1 / (E^T r), and the result is diag(r) E diag(c). Where a
 * row's scores spread so far that E would lose entries, the same steps run on logarithms instead.
 *
 * `scaling` keeps every step's vectors for the backward pass: r of step t in row 2t, c in row 2t+1
 * (logarithmic mode: the accumulated subtractions). */
#pragma once

#include "internal.h"
#include "lanes.h"
#include "tile.h"

/* Spread within a row up to which e^-spread times two scalings stays well inside float. */
#define SINKHORN_SPREAD 40.0f

/* y += a * x over whole lanes. */
INLINE void add_lanes(float *y, float a, const float *x, int64_t stride) {
  for (int64_t j = 0; j < stride; j += LANES)
    lanes_store(y + j, lanes_load(y + j) + a * lanes_load(x + j));
}

/* What a step reads of a row's scaling r when it goes backward: y = r (rest - r (E x)), `rest` NULL
 * for zeros; forward it is y = 1 / (E x), and r is NULL. */
typedef struct sinkhorn_rows {
  const float *r, *rest;
} sinkhorn_rows;

/* Rows i .. i + count - 1 of a step: y as above, next += E^T y. */
INLINE void sinkhorn_step_rows(int count, const float *e, const float *x, const sinkhorn_rows *rows,
                               int64_t i, float *y, float *next, int64_t stride) {
  lanes sum[4], factor[4];
  UNROLL for (int k = 0; k < count; ++k) sum[k] = lanes_all(0.0f);
  for (int64_t j = 0; j < stride; j += LANES) {
    const lanes right = lanes_load(x + j);
    UNROLL for (int k = 0; k < count; ++k) sum[k] += lanes_load(e + (i + k) * stride + j) * right;
  }
  for (int k = 0; k < count; ++k) {
    const float total = lanes_sum(sum[k]), r = rows->r ? rows->r[i + k] : 0.0f;
    y[i + k] = rows->r ? r * ((rows->rest ? rows->rest[i + k] : 0.0f) - r * total) : 1.0f / total;
    factor[k] = lanes_all(y[i + k]);
  }
  for (int64_t j = 0; j < stride; j += LANES) {
    lanes below = lanes_load(next + j);
    UNROLL for (int k = 0; k < count; ++k) below +=
        factor[k] * lanes_load(e + (i + k) * stride + j);
    lanes_store(next + j, below);
  }
}

/* y (n) from E x as above, and next = E^T y, reading E once. */
static void sinkhorn_step(const float *e, const float *x, sinkhorn_rows rows, float *y, float *next,
                          int64_t n, int64_t stride) {
  int64_t i = 0;
  memset(next, 0, (size_t)stride * sizeof *next);
  for (; i + 4 <= n; i += 4) sinkhorn_step_rows(4, e, x, &rows, i, y, next, stride);
  for (; i < n; ++i) sinkhorn_step_rows(1, e, x, &rows, i, y, next, stride);
}

static float log_sum_exp(const float *x, int64_t step, const float *shift, int64_t n) {
  float most = -INFINITY, total = 0.0f;
  for (int64_t k = 0; k < n; ++k) {
    const float value = x[k * step] - shift[k];
    most = value > most ? value : most;
  }
  for (int64_t k = 0; k < n; ++k) total += expf(x[k * step] - shift[k] - most);
  return most + logf(total);
}

/* Entry of the result on logarithms. */
static float log_entry(const float *m, const float *rows, const float *columns, int64_t i,
                       int64_t j, int64_t stride) {
  return expf(m[i * stride + j] - rows[i] - (columns ? columns[j] : 0.0f));
}

static void sinkhorn_logarithmic(const float *m, float *weights, float *scaling, int64_t n,
                                 int64_t stride, int iterations) {
  memset(weights, 0, (size_t)(n * stride) * sizeof *weights);
  const float *columns = weights; /* zeros: column subtractions before the first step */
  for (int t = 0; t < iterations; ++t) {
    float *rows = scaling + 2 * t * stride, *next = rows + stride;
    for (int64_t i = 0; i < n; ++i) rows[i] = log_sum_exp(m + i * stride, 1, columns, n);
    for (int64_t j = 0; j < n; ++j) next[j] = log_sum_exp(m + j, stride, rows, n);
    columns = next;
  }
  const float *rows = scaling + (2 * iterations - 2) * stride;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      weights[i * stride + j] = log_entry(m, rows, columns, i, j, stride);
}

/* Scalings of E, from ones in all columns. */
static void sinkhorn_forward(const float *e, const float *ones, float *scaling, int64_t n,
                             int64_t stride, int iterations) {
  const float *c = ones;
  for (int t = 0; t < iterations; ++t) {
    float *r = scaling + 2 * t * stride, *next = r + stride;
    sinkhorn_step(e, c, (sinkhorn_rows){NULL, NULL}, r, next, n, stride);
    for (int64_t j = 0; j < stride; ++j) next[j] = ones[j] > 0.0f ? 1.0f / next[j] : 0.0f;
    c = next;
  }
}

/* y = x - logsumexp(x) has dx = dy - exp(y) * sum(dy), over rows or columns; backwards through all
 * steps. g: gradient by the logarithm of the result, becomes the gradient by the scores. */
static void sinkhorn_logarithmic_backward(const float *m, const float *scaling, float *g,
                                          float *sums, int64_t n, int64_t stride, int iterations) {
  for (int t = iterations - 1; t >= 0; --t) {
    const float *rows = scaling + 2 * t * stride, *columns = rows + stride;
    const float *before = t > 0 ? rows - stride : NULL;
    memset(sums, 0, (size_t)stride * sizeof *sums);
    for (int64_t i = 0; i < n; ++i) add_lanes(sums, 1.0f, g + i * stride, stride);
    for (int64_t i = 0; i < n; ++i) {
      float *row = g + i * stride, total = 0.0f;
      for (int64_t j = 0; j < n; ++j) {
        row[j] -= log_entry(m, rows, columns, i, j, stride) * sums[j];
        total += row[j];
      }
      for (int64_t j = 0; j < n; ++j) row[j] -= log_entry(m, rows, before, i, j, stride) * total;
    }
  }
}

/* The same with E and its scalings, without the gradient g itself: an entry of the result is
 * r_i E_ij c_j, so that a step takes E times a vector of rows and one of columns from g, and leaves
 * lines whose sums are 0. In a column step the vectors are r_i and s_j = c_j times g's column sum,
 * in the row step before it r_i times g's row sum, and the c of the step before (ones at first).
 * Only the sums of g by `row_sums` and `column_sums` (stride; overwritten) must be known.
 *
 * What g loses is E times the sum of `left` times `right` over 2 iterations: vector k of rows is at
 * left[i * left_stride + k], negative, and of columns at right + k * stride. `work`: (2,stride). */
static void sinkhorn_backward(const float *e, const float *ones, const float *scaling,
                              const float *row_sums, float *column_sums, float *left,
                              int64_t left_stride, float *right, float *work, int64_t n,
                              int64_t stride, int iterations) {
  float *total = work, *below = work + stride;
  for (int t = iterations - 1; t >= 0; --t, left += 2, right += 2 * stride) {
    const float *r = scaling + 2 * t * stride, *c = r + stride, *before = t > 0 ? r - stride : ones;
    for (int64_t j = 0; j < stride; ++j) right[j] = c[j] * column_sums[j];
    memcpy(right + stride, before, (size_t)stride * sizeof *right);
    sinkhorn_step(e, right, (sinkhorn_rows){r, row_sums}, total, below, n, stride);
    row_sums = NULL;
    for (int64_t j = 0; j < stride; ++j) column_sums[j] = -before[j] * below[j];
    for (int64_t i = 0; i < n; ++i) {
      left[i * left_stride] = -r[i];
      left[i * left_stride + 1] = -total[i];
    }
  }
}
