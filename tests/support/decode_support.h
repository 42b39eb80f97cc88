/* Support for the tests of `decode`: a random decoding problem with every kind of feature, and its
 * rollouts on a device. */
#ifndef EDGEFW_TESTS_SUPPORT_DECODE_SUPPORT_H
#define EDGEFW_TESTS_SUPPORT_DECODE_SUPPORT_H

#include "support/kernels_support.h"

typedef struct ds_shape {
  int64_t batch, nodes, rollouts, heads, head_width;
  int hidden; /* 0: no features */
  bool first; /* the query knows the first node */
  double clip;
  edgefw_advantage advantage;
} ds_shape;

/* Order of the tensors of ds_problem.c. */
enum {
  DS_KEYS,
  DS_VALUES,
  DS_Q_LAST,
  DS_Q_FIRST,
  DS_FOLD,
  DS_FOLD_BIAS,
  DS_W1,
  DS_B1,
  DS_W2,
  DS_B2,
  DS_PAIR,  /* table 0 */
  DS_NODE,  /* table 1 */
  DS_OTHER, /* table 2, a pair again */
  DS_TENSORS
};

typedef struct ds_problem {
  ds_shape shape;
  edgefw_decode_plan plan;
  ks_case c;      /* forced `tours`, train: out is losses (B), log-probabilities (B,S), logits */
  double *cost;   /* (B,n,n) in (0, 1), zero diagonal */
  uint64_t *ids;  /* (B) */
  int32_t *tours; /* (B,S,n) random; rollout s starts at node s */
} ds_problem;

/* `scale`: of keys, queries, fold and tables. */
void ds_create(ds_problem *p, const ds_shape *shape, const char *op, double scale);
void ds_destroy(ds_problem *p);

/* Arguments of the problem for device inputs `in`; outputs and gradients are NULL. */
edgefw_decode_args ds_args(const ds_problem *p, void *const *in);

/* Numbers of a real host array, as doubles. */
void ds_widen(const ks_device *d, const void *reals, int64_t count, double *out);

typedef struct ds_rollouts {
  int64_t rollouts;
  int32_t *tours;
  double *lengths, *log_probability, *logits;
} ds_rollouts;

/* Rollouts first_start .. first_start + rollouts - 1 of every instance. `forced` (B,rollouts,n) is
 * copied in when select is FORCED. */
void ds_decode(const ds_problem *p, const ks_device *d, edgefw_select select, uint64_t seed,
               int64_t first_start, int64_t rollouts, const int32_t *forced, ds_rollouts *out);
void ds_rollouts_destroy(ds_rollouts *r);

#endif
