/* Numbers that follow the path of a rollout (EDGEFW_PATHS). Each has a file path_NAME.c with the
 * entries below; the decode loop calls them and knows no more of it. `slot` is the number of a
 * source of kind PATH (features.c), k that of a rollout's state. Slots that follow the same thing
 * share the state of the first of them, their owner: only rows are asked of the others. */
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

/* CYCLE_COVER: see path_cycle_cover.c. Rows have `stride` nodes. Behind the states of the rollouts,
 * in slot `first`, is the one that each begins with. */
typedef struct path_cycle_cover {
  int64_t first;
  double *transposed;              /* (n,n) costs */
  double *mean;                    /* (1) arc of the first permutation */
  float *exit;                     /* (stride) of each node from the first cycles */
  int32_t *after, *before, *label; /* (rollouts + 1,stride) permutation and cycles now */
  double *arriving;                /* (rollouts + 1,stride) cost of the arc before -> node */
  struct cover_standing *standing; /* (rollouts + 1) */
  float *row;                      /* (EDGEFW_COVER_NUMBERS,rollouts,stride) */
} path_cycle_cover;

/* Of one rollout. */
typedef struct cover_standing {
  int32_t last;   /* node that it stands on, -1: none yet */
  int32_t cycles; /* how many there are */
  int32_t label;  /* the least that no cycle has had */
} cover_standing;

typedef union path_arrays {
  path_remaining_min remaining_min;
  path_cycle_cover cycle_cover;
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
