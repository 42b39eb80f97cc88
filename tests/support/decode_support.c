/* Support for the tests of `decode`; see decode_support.h. */
#include "support/test.h"

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
    {.kind = EDGEFW_FEATURE_PATH,
     .path = EDGEFW_PATH_REMAINING_MIN,
     .table = 0,
     .row = EDGEFW_CANDIDATE,
     .column = EDGEFW_CLOSING},
    {.kind = EDGEFW_FEATURE_PATH,
     .path = EDGEFW_PATH_REMAINING_MIN,
     .table = 2,
     .row = EDGEFW_CURRENT,
     .column = EDGEFW_CANDIDATE},
};

static void fill_logits(edgefw_decode_plan *plan, const ds_extras *e) {
  if (e->penalty > 0)
    plan->logits[plan->logit_count++] = (edgefw_logit){.kind = EDGEFW_LOGIT_NEAR_PENALTY,
                                                       .table = 3,
                                                       .near = e->penalty,
                                                       .far = -0.75,
                                                       .epsilon = e->depot ? 0.0 : 0.03125};
  if (e->attention > 0)
    plan->logits[plan->logit_count++] = (edgefw_logit){.kind = EDGEFW_LOGIT_LOCAL_ATTENTION,
                                                       .table = 3,
                                                       .points = 4,
                                                       .near = e->attention,
                                                       .epsilon = e->depot ? 0.0625 : 0.0};
  if (plan->logit_count == 0) return;
  plan->table_count = 5;
  plan->table_is_pair[3] = true;
}

static void fill_plan(edgefw_decode_plan *plan, const ds_shape *s, const ds_extras *e) {
  *plan =
      (edgefw_decode_plan){.start = e->depot ? EDGEFW_START_EACH_CUSTOMER : EDGEFW_START_EACH_NODE,
                           .closing = e->depot ? EDGEFW_CLOSE_AT_DEPOT : EDGEFW_CLOSE_AT_START,
                           .query = s->first ? EDGEFW_QUERY_FIRST : 0,
                           .heads = s->heads,
                           .width = s->heads * s->head_width,
                           .resource_count = e->resources};
  if (s->hidden > 0) {
    plan->hidden = s->hidden;
    plan->feature_count = sizeof features / sizeof features[0];
    memcpy(plan->features, features, sizeof features);
    plan->table_count = 3;
    plan->table_is_pair[0] = plan->table_is_pair[2] = true;
  }
  fill_logits(plan, e);
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

/* Demands 1 .. 9 and room for about two and a half of them; the depot's is 0. */
static void fill_resources(ds_problem *p) {
  const int64_t b = p->shape.batch, n = p->shape.nodes;
  const double unit = p->extras.fractional ? 1.0 / 7.0 : 1.0;
  for (int r = 0; r < p->extras.resources; ++r) {
    p->demand[r] = ks_zeros(b * n);
    p->capacity[r] = ks_zeros(b);
    p->slack[r] = ks_zeros(b);
    for (int64_t i = 0; i < b * n; ++i) {
      const uint32_t word = edgefw_random_word(4, EDGEFW_STREAM_DEMAND, (uint64_t)r, (uint64_t)i);
      p->demand[r][i] = i % n == 0 ? 0.0 : unit * (1 + edgefw_random_below(word, 9));
    }
    for (int64_t i = 0; i < b; ++i) {
      p->capacity[r][i] = unit * (12.0 + (double)(i + 3 * r));
      p->slack[r][i] = p->extras.fractional ? 1e-9 * p->capacity[r][i] : 0.0;
    }
  }
}

/* May `node` be visited by a vehicle that has used `used` of each resource? */
static bool fits(const ds_problem *p, int64_t b, int64_t node, const double *used) {
  for (int r = 0; r < p->extras.resources; ++r)
    if (p->demand[r][b * p->shape.nodes + node] > p->capacity[r][b] - used[r] + p->slack[r][b])
      return false;
  return true;
}

/* The customers of `order`, cut into routes: where one does not fit, and once in a while anyway. */
static void cut_into_routes(const ds_problem *p, int64_t b, const int32_t *order, int32_t *tour) {
  const int64_t n = p->shape.nodes;
  double used[EDGEFW_MAX_RESOURCES] = {0.0};
  int64_t t = 0;
  tour[t++] = 0;
  for (int64_t k = 0; k < n - 1; ++k) {
    const bool early =
        k > 0 &&
        edgefw_random_word(5, EDGEFW_STREAM_ROLLOUT, (uint64_t)order[0], (uint64_t)k) % 5 == 0;
    if (early || !fits(p, b, order[k], used)) {
      tour[t++] = 0;
      memset(used, 0, sizeof used);
    }
    tour[t++] = order[k];
    for (int r = 0; r < p->extras.resources; ++r) used[r] += p->demand[r][b * n + order[k]];
  }
  while (t < p->steps) tour[t++] = 0;
}

static void fill_tours(ds_problem *p) {
  const int64_t n = p->shape.nodes, customers = p->extras.depot ? n - 1 : n;
  int32_t *order = calloc((size_t)n, sizeof *order);
  assert_non_null(order);
  for (int64_t r = 0; r < p->shape.batch * p->shape.rollouts; ++r) {
    const int64_t start = r % p->shape.rollouts;
    for (int64_t t = 0; t < customers; ++t)
      order[t] = (int32_t)((start + t) % customers + (p->extras.depot ? 1 : 0));
    shuffle(order, customers, (uint64_t)r);
    if (p->extras.depot) {
      cut_into_routes(p, r / p->shape.rollouts, order, p->tours + r * p->steps);
    } else {
      memcpy(p->tours + r * p->steps, order, (size_t)n * sizeof *order);
    }
  }
  free(order);
}

static void fill_costs(ds_problem *p) {
  const int64_t n = p->shape.nodes;
  ks_fill(p->cost, p->shape.batch * n * n, 1.0, 11);
  for (int64_t i = 0; i < p->shape.batch * n * n; ++i)
    p->cost[i] = i % (n * n) % (n + 1) == 0 ? 0.0 : fabs(p->cost[i]);
}

static void fill_forbidden(ds_problem *p) {
  const int64_t batch = p->shape.batch;
  if (!(p->extras.forbidden > 0.0)) return;
  p->forbidden = ks_zeros(batch);
  for (int64_t b = 0; b < batch; ++b)
    p->forbidden[b] = b + 1 < batch ? (double)INFINITY : 1.0 - p->extras.forbidden;
}

static bool has_tensors(const ds_problem *p, int logit) {
  return p->plan.logits[logit].kind == EDGEFW_LOGIT_LOCAL_ATTENTION;
}

/* The last columns of the tensor DS_LEFT. */
static void *left_columns(const ds_problem *p, const ks_device *d, void *left) {
  return (char *)left + (size_t)(DS_LEFT_STRIDE - p->extras.resources) * d->real_size;
}

void ds_weigh(void *user, int64_t instance, int64_t rollouts, const double *lengths,
              const double *log_probability, double *weights) {
  const ds_weighing *weighing = user;
  const edgefw__outcome outcome = {instance, weighing->p->shape.batch, rollouts, lengths,
                                   log_probability};
  edgefw__objective_weigh(weighing->p->shape.objective, &outcome, weights,
                          &weighing->losses[instance]);
}

edgefw_decode_weights ds_weights(const ds_problem *p, const ks_device *d, void *const *tensor) {
  edgefw_decode_weights out = {
      .pointer = {.keys = tensor[DS_KEYS],
                  .values = tensor[DS_VALUES],
                  .q_last = tensor[DS_Q_LAST],
                  .q_first = tensor[DS_Q_FIRST],
                  .fold = tensor[DS_FOLD],
                  .fold_bias = tensor[DS_FOLD_BIAS],
                  .w_left_stride = DS_LEFT_STRIDE},
      .mlp = {.w1 = tensor[DS_W1], .b1 = tensor[DS_B1], .w2 = tensor[DS_W2], .b2 = tensor[DS_B2]}};
  if (tensor[DS_LEFT] != NULL) out.pointer.w_left = left_columns(p, d, tensor[DS_LEFT]);
  for (int l = 0; l < p->plan.logit_count; ++l)
    for (int t = 0; has_tensors(p, l) && t < EDGEFW_LOCAL_TENSORS; ++t)
      out.logits[l][t] = tensor[DS_LOCAL + t];
  return out;
}

static void run(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                void *const *grad, double *out) {
  (void)dout; /* the loss is the operation's own; see ds_create */
  const ds_problem *p = c->shape;
  const int64_t batch = p->shape.batch, rollouts = batch * p->shape.rollouts;
  const int64_t logits = rollouts * p->steps * p->shape.nodes;
  const int64_t entries = p->shape.batch * p->shape.nodes * p->shape.nodes;
  ds_weighing weighing = {p, out};
  void *all[KS_MAX_TENSORS] = {NULL};
  memcpy(all, in, (size_t)c->tensor_count * sizeof *in);
  all[DS_COST] = ks_exact(d, p->cost, entries);
  edgefw_decode_args a = ds_args(p, d, all);
  a.selection.select = EDGEFW_SELECT_FORCED;
  a.train = true;
  a.weigh = ds_weigh;
  a.weigh_user = &weighing;
  a.log_probability = out + batch;
  a.lengths = ks_zeros(rollouts);
  a.logits = ks_zeros(logits);
  a.gradients = ds_weights(p, d, grad);
  ks_ok(d, d->k->decode(d->device, &a));
  ds_widen(d, a.logits, logits, out + batch + rollouts);
  ks_release_exact(d, all[DS_COST]);
  free(a.lengths);
  free(a.logits);
}

/* The local policy's tensors, the logits' tables. */
static void add_logits(ds_problem *p) {
  static const char *const names[EDGEFW_LOCAL_TENSORS] = {
      "embed", "embed_bias", "token", "query", "key", "value", "combine", "combine_bias"};
  enum { D = EDGEFW_LOCAL_WIDTH };
  const int64_t counts[EDGEFW_LOCAL_TENSORS] = {
      D * (p->extras.resources > 0 ? 3 : 2), D, D, D * D, D * D, D * D, D * D, D};
  const int64_t b = p->shape.batch, n = p->shape.nodes;
  for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t)
    ks_case_add(&p->c, names[t], p->extras.attention > 0 ? counts[t] : 0, true,
                counts[t] == D * D ? 0.3 : 1.0);
  const int tables[2] = {DS_DISTANCE, DS_POINTS};
  ks_case_add(&p->c, "distance", p->plan.logit_count > 0 ? b * n * n : 0, false, 1.0);
  ks_case_add(&p->c, "points", p->plan.logit_count > 0 ? b * n * 2 : 0, false, 1.0);
  for (int k = 0; k < 2; ++k) {
    ks_tensor *table = &p->c.tensor[tables[k]];
    for (int64_t i = 0; i < table->count; ++i) table->value[i] = fabs(table->value[i]);
  }
}

static void add_tensors(ds_problem *p, double scale) {
  const int64_t b = p->shape.batch, n = p->shape.nodes, d = p->plan.width;
  const int64_t hidden = p->shape.hidden;
  ks_case_add(&p->c, "keys", b * n * d, true, scale);
  ks_case_add(&p->c, "values", b * n * d, true, 1.0);
  ks_case_add(&p->c, "q_last", b * n * d, true, scale);
  ks_case_add(&p->c, "q_first", p->shape.first ? b * n * d : 0, true, scale);
  ks_case_add(&p->c, "fold", b * n * d, true, scale);
  ks_case_add(&p->c, "fold_bias", b * n, true, 1.0);
  ks_case_add(&p->c, "w1", hidden * p->plan.feature_count, true, 1.0);
  ks_case_add(&p->c, "b1", hidden, true, 1.0);
  ks_case_add(&p->c, "w2", hidden, true, 1.0);
  ks_case_add(&p->c, "b2", hidden > 0, true, 1.0);
  ks_case_add(&p->c, "pair", hidden > 0 ? b * n * n : 0, false, scale);
  ks_case_add(&p->c, "node", hidden > 0 ? b * n : 0, false, scale);
  ks_case_add(&p->c, "other", hidden > 0 ? b * n * n : 0, false, scale);
  ks_case_add(&p->c, "left", p->extras.resources > 0 ? d * DS_LEFT_STRIDE : 0, true, scale);
  add_logits(p);
}

/* Choose what follows the start of every tour anew, among what forbidden arcs leave open. */
static void avoid_forbidden(ds_problem *p) {
  const int64_t n = p->shape.nodes, start = p->extras.depot ? 2 : 1;
  bool *open = calloc((size_t)n, sizeof *open);
  assert_non_null(open);
  for (int64_t r = 0; r < p->shape.batch * p->shape.rollouts; ++r) {
    int32_t *tour = p->tours + r * p->steps;
    int64_t left = n - start;
    memset(tour + start, 0, (size_t)(p->steps - start) * sizeof *tour);
    for (int64_t t = start; left > 0; ++t) {
      const int64_t count = ds_open(p, r / p->shape.rollouts, tour, t, open);
      const uint32_t word = edgefw_random_word(6, EDGEFW_STREAM_ROLLOUT, (uint64_t)r, (uint64_t)t);
      int64_t skipped = edgefw_random_below(word, (uint32_t)count), j = 0;
      while (!open[j] || skipped-- > 0) ++j;
      tour[t] = (int32_t)j;
      left -= j > 0 || !p->extras.depot;
    }
  }
  free(open);
}

void ds_create(ds_problem *p, const ds_shape *shape, const char *op, double scale) {
  const ds_extras none = {.depot = false};
  ds_create_with(p, shape, &none, op, scale);
}

void ds_create_with(ds_problem *p, const ds_shape *shape, const ds_extras *extras, const char *op,
                    double scale) {
  *p = (ds_problem){.shape = *shape, .extras = *extras};
  const int64_t b = shape->batch, n = shape->nodes, s = shape->rollouts;
  p->steps = extras->depot ? 2 * n : n;
  fill_plan(&p->plan, shape, extras);
  ks_case_create(&p->c, op, p, run, b + b * s + b * s * p->steps * n);
  add_tensors(p, scale);
  /* The operation differentiates the mean of the losses and nothing else. */
  for (int64_t i = 0; i < p->c.out_count; ++i) p->c.dout[i] = i < b ? 1.0 / (double)b : 0.0;
  p->cost = ks_zeros(b * n * n);
  fill_costs(p);
  fill_forbidden(p);
  p->ids = calloc((size_t)b, sizeof *p->ids);
  p->tours = calloc((size_t)(b * s * p->steps), sizeof *p->tours);
  assert_non_null(p->ids);
  assert_non_null(p->tours);
  for (int64_t i = 0; i < b; ++i) p->ids[i] = 4000000000u + 7 * (uint64_t)i;
  fill_resources(p);
  fill_tours(p);
  if (p->forbidden) avoid_forbidden(p);
}

void ds_destroy(ds_problem *p) {
  ks_case_destroy(&p->c);
  free(p->cost);
  free(p->ids);
  free(p->forbidden);
  free(p->tours);
  for (int r = 0; r < EDGEFW_MAX_RESOURCES; ++r) {
    free(p->demand[r]);
    free(p->capacity[r]);
    free(p->slack[r]);
  }
}

void ds_upload(const ds_problem *p, const ks_device *d, void **in) {
  for (int t = 0; t < p->c.tensor_count; ++t)
    in[t] = ks_upload(d, p->c.tensor[t].value, p->c.tensor[t].count);
  in[DS_COST] = ks_exact(d, p->cost, p->shape.batch * p->shape.nodes * p->shape.nodes);
}

void ds_release(const ds_problem *p, const ks_device *d, void **in) {
  for (int t = 0; t < p->c.tensor_count; ++t) ks_release(d, in[t]);
  ks_release_exact(d, in[DS_COST]);
}

edgefw_decode_args ds_args(const ds_problem *p, const ks_device *d, void *const *in) {
  edgefw_decode_args a = {
      .plan = &p->plan,
      .batch = p->shape.batch,
      .nodes = p->shape.nodes,
      .rollouts = p->shape.rollouts,
      .steps = p->steps,
      .weights = ds_weights(p, d, in),
      .tables = {in[DS_PAIR], in[DS_NODE], in[DS_OTHER], in[DS_DISTANCE], in[DS_POINTS]},
      .cost = in[DS_COST],
      .forbidden = p->forbidden,
      .selection = {.clip = p->shape.clip, .instance_ids = p->ids},
      .tours = p->tours};
  for (int r = 0; r < p->extras.resources; ++r) {
    a.resources.demand[r] = p->demand[r];
    a.resources.capacity[r] = p->capacity[r];
    a.resources.slack[r] = p->slack[r];
  }
  return a;
}

/* Leave open what can be reached without a forbidden arc, if there is any; how many are open. */
static int64_t narrow(const ds_problem *p, int64_t b, int32_t current, bool *open) {
  const int64_t n = p->shape.nodes;
  const double *cost = p->cost + (b * n + current) * n;
  int64_t all = 0, allowed = 0;
  for (int64_t j = 0; j < n; ++j) {
    all += open[j];
    allowed += open[j] && cost[j] < p->forbidden[b];
  }
  for (int64_t j = 0; allowed > 0 && j < n; ++j) open[j] = open[j] && cost[j] < p->forbidden[b];
  return allowed > 0 ? allowed : all;
}

int64_t ds_open(const ds_problem *p, int64_t b, const int32_t *tour, int64_t t, bool *open) {
  const int64_t n = p->shape.nodes;
  int64_t begin = 0, count = 0; /* begin: of the last route */
  for (int64_t j = 0; j < n; ++j) open[j] = true;
  for (int64_t k = 0; k < t; ++k) {
    open[tour[k]] = false;
    if (tour[k] == 0) begin = k;
  }
  for (int r = 0; r < p->extras.resources; ++r) {
    double left = p->capacity[r][b];
    for (int64_t k = begin; k < t; ++k) left -= p->demand[r][b * n + tour[k]];
    for (int64_t j = 1; j < n; ++j)
      if (p->demand[r][b * n + j] > left + p->slack[r][b]) open[j] = false;
  }
  if (p->extras.depot) open[0] = tour[t - 1] != 0;
  for (int64_t j = 0; j < n; ++j) count += open[j];
  return p->forbidden && t >= (p->extras.depot ? 2 : 1) ? narrow(p, b, tour[t - 1], open) : count;
}

int64_t ds_last(const ds_problem *p, const int32_t *tour) {
  int64_t t = p->steps - 1;
  while (p->extras.depot && t > 0 && tour[t] == 0) --t;
  return t;
}

double ds_length(const ds_problem *p, int64_t b, const int32_t *tour) {
  const int64_t n = p->shape.nodes, steps = p->steps;
  double length = 0.0;
  for (int64_t t = 0; t < steps; ++t)
    length += p->cost[(b * n + tour[t]) * n + tour[(t + 1) % steps]];
  return length;
}

void ds_widen(const ks_device *d, const void *reals, int64_t count, double *out) {
  const float *narrow = reals;
  const double *wide = reals;
  for (int64_t i = 0; i < count; ++i)
    out[i] = d->k->dtype == EDGEFW_F64 ? wide[i] : (double)narrow[i];
}

void ds_decode(const ds_problem *p, const ks_device *d, edgefw_select select, uint64_t seed,
               int64_t first_start, int64_t rollouts, const int32_t *forced, ds_rollouts *out) {
  const int64_t all = p->shape.batch * rollouts, logits = all * p->steps * p->shape.nodes;
  const size_t entries = (size_t)(all * p->steps);
  void *in[KS_MAX_TENSORS] = {NULL};
  ds_upload(p, d, in);
  *out = (ds_rollouts){rollouts, calloc(entries, sizeof(int32_t)), ks_zeros(all), ks_zeros(all),
                       ks_zeros(logits)};
  assert_non_null(out->tours);
  if (forced != NULL) memcpy(out->tours, forced, entries * sizeof(int32_t));
  edgefw_decode_args a = ds_args(p, d, in);
  a.selection.select = select;
  a.selection.seed = seed;
  a.selection.first_start = first_start;
  a.rollouts = rollouts;
  a.tours = out->tours;
  a.lengths = out->lengths;
  a.log_probability = out->log_probability;
  a.logits = ks_zeros(logits);
  ks_ok(d, d->k->decode(d->device, &a));
  ds_widen(d, a.logits, logits, out->logits);
  free(a.logits);
  ds_release(p, d, in);
}

void ds_rollouts_destroy(ds_rollouts *r) {
  free(r->tours);
  free(r->lengths);
  free(r->log_probability);
  free(r->logits);
}
