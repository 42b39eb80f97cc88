/* How a task of the decode loop lays out its scratch memory. */
#ifndef EDGEFW_CPU_DECODE_LAYOUT_H
#define EDGEFW_CPU_DECODE_LAYOUT_H

#include "decode_bf16.h"

static inline void take_backward(cpu_layout *layout, const edgefw_device *device,
                                 const edgefw_decode_args *args, decode_scratch_arrays *at) {
  const int64_t n = args->nodes, d = args->plan->width, stride = lanes_padded(n);
  const int64_t width = lanes_padded(d), head = lanes_padded(d / args->plan->heads);
  const int64_t rows = backward_block_rows(device), heads = args->plan->heads;
  at->weights = cpu_take_floats(layout, rows * stride);
  at->dattention = cpu_take_floats(layout, rows * stride);
  at->head_rows = cpu_take_floats(layout, rows * head);
  at->chosen = cpu_take(layout, n, sizeof *at->chosen);
  at->left_gradient = cpu_take_floats(layout, args->plan->resource_count * heads * stride);
  at->dvalues = cpu_take_floats(layout, heads * n * head);
  at->dkeys = cpu_take_floats(layout, heads * n * head);
  at->dfold = cpu_take_floats(layout, n * width);
  at->dbias = cpu_take_floats(layout, stride);
  if (device->bf16 != BF16_OFF) return;
  at->dcontext = cpu_take_floats(layout, DECODE_ROWS * width);
  at->padded_rows = cpu_take_floats(layout, DECODE_ROWS * width);
  at->query_rows = cpu_take_floats(layout, n * head);
  at->dquery = cpu_take_floats(layout, n * head);
  at->values_transposed = cpu_take_floats(layout, d * stride);
  at->key_rows = cpu_take_floats(layout, heads * n * head);
  at->fold_rows = cpu_take_floats(layout, n * width);
}

static inline void take_state(cpu_layout *layout, const edgefw_decode_args *args, int64_t rollouts,
                              int64_t rows, decode_scratch_arrays *at) {
  const int64_t n = args->nodes, stride = lanes_padded(n);
  const int resources = args->plan->resource_count;
  at->row = cpu_take(layout, rows, sizeof *at->row);
  at->rollout = cpu_take(layout, rollouts, sizeof *at->rollout);
  at->step = cpu_take(layout, rollouts, sizeof *at->step);
  at->entries = cpu_take(layout, rollouts, sizeof *at->entries);
  at->remaining = cpu_take(layout, rollouts, sizeof *at->remaining);
  at->unvisited = cpu_take(layout, rollouts * stride, sizeof *at->unvisited);
  at->block_left = cpu_take(layout, rollouts * stride / LANES, sizeof *at->block_left);
  at->open =
      open_apart(args) ? cpu_take(layout, rollouts * stride, sizeof *at->open) : at->unvisited;
  at->open_bits = cpu_take(layout, rows * (stride / LANES), sizeof *at->open_bits);
  at->left = cpu_take(layout, rollouts * resources, sizeof *at->left);
  at->left_share = cpu_take_floats(layout, rows * resources);
  at->sorting = cpu_take(layout, 2 * n, sizeof *at->sorting);
}

static inline void take_logits(cpu_layout *layout, const edgefw_decode_args *args, int64_t rows,
                               decode_scratch_arrays *at) {
  near_plan near;
  plan_near(args, &near);
  int64_t width = 0;
  for (int s = 0; s < near.count; ++s) {
    at->near_order[s] = cpu_take(layout, args->nodes * args->nodes, sizeof *at->near_order[s]);
    at->near_nodes[s] = cpu_take(layout, rows * near.sets[s].width, sizeof *at->near_nodes[s]);
    if (near.sets[s].width > width) width = near.sets[s].width;
  }
  at->near_count = cpu_take(layout, near.count * rows, sizeof *at->near_count);
  at->near_open = cpu_take(layout, width, sizeof *at->near_open);
  for (int l = 0; l < args->plan->logit_count; ++l) {
    if (!is_local(args->plan, l)) continue;
    const local_weights sizes = local_sizes(args, &near, l);
    take_local_arrays(layout, args, &sizes, rows, &at->local[l]);
  }
}

static inline void take_scores(cpu_layout *layout, const edgefw_decode_args *args,
                               decode_scratch_arrays *at) {
  const int64_t n = args->nodes, heads = args->plan->heads, row = heads * lanes_padded(n);
  const int64_t resources = args->plan->resource_count;
  for (int t = 0; t < (knows_first(args) ? SCORE_TABLES : SCORES_OF_FIRST); ++t) {
    score_table *table = &at->scores[t];
    table->rows = cpu_take_floats(layout, n * row);
    table->form = cpu_take(layout, n * heads, sizeof *table->form);
    if (args->train) table->gradient = cpu_take_floats(layout, n * row);
  }
  at->left_scores = cpu_take_floats(layout, resources * row);
  at->left_range = cpu_take(layout, resources * heads, sizeof *at->left_range);
  at->share_powers = cpu_take_floats(layout, resources * SHARE_ROWS * row);
  at->share_of = cpu_take_floats(layout, resources * SHARE_ROWS * heads);
}

/* What all rollouts multiply with. */
static inline void take_factors_of_all(cpu_layout *layout, const edgefw_device *device,
                                       const edgefw_decode_args *args, int64_t rollouts,
                                       decode_scratch_arrays *at) {
  const int64_t n = args->nodes, d = args->plan->width, stride = lanes_padded(n);
  const int64_t heads = args->plan->heads;
  if (device->bf16 != BF16_OFF) {
    take_rounded(layout, args, rollouts, &at->rounded);
    return;
  }
  at->packed_keys = cpu_take_floats(layout, d * stride);
  at->packed_values = cpu_take_floats(layout, heads * n * lanes_padded(d / heads));
  at->packed_fold = cpu_take_floats(layout, d * stride);
}

static inline void take_attention(cpu_layout *layout, const edgefw_device *device,
                                  const edgefw_decode_args *args, int64_t rows,
                                  decode_scratch_arrays *at) {
  const int64_t n = args->nodes, d = args->plan->width, stride = lanes_padded(n);
  const int64_t heads = args->plan->heads, head_width = lanes_padded(d / heads);
  const int64_t block = forward_block(device);
  if (looks_up(args)) take_scores(layout, args, at);
  at->head_context = cpu_take_floats(layout, block * head_width);
  at->query = cpu_take_floats(layout, block * d);
  at->attention = cpu_take_floats(layout, block * stride);
  at->context = cpu_take_floats(layout, rows * d);
}

static inline decode_scratch_arrays decode_layout(cpu_layout *layout, const edgefw_device *device,
                                                  const edgefw_decode_args *args,
                                                  const feature_plan *plan, int64_t rollouts) {
  const int64_t n = args->nodes, stride = lanes_padded(n);
  const int64_t rows = decode_rows(args, rollouts);
  const int64_t hidden = lanes_padded(args->plan->hidden), units = args->plan->hidden + 1;
  decode_scratch_arrays at;
  memset(&at, 0, sizeof at);
  for (int t = 0; t < args->plan->table_count; ++t) {
    if (args->plan->table_is_pair[t]) at.padded[t] = cpu_take_floats(layout, n * stride);
    if (plan->transposed[t]) at.transposed[t] = cpu_take_floats(layout, n * stride);
  }
  take_state(layout, args, rollouts, rows, &at);
  take_paths(layout, args, plan, rollouts, rows, &at);
  take_logits(layout, args, rows, &at);
  take_attention(layout, device, args, rows, &at);
  take_factors_of_all(layout, device, args, rollouts, &at);
  at.bias_row = cpu_take_floats(layout, stride);
  at.base = cpu_take_floats(layout, args->plan->feature_count > 0 ? units * stride : 0);
  at.logits = cpu_take_floats(layout, rows * stride);
  at.probability = cpu_take_floats(layout, rows * stride);
  at.bias = cpu_take_floats(layout, hidden);
  at.shifts = cpu_take_floats(layout, MLP_ROLLOUTS * lanes_padded(units));
  at.total = cpu_take_floats(layout, hidden);
  at.log_probability = cpu_take(layout, rollouts, sizeof *at.log_probability);
  at.weight = cpu_take(layout, rollouts, sizeof *at.weight);
  if (!args->train) return at;
  take_backward(layout, device, args, &at);
  return at;
}

#endif
