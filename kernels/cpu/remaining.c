/* Minima over the remaining nodes (EDGEFW_FEATURE_REMAINING_MIN). The arcs of every candidate are
 * sorted once per task; each rollout keeps a cursor per candidate that only moves forward, and only
 * when the node that it points to has just been visited. */
#include <stdlib.h>

#include "decode.h"

/* Bits of a float in an order in which unsigned integers compare like floats. */
static uint32_t sortable(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static int compare_keys(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* order[j] = the other nodes but the depot (-1: there is none) by matrix[j][.], ascending, ties by
 * index; -1 ends each row. */
static void sort_arcs(const float *matrix, int32_t depot, int32_t *order, uint64_t *sorting,
                      int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    int64_t count = 0;
    for (int64_t l = 0; l < n; ++l)
      if (l != j && l != depot)
        sorting[count++] = (uint64_t)sortable(matrix[j * n + l]) << 32 | (uint64_t)l;
    qsort(sorting, (size_t)count, sizeof *sorting, compare_keys);
    for (int64_t k = 0; k < count; ++k) order[j * n + k] = (int32_t)(sorting[k] & 0xffffffffu);
    order[j * n + count] = -1;
  }
}

/* What one slot's minima are taken of: rows are the arcs out of (or into) each candidate. */
static const float *slot_matrix(const decode_task *task, int slot) {
  const feature_plan *plan = &task->job->mlp.plan;
  const feature_source *source = &plan->sources[plan->remaining[slot]];
  return source->out ? task->tables.table[source->table] : task->tables.transposed[source->table];
}

static void begin_remaining(const decode_task *task) {
  for (int slot = 0; slot < task->job->mlp.plan.remaining_count; ++slot)
    sort_arcs(slot_matrix(task, slot), task->depot, task->at.order + slot * task->n * task->n,
              task->at.sorting, task->n);
}

/* One rollout at its first step: every cursor at its candidate's cheapest arc. */
static void reset_cursors(const float *matrix, const int32_t *order, int32_t *cursor,
                          int32_t *nearest, float *minima, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    cursor[j] = 0;
    nearest[j] = order[j * n];
    minima[j] = nearest[j] < 0 ? 0.0f : matrix[j * n + nearest[j]];
  }
}

/* Move on the cursors that point to `visited`, of those candidates that are or may become open. */
static void advance_cursors(const float *matrix, const int32_t *order, const int32_t *unvisited,
                            int32_t depot, int32_t visited, int32_t *cursor, int32_t *nearest,
                            float *minima, int64_t n, int64_t stride) {
  for (int64_t first = 0; first < stride; first += LANES) {
    int32_t hits = 0;
    for (int64_t j = first; j < first + LANES; ++j) hits |= nearest[j] == visited;
    if (!hits) continue;
    for (int64_t j = first; j < first + LANES; ++j) {
      if (nearest[j] != visited || !(unvisited[j] || j == depot)) continue;
      const int32_t *arcs = order + j * n;
      while (arcs[cursor[j]] >= 0 && !unvisited[arcs[cursor[j]]]) ++cursor[j];
      nearest[j] = arcs[cursor[j]];
      if (nearest[j] >= 0) minima[j] = matrix[j * n + nearest[j]];
    }
  }
}

/* With a depot the last customer has no other one, though the depot still has it: the arc that is
 * left for it stands in. */
static void stand_in(const decode_task *task, int slot, int64_t k, int32_t current, float *minima) {
  const feature_plan *plan = &task->job->mlp.plan;
  const feature_source *source = &plan->sources[plan->remaining[slot]];
  const int32_t *unvisited = task->at.unvisited + k * task->stride;
  const float *table = task->tables.table[source->table];
  int64_t j = 0;
  while (!unvisited[j]) ++j;
  minima[j] = source->out ? table[j * task->n + task->depot] : table[current * task->n + j];
}

/* Bring all rollouts' minima to step t: node t-1 of each tour has just been visited. */
static void update_remaining(const decode_task *task, int64_t t) {
  const int64_t n = task->n, stride = task->stride, rollouts = task->rollouts;
  for (int slot = 0; slot < task->job->mlp.plan.remaining_count; ++slot) {
    const float *matrix = slot_matrix(task, slot);
    const int32_t *order = task->at.order + slot * n * n;
    for (int64_t k = 0; k < task->live; ++k) {
      const int64_t state = (slot * rollouts + k) * stride;
      const int32_t current = slot_tour(task, k)[t - 1];
      int32_t *cursor = task->at.cursor + state, *nearest = task->at.nearest + state;
      float *minima = task->at.least + state;
      if (t == task->given) reset_cursors(matrix, order, cursor, nearest, minima, n);
      advance_cursors(matrix, order, task->at.unvisited + k * stride, task->depot, current, cursor,
                      nearest, minima, n, stride);
      if (task->depot >= 0 && task->at.remaining[k] == 1) stand_in(task, slot, k, current, minima);
      if (task->args->train)
        memcpy(task->at.minima + (slot * task->rows + task->row + k) * stride, minima,
               (size_t)n * sizeof *minima);
    }
  }
}
