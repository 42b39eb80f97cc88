/* Minima over the remaining nodes (EDGEFW_FEATURE_REMAINING_MIN). The arcs of every candidate are
 * sorted once per task. Each rollout keeps a cursor per candidate that only moves forward, and only
 * when the node that it points to has just been visited: the candidates that point to a node form a
 * list, so that a step touches no other. */
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

/* What one slot's minima are taken of: rows are the arcs out of (or into) each candidate. */
static const float *slot_matrix(const decode_task *task, int slot) {
  const feature_plan *plan = &task->job->mlp.plan;
  const feature_source *source = &plan->sources[plan->remaining[slot]];
  return source->out ? task->tables.table[source->table] : task->tables.transposed[source->table];
}

static void begin_remaining(const decode_task *task) {
  const int64_t n = task->n;
  for (int slot = 0; slot < task->job->mlp.plan.remaining_count; ++slot)
    for (int64_t j = 0; j < n; ++j) {
      uint64_t *arcs = task->at.arcs + (slot * n + j) * n;
      int64_t count;
      const uint64_t *sorted =
          sort_arcs(task, slot_matrix(task, slot) + j * task->stride, j, &count);
      memcpy(arcs, sorted, (size_t)count * sizeof *arcs);
      arcs[count] = NO_ARC;
    }
}

/* The cursors of one rollout for one source. */
typedef struct cursors {
  const uint64_t *arcs; /* (n,n) */
  int32_t *cursor;      /* position among the candidate's arcs */
  int32_t *first;       /* of the candidates that point to a node; -1: none */
  int32_t *after;       /* the next such candidate */
  float *least;
} cursors;

static cursors cursors_of(const decode_task *task, int slot, int64_t k) {
  const int64_t state = (slot * task->rollouts + k) * task->stride;
  return (cursors){.arcs = task->at.arcs + slot * task->n * task->n,
                   .cursor = task->at.cursor + state,
                   .first = task->at.first + state,
                   .after = task->at.after + state,
                   .least = task->at.least + state};
}

/* Point candidate j to its arc number `position`, if there is one. */
static inline void point_cursor(const cursors *at, int64_t n, int32_t j, int32_t position) {
  const uint64_t arc = at->arcs[j * n + position];
  if (arc == NO_ARC) return;
  const int64_t node = sort_index(arc);
  at->cursor[j] = position;
  at->least[j] = sort_value(arc);
  at->after[j] = at->first[node];
  at->first[node] = j;
}

/* One rollout at its first step: every cursor at its candidate's cheapest arc. */
static void reset_cursors(const cursors *at, int64_t n, int64_t stride) {
  for (int64_t j = 0; j < stride; ++j) {
    at->first[j] = -1;
    at->least[j] = 0.0f;
  }
  for (int32_t j = 0; j < n; ++j) point_cursor(at, n, j, 0);
}

/* Move on the cursors that point to `visited`, of those candidates that are or may become open. */
static void advance_cursors(const cursors *at, const int32_t *unvisited, int32_t depot,
                            int32_t visited, int64_t n) {
  int32_t next;
  for (int32_t j = at->first[visited]; j >= 0; j = next) {
    next = at->after[j];
    if (!(unvisited[j] || j == depot)) continue;
    const uint64_t *arcs = at->arcs + j * n;
    int32_t position = at->cursor[j];
    while (arcs[position] != NO_ARC && !unvisited[sort_index(arcs[position])]) ++position;
    point_cursor(at, n, j, position);
  }
  at->first[visited] = -1;
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
  minima[j] =
      source->out ? table[j * task->stride + task->depot] : table[current * task->stride + j];
}

/* Bring all rollouts' minima to step t: node t-1 of each tour has just been visited. */
static void update_remaining(const decode_task *task, int64_t t) {
  const int64_t n = task->n, stride = task->stride;
  for (int slot = 0; slot < task->job->mlp.plan.remaining_count; ++slot)
    for (int64_t k = 0; k < task->live; ++k) {
      const int32_t *tour = slot_tour(task, k);
      const cursors at = cursors_of(task, slot, k);
      if (t == task->given) reset_cursors(&at, n, stride);
      advance_cursors(&at, task->at.unvisited + k * stride, task->depot, tour[t - 1], n);
      if (task->depot >= 0 && task->at.remaining[k] == 1)
        stand_in(task, slot, k, tour[t - 1], at.least);
      if (task->args->train)
        memcpy(task->at.minima + (slot * task->rows + task->row + k) * stride, at.least,
               (size_t)stride * sizeof *at.least);
    }
}
