/* The backward of mixed_attention.c. With a = diag(r) E diag(c), the gradient by the logarithm of
 * the weights is E times a product, (r dout) (c v)^T, and what the normalisation takes from it is E
 * times a sum of vectors of rows times vectors of columns: all of that is one product. */
#pragma once

#include "mixed_attention.c"

typedef struct mixed_backward {
  mixed_costs costs;
  float *left;          /* (n,depth) r dout, then the normalisation's vectors of rows */
  float *right;         /* (depth,stride) (c v)^T, then its vectors of columns */
  float *row_sums;      /* (n) of the gradient by the logarithms of the weights */
  float *column_sums;   /* (stride) */
  float *work;          /* (2,stride) */
  float *keys;          /* (n,padded) keys / sqrt(d_h) */
  float *dscore;        /* (ATTENTION_ROWS,stride) */
  float *dq;            /* (ATTENTION_ROWS,padded) */
  float *dkeys, *dvals; /* (d_h,stride) */
  float *g, *mixed;     /* (n,stride) if logarithmic; of g else ATTENTION_ROWS rows */
  mix_sums *sums;       /* (hidden) */
  int64_t depth;        /* row stride of `left`, at least the padded d_h */
  int64_t vectors;      /* of the normalisation */
} mixed_backward;

static mixed_backward mixed_backward_layout(cpu_layout *layout, const mixed_head *head) {
  const attention_head *at = &head->at;
  const int64_t stride = at->stride, rows = ATTENTION_ROWS;
  mixed_backward to = {.costs = mixed_costs_layout(layout, head)};
  to.vectors = head->is_sinkhorn ? 2 * head->iterations : 1;
  to.depth = lanes_padded(at->width + to.vectors);
  to.left = cpu_take_floats(layout, at->n * to.depth);
  to.right = cpu_take_floats(layout, to.depth * stride);
  to.row_sums = cpu_take_floats(layout, at->n);
  to.column_sums = cpu_take_floats(layout, stride);
  to.work = cpu_take_floats(layout, 2 * stride);
  to.keys = cpu_take_floats(layout, at->n * at->padded);
  to.dscore = cpu_take_floats(layout, rows * stride);
  to.dq = cpu_take_floats(layout, rows * at->padded);
  to.dkeys = cpu_take_floats(layout, at->width * stride);
  to.dvals = cpu_take_floats(layout, at->width * stride);
  to.g = cpu_take_floats(layout, (at->n > rows ? at->n : rows) * stride);
  to.mixed = cpu_take_floats(layout, at->n * stride);
  to.sums = cpu_take(layout, head->mix.hidden, sizeof *to.sums);
  return to;
}

static size_t mixed_backward_bytes(const edgefw_mixed_attention_args *args) {
  const mixed_head head = mixed_head_of(args, 0);
  cpu_layout layout = {0};
  mixed_backward_layout(&layout, &head);
  return layout.used;
}

/* Both factors of the product, without the normalisation's vectors; dvalues; and the sums of the
 * gradient a_ij (dout_i . v_j) over rows, dout_i . out_i, and over columns, v_j . dv_j. */
static void load_factors(const attention_head *at, const mixed_backward *to,
                         const mixed_saved *saved, mixed_scalings scalings, const float *v,
                         const float *out, const float *dout) {
  const int64_t width = at->width, stride = at->stride;
  for (int64_t i = 0; i < at->n; ++i) {
    pack_rows(dout + i * at->d, 1, width, at->d, scalings.rows[i], to->left + i * to->depth,
              to->depth);
    to->row_sums[i] = lanes_dot(dout + i * at->d, out + i * at->d, width);
  }
  pack_transposed(v, at->n, width, at->d, 1.0f, to->right, stride);
  memset(to->dvals, 0, (size_t)(width * stride) * sizeof(float));
  for (int64_t first = 0; first < at->n; first += ATTENTION_ROWS) {
    const int64_t count = at->n - first < ATTENTION_ROWS ? at->n - first : ATTENTION_ROWS;
    product_tn(width, stride, count, to->left + first * to->depth, to->depth,
               saved->powers + first * stride, stride, to->dvals, stride);
  }
  memset(to->column_sums, 0, (size_t)stride * sizeof(float));
  for (int64_t c = 0; c < width; ++c)
    for (int64_t j = 0; j < stride; ++j) {
      float *value = to->right + c * stride + j, *dvalue = to->dvals + c * stride + j;
      *value *= scalings.columns[j];
      to->column_sums[j] += *value * *dvalue;
      *dvalue *= scalings.columns[j];
    }
}

/* The normalisation's vectors, behind the factors; returns the depth of the product. */
static int64_t load_normalisation(const mixed_head *head, const mixed_backward *to,
                                  const mixed_saved *saved) {
  const int64_t n = head->at.n, width = head->at.width, stride = head->at.stride;
  float *left = to->left + width, *right = to->right + width * stride;
  if (*saved->logarithmic != 0.0f) return width;
  if (head->is_sinkhorn) {
    sinkhorn_backward(saved->powers, to->costs.ones, saved->scaling, to->row_sums, to->column_sums,
                      left, to->depth, right, to->work, n, stride, head->iterations);
    return width + 2 * head->iterations;
  }
  for (int64_t i = 0; i < n; ++i) left[i * to->depth] = -saved->scaling[i] * to->row_sums[i];
  memcpy(right, to->costs.ones, (size_t)stride * sizeof *right);
  return width + 1;
}

/* Rows first .. first + count - 1 of the gradient by the mixed scores: powers times the product. */
static void mixed_gradient(const attention_head *at, const mixed_backward *to,
                           const mixed_saved *saved, int64_t depth, int64_t first, int64_t count,
                           float *g) {
  const int64_t stride = at->stride;
  const float *powers = saved->powers + first * stride;
  wide_product(count, stride, depth, to->left + first * to->depth, to->depth, to->right, stride,
               false, g, stride);
  for (int64_t e = 0; e < count * stride; e += LANES)
    lanes_store(g + e, lanes_load(g + e) * lanes_load(powers + e));
}

/* The whole gradient by logarithms; the mixed scores are made again. */
static void logarithmic_gradient(const mixed_head *head, const mixed_backward *to,
                                 const mixed_saved *saved, int64_t depth) {
  const int64_t n = head->at.n, stride = head->at.stride;
  float sum = 0.0f;
  mixed_gradient(&head->at, to, saved, depth, 0, n, to->g);
  mix_forward(&head->mix, saved->score, to->costs.forward, to->costs.reverse, n * stride,
              to->mixed);
  for (int64_t i = 0; i < n; ++i) shift_row(to->mixed + i * stride, n, stride, false, &sum);
  sinkhorn_logarithmic_backward(to->mixed, saved->scaling, to->g, to->work, n, stride,
                                head->iterations);
}

/* Some rows: through the MLP, and score = q k^T / sqrt(d_h): dq += dscore keys, dkeys += q^T
 * dscore. Returns the sum of g. */
static float mixed_rows_backward(const mixed_head *head, const mixed_backward *to,
                                 const mixed_saved *saved, int64_t first, int64_t count,
                                 const float *g, const float *q, float *dq) {
  const attention_head *at = &head->at;
  const int64_t d = at->d, stride = at->stride, begin = first * stride;
  lanes total = lanes_all(0.0f);
  for (int64_t e = 0; e < count * stride; e += LANES) total += lanes_load(g + e);
  mix_backward(&head->mix, saved->score + begin, to->costs.forward + begin,
               to->costs.reverse + begin, g, count * stride, to->dscore, to->sums);
  product_tn(at->width, stride, count, q + first * d, d, to->dscore, stride, to->dkeys, stride);
  if (dq) {
    narrow_product(count, at->padded, at->n, to->dscore, stride, to->keys, at->padded, to->dq,
                   at->padded);
    for (int64_t r = 0; r < count; ++r)
      lanes_add_scaled(dq + (first + r) * d, 1.0f, to->dq + r * at->padded, at->width);
  }
  return lanes_sum(total);
}

/* One head of one instance; its gradients of the MLP go to the device's shared block,
 * (B,H,5*hidden+1). */
static edgefw_status mixed_heads_backward_one(edgefw_device *device,
                                              const edgefw_mixed_attention_args *args,
                                              int64_t index, cpu_layout *layout) {
  const mixed_head head = mixed_head_of(args, index);
  const attention_head *at = &head.at;
  const mixed_backward to = mixed_backward_layout(layout, &head);
  const mixed_saved saved = mixed_saved_of(args, &head, index);
  const bool is_logarithmic = *saved.logarithmic != 0.0f;
  float total = 0.0f;
  load_costs(&head, &to.costs);
  load_factors(at, &to, &saved, scalings_of(&head, &saved, to.costs.ones),
               (const float *)args->v + at->offset, (const float *)args->out + at->offset,
               (const float *)args->dout + at->offset);
  const int64_t depth = load_normalisation(&head, &to, &saved);
  if (is_logarithmic) logarithmic_gradient(&head, &to, &saved, depth);
  pack_rows((const float *)args->k + at->offset, at->n, at->width, at->d, at->scale, to.keys,
            at->padded);
  memset(to.dkeys, 0, (size_t)(at->width * at->stride) * sizeof(float));
  memset(to.sums, 0, (size_t)head.mix.hidden * sizeof *to.sums);
  for (int64_t first = 0; first < at->n; first += ATTENTION_ROWS) {
    const int64_t count = at->n - first < ATTENTION_ROWS ? at->n - first : ATTENTION_ROWS;
    float *g = is_logarithmic ? to.g + first * at->stride : to.g;
    if (!is_logarithmic) mixed_gradient(at, &to, &saved, depth, first, count, g);
    total += mixed_rows_backward(&head, &to, &saved, first, count, g,
                                 (const float *)args->q + at->offset,
                                 args->dq ? (float *)args->dq + at->offset : NULL);
  }
  if (args->dv) add_head_transposed(to.dvals, at, 1.0f, (float *)args->dv + at->offset);
  if (args->dk) add_head_transposed(to.dkeys, at, at->scale, (float *)args->dk + at->offset);
  mix_gradients(&head.mix, to.sums, total,
                (float *)device->shared.memory + index * (5 * head.mix.hidden + 1));
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
