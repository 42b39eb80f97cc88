/* Normalisation of one head's (n,n) scores: row softmax, or Sinkhorn.
 *
 * Sinkhorn works on E = exp(m - row maximum) and two scaling vectors: a row step is r = 1 / (E c),
 * a column step c = 1 / (E^T r), and the result is diag(r) E diag(c). Where a row's scores spread
 * so far that E would lose entries, the same steps run on logarithms instead.
 *
 * `scaling` keeps every step's vectors for the backward pass: r of step t in scaling[2t], c in
 * scaling[2t+1], n numbers each (logarithmic mode: the accumulated subtractions). */
#include "internal.h"
#include "lanes.h"

/* Spread within a row up to which e^-spread times two scalings stays well inside float. */
#define SINKHORN_SPREAD 40.0f

/* Row i of m: subtract its maximum; returns the spread. */
static float shift_row(float *row, int64_t n) {
  float most = row[0], least = row[0];
  for (int64_t j = 1; j < n; ++j) {
    most = row[j] > most ? row[j] : most;
    least = row[j] < least ? row[j] : least;
  }
  for (int64_t j = 0; j < n; ++j) row[j] -= most;
  return most - least;
}

static void exponentiate(float *x, int64_t count) {
  for (int64_t e = 0; e < count; e += LANES) lanes_store(x + e, lanes_exp(lanes_load(x + e)));
}

/* r = 1 / (E c), then c = 1 / (E^T r), reading E once. `c` may be NULL: ones. */
static void sinkhorn_step(const float *e, const float *c, float *r, float *next_c, int64_t n) {
  memset(next_c, 0, (size_t)n * sizeof *next_c);
  for (int64_t i = 0; i < n; ++i) {
    const float *row = e + i * n;
    float total = 0.0f;
    if (c)
      total = lanes_dot(row, c, n);
    else
      for (int64_t j = 0; j < n; ++j) total += row[j];
    r[i] = 1.0f / total;
    lanes_add_scaled(next_c, r[i], row, n);
  }
  for (int64_t j = 0; j < n; ++j) next_c[j] = 1.0f / next_c[j];
}

static float log_sum_exp(const float *x, int64_t stride, const float *shift, int64_t n) {
  float most = -INFINITY, total = 0.0f;
  for (int64_t k = 0; k < n; ++k) {
    const float value = x[k * stride] - shift[k];
    most = value > most ? value : most;
  }
  for (int64_t k = 0; k < n; ++k) total += expf(x[k * stride] - shift[k] - most);
  return most + logf(total);
}

/* The same step on logarithms: accumulated row and column subtractions. */
static void sinkhorn_log_step(const float *m, const float *columns, float *rows,
                              float *next_columns, int64_t n) {
  for (int64_t i = 0; i < n; ++i) rows[i] = log_sum_exp(m + i * n, 1, columns, n);
  for (int64_t j = 0; j < n; ++j) next_columns[j] = log_sum_exp(m + j, n, rows, n);
}

/* Normalise: m (n,n, readable to a whole lane) becomes E (or shifted scores), `weights` the result.
 * Returns whether logarithms were used. */
static bool sinkhorn_forward(float *m, float *weights, float *scaling, int64_t n, int iterations) {
  float spread = 0.0f;
  for (int64_t i = 0; i < n; ++i) {
    const float row_spread = shift_row(m + i * n, n);
    spread = row_spread > spread ? row_spread : spread;
  }
  const bool logarithmic = !(spread <= SINKHORN_SPREAD);
  if (logarithmic) {
    memset(weights, 0, (size_t)n * sizeof *weights); /* column subtractions before the first step */
    const float *columns = weights;
    for (int t = 0; t < iterations; ++t) {
      sinkhorn_log_step(m, columns, scaling + 2 * t * n, scaling + (2 * t + 1) * n, n);
      columns = scaling + (2 * t + 1) * n;
    }
    const float *rows = scaling + (2 * iterations - 2) * n;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        weights[i * n + j] = expf(m[i * n + j] - rows[i] - columns[j]);
    return true;
  }
  exponentiate(m, lanes_padded(n * n));
  const float *c = NULL;
  for (int t = 0; t < iterations; ++t) {
    sinkhorn_step(m, c, scaling + 2 * t * n, scaling + (2 * t + 1) * n, n);
    c = scaling + (2 * t + 1) * n;
  }
  const float *r = scaling + (2 * iterations - 2) * n;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) weights[i * n + j] = r[i] * m[i * n + j] * c[j];
  return false;
}

/* Entry (i,j) of the matrix after a step with the given vectors. */
static inline float step_entry(const float *m, const float *rows, const float *columns, int64_t i,
                               int64_t j, int64_t n, bool logarithmic) {
  if (logarithmic) return expf(m[i * n + j] - rows[i] - (columns ? columns[j] : 0.0f));
  return rows[i] * m[i * n + j] * (columns ? columns[j] : 1.0f);
}

/* y = x - logsumexp(x) has dx = dy - exp(y) * sum(dy), over rows or columns; backwards through all
 * steps. g (n,n): gradient by the logarithm of the result, becomes the gradient by the scores. */
static void sinkhorn_backward(const float *m, const float *scaling, float *g, float *sums,
                              int64_t n, int iterations, bool logarithmic) {
  for (int t = iterations - 1; t >= 0; --t) {
    const float *rows = scaling + 2 * t * n, *columns = scaling + (2 * t + 1) * n;
    const float *before = t > 0 ? scaling + (2 * t - 1) * n : NULL;
    memset(sums, 0, (size_t)n * sizeof *sums);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) sums[j] += g[i * n + j];
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j)
        g[i * n + j] -= step_entry(m, rows, columns, i, j, n, logarithmic) * sums[j];
      float total = 0.0f;
      for (int64_t j = 0; j < n; ++j) total += g[i * n + j];
      for (int64_t j = 0; j < n; ++j)
        g[i * n + j] -= step_entry(m, rows, before, i, j, n, logarithmic) * total;
    }
  }
}

/* Row softmax in place; m is readable to a whole lane. */
static void softmax_rows(float *m, float *weights, int64_t n) {
  for (int64_t i = 0; i < n; ++i) shift_row(m + i * n, n);
  exponentiate(m, lanes_padded(n * n));
  for (int64_t i = 0; i < n; ++i) {
    float total = 0.0f;
    for (int64_t j = 0; j < n; ++j) total += m[i * n + j];
    for (int64_t j = 0; j < n; ++j) weights[i * n + j] = m[i * n + j] / total;
  }
}
