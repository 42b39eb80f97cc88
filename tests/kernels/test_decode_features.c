/* Every feature of a candidate by hand (kernels/reference/decode_features.c), on every device:
 * along tours, and along routes, where a visited node counts otherwise than a closed one.
 * labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#include <math.h>

#define SHARED &edgefw__reinforce

/* One hidden unit that passes one feature: 0.1 * relu(phi_f + 4) - 0.4, so the logit tells phi_f.
 */
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

/* --- Tours --- */

/* Least entry at j * along_j + l * along_l over the nodes l of tour[t..] other than j; `otherwise`
 * where there is none. */
static double least_of_tour(const double *x, int64_t along_l, int64_t along_j, int64_t n, int64_t t,
                            const int32_t *tour, int64_t j, double otherwise) {
  double least = INFINITY;
  for (int64_t at = t; at < n; ++at)
    if (tour[at] != j) least = fmin(least, x[j * along_j + tour[at] * along_l]);
  return isinf(least) ? otherwise : least;
}

/* What feature `f` of the plan must be at step t for candidate j, looked up apart from the plan's
 * own words. */
static double feature_of_tour(const ds_problem *p, int f, int64_t t, const int32_t *tour,
                              int64_t j) {
  const int64_t i = tour[t - 1], s = tour[0];
  const int64_t n = p->shape.nodes;
  const double *pair = p->c.tensor[DS_PAIR].value, *node = p->c.tensor[DS_NODE].value;
  const double *other = p->c.tensor[DS_OTHER].value;
  switch (f) {
  case 0: return pair[i * n + j];
  case 1: return pair[j * n + i];
  case 2: return pair[i * n + j] - pair[j * n + i];
  case 3: return other[j * n + s];
  case 4: return node[j];
  case 5: return (double)t / (double)n;
  case 6: return node[i];
  case 7: return node[s];
  case 8: return other[s * n + j] - other[j * n + s];
  case 9: return pair[s * n + j];
  case 10: return other[i * n + s];
  case 11: return pair[s * n + i];
  case 12: return pair[s * n + i] - pair[i * n + s];
  case 13: return least_of_tour(pair, 1, n, n, t, tour, j, pair[j * n + s]);
  default: return least_of_tour(other, n, 1, n, t, tour, j, other[i * n + j]);
  }
}

static void check_tours(const ds_problem *p, const ds_rollouts *r, int f) {
  const int64_t n = p->shape.nodes;
  for (int64_t s = 0; s < r->rollouts; ++s) {
    const int32_t *tour = r->tours + s * n;
    for (int64_t t = 1; t < n; ++t)
      for (int64_t at = 0; at < n; ++at) { /* at < t: closed */
        const double phi = feature_of_tour(p, f, t, tour, tour[at]);
        const double logit = at < t ? 0.0 : p->shape.clip * tanh(0.125 * phi);
        check_close(r->logits[(s * n + t) * n + tour[at]], logit, 1e-5, 0.0, "logit of a feature");
      }
    for (int64_t j = 0; j < n; ++j)
      check_close(r->logits[s * n * n + j], 0.0, 0.0, 0.0, "logit of step 0");
  }
}

static void features_of_tours(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {1, 6, 6, 1, 2, 1, true, 10, SHARED};
  ds_problem p;
  ds_create(&p, &shape, "decode", 1.0);
  for (int f = 0; f < p.plan.feature_count; ++f) {
    isolate_feature(&p, f);
    for (int i = 0; i < devices->count; ++i) {
      ds_rollouts r;
      ds_decode(&p, &devices->item[i], EDGEFW_SELECT_FORCED, 0, 0, 6, p.tours, &r);
      check_tours(&p, &r, f);
      ds_rollouts_destroy(&r);
    }
  }
  ds_destroy(&p);
}

/* --- Routes --- */

/* Least entry of the arcs between j and customers l != j that tour[0 .. t) does not hold, at
 * j * along_j + l * along_l. */
static double least_of_routes(const double *x, int64_t along_l, int64_t along_j, int64_t n,
                              int64_t t, const int32_t *tour, int64_t j, double otherwise) {
  double least = INFINITY;
  for (int64_t l = 1; l < n; ++l) {
    bool remains = l != j;
    for (int64_t k = 0; k < t; ++k) remains = remains && tour[k] != l;
    if (remains) least = fmin(least, x[j * along_j + l * along_l]);
  }
  return isinf(least) ? otherwise : least;
}

/* What feature `f` of the plan must be at step t for candidate j; the closing node is the depot. */
static double feature_of_routes(const ds_problem *p, int f, int64_t t, const int32_t *tour,
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
  case 13: return least_of_routes(pair, 1, n, n, t, tour, j, pair[j * n]);
  default: return least_of_routes(other, n, 1, n, t, tour, j, other[i * n + j]);
  }
}

static void check_routes(const ds_problem *p, const ds_rollouts *r, int f) {
  const int64_t n = p->shape.nodes;
  for (int64_t s = 0; s < r->rollouts; ++s) {
    const int32_t *tour = r->tours + s * p->steps;
    const int64_t end = ds_last(p, tour);
    for (int64_t t = 2; t <= end; ++t) {
      bool open[16];
      ds_open(p, 0, tour, t, open);
      for (int64_t j = 0; j < n; ++j) {
        const double phi = feature_of_routes(p, f, t, tour, j);
        const double logit = open[j] ? p->shape.clip * tanh(0.125 * phi) : 0.0;
        check_close(r->logits[(s * p->steps + t) * n + j], logit, 1e-5, 0.0, "logit of a feature");
      }
    }
  }
}

static void features_of_routes(void **state) {
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
      check_routes(&p, &r, f);
      ds_rollouts_destroy(&r);
    }
  }
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(features_of_tours),
      cmocka_unit_test(features_of_routes),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
