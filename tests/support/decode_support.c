/* Support for the tests of `decode`; see decode_support.h. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "support/decode_support.h"

#include "edgefw/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One of every kind of feature, and the look-ups that the published terms make. */
static const edgefw_feature features[] = {
    {.kind = EDGEFW_FEATURE_PAIR, .table = 0, .row = EDGEFW_CURRENT, .column = EDGEFW_CANDIDATE},
    {.kind = EDGEFW_FEATURE_PAIR, .table = 0, .row = EDGEFW_CANDIDATE, .column = EDGEFW_CURRENT},
    {.kind = EDGEFW_FEATURE_ANTISYMMETRIC,
     .table = 0,
     .row = EDGEFW_CURRENT,
     .column = EDGEFW_CANDIDATE},
    {.kind = EDGEFW_FEATURE_PAIR, .table = 2, .row = EDGEFW_CANDIDATE, .column = EDGEFW_CLOSING},
    {.kind = EDGEFW_FEATURE_NODE, .table = 1, .row = EDGEFW_CANDIDATE},
    {.kind = EDGEFW_FEATURE_STATE, .state = EDGEFW_STATE_PROGRESS},
    {.kind = EDGEFW_FEATURE_NODE, .table = 1, .row = EDGEFW_CURRENT},
    {.kind = EDGEFW_FEATURE_NODE, .table = 1, .row = EDGEFW_CLOSING},
    {.kind = EDGEFW_FEATURE_ANTISYMMETRIC,
     .table = 2,
     .row = EDGEFW_CLOSING,
     .column = EDGEFW_CANDIDATE},
    {.kind = EDGEFW_FEATURE_PAIR, .table = 0, .row = EDGEFW_CLOSING, .column = EDGEFW_CANDIDATE},
    {.kind = EDGEFW_FEATURE_PAIR, .table = 2, .row = EDGEFW_CURRENT, .column = EDGEFW_CLOSING},
    {.kind = EDGEFW_FEATURE_PAIR, .table = 0, .row = EDGEFW_CLOSING, .column = EDGEFW_CURRENT},
    {.kind = EDGEFW_FEATURE_ANTISYMMETRIC,
     .table = 0,
     .row = EDGEFW_CLOSING,
     .column = EDGEFW_CURRENT},
    {.kind = EDGEFW_FEATURE_REMAINING_MIN,
     .table = 0,
     .row = EDGEFW_CANDIDATE,
     .column = EDGEFW_CLOSING},
    {.kind = EDGEFW_FEATURE_REMAINING_MIN,
     .table = 2,
     .row = EDGEFW_CURRENT,
     .column = EDGEFW_CANDIDATE},
};

static void fill_plan(edgefw_decode_plan *plan, const ds_shape *s) {
  *plan = (edgefw_decode_plan){.start = EDGEFW_START_EACH_NODE,
                               .closing = EDGEFW_CLOSE_AT_START,
                               .query = s->first ? EDGEFW_QUERY_FIRST : 0,
                               .heads = s->heads,
                               .width = s->heads * s->head_width};
  if (s->hidden == 0) return;
  plan->hidden = s->hidden;
  plan->feature_count = sizeof features / sizeof features[0];
  memcpy(plan->features, features, sizeof features);
  plan->table_count = 3;
  plan->table_is_pair[0] = plan->table_is_pair[2] = true;
}

/* Fisher-Yates over all nodes but the first, which stays. */
static void shuffle(int32_t *tour, int64_t n, uint64_t instance) {
  for (int64_t t = n - 1; t > 1; --t) {
    const uint32_t word = edgefw_random_word(3, EDGEFW_STREAM_ROLLOUT, instance, (uint64_t)t);
    const int64_t other = 1 + edgefw_random_below(word, (uint32_t)t);
    const int32_t kept = tour[t];
    tour[t] = tour[other];
    tour[other] = kept;
  }
}

static void fill_tours(ds_problem *p) {
  const int64_t n = p->shape.nodes;
  for (int64_t r = 0; r < p->shape.batch * p->shape.rollouts; ++r) {
    int32_t *tour = p->tours + r * n;
    for (int64_t t = 0; t < n; ++t) tour[t] = (int32_t)((r % p->shape.rollouts + t) % n);
    shuffle(tour, n, (uint64_t)r);
  }
}

static void fill_costs(ds_problem *p) {
  const int64_t n = p->shape.nodes;
  ks_fill(p->cost, p->shape.batch * n * n, 1.0, 11);
  for (int64_t i = 0; i < p->shape.batch * n * n; ++i)
    p->cost[i] = i % (n * n) % (n + 1) == 0 ? 0.0 : fabs(p->cost[i]);
}

static void run(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                void *const *grad, double *out) {
  (void)dout; /* the loss is the operation's own; see ds_create */
  const ds_problem *p = c->shape;
  const int64_t batch = p->shape.batch, rollouts = batch * p->shape.rollouts, n = p->shape.nodes;
  const int64_t logits = rollouts * n * n;
  edgefw_decode_args a = ds_args(p, in);
  a.select = EDGEFW_SELECT_FORCED;
  a.train = true;
  a.losses = out;
  a.log_probability = out + batch;
  a.lengths = ks_zeros(rollouts);
  a.logits = ks_zeros(logits);
  a.dkeys = grad[DS_KEYS];
  a.dvalues = grad[DS_VALUES];
  a.dq_last = grad[DS_Q_LAST];
  a.dq_first = grad[DS_Q_FIRST];
  a.dfold = grad[DS_FOLD];
  a.dfold_bias = grad[DS_FOLD_BIAS];
  a.dw1 = grad[DS_W1];
  a.db1 = grad[DS_B1];
  a.dw2 = grad[DS_W2];
  a.db2 = grad[DS_B2];
  ks_ok(d, d->k->decode(d->device, &a));
  ds_widen(d, a.logits, logits, out + batch + rollouts);
  free(a.lengths);
  free(a.logits);
}

void ds_create(ds_problem *p, const ds_shape *shape, const char *op, double scale) {
  *p = (ds_problem){.shape = *shape};
  const int64_t b = shape->batch, n = shape->nodes, s = shape->rollouts;
  const int64_t d = shape->heads * shape->head_width, hidden = shape->hidden;
  fill_plan(&p->plan, shape);
  ks_case_create(&p->c, op, p, run, b + b * s + b * s * n * n);
  ks_case_add(&p->c, "keys", b * n * d, true, scale);
  ks_case_add(&p->c, "values", b * n * d, true, 1.0);
  ks_case_add(&p->c, "q_last", b * n * d, true, scale);
  ks_case_add(&p->c, "q_first", shape->first ? b * n * d : 0, true, scale);
  ks_case_add(&p->c, "fold", b * n * d, true, scale);
  ks_case_add(&p->c, "fold_bias", b * n, true, 1.0);
  ks_case_add(&p->c, "w1", hidden * p->plan.feature_count, true, 1.0);
  ks_case_add(&p->c, "b1", hidden, true, 1.0);
  ks_case_add(&p->c, "w2", hidden, true, 1.0);
  ks_case_add(&p->c, "b2", hidden > 0, true, 1.0);
  ks_case_add(&p->c, "pair", hidden > 0 ? b * n * n : 0, false, scale);
  ks_case_add(&p->c, "node", hidden > 0 ? b * n : 0, false, scale);
  ks_case_add(&p->c, "other", hidden > 0 ? b * n * n : 0, false, scale);
  /* The operation differentiates the mean of the losses and nothing else. */
  for (int64_t i = 0; i < p->c.out_count; ++i) p->c.dout[i] = i < b ? 1.0 / (double)b : 0.0;
  p->cost = ks_zeros(b * n * n);
  fill_costs(p);
  p->ids = calloc((size_t)b, sizeof *p->ids);
  p->tours = calloc((size_t)(b * s * n), sizeof *p->tours);
  assert_non_null(p->ids);
  assert_non_null(p->tours);
  for (int64_t i = 0; i < b; ++i) p->ids[i] = 4000000000u + 7 * (uint64_t)i;
  fill_tours(p);
}

void ds_destroy(ds_problem *p) {
  ks_case_destroy(&p->c);
  free(p->cost);
  free(p->ids);
  free(p->tours);
}

edgefw_decode_args ds_args(const ds_problem *p, void *const *in) {
  return (edgefw_decode_args){.plan = &p->plan,
                              .batch = p->shape.batch,
                              .nodes = p->shape.nodes,
                              .rollouts = p->shape.rollouts,
                              .keys = in[DS_KEYS],
                              .values = in[DS_VALUES],
                              .q_last = in[DS_Q_LAST],
                              .q_first = in[DS_Q_FIRST],
                              .fold = in[DS_FOLD],
                              .fold_bias = in[DS_FOLD_BIAS],
                              .tables = {in[DS_PAIR], in[DS_NODE], in[DS_OTHER]},
                              .w1 = in[DS_W1],
                              .b1 = in[DS_B1],
                              .w2 = in[DS_W2],
                              .b2 = in[DS_B2],
                              .cost = p->cost,
                              .clip = p->shape.clip,
                              .instance_ids = p->ids,
                              .tours = p->tours,
                              .advantage = p->shape.advantage};
}

void ds_widen(const ks_device *d, const void *reals, int64_t count, double *out) {
  const float *narrow = reals;
  const double *wide = reals;
  for (int64_t i = 0; i < count; ++i)
    out[i] = d->k->dtype == EDGEFW_F64 ? wide[i] : (double)narrow[i];
}

void ds_decode(const ds_problem *p, const ks_device *d, edgefw_select select, uint64_t seed,
               int64_t first_start, int64_t rollouts, const int32_t *forced, ds_rollouts *out) {
  const int64_t n = p->shape.nodes, all = p->shape.batch * rollouts;
  void *in[KS_MAX_TENSORS] = {NULL};
  for (int t = 0; t < p->c.tensor_count; ++t)
    in[t] = ks_upload(d, p->c.tensor[t].value, p->c.tensor[t].count);
  *out = (ds_rollouts){rollouts, calloc((size_t)(all * n), sizeof(int32_t)), ks_zeros(all),
                       ks_zeros(all), ks_zeros(all * n * n)};
  assert_non_null(out->tours);
  if (forced != NULL) memcpy(out->tours, forced, (size_t)(all * n) * sizeof(int32_t));
  edgefw_decode_args a = ds_args(p, in);
  a.select = select;
  a.sample_seed = seed;
  a.first_start = first_start;
  a.rollouts = rollouts;
  a.tours = out->tours;
  a.lengths = out->lengths;
  a.log_probability = out->log_probability;
  a.logits = ks_zeros(all * n * n);
  ks_ok(d, d->k->decode(d->device, &a));
  ds_widen(d, a.logits, all * n * n, out->logits);
  free(a.logits);
  for (int t = 0; t < p->c.tensor_count; ++t) ks_release(d, in[t]);
}

void ds_rollouts_destroy(ds_rollouts *r) {
  free(r->tours);
  free(r->lengths);
  free(r->log_probability);
  free(r->logits);
}
