/* Mixed-score attention (edgefw_mixed_attention_args): one task per instance and head. Tiles are
 * (n, stride) with rows of whole lanes; the mixing MLP is the same for all pairs of a head, so it
 * runs over the flat tile. */
#pragma once

#include "internal.h"
#include "lanes.h"
#include "sinkhorn.c"
#include "tile.h"

/* Parts of what forward keeps for one instance and head. */
typedef struct mixed_saved {
  float *score;   /* (n,stride) q.k / sqrt(d_h) */
  float *kernel;  /* (n,stride) exp of the shifted mixed scores (or those scores, if logarithmic) */
  float *weights; /* (n,stride) the attention weights */
  float *scaling; /* (2 * iterations, stride) Sinkhorn's vectors */
  float *logarithmic; /* one number: 0 or 1 */
} mixed_saved;

static mixed_saved mixed_layout(cpu_layout *layout, const edgefw_mixed_attention_args *args) {
  const int64_t n = args->nodes, stride = lanes_padded(n), tile = n * stride;
  const bool sinkhorn = args->norm == EDGEFW_ATTENTION_SINKHORN;
  mixed_saved saved;
  saved.score = cpu_take_floats(layout, tile);
  saved.kernel = cpu_take_floats(layout, tile);
  saved.weights = cpu_take_floats(layout, tile);
  saved.scaling = cpu_take_floats(layout, sinkhorn ? 2 * args->iterations * stride : 0);
  saved.logarithmic = cpu_take_floats(layout, 1);
  return saved;
}

static size_t head_saved_bytes(const edgefw_mixed_attention_args *args) {
  cpu_layout layout = {0};
  mixed_layout(&layout, args);
  return layout.used;
}

static size_t mixed_attention_saved(const edgefw_mixed_attention_args *args) {
  return (size_t)args->heads * head_saved_bytes(args);
}

/* Copies of cost and its transpose with padded rows. */
static void load_costs(const float *cost, float *forward, float *reverse, int64_t n) {
  const int64_t stride = lanes_padded(n);
  for (int64_t i = 0; i < n; ++i)
    memcpy(forward + i * stride, cost + i * n, (size_t)n * sizeof *forward);
  clear_padding(forward, n, stride);
  pack_transposed(cost, n, n, n, 1.0f, reverse, stride);
}

/* m = w2 . relu(w1^T [score, cost, reverse] + b1) + b2 over all pairs; w1 is (3,hidden). */
static void mix_forward(const float *score, const float *cost, const float *reverse,
                        const float *w1, const float *b1, const float *w2, float b2, int64_t hidden,
                        int64_t tile, float *m) {
  for (int64_t e = 0; e < tile; e += LANES) {
    const lanes s = lanes_load(score + e), c = lanes_load(cost + e), r = lanes_load(reverse + e);
    lanes out = lanes_all(b2);
    for (int64_t k = 0; k < hidden; ++k)
      out += w2[k] * lanes_relu(b1[k] + w1[k] * s + w1[hidden + k] * c + w1[2 * hidden + k] * r);
    lanes_store(m + e, out);
  }
}

/* Gradients of the MLP: dscore is written; partial (5*hidden+1) = dw1 (3,hidden), db1, dw2, db2. */
static void mix_backward(const float *score, const float *cost, const float *reverse,
                         const float *dm, const float *w1, const float *b1, const float *w2,
                         int64_t hidden, int64_t tile, float *dscore, float *partial) {
  memset(dscore, 0, (size_t)tile * sizeof *dscore);
  for (int64_t k = 0; k < hidden; ++k) {
    const float ws = w1[k], wc = w1[hidden + k], wr = w1[2 * hidden + k];
    lanes ds = lanes_all(0.0f), dc = ds, dr = ds, db = ds, dw = ds;
    for (int64_t e = 0; e < tile; e += LANES) {
      const lanes s = lanes_load(score + e), c = lanes_load(cost + e), r = lanes_load(reverse + e);
      const lanes upstream = lanes_load(dm + e);
      const lanes before = b1[k] + ws * s + wc * c + wr * r;
      const lane_mask open = before > lanes_all(0.0f);
      const lanes g = lanes_keep(open, upstream * w2[k]);
      dw += lanes_keep(open, before) * upstream;
      ds += g * s;
      dc += g * c;
      dr += g * r;
      db += g;
      lanes_store(dscore + e, lanes_load(dscore + e) + ws * g);
    }
    partial[k] = lanes_sum(ds);
    partial[hidden + k] = lanes_sum(dc);
    partial[2 * hidden + k] = lanes_sum(dr);
    partial[3 * hidden + k] = lanes_sum(db);
    partial[4 * hidden + k] = lanes_sum(dw);
  }
  float total = 0.0f;
  for (int64_t e = 0; e < tile; ++e) total += dm[e];
  partial[5 * hidden] = total;
}

/* Where instance b's head h keeps its things, and where its columns begin. */
typedef struct attention_head {
  int64_t b, h, n, d, width; /* width: d_h */
  int64_t rows;              /* offset of the head's columns in (B,n,d) arrays */
  const float *w1, *b1, *w2;
  float b2, scale;
  const float *cost;
} attention_head;

static attention_head head_of(const edgefw_mixed_attention_args *args, int64_t index) {
  const int64_t hidden = args->hidden, n = args->nodes, d = args->width;
  attention_head head = {.b = index / args->heads, .h = index % args->heads, .n = n, .d = d};
  head.width = d / args->heads;
  head.rows = head.b * n * d + head.h * head.width;
  head.w1 = (const float *)args->w1 + head.h * 3 * hidden;
  head.b1 = (const float *)args->b1 + head.h * hidden;
  head.w2 = (const float *)args->w2 + head.h * hidden;
  head.b2 = ((const float *)args->b2)[head.h];
  head.scale = 1.0f / sqrtf((float)head.width);
  head.cost = (const float *)args->cost + head.b * n * n;
  return head;
}

static size_t mixed_forward_bytes(const edgefw_mixed_attention_args *args) {
  cpu_layout costs = {0};
  cpu_take_floats(&costs, args->nodes * lanes_padded(args->nodes));
  return 2 * costs.used + head_saved_bytes(args);
}

/* One head of one instance. */
static edgefw_status mixed_attention_forward_one(edgefw_device *device,
                                                 const edgefw_mixed_attention_args *args,
                                                 int64_t index, cpu_layout *layout) {
  (void)device;
  const attention_head head = head_of(args, index);
  const int64_t n = head.n, d = head.d, stride = lanes_padded(n), tile = n * stride;
  float *cost = cpu_take_floats(layout, tile), *reverse = cpu_take_floats(layout, tile);
  cpu_layout kept = {args->saved, (size_t)index * head_saved_bytes(args)};
  const mixed_saved saved = mixed_layout(args->saved ? &kept : layout, args);
  load_costs(head.cost, cost, reverse, n);
  gemm_nt(n, n, head.width, head.scale, (const float *)args->q + head.rows, d,
          (const float *)args->k + head.rows, d, 0.0f, saved.score, stride);
  clear_padding(saved.score, n, stride);
  mix_forward(saved.score, cost, reverse, head.w1, head.b1, head.w2, head.b2, args->hidden, tile,
              saved.kernel);
  *saved.logarithmic = 0.0f;
  if (args->norm == EDGEFW_ATTENTION_SINKHORN)
    *saved.logarithmic = (float)sinkhorn_forward(saved.kernel, saved.weights, saved.scaling, n,
                                                 stride, args->iterations);
  else
    softmax_rows(saved.kernel, saved.weights, n, stride);
  gemm_nn(n, head.width, n, 1.0f, saved.weights, stride, (const float *)args->v + head.rows, d,
          0.0f, (float *)args->out + head.rows, d);
  return EDGEFW_OK;
}

PARALLEL_SCRATCH(mixed_attention_forward, edgefw_mixed_attention_args, a->batch * a->heads,
                 mixed_forward_bytes(a), "attention scores")

/* From dweights to the gradient by the mixed scores, in place: first by the logarithm of the
 * weights, g = a * da, then through the normalisation. */
static void normalisation_backward(const edgefw_mixed_attention_args *args,
                                   const mixed_saved *saved, float *g, float *sums) {
  const int64_t n = args->nodes, stride = lanes_padded(n);
  for (int64_t e = 0; e < n * stride; e += LANES)
    lanes_store(g + e, lanes_load(g + e) * lanes_load(saved->weights + e));
  if (args->norm == EDGEFW_ATTENTION_SOFTMAX) {
    for (int64_t i = 0; i < n; ++i) {
      lanes sum = lanes_all(0.0f);
      for (int64_t j = 0; j < stride; j += LANES) sum += lanes_load(g + i * stride + j);
      add_lanes(g + i * stride, -lanes_sum(sum), saved->weights + i * stride, stride);
    }
  } else if (*saved->logarithmic != 0.0f) {
    sinkhorn_logarithmic_backward(saved->kernel, saved->scaling, g, sums, n, stride,
                                  args->iterations);
  } else {
    sinkhorn_backward(saved->kernel, saved->scaling, g, sums, n, stride, args->iterations);
  }
}

static size_t mixed_backward_bytes(const edgefw_mixed_attention_args *args) {
  const int64_t stride = lanes_padded(args->nodes), tile = args->nodes * stride;
  cpu_layout layout = {0};
  for (int t = 0; t < 4; ++t) cpu_take_floats(&layout, tile);
  cpu_take_floats(&layout, 2 * stride);
  return layout.used;
}

/* The same; its gradients of the MLP go to the device's shared block, (B,H,5*hidden+1). */
static edgefw_status mixed_heads_backward_one(edgefw_device *device,
                                              const edgefw_mixed_attention_args *args,
                                              int64_t index, cpu_layout *layout) {
  const attention_head head = head_of(args, index);
  const int64_t n = head.n, d = head.d, stride = lanes_padded(n), tile = n * stride;
  float *cost = cpu_take_floats(layout, tile), *reverse = cpu_take_floats(layout, tile);
  float *g = cpu_take_floats(layout, tile), *dscore = cpu_take_floats(layout, tile);
  float *sums = cpu_take_floats(layout, 2 * stride);
  cpu_layout kept = {args->saved, (size_t)index * head_saved_bytes(args)};
  const mixed_saved saved = mixed_layout(&kept, args);
  const float *dout = (const float *)args->dout + head.rows;
  load_costs(head.cost, cost, reverse, n);
  /* out = A v:  dA = dout v^T,  dv += A^T dout */
  gemm_nt(n, n, head.width, 1.0f, dout, d, (const float *)args->v + head.rows, d, 0.0f, g, stride);
  clear_padding(g, n, stride);
  if (args->dv)
    gemm_tn(n, head.width, n, 1.0f, saved.weights, stride, dout, d, 1.0f,
            (float *)args->dv + head.rows, d);
  normalisation_backward(args, &saved, g, sums);
  mix_backward(saved.score, cost, reverse, g, head.w1, head.b1, head.w2, args->hidden, tile, dscore,
               (float *)device->shared.memory + index * (5 * args->hidden + 1));
  /* score = scale q k^T:  dq += scale dscore k,  dk += scale dscore^T q */
  if (args->dq)
    gemm_nn(n, head.width, n, head.scale, dscore, stride, (const float *)args->k + head.rows, d,
            1.0f, (float *)args->dq + head.rows, d);
  if (args->dk)
    gemm_tn(n, head.width, n, head.scale, dscore, stride, (const float *)args->q + head.rows, d,
            1.0f, (float *)args->dk + head.rows, d);
  return EDGEFW_OK;
}

PARALLEL_SCRATCH(mixed_heads_backward, edgefw_mixed_attention_args, a->batch * a->heads,
                 mixed_backward_bytes(a), "gradients of attention scores")

static edgefw_status mixed_attention_backward(edgefw_device *device,
                                              const edgefw_mixed_attention_args *args) {
  const int64_t heads = args->heads, hidden = args->hidden, each = 5 * hidden + 1;
  const float *partial = edgefw__cpu_reserve(device, &device->shared,
                                             (size_t)(args->batch * heads * each) * sizeof *partial,
                                             "gradients of the mixing MLP");
  if (!partial) return edgefw_failure(device->ctx);
  const edgefw_status status = mixed_heads_backward(device, args);
  if (status != EDGEFW_OK) return status;
  for (int64_t index = 0; index < args->batch * heads; ++index) {
    const int64_t h = index % heads;
    const float *part = partial + index * each;
    if (args->dw1) lanes_add_scaled((float *)args->dw1 + h * 3 * hidden, 1.0f, part, 3 * hidden);
    if (args->db1)
      lanes_add_scaled((float *)args->db1 + h * hidden, 1.0f, part + 3 * hidden, hidden);
    if (args->dw2)
      lanes_add_scaled((float *)args->dw2 + h * hidden, 1.0f, part + 4 * hidden, hidden);
    if (args->db2) ((float *)args->db2)[h] += part[5 * hidden];
  }
  return EDGEFW_OK;
}
