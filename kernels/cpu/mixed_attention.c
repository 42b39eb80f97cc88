/* Mixed-score attention (edgefw_mixed_attention_args): one task per instance and head, some rows at
 * a time. Tiles are (n, stride) with rows of whole lanes; the mixing MLP is the same for all pairs
 * of a head, so it runs over flat tiles.
 *
 * Weights are never written out: they are a_ij = r_i E_ij c_j, the powers E = exp(score - largest
 * of the row) between two vectors of scalings, which go to the values and to the output. */
#pragma once

#include "attention.c"
#include "internal.h"
#include "lanes.h"
#include "mixing.h"
#include "sinkhorn.c"
#include "tile.h"

/* Parts of what forward keeps for one instance and head. */
typedef struct mixed_saved {
  float *score;       /* (n,stride) q.k / sqrt(d_h) */
  float *powers;      /* (n,stride) E, 0 in the padding (or the weights, if logarithmic) */
  float *scaling;     /* Sinkhorn's vectors, (2 * iterations, stride); of softmax r alone */
  float *logarithmic; /* one number: 0 or 1 */
} mixed_saved;

/* Sizes and parameters of one head of one instance. */
typedef struct mixed_head {
  attention_head at;
  mixing mix;
  const float *cost; /* (n,n) */
  bool is_sinkhorn;
  int iterations;
} mixed_head;

static mixed_head mixed_head_of(const edgefw_mixed_attention_args *args, int64_t index) {
  const int64_t b = index / args->heads, n = args->nodes;
  return (mixed_head){.at = attention_head_of(n, args->width, args->heads, index),
                      .mix = mixing_of(args, index % args->heads),
                      .cost = (const float *)args->cost + b * n * n,
                      .is_sinkhorn = args->norm == EDGEFW_ATTENTION_SINKHORN,
                      .iterations = args->iterations};
}

static mixed_saved mixed_layout(cpu_layout *layout, const mixed_head *head, int64_t score_rows) {
  const int64_t stride = head->at.stride;
  mixed_saved saved;
  saved.score = cpu_take_floats(layout, score_rows * stride);
  saved.powers = cpu_take_floats(layout, head->at.n * stride);
  saved.scaling = cpu_take_floats(layout, (head->is_sinkhorn ? 2 * head->iterations : 1) * stride);
  saved.logarithmic = cpu_take_floats(layout, 1);
  return saved;
}

static size_t head_saved_bytes(const edgefw_mixed_attention_args *args) {
  const mixed_head head = mixed_head_of(args, 0);
  cpu_layout layout = {0};
  mixed_layout(&layout, &head, args->nodes);
  return layout.used;
}

static size_t mixed_attention_saved(const edgefw_mixed_attention_args *args) {
  return (size_t)args->heads * head_saved_bytes(args);
}

static mixed_saved mixed_saved_of(const edgefw_mixed_attention_args *args, const mixed_head *head,
                                  int64_t index) {
  cpu_layout layout = {(char *)args->saved + (size_t)index * head_saved_bytes(args), 0};
  return mixed_layout(&layout, head, args->nodes);
}

/* What forward and backward read of costs: with padded rows, and transposed. */
typedef struct mixed_costs {
  float *forward, *reverse; /* (n,stride), 0 in the padding */
  float *ones;              /* (stride) 1 for nodes, 0 in the padding */
} mixed_costs;

static mixed_costs mixed_costs_layout(cpu_layout *layout, const mixed_head *head) {
  const int64_t stride = head->at.stride, tile = head->at.n * stride;
  mixed_costs costs;
  costs.forward = cpu_take_floats(layout, tile);
  costs.reverse = cpu_take_floats(layout, tile);
  costs.ones = cpu_take_floats(layout, stride);
  return costs;
}

static void load_costs(const mixed_head *head, const mixed_costs *costs) {
  const int64_t n = head->at.n, stride = head->at.stride;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < stride; j += LANES)
      lanes_store(costs->forward + i * stride + j, lanes_load_some(head->cost + i * n + j, n - j));
  pack_transposed(head->cost, n, n, n, 1.0f, costs->reverse, stride);
  for (int64_t j = 0; j < stride; ++j) costs->ones[j] = j < n ? 1.0f : 0.0f;
}

/* r and c. */
typedef struct mixed_scalings {
  const float *rows, *columns;
} mixed_scalings;

static mixed_scalings scalings_of(const mixed_head *head, const mixed_saved *saved,
                                  const float *ones) {
  if (*saved->logarithmic != 0.0f) return (mixed_scalings){ones, ones};
  if (!head->is_sinkhorn) return (mixed_scalings){saved->scaling, ones};
  const float *last = saved->scaling + (2 * head->iterations - 2) * head->at.stride;
  return (mixed_scalings){last, last + head->at.stride};
}

/* --- Forward --- */

typedef struct mixed_scratch {
  rounded_head rounded;
  mixed_costs costs;
  float *keys;   /* (d_h,stride) keys^T / sqrt(d_h) */
  float *values; /* (n,padded), scaled by c */
  float *out;    /* (ATTENTION_ROWS,padded) */
  float *mixed;  /* (n,stride) scores, if logarithmic */
} mixed_scratch;

static mixed_scratch mixed_forward_layout(cpu_layout *layout, const edgefw_device *device,
                                          const mixed_head *head) {
  const attention_head *at = &head->at;
  mixed_scratch scratch = {.costs = mixed_costs_layout(layout, head)};
  scratch.rounded = rounded_head_layout(layout, device, at);
  scratch.keys = cpu_take_floats(layout, at->width * at->stride);
  scratch.values = cpu_take_floats(layout, at->n * at->padded);
  scratch.out = cpu_take_floats(layout, ATTENTION_ROWS * at->padded);
  scratch.mixed = cpu_take_floats(layout, at->n * at->stride);
  return scratch;
}

static size_t mixed_forward_bytes(const edgefw_device *device,
                                  const edgefw_mixed_attention_args *args) {
  const mixed_head head = mixed_head_of(args, 0);
  cpu_layout layout = {0};
  mixed_forward_layout(&layout, device, &head);
  mixed_layout(&layout, &head, ATTENTION_ROWS);
  return layout.used;
}

static void load_keys(const attention_head *at, const mixed_scratch *scratch, const float *keys) {
  if (scratch->rounded.unit != BF16_OFF)
    round_keys(at, &scratch->rounded, keys, at->scale);
  else
    pack_transposed(keys, at->n, at->width, at->d, at->scale, scratch->keys, at->stride);
}

/* A row of mixed scores becomes what it is over its largest, or 2 to that power over ln 2: its
 * powers. Returns how far it spreads; *sum: of the powers. */
static float shift_row(float *row, int64_t n, int64_t stride, bool exponentiate, float *sum) {
  const int64_t last = (n - 1) / LANES * LANES;
  const lane_mask inside = lanes_first(n - last);
  const lanes end = lanes_select(inside, lanes_load(row + last), lanes_all(row[last]));
  lanes most = end, least = end, total = lanes_all(0.0f);
  lanes_store(row + last, end);
  for (int64_t j = 0; j < last; j += LANES) {
    most = lanes_max(lanes_load(row + j), most);
    least = -lanes_max(-lanes_load(row + j), -least);
  }
  const float largest = lanes_greatest(most), smallest = -lanes_greatest(-least);
  for (int64_t j = 0; j <= last; j += LANES) {
    lanes x = lanes_load(row + j) - lanes_all(largest);
    if (exponentiate) x = lanes_exp2(LANES_LOG2E * x);
    if (j == last) x = lanes_keep(inside, x);
    total += x;
    lanes_store(row + j, x);
  }
  for (int64_t j = last + LANES; j < stride; ++j) row[j] = 0.0f;
  *sum = lanes_sum(total);
  return largest - smallest;
}

/* Scores of all pairs to powers (or, shifted, to `to`), and of softmax the scalings; returns the
 * widest spread of a row, or NaN if there is one. `score`: all rows, or ATTENTION_ROWS of them. */
static float mix_rows(const mixed_head *head, const mixed_scratch *scratch, const float *q,
                      const mixed_saved *saved, bool keep_scores, bool exponentiate, float *to) {
  const attention_head *at = &head->at;
  const int64_t stride = at->stride;
  float widest = 0.0f, sum = 0.0f;
  for (int64_t first = 0; first < at->n; first += ATTENTION_ROWS) {
    const int64_t begin = first * stride;
    const int64_t count = at->n - first < ATTENTION_ROWS ? at->n - first : ATTENTION_ROWS;
    float *score = keep_scores ? saved->score + begin : saved->score;
    if (scratch->rounded.unit != BF16_OFF)
      rounded_head_scores(at, &scratch->rounded, count, q + first * at->d, score);
    else
      wide_product(count, stride, at->width, q + first * at->d, at->d, scratch->keys, stride, false,
                   score, stride);
    mix_forward(&head->mix, score, scratch->costs.forward + begin, scratch->costs.reverse + begin,
                count * stride, to + begin);
    for (int64_t i = first; i < first + count; ++i) {
      const float spread = shift_row(to + i * stride, at->n, stride, exponentiate, &sum);
      if (!(spread <= widest)) widest = spread; /* a NaN stays */
      if (!head->is_sinkhorn) saved->scaling[i] = 1.0f / sum;
    }
  }
  return widest;
}

/* out = diag(r) E (diag(c) values) */
static void mixed_output(const attention_head *at, const mixed_saved *saved,
                         mixed_scalings scalings, const mixed_scratch *scratch, const float *v,
                         float *out) {
  for (int64_t j = 0; j < at->n; ++j)
    pack_rows(v + j * at->d, 1, at->width, at->d, scalings.columns[j],
              scratch->values + j * at->padded, at->padded);
  if (scratch->rounded.unit != BF16_OFF)
    round_values(at, &scratch->rounded, scratch->values, at->padded);
  for (int64_t first = 0; first < at->n; first += ATTENTION_ROWS) {
    const int64_t count = at->n - first < ATTENTION_ROWS ? at->n - first : ATTENTION_ROWS;
    const float *powers = saved->powers + first * at->stride;
    if (scratch->rounded.unit != BF16_OFF)
      rounded_head_output(at, &scratch->rounded, count, powers, scratch->out);
    else
      narrow_product(count, at->padded, at->n, powers, at->stride, scratch->values, at->padded,
                     scratch->out, at->padded);
    for (int64_t r = 0; r < count; ++r)
      for (int64_t c = 0; c < at->width; ++c)
        out[(first + r) * at->d + c] = scalings.rows[first + r] * scratch->out[r * at->padded + c];
  }
}

/* One head of one instance. */
static edgefw_status mixed_attention_forward_one(edgefw_device *device,
                                                 const edgefw_mixed_attention_args *args,
                                                 int64_t index, cpu_layout *layout) {
  const mixed_head head = mixed_head_of(args, index);
  const attention_head *at = &head.at;
  const mixed_scratch scratch = mixed_forward_layout(layout, device, &head);
  const bool is_saving = args->saved != NULL;
  const mixed_saved saved =
      is_saving ? mixed_saved_of(args, &head, index) : mixed_layout(layout, &head, ATTENTION_ROWS);
  const float *q = (const float *)args->q + at->offset;
  load_costs(&head, &scratch.costs);
  load_keys(at, &scratch, (const float *)args->k + at->offset);
  bf16_begin(device->bf16);
  *saved.logarithmic = 0.0f;
  const float spread = mix_rows(&head, &scratch, q, &saved, is_saving, true, saved.powers);
  if (head.is_sinkhorn && spread <= SINKHORN_SPREAD) {
    sinkhorn_forward(saved.powers, scratch.costs.ones, saved.scaling, at->n, at->stride,
                     head.iterations);
  } else if (head.is_sinkhorn) {
    *saved.logarithmic = 1.0f;
    mix_rows(&head, &scratch, q, &saved, is_saving, false, scratch.mixed);
    sinkhorn_logarithmic(scratch.mixed, saved.powers, saved.scaling, at->n, at->stride,
                         head.iterations);
  }
  mixed_output(at, &saved, scalings_of(&head, &saved, scratch.costs.ones), &scratch,
               (const float *)args->v + at->offset, (float *)args->out + at->offset);
  bf16_end(device->bf16);
  return EDGEFW_OK;
}

PARALLEL_SCRATCH(mixed_attention_forward, edgefw_mixed_attention_args, a->batch * a->heads,
                 mixed_forward_bytes(device, a), "attention scores")
