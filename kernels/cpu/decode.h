/* What the files of the decode loop share: the scratch of one task and its place in the batch.
 * A task is one instance (training) or a fixed-size chunk of its rollouts. */
#ifndef EDGEFW__CPU_DECODE_H
#define EDGEFW__CPU_DECODE_H

#include "bf16.h"
#include "features.c"
#include "logits.h"
#include "masked_softmax.h"
#include "paths.h"
#include "tile.h"

enum {
  DECODE_CHUNK = 128,  /* rollouts that advance together outside training */
  DECODE_BLOCK = 24,   /* rollouts whose scores of one head stay in the cache */
  ROUNDED_BLOCK = 32,  /* ... in whole tiles, where factors are rounded */
  MLP_ROLLOUTS = 16,   /* rollouts whose features are scored together */
  DECODE_ROWS = 48,    /* rows of the backward pass that do */
  ROUNDED_ROWS = 128,  /* ... for which packing the other factor pays */
  SHARE_ROWS = 64,     /* shares of a resource whose powers are kept */
  LOOK_UP_NODES = 2000 /* most nodes for which scores are kept, outside training: at 2000, two
                          tables of eight heads take 256 MB of each thread */
};

typedef struct decode_job {
  const edgefw_decode_args *args;
  edgefw_device *device;
  feature_mlp mlp;
  near_plan near;
  local_weights local[EDGEFW_MAX_LOGITS]; /* of each LOCAL_ATTENTION */
  float *w_left;                          /* (resources,d) */
  int64_t tasks;                          /* per instance; each takes some of its chunks */
  /* Training, of each instance: */
  float *partial;                          /* (B, mlp_gradient_size) */
  float *left_partial;                     /* (B,resources,d) */
  float *local_partial[EDGEFW_MAX_LOGITS]; /* (B, local_sums_size) */
  double *local_total;                     /* (local_sums_size) of one logit */
} decode_job;

/* A decision: what was chosen as entry `step` of a rollout after `visited` nodes. */
typedef struct decode_row {
  int32_t rollout, step, visited;
} decode_row;

/* How a row of attention scores is kept: not at all yet, as it is, or as powers of 2 of which the
 * largest is 1. */
typedef enum score_form { SCORES_UNKNOWN = 0, SCORES_AS_SUMS, SCORES_AS_POWERS } score_form;

/* Tables of attention scores: of the query's part for the last node, and of that for the first. */
enum { SCORES_OF_LAST, SCORES_OF_FIRST, SCORE_TABLES };

/* Scores of each node's row of queries with all keys, for powers of 2; NULL where there is no such
 * part of the query. */
typedef struct score_table {
  float *rows;     /* (n,heads,stride) */
  uint8_t *form;   /* (n,heads) a score_form */
  float *gradient; /* training: (n,heads,stride) by the scores */
} score_table;

typedef struct score_range {
  float least, most;
} score_range;

/* Factors in BF16; NULL where they stay float. */
typedef struct rounded_arrays {
  bf16_pair *keys, *values; /* heads of n columns and d_h deep, and the other way round */
  bf16_pair *fold;          /* n columns, d deep */
  bf16_pair *rows;          /* of the product that is being made */
} rounded_arrays;

/* Arrays of one task. Rows of candidates are `stride` long, n padded to whole lanes.
 * State of a rollout is found by its slot: the rollouts that are not finished yet take slots 0 ..
 * live - 1, in their order. A row of other arrays belongs to a decision; those of a step follow
 * each other by slot. In training they are kept, step after step; otherwise there is one step's
 * worth of rows. */
typedef struct decode_scratch_arrays {
  float *padded[EDGEFW_MAX_TABLES];     /* (n,stride) copies of pair tables */
  float *transposed[EDGEFW_MAX_TABLES]; /* (n,stride) their transposes, where features need them */
  decode_row *row;                      /* (rows) */
  int32_t *rollout;                     /* (rollouts) by slot */
  int32_t *remaining;                   /* (rollouts) how many nodes are not visited yet */
  int32_t *unvisited;                   /* (rollouts,stride) -1: not visited yet */
  uint8_t
      *block_left; /* (rollouts,stride / LANES) nodes of one block of lanes that may be open yet */
  int32_t *open;   /* (rollouts,stride) -1: may be chosen; see open_apart */
  lane_bits *open_bits; /* (rows,stride / LANES) `open` of each row */
  double *left;         /* (rollouts,resources) */
  float *left_share;    /* (rows,resources) of the capacity */
  int32_t *step;        /* (rollouts) how many entries of its tour a rollout has */
  uint64_t *sorting;    /* (2,n) */
  /* Numbers that follow the path, by slot: */
  path_arrays paths[EDGEFW_MAX_FEATURES];
  const float **path_rows; /* (rows,slots) those of a row's candidates */
  float *path_copies;      /* training: (slots,rows,stride) what path_rows points to */
  /* Logits */
  int32_t *near_order[EDGEFW_MAX_LOGITS]; /* (n,n) of each near set: the others, nearest first */
  int32_t *near_nodes[EDGEFW_MAX_LOGITS]; /* (rows,width) its members */
  int32_t *near_count;                    /* (sets,rows) how many */
  int32_t *near_open;                     /* (width) */
  local_arrays local[EDGEFW_MAX_LOGITS];
  rounded_arrays rounded;
  /* Attention */
  score_table scores[SCORE_TABLES];
  float *left_scores;      /* (resources,heads,stride) of w_left */
  score_range *left_range; /* (resources,heads) of those of the n nodes */
  float *share_powers;     /* (resources,SHARE_ROWS,heads,stride) powers of a share times these */
  float *share_of;         /* (resources,SHARE_ROWS,heads) whose they are; NaN: nobody's */
  float *packed_keys;      /* (d,stride) keys^T log2(e) / sqrt(d_h) */
  float *packed_values;    /* (heads,n,padded d_h) */
  float *packed_fold;      /* (d,stride) fold^T / sqrt(d) */
  float *bias_row;         /* (stride) fold_bias / sqrt(d) */
  float *head_context;     /* (block of rollouts, padded d_h) */
  float *base;             /* (hidden + 1,stride) of the feature MLP */
  float *query;            /* (block of rollouts,d) */
  float *attention;        /* (block of rollouts,stride) weights of one head, or scores */
  float *context;          /* (rows,d) attention output o; in the backward pass its gradient */
  float *logits;           /* (rows,stride) */
  float *probability;      /* (rows,stride) */
  float *bias, *total;     /* (mlp width) */
  float *shifts;           /* (MLP_ROLLOUTS, forward width) */
  int32_t *entries;        /* (rollouts) of its tour, by number; after the last step */
  double *log_probability, *weight; /* (rollouts) */
  /* Training, for a block of rows: */
  float *dcontext;            /* (block,padded d) */
  float *weights;             /* (block,stride) of attention, up to a factor */
  float *dattention;          /* (block,stride) */
  float *padded_rows;         /* (block,padded d) */
  float *head_rows;           /* (block,padded d_h) */
  int32_t *chosen;            /* (n) candidates that have a gradient */
  float *left_gradient;       /* (resources,heads,stride) by left_scores */
  float *query_rows, *dquery; /* (n,padded d_h) of one head */
  /* Training, what products read, and their sums over all rows: */
  float *values_transposed, *key_rows,
      *fold_rows;                         /* (d,stride), (heads,n,padded d_h), (n,padded d) */
  float *dvalues, *dkeys, *dfold, *dbias; /* (heads,n,padded d_h) twice, (n,padded d), (stride) */
} decode_scratch_arrays;

typedef struct decode_task {
  const decode_job *job;
  const edgefw_decode_args *args;
  int64_t b, n, d, heads, width; /* width: d_h */
  int64_t steps;                 /* entries of a tour */
  int32_t depot;                 /* 0, or -1: none */
  int resources;
  double largest_demand[EDGEFW_MAX_RESOURCES];
  int64_t first, rollouts; /* rollouts first .. first + rollouts - 1 of the S */
  int64_t live;            /* slots in use */
  int64_t rows, stride;    /* rows that there is room for */
  int64_t row;             /* first one of the step; after the last step their number in training */
  decode_scratch_arrays at;
  feature_tables tables;
  int32_t *tours;  /* (rollouts,steps) */
  double *lengths; /* (rollouts) */
} decode_task;

static inline bool has_depot(const edgefw_decode_args *args) {
  return args->plan->start == EDGEFW_START_EACH_CUSTOMER;
}

/* May a node that is not visited be closed? Otherwise both are the same array. */
static inline bool open_apart(const edgefw_decode_args *args) {
  return has_depot(args) || args->forbidden;
}

/* Does the query know the first node? */
static inline bool knows_first(const edgefw_decode_args *args) {
  return args->plan->query & EDGEFW_QUERY_FIRST;
}

/* Are attention scores looked up? In training always: rows of decisions take more memory. */
static inline bool looks_up(const edgefw_decode_args *args) {
  return args->train || args->nodes <= LOOK_UP_NODES;
}

/* Entries of a tour that its start rule gives: the first node, or the depot and a customer. */
static inline int64_t start_entries(const edgefw_decode_args *args) {
  return has_depot(args) ? 2 : 1;
}

static inline int64_t rollouts_per_chunk(const edgefw_decode_args *args) {
  return args->train || args->rollouts < DECODE_CHUNK ? args->rollouts : DECODE_CHUNK;
}

/* Rows that so many rollouts need. With a depot that is the worst case, in which every customer has
 * a route of its own; what is not needed is not touched. */
static inline int64_t decode_rows(const edgefw_decode_args *args, int64_t rollouts) {
  const int64_t steps = args->steps - start_entries(args);
  return args->train && steps > 1 ? steps * rollouts : rollouts;
}

static inline const float *instance_rows(const decode_task *task, const void *array) {
  return (const float *)array + task->b * task->n * task->d;
}

static inline int32_t *slot_tour(const decode_task *task, int64_t slot) {
  return task->tours + task->at.rollout[slot] * task->steps;
}

/* Entries of a rollout's tour that are not chosen. */
static inline int64_t given_entries(const decode_task *task, int64_t rollout) {
  const edgefw_decode_args *args = task->args;
  return args->given ? args->given[task->b * args->rollouts + task->first + rollout]
                     : start_entries(args);
}

/* Where a slot's rollout stands. */
static inline int32_t current_node(const decode_task *task, int64_t slot) {
  return slot_tour(task, slot)[task->at.step[slot] - 1];
}

/* The node that closes a tour. */
static inline int32_t closing_node(const decode_task *task, const int32_t *tour) {
  return task->args->plan->closing == EDGEFW_CLOSE_AT_DEPOT ? 0 : tour[0];
}

static inline void view_row(const decode_task *task, int64_t row, feature_view *view) {
  const decode_row at = task->at.row[row];
  const int32_t *tour = task->tours + at.rollout * task->steps;
  const feature_place place = {.current = tour[at.step - 1],
                               .closing = closing_node(task, tour),
                               .progress = (float)at.visited / (float)task->n,
                               .paths = task->at.path_rows + row * task->job->mlp.plan.path_count};
  view_features(&task->job->mlp.plan, &task->tables, &place, view);
}

#endif
