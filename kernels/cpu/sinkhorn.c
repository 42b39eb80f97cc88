/* Normalisation of one head's scores: row softmax, or Sinkhorn. Tiles are (n, stride) with rows of
 * whole lanes.
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

/* Spread within a row up to which e^-spread times two scalings stays well inside float. */
#define SINKHORN_SPREAD 40.0f

static void clear_padding(float *tile, int64_t n, int64_t stride) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = n; j < stride; ++j) tile[i * stride + j] = 0.0f;
}

/* Row of m: subtract its maximum; returns the spread. */
static float shift_row(float *row, int64_t n, int64_t stride) {
  for (int64_t j = n; j < stride; ++j) row[j] = row[0];
  lanes most = lanes_load(row), least = most;
  for (int64_t j = LANES; j < stride; j += LANES) {
    most = lanes_max(lanes_load(row + j), most);
    least = -lanes_max(-lanes_load(row + j), -least);
  }
  const float largest = lanes_greatest(most), smallest = -lanes_greatest(-least);
  for (int64_t j = 0; j < stride; j += LANES)
    lanes_store(row + j, lanes_load(row + j) - lanes_all(largest));
  return largest - smallest;
}

static void exponentiate(float *m, int64_t n, int64_t stride) {
  for (int64_t e = 0; e < n * stride; e += LANES) lanes_store(m + e, lanes_exp(lanes_load(m + e)));
  clear_padding(m, n, stride);
}

/* y += a * x and the sum of x * z, over whole lanes. */
INLINE void add_lanes(float *y, float a, const float *x, int64_t stride) {
  for (int64_t j = 0; j < stride; j += LANES)
    lanes_store(y + j, lanes_load(y + j) + a * lanes_load(x + j));
}

/* r = 1 / (E c), then c = 1 / (E^T r), reading E once. */
static void sinkhorn_step(const float *e, const float *c, float *r, float *next_c, int64_t n,
                          int64_t stride) {
  memset(next_c, 0, (size_t)stride * sizeof *next_c);
  for (int64_t i = 0; i < n; ++i) {
    r[i] = 1.0f / lanes_dot(e + i * stride, c, stride);
    add_lanes(next_c, r[i], e + i * stride, stride);
  }
  for (int64_t j = 0; j < stride; ++j) next_c[j] = j < n ? 1.0f / next_c[j] : 0.0f;
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

/* Normalise: m becomes E (or shifted scores), `weights` the result. Returns whether logarithms were
 * used. */
static bool sinkhorn_forward(float *m, float *weights, float *scaling, int64_t n, int64_t stride,
                             int iterations) {
  float spread = 0.0f;
  for (int64_t i = 0; i < n; ++i) {
    const float row_spread = shift_row(m + i * stride, n, stride);
    if (!(row_spread <= spread)) spread = row_spread; /* a NaN stays */
  }
  if (!(spread <= SINKHORN_SPREAD)) {
    sinkhorn_logarithmic(m, weights, scaling, n, stride, iterations);
    return true;
  }
  exponentiate(m, n, stride);
  for (int64_t j = 0; j < stride; ++j) weights[j] = j < n ? 1.0f : 0.0f;
  const float *c = weights; /* ones before the first step */
  for (int t = 0; t < iterations; ++t) {
    float *r = scaling + 2 * t * stride;
    sinkhorn_step(m, c, r, r + stride, n, stride);
    c = r + stride;
  }
  const float *r = scaling + (2 * iterations - 2) * stride;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < stride; j += LANES)
      lanes_store(weights + i * stride + j,
                  r[i] * lanes_load(m + i * stride + j) * lanes_load(c + j));
  return false;
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

/* The same with E and its scalings. Entry (i,j) after a column step is r_i E_ij c_j: with
 * s_j = c_j * (column sum of g), a row of g loses r_i E_i * s. `sums` (2,stride): s of this step,
 * and the column sums for the one before. */
static void sinkhorn_backward(const float *e, const float *scaling, float *g, float *sums,
                              int64_t n, int64_t stride, int iterations) {
  float *s = sums, *next = sums + stride;
  memset(next, 0, (size_t)stride * sizeof *next);
  for (int64_t i = 0; i < n; ++i) add_lanes(next, 1.0f, g + i * stride, stride);
  for (int t = iterations - 1; t >= 0; --t) {
    const float *r = scaling + 2 * t * stride, *c = r + stride, *before = t > 0 ? r - stride : NULL;
    for (int64_t j = 0; j < stride; ++j) s[j] = c[j] * next[j];
    memset(next, 0, (size_t)stride * sizeof *next);
    for (int64_t i = 0; i < n; ++i) {
      const float *entry = e + i * stride;
      float *row = g + i * stride;
      lanes sum = lanes_all(0.0f);
      for (int64_t j = 0; j < stride; j += LANES) {
        const lanes x = lanes_load(row + j) - r[i] * lanes_load(entry + j) * lanes_load(s + j);
        sum += x;
        lanes_store(row + j, x);
      }
      const float total = r[i] * lanes_sum(sum);
      for (int64_t j = 0; j < stride; j += LANES) {
        lanes weight = total * lanes_load(entry + j);
        if (before) weight *= lanes_load(before + j);
        const lanes x = lanes_load(row + j) - weight;
        lanes_store(row + j, x);
        lanes_store(next + j, lanes_load(next + j) + x);
      }
    }
  }
}

/* Row softmax: m becomes the exponentials, `weights` the result. */
static void softmax_rows(float *m, float *weights, int64_t n, int64_t stride) {
  for (int64_t i = 0; i < n; ++i) shift_row(m + i * stride, n, stride);
  exponentiate(m, n, stride);
  for (int64_t i = 0; i < n; ++i) {
    lanes sum = lanes_all(0.0f);
    for (int64_t j = 0; j < stride; j += LANES) sum += lanes_load(m + i * stride + j);
    const float inverse = 1.0f / lanes_sum(sum);
    for (int64_t j = 0; j < stride; j += LANES)
      lanes_store(weights + i * stride + j, inverse * lanes_load(m + i * stride + j));
  }
}
