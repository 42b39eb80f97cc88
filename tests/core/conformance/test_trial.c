/* Trials: fixed tours, slopes by differences, distances. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "conformance/trial.h"
#include "support/check.h"
#include "support/tiny_model.h"

static void a_slope_is_the_gradient(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__trial trial;
  double slope = 0.0;
  tiny_begin(&tiny, NULL, TINY_OURS, "reference64");
  tiny_ok(&tiny, edgefw__trial_open(&tiny.engine, tiny.composition, NULL, &trial));
  tiny_ok(&tiny, edgefw__trial_run(&trial));
  const double loss = trial.loss;
  double *gradients = calloc((size_t)trial.model->parameters->total, sizeof *gradients);
  assert_non_null(gradients);
  edgefw__trial_gradients(&trial, gradients);
  const int64_t entry = trial.model->parameters->items[0].offset;
  tiny_ok(&tiny, edgefw__trial_difference(&trial, entry, &slope));
  check_close(slope, gradients[entry], 1e-8, 1e-4, "slope");
  tiny_ok(&tiny, edgefw__trial_run(&trial));
  assert_true(trial.loss == loss); /* the parameter is as it was */
  free(gradients);
  edgefw__trial_close(&trial);
  tiny_close(&tiny);
}

static void devices_take_the_same_tours(void **state) {
  (void)state;
  tiny_model a, b;
  edgefw__trial exact, rounded;
  tiny_begin(&a, NULL, TINY_PLAIN, "reference64");
  tiny_begin(&b, NULL, TINY_PLAIN, "reference");
  tiny_ok(&a, edgefw__trial_open(&a.engine, a.composition, NULL, &exact));
  tiny_ok(&a, edgefw__trial_run(&exact));
  tiny_ok(&b, edgefw__trial_open(&b.engine, b.composition, exact.tours, &rounded));
  tiny_ok(&b, edgefw__trial_run(&rounded));
  const double distance = edgefw__trial_distance(&exact, &rounded);
  assert_true(distance > 0.0 && distance < 1e-3);
  assert_true(edgefw__trial_distance(&exact, &exact) == 0.0);
  rounded.logits[3] = (double)NAN;
  assert_true(isinf(edgefw__trial_distance(&exact, &rounded)));
  edgefw__trial_close(&exact);
  edgefw__trial_close(&rounded);
  tiny_close(&a);
  tiny_close(&b);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slope_is_the_gradient),
      cmocka_unit_test(devices_take_the_same_tours),
  };
  return test_run(tests, NULL, NULL);
}
