/* What the decode loop keeps for the logits of a plan: near sets (near.c), and local attention with
 * its weights folded (local_attention.c). */
#ifndef EDGEFW__CPU_LOGITS_H
#define EDGEFW__CPU_LOGITS_H

#include "internal.h"
#include "lanes.h"

/* A table and a number of nearest customers; logits that ask for the same share it. */
typedef struct near_set {
  int table;
  int64_t most;  /* customers */
  int64_t width; /* most members, the depot with them, padded to whole lanes */
} near_set;

typedef struct near_plan {
  int count;
  near_set sets[EDGEFW_MAX_LOGITS];
  int set_of[EDGEFW_MAX_LOGITS]; /* of a logit */
} near_plan;

/* Room for the heads' means of up to 3 inputs and a 1, and for the inputs; whole lanes. */
enum { LOCAL_REST = 16 };

/* LOCAL_ATTENTION. An embedding e_j = W x_j + b + position(rank) is a sum of rows of `members`:
 * that of its rank, and those of the inputs times x_j. What the layer does with embeddings is
 * linear but for the softmax, so it is done to those rows once per call. For one rollout's step:
 *   score    = per head, the row of `score` for the rank plus those for the inputs times x_j
 *   weights  = [softmax per head | per head the mean of the inputs under it | 1] (depth)
 *   mixed    = weights mix: what multi_head_combine returns (32)
 *   outputs  = mixed members^T (columns): numbers by rank, then factors of the inputs
 * Rows of `mix` are in the order of `weights`, the last one is multi_head_combine's bias. */
typedef struct local_weights {
  int inputs;                /* F */
  int64_t width;             /* of the near set */
  int64_t depth;             /* heads * width + LOCAL_REST */
  int64_t columns;           /* width + LOCAL_REST */
  float *score;              /* (heads,columns), for powers of 2 */
  float *mix;                /* (depth,32) */
  float *members;            /* (columns,32) */
  float *mix_transposed;     /* (32,depth) */
  float *members_transposed; /* (32,columns) */
} local_weights;

/* Sums over one instance, in one block of floats. */
typedef struct local_sums {
  float *members; /* (columns,32) */
  float *mix;     /* (depth,32) */
  float *ranks;   /* (heads,width) of `score` */
  float *inputs;  /* (heads * F,LANES) of `score`, to be added up over lanes */
} local_sums;

/* Arrays of a task for one LOCAL_ATTENTION; `rows` as in decode_scratch_arrays. */
typedef struct local_arrays {
  float *angles;            /* (n,n) */
  float *inputs;            /* (rows,F,width) */
  float *weights;           /* (rows,depth) */
  float *mixed;             /* (rows,32) */
  float *outputs;           /* (a block of rows,columns), or their gradients */
  float *dweights, *dmixed; /* training: (a block of rows,depth), (...,32) */
} local_arrays;

#endif
