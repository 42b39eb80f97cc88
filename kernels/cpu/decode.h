/* What the files of the decode loop share: the scratch of one task and its place in the batch.
 * A task is one instance (training) or a fixed-size chunk of its rollouts. */
#ifndef EDGEFW__CPU_DECODE_H
#define EDGEFW__CPU_DECODE_H

#include "features.c"
#include "tile.h"

enum {
  DECODE_CHUNK = 128, /* rollouts that advance together outside training */
  DECODE_BLOCK = 24,  /* rollouts whose scores of one head stay in the cache */
  MLP_ROLLOUTS = 16,  /* rollouts whose features are scored together */
  DECODE_ROWS = 48    /* rows of the backward pass that do */
};

typedef struct decode_job {
  const edgefw_decode_args *args;
  edgefw_device *device;
  feature_mlp mlp;
  int64_t tasks;  /* per instance; each takes some of its chunks */
  float *partial; /* training: (B, mlp_gradient_size) */
} decode_job;

/* Arrays of one task. Rows of candidates are `stride` long, n padded to whole lanes. A row of a
 * training array belongs to step t and rollout s: row (t-1) * rollouts + s. Outside training there
 * is one step's worth of rows. */
typedef struct decode_scratch_arrays {
  float *transposed[EDGEFW_MAX_TABLES]; /* (n,n) where the features need it */
  int32_t *order;            /* (slots,n,n) nodes by the arcs of each candidate, cheapest first */
  uint64_t *sorting;         /* (n) */
  int32_t *cursor, *nearest; /* (slots,rollouts,stride) position in `order`, and the node there */
  float *minima;             /* (slots,rows,stride) minima over the remaining nodes */
  float *packed_keys;        /* (d,stride) keys^T log2(e) / sqrt(d_h) */
  float *packed_values;      /* (heads,n,padded d_h) */
  float *packed_fold;        /* (d,stride) fold^T / sqrt(d) */
  float *bias_row;           /* (stride) fold_bias / sqrt(d) */
  float *head_context;       /* (block of rollouts, padded d_h) */
  float *base;               /* (hidden,stride) of the feature MLP */
  float *query;              /* (rows,d) */
  float *attention;    /* (heads,rows,stride) in training, (block of rollouts,stride) otherwise */
  float *context;      /* (rows,d) attention output o */
  float *logits;       /* (rows,stride) */
  float *probability;  /* (rows,stride) */
  int32_t *open;       /* (rollouts,stride) -1: not visited yet */
  float *bias, *total; /* (mlp width) */
  float *shifts;       /* (MLP_ROLLOUTS, mlp width) */
  double *log_probability, *advantage; /* (rollouts) */
  /* Training, for a block of rows: */
  float *dcontext;    /* (block,padded d) */
  float *dquery;      /* (block,d) */
  float *dattention;  /* (block,stride) */
  float *padded_rows; /* (block,padded d) */
  float *head_rows;   /* (block,padded d_h) */
  int32_t *chosen;    /* (n) candidates that have a gradient */
  /* ... what products read, and their sums over all rows: */
  float *values_transposed, *key_rows,
      *fold_rows;                         /* (d,stride), (heads,n,padded d_h), (n,padded d) */
  float *dvalues, *dkeys, *dfold, *dbias; /* (heads,n,padded d_h) twice, (n,padded d), (stride) */
} decode_scratch_arrays;

typedef struct decode_task {
  const decode_job *job;
  const edgefw_decode_args *args;
  int64_t b, n, d, heads, width; /* width: d_h */
  int64_t first, rollouts;       /* rollouts first .. first + rollouts - 1 of the S */
  int64_t rows, stride;
  decode_scratch_arrays at;
  feature_tables tables;
  int32_t *tours;  /* (rollouts,n) */
  double *lengths; /* (rollouts) */
} decode_task;

static inline const float *instance_rows(const decode_task *task, const void *array) {
  return (const float *)array + task->b * task->n * task->d;
}

/* The node that closes rollout s; so far every problem closes at its start. */
static inline int32_t closing_node(const decode_task *task, int64_t s) {
  return task->tours[s * task->n];
}

static inline void view_step(const decode_task *task, int64_t s, int64_t t, feature_view *view) {
  const int64_t row = task->args->train ? (t - 1) * task->rollouts + s : s;
  const feature_place place = {.current = task->tours[s * task->n + t - 1],
                               .closing = closing_node(task, s),
                               .progress = (float)t / (float)task->n,
                               /* the last candidate is alone */
                               .minima =
                                   t < task->n - 1 ? task->at.minima + row * task->stride : NULL,
                               .slot_stride = task->rows * task->stride};
  view_features(&task->job->mlp.plan, &task->tables, task->n, &place, view);
}

#endif
