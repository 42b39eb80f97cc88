/* What the device takes from cuBLAS and cuSOLVER, here from the host's BLAS and LAPACK; and the
 * opening of a GPU that is always there. */
#include "libraries.cuh"

#include <stdlib.h>

#include <cblas.h>
#include <lapacke.h>

edgefw_status edgefw__cuda_open(edgefw_device *device) {
  device->precision = EDGEFW_PRECISION_FP32;
  device->shared_limit = (size_t)227 * 1024;
  const char *shared = getenv("EDGEFW_EMULATOR_SHARED"); /* bytes: to try the paths of small GPUs */
  if (shared) device->shared_limit = strtoull(shared, NULL, 10);
  device->multiprocessors = 2;
  snprintf(device->description, sizeof device->description, "emulated on the host, for tests");
  return EDGEFW_OK;
}

void edgefw__cuda_close(edgefw_device *device) {
  (void)device;
}

edgefw_status edgefw__cuda_libraries_create(edgefw_device *device) {
  (void)device;
  return EDGEFW_OK;
}

void edgefw__cuda_libraries_destroy(edgefw_device *device) {
  (void)device;
}

edgefw_status edgefw__cuda_multiply(edgefw_device *device, const cuda_product *p) {
  (void)device;
  for (int64_t b = 0; b < p->batch; ++b) {
    float *c = p->c + b * p->stride_c;
    if (p->beta == 0.0f) /* BLAS implementations differ in what NaN * 0 does here */
      for (int64_t i = 0; i < p->m; ++i) memset(c + i * p->ldc, 0, (size_t)p->n * sizeof *c);
    cblas_sgemm(CblasRowMajor, p->transpose_a ? CblasTrans : CblasNoTrans,
                p->transpose_b ? CblasTrans : CblasNoTrans, (int)p->m, (int)p->n, (int)p->k,
                p->alpha, p->a + b * p->stride_a, (int)p->lda, p->b + b * p->stride_b, (int)p->ldb,
                p->beta, c, (int)p->ldc);
    if (!p->bias && !p->relu) continue;
    for (int64_t i = 0; i < p->m; ++i)
      for (int64_t j = 0; j < p->n; ++j) {
        float *at = c + i * p->ldc + j;
        if (p->bias) *at += p->bias[j];
        if (p->relu && !(*at > 0.0f)) *at = 0.0f;
      }
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__cuda_multiply_doubles(edgefw_device *device, const cuda_double_product &p) {
  (void)device;
  const bool a_rows = p.a.column == 1, b_rows = p.b.column == 1;
  for (int64_t b = 0; b < p.batch; ++b) {
    double *c = p.c.data + b * p.c.instance;
    for (int64_t i = 0; i < p.m; ++i) memset(c + i * p.c.row, 0, (size_t)p.n * sizeof *c);
    cblas_dgemm(CblasRowMajor, a_rows ? CblasNoTrans : CblasTrans,
                b_rows ? CblasNoTrans : CblasTrans, (int)p.m, (int)p.n, (int)p.k, 1.0,
                p.a.data + b * p.a.instance, (int)(a_rows ? p.a.row : p.a.column),
                p.b.data + b * p.b.instance, (int)(b_rows ? p.b.row : p.b.column), 0.0, c,
                (int)p.c.row);
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__cuda_eigen(edgefw_device *device, int64_t batch, int64_t n, double *matrices,
                                 double *values) {
  for (int64_t b = 0; b < batch; ++b) {
    const lapack_int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)n,
                                           matrices + b * n * n, (lapack_int)n, values + b * n);
    if (info != 0)
      return edgefw_fail(device->ctx, EDGEFW_INTERNAL,
                         "the eigenvalues of matrix %lld did not converge", (long long)b);
  }
  return EDGEFW_OK;
}
