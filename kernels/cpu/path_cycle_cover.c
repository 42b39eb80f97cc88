/* A cycle cover that follows the path (EDGEFW_PATH_CYCLE_COVER). A task has the costs transposed,
 * the first permutation, its cycles and what each node's exit from them costs; a rollout has a
 * permutation of its own, which changes where a step leaves it, and labels of its cycles. All
 * arithmetic is double until the logarithm: small differences of large costs are wanted. */
#pragma once

#include "decode.h"
#include "path_remaining_min.c"

static void cycle_cover_take(cpu_layout *layout, int64_t n, int64_t rollouts, path_arrays *out) {
  const int64_t stride = lanes_padded(n), states = rollouts + 1;
  path_cycle_cover *at = &out->cycle_cover;
  at->first = rollouts;
  at->transposed = cpu_take(layout, n * n, sizeof *at->transposed);
  at->mean = cpu_take(layout, 1, sizeof *at->mean);
  at->exit = cpu_take_floats(layout, stride);
  at->after = cpu_take(layout, states * stride, sizeof *at->after);
  at->before = cpu_take(layout, states * stride, sizeof *at->before);
  at->label = cpu_take(layout, states * stride, sizeof *at->label);
  at->arriving = cpu_take(layout, states * stride, sizeof *at->arriving);
  at->standing = cpu_take(layout, states, sizeof *at->standing);
  at->row = cpu_take_floats(layout, EDGEFW_COVER_NUMBERS * rollouts * stride);
}

/* The state of one rollout, or of `first`. */
static path_cycle_cover cover_of(const decode_task *task, int slot, int64_t k) {
  path_cycle_cover at = task->at.paths[task->job->mlp.plan.owner[slot]].cycle_cover;
  at.after += k * task->stride;
  at.before += k * task->stride;
  at.label += k * task->stride;
  at.arriving += k * task->stride;
  at.standing += k;
  return at;
}

static const double *cover_costs(const decode_task *task) {
  return task->args->cost + task->b * task->n * task->n;
}

/* A node that is a cycle alone has no arc. */
static double cover_arc(const double *cost, int64_t n, int64_t i, int64_t j) {
  return i == j ? 0.0 : cost[i * n + j];
}

/* --- Once per task --- */

/* The first permutation and its mean arc, -1 as the label of all nodes. */
static void read_cover(const decode_task *task, const float *successor,
                       const path_cycle_cover *at) {
  const double *cost = cover_costs(task);
  double total = 0.0;
  for (int64_t j = 0; j < task->stride; ++j) {
    at->after[j] = at->before[j] = 0;
    at->label[j] = -1;
    at->arriving[j] = 0.0;
  }
  for (int64_t i = 0; i < task->n; ++i) {
    const int32_t next = (int32_t)successor[i];
    at->after[i] = next;
    at->before[next] = (int32_t)i;
    at->arriving[next] = cover_arc(cost, task->n, i, next);
    total += at->arriving[next];
  }
  *at->mean = fmax(total / (double)task->n, 1e-9);
}

static void label_cover(const decode_task *task, const path_cycle_cover *at) {
  int32_t count = 0;
  for (int32_t i = 0; i < task->n; ++i) {
    if (at->label[i] >= 0) continue;
    for (int32_t k = i; at->label[k] < 0; k = at->after[k]) at->label[k] = count;
    ++count;
  }
  *at->standing = (cover_standing){.last = -1, .cycles = count, .label = count};
}

/* The least table[k][l] over the nodes l of other cycles, at most log(1 + n). */
static void find_exits(const decode_task *task, const float *table, const path_cycle_cover *at) {
  const float most = (float)log1p((double)task->n);
  for (int64_t k = 0; k < task->stride; ++k) at->exit[k] = most;
  for (int64_t k = 0; k < task->n; ++k)
    for (int64_t l = 0; l < task->n; ++l)
      if (at->label[l] != at->label[k] && table[k * task->stride + l] < at->exit[k])
        at->exit[k] = table[k * task->stride + l];
}

static void cycle_cover_begin_instance(const decode_task *task, int slot) {
  const feature_source *source = path_source(task, slot);
  const path_cycle_cover at = cover_of(task, slot, task->at.paths[slot].cycle_cover.first);
  const double *cost = cover_costs(task);
  for (int64_t i = 0; i < task->n; ++i)
    for (int64_t j = 0; j < task->n; ++j) at.transposed[j * task->n + i] = cost[i * task->n + j];
  read_cover(task, task->tables.table[source->permutation], &at);
  label_cover(task, &at);
  find_exits(task, task->tables.table[source->table], &at);
}

/* --- A rollout --- */

static void cycle_cover_move(const decode_task *task, int slot, int64_t from, int64_t to) {
  const size_t row = (size_t)task->stride * sizeof(int32_t);
  const path_cycle_cover origin = cover_of(task, slot, from), target = cover_of(task, slot, to);
  memcpy(target.after, origin.after, row);
  memcpy(target.before, origin.before, row);
  memcpy(target.label, origin.label, row);
  memcpy(target.arriving, origin.arriving, (size_t)task->stride * sizeof *target.arriving);
  *target.standing = *origin.standing;
}

static void cycle_cover_begin_rollout(const decode_task *task, int slot, int64_t k) {
  cycle_cover_move(task, slot, task->at.paths[slot].cycle_cover.first, k);
}

static void link_cover(const path_cycle_cover *at, const double *cost, int64_t n, int32_t i,
                       int32_t j) {
  at->after[i] = j;
  at->before[j] = i;
  at->arriving[j] = cover_arc(cost, n, i, j);
}

/* Two arcs are exchanged so that i -> j is one: two cycles become one, or the nodes from where i
 * went up to the one before j become a cycle of their own. */
static void exchange_arcs(const decode_task *task, const path_cycle_cover *at, int32_t i,
                          int32_t j) {
  const double *cost = cover_costs(task);
  const int32_t left = at->after[i], before = at->before[j];
  const int32_t here = at->label[i], there = at->label[j];
  link_cover(at, cost, task->n, before, left);
  link_cover(at, cost, task->n, i, j);
  if (here != there) {
    --at->standing->cycles;
    for (int64_t k = 0; k < task->stride; ++k)
      at->label[k] = at->label[k] == there ? here : at->label[k];
    return;
  }
  const int32_t label = at->standing->label++;
  ++at->standing->cycles;
  for (int32_t k = left; at->label[k] != label; k = at->after[k]) at->label[k] = label;
}

static void cycle_cover_visit(const decode_task *task, int slot, int64_t k, int32_t node) {
  const path_cycle_cover at = cover_of(task, slot, k);
  const int32_t last = at.standing->last;
  at.standing->last = node;
  if (last >= 0 && at.after[last] != node) exchange_arcs(task, &at, last, node);
}

/* --- Rows --- */

/* log(1 + what leaving the cover for each node raises it by, in mean arcs). */
static void cover_rises(const decode_task *task, const path_cycle_cover *at, float *row) {
  const int64_t n = task->n, i = at->standing->last, left = at->after[i];
  const double *to = cover_costs(task) + i * n, *joined = at->transposed + left * n;
  const double kept = cover_arc(cover_costs(task), n, i, left), mean = *at->mean;
  for (int64_t j = 0; j < n; ++j) {
    const int32_t before = at->before[j];
    double rise = ((to[j] + joined[before]) - kept) - at->arriving[j];
    rise = before == left ? 2.0 * to[j] : rise; /* which would be a cycle alone */
    const double ratio = rise / mean, most = ratio < (double)FLT_MAX ? ratio : (double)FLT_MAX;
    row[j] = (float)(most > 0.0 ? most : 0.0);
  }
  row[left] = 0.0f;
  for (int64_t j = n; j < task->stride; ++j) row[j] = 0.0f;
  for (int64_t j = 0; j < task->stride; j += LANES)
    lanes_store(row + j, lanes_log1p(lanes_load(row + j)));
}

/* The least exit of the nodes of the cycle that are left. */
static float later_exit(const decode_task *task, const path_cycle_cover *at, int64_t k) {
  const int32_t here = at->label[at->standing->last];
  const int32_t *unvisited = task->at.unvisited + k * task->stride;
  float least = (float)log1p((double)task->n);
  for (int64_t j = 0; j < task->n; ++j)
    if (unvisited[j] && at->label[j] == here && at->exit[j] < least) least = at->exit[j];
  return least;
}

static void fill_row(float *row, float value, int64_t stride) {
  for (int64_t j = 0; j < stride; ++j) row[j] = value;
}

static const float *cycle_cover_row(const decode_task *task, int slot, int64_t k) {
  const path_cycle_cover at = cover_of(task, slot, k);
  const edgefw_cover_number number = path_source(task, slot)->number;
  const int64_t stride = task->stride;
  const int32_t here = at.label[at.standing->last];
  float *row = at.row + ((int64_t)number * at.first + k) * stride;
  switch (number) {
  case EDGEFW_COVER_RISE: cover_rises(task, &at, row); break;
  case EDGEFW_COVER_SUCCESSOR:
    fill_row(row, 0.0f, stride);
    row[at.after[at.standing->last]] = 1.0f;
    break;
  case EDGEFW_COVER_SAME_CYCLE:
    for (int64_t j = 0; j < stride; ++j) row[j] = at.label[j] == here ? 1.0f : 0.0f;
    break;
  case EDGEFW_COVER_CYCLES: fill_row(row, (float)log((double)at.standing->cycles), stride); break;
  case EDGEFW_COVER_LATER_EXIT: fill_row(row, later_exit(task, &at, k), stride); break;
  case EDGEFW_COVER_NUMBERS: break;
  }
  return row;
}

static const path_entries path_cycle_cover_entries = {
    .take = cycle_cover_take,
    .begin_instance = cycle_cover_begin_instance,
    .begin_rollout = cycle_cover_begin_rollout,
    .visit = cycle_cover_visit,
    .row = cycle_cover_row,
    .move = cycle_cover_move,
};
