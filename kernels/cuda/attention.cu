/* Softmax attention (edgefw_attention_args) without ever storing its n*n weights: a block has 64
 * rows (queries; for dk and dv, keys) of one instance and head, 16 of each warp, and goes through
 * the others 32 at a time. Forward keeps a running maximum and sum of every row and saves their
 * log-sum-exp, from which backward computes the weights again.
 *
 * Heads wider than a piece of 8 * TILES columns go through shared memory piece by piece, and a
 * block writes one piece of the result. */
#include "device.cuh"
#include "products.cuh"

enum {
  ATTENTION_WARPS = 4,
  ATTENTION_THREADS = 32 * ATTENTION_WARPS,
  ATTENTION_ROWS = 16 * ATTENTION_WARPS, /* of a block */
  ATTENTION_STEP = 32,                   /* columns of the weights at a time */
  ATTENTION_STEP_TILES = ATTENTION_STEP / 8
};

typedef struct attention_call {
  int n, heads, width; /* width: d_h */
  int64_t d, batch;
  float scale;
  const float *q, *k, *v, *dout;
  float *out, *log_sum; /* log_sum (B,H,n) */
  const float *mean;    /* (B,H,n) sum over a head's columns of out * dout */
  float *dq, *dk, *dv;
} attention_call;

/* What a block works on. */
typedef struct attention_place {
  int row, piece; /* first row of the block; which piece of its columns it writes */
  int64_t head;   /* offset of the head's columns in (B,n,d) arrays */
  int64_t line;   /* ... and of its rows in (B,H,n) arrays */
} attention_place;

static __device__ __forceinline__ int pieces_of(const attention_call &a, int columns) {
  return (a.width + columns - 1) / columns;
}

static __device__ __forceinline__ attention_place place_of(const attention_call &a, int columns) {
  const int pieces = pieces_of(a, columns);
  const int groups = (a.n + ATTENTION_ROWS - 1) / ATTENTION_ROWS;
  int64_t index = blockIdx.x;
  attention_place place;
  place.row = (int)(index % groups) * ATTENTION_ROWS;
  index /= groups;
  place.piece = (int)(index % pieces);
  index /= pieces;
  place.line = index * a.n;
  place.head = index / a.heads * a.n * a.d + index % a.heads * a.width;
  return place;
}

/* --- Shared memory: rows of 8 * TILES numbers, 4 more apart so that the tiles' loads meet no bank
 * twice --- */

template <int TILES> struct attention_rows {
  static constexpr int columns = 8 * TILES, stride = columns + 4;
  float *at;
  __device__ __forceinline__ float operator()(int row, int column) const {
    return at[row * stride + column];
  }
};

/* Rows first .. first + count of a head's columns, one piece of them; 0 beyond either end. */
template <int TILES>
static __device__ __forceinline__ void
load_rows(attention_rows<TILES> to, int count, const float *from, const attention_call &a,
          const attention_place &place, int first, int piece) {
  constexpr int columns = attention_rows<TILES>::columns;
  for (int e = (int)threadIdx.x; e < count * columns; e += ATTENTION_THREADS) {
    const int row = e / columns, column = e % columns, wanted = piece * columns + column;
    const bool inside = first + row < a.n && wanted < a.width;
    to.at[row * attention_rows<TILES>::stride + column] =
        inside ? from[place.head + (int64_t)(first + row) * a.d + wanted] : 0.0f;
  }
}

/* sum (16, STEP) += rows `row` .. of x times those of y, over one piece. */
template <int PRECISION, int TILES>
static __device__ __forceinline__ void add_dots(float sum[ATTENTION_STEP_TILES][4],
                                                attention_rows<TILES> x, int row,
                                                attention_rows<TILES> y) {
#pragma unroll
  for (int k = 0; k < 8 * TILES; k += 8) {
    const auto left = tile_a_from<PRECISION>([&](int r, int c) { return x(row + r, k + c); });
#pragma unroll
    for (int t = 0; t < ATTENTION_STEP_TILES; ++t) {
      const auto right = tile_b_from<PRECISION>([&](int r, int c) { return y(8 * t + c, k + r); });
      tile_multiply<PRECISION>(sum[t], left, right);
    }
  }
}

/* sum (16, piece) += weights (16, STEP) y (STEP, piece) */
template <int PRECISION, int TILES>
static __device__ __forceinline__ void add_weighted(float sum[TILES][4],
                                                    const float weights[ATTENTION_STEP_TILES][4],
                                                    attention_rows<TILES> y) {
#pragma unroll
  for (int k = 0; k < ATTENTION_STEP_TILES; ++k) {
    const auto left = tile_a_of_product<PRECISION>(weights[k]);
#pragma unroll
    for (int t = 0; t < TILES; ++t) {
      const auto right = tile_b_from<PRECISION>(
          [&](int r, int c) { return y(8 * k + product_column<PRECISION>(r), 8 * t + c); });
      tile_multiply<PRECISION>(sum[t], left, right);
    }
  }
}

/* to = or += scale * sum, the warp's 16 rows of the block's piece. scale: of rows g and g + 8. */
template <int TILES, bool ADD>
static __device__ __forceinline__ void store_rows(float *to, const float sum[TILES][4],
                                                  const float scale[2], const attention_call &a,
                                                  const attention_place &place, int row) {
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = row + tile_row(e), column = 8 * (TILES * place.piece + t) + tile_column(e);
      if (i >= a.n || column >= a.width) continue;
      float *at = to + place.head + (int64_t)i * a.d + column;
      *at = (ADD ? *at : 0.0f) + scale[e / 2] * sum[t][e];
    }
}

/* --- Forward --- */

/* Running softmax of a lane's two rows. */
typedef struct running_softmax {
  float most[2], sum[2];
} running_softmax;

/* Scores (16, STEP) of keys first .. become powers over the largest so far; what was summed before
 * is rescaled to it. */
template <int TILES>
static __device__ __forceinline__ void soften(float score[ATTENTION_STEP_TILES][4],
                                              float out[TILES][4], running_softmax *s, int first,
                                              const attention_call &a) {
  float most[2] = {s->most[0], s->most[1]}, sum[2] = {0.0f, 0.0f}, shrink[2];
#pragma unroll
  for (int t = 0; t < ATTENTION_STEP_TILES; ++t)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const bool inside = first + 8 * t + tile_column(e) < a.n;
      score[t][e] = inside ? a.scale * score[t][e] : -INFINITY;
      most[e / 2] = fmaxf(most[e / 2], score[t][e]);
    }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    most[half] = row_max(most[half]);
    shrink[half] = __expf(s->most[half] - most[half]);
    s->most[half] = most[half];
  }
#pragma unroll
  for (int t = 0; t < ATTENTION_STEP_TILES; ++t)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      score[t][e] = __expf(score[t][e] - most[e / 2]);
      sum[e / 2] += score[t][e];
    }
#pragma unroll
  for (int half = 0; half < 2; ++half)
    s->sum[half] = shrink[half] * s->sum[half] + row_sum(sum[half]);
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int e = 0; e < 4; ++e) out[t][e] *= shrink[e / 2];
}

template <int PRECISION, int TILES>
static __global__ void __launch_bounds__(ATTENTION_THREADS, 3) attention_kernel(attention_call a) {
  using rows = attention_rows<TILES>;
  const rows q = {shared_memory<float>()};
  const rows k = {q.at + ATTENTION_ROWS * rows::stride};
  const rows v = {k.at + ATTENTION_STEP * rows::stride};
  const attention_place place = place_of(a, rows::columns);
  const int pieces = pieces_of(a, rows::columns);
  const int own = 16 * (int)(threadIdx.x / WARP_LANES); /* the warp's rows among the block's */
  const bool working = place.row + own < a.n;
  float out[TILES][4] = {};
  running_softmax s = {{-INFINITY, -INFINITY}, {0.0f, 0.0f}};
  for (int first = 0; first < a.n; first += ATTENTION_STEP) {
    float score[ATTENTION_STEP_TILES][4] = {};
    for (int piece = 0; piece < pieces; ++piece) {
      __syncthreads();
      if (first == 0 || pieces > 1) load_rows(q, ATTENTION_ROWS, a.q, a, place, place.row, piece);
      load_rows(k, ATTENTION_STEP, a.k, a, place, first, piece);
      if (piece == 0) load_rows(v, ATTENTION_STEP, a.v, a, place, first, place.piece);
      __syncthreads();
      if (working) add_dots<PRECISION>(score, q, own, k);
    }
    if (!working) continue;
    soften<TILES>(score, out, &s, first, a);
    add_weighted<PRECISION>(out, score, v);
  }
  if (!working) return;
  const float inverse[2] = {1.0f / s.sum[0], 1.0f / s.sum[1]};
  store_rows<TILES, false>(a.out, out, inverse, a, place, place.row + own);
  if (!a.log_sum || place.piece > 0 || threadIdx.x % 4 != 0) return;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int i = place.row + own + tile_row(2 * half);
    if (i < a.n) a.log_sum[place.line + i] = s.most[half] + logf(s.sum[half]);
  }
}

/* --- Backward --- */

/* mean (B,H,n): for each row the sum of weight times its gradient, which is out . dout. */
static __global__ void attention_mean_kernel(attention_call a, const float *out, float *mean) {
  FOR_ELEMENTS(e, a.batch * a.heads * a.n) {
    const int64_t i = e % a.n, h = e / a.n % a.heads, b = e / a.n / a.heads;
    const int64_t at = (b * a.n + i) * a.d + h * a.width;
    float sum = 0.0f;
    for (int c = 0; c < a.width; ++c) sum += out[at + c] * a.dout[at + c];
    mean[e] = sum;
  }
}

/* score = scale q k^T, weight = softmax(score), out = weight v:
 *   dscore = weight * (dout v^T - mean);  dq += scale dscore k;  dk += scale dscore^T q;
 *   dv += weight^T dout
 * Rows are queries, columns keys; with OF_KEYS all of it is transposed. The piece that the block
 * writes goes through shared memory last and is there when it is needed. */
template <int PRECISION, int TILES, bool OF_KEYS>
static __global__ void __launch_bounds__(ATTENTION_THREADS)
    attention_backward_kernel(attention_call a) {
  using rows = attention_rows<TILES>;
  const rows x = {shared_memory<float>()}, dx = {x.at + ATTENTION_ROWS * rows::stride};
  const rows y = {dx.at + ATTENTION_ROWS * rows::stride};
  const rows dy = {y.at + ATTENTION_STEP * rows::stride};
  const attention_place place = place_of(a, rows::columns);
  const int pieces = pieces_of(a, rows::columns);
  const int own = 16 * (int)(threadIdx.x / WARP_LANES);
  const bool working = place.row + own < a.n;
  float dscored[TILES][4] = {}, weighted[TILES][4] = {};
  for (int first = 0; first < a.n; first += ATTENTION_STEP) {
    float score[ATTENTION_STEP_TILES][4] = {}, dweight[ATTENTION_STEP_TILES][4] = {};
    for (int p = 1; p <= pieces; ++p) {
      const int piece = (place.piece + p) % pieces;
      __syncthreads();
      if (first == 0 || pieces > 1) {
        load_rows(x, ATTENTION_ROWS, OF_KEYS ? a.k : a.q, a, place, place.row, piece);
        load_rows(dx, ATTENTION_ROWS, OF_KEYS ? a.v : a.dout, a, place, place.row, piece);
      }
      load_rows(y, ATTENTION_STEP, OF_KEYS ? a.q : a.k, a, place, first, piece);
      load_rows(dy, ATTENTION_STEP, OF_KEYS ? a.dout : a.v, a, place, first, piece);
      __syncthreads();
      if (!working) continue;
      add_dots<PRECISION>(score, x, own, y);
      add_dots<PRECISION>(dweight, dx, own, dy);
    }
    if (!working) continue;
#pragma unroll
    for (int t = 0; t < ATTENTION_STEP_TILES; ++t)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int row = place.row + own + tile_row(e), column = first + 8 * t + tile_column(e);
        const bool inside = row < a.n && column < a.n;
        const int64_t query = place.line + (OF_KEYS ? column : row);
        const float weight = inside ? __expf(a.scale * score[t][e] - a.log_sum[query]) : 0.0f;
        score[t][e] = weight;
        dweight[t][e] = inside ? weight * (dweight[t][e] - a.mean[query]) : 0.0f;
      }
    add_weighted<PRECISION>(dscored, dweight, y);
    if constexpr (OF_KEYS) add_weighted<PRECISION>(weighted, score, dy);
  }
  if (!working) return;
  const float scale[2] = {a.scale, a.scale}, one[2] = {1.0f, 1.0f};
  float *dscored_to = OF_KEYS ? a.dk : a.dq;
  if (dscored_to) store_rows<TILES, true>(dscored_to, dscored, scale, a, place, place.row + own);
  if (OF_KEYS && a.dv) store_rows<TILES, true>(a.dv, weighted, one, a, place, place.row + own);
}

/* --- Host --- */

size_t edgefw__cuda_attention_saved(const edgefw_attention_args *args) {
  return (size_t)(args->heads * args->nodes) * sizeof(float);
}

static attention_call call_of(const edgefw_attention_args *args) {
  attention_call a = {};
  a.n = (int)args->nodes;
  a.heads = (int)args->heads;
  a.width = (int)(args->width / args->heads);
  a.d = args->width;
  a.batch = args->batch;
  a.scale = 1.0f / sqrtf((float)a.width);
  a.q = (const float *)args->q;
  a.k = (const float *)args->k;
  a.v = (const float *)args->v;
  a.dout = (const float *)args->dout;
  a.out = (float *)args->out;
  a.log_sum = (float *)args->saved;
  a.dq = (float *)args->dq;
  a.dk = (float *)args->dk;
  a.dv = (float *)args->dv;
  return a;
}

typedef enum attention_pass { PASS_FORWARD, PASS_QUERIES, PASS_KEYS } attention_pass;

template <int PRECISION, int TILES>
static edgefw_status launch_tiles(edgefw_device *device, const attention_call &a,
                                  attention_pass pass) {
  using rows = attention_rows<TILES>;
  const int64_t groups = (a.n + ATTENTION_ROWS - 1) / ATTENTION_ROWS;
  const int64_t pieces = (a.width + rows::columns - 1) / rows::columns;
  const size_t row = rows::stride * sizeof(float);
  launch_shape shape = {dim3((unsigned)(a.batch * a.heads * groups * pieces)), ATTENTION_THREADS,
                        (ATTENTION_ROWS + 2 * ATTENTION_STEP) * row};
  if (pass == PASS_FORWARD)
    return launch(device, "attention", attention_kernel<PRECISION, TILES>, shape, a);
  shape.shared += ATTENTION_ROWS * row;
  if (pass == PASS_KEYS)
    return launch(device, "backward of attention",
                  attention_backward_kernel<PRECISION, TILES, true>, shape, a);
  return launch(device, "backward of attention", attention_backward_kernel<PRECISION, TILES, false>,
                shape, a);
}

static edgefw_status run_pass(edgefw_device *device, const attention_call &a, attention_pass pass) {
  return with_precision(device, [&](auto precision) {
    if (a.width <= 16) return launch_tiles<precision, 2>(device, a, pass);
    if (a.width <= 32) return launch_tiles<precision, 4>(device, a, pass);
    return launch_tiles<precision, 8>(device, a, pass);
  });
}

edgefw_status edgefw__cuda_attention_forward(edgefw_device *device,
                                             const edgefw_attention_args *args) {
  return run_pass(device, call_of(args), PASS_FORWARD);
}

edgefw_status edgefw__cuda_attention_backward(edgefw_device *device,
                                              const edgefw_attention_args *args) {
  attention_call a = call_of(args);
  const int64_t lines = args->batch * args->heads * args->nodes;
  float *mean = (float *)edgefw__cuda_scratch(device, CUDA_SCRATCH_WORK,
                                              (size_t)lines * sizeof *mean, "attention");
  if (!mean) return EDGEFW_OUT_OF_MEMORY;
  a.mean = mean;
  edgefw_status status = launch(device, "backward of attention", attention_mean_kernel,
                                shape_of_elements(lines), a, (const float *)args->out, mean);
  if (status == EDGEFW_OK && a.dq) status = run_pass(device, a, PASS_QUERIES);
  if (status == EDGEFW_OK && (a.dk || a.dv)) status = run_pass(device, a, PASS_KEYS);
  return status;
}
