/* REINFORCE: weights and loss against numbers worked out by hand, and what equal tours teach. */
#include "support/test.h"

#include <math.h>

#include "support/check.h"
#include "train/objectives/reinforce.h"

/* Three rollouts of lengths 2, 4, 6 and log-probabilities -1, -2, -4 in a batch of two: the mean is
 * 4, advantages are 2, 0, -2. */
static const double lengths[] = {2.0, 4.0, 6.0}, log_probability[] = {-1.0, -2.0, -4.0};
static const edgefw__outcome outcome = {0, 2, 3, lengths, log_probability};

static void the_mean_is_the_baseline(void **state) {
  (void)state;
  double weights[3], loss = 0.0;
  edgefw__objective_weigh(&edgefw__reinforce, &outcome, weights, &loss);
  check_close(loss, (2.0 * 1.0 - 2.0 * 4.0) / 3.0, 1e-15, 0.0, "loss");
  check_close(weights[0], -2.0 / 6.0, 1e-15, 0.0, "weight of the shortest");
  check_close(weights[1], 0.0, 0.0, 0.0, "weight of the mean");
  check_close(weights[2], 2.0 / 6.0, 1e-15, 0.0, "weight of the longest");
}

static void the_largest_advantage_divides(void **state) {
  (void)state;
  double weights[3], loss = 0.0;
  edgefw__objective_weigh(&edgefw__reinforce_max, &outcome, weights, &loss);
  check_close(loss, (1.0 - 4.0) / 3.0, 1e-15, 0.0, "loss");
  check_close(weights[0], -1.0 / 6.0, 1e-15, 0.0, "weight of the shortest");
  check_close(weights[2], 1.0 / 6.0, 1e-15, 0.0, "weight of the longest");
}

/* Advantages 2, 0, -2 become 6, 0, -2 where the leader's counts three times. */
static void the_leader_counts_more(void **state) {
  (void)state;
  const edgefw__reinforce_options options = {false, 3.0};
  const edgefw__objective led = edgefw__reinforce_with(&options);
  double weights[3], loss = 0.0;
  edgefw__objective_weigh(&led, &outcome, weights, &loss);
  check_close(loss, (6.0 * 1.0 - 2.0 * 4.0) / 3.0, 1e-15, 0.0, "loss");
  check_close(weights[0], -6.0 / 6.0, 1e-15, 0.0, "weight of the leader");
  check_close(weights[1], 0.0, 0.0, 0.0, "weight of the mean");
  check_close(weights[2], 2.0 / 6.0, 1e-15, 0.0, "weight of the longest");
}

/* 0.3 and 0.1 + 0.2 are the same length summed up otherwise: the first one leads, not the one that
 * is shorter by a rounding. */
static void the_first_of_equals_leads(void **state) {
  (void)state;
  const edgefw__reinforce_options options = {false, 2.0};
  const edgefw__objective led = edgefw__reinforce_with(&options);
  const double nearly[3] = {0.1 + 0.2, 0.3, 0.6};
  const edgefw__outcome outcome_of_equals = {0, 1, 3, nearly, log_probability};
  double weights[3], loss = 0.0;
  edgefw__objective_weigh(&led, &outcome_of_equals, weights, &loss);
  check_close(weights[0], -2.0 * 0.1 / 3.0, 1e-15, 0.0, "weight of the first");
  check_close(weights[1], -0.1 / 3.0, 1e-15, 0.0, "weight of its equal");
}

/* The weights are the slopes of the batch's loss by the log-probabilities. */
static void weights_are_slopes_of_the_loss(void **state) {
  (void)state;
  const edgefw__reinforce_options options = {true, 3.0};
  const edgefw__objective led = edgefw__reinforce_with(&options);
  const edgefw__objective *const objectives[] = {&edgefw__reinforce, &edgefw__reinforce_max, &led};
  for (int o = 0; o < 3; ++o)
    for (int s = 0; s < 3; ++s) {
      double weights[3], unused[3], losses[2];
      edgefw__objective_weigh(objectives[o], &outcome, weights, &losses[0]);
      for (int side = 0; side < 2; ++side) {
        double moved[3] = {log_probability[0], log_probability[1], log_probability[2]};
        moved[s] += side ? 0.5 : -0.5;
        const edgefw__outcome near = {0, 2, 3, lengths, moved};
        edgefw__objective_weigh(objectives[o], &near, unused, &losses[side]);
      }
      check_close(weights[s], (losses[1] - losses[0]) / 2.0, 1e-14, 0.0, "slope");
    }
}

/* Equal lengths, also such whose mean rounds, have advantages of exactly 0 and never 0 / 0. */
static void equal_tours_teach_nothing(void **state) {
  (void)state;
  const edgefw__objective *const objectives[] = {&edgefw__reinforce, &edgefw__reinforce_max};
  const double same[3] = {0.1, 0.1, 0.1}, rounded[3] = {0.3, 0.1 + 0.2, 0.3};
  for (int o = 0; o < 2; ++o) {
    double weights[3], loss = 1.0;
    const edgefw__outcome equal = {0, 1, 3, same, log_probability};
    edgefw__objective_weigh(objectives[o], &equal, weights, &loss);
    for (int s = 0; s < 3; ++s) check_close(weights[s], 0.0, 0.0, 0.0, "weight");
    check_close(loss, 0.0, 0.0, 0.0, "loss");
  }
  double weights[3], loss = 1.0;
  const edgefw__outcome nearly = {0, 1, 3, rounded, log_probability};
  edgefw__objective_weigh(&edgefw__reinforce_max, &nearly, weights, &loss);
  for (int s = 0; s < 3; ++s) check_close(weights[s], 0.0, 0.0, 0.0, "weight of a rounding");
}

static void one_rollout_teaches_nothing(void **state) {
  (void)state;
  const edgefw__outcome alone = {0, 1, 1, lengths, log_probability};
  double weight = 1.0, loss = 1.0;
  edgefw__objective_weigh(&edgefw__reinforce_max, &alone, &weight, &loss);
  check_close(weight, 0.0, 0.0, 0.0, "weight");
  check_close(loss, 0.0, 0.0, 0.0, "loss");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_mean_is_the_baseline),
      cmocka_unit_test(the_largest_advantage_divides),
      cmocka_unit_test(the_leader_counts_more),
      cmocka_unit_test(the_first_of_equals_leads),
      cmocka_unit_test(weights_are_slopes_of_the_loss),
      cmocka_unit_test(equal_tours_teach_nothing),
      cmocka_unit_test(one_rollout_teaches_nothing),
  };
  return test_run(tests, NULL, NULL);
}
