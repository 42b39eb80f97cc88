/* Spectral features (edgefw_svd_args): the leading eigenpairs of D^T D by LAPACK's dsyevr, in
 * double because squaring the spectrum costs half the digits; U = D V / S. Small matrices take all
 * pairs by dsyevd: selecting some costs more than it saves there. */
#pragma once

#include <lapacke.h>

#include "forbidden.h"

enum { SVD_POWER_ITERATIONS = 2, SVD_SMALL = 64 };

/* Scratch of one instance; all matrices row-major. */
typedef struct svd_scratch {
  double *a;       /* (n,n) the matrix */
  double *gram;    /* (m,m) */
  double *vectors; /* (m,k) eigenvectors as rows of length m: LAPACK's columns */
  double *values;  /* (m) */
  double *work;    /* LAPACK's */
  lapack_int *integers, *support;
  double *range, *image, *small; /* randomised: (q,n) orthonormal rows, (q,n), (q,n) */
  double *u, *v;                 /* (k,n) rows */
} svd_scratch;

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* LAPACK's work array for a matrix of order n, enough for any smaller one as well. */
static int64_t work_size(int64_t n) {
  const int64_t small = least(n, SVD_SMALL);
  return 64 * n + 2 * small * small;
}

static double *take_doubles(cpu_layout *layout, int64_t count) {
  return cpu_take(layout, count, sizeof(double));
}

/* `q`: rows of the randomised range, 0 without. */
static svd_scratch svd_layout(cpu_layout *layout, int64_t n, int64_t rank, int64_t q) {
  const int64_t k = least(rank, n);
  svd_scratch scratch;
  scratch.a = take_doubles(layout, n * n);
  scratch.gram = take_doubles(layout, n * n);
  scratch.vectors = take_doubles(layout, n * k);
  scratch.values = take_doubles(layout, n);
  scratch.work = take_doubles(layout, work_size(n));
  scratch.integers = cpu_take(layout, 10 * n, sizeof(lapack_int));
  scratch.support = cpu_take(layout, 2 * n, sizeof(lapack_int));
  scratch.range = take_doubles(layout, q * n);
  scratch.image = take_doubles(layout, q * n);
  scratch.small = take_doubles(layout, q * n);
  scratch.u = take_doubles(layout, k * n);
  scratch.v = take_doubles(layout, k * n);
  return scratch;
}

static lapack_int all_pairs(svd_scratch *scratch, int64_t m, int64_t k) {
  const lapack_int info = LAPACKE_dsyevd_work(
      LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)m, scratch->gram, (lapack_int)m, scratch->values,
      scratch->work, (lapack_int)work_size(m), scratch->integers, (lapack_int)(3 + 5 * m));
  memcpy(scratch->vectors, scratch->gram + (m - k) * m, (size_t)(k * m) * sizeof(double));
  memmove(scratch->values, scratch->values + m - k, (size_t)k * sizeof(double));
  return info;
}

static lapack_int selected_pairs(svd_scratch *scratch, int64_t m, int64_t k) {
  lapack_int found = 0;
  const lapack_int info = LAPACKE_dsyevr_work(
      LAPACK_COL_MAJOR, 'V', 'I', 'U', (lapack_int)m, scratch->gram, (lapack_int)m, 0.0, 0.0,
      (lapack_int)(m - k + 1), (lapack_int)m, 0.0, &found, scratch->values, scratch->vectors,
      (lapack_int)m, scratch->support, scratch->work, (lapack_int)work_size(m), scratch->integers,
      (lapack_int)(10 * m));
  return found == k ? info : 1;
}

/* The k leading eigenpairs of the symmetric (m,m) matrix in scratch->gram, largest last. */
static edgefw_status leading_pairs(edgefw_context *ctx, svd_scratch *scratch, int64_t m,
                                   int64_t k) {
  const bool small = m <= SVD_SMALL;
  const lapack_int info = small ? all_pairs(scratch, m, k) : selected_pairs(scratch, m, k);
  if (info != 0)
    return edgefw_fail(ctx, EDGEFW_NUMERIC,
                       "eigenvalues for the spectral features were not found (LAPACK %s: %d)",
                       small ? "dsyevd" : "dsyevr", (int)info);
  return EDGEFW_OK;
}

/* V from the eigenvectors of A^T A, U = A V / S: row c of u and v is the c-th pair, largest first.
 */
static edgefw_status exact_pairs(edgefw_context *ctx, svd_scratch *scratch, int64_t n, int64_t k,
                                 double *singular) {
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)n, (int)n, (int)n, 1.0, scratch->a,
              (int)n, scratch->a, (int)n, 0.0, scratch->gram, (int)n);
  const edgefw_status status = leading_pairs(ctx, scratch, n, k);
  if (status != EDGEFW_OK) return status;
  for (int64_t c = 0; c < k; ++c) {
    const double value = scratch->values[k - 1 - c];
    singular[c] = value > 0.0 ? sqrt(value) : 0.0;
    memcpy(scratch->v + c * n, scratch->vectors + (k - 1 - c) * n, (size_t)n * sizeof(double));
  }
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)k, (int)n, (int)n, 1.0, scratch->v,
              (int)n, scratch->a, (int)n, 0.0, scratch->u, (int)n);
  for (int64_t c = 0; c < k; ++c)
    if (singular[c] > 0.0) cblas_dscal((int)n, 1.0 / singular[c], scratch->u + c * n, 1);
  return EDGEFW_OK;
}

/* Gram-Schmidt over the rows of x (q,n), twice for stability; a row that vanishes becomes 0. */
static void orthonormalize(double *x, int64_t q, int64_t n) {
  for (int64_t r = 0; r < q; ++r) {
    double *row = x + r * n;
    const double before = cblas_dnrm2((int)n, row, 1);
    for (int pass = 0; pass < 2; ++pass)
      for (int64_t p = 0; p < r; ++p)
        cblas_daxpy((int)n, -cblas_ddot((int)n, row, 1, x + p * n, 1), x + p * n, 1, row, 1);
    const double norm = cblas_dnrm2((int)n, row, 1);
    cblas_dscal((int)n, norm > 1e-12 * before && norm > 0.0 ? 1.0 / norm : 0.0, row, 1);
  }
}

/* Randomised range finder (Halko, Martinsson, Tropp 2011): Q spans A (A^T A)^p Omega; the SVD of
 * Q^T A gives the leading pairs. Rows of `range` are the columns of Q. */
static edgefw_status randomized_pairs(edgefw_context *ctx, svd_scratch *scratch, int64_t n,
                                      int64_t k, int64_t q, double *singular) {
  double *range = scratch->range, *image = scratch->image, *small = scratch->small;
  for (int64_t c = 0; c < q; ++c)
    for (int64_t i = 0; i < n; ++i)
      image[c * n + i] = edgefw_random_normal(0, EDGEFW_STREAM_SVD, 0, (uint64_t)(i * q + c));
  for (int pass = 0; pass <= SVD_POWER_ITERATIONS; ++pass) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)q, (int)n, (int)n, 1.0, image, (int)n,
                scratch->a, (int)n, 0.0, range, (int)n);
    orthonormalize(range, q, n);
    if (pass == SVD_POWER_ITERATIONS) break;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)q, (int)n, (int)n, 1.0, range,
                (int)n, scratch->a, (int)n, 0.0, image, (int)n);
    orthonormalize(image, q, n);
  }
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)q, (int)n, (int)n, 1.0, range, (int)n,
              scratch->a, (int)n, 0.0, small, (int)n);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)q, (int)q, (int)n, 1.0, small, (int)n,
              small, (int)n, 0.0, scratch->gram, (int)q);
  const edgefw_status status = leading_pairs(ctx, scratch, q, k);
  if (status != EDGEFW_OK) return status;
  for (int64_t c = 0; c < k; ++c) {
    const double value = scratch->values[k - 1 - c];
    const double *w = scratch->vectors + (k - 1 - c) * q;
    singular[c] = value > 0.0 ? sqrt(value) : 0.0;
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)q, (int)n, 1.0, range, (int)n, w, 1, 0.0,
                scratch->u + c * n, 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)q, (int)n,
                singular[c] > 0.0 ? 1.0 / singular[c] : 0.0, small, (int)n, w, 1, 0.0,
                scratch->v + c * n, 1);
  }
  return EDGEFW_OK;
}

/* +1 or -1 so that the entry of u with the largest magnitude (the first on a tie) is positive.
 * Magnitudes this close count as a tie: rounding must not decide. */
static double sign_of(const double *u, int64_t n) {
  int64_t largest = 0;
  for (int64_t i = 1; i < n; ++i)
    if (fabs(u[i]) > fabs(u[largest]) * (1.0 + 1e-6)) largest = i;
  return u[largest] < 0.0 ? -1.0 : 1.0;
}

static int64_t svd_columns(const edgefw_svd_args *args) {
  return least(args->columns, args->nodes);
}

static size_t svd_bytes(const edgefw_svd_args *args) {
  cpu_layout layout = {0};
  svd_layout(&layout, args->nodes, args->rank, svd_columns(args));
  take_doubles(&layout, args->rank);
  return layout.used;
}

/* The entries of forbidden arcs become the mean of the others. */
static void level_forbidden(const edgefw_forbidden *forbidden, int64_t n, int64_t b, double *x) {
  double sum = 0.0;
  int64_t count = 0;
  for (int64_t e = 0; e < n * n; ++e) {
    if (is_forbidden(forbidden, n, b, e)) continue;
    sum += x[e];
    ++count;
  }
  for (int64_t e = 0; e < n * n; ++e)
    if (is_forbidden(forbidden, n, b, e)) x[e] = count > 0 ? sum / (double)count : 0.0;
}

static edgefw_status svd_features_one(edgefw_device *device, const edgefw_svd_args *args, int64_t b,
                                      cpu_layout *layout) {
  const int64_t n = args->nodes, rank = args->rank, k = least(rank, n), q = svd_columns(args);
  const float *x = (const float *)args->pair + b * n * n;
  float *out = (float *)args->out + b * n * 2 * rank;
  svd_scratch scratch = svd_layout(layout, n, rank, q);
  double *singular = take_doubles(layout, k);
  for (int64_t e = 0; e < n * n; ++e) scratch.a[e] = (double)x[e];
  if (has_forbidden(&args->forbidden, b)) level_forbidden(&args->forbidden, n, b, scratch.a);
  const edgefw_status status = q > 0 ? randomized_pairs(device->ctx, &scratch, n, k, q, singular)
                                     : exact_pairs(device->ctx, &scratch, n, k, singular);
  if (status != EDGEFW_OK) return status;
  memset(out, 0, (size_t)(n * 2 * rank) * sizeof *out);
  const double threshold = (double)n * 0x1p-23 * singular[0];
  for (int64_t c = 0; c < k && singular[c] >= threshold && singular[c] > 0.0; ++c) {
    const double *u = scratch.u + c * n, *v = scratch.v + c * n;
    const double scale = sign_of(u, n) * sqrt(singular[c]);
    for (int64_t i = 0; i < n; ++i) {
      out[i * 2 * rank + c] = (float)(scale * u[i]);
      out[i * 2 * rank + rank + c] = (float)(scale * v[i]);
    }
  }
  return EDGEFW_OK;
}

PARALLEL_SCRATCH(svd_features, edgefw_svd_args, a->batch, svd_bytes(a), "spectral features")
