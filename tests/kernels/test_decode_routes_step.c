/* One step with a depot and resources on every device: the query and every feature by hand (a
 * visited node counts otherwise than a closed one), gradients, and agreement.
 * labels: threads */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/decode_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARED EDGEFW_ADVANTAGE_SHARED
#define MAX    EDGEFW_ADVANTAGE_MAX

static double sigmoid(double x) {
  return 1.0 / (1.0 + exp(-x));
}

/* From customer 1 of 2: to the depot or to customer 2, with what is left in the query. */
static void query_sees_what_is_left(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {1, 3, 1, 1, 1, 0, false, 10, SHARED};
  const ds_extras both = {.depot = true, .resources = 2};
  const double weight[3] = {0, 3, 1}, volume[3] = {0, 8, 1};
  const int32_t tour[6] = {0, 1, 2};
  ds_problem p;
  ds_create_with(&p, &shape, &both, "decode", 1.5);
  memcpy(p.demand[0], weight, sizeof weight);
  memcpy(p.demand[1], volume, sizeof volume);
  p.capacity[0][0] = 4.0;
  p.capacity[1][0] = 10.0;
  const double *key = p.c.tensor[DS_KEYS].value, *value = p.c.tensor[DS_VALUES].value;
  const double *fold = p.c.tensor[DS_FOLD].value, *bias = p.c.tensor[DS_FOLD_BIAS].value;
  const double *w_left = p.c.tensor[DS_LEFT].value + DS_LEFT_STRIDE - 2;
  const double query = p.c.tensor[DS_Q_LAST].value[1] + 0.25 * w_left[0] + 0.2 * w_left[1];
  const double share = sigmoid(query * (key[0] - key[2])); /* of the depot */
  const double glimpse = share * value[0] + (1.0 - share) * value[2];
  const double logit[3] = {10.0 * tanh(glimpse * fold[0] + bias[0]), 0.0,
                           10.0 * tanh(glimpse * fold[2] + bias[2])};
  for (int i = 0; i < devices->count; ++i) {
    ds_rollouts r;
    ds_decode(&p, &devices->item[i], EDGEFW_SELECT_FORCED, 0, 0, 1, tour, &r);
    check_close_f64(r.logits + 2 * 3, logit, 3, 1e-5, 0.0, "logits of the first choice");
    check_close(r.log_probability[0], log(sigmoid(logit[2] - logit[0])), 1e-5, 0.0,
                "log-probability");
    ds_rollouts_destroy(&r);
  }
  ds_destroy(&p);
}

/* Least entry of the arcs between j and customers l != j that tour[0 .. t) does not hold, at
 * j * along_j + l * along_l. */
static double least_by_hand(const double *x, int64_t along_l, int64_t along_j, int64_t n, int64_t t,
                            const int32_t *tour, int64_t j, double otherwise) {
  double least = INFINITY;
  for (int64_t l = 1; l < n; ++l) {
    bool remains = l != j;
    for (int64_t k = 0; k < t; ++k) remains = remains && tour[k] != l;
    if (remains) least = fmin(least, x[j * along_j + l * along_l]);
  }
  return isinf(least) ? otherwise : least;
}

/* What feature `f` of the plan must be at step t for candidate j; the closing node is the depot. */
static double feature_by_hand(const ds_problem *p, int f, int64_t t, const int32_t *tour,
                              int64_t j) {
  const int64_t i = tour[t - 1], n = p->shape.nodes;
  const double *pair = p->c.tensor[DS_PAIR].value, *node = p->c.tensor[DS_NODE].value;
  const double *other = p->c.tensor[DS_OTHER].value;
  double distinct = 1.0;
  for (int64_t k = 0; k < t; ++k) distinct += tour[k] != 0;
  switch (f) {
  case 0: return pair[i * n + j];
  case 1: return pair[j * n + i];
  case 2: return pair[i * n + j] - pair[j * n + i];
  case 3: return other[j * n];
  case 4: return node[j];
  case 5: return distinct / (double)n;
  case 6: return node[i];
  case 7: return node[0];
  case 8: return other[j] - other[j * n];
  case 9: return pair[j];
  case 10: return other[i * n];
  case 11: return pair[i];
  case 12: return pair[i] - pair[i * n];
  case 13: return least_by_hand(pair, 1, n, n, t, tour, j, pair[j * n]);
  default: return least_by_hand(other, n, 1, n, t, tour, j, other[i * n + j]);
  }
}

/* One hidden unit that passes one feature: the logit tells what it was. */
static void isolate_feature(ds_problem *p, int f) {
  const int zeroed[] = {DS_FOLD, DS_FOLD_BIAS, DS_W1};
  for (int k = 0; k < 3; ++k)
    for (int64_t i = 0; i < p->c.tensor[zeroed[k]].count; ++i)
      p->c.tensor[zeroed[k]].value[i] = 0.0;
  p->c.tensor[DS_W1].value[f] = 1.0;
  p->c.tensor[DS_B1].value[0] = 4.0;
  p->c.tensor[DS_W2].value[0] = 0.125;
  p->c.tensor[DS_B2].value[0] = -0.5;
}

static void check_feature(const ds_problem *p, const ds_rollouts *r, int f) {
  const int64_t n = p->shape.nodes;
  for (int64_t s = 0; s < r->rollouts; ++s) {
    const int32_t *tour = r->tours + s * p->steps;
    const int64_t end = ds_last(p, tour);
    for (int64_t t = 2; t <= end; ++t) {
      bool open[16];
      ds_open(p, 0, tour, t, open);
      for (int64_t j = 0; j < n; ++j) {
        const double phi = feature_by_hand(p, f, t, tour, j);
        const double logit = open[j] ? p->shape.clip * tanh(0.125 * phi) : 0.0;
        check_close(r->logits[(s * p->steps + t) * n + j], logit, 1e-5, 0.0, "logit of a feature");
      }
    }
  }
}

static void features_by_hand(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {1, 7, 6, 1, 2, 1, false, 10, SHARED};
  ds_problem p;
  const ds_extras one_load = {.depot = true, .resources = 1};
  ds_create_with(&p, &shape, &one_load, "decode", 1.0);
  for (int f = 0; f < p.plan.feature_count; ++f) {
    isolate_feature(&p, f);
    for (int i = 0; i < devices->count; ++i) {
      ds_rollouts r;
      ds_decode(&p, &devices->item[i], EDGEFW_SELECT_FORCED, 0, 0, 6, p.tours, &r);
      check_feature(&p, &r, f);
      ds_rollouts_destroy(&r);
    }
  }
  ds_destroy(&p);
}

static const ds_extras extras[] = {
    {.depot = true},
    {.depot = true, .resources = 1},
    {.depot = true, .resources = 2, .fractional = true},
};
enum { EXTRAS = sizeof extras / sizeof extras[0] };

static void gradients(void **state) {
  const ds_shape shapes[] = {
      {1, 2, 1, 1, 2, 3, false, 10, SHARED}, {2, 3, 2, 2, 1, 0, false, 10, SHARED},
      {2, 4, 3, 1, 3, 3, false, 10, MAX},    {1, 6, 5, 2, 2, 4, false, 10, SHARED},
      {2, 5, 3, 2, 2, 5, true, 5, SHARED},
  };
  for (size_t i = 0; i < EXTRAS * sizeof shapes / sizeof shapes[0]; ++i) {
    ds_problem p;
    ds_create_with(&p, &shapes[i / EXTRAS], &extras[i % EXTRAS], "decode", 0.8);
    ks_check_gradient(*state, &p.c);
    ks_check_parity(*state, &p.c);
    ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

static void devices_agree(void **state) {
  const ds_shape shapes[] = {
      {2, 20, 11, 2, 8, 32, false, 10, SHARED}, {1, 40, 13, 4, 4, 8, false, 10, MAX},
      {2, 17, 16, 1, 16, 5, true, 10, SHARED},  {1, 97, 3, 2, 16, 32, false, 10, SHARED},
      {1, 101, 5, 8, 8, 0, false, 10, SHARED},  {3, 16, 15, 2, 5, 9, false, 50, SHARED},
      {2, 33, 32, 2, 8, 0, false, 10, SHARED},
  };
  for (size_t i = 0; i < EXTRAS * sizeof shapes / sizeof shapes[0]; ++i) {
    ds_problem p;
    ds_create_with(&p, &shapes[i / EXTRAS], &extras[i % EXTRAS], "decode", 0.5);
    ks_check_parity(*state, &p.c);
    if (p.shape.nodes < 20) ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(query_sees_what_is_left),
      cmocka_unit_test(features_by_hand),
      cmocka_unit_test(gradients),
      cmocka_unit_test(devices_agree),
  };
  return cmocka_run_group_tests(tests, ks_setup, ks_teardown);
}
