/* Preference optimisation: loss and weights against numbers worked out by hand, slopes, and pairs
 * that say nothing. */
#include "support/test.h"

#include <math.h>

#include "support/check.h"
#include "train/objectives/preference.h"

#define ROLLOUTS 4

static const double lengths[ROLLOUTS] = {4.0, 2.0, 6.0, 2.5};
static const double log_probability[ROLLOUTS] = {-1.0, -2.0, -4.0, -0.5};

static void two_rollouts_are_one_pair(void **state) {
  (void)state;
  const double beta = 0.5;
  const edgefw__objective objective = edgefw__preference(&beta);
  const edgefw__outcome outcome = {0, 3, 2, lengths, log_probability};
  double weights[2], loss = 0.0;
  edgefw__objective_weigh(&objective, &outcome, weights, &loss);
  /* The second one is shorter: 0.5 (-2 - -1) = -0.5. */
  check_close(loss, log(1.0 + exp(0.5)), 1e-15, 0.0, "loss");
  check_close(weights[1], -0.5 / 3.0 / (1.0 + exp(-0.5)), 1e-15, 0.0, "weight of the shorter");
  check_close(weights[0], 0.5 / 3.0 / (1.0 + exp(-0.5)), 1e-15, 0.0, "weight of the longer");
}

/* The weights are the slopes of the batch's loss by the log-probabilities. */
static void weights_are_slopes_of_the_loss(void **state) {
  (void)state;
  const double betas[] = {0.02, 1.0, 7.0}, step = 1e-5;
  for (int b = 0; b < 3; ++b)
    for (int s = 0; s < ROLLOUTS; ++s) {
      const edgefw__objective objective = edgefw__preference(&betas[b]);
      const edgefw__outcome outcome = {0, 2, ROLLOUTS, lengths, log_probability};
      double weights[ROLLOUTS], unused[ROLLOUTS], losses[2];
      edgefw__objective_weigh(&objective, &outcome, weights, &losses[0]);
      for (int side = 0; side < 2; ++side) {
        double moved[ROLLOUTS];
        for (int i = 0; i < ROLLOUTS; ++i) moved[i] = log_probability[i];
        moved[s] += side ? step : -step;
        const edgefw__outcome near = {0, 2, ROLLOUTS, lengths, moved};
        edgefw__objective_weigh(&objective, &near, unused, &losses[side]);
      }
      check_close(weights[s], (losses[1] - losses[0]) / (2.0 * step) / 2.0, 1e-8, 0.0, "slope");
    }
}

/* Only the order of lengths counts. */
static void units_of_length_do_not_matter(void **state) {
  (void)state;
  const double beta = 0.3, other[ROLLOUTS] = {400.0, 1.0, 1e6, 2.0};
  const edgefw__objective objective = edgefw__preference(&beta);
  double weights[2][ROLLOUTS], loss[2];
  const edgefw__outcome outcome = {0, 2, ROLLOUTS, lengths, log_probability};
  const edgefw__outcome scaled = {0, 2, ROLLOUTS, other, log_probability};
  edgefw__objective_weigh(&objective, &outcome, weights[0], &loss[0]);
  edgefw__objective_weigh(&objective, &scaled, weights[1], &loss[1]);
  check_same_bits(weights[1], weights[0], sizeof *weights, "weights");
  check_same_bits(&loss[1], &loss[0], sizeof *loss, "loss");
}

static void equal_tours_and_one_alone_teach_nothing(void **state) {
  (void)state;
  const double beta = 1.0, rounded[3] = {0.3, 0.1 + 0.2, 0.3};
  const edgefw__objective objective = edgefw__preference(&beta);
  for (int64_t rollouts = 1; rollouts <= 3; rollouts += 2) {
    const edgefw__outcome outcome = {0, 1, rollouts, rounded, log_probability};
    double weights[3] = {1.0, 1.0, 1.0}, loss = 1.0;
    edgefw__objective_weigh(&objective, &outcome, weights, &loss);
    for (int64_t s = 0; s < rollouts; ++s) check_close(weights[s], 0.0, 0.0, 0.0, "weight");
    check_close(loss, 0.0, 0.0, 0.0, "loss");
  }
}

/* Sigmoids of arguments whose exponentials overflow. */
static void far_apart_probabilities_stay_finite(void **state) {
  (void)state;
  const double beta = 10.0, far[2] = {-1000.0, 0.0}, ordered[2] = {1.0, 2.0};
  const edgefw__objective objective = edgefw__preference(&beta);
  double weights[2], loss = 0.0;
  edgefw__objective_weigh(&objective, &(edgefw__outcome){0, 1, 2, ordered, far}, weights, &loss);
  check_close(loss, 1e4, 0.0, 0.0, "loss of a pair in the wrong order");
  check_close(weights[0], -10.0, 0.0, 0.0, "weight");
  const double right[2] = {0.0, -1000.0};
  edgefw__objective_weigh(&objective, &(edgefw__outcome){0, 1, 2, ordered, right}, weights, &loss);
  check_close(loss, 0.0, 0.0, 0.0, "loss of a pair in the right order");
  check_close(weights[0], 0.0, 0.0, 0.0, "weight");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_rollouts_are_one_pair),
      cmocka_unit_test(weights_are_slopes_of_the_loss),
      cmocka_unit_test(units_of_length_do_not_matter),
      cmocka_unit_test(equal_tours_and_one_alone_teach_nothing),
      cmocka_unit_test(far_apart_probabilities_stay_finite),
  };
  return test_run(tests, NULL, NULL);
}
