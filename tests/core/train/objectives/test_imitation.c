/* Imitation: loss and weights against numbers worked out by hand, and slopes. */
#include "support/test.h"

#include "support/check.h"
#include "train/objectives/imitation.h"

static const double lengths[] = {4.0, 4.0, 4.0}, log_probability[] = {-1.0, -2.0, -6.0};
static const int64_t choices[] = {19, 4, 0};

static void the_loss_is_that_of_a_choice(void **state) {
  (void)state;
  const edgefw__objective objective = edgefw__imitation(choices);
  const edgefw__outcome outcome = {1, 5, 3, lengths, log_probability};
  double weights[3], loss = 0.0;
  edgefw__objective_weigh(&objective, &outcome, weights, &loss);
  check_close(loss, 9.0 / 3.0 / 4.0, 1e-15, 0.0, "loss");
  for (int s = 0; s < 3; ++s) check_close(weights[s], -1.0 / 60.0, 1e-15, 0.0, "weight");
}

/* The weights are the slopes of the batch's loss by the log-probabilities. */
static void weights_are_slopes_of_the_loss(void **state) {
  (void)state;
  const edgefw__objective objective = edgefw__imitation(choices);
  for (int s = 0; s < 3; ++s) {
    const edgefw__outcome outcome = {0, 2, 3, lengths, log_probability};
    double weights[3], unused[3], losses[2];
    edgefw__objective_weigh(&objective, &outcome, weights, &losses[0]);
    for (int side = 0; side < 2; ++side) {
      double moved[3] = {log_probability[0], log_probability[1], log_probability[2]};
      moved[s] += side ? 0.5 : -0.5;
      edgefw__objective_weigh(&objective, &(edgefw__outcome){0, 2, 3, lengths, moved}, unused,
                              &losses[side]);
    }
    check_close(weights[s], (losses[1] - losses[0]) / 2.0, 1e-14, 0.0, "slope");
  }
}

static void a_label_without_choices_teaches_nothing(void **state) {
  (void)state;
  const edgefw__objective objective = edgefw__imitation(choices);
  const double nothing = 0.0;
  double weight = 1.0, loss = 1.0;
  edgefw__objective_weigh(&objective, &(edgefw__outcome){2, 3, 1, lengths, &nothing}, &weight,
                          &loss);
  check_close(weight, 0.0, 0.0, 0.0, "weight");
  check_close(loss, 0.0, 0.0, 0.0, "loss");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_loss_is_that_of_a_choice),
      cmocka_unit_test(weights_are_slopes_of_the_loss),
      cmocka_unit_test(a_label_without_choices_teaches_nothing),
  };
  return test_run(tests, NULL, NULL);
}
