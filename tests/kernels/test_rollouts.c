/* Rollouts from a depot (kernels/cpu/rollouts.c) on every device: they keep the rules, finish at
 * different steps, and are the same when they are forced or run in chunks.
 * labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#include "edgefw/rng.h"

#include <math.h>
#include <string.h>

#define SHARED &edgefw__reinforce

static const ds_shape shapes[] = {
    {2, 2, 1, 1, 2, 3, false, 10, SHARED},   {3, 3, 2, 2, 2, 0, false, 10, SHARED},
    {2, 7, 6, 2, 4, 8, false, 10, SHARED},   {2, 20, 19, 2, 8, 32, false, 10, SHARED},
    {1, 40, 39, 4, 4, 0, false, 50, SHARED}, {1, 101, 9, 2, 16, 8, false, 50, SHARED},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], EXTRAS = 4 };
static const ds_extras extras[EXTRAS] = {
    {.depot = true},
    {.depot = true, .resources = 1, .penalty = 5},
    {.depot = true, .resources = 2, .fractional = true},
    {.depot = true, .resources = 1, .penalty = 3, .attention = 6},
};

/* The large shapes, which are slow, with half of the extras each. */
static bool is_tried(int shape, int extra) {
  return shapes[shape].nodes < 40 || (shape + extra) % 2 == 0;
}

/* Every node of the tour was open, the rest is padding; recorded logits are 0 where they must be;
 * the log-probability is the sum of the log-softmax of the chosen. With a seed, the random number
 * falls on what was chosen. */
static void check_rollout(const ds_problem *p, const ds_rollouts *r, int64_t row,
                          const uint64_t *seed) {
  const int64_t n = p->shape.nodes, b = row / r->rollouts, s = row % r->rollouts;
  const int32_t *tour = r->tours + row * p->steps;
  const int64_t end = ds_last(p, tour);
  bool open[128];
  double log_probability = 0.0;
  assert_int_equal(tour[0], 0);
  for (int64_t t = 0; t < p->steps; ++t) {
    const double *logit = r->logits + (row * p->steps + t) * n;
    if (t < 2 || t > end) {
      for (int64_t j = 0; j < n; ++j) assert_true(logit[j] == 0.0);
      continue;
    }
    assert_true(ds_open(p, b, tour, t, open) > 0);
    assert_true(open[tour[t]]);
    double below = 0.0, sum = 0.0;
    for (int64_t j = 0; j < n; ++j) {
      if (!open[j]) assert_true(logit[j] == 0.0);
      if (open[j] && j < tour[t]) below += exp(logit[j] - logit[tour[t]]);
      if (open[j]) sum += exp(logit[j] - logit[tour[t]]);
    }
    log_probability -= log(sum);
    if (seed == NULL) continue;
    const double u = edgefw_random_unit(
        edgefw_random_word(*seed, EDGEFW_STREAM_ROLLOUT, p->ids[b], (uint64_t)(s * p->steps + t)));
    assert_true(below <= (u + 1e-5) * sum);
    assert_true(below + 1.0 >= (u - 1e-5) * sum);
  }
  bool seen[128] = {false};
  for (int64_t t = 0; t <= end; ++t) seen[tour[t]] = true;
  for (int64_t j = 0; j < n; ++j) assert_true(seen[j]);
  check_close(r->lengths[row], ds_length(p, b, tour), 1e-12, 1e-12, "length");
  check_close(r->log_probability[row], log_probability, 1e-5 * (double)n, 1e-4, "log-probability");
}

static void check_starts(const ds_problem *p, const ds_rollouts *r, int64_t first_start) {
  for (int64_t row = 0; row < p->shape.batch * r->rollouts; ++row)
    assert_int_equal(r->tours[row * p->steps + 1], first_start + row % r->rollouts + 1);
}

static void rollouts_keep_the_rules(void **state) {
  const ks_devices *devices = *state;
  const uint64_t seed = 99;
  for (int k = 0; k < SHAPES * EXTRAS; ++k) {
    if (!is_tried(k % SHAPES, k / SHAPES)) continue;
    ds_problem p;
    ds_create_with(&p, &shapes[k % SHAPES], &extras[k / SHAPES], "decode", 0.4);
    for (int i = 0; i < 2 * devices->count; ++i) {
      const bool greedy = i % 2 == 0;
      ds_rollouts r;
      ds_decode(&p, &devices->item[i / 2], greedy ? EDGEFW_SELECT_GREEDY : EDGEFW_SELECT_SAMPLE,
                seed, 0, p.shape.rollouts, NULL, &r);
      check_starts(&p, &r, 0);
      for (int64_t row = 0; row < p.shape.batch * r.rollouts; ++row)
        check_rollout(&p, &r, row, greedy ? NULL : &seed);
      ds_rollouts_destroy(&r);
    }
    ds_destroy(&p);
  }
}

/* Sampled tours, forced, on the device and on the oracle: the same lengths, log-probabilities and
 * logits; and in two chunks. */
static void check_repeats(const ds_problem *p, const ks_device *d, const ks_device *oracle) {
  const int64_t s = p->shape.rollouts, rows = p->shape.batch * s, cut = s / 2;
  ds_rollouts sampled, forced, expected, tail;
  ds_decode(p, d, EDGEFW_SELECT_SAMPLE, 5, 0, s, NULL, &sampled);
  ds_decode(p, d, EDGEFW_SELECT_FORCED, 0, 0, s, sampled.tours, &forced);
  ds_decode(p, oracle, EDGEFW_SELECT_FORCED, 0, 0, s, sampled.tours, &expected);
  ds_decode(p, d, EDGEFW_SELECT_SAMPLE, 5, cut, s - cut, NULL, &tail);
  check_close_f64(forced.lengths, sampled.lengths, rows, 0.0, 1e-15, "forced lengths");
  check_close_f64(expected.lengths, sampled.lengths, rows, 0.0, 1e-13, "oracle's lengths");
  check_close_f64(expected.log_probability, sampled.log_probability, rows,
                  1e-5 * (double)p->shape.nodes, 1e-4, "oracle's log-probabilities");
  check_scaled_f64(sampled.logits, expected.logits, rows * p->steps * p->shape.nodes,
                   ks_tolerance("decode", false), "logits");
  check_starts(p, &tail, cut);
  for (int64_t b = 0; b < p->shape.batch; ++b)
    check_same_bits(tail.tours + b * (s - cut) * p->steps, sampled.tours + (b * s + cut) * p->steps,
                    (size_t)((s - cut) * p->steps) * sizeof(int32_t), "tours of a chunk");
  ds_rollouts_destroy(&sampled);
  ds_rollouts_destroy(&forced);
  ds_rollouts_destroy(&expected);
  ds_rollouts_destroy(&tail);
}

static void forced_and_chunked_runs_repeat(void **state) {
  const ks_devices *devices = *state;
  for (int k = 0; k < SHAPES * EXTRAS; ++k) {
    if (!is_tried(k % SHAPES, k / SHAPES)) continue;
    ds_problem p;
    ds_create_with(&p, &shapes[k % SHAPES], &extras[k / SHAPES], "decode", 0.5);
    for (int i = 0; i < devices->count; ++i) check_repeats(&p, &devices->item[i], devices->oracle);
    ds_destroy(&p);
  }
}

/* --- Slots ---
 * Rollouts that have finished give their slots up, and others move there. */

/* Rollout s has a depot after every customer if s is odd, and none in between if it is even. */
static void fill_uneven_tours(ds_problem *p) {
  const int64_t customers = p->shape.nodes - 1;
  for (int64_t s = 0; s < p->shape.rollouts; ++s) {
    int32_t *tour = p->tours + s * p->steps;
    int64_t t = 1;
    memset(tour, 0, (size_t)p->steps * sizeof *tour);
    for (int64_t k = 0; k < customers; ++k) {
      tour[t++] = (int32_t)((s + k) % customers + 1);
      t += s % 2;
    }
  }
}

/* What a rollout sees and costs does not depend on those beside it. */
static void a_rollout_is_the_same_alone(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {1, 19, 18, 1, 4, 8, false, 10, SHARED};
  const ds_extras both = {.depot = true, .penalty = 4, .attention = 5};
  ds_problem p;
  ds_create_with(&p, &shape, &both, "decode", 0.5);
  fill_uneven_tours(&p);
  const int64_t logits = p.steps * shape.nodes;
  for (int i = 0; i < devices->count; ++i) {
    ds_rollouts all, alone;
    ds_decode(&p, &devices->item[i], EDGEFW_SELECT_FORCED, 0, 0, 18, p.tours, &all);
    for (int64_t s = 0; s < 18; ++s) {
      const int32_t *tour = p.tours + s * p.steps;
      check_close(all.lengths[s], ds_length(&p, 0, tour), 1e-12, 0.0, "length");
      ds_decode(&p, &devices->item[i], EDGEFW_SELECT_FORCED, 0, s, 1, tour, &alone);
      check_scaled_f64(alone.logits, all.logits + s * logits, logits, 2e-5, "logits alone");
      check_close(alone.log_probability[0], all.log_probability[s], 1e-4, 1e-5, "log-probability");
      ds_rollouts_destroy(&alone);
    }
    ds_rollouts_destroy(&all);
  }
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rollouts_keep_the_rules),
      cmocka_unit_test(forced_and_chunked_runs_repeat),
      cmocka_unit_test(a_rollout_is_the_same_alone),
  };
  return test_run(tests, ks_setup_long, ks_teardown);
}
