/* Spectral features (edgefw_svd_args), in double because squaring the spectrum costs half the
 * digits: eigenvectors V of A^T A and then A V = U S; or, randomised, the same of the small matrix
 * that is left after projection (Halko, Martinsson and Tropp 2011). */
#include "forbidden.cuh"
#include "layout.cuh"
#include "libraries.cuh"
#include "warp.cuh"

#include "edgefw/rng.h"

enum { SVD_POWER_ITERATIONS = 2 };

#define SVD_TIE 1e-6 /* magnitudes this close (relative) count as equal in the sign rule */

static __device__ __forceinline__ double *matrix_at(cuda_matrices m, int64_t b, int64_t i,
                                                    int64_t j) {
  return m.data + b * m.instance + i * m.row + j * m.column;
}

static cuda_matrices dense(double *data, int64_t rows, int64_t columns) {
  return cuda_matrices{data, columns, 1, rows * columns};
}

static cuda_matrices transposed(cuda_matrices m) {
  return cuda_matrices{m.data, m.column, m.row, m.instance};
}

/* The same rows, the last one first. */
static cuda_matrices reversed(cuda_matrices m, int64_t rows) {
  return cuda_matrices{m.data + (rows - 1) * m.row, -m.row, m.column, m.instance};
}

/* --- The randomised range --- */

static __global__ void widen_kernel(int64_t count, const float *x, double *out) {
  FOR_ELEMENTS(e, count) out[e] = (double)x[e];
}

/* Row c of x (q,n) is column c of the test matrix: the same for all instances. */
static __global__ void gaussian_kernel(int64_t batch, int64_t q, int64_t n, double *x) {
  FOR_ELEMENTS(e, batch * q * n) {
    const int64_t c = e / n % q, i = e % n;
    x[e] = edgefw_random_normal(0, EDGEFW_STREAM_SVD, 0, (uint64_t)(i * q + c));
  }
}

/* Gram-Schmidt over the rows of x (q,n), twice for stability; a row that depends on those before it
 * becomes 0. A block for each instance, a warp for each product with a row before. */
static __global__ void orthonormalize_kernel(int64_t batch, int64_t q, int64_t n, double *x_) {
  double *parts = shared_memory<double>(), *along = parts + 32;
  const int lane = (int)threadIdx.x % WARP_LANES, warp = (int)threadIdx.x / WARP_LANES;
  const int warps = (int)blockDim.x / WARP_LANES;
  for (int64_t b = blockIdx.x; b < batch; b += gridDim.x)
    for (int64_t r = 0; r < q; ++r) {
      double *x = x_ + b * q * n, *row = x + r * n, squares = 0.0;
      for (int64_t i = threadIdx.x; i < n; i += blockDim.x) squares += row[i] * row[i];
      const double before = sqrt(block_sum(squares, parts));
      for (int pass = 0; pass < 2; ++pass) {
        for (int64_t p = warp; p < r; p += warps) {
          double sum = 0.0;
          for (int64_t i = lane; i < n; i += WARP_LANES) sum += row[i] * x[p * n + i];
          sum = warp_sum(sum);
          if (lane == 0) along[p] = sum;
        }
        __syncthreads();
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
          for (int64_t p = 0; p < r; ++p) row[i] -= along[p] * x[p * n + i];
        __syncthreads();
      }
      squares = 0.0;
      for (int64_t i = threadIdx.x; i < n; i += blockDim.x) squares += row[i] * row[i];
      const double length = sqrt(block_sum(squares, parts));
      const double scale = length > 1e-13 * before ? 1.0 / length : 0.0;
      for (int64_t i = threadIdx.x; i < n; i += blockDim.x) row[i] *= scale;
      __syncthreads();
    }
}

static edgefw_status orthonormalize(edgefw_device *device, int64_t batch, int64_t q, int64_t n,
                                    double *x) {
  const launch_shape shape = {dim3((unsigned)cuda_blocks_of(batch, 1)),
                              (unsigned)cuda_threads_for(n, CUDA_TABLE_THREADS),
                              (size_t)(32 + q) * sizeof(double)};
  return launch(device, "spectral features", orthonormalize_kernel, shape, batch, q, n, x);
}

/* --- Features --- */

typedef struct svd_features {
  int64_t n, rank, found; /* `found` columns; those from there to rank are 0 */
  /* (found,n) rows, largest first: S u and v, or S v and u if `swapped` */
  cuda_matrices scaled, unit;
  bool swapped;
  float *out;
} svd_features;

static __device__ double row_length(cuda_matrices m, int64_t b, int64_t c, int64_t n,
                                    double *parts) {
  double squares = 0.0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    const double x = *matrix_at(m, b, c, i);
    squares += x * x;
  }
  return sqrt(block_sum(squares, parts));
}

/* +1, or -1 if the entry of largest magnitude (the first of equal ones) is negative. */
static __device__ double row_sign(cuda_matrices m, int64_t b, int64_t c, int64_t n, double *parts) {
  double most = 0.0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
    most = fmax(most, fabs(*matrix_at(m, b, c, i)));
  most = block_max(most, parts);
  int64_t left = 0; /* entries from the first one of that magnitude on */
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
    if (left == 0 && fabs(*matrix_at(m, b, c, i)) >= (1.0 - SVD_TIE) * most) left = n - i;
  left = block_max(left, (int64_t *)parts);
  return left > 0 && *matrix_at(m, b, c, n - left) < 0.0 ? -1.0 : 1.0;
}

/* A block for each column of an instance. */
static __global__ void features_kernel(int64_t batch, svd_features f) {
  double *parts = shared_memory<double>();
  const int64_t c = blockIdx.x;
  for (int64_t b = blockIdx.y; b < batch; b += gridDim.y) {
    float *u = f.out + b * f.n * 2 * f.rank + c, *v = u + f.rank;
    double to_scaled = 0.0, to_unit = 0.0;
    if (c < f.found) {
      const double largest = row_length(f.scaled, b, 0, f.n, parts);
      const double s = row_length(f.scaled, b, c, f.n, parts);
      const double sign = row_sign(f.swapped ? f.unit : f.scaled, b, c, f.n, parts);
      if (s > 0.0 && s >= (double)f.n * 0x1p-23 * largest) {
        to_scaled = sign / sqrt(s);
        to_unit = sign * sqrt(s);
      }
    }
    for (int64_t i = threadIdx.x; i < f.n; i += blockDim.x) {
      const bool zero = to_unit == 0.0; /* then there may be no such rows */
      const double x = zero ? 0.0 : to_scaled * *matrix_at(f.scaled, b, c, i);
      const double y = zero ? 0.0 : to_unit * *matrix_at(f.unit, b, c, i);
      u[i * 2 * f.rank] = (float)(f.swapped ? y : x);
      v[i * 2 * f.rank] = (float)(f.swapped ? x : y);
    }
  }
}

static edgefw_status write_features(edgefw_device *device, int64_t batch, svd_features f) {
  const launch_shape shape = {dim3((unsigned)f.rank, (unsigned)cuda_blocks_of(batch, 1)),
                              (unsigned)cuda_threads_for(f.n, CUDA_ELEMENT_THREADS),
                              32 * sizeof(double)};
  return launch(device, "spectral features", features_kernel, shape, batch, f);
}

/* --- The operation --- */

/* Memory of some instances. */
typedef struct svd_work {
  int64_t n, found; /* min(rank, n) */
  int64_t q;        /* rows of the eigenproblem: n, or columns of the test matrix */
  double *a;        /* (n,n) */
  double *gram;     /* (q,q), then its eigenvectors */
  double *values;   /* (q) */
  double *image;    /* (q,n) randomised, else (found,n) */
  double *range;    /* (q,n) randomised only */
  double *small;    /* (q,n) randomised only */
} svd_work;

/* Memory of `batch` instances at `memory`; returns its bytes, also without any. */
static size_t svd_divide(svd_work *w, int64_t batch, bool randomized, void *memory) {
  cuda_layout layout = {(char *)memory, 0};
  take(&layout, batch * w->n * w->n, &w->a);
  take(&layout, batch * w->q * w->q, &w->gram);
  take(&layout, batch * w->q, &w->values);
  take(&layout, batch * (randomized ? w->q : w->found) * w->n, &w->image);
  take(&layout, randomized ? batch * w->q * w->n : 0, &w->range);
  take(&layout, randomized ? batch * w->q * w->n : 0, &w->small);
  return layout.used;
}

/* The eigenvectors that are wanted, in `gram`, as rows: the largest last. */
static cuda_matrices leading(const svd_work *w) {
  return cuda_matrices{w->gram + (w->q - w->found) * w->q, w->q, 1, w->q * w->q};
}

static edgefw_status svd_exact(edgefw_device *device, const svd_work *w, int64_t batch,
                               svd_features *f) {
  const cuda_matrices a = dense(w->a, w->n, w->n);
  edgefw_status status = edgefw__cuda_multiply_doubles(
      device, {batch, w->n, w->n, w->n, transposed(a), a, dense(w->gram, w->n, w->n)});
  if (status == EDGEFW_OK) status = edgefw__cuda_eigen(device, batch, w->n, w->gram, w->values);
  f->swapped = false;
  const cuda_matrices vectors = leading(w), scaled = dense(w->image, w->found, w->n);
  f->unit = reversed(vectors, w->found);
  f->scaled = reversed(scaled, w->found);
  if (status != EDGEFW_OK) return status;
  return edgefw__cuda_multiply_doubles(
      device, {batch, w->found, w->n, w->n, vectors, transposed(a), scaled});
}

/* Rows of `range`: an orthonormal basis of the dominant range of A. */
static edgefw_status svd_range(edgefw_device *device, const svd_work *w, int64_t batch) {
  const cuda_matrices a = dense(w->a, w->n, w->n);
  const cuda_matrices image = dense(w->image, w->q, w->n), range = dense(w->range, w->q, w->n);
  edgefw_status status =
      launch(device, "spectral features", gaussian_kernel, shape_of_elements(batch * w->q * w->n),
             batch, w->q, w->n, w->image);
  for (int pass = 0; status == EDGEFW_OK; ++pass) {
    status = edgefw__cuda_multiply_doubles(device,
                                           {batch, w->q, w->n, w->n, image, transposed(a), range});
    if (status == EDGEFW_OK) status = orthonormalize(device, batch, w->q, w->n, w->range);
    if (status != EDGEFW_OK || pass == SVD_POWER_ITERATIONS) break;
    status = edgefw__cuda_multiply_doubles(device, {batch, w->q, w->n, w->n, range, a, image});
    if (status == EDGEFW_OK) status = orthonormalize(device, batch, w->q, w->n, w->image);
  }
  return status;
}

/* A ~ Q (Q^T A): with W the eigenvectors of (Q^T A) (Q^T A)^T, U = Q W and V S = (Q^T A)^T W. */
static edgefw_status svd_randomized(edgefw_device *device, const svd_work *w, int64_t batch,
                                    svd_features *f) {
  const cuda_matrices range = dense(w->range, w->q, w->n), small = dense(w->small, w->q, w->n);
  const cuda_matrices a = dense(w->a, w->n, w->n), vectors = leading(w);
  const cuda_matrices unit = dense(w->image, w->found, w->n);
  const cuda_matrices scaled = dense(w->range, w->found, w->n); /* once the basis has served */
  f->swapped = true;
  f->unit = reversed(unit, w->found);
  f->scaled = reversed(scaled, w->found);
  edgefw_status status = svd_range(device, w, batch);
  if (status == EDGEFW_OK)
    status = edgefw__cuda_multiply_doubles(device, {batch, w->q, w->n, w->n, range, a, small});
  if (status == EDGEFW_OK)
    status = edgefw__cuda_multiply_doubles(
        device, {batch, w->q, w->q, w->n, small, transposed(small), dense(w->gram, w->q, w->q)});
  if (status == EDGEFW_OK) status = edgefw__cuda_eigen(device, batch, w->q, w->gram, w->values);
  if (status == EDGEFW_OK)
    status =
        edgefw__cuda_multiply_doubles(device, {batch, w->found, w->n, w->q, vectors, range, unit});
  if (status == EDGEFW_OK)
    status = edgefw__cuda_multiply_doubles(device,
                                           {batch, w->found, w->n, w->q, vectors, small, scaled});
  return status;
}

static edgefw_status svd_chunk(edgefw_device *device, const edgefw_svd_args *args,
                               const cuda_forbidden *all, const svd_work *w, int64_t first,
                               int64_t batch) {
  const int64_t n = w->n;
  svd_features f = {};
  f.n = n;
  f.rank = args->rank;
  f.found = w->found;
  f.out = (float *)args->out + first * n * 2 * args->rank;
  edgefw_status status =
      launch(device, "spectral features", widen_kernel, shape_of_elements(batch * n * n),
             batch * n * n, (const float *)args->pair + first * n * n, w->a);
  const cuda_forbidden forbidden = edgefw__cuda_forbidden_from(*all, first);
  if (status == EDGEFW_OK) status = edgefw__cuda_level_forbidden(device, &forbidden, batch, w->a);
  if (status == EDGEFW_OK)
    status =
        args->columns > 0 ? svd_randomized(device, w, batch, &f) : svd_exact(device, w, batch, &f);
  return status == EDGEFW_OK ? write_features(device, batch, f) : status;
}

edgefw_status edgefw__cuda_svd_features(edgefw_device *device, const edgefw_svd_args *args) {
  const int64_t n = args->nodes;
  const bool randomized = args->columns > 0;
  svd_work w = {};
  w.n = n;
  w.found = args->rank < n ? args->rank : n;
  w.q = randomized && args->columns < n ? args->columns : n;
  const size_t each = svd_divide(&w, 1, randomized, NULL);
  int64_t most = args->batch;
  cuda_forbidden forbidden;
  const edgefw_status brought =
      edgefw__cuda_forbidden(device, &args->forbidden, args->batch, n, &forbidden);
  if (brought != EDGEFW_OK) return brought;
  for (int64_t first = 0; first < args->batch;) {
    const int64_t rest = args->batch - first;
    int64_t chunk = 0;
    void *memory = edgefw__cuda_scratch_for(device, CUDA_SCRATCH_WORK, rest < most ? rest : most,
                                            each, "spectral features", &chunk);
    if (!memory) return EDGEFW_OUT_OF_MEMORY;
    (void)svd_divide(&w, chunk, randomized, memory);
    const edgefw_status status = svd_chunk(device, args, &forbidden, &w, first, chunk);
    if (status == EDGEFW_OK) {
      first += chunk;
    } else if (status == EDGEFW_OUT_OF_MEMORY && chunk > 1) { /* the solver takes memory as well */
      edgefw_clear(device->ctx);
      edgefw__cuda_release_scratch(device, CUDA_SCRATCH_WORK);
      most = chunk / 2;
    } else {
      return status;
    }
  }
  return EDGEFW_OK;
}
