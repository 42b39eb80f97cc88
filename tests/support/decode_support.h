/* Support for the tests of `decode`: a random decoding problem with every kind of feature, with
 * routes and logits where wanted, and its rollouts on a device. */
#ifndef EDGEFW_TESTS_SUPPORT_DECODE_SUPPORT_H
#define EDGEFW_TESTS_SUPPORT_DECODE_SUPPORT_H

#include "support/kernels_support.h"
#include "train/objectives/reinforce.h"

typedef struct ds_shape {
  int64_t batch, nodes, rollouts, heads, head_width;
  int hidden; /* 0: no features */
  bool first; /* the query knows the first node */
  double clip;
  const edgefw__objective *objective;
} ds_shape;

/* What goes beyond a plain tour; all zero: nothing. */
typedef struct ds_extras {
  bool depot;        /* routes from node 0; at most n - 1 rollouts */
  int resources;     /* 0 .. 2, with a depot */
  bool fractional;   /* demands and capacities are no whole numbers */
  int64_t penalty;   /* customers in the near set of a NEAR_PENALTY; 0: none */
  int64_t attention; /* of a LOCAL_ATTENTION; 0: none */
  double forbidden;  /* share of arcs that are forbidden in the last instance; 0: none in any */
} ds_extras;

enum { DS_LEFT_STRIDE = 5 /* numbers from one row of w_left to the next */ };

/* Order of the tensors of a problem's case. */
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
  DS_LEFT,  /* (d,DS_LEFT_STRIDE), whose last columns are w_left */
  DS_LOCAL, /* first of EDGEFW_LOCAL_TENSORS tensors */
  DS_DISTANCE = DS_LOCAL + EDGEFW_LOCAL_TENSORS, /* table 3: a pair in (0, 1), for the logits */
  DS_POINTS,                                     /* table 4 */
  DS_TENSORS,
  DS_COST = DS_TENSORS /* no tensor: `cost` as the device takes exact doubles */
};

typedef struct ds_problem {
  ds_shape shape;
  ds_extras extras;
  int64_t steps; /* T */
  edgefw_decode_plan plan;
  ks_case c;      /* forced `tours`, train: out is losses (B), log-probabilities (B,S), logits */
  double *cost;   /* (B,n,n) in (0, 1), zero diagonal */
  uint64_t *ids;  /* (B) */
  int32_t *tours; /* (B,S,T) random; rollout s starts at node s, or at customer s + 1 */
  double *demand[EDGEFW_MAX_RESOURCES];   /* (B,n) 1 .. 9, the same divided by 7 if fractional */
  double *capacity[EDGEFW_MAX_RESOURCES]; /* (B) */
  double *slack[EDGEFW_MAX_RESOURCES];    /* (B) */
  double *forbidden;                      /* (B) costs from which on arcs are; or NULL */
} ds_problem;

/* A plain tour. `scale`: of keys, queries, fold and tables. */
void ds_create(ds_problem *p, const ds_shape *shape, const char *op, double scale);
/* The same with a depot, resources and logits. Tensors that are not there have no numbers. */
void ds_create_with(ds_problem *p, const ds_shape *shape, const ds_extras *extras, const char *op,
                    double scale);
void ds_destroy(ds_problem *p);

/* What a training decode of the problem tells its objective: user of ds_weigh. */
typedef struct ds_weighing {
  const ds_problem *p;
  double *losses; /* (B) */
} ds_weighing;

/* edgefw_decode_args.weigh by the shape's objective. */
void ds_weigh(void *user, int64_t instance, int64_t rollouts, const double *lengths,
              const double *log_probability, double *weights);

/* Device tensors of the problem, or their gradients, as the operation takes them. */
edgefw_decode_weights ds_weights(const ds_problem *p, const ks_device *d, void *const *tensor);

/* Arguments of the problem for device inputs `in` of `d`; outputs and gradients are NULL. */
edgefw_decode_args ds_args(const ds_problem *p, const ks_device *d, void *const *in);

/* Inputs on a device, in the order of the tensors, and the cost. */
void ds_upload(const ds_problem *p, const ks_device *d, void **in);
void ds_release(const ds_problem *p, const ks_device *d, void **in);

/* Nodes that may follow tour[0 .. t) of instance b, 0 < t, worked out from the tour alone; returns
 * how many. */
int64_t ds_open(const ds_problem *p, int64_t b, const int32_t *tour, int64_t t, bool *open);

/* Step of the last node that is no padding. */
int64_t ds_last(const ds_problem *p, const int32_t *tour);

/* Length of a closed tour of instance b, arc by arc. */
double ds_length(const ds_problem *p, int64_t b, const int32_t *tour);

/* Numbers of a real host array, as doubles. */
void ds_widen(const ks_device *d, const void *reals, int64_t count, double *out);

typedef struct ds_rollouts {
  int64_t rollouts;
  int32_t *tours;
  double *lengths, *log_probability, *logits;
} ds_rollouts;

/* Rollouts first_start .. first_start + rollouts - 1 of every instance. `forced` (B,rollouts,T) is
 * copied in when select is FORCED. */
void ds_decode(const ds_problem *p, const ks_device *d, edgefw_select select, uint64_t seed,
               int64_t first_start, int64_t rollouts, const int32_t *forced, ds_rollouts *out);
void ds_rollouts_destroy(ds_rollouts *r);

#endif
