/* From the keys of [train] to an objective.
 * labels: train
 * needs plugins: nearest */
#include "support/test.h"

#include "support/check.h"
#include "support/tiny_model.h"
#include "train/lesson.h"
#include "train/objectives/preference.h"
#include "train/objectives/reinforce.h"
#include "train/train.h"

static const double lengths[] = {4.0, 2.0, 6.0}, log_probability[] = {-1.0, -2.0, -4.0};
static const edgefw__outcome outcome = {0, 2, 3, lengths, log_probability};

/* The composition's objective weighs as `expected` does. */
static void expect_objective(const char *text, const edgefw__objective *expected) {
  tiny_model tiny;
  edgefw__lesson lesson;
  double weights[2][3], loss[2];
  tiny_begin(&tiny, NULL, text, "reference64");
  edgefw__lesson_begin(tiny.ctx, tiny.composition, &lesson);
  tiny_ok(&tiny, edgefw__lesson_prepare(&lesson, NULL, NULL, NULL)); /* nothing is to be done */
  edgefw__objective_weigh(lesson.request.objective, &outcome, weights[0], &loss[0]);
  edgefw__objective_weigh(expected, &outcome, weights[1], &loss[1]);
  check_same_bits(weights[0], weights[1], sizeof *weights, "weights");
  check_same_bits(&loss[0], &loss[1], sizeof *loss, "loss");
  assert_int_equal(edgefw__lesson_rollouts(tiny.composition->train), 0);
  edgefw__lesson_end(&lesson);
  tiny_close(&tiny);
}

static void the_key_chooses(void **state) {
  (void)state;
  const double beta = 0.25, fallback = 0.2;
  const edgefw__objective preference = edgefw__preference(&beta);
  const edgefw__objective usual = edgefw__preference(&fallback);
  expect_objective(TINY_PLAIN, &edgefw__reinforce);
  expect_objective(TINY_PLAIN "[train]\nadvantage_norm = max\n", &edgefw__reinforce_max);
  const edgefw__reinforce_options led = {false, 2.5};
  const edgefw__objective leading = edgefw__reinforce_with(&led);
  expect_objective(TINY_PLAIN "[train]\nleader = 2.5\n", &leading);
  expect_objective(TINY_PLAIN "[train]\nobjective = preference\n", &usual);
  expect_objective(TINY_PLAIN "[train]\nobjective = preference\npreference_beta = 0.25\n",
                   &preference);
}

/* Repeated steps on one batch make its sampled tours shorter. */
static void preference_improves_the_policy(void **state) {
  (void)state;
  enum { N = 8, INSTANCES = 4, STEPS = 60 };
  tiny_model tiny;
  edgefw__lesson lesson;
  tiny_open(&tiny, TINY_OURS "[train]\nobjective = preference\npreference_beta = 0.2\n",
            "reference", 5, true);
  edgefw__lesson_begin(tiny.ctx, tiny.composition, &lesson);
  edgefw__batch *batch = tiny_batch(&tiny, N, 3, 0, INSTANCES);
  edgefw__policy *policy = tiny_policy(&tiny, INSTANCES, N, true);
  double first = 0.0, last = 0.0;
  for (int step = 1; step <= STEPS; ++step) {
    double norm = 0.0, sum = 0.0;
    lesson.request.sample_seed = (uint64_t)step;
    tiny_ok(&tiny, edgefw__train_step(policy, batch, &lesson.request, step, 1e-2, &norm));
    for (int64_t r = 0; r < INSTANCES * policy->rollouts; ++r) sum += policy->lengths[r];
    if (step <= 10) first += sum;
    if (step > STEPS - 10) last += sum;
  }
  assert_true(last < 0.95 * first);
  edgefw__lesson_end(&lesson);
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

/* Repeated steps on one batch make its labels probable. Rollouts are the labels, at their cost. */
static void imitation_learns_its_labels(void **state) {
  (void)state;
  enum { N = 8, INSTANCES = 4, STEPS = 60 };
  tiny_model tiny;
  edgefw__lesson lesson;
  edgefw__policy *policy = NULL;
  tiny_open(&tiny, TINY_OURS "[train]\nobjective = imitation\nlabels = search\nlabel_starts = 3\n",
            "reference", 5, true);
  edgefw__lesson_begin(tiny.ctx, tiny.composition, &lesson);
  edgefw__batch *batch = tiny_batch(&tiny, N, 3, 0, INSTANCES);
  const int64_t rollouts = edgefw__lesson_rollouts(tiny.composition->train);
  assert_int_equal(rollouts, 3);
  tiny_ok(&tiny, edgefw__policy_create(tiny.model, INSTANCES, N, rollouts, true, &policy));
  double first = 0.0, last = 0.0;
  for (int step = 1; step <= STEPS; ++step) {
    double norm = 0.0, sum = 0.0;
    tiny_ok(&tiny, edgefw__lesson_prepare(&lesson, policy, batch, NULL));
    tiny_ok(&tiny, edgefw__train_step(policy, batch, &lesson.request, step, 1e-2, &norm));
    for (int64_t r = 0; r < INSTANCES * rollouts; ++r)
      check_close(policy->lengths[r], lesson.labels.costs[r / rollouts], 1e-12, 1e-12, "length");
    for (int64_t b = 0; b < INSTANCES; ++b) sum += policy->losses[b];
    if (step == 1) first = sum;
    last = sum;
  }
  assert_true(first > 0.0 && last < 0.5 * first);
  edgefw__lesson_end(&lesson);
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_key_chooses),
      cmocka_unit_test(preference_improves_the_policy),
      cmocka_unit_test(imitation_learns_its_labels),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
