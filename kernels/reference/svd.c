/* Spectral features by one-sided Jacobi rotations (Hestenes 1958), in double: the columns of
 * A V are made orthogonal; their lengths are the singular values. The randomised variant (Halko,
 * Martinsson, Tropp 2011) does so on the small matrix that is left after projection. */
#pragma once

#include "forbidden.h"

#include "edgefw/rng.h"

#include <math.h>

#define SVD_SWEEPS 60
#define SVD_POWER  2
#define SVD_TIE    1e-6 /* magnitudes this close (relative) count as equal in the sign rule */

/* A matrix in column order: column c begins at data + c * rows. */
typedef struct svd_matrix {
  int64_t rows, columns;
  double *data;
} svd_matrix;

static double *svd_column(const svd_matrix *m, int64_t c) {
  return m->data + c * m->rows;
}

static double svd_dot(int64_t n, const double *x, const double *y) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

static void svd_rotate(int64_t n, double *x, double *y, double cosine, double sine) {
  for (int64_t i = 0; i < n; ++i) {
    const double old = x[i];
    x[i] = cosine * old - sine * y[i];
    y[i] = sine * old + cosine * y[i];
  }
}

/* Make two columns of M orthogonal, with the same rotation of V; false if they were already, or if
 * one is only rounding noise (its square below `noise`). */
static bool svd_orthogonalize_pair(svd_matrix *m, svd_matrix *v, int64_t p, int64_t q,
                                   double noise) {
  double *x = svd_column(m, p), *y = svd_column(m, q);
  const double xx = svd_dot(m->rows, x, x), yy = svd_dot(m->rows, y, y);
  const double xy = svd_dot(m->rows, x, y);
  if (fabs(xy) <= 1e-14 * sqrt(xx) * sqrt(yy) || fmin(xx, yy) <= noise) return false;
  const double zeta = (yy - xx) / (2.0 * xy);
  const double tangent = (zeta >= 0.0 ? 1.0 : -1.0) / (fabs(zeta) + hypot(1.0, zeta));
  const double cosine = 1.0 / sqrt(1.0 + tangent * tangent);
  svd_rotate(m->rows, x, y, cosine, cosine * tangent);
  svd_rotate(v->rows, svd_column(v, p), svd_column(v, q), cosine, cosine * tangent);
  return true;
}

/* M becomes U S (column c of length S_c), V the rotations that led there; both unsorted. */
static void svd_jacobi(svd_matrix *m, svd_matrix *v) {
  for (int64_t c = 0; c < v->columns; ++c)
    for (int64_t r = 0; r < v->rows; ++r) svd_column(v, c)[r] = r == c ? 1.0 : 0.0;
  const double noise = 1e-30 * svd_dot(m->rows * m->columns, m->data, m->data);
  for (int sweep = 0; sweep < SVD_SWEEPS; ++sweep) {
    bool rotated = false;
    for (int64_t p = 0; p < m->columns; ++p)
      for (int64_t q = p + 1; q < m->columns; ++q)
        if (svd_orthogonalize_pair(m, v, p, q, noise)) rotated = true;
    if (!rotated) return;
  }
}

/* Modified Gram-Schmidt, each column twice; a column that depends on those before it becomes 0. */
static void svd_orthonormalize(svd_matrix *m) {
  for (int64_t c = 0; c < m->columns; ++c) {
    double *x = svd_column(m, c);
    const double before = sqrt(svd_dot(m->rows, x, x));
    for (int pass = 0; pass < 2; ++pass)
      for (int64_t p = 0; p < c; ++p) {
        const double along = svd_dot(m->rows, svd_column(m, p), x);
        for (int64_t r = 0; r < m->rows; ++r) x[r] -= along * svd_column(m, p)[r];
      }
    const double length = sqrt(svd_dot(m->rows, x, x));
    const double scale = length > 1e-13 * before ? 1.0 / length : 0.0;
    for (int64_t r = 0; r < m->rows; ++r) x[r] *= scale;
  }
}

/* to = A from, or A^T from; A (n,n) is row-major. */
static void svd_apply(int64_t n, const double *a, bool transposed, const svd_matrix *from,
                      svd_matrix *to) {
  for (int64_t c = 0; c < from->columns; ++c)
    for (int64_t r = 0; r < n; ++r) {
      double sum = 0.0;
      for (int64_t i = 0; i < n; ++i)
        sum += a[transposed ? i * n + r : r * n + i] * svd_column(from, c)[i];
      svd_column(to, c)[r] = sum;
    }
}

/* Q, an orthonormal basis (n,q) of the dominant range of A. `other` is (n,q) working memory. */
static void svd_find_range(int64_t n, const double *a, svd_matrix *q, svd_matrix *other) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < other->columns; ++c)
      svd_column(other, c)[i] =
          edgefw_random_normal(0, EDGEFW_STREAM_SVD, 0, (uint64_t)(i * other->columns + c));
  svd_apply(n, a, false, other, q);
  for (int power = 0; power < SVD_POWER; ++power) {
    svd_orthonormalize(q);
    svd_apply(n, a, true, q, other);
    svd_orthonormalize(other);
    svd_apply(n, a, false, other, q);
  }
  svd_orthonormalize(q);
}

/* +1, or -1 if the entry of largest magnitude of u (the first of equal ones) is negative. */
static double svd_sign(int64_t n, const double *u) {
  double largest = 0.0;
  for (int64_t i = 0; i < n; ++i) largest = fmax(largest, fabs(u[i]));
  for (int64_t i = 0; i < n; ++i)
    if (fabs(u[i]) >= (1.0 - SVD_TIE) * largest) return u[i] < 0.0 ? -1.0 : 1.0;
  return 1.0;
}

/* Write column `k` of both halves from u (length S) and the unit vector v. */
static void svd_write(const edgefw_svd_args *a, int64_t b, int64_t k, double s, const double *us,
                      const double *v) {
  const double sign = svd_sign(a->nodes, us);
  for (int64_t i = 0; i < a->nodes; ++i) {
    const int64_t row = (b * a->nodes + i) * 2 * a->rank;
    set(a->out, row + k, sign * us[i] / sqrt(s));
    set(a->out, row + a->rank + k, sign * v[i] * sqrt(s));
  }
}

/* Largest length first; lengths that are used up are negative. */
static int64_t svd_next(int64_t count, const double *lengths) {
  int64_t best = 0;
  for (int64_t c = 1; c < count; ++c)
    if (lengths[c] > lengths[best]) best = c;
  return best;
}

/* `scaled` holds the columns u_c S_c, or v_c S_c if `swapped`; `unit` those of the other side.
 * Zeroes what is missing and below n * eps * S_1. `lengths` is working memory. */
static void svd_write_all(const edgefw_svd_args *a, int64_t b, const svd_matrix *scaled,
                          const svd_matrix *unit, bool swapped, double *lengths) {
  const int64_t n = a->nodes, count = scaled->columns;
  for (int64_t i = 0; i < n * 2 * a->rank; ++i) set(a->out, b * n * 2 * a->rank + i, 0.0);
  for (int64_t c = 0; c < count; ++c)
    lengths[c] = sqrt(svd_dot(n, svd_column(scaled, c), svd_column(scaled, c)));
  const double threshold = (double)n * 0x1p-23 * lengths[svd_next(count, lengths)];
  for (int64_t k = 0; k < a->rank && k < count; ++k) {
    const int64_t c = svd_next(count, lengths);
    const double s = lengths[c];
    if (s <= 0.0 || s < threshold) return;
    lengths[c] = -1.0;
    double *us = svd_column(scaled, c), *v = svd_column(unit, c);
    if (swapped) { /* us = S v, v = u: exchange the lengths */
      for (int64_t i = 0; i < n; ++i) {
        const double u = v[i];
        v[i] = us[i] / s;
        us[i] = u * s;
      }
    }
    svd_write(a, b, k, s, us, v);
  }
}

/* A V = U S by Jacobi on A itself. */
static void svd_exact(const edgefw_svd_args *a, int64_t b, const double *matrix, double *work) {
  const int64_t n = a->nodes;
  svd_matrix us = {n, n, work}, v = {n, n, work + n * n};
  for (int64_t r = 0; r < n; ++r)
    for (int64_t c = 0; c < n; ++c) svd_column(&us, c)[r] = matrix[r * n + c];
  svd_jacobi(&us, &v);
  svd_write_all(a, b, &us, &v, false, work + 2 * n * n);
}

/* A ~ Q (Q^T A): with (Q^T A)^T W = V S by Jacobi, U = Q W. */
static void svd_randomized(const edgefw_svd_args *a, int64_t b, const double *matrix,
                           double *work) {
  const int64_t n = a->nodes;
  const int64_t columns = a->columns < n ? a->columns : n;
  svd_matrix q = {n, columns, work}, vs = {n, columns, work + n * n};
  svd_matrix w = {columns, columns, work + 2 * n * n}, u = {n, columns, work + 3 * n * n};
  svd_find_range(n, matrix, &q, &vs);
  svd_apply(n, matrix, true, &q, &vs);
  svd_jacobi(&vs, &w);
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < n; ++r) {
      double sum = 0.0;
      for (int64_t i = 0; i < columns; ++i) sum += svd_column(&q, i)[r] * svd_column(&w, c)[i];
      svd_column(&u, c)[r] = sum;
    }
  svd_write_all(a, b, &vs, &u, true, work + 4 * n * n);
}

/* The entries of forbidden arcs become the mean of the others. */
static void svd_level(const edgefw_svd_args *a, int64_t b, double *x) {
  const int64_t n = a->nodes;
  double sum = 0.0;
  int64_t count = 0;
  for (int64_t e = 0; e < n * n; ++e) {
    if (is_forbidden(&a->forbidden, n, b, e)) continue;
    sum += x[e];
    ++count;
  }
  for (int64_t e = 0; e < n * n; ++e)
    if (is_forbidden(&a->forbidden, n, b, e)) x[e] = count > 0 ? sum / (double)count : 0.0;
}

static edgefw_status svd_features_one(edgefw_device *device, const edgefw_svd_args *a, int64_t b) {
  const int64_t n = a->nodes;
  double *work =
      edgefw_allocate(device->ctx, (size_t)(5 * n * n + n), sizeof(double), "reference SVD");
  if (work == NULL) return EDGEFW_OUT_OF_MEMORY;
  for (int64_t i = 0; i < n * n; ++i) work[i] = get(a->pair, b * n * n + i);
  svd_level(a, b, work);
  if (a->columns > 0) {
    svd_randomized(a, b, work, work + n * n);
  } else {
    svd_exact(a, b, work, work + n * n);
  }
  edgefw_release(device->ctx, work);
  return EDGEFW_OK;
}

PARALLEL_STATUS(svd_features, edgefw_svd_args, a->batch)
