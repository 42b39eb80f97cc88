/* Minima over the remaining nodes (EDGEFW_PATH_REMAINING_MIN). The arcs of every candidate are
 * sorted once per task. Each rollout keeps a cursor per candidate that only moves forward, and only
 * when the node that it points to has just been visited: the candidates that point to a node form a
 * list, so that a step touches no other. */
#pragma once

#include "decode.h"
#include "sort.h"

/* Keys (sort.h) of the arcs from node `from` to the others but the depot, cheapest first; costs is
 * a row of n. They stay until the next call. */
static const uint64_t *sort_arcs(const decode_task *task, const float *costs, int64_t from,
                                 int64_t *count) {
  uint64_t *keys = task->at.sorting;
  int64_t found = 0;
  for (int64_t l = 0; l < task->n; ++l)
    if (l != from && l != task->depot) keys[found++] = sort_key(costs[l], l);
  *count = found;
  return sort_keys(keys, keys + task->n, found);
}

#define NO_ARC UINT64_MAX

static const feature_source *path_source(const decode_task *task, int slot) {
  const feature_plan *plan = &task->job->mlp.plan;
  return &plan->sources[plan->paths[slot]];
}

static void remaining_min_take(cpu_layout *layout, int64_t n, int64_t rollouts, path_arrays *out) {
  const int64_t stride = lanes_padded(n);
  path_remaining_min *at = &out->remaining_min;
  at->arcs = cpu_take(layout, n * n, sizeof *at->arcs);
  at->cursor = cpu_take(layout, rollouts * stride, sizeof *at->cursor);
  at->first = cpu_take(layout, rollouts * stride, sizeof *at->first);
  at->after = cpu_take(layout, rollouts * stride, sizeof *at->after);
  at->least = cpu_take_floats(layout, rollouts * stride);
}

/* Sort the arcs out of (or into) each candidate. */
static void remaining_min_begin_instance(const decode_task *task, int slot) {
  const feature_source *source = path_source(task, slot);
  const float *matrix =
      source->out ? task->tables.table[source->table] : task->tables.transposed[source->table];
  const int64_t n = task->n;
  for (int64_t j = 0; j < n; ++j) {
    uint64_t *arcs = task->at.paths[slot].remaining_min.arcs + j * n;
    int64_t count;
    const uint64_t *sorted = sort_arcs(task, matrix + j * task->stride, j, &count);
    memcpy(arcs, sorted, (size_t)count * sizeof *arcs);
    arcs[count] = NO_ARC;
  }
}

/* The cursors of one rollout. */
static path_remaining_min cursors_of(const decode_task *task, int slot, int64_t k) {
  path_remaining_min at = task->at.paths[slot].remaining_min;
  at.cursor += k * task->stride;
  at.first += k * task->stride;
  at.after += k * task->stride;
  at.least += k * task->stride;
  return at;
}

/* Point candidate j to its arc number `position`, if there is one. */
static inline void point_cursor(const path_remaining_min *at, int64_t n, int32_t j,
                                int32_t position) {
  const uint64_t arc = at->arcs[j * n + position];
  if (arc == NO_ARC) return;
  const int64_t node = sort_index(arc);
  at->cursor[j] = position;
  at->least[j] = sort_value(arc);
  at->after[j] = at->first[node];
  at->first[node] = j;
}

/* Every cursor at its candidate's cheapest arc. */
static void remaining_min_begin_rollout(const decode_task *task, int slot, int64_t k) {
  const path_remaining_min at = cursors_of(task, slot, k);
  for (int64_t j = 0; j < task->stride; ++j) {
    at.first[j] = -1;
    at.least[j] = 0.0f;
  }
  for (int32_t j = 0; j < task->n; ++j) point_cursor(&at, task->n, j, 0);
}

/* Move on the cursors that point to `visited`, of those candidates that are or may become open. */
static void remaining_min_visit(const decode_task *task, int slot, int64_t k, int32_t visited) {
  const path_remaining_min at = cursors_of(task, slot, k);
  const int32_t *unvisited = task->at.unvisited + k * task->stride;
  int32_t next;
  for (int32_t j = at.first[visited]; j >= 0; j = next) {
    next = at.after[j];
    if (!(unvisited[j] || j == task->depot)) continue;
    const uint64_t *arcs = at.arcs + j * task->n;
    int32_t position = at.cursor[j];
    while (arcs[position] != NO_ARC && !unvisited[sort_index(arcs[position])]) ++position;
    point_cursor(&at, task->n, j, position);
  }
  at.first[visited] = -1;
}

/* The minima. The last customer has no other one, though a depot may still have it: the arc that is
 * left for it stands in. */
static const float *remaining_min_row(const decode_task *task, int slot, int64_t k) {
  const feature_source *source = path_source(task, slot);
  const float *table = task->tables.table[source->table];
  const int64_t current = current_node(task, k), stride = task->stride;
  float *least = cursors_of(task, slot, k).least;
  if (task->at.remaining[k] != 1) return least;
  if (task->depot < 0) /* the candidate is alone */
    return source->out ? task->tables.transposed[source->table] +
                             closing_node(task, slot_tour(task, k)) * stride
                       : table + current * stride;
  const int32_t *unvisited = task->at.unvisited + k * stride;
  int64_t j = 0;
  while (!unvisited[j]) ++j;
  least[j] = source->out ? table[j * stride + task->depot] : table[current * stride + j];
  return least;
}

static void remaining_min_move(const decode_task *task, int slot, int64_t from, int64_t to) {
  const size_t row = (size_t)task->stride * sizeof(int32_t);
  const path_remaining_min origin = cursors_of(task, slot, from);
  const path_remaining_min target = cursors_of(task, slot, to);
  memcpy(target.cursor, origin.cursor, row);
  memcpy(target.first, origin.first, row);
  memcpy(target.after, origin.after, row);
  memcpy(target.least, origin.least, row);
}

static const path_entries path_remaining_min_entries = {
    .take = remaining_min_take,
    .begin_instance = remaining_min_begin_instance,
    .begin_rollout = remaining_min_begin_rollout,
    .visit = remaining_min_visit,
    .row = remaining_min_row,
    .move = remaining_min_move,
};
