/* cuBLAS, cuBLASLt and cuSOLVER for products, their epilogues and eigenvalues; and the GPU itself.
 */
#include "libraries.cuh"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cusolverDn.h>

enum { LT_WORKSPACE = 32 << 20 }; /* bytes, as NVIDIA advises for Hopper */

struct cuda_libraries {
  cublasHandle_t blas;
  cublasLtHandle_t lt;
  cusolverDnHandle_t solver;
  cusolverDnParams_t solver_params;
  void *workspace; /* LT_WORKSPACE; one for all calls: they are in one queue */
};

/* --- The GPU --- */

static edgefw_status refuse_driver(edgefw_context *ctx) {
  int driver = 0;
  (void)cudaDriverGetVersion(&driver);
  if (driver == 0)
    return edgefw_fail(ctx, EDGEFW_PLUGIN_INIT, "device cuda: no NVIDIA driver is installed here");
  return edgefw_fail(ctx, EDGEFW_PLUGIN_INIT,
                     "device cuda: the NVIDIA driver is too old: it knows CUDA %d.%d, this build "
                     "needs CUDA %d.%d",
                     driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
                     CUDART_VERSION % 1000 / 10);
}

static edgefw_status find_gpu(edgefw_context *ctx, cudaDeviceProp *properties) {
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver) return refuse_driver(ctx);
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
    return edgefw_fail(ctx, EDGEFW_PLUGIN_INIT, "device cuda: there is no NVIDIA GPU here%s",
                       getenv("CUDA_VISIBLE_DEVICES") ? " among CUDA_VISIBLE_DEVICES" : "");
  const int ordinal = error == cudaSuccess ? edgefw_local_rank(ctx) % count : 0;
  if (error == cudaSuccess) error = cudaSetDevice(ordinal);
  if (error == cudaSuccess) error = cudaGetDeviceProperties(properties, ordinal);
  if (error != cudaSuccess)
    return edgefw_fail(ctx, EDGEFW_PLUGIN_INIT, "device cuda: the GPU cannot be opened: %s",
                       cudaGetErrorString(error));
  if (properties->major < 8)
    return edgefw_fail(ctx, EDGEFW_PLUGIN_INIT,
                       "device cuda: the GPU (%s) has compute capability %d.%d, expected 8.0 or "
                       "later",
                       properties->name, properties->major, properties->minor);
  return EDGEFW_OK;
}

static __global__ void epilogue_kernel(int64_t rows, int64_t width, int64_t stride,
                                       const float *bias, bool relu, float *y);

/* A build for other GPUs is found out here, not by its first launch: `auto` can still turn away. */
static edgefw_status find_code(edgefw_context *ctx, const cudaDeviceProp *properties) {
  cudaFuncAttributes attributes;
  const cudaError_t error = cudaFuncGetAttributes(&attributes, epilogue_kernel);
  if (error == cudaSuccess) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_PLUGIN_INIT,
                     "device cuda: this build does not run on the GPU (%s, compute capability "
                     "%d.%d): %s; build for it with EDGEFW_CUDA_ARCHITECTURES",
                     properties->name, properties->major, properties->minor,
                     cudaGetErrorString(error));
}

edgefw_status edgefw__cuda_open(edgefw_device *device) {
  cudaDeviceProp properties;
  edgefw_status status = find_gpu(device->ctx, &properties);
  if (status == EDGEFW_OK) status = find_code(device->ctx, &properties);
  if (status != EDGEFW_OK) return status;
  const cudaError_t error = cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking);
  if (error != cudaSuccess) {
    device->stream = NULL;
    return edgefw_fail(device->ctx, EDGEFW_PLUGIN_INIT, "device cuda: no queue on the GPU: %s",
                       cudaGetErrorString(error));
  }
  device->precision = EDGEFW_PRECISION_TF32;
  device->shared_limit = properties.sharedMemPerBlockOptin;
  device->multiprocessors = properties.multiProcessorCount;
  snprintf(device->description, sizeof device->description,
           "%s, compute capability %d.%d, CUDA %d.%d", properties.name, properties.major,
           properties.minor, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  return EDGEFW_OK;
}

void edgefw__cuda_close(edgefw_device *device) {
  if (device->stream) (void)cudaStreamDestroy(device->stream);
}

/* --- Handles --- */

edgefw_status edgefw__cuda_libraries_create(edgefw_device *device) {
  struct cuda_libraries *l =
      (struct cuda_libraries *)edgefw_allocate(device->ctx, 1, sizeof *l, "handles of cuBLAS");
  if (!l) return EDGEFW_OUT_OF_MEMORY;
  device->libraries = l;
  const char *failed = NULL;
  if (cudaMalloc(&l->workspace, LT_WORKSPACE) != cudaSuccess) failed = "GPU memory";
  if (!failed && cublasCreate(&l->blas) != CUBLAS_STATUS_SUCCESS) failed = "cuBLAS";
  if (!failed && (cublasSetStream(l->blas, device->stream) != CUBLAS_STATUS_SUCCESS ||
                  cublasSetWorkspace(l->blas, l->workspace, LT_WORKSPACE) != CUBLAS_STATUS_SUCCESS))
    failed = "cuBLAS";
  if (!failed && cublasLtCreate(&l->lt) != CUBLAS_STATUS_SUCCESS) failed = "cuBLASLt";
  if (!failed && (cusolverDnCreate(&l->solver) != CUSOLVER_STATUS_SUCCESS ||
                  cusolverDnSetStream(l->solver, device->stream) != CUSOLVER_STATUS_SUCCESS ||
                  cusolverDnCreateParams(&l->solver_params) != CUSOLVER_STATUS_SUCCESS))
    failed = "cuSOLVER";
  if (!failed) return EDGEFW_OK;
  return edgefw_fail(device->ctx, EDGEFW_PLUGIN_INIT, "device cuda: %s cannot start on the GPU",
                     failed);
}

void edgefw__cuda_libraries_destroy(edgefw_device *device) {
  struct cuda_libraries *l = device->libraries;
  if (!l) return;
  if (l->solver_params) (void)cusolverDnDestroyParams(l->solver_params);
  if (l->solver) (void)cusolverDnDestroy(l->solver);
  if (l->lt) (void)cublasLtDestroy(l->lt);
  if (l->blas) (void)cublasDestroy(l->blas);
  (void)cudaFree(l->workspace);
  edgefw_release(device->ctx, l);
  device->libraries = NULL;
}

/* --- Products. Column-major libraries see the transposed matrices: C^T = op(B)^T op(A)^T. --- */

static cublasComputeType_t compute_type(const edgefw_device *device) {
  switch (device->precision) {
  case EDGEFW_PRECISION_TF32: return CUBLAS_COMPUTE_32F_FAST_TF32;
  case EDGEFW_PRECISION_BF16: return CUBLAS_COMPUTE_32F_FAST_16BF;
  default: return CUBLAS_COMPUTE_32F;
  }
}

static edgefw_status check_blas(edgefw_device *device, cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return EDGEFW_OK;
  if (status == CUBLAS_STATUS_ALLOC_FAILED)
    return edgefw__cuda_check(device, cudaErrorMemoryAllocation, "a product");
  return edgefw_fail(device->ctx, EDGEFW_INTERNAL, "device cuda: a product failed: %s",
                     cublasGetStatusString(status));
}

static edgefw_status multiply_plain(edgefw_device *device, const cuda_product *p) {
  const cublasOperation_t op_a = p->transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t op_b = p->transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  if (p->batch == 1)
    return check_blas(device,
                      cublasGemmEx(device->libraries->blas, op_b, op_a, (int)p->n, (int)p->m,
                                   (int)p->k, &p->alpha, p->b, CUDA_R_32F, (int)p->ldb, p->a,
                                   CUDA_R_32F, (int)p->lda, &p->beta, p->c, CUDA_R_32F, (int)p->ldc,
                                   compute_type(device), CUBLAS_GEMM_DEFAULT));
  const cublasStatus_t status = cublasGemmStridedBatchedEx(
      device->libraries->blas, op_b, op_a, (int)p->n, (int)p->m, (int)p->k, &p->alpha, p->b,
      CUDA_R_32F, (int)p->ldb, p->stride_b, p->a, CUDA_R_32F, (int)p->lda, p->stride_a, &p->beta,
      p->c, CUDA_R_32F, (int)p->ldc, p->stride_c, (int)p->batch, compute_type(device),
      CUBLAS_GEMM_DEFAULT);
  return check_blas(device, status);
}

static __global__ void epilogue_kernel(int64_t rows, int64_t width, int64_t stride,
                                       const float *bias, bool relu, float *y) {
  FOR_ELEMENTS(e, rows * width) {
    float *at = y + e / width * stride + e % width;
    float value = *at + (bias ? bias[e % width] : 0.0f);
    if (relu && !(value > 0.0f)) value = 0.0f;
    *at = value;
  }
}

/* What describes one product to cuBLASLt. */
typedef struct lt_product {
  cublasLtMatmulDesc_t operation;
  cublasLtMatrixLayout_t a, b, c; /* as rows */
  cublasLtMatmulPreference_t preference;
} lt_product;

static cublasLtMatrixLayout_t lt_layout(int64_t columns, int64_t rows, int64_t stride) {
  cublasLtMatrixLayout_t layout = NULL;
  if (cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, (uint64_t)columns, (uint64_t)rows, stride) !=
      CUBLAS_STATUS_SUCCESS)
    return NULL;
  return layout;
}

static void lt_release(lt_product *l) {
  if (l->preference) (void)cublasLtMatmulPreferenceDestroy(l->preference);
  if (l->c) (void)cublasLtMatrixLayoutDestroy(l->c);
  if (l->b) (void)cublasLtMatrixLayoutDestroy(l->b);
  if (l->a) (void)cublasLtMatrixLayoutDestroy(l->a);
  if (l->operation) (void)cublasLtMatmulDescDestroy(l->operation);
}

/* The largest power of two, up to 256, that an address is a multiple of. */
static uint32_t alignment_of(const void *address) {
  uint32_t alignment = 256;
  while ((uintptr_t)address % alignment != 0) alignment /= 2;
  return alignment;
}

/* What the library may assume, for it takes 256 bytes for granted: parameters lie anywhere. */
static bool lt_prefer(const cuda_product *p, lt_product *l) {
  const uint64_t workspace = LT_WORKSPACE;
  const uint32_t a = alignment_of(p->b), b = alignment_of(p->a), c = alignment_of(p->c);
  bool ok = cublasLtMatmulPreferenceCreate(&l->preference) == CUBLAS_STATUS_SUCCESS;
#define SET(attribute, value)                                                                      \
  ok = ok && cublasLtMatmulPreferenceSetAttribute(l->preference, attribute, &(value),              \
                                                  sizeof(value)) == CUBLAS_STATUS_SUCCESS
  SET(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace);
  SET(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, a);
  SET(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, b);
  SET(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, c);
  SET(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, c);
#undef SET
  return ok;
}

static bool lt_describe(edgefw_device *device, const cuda_product *p, lt_product *l) {
  if (cublasLtMatmulDescCreate(&l->operation, compute_type(device), CUDA_R_32F) !=
      CUBLAS_STATUS_SUCCESS)
    return false;
  const cublasOperation_t op_a = p->transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t op_b = p->transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasLtEpilogue_t epilogue =
      p->bias ? (p->relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS)
              : CUBLASLT_EPILOGUE_RELU;
  l->a = lt_layout(p->transpose_a ? p->m : p->k, p->transpose_a ? p->k : p->m, p->lda);
  l->b = lt_layout(p->transpose_b ? p->k : p->n, p->transpose_b ? p->n : p->k, p->ldb);
  l->c = lt_layout(p->n, p->m, p->ldc);
  bool ok = l->a && l->b && l->c;
#define SET(attribute, value)                                                                      \
  ok = ok && cublasLtMatmulDescSetAttribute(l->operation, attribute, &(value), sizeof(value)) ==   \
                 CUBLAS_STATUS_SUCCESS
  SET(CUBLASLT_MATMUL_DESC_TRANSA, op_b);
  SET(CUBLASLT_MATMUL_DESC_TRANSB, op_a);
  SET(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
  if (p->bias) SET(CUBLASLT_MATMUL_DESC_BIAS_POINTER, p->bias);
#undef SET
  return ok && lt_prefer(p, l);
}

enum { BIAS_ALIGNMENT = 16 }; /* bytes that epilogues load at once, whatever they were told */

/* The product and its epilogue in one kernel; false if the library has none for this shape. */
static bool multiply_fused(edgefw_device *device, const cuda_product *p) {
  if (p->bias && alignment_of(p->bias) < BIAS_ALIGNMENT) return false;
  lt_product l = {};
  cublasLtMatmulHeuristicResult_t found = {};
  int count = 0;
  bool ok =
      lt_describe(device, p, &l) &&
      cublasLtMatmulAlgoGetHeuristic(device->libraries->lt, l.operation, l.b, l.a, l.c, l.c,
                                     l.preference, 1, &found, &count) == CUBLAS_STATUS_SUCCESS &&
      count > 0;
  ok = ok &&
       cublasLtMatmul(device->libraries->lt, l.operation, &p->alpha, p->b, l.b, p->a, l.a, &p->beta,
                      p->c, l.c, p->c, l.c, &found.algo, device->libraries->workspace, LT_WORKSPACE,
                      device->stream) == CUBLAS_STATUS_SUCCESS;
  lt_release(&l);
  return ok;
}

edgefw_status edgefw__cuda_multiply(edgefw_device *device, const cuda_product *p) {
  if (p->m == 0 || p->n == 0 || p->batch == 0) return EDGEFW_OK;
  if (!p->bias && !p->relu) return multiply_plain(device, p);
  if (multiply_fused(device, p)) return EDGEFW_OK;
  const edgefw_status status = multiply_plain(device, p);
  if (status != EDGEFW_OK) return status;
  return launch(device, "a product's epilogue", epilogue_kernel, shape_of_elements(p->m * p->n),
                p->m, p->n, p->ldc, p->bias, p->relu, p->c);
}

edgefw_status edgefw__cuda_multiply_doubles(edgefw_device *device, const cuda_double_product &p) {
  const double one = 1.0, zero = 0.0;
  const bool a_rows = p.a.column == 1, b_rows = p.b.column == 1;
  return check_blas(device, cublasDgemmStridedBatched(
                                device->libraries->blas, b_rows ? CUBLAS_OP_N : CUBLAS_OP_T,
                                a_rows ? CUBLAS_OP_N : CUBLAS_OP_T, (int)p.n, (int)p.m, (int)p.k,
                                &one, p.b.data, (int)(b_rows ? p.b.row : p.b.column), p.b.instance,
                                p.a.data, (int)(a_rows ? p.a.row : p.a.column), p.a.instance, &zero,
                                p.c.data, (int)p.c.row, p.c.instance, (int)p.batch));
}

/* --- Eigenvalues --- */

/* Memory runs out inside the solver too: callers then try fewer matrices. */
static edgefw_status check_solver(edgefw_device *device, cusolverStatus_t status) {
  if (status == CUSOLVER_STATUS_SUCCESS) return EDGEFW_OK;
  if (status == CUSOLVER_STATUS_ALLOC_FAILED)
    return edgefw__cuda_check(device, cudaErrorMemoryAllocation, "eigenvalues");
  return edgefw_fail(device->ctx, EDGEFW_INTERNAL, "device cuda: eigenvalues failed: cuSOLVER %d",
                     (int)status);
}

/* Few enough matrices for one call. `first`: of the whole batch, for messages. */
static edgefw_status eigen_chunk(edgefw_device *device, int64_t first, int64_t batch, int64_t n,
                                 double *matrices, double *values) {
  struct cuda_libraries *l = device->libraries;
  size_t on_device = 0, on_host = 0;
  edgefw_status status =
      check_solver(device, cusolverDnXsyevBatched_bufferSize(
                               l->solver, l->solver_params, CUSOLVER_EIG_MODE_VECTOR,
                               CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, matrices, n, CUDA_R_64F,
                               values, CUDA_R_64F, &on_device, &on_host, batch));
  if (status != EDGEFW_OK) return status;
  const size_t info_bytes = (size_t)cuda_round_up(batch * (int64_t)sizeof(int), 256);
  char *work = (char *)edgefw__cuda_scratch(device, CUDA_SCRATCH_PARTS, info_bytes + on_device,
                                            "eigenvalues");
  char *host =
      (char *)edgefw__cuda_host(device, on_host + ((size_t)batch + 1) * sizeof(int), "eigenvalues");
  if (!work || !host) return EDGEFW_OUT_OF_MEMORY;
  status = check_solver(
      device, cusolverDnXsyevBatched(l->solver, l->solver_params, CUSOLVER_EIG_MODE_VECTOR,
                                     CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, matrices, n, CUDA_R_64F,
                                     values, CUDA_R_64F, work + info_bytes, on_device, host,
                                     on_host, (int *)work, batch));
  int *info = (int *)(host + cuda_round_up((int64_t)on_host, sizeof(int)));
  if (status == EDGEFW_OK)
    status = edgefw__cuda_to_host(device, info, work, (size_t)batch * sizeof *info);
  for (int64_t b = 0; status == EDGEFW_OK && b < batch; ++b)
    if (info[b] != 0)
      status = edgefw_fail(device->ctx, EDGEFW_INTERNAL,
                           "device cuda: the eigenvalues of matrix %lld did not converge",
                           (long long)(first + b));
  return status;
}

/* The solver refuses, undocumented, more than some 32 thousand matrices, or 2^31 bytes of them. */
enum { EIGEN_MATRICES = 16384 };
#define EIGEN_BYTES ((int64_t)INT32_MAX)

edgefw_status edgefw__cuda_eigen(edgefw_device *device, int64_t batch, int64_t n, double *matrices,
                                 double *values) {
  int64_t most = EIGEN_BYTES / (n * n * (int64_t)sizeof *matrices);
  most = most < 1 ? 1 : most < EIGEN_MATRICES ? most : (int64_t)EIGEN_MATRICES;
  edgefw_status status = EDGEFW_OK;
  for (int64_t first = 0; first < batch && status == EDGEFW_OK; first += most)
    status = eigen_chunk(device, first, batch - first < most ? batch - first : most, n,
                         matrices + first * n * n, values + first * n);
  return status;
}
