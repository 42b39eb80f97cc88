/* Softmax attention (edgefw_attention_args). A head's keys and values are packed once; its queries
 * then go through scores, softmax and output some rows at a time, while those are in the cache.
 *
 * What is kept are the powers e^(score - largest of the row) and one over their sum: a row is
 * scaled where it is d_h numbers wide, not n. */
#pragma once

#include "bf16.h"
#include "internal.h"
#include "lanes.h"
#include "tile.h"

enum { ATTENTION_ROWS = 24 }; /* queries at a time */

/* What forward keeps for one instance and head. */
typedef struct softmax_saved {
  float *powers;  /* (n,stride), 0 in the padding */
  float *inverse; /* (n) one over the sum of a row */
} softmax_saved;

typedef struct softmax_job {
  const edgefw_attention_args *args;
  edgefw_device *device;
  int64_t parts; /* forward: shares that a head's queries are cut into, at multiples of */
  int64_t rows;  /* ... this number, which ATTENTION_ROWS divides */
} softmax_job;

/* Sizes, and where a head's columns begin. */
typedef struct attention_head {
  int64_t n, d, width, padded; /* width: d_h; padded to whole lanes */
  int64_t columns, stride;     /* n in whole lanes; distance of rows of that length */
  int64_t offset;              /* of the head's columns in (B,n,d) arrays */
  float scale;
} attention_head;

static attention_head attention_head_of(int64_t n, int64_t d, int64_t heads, int64_t index) {
  const int64_t columns = lanes_padded(n);
  attention_head head = {.n = n, .d = d, .width = d / heads, .columns = columns};
  head.padded = lanes_padded(head.width);
  /* Rows a multiple of 2 KB apart would meet in a few sets of the cache. */
  head.stride = columns % 512 == 0 ? columns + LANES : columns;
  head.offset = index / heads * n * d + index % heads * head.width;
  head.scale = 1.0f / sqrtf((float)head.width);
  return head;
}

static attention_head softmax_head_of(const edgefw_attention_args *args, int64_t index) {
  return attention_head_of(args->nodes, args->width, args->heads, index);
}

static softmax_saved softmax_layout(cpu_layout *layout, const attention_head *head, int64_t rows) {
  softmax_saved saved;
  saved.powers = cpu_take_floats(layout, rows * head->stride);
  saved.inverse = cpu_take_floats(layout, rows);
  return saved;
}

static size_t softmax_head_bytes(const edgefw_attention_args *args) {
  const attention_head head = softmax_head_of(args, 0);
  cpu_layout layout = {0};
  softmax_layout(&layout, &head, head.n);
  return layout.used;
}

static size_t attention_saved(const edgefw_attention_args *args) {
  return (size_t)args->heads * softmax_head_bytes(args);
}

static softmax_saved softmax_saved_of(const edgefw_attention_args *args, const attention_head *head,
                                      int64_t index) {
  cpu_layout layout = {(char *)args->saved + (size_t)index * softmax_head_bytes(args), 0};
  return softmax_layout(&layout, head, head->n);
}

/* The same from row `first` on. */
static softmax_saved softmax_rows_of(const softmax_saved *saved, const attention_head *head,
                                     int64_t first) {
  return (softmax_saved){saved->powers + first * head->stride, saved->inverse + first};
}

/* A row of scores, to the base 2, becomes their powers over the largest one; returns one over their
 * sum. */
static float softmax_powers(float *row, int64_t n) {
  const int64_t last = (n - 1) / LANES * LANES;
  const lane_mask inside = lanes_first(n - last);
  const lanes end = lanes_select(inside, lanes_load(row + last), lanes_all(-INFINITY));
  lanes most = end;
  for (int64_t j = 0; j < last; j += LANES) most = lanes_max(lanes_load(row + j), most);
  const lanes largest = lanes_all(lanes_greatest(most));
  lanes total = lanes_keep(inside, lanes_exp2(end - largest));
  lanes_store(row + last, total);
  for (int64_t j = 0; j < last; j += LANES) {
    const lanes power = lanes_exp2(lanes_load(row + j) - largest);
    total += power;
    lanes_store(row + j, power);
  }
  return 1.0f / lanes_sum(total);
}

/* A head's keys and values rounded to BF16, and the rows that are multiplied with them; nothing
 * where factors stay float. */
typedef struct rounded_head {
  bf16_unit unit;
  bf16_pair *keys, *values, *rows;
} rounded_head;

static rounded_head rounded_head_layout(cpu_layout *layout, const edgefw_device *device,
                                        const attention_head *head) {
  rounded_head rounded = {.unit = device->bf16};
  if (rounded.unit == BF16_OFF) return rounded;
  const int64_t keys = bf16_size(head->n, head->width), values = bf16_size(head->width, head->n);
  const int64_t queries = bf16_size(ATTENTION_ROWS, head->width);
  const int64_t powers = bf16_size(ATTENTION_ROWS, head->n);
  rounded.keys = cpu_take(layout, keys, sizeof *rounded.keys);
  rounded.values = cpu_take(layout, values, sizeof *rounded.values);
  rounded.rows = cpu_take(layout, queries > powers ? queries : powers, sizeof *rounded.rows);
  return rounded;
}

/* Keys of a head times `scale`, its values from rows ld apart. */
static void round_keys(const attention_head *head, const rounded_head *rounded, const float *keys,
                       float scale) {
  bf16_pack(BF16_RIGHT, BF16_INNER_LAST, keys, head->d, scale, head->n, head->width, rounded->keys);
}

static void round_values(const attention_head *head, const rounded_head *rounded,
                         const float *values, int64_t ld) {
  bf16_pack(BF16_RIGHT, BF16_INNER_FIRST, values, ld, 1.0f, head->width, head->n, rounded->values);
}

/* Scores (count,stride) of some queries by the rounded keys. */
static void rounded_head_scores(const attention_head *head, const rounded_head *rounded,
                                int64_t count, const float *q, float *scores) {
  const int64_t beyond = head->stride - head->columns;
  bf16_pack(BF16_LEFT, BF16_INNER_LAST, q, head->d, 1.0f, count, head->width, rounded->rows);
  const bf16_product_args product = {count,         head->columns, head->width, rounded->rows,
                                     rounded->keys, NULL,          0,           scores,
                                     head->stride};
  bf16_product(rounded->unit, &product);
  for (int64_t r = 0; r < count && beyond > 0; ++r)
    memset(scores + r * head->stride + head->columns, 0, (size_t)beyond * sizeof *scores);
}

/* out (count,padded): some rows of powers times the rounded values. */
static void rounded_head_output(const attention_head *head, const rounded_head *rounded,
                                int64_t count, const float *powers, float *out) {
  bf16_pack(BF16_LEFT, BF16_INNER_LAST, powers, head->stride, 1.0f, count, head->n, rounded->rows);
  const bf16_product_args product = {count, head->width, head->n, rounded->rows, rounded->values,
                                     NULL,  0,           out,     head->padded};
  bf16_product(rounded->unit, &product);
}

/* Scratch of a forward task. */
typedef struct forward_scratch {
  rounded_head rounded;
  float *keys;   /* (d_h,stride) keys^T log2(e) / sqrt(d_h) */
  float *values; /* (n,padded) */
  float *out;    /* (ATTENTION_ROWS,padded) */
  softmax_saved block;
} forward_scratch;

static forward_scratch forward_layout(cpu_layout *layout, const edgefw_device *device,
                                      const attention_head *head) {
  forward_scratch at = {.rounded = rounded_head_layout(layout, device, head)};
  at.keys = cpu_take_floats(layout, head->width * head->stride);
  at.values = cpu_take_floats(layout, head->n * head->padded);
  at.out = cpu_take_floats(layout, ATTENTION_ROWS * head->padded);
  at.block = softmax_layout(layout, head, ATTENTION_ROWS);
  return at;
}

/* Queries first .. first + count - 1 of a head. */
static void attend_queries(const attention_head *head, const forward_scratch *at, int64_t count,
                           const float *q, const softmax_saved *to, float *out) {
  const int64_t d = head->d, stride = head->stride, padded = head->padded;
  if (at->rounded.unit != BF16_OFF)
    rounded_head_scores(head, &at->rounded, count, q, to->powers);
  else
    wide_product(count, head->columns, head->width, q, d, at->keys, stride, false, to->powers,
                 stride);
  for (int64_t r = 0; r < count; ++r)
    to->inverse[r] = softmax_powers(to->powers + r * stride, head->n);
  if (at->rounded.unit != BF16_OFF)
    rounded_head_output(head, &at->rounded, count, to->powers, at->out);
  else
    narrow_product(count, padded, head->n, to->powers, stride, at->values, padded, at->out, padded);
  for (int64_t r = 0; r < count; ++r)
    for (int64_t c = 0; c < head->width; ++c)
      out[r * d + c] = to->inverse[r] * at->out[r * padded + c];
}

/* Keys and values of a head, as the products want them. */
static void pack_head(const edgefw_attention_args *args, const attention_head *head,
                      const forward_scratch *at) {
  const float *k = (const float *)args->k + head->offset,
              *v = (const float *)args->v + head->offset;
  if (at->rounded.unit != BF16_OFF) {
    round_keys(head, &at->rounded, k, LANES_LOG2E * head->scale);
    round_values(head, &at->rounded, v, head->d);
    return;
  }
  pack_transposed(k, head->n, head->width, head->d, LANES_LOG2E * head->scale, at->keys,
                  head->stride);
  pack_rows(v, head->n, head->width, head->d, 1.0f, at->values, head->padded);
}

static edgefw_status softmax_part_forward(void *user, int64_t index, int thread) {
  const softmax_job *job = user;
  const edgefw_attention_args *args = job->args;
  const int64_t begin = index % job->parts * job->rows;
  const attention_head head = softmax_head_of(args, index / job->parts);
  const int64_t end = begin + job->rows < head.n ? begin + job->rows : head.n;
  cpu_layout layout = {job->device->scratch[thread].memory, 0};
  const forward_scratch at = forward_layout(&layout, job->device, &head);
  const float *q = (const float *)args->q + head.offset;
  float *out = (float *)args->out + head.offset;
  softmax_saved to = at.block, saved = {0};
  if (args->saved) saved = softmax_saved_of(args, &head, index / job->parts);
  pack_head(args, &head, &at);
  bf16_begin(at.rounded.unit);
  for (int64_t first = begin; first < end; first += ATTENTION_ROWS) {
    const int64_t count = end - first < ATTENTION_ROWS ? end - first : ATTENTION_ROWS;
    if (args->saved) to = softmax_rows_of(&saved, &head, first);
    attend_queries(&head, &at, count, q + first * head.d, &to, out + first * head.d);
  }
  bf16_end(at.rounded.unit);
  return EDGEFW_OK;
}

/* As many parts as give every thread work: a part packs keys and values again. */
static void cut_queries(softmax_job *job) {
  const int64_t heads = job->args->batch * job->args->heads, n = job->args->nodes;
  const int64_t blocks = (n + ATTENTION_ROWS - 1) / ATTENTION_ROWS;
  const int64_t threads = edgefw_threads(job->device->ctx);
  const int64_t wanted = heads >= threads || heads == 0 ? 1 : (threads + heads - 1) / heads;
  const int64_t each = (blocks + wanted - 1) / wanted;
  job->rows = each * ATTENTION_ROWS;
  job->parts = (blocks + each - 1) / each;
}

static edgefw_status attention_forward(edgefw_device *device, const edgefw_attention_args *args) {
  softmax_job job = {.args = args, .device = device};
  const attention_head head = softmax_head_of(args, 0);
  cpu_layout layout = {0};
  forward_layout(&layout, device, &head);
  const edgefw_status status = edgefw__cpu_reserve_scratch(device, layout.used, "attention scores");
  if (status != EDGEFW_OK) return status;
  cut_queries(&job);
  return edgefw_parallel(device->ctx, args->batch * args->heads * job.parts, softmax_part_forward,
                         &job);
}

/* --- Backward --- */

/* Scratch of a backward task. Sums over the queries run along the nodes. */
typedef struct backward_scratch {
  float *values;        /* (d_h,stride) values^T */
  float *keys;          /* (n,padded) keys / sqrt(d_h) */
  float *dout;          /* (ATTENTION_ROWS,d_h) over the sum of the row's powers */
  float *dscores;       /* (ATTENTION_ROWS,stride) */
  float *dq;            /* (ATTENTION_ROWS,padded) */
  float *dkeys, *dvals; /* (d_h,stride) */
} backward_scratch;

static backward_scratch backward_layout(cpu_layout *layout, const attention_head *head) {
  backward_scratch at;
  at.values = cpu_take_floats(layout, head->width * head->stride);
  at.keys = cpu_take_floats(layout, head->n * head->padded);
  at.dout = cpu_take_floats(layout, ATTENTION_ROWS * head->width);
  at.dscores = cpu_take_floats(layout, ATTENTION_ROWS * head->stride);
  at.dq = cpu_take_floats(layout, ATTENTION_ROWS * head->padded);
  at.dkeys = cpu_take_floats(layout, head->width * head->stride);
  at.dvals = cpu_take_floats(layout, head->width * head->stride);
  return at;
}

/* With A = powers * inverse and g = inverse * dA, the gradient by a row's scores,
 * A (dA - sum A dA) = powers (g - inverse * sum powers g), in place of g. */
static void softmax_powers_backward(const float *powers, float inverse, float *g, int64_t columns) {
  lanes total = lanes_all(0.0f);
  for (int64_t j = 0; j < columns; j += LANES) total += lanes_load(powers + j) * lanes_load(g + j);
  const lanes mean = lanes_all(inverse * lanes_sum(total));
  for (int64_t j = 0; j < columns; j += LANES)
    lanes_store(g + j, lanes_load(powers + j) * (lanes_load(g + j) - mean));
}

/* A block of queries: dA = dout values^T, dvalues += A^T dout, dq = dscores keys, dkeys +=
 * dscores^T q. */
static void attend_queries_backward(const attention_head *head, const backward_scratch *at,
                                    int64_t count, const softmax_saved *saved, const float *q,
                                    const float *dout, float *dq) {
  const int64_t d = head->d, width = head->width, stride = head->stride, padded = head->padded;
  for (int64_t r = 0; r < count; ++r)
    for (int64_t c = 0; c < width; ++c)
      at->dout[r * width + c] = saved->inverse[r] * dout[r * d + c];
  wide_product(count, head->columns, width, at->dout, width, at->values, stride, false, at->dscores,
               stride);
  product_tn(width, head->columns, count, at->dout, width, saved->powers, stride, at->dvals,
             stride);
  for (int64_t r = 0; r < count; ++r)
    softmax_powers_backward(saved->powers + r * stride, saved->inverse[r], at->dscores + r * stride,
                            head->columns);
  product_tn(width, head->columns, count, q, d, at->dscores, stride, at->dkeys, stride);
  if (!dq) return;
  narrow_product(count, padded, head->n, at->dscores, stride, at->keys, padded, at->dq, padded);
  for (int64_t r = 0; r < count; ++r)
    lanes_add_scaled(dq + r * d, 1.0f, at->dq + r * padded, width);
}

/* The head's columns of `to` += scale * x^T, x (d_h,stride). */
static void add_head_transposed(const float *x, const attention_head *head, float scale,
                                float *to) {
  const int64_t width = head->width;
  for (int64_t c = 0; c < width; c += LANES)
    for (int64_t j = 0; j < head->n; j += LANES) {
      lanes block[LANES];
      for (int i = 0; i < LANES; ++i)
        block[i] = c + i < width ? lanes_load(x + (c + i) * head->stride + j) : lanes_all(0.0f);
      lanes_transpose(block);
      for (int i = 0; i < LANES && j + i < head->n; ++i) {
        float *row = to + (j + i) * head->d + c;
        lanes_store_some(row, lanes_load_some(row, width - c) + scale * block[i], width - c);
      }
    }
}

static size_t backward_bytes(const edgefw_attention_args *args) {
  const attention_head head = softmax_head_of(args, 0);
  cpu_layout layout = {0};
  backward_layout(&layout, &head);
  return layout.used;
}

/* One head of one instance. */
static edgefw_status attention_backward_one(edgefw_device *device,
                                            const edgefw_attention_args *args, int64_t index,
                                            cpu_layout *layout) {
  (void)device;
  const attention_head head = softmax_head_of(args, index);
  const backward_scratch at = backward_layout(layout, &head);
  const softmax_saved saved = softmax_saved_of(args, &head, index);
  const size_t sums = (size_t)(head.width * head.stride) * sizeof(float);
  memset(at.dkeys, 0, sums);
  memset(at.dvals, 0, sums);
  pack_transposed((const float *)args->v + head.offset, head.n, head.width, head.d, 1.0f, at.values,
                  head.stride);
  pack_rows((const float *)args->k + head.offset, head.n, head.width, head.d, head.scale, at.keys,
            head.padded);
  for (int64_t first = 0; first < head.n; first += ATTENTION_ROWS) {
    const int64_t left = head.n - first, count = left < ATTENTION_ROWS ? left : ATTENTION_ROWS;
    const softmax_saved block = softmax_rows_of(&saved, &head, first);
    const int64_t at_row = head.offset + first * head.d;
    attend_queries_backward(&head, &at, count, &block, (const float *)args->q + at_row,
                            (const float *)args->dout + at_row,
                            args->dq ? (float *)args->dq + at_row : NULL);
  }
  if (args->dk) add_head_transposed(at.dkeys, &head, head.scale, (float *)args->dk + head.offset);
  if (args->dv) add_head_transposed(at.dvals, &head, 1.0f, (float *)args->dv + head.offset);
  return EDGEFW_OK;
}

PARALLEL_SCRATCH(attention_backward, edgefw_attention_args, a->batch * a->heads, backward_bytes(a),
                 "gradients of attention scores")
