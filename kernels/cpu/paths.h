/* Numbers that follow the path of a rollout (EDGEFW_PATHS). Each has a file path_NAME.c with the
 * entries below; the decode loop calls them and knows no more of it. `slot` is the number of a
 * source of kind PATH (features.c), k that of a rollout's state. */
#ifndef EDGEFW__CPU_PATHS_H
#define EDGEFW__CPU_PATHS_H

#include "internal.h"

struct decode_task;

/* REMAINING_MIN, of one source: see path_remaining_min.c. */
typedef struct path_remaining_min {
  uint64_t *arcs;         /* (n,n) arcs of each candidate, cheapest first */
  int32_t *cursor;        /* (rollouts,stride) position in `arcs` */
  int32_t *first, *after; /* (rollouts,stride) candidates by where their cursor points */
  float *least;           /* (rollouts,stride) minima over the remaining nodes */
} path_remaining_min;

typedef union path_arrays {
  path_remaining_min remaining_min;
} path_arrays;

typedef struct path_entries {
  /* Memory for n nodes, of one source. */
  void (*take)(cpu_layout *layout, int64_t n, int64_t rollouts, path_arrays *out);
  /* Once per task, before its first rollout. */
  void (*begin_instance)(const struct decode_task *task, int slot);
  /* A rollout that has visited nothing yet; its given nodes follow by `visit`. */
  void (*begin_rollout)(const struct decode_task *task, int slot, int64_t k);
  /* The rollout has gone to `node`, and the rest of its state knows. */
  void (*visit)(const struct decode_task *task, int slot, int64_t k, int32_t node);
  /* Numbers of all candidates (stride), valid until the next visit. */
  const float *(*row)(const struct decode_task *task, int slot, int64_t k);
  /* State `from` goes to `to`, whose own is not needed any more. */
  void (*move)(const struct decode_task *task, int slot, int64_t from, int64_t to);
} path_entries;

#endif
