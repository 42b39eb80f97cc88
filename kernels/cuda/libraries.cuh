/* What this device takes from cuBLAS, cuBLASLt and cuSOLVER, in its own words. libraries.cu calls
 * those; libraries.cc of the emulator calls the host's BLAS and LAPACK in tests. */
#ifndef EDGEFW_CUDA_LIBRARIES_CUH
#define EDGEFW_CUDA_LIBRARIES_CUH

#include "device.cuh"

/* `batch` products C (m,n) = alpha op(A) op(B) + beta C, row-major: op(A) is (m,k), op(B) (k,n).
 * lda, ldb, ldc: numbers from row to row of the arrays as they lie. stride_*: numbers from one
 * matrix to the next, 0 for one that all share. bias (n) and relu: an epilogue of products with
 * batch = 1. Factors are rounded as device->precision says. */
typedef struct cuda_product {
  int64_t m, n, k, batch;
  bool transpose_a, transpose_b;
  float alpha, beta;
  const float *a, *b;
  float *c;
  int64_t lda, ldb, ldc;
  int64_t stride_a, stride_b, stride_c;
  const float *bias;
  bool relu;
} cuda_product;

EDGEFW_NODISCARD edgefw_status edgefw__cuda_multiply(edgefw_device *device,
                                                     const cuda_product *product);

/* One matrix of doubles of each instance: numbers from row to row and from column to column, of
 * which one is 1 in products, and from instance to instance. */
typedef struct cuda_matrices {
  double *data;
  int64_t row, column, instance;
} cuda_matrices;

/* c (m,n) = a (m,k) b (k,n); c row-major. */
typedef struct cuda_double_product {
  int64_t batch, m, n, k;
  cuda_matrices a, b, c;
} cuda_double_product;

EDGEFW_NODISCARD edgefw_status edgefw__cuda_multiply_doubles(edgefw_device *device,
                                                             const cuda_double_product &product);

/* Eigenvalues (batch,n), ascending, and eigenvectors of `batch` symmetric matrices (n,n) of
 * doubles, in place: row e of the result is the eigenvector of eigenvalue e. INTERNAL if one does
 * not converge. */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_eigen(edgefw_device *device, int64_t batch, int64_t n,
                                                  double *matrices, double *values);

/* Handles, on the device's stream. */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_libraries_create(edgefw_device *device);
void edgefw__cuda_libraries_destroy(edgefw_device *device);

/* Finds the GPU and fills in its limits, stream and description, or says why there is none
 * (PLUGIN_INIT). */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_open(edgefw_device *device);
void edgefw__cuda_close(edgefw_device *device);

#endif
