/* Attention of the decode loop: where scores spread little, much, and both, and where there are so
 * many nodes that the device `cpu` keeps no tables of scores.
 * labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/spread_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARED &edgefw__reinforce

/* Does the device look scores up? */
static bool is_cpu(const ks_device *d) {
  return strncmp(d->name, "cpu", 3) == 0;
}

static int64_t all_rollouts(const spread_case *spread, int64_t n) {
  return spread->extras.depot ? n - 1 : n;
}

/* Logits of forced tours agree with the oracle's, and two threads give the bits of one. */
static void logits_agree(void **state) {
  enum { N = 21 };
  const ks_devices *devices = *state;
  for (int k = 0; k < SPREAD_CASES; ++k) {
    const int64_t s = all_rollouts(&spread_cases[k], N);
    const ds_shape shape = {2, N, s, 2, 5, 0, false, 10, SHARED};
    ds_problem p;
    spread_create(&p, &spread_cases[k], &shape);
    const int64_t logits = 2 * s * p.steps * N;
    ds_rollouts oracle;
    ds_decode(&p, devices->oracle, EDGEFW_SELECT_FORCED, 0, 0, s, p.tours, &oracle);
    for (int i = 0; i < devices->count; ++i) {
      const ks_device *d = &devices->item[i];
      ds_rollouts one, two;
      if (!is_cpu(d)) continue; /* others: test_decode_attention_backward.c */
      ds_decode(&p, d, EDGEFW_SELECT_FORCED, 0, 0, s, p.tours, &one);
      edgefw_set_threads(d->ctx, 2);
      ds_decode(&p, d, EDGEFW_SELECT_FORCED, 0, 0, s, p.tours, &two);
      edgefw_set_threads(d->ctx, 1);
      check_scaled_f64(one.logits, oracle.logits, logits, 2e-5, spread_cases[k].name);
      check_same_bits(two.logits, one.logits, (size_t)logits * sizeof(double), "threads");
      ds_rollouts_destroy(&one);
      ds_rollouts_destroy(&two);
    }
    ds_rollouts_destroy(&oracle);
    ds_destroy(&p);
  }
}

/* A rollout's logits do not depend on which others ask for the same rows before it. */
static void rollouts_are_independent(void **state) {
  enum { N = 19 };
  const ks_devices *devices = *state;
  for (int k = 0; k < SPREAD_CASES; ++k) {
    const int64_t s = all_rollouts(&spread_cases[k], N), last = s - 1;
    const ds_shape shape = {1, N, s, 2, 5, 0, false, 10, SHARED};
    ds_problem p;
    spread_create(&p, &spread_cases[k], &shape);
    for (int i = 0; i < devices->count; ++i) {
      const ks_device *d = &devices->item[i];
      ds_rollouts all, alone;
      if (!is_cpu(d)) continue;
      ds_decode(&p, d, EDGEFW_SELECT_SAMPLE, 5, 0, s, NULL, &all);
      ds_decode(&p, d, EDGEFW_SELECT_SAMPLE, 5, last, 1, NULL, &alone);
      check_same_bits(alone.logits, all.logits + last * p.steps * N,
                      (size_t)(p.steps * N) * sizeof(double), spread_cases[k].name);
      ds_rollouts_destroy(&all);
      ds_rollouts_destroy(&alone);
    }
    ds_destroy(&p);
  }
}

/* Logits of the step after the first decision of the problem's tours, 0 and a mark for closed
 * nodes. */
static void second_step(const ds_problem *p, const ks_device *d, double *logits, uint8_t *closed) {
  void *in[KS_MAX_TENSORS] = {NULL};
  const size_t bytes = (size_t)(p->shape.rollouts * p->steps) * sizeof(int32_t);
  int32_t *tours = malloc(bytes);
  double lengths[2];
  assert_non_null(tours);
  memcpy(tours, p->tours, bytes);
  ds_upload(p, d, in);
  edgefw_decode_args a = ds_args(p, d, in);
  a.selection.select = EDGEFW_SELECT_FORCED;
  a.tours = tours;
  a.lengths = lengths;
  a.stop = (edgefw_decode_stop){.early = true, .decisions = 1, .logits = logits};
  ks_ok(d, d->k->decode(d->device, &a));
  for (int64_t j = 0; j < p->shape.rollouts * p->shape.nodes; ++j) {
    closed[j] = isnan(logits[j]);
    if (closed[j]) logits[j] = 0.0;
  }
  ds_release(p, d, in);
  free(tours);
}

static void instances_without_tables(void **state) {
  enum { N = 2001, S = 2 };
  const ks_devices *devices = *state;
  const ds_extras extras[] = {{.depot = false}, {.depot = true, .resources = 2}};
  static double expected[S * N], actual[S * N];
  static uint8_t expected_closed[S * N], closed[S * N];
  for (int k = 0; k < 2; ++k) {
    const ds_shape shape = {1, N, S, 2, 3, 0, true, 10, SHARED};
    ds_problem p;
    ds_create_with(&p, &shape, &extras[k], "decode", 0.6);
    second_step(&p, devices->oracle, expected, expected_closed);
    for (int i = 0; i < devices->count; ++i) {
      if (!is_cpu(&devices->item[i])) continue;
      second_step(&p, &devices->item[i], actual, closed);
      check_same_bits(closed, expected_closed, sizeof closed, "closed nodes");
      check_scaled_f64(actual, expected, S * N, 2e-5, devices->item[i].name);
    }
    ds_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(logits_agree),
      cmocka_unit_test(rollouts_are_independent),
      cmocka_unit_test(instances_without_tables),
  };
  return test_run(tests, ks_setup_long, ks_teardown);
}
