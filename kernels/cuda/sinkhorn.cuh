/* Sinkhorn's normalisation of one tile by a block, and what its backward needs.
 *
 * A tile (n, stride) holds either E = exp(m - row maximum), and a step's vector scales it: the row
 * step is r = 1 / (E c), the column step c = 1 / (E^T r), the result diag(r) E diag(c). Or, where
 * the scores of a row spread so far that E would lose entries, it holds m - row maximum itself, and
 * a step's vector is what is subtracted: the log-sum-exp of its lines. LOGARITHMIC says which. */
#ifndef EDGEFW_CUDA_SINKHORN_CUH
#define EDGEFW_CUDA_SINKHORN_CUH

#include "shapes.h"
#include "warp.cuh"

/* Spread within a row up to which e^-spread times two scalings stays well inside float. */
#define SINKHORN_SPREAD 40.0f

/* A tile, and the block's place in it. */
typedef struct sinkhorn_tile {
  float *at; /* (n,stride) */
  int n, stride;
  int warp, lane, warps;
  float *partial; /* cuda_mixed_partial(n) numbers of shared memory */
} sinkhorn_tile;

/* An entry after a row step that left x_i and a column step that left y_j. */
template <bool LOGARITHMIC>
static __device__ __forceinline__ float sinkhorn_entry(float value, float x, float y) {
  return LOGARITHMIC ? expf(value - x - y) : x * value * y;
}

/* What stands for "no step yet". */
template <bool LOGARITHMIC> static __device__ __forceinline__ float sinkhorn_neutral(void) {
  return LOGARITHMIC ? 0.0f : 1.0f;
}

/* finish(i, sum over j of term(j, tile_ij)) for each row i. */
template <typename TERM, typename FINISH>
static __device__ __forceinline__ void sum_rows(const sinkhorn_tile &tile, TERM term,
                                                FINISH finish) {
  for (int i = tile.warp; i < tile.n; i += tile.warps) {
    const float *row = tile.at + (int64_t)i * tile.stride;
    float sum = 0.0f;
    for (int j = tile.lane; j < tile.n; j += WARP_LANES) sum += term(i, j, row[j]);
    sum = warp_sum(sum);
    if (tile.lane == 0) finish(i, sum);
  }
}

/* finish(j, sum over i of term(i, tile_ij)) for each column j: rows are cut in parts, so that all
 * warps work. Has a barrier in it. */
template <typename TERM, typename FINISH>
static __device__ __forceinline__ void sum_columns(const sinkhorn_tile &tile, TERM term,
                                                   FINISH finish) {
  const int n = tile.n, groups = (n + WARP_LANES - 1) / WARP_LANES;
  const int parts = (int)cuda_mixed_parts(n);
  for (int item = tile.warp; item < groups * parts; item += tile.warps) {
    const int j = item % groups * WARP_LANES + tile.lane, part = item / groups;
    if (j >= n) continue;
    float sum = 0.0f;
    for (int i = part; i < n; i += parts) sum += term(i, j, tile.at[(int64_t)i * tile.stride + j]);
    tile.partial[part * n + j] = sum;
  }
  __syncthreads();
  for (int j = (int)threadIdx.x; j < n; j += (int)blockDim.x) {
    float sum = 0.0f;
    for (int part = 0; part < parts; ++part) sum += tile.partial[part * n + j];
    finish(j, sum);
  }
}

/* Log-sum-exp of n numbers `step` apart, each less its `shift`; by one warp. */
static __device__ __forceinline__ float log_sum_exp(const float *x, int64_t step,
                                                    const float *shift, int n, int lane) {
  float most = -INFINITY, sum = 0.0f;
  for (int k = lane; k < n; k += WARP_LANES) most = fmaxf(most, x[k * step] - shift[k]);
  most = warp_max(most);
  for (int k = lane; k < n; k += WARP_LANES) sum += expf(x[k * step] - shift[k] - most);
  return most + logf(warp_sum(sum));
}

/* The next vector x of rows from y of columns. Ends with a barrier. */
template <bool LOGARITHMIC>
static __device__ __forceinline__ void sinkhorn_row_step(const sinkhorn_tile &tile, float *x,
                                                         const float *y) {
  if constexpr (LOGARITHMIC) {
    for (int i = tile.warp; i < tile.n; i += tile.warps) {
      const float sum = log_sum_exp(tile.at + (int64_t)i * tile.stride, 1, y, tile.n, tile.lane);
      if (tile.lane == 0) x[i] = sum;
    }
  } else {
    sum_rows(
        tile, [&](int, int j, float value) { return value * y[j]; },
        [&](int i, float sum) { x[i] = 1.0f / sum; });
  }
  __syncthreads();
}

/* The next vector y of columns from x of rows. Ends with a barrier. */
template <bool LOGARITHMIC>
static __device__ __forceinline__ void sinkhorn_column_step(const sinkhorn_tile &tile,
                                                            const float *x, float *y) {
  if constexpr (LOGARITHMIC) {
    for (int j = tile.warp; j < tile.n; j += tile.warps) {
      const float sum = log_sum_exp(tile.at + j, tile.stride, x, tile.n, tile.lane);
      if (tile.lane == 0) y[j] = sum;
    }
  } else {
    sum_columns(
        tile, [&](int i, int, float value) { return value * x[i]; },
        [&](int j, float sum) { y[j] = 1.0f / sum; });
  }
  __syncthreads();
}

/* `steps` steps, rows first, which leave x and y (shared) as the result needs them; with `scaling`
 * (steps,n) each step's vector is kept. */
template <bool LOGARITHMIC>
static __device__ __forceinline__ void sinkhorn_forward(const sinkhorn_tile &tile, int steps,
                                                        float *x, float *y, float *scaling) {
  for (int j = (int)threadIdx.x; j < tile.n; j += (int)blockDim.x)
    y[j] = sinkhorn_neutral<LOGARITHMIC>();
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const bool of_rows = step % 2 == 0;
    if (of_rows) {
      sinkhorn_row_step<LOGARITHMIC>(tile, x, y);
    } else {
      sinkhorn_column_step<LOGARITHMIC>(tile, x, y);
    }
    if (!scaling) continue;
    for (int k = (int)threadIdx.x; k < tile.n; k += (int)blockDim.x)
      scaling[(int64_t)step * tile.n + k] = of_rows ? x[k] : y[k];
  }
}

/* --- Backward ------------------------------------------------------------------------------------
 * With g the gradient by the logarithm of the result and W the weights after a step, that step
 * takes W_ij * (sum of g over the line) from g. So g changes by multiples of E's entries alone, and
 * its row and column sums can be followed without touching it: a line that was just normalised has
 * sum 0, and the sums across lose a product of E with a vector. The entries of g are put right at
 * the end, by the `adjoint` (steps,n) of each step: the line sums, exponential mode: times the
 * step's vector. */

/* Rows' and columns' vectors that step `step` left and met: `scaling` (steps,n); NULL: neutral. */
static __device__ __forceinline__ const float *vector_of_rows(const float *scaling, int step,
                                                              int n) {
  return scaling + (int64_t)(step - step % 2) * n;
}

static __device__ __forceinline__ const float *vector_of_columns(const float *scaling, int step,
                                                                 int n) {
  const int at = step - 1 + step % 2;
  return at < 0 ? nullptr : scaling + (int64_t)at * n;
}

/* sums_of_rows, sums_of_columns (shared): of g. `y` (shared, n): working memory. */
template <bool LOGARITHMIC>
static __device__ __forceinline__ void
sinkhorn_adjoints(const sinkhorn_tile &tile, int steps, const float *scaling, float *adjoint,
                  float *sums_of_rows, float *sums_of_columns, float *y) {
  const int n = tile.n;
  for (int step = steps - 1; step >= 0; --step) {
    const bool of_rows = step % 2 == 0;
    const float *rows = vector_of_rows(scaling, step, n);
    const float *columns = vector_of_columns(scaling, step, n);
    const float *own = of_rows ? rows : columns;
    const float *sums = of_rows ? sums_of_rows : sums_of_columns;
    for (int k = (int)threadIdx.x; k < n; k += (int)blockDim.x) {
      y[k] = LOGARITHMIC ? sums[k] : own[k] * sums[k];
      adjoint[(int64_t)step * n + k] = y[k];
      if (of_rows) sums_of_rows[k] = 0.0f;
    }
    __syncthreads();
    if (step == 0) break;
    if (of_rows) {
      sum_columns(
          tile,
          [&](int i, int j, float value) {
            return LOGARITHMIC ? sinkhorn_entry<true>(value, rows[i], columns[j]) * y[i]
                               : value * y[i];
          },
          [&](int j, float sum) { sums_of_columns[j] = LOGARITHMIC ? -sum : -columns[j] * sum; });
    } else {
      sum_rows(
          tile,
          [&](int i, int j, float value) {
            return LOGARITHMIC ? sinkhorn_entry<true>(value, rows[i], columns[j]) * y[j]
                               : value * y[j];
          },
          [&](int i, float sum) { sums_of_rows[i] -= LOGARITHMIC ? sum : rows[i] * sum; });
    }
    __syncthreads();
  }
}

#endif
