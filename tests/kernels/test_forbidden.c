/* Forbidden arcs on every device: tables in which they take no part, choices that avoid them, and
 * gradients of what is chosen. labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#include <math.h>
#include <stdlib.h>

enum { N = 9, B = 3, COUNT = N * N };

/* What a test makes of one matrix for each of three instances. The second one has no forbidden
 * arcs. */
typedef enum service { ZSCORE, NARROW, ASSIGNMENT, EXCHANGE, SVD, REVERSED_SVD, SERVICES } service;

static const double LIMIT = 1000.0;
static const double limits[B] = {1000.0, (double)INFINITY, 1000.0};

/* Costs below 1; `price` on some arcs of instances 0 and 2. */
static double *make_costs(double price) {
  double *cost = ks_zeros(B * COUNT);
  ks_fill(cost, B * COUNT, 1.0, 3);
  for (int64_t e = 0; e < B * COUNT; ++e) {
    const int64_t b = e / COUNT, i = e % COUNT / N, j = e % N;
    cost[e] = i == j ? 0.0 : fabs(cost[e]);
    if (b != 1 && i != j && (3 * i + 5 * j + b) % 7 == 0) cost[e] = price;
  }
  return cost;
}

static int64_t numbers_of(service s) {
  return s == SVD || s == REVERSED_SVD ? N * 4 : COUNT;
}

static void run(const ks_device *d, service s, double *cost, const double *limit, double *out) {
  const int64_t numbers = B * numbers_of(s);
  double table_of[B * COUNT]; /* REVERSED_SVD: of the reversed arcs */
  for (int64_t e = 0; e < B * COUNT; ++e)
    table_of[e] = cost[s == REVERSED_SVD ? e / COUNT * COUNT + e % N * N + e % COUNT / N : e];
  double *exact = ks_exact(d, cost, B * COUNT);
  void *real = ks_upload(d, table_of, B * COUNT), *result = ks_reals(d, numbers);
  const edgefw_forbidden forbidden = {
      .limit = limit, .cost = exact, .forward = s != REVERSED_SVD, .reverse = s == REVERSED_SVD};
  const edgefw_table_args table = {
      .batch = B, .nodes = N, .pair = exact, .out = result, .forbidden = forbidden};
  const edgefw_assignment_args assignment = {
      .batch = B, .nodes = N, .pair = exact, .out = result, .forbidden = forbidden};
  double next[B * N]; /* cycles of three */
  for (int64_t i = 0; i < B * N; ++i) next[i] = (double)(i % N / 3 * 3 + (i % N + 1) % 3);
  void *successor = ks_upload(d, next, B * N);
  const edgefw_exchange_args exchange = {.batch = B,
                                         .nodes = N,
                                         .pair = exact,
                                         .successor = successor,
                                         .out = result,
                                         .forbidden = forbidden};
  const edgefw_svd_args svd = {
      .batch = B, .nodes = N, .rank = 2, .pair = real, .out = result, .forbidden = forbidden};
  if (s == ZSCORE) ks_ok(d, d->k->zscore(d->device, &table));
  if (s == NARROW) ks_ok(d, d->k->narrow(d->device, &table));
  if (s == ASSIGNMENT) ks_ok(d, d->k->assignment(d->device, &assignment));
  if (s == EXCHANGE) ks_ok(d, d->k->exchange(d->device, &exchange));
  if (s == SVD || s == REVERSED_SVD) ks_ok(d, d->k->svd_features(d->device, &svd));
  d->k->download(d->device, out, result, numbers);
  ks_release_exact(d, exact);
  ks_release(d, real);
  ks_release(d, successor);
  ks_release(d, result);
}

static void devices_agree(void **state) {
  const ks_devices *devices = *state;
  double *cost = make_costs(LIMIT);
  for (service s = ZSCORE; s < SERVICES; ++s) {
    double expected[B * COUNT], found[B * COUNT];
    run(devices->oracle, s, cost, limits, expected);
    for (int i = 0; i < devices->count; ++i) {
      run(&devices->item[i], s, cost, limits, found);
      check_scaled_f64(found, expected, B * numbers_of(s), 2e-5, "table with forbidden arcs");
    }
  }
  free(cost);
}

/* The price of an arc that none may use moves no number of the others. Reduced costs and exchanges
 * are made with the price, so they are left out. */
static void the_price_changes_nothing(void **state) {
  const ks_devices *devices = *state;
  double *low = make_costs(LIMIT), *high = make_costs(1e9 * LIMIT);
  for (int i = 0; i < devices->count; ++i)
    for (service s = ZSCORE; s < SERVICES; ++s) {
      double one[B * COUNT], other[B * COUNT];
      if (s == ASSIGNMENT || s == EXCHANGE) continue;
      run(&devices->item[i], s, low, limits, one);
      run(&devices->item[i], s, high, limits, other);
      check_same_bits(one, other, (size_t)(B * numbers_of(s)) * sizeof *one, "a higher price");
    }
  free(low);
  free(high);
}

/* An instance without such arcs is the same in every bit whether others of its batch have some. */
static void others_are_as_ever(void **state) {
  const ks_devices *devices = *state;
  double *cost = make_costs(LIMIT);
  for (int i = 0; i < devices->count; ++i)
    for (service s = ZSCORE; s < SERVICES; ++s) {
      double with[B * COUNT], without[B * COUNT];
      const int64_t each = numbers_of(s);
      run(&devices->item[i], s, cost, limits, with);
      run(&devices->item[i], s, cost, NULL, without);
      check_same_bits(with + each, without + each, (size_t)each * sizeof *with, "table");
    }
  free(cost);
}

/* Mean 0 and deviation 1 are those of the arcs that may be used; the others stand above them. */
static void zscores_are_of_the_allowed(void **state) {
  const ks_devices *devices = *state;
  double *cost = make_costs(LIMIT);
  for (int i = 0; i < devices->count; ++i) {
    double z[B * COUNT], mean = 0.0, variance = 0.0, most = -INFINITY;
    int64_t count = 0;
    run(&devices->item[i], ZSCORE, cost, limits, z);
    for (int64_t e = 0; e < COUNT; ++e) {
      if (cost[e] >= LIMIT) continue;
      mean += z[e];
      ++count;
      most = fmax(most, z[e]);
    }
    mean /= (double)count;
    for (int64_t e = 0; e < COUNT; ++e)
      if (cost[e] < LIMIT) variance += (z[e] - mean) * (z[e] - mean);
    assert_true(count < COUNT);
    check_close(mean, 0.0, 1e-6, 0.0, "mean");
    check_close(sqrt(variance / (double)(count - 1)), 1.0, 1e-5, 0.0, "deviation");
    for (int64_t e = 0; e < COUNT; ++e)
      if (cost[e] >= LIMIT) check_close(z[e], most + 1.0, 1e-5, 0.0, "a forbidden arc");
  }
  free(cost);
}

/* Such arcs stand above all others, by 1. */
static void exchanges_put_them_last(void **state) {
  const ks_devices *devices = *state;
  double *cost = make_costs(LIMIT);
  for (int i = 0; i < devices->count; ++i) {
    double out[B * COUNT], most = 0.0;
    run(&devices->item[i], EXCHANGE, cost, limits, out);
    for (int64_t e = 0; e < COUNT; ++e)
      if (cost[e] < LIMIT) most = fmax(most, out[e]);
    for (int64_t e = 0; e < COUNT; ++e)
      if (cost[e] >= LIMIT) check_close(out[e], most + 1.0, 1e-5, 0.0, "a forbidden arc");
  }
  free(cost);
}

static void raw_costs_are_doubled(void **state) {
  const ks_devices *devices = *state;
  double *cost = make_costs(LIMIT);
  double most = 0.0;
  for (int64_t e = 0; e < COUNT; ++e)
    if (cost[e] < LIMIT) most = fmax(most, cost[e]);
  for (int i = 0; i < devices->count; ++i) {
    double x[B * COUNT];
    run(&devices->item[i], NARROW, cost, limits, x);
    for (int64_t e = 0; e < COUNT; ++e)
      check_close(x[e], cost[e] < LIMIT ? cost[e] : 2.0 * most, 1e-6, 0.0, "raw cost");
  }
  free(cost);
}

/* A spectrum is that of the matrix with the mean of the others in place of forbidden arcs. */
static void spectra_see_the_mean(void **state) {
  const ks_devices *devices = *state;
  double *cost = make_costs(LIMIT), *level = make_costs(LIMIT);
  for (int64_t b = 0; b < B; b += 2) {
    double sum = 0.0, count = 0.0;
    for (int64_t e = b * COUNT; e < (b + 1) * COUNT; ++e) {
      if (cost[e] >= LIMIT) continue;
      sum += cost[e];
      count += 1.0;
    }
    for (int64_t e = b * COUNT; e < (b + 1) * COUNT; ++e)
      if (cost[e] >= LIMIT) level[e] = sum / count;
  }
  for (int i = 0; i < devices->count; ++i) {
    double with[B * N * 4], expected[B * N * 4];
    run(&devices->item[i], SVD, cost, limits, with);
    run(&devices->item[i], SVD, level, NULL, expected);
    check_scaled_f64(with, expected, B * N * 4, 2e-5, "spectrum");
  }
  free(cost);
  free(level);
}

/* Every chosen node is one that forbidden arcs leave open, and now and then all are forbidden. */
static void choices_avoid_them(void **state) {
  const ks_devices *devices = *state;
  const ds_extras kinds[] = {{.forbidden = 0.7}, {.depot = true, .resources = 1, .forbidden = 0.7}};
  for (int k = 0; k < 2; ++k) {
    enum { NODES = 12, ROLLOUTS = 11 };
    const ds_shape shape = {1, NODES, ROLLOUTS, 2, 5, 6, !kinds[k].depot, 10, &edgefw__reinforce};
    ds_problem p;
    int64_t dead_ends = 0;
    ds_create_with(&p, &shape, &kinds[k], "decode", 0.6);
    for (int i = 0; i < devices->count; ++i)
      for (int select = EDGEFW_SELECT_GREEDY; select <= EDGEFW_SELECT_SAMPLE; ++select) {
        ds_rollouts r;
        ds_decode(&p, &devices->item[i], (edgefw_select)select, 5, 0, ROLLOUTS, NULL, &r);
        for (int64_t s = 0; s < ROLLOUTS; ++s) {
          const int32_t *tour = r.tours + s * p.steps;
          for (int64_t t = kinds[k].depot ? 2 : 1; t <= ds_last(&p, tour); ++t) {
            bool open[NODES];
            ds_open(&p, 0, tour, t, open);
            assert_true(open[tour[t]]);
            dead_ends += p.cost[tour[t - 1] * NODES + tour[t]] >= p.forbidden[0];
          }
        }
        ds_rollouts_destroy(&r);
      }
    assert_true(dead_ends > 0);
    ds_destroy(&p);
  }
}

/* Tours through what forbidden arcs leave open: logits, losses and gradients, which are those of a
 * softmax over fewer nodes. The first of two instances has no such arcs. */
static void gradients_agree(void **state) {
  const ds_extras kinds[] = {{.penalty = 4, .attention = 3, .forbidden = 0.9},
                             {.depot = true, .resources = 1, .forbidden = 0.6}};
  const int shrunk[] = {DS_W2, DS_LOCAL + EDGEFW_LOCAL_COMBINE,
                        DS_LOCAL + EDGEFW_LOCAL_COMBINE_BIAS};
  const int64_t sizes[] = {3, 5, 17, 33};
  for (int k = 0; k < 8; ++k) {
    const int64_t n = sizes[k / 2], rollouts = n < 5 ? 2 : 4;
    const ds_extras *extras = &kinds[k % 2];
    const ds_shape shape = {2, n, rollouts, 2, 5, 6, !extras->depot, 10, &edgefw__reinforce};
    ds_problem p;
    ds_create_with(&p, &shape, extras, "decode", 0.6);
    for (int t = 0; t < 3; ++t) /* small enough that tanh tells scores apart in float */
      for (int64_t i = 0; i < p.c.tensor[shrunk[t]].count; ++i)
        p.c.tensor[shrunk[t]].value[i] *= 0.25;
    ks_check_parity(*state, &p.c);
    if (n == 5) ks_check_gradient(*state, &p.c);
    if (n == 5) ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

/* With limits that forbid nothing, tours and logits are those of a call without limits. */
static void no_forbidden_arc_changes_nothing(void **state) {
  const ks_devices *devices = *state;
  const ds_extras kinds[] = {{.penalty = 3}, {.depot = true, .resources = 1}};
  for (int k = 0; k < 2; ++k) {
    const ds_shape shape = {2, N, N - 1, 2, 5, 6, !kinds[k].depot, 10, &edgefw__reinforce};
    ds_problem p;
    ds_create_with(&p, &shape, &kinds[k], "decode", 0.6);
    const size_t logits = (size_t)(2 * (N - 1) * p.steps * N) * sizeof(double);
    for (int i = 0; i < devices->count; ++i) {
      double none[2] = {(double)INFINITY, 1e6};
      ds_rollouts with, without;
      ds_decode(&p, &devices->item[i], EDGEFW_SELECT_GREEDY, 5, 0, N - 1, NULL, &without);
      p.forbidden = none;
      ds_decode(&p, &devices->item[i], EDGEFW_SELECT_GREEDY, 5, 0, N - 1, NULL, &with);
      p.forbidden = NULL;
      check_same_bits(with.tours, without.tours, (size_t)(2 * (N - 1) * p.steps) * sizeof(int32_t),
                      "tours");
      check_same_bits(with.logits, without.logits, logits, "logits");
      ds_rollouts_destroy(&with);
      ds_rollouts_destroy(&without);
    }
    ds_destroy(&p);
  }
}

/* A forced tour must keep to what is open. */
static void forced_tours_are_examined(void **state) {
  const ks_devices *devices = *state;
  const ds_extras extras = {.forbidden = 0.5};
  const ds_shape shape = {1, N, 1, 2, 5, 0, true, 10, &edgefw__reinforce};
  ds_problem p;
  ds_create_with(&p, &shape, &extras, "decode", 0.6);
  bool open[N];
  int32_t closed = 0;
  ds_open(&p, 0, p.tours, 1, open);
  while (open[closed] || closed == p.tours[0]) ++closed;
  int64_t at = 1; /* of that node: it comes first now */
  while (p.tours[at] != closed) ++at;
  p.tours[at] = p.tours[1];
  p.tours[1] = closed;
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    void *in[KS_MAX_TENSORS] = {NULL};
    double length = 0.0;
    ds_upload(&p, d, in);
    edgefw_decode_args args = ds_args(&p, d, in);
    args.selection.select = EDGEFW_SELECT_FORCED;
    args.lengths = &length;
    assert_int_equal(d->k->decode(d->device, &args), EDGEFW_INVALID_ARGUMENT);
    edgefw_clear(d->ctx);
    ds_release(&p, d, in);
  }
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(devices_agree),
      cmocka_unit_test(the_price_changes_nothing),
      cmocka_unit_test(others_are_as_ever),
      cmocka_unit_test(zscores_are_of_the_allowed),
      cmocka_unit_test(exchanges_put_them_last),
      cmocka_unit_test(raw_costs_are_doubled),
      cmocka_unit_test(spectra_see_the_mean),
      cmocka_unit_test(choices_avoid_them),
      cmocka_unit_test(gradients_agree),
      cmocka_unit_test(no_forbidden_arc_changes_nothing),
      cmocka_unit_test(forced_tours_are_examined),
  };
  return test_run(tests, ks_setup_long, ks_teardown);
}
