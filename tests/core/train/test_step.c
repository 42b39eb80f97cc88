/* One step of training: the learning rate's milestones, what Adam gets, and numbers that are none.
 * labels: train */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/failing_allocator.h"
#include "support/tiny_model.h"
#include "train/objectives/reinforce.h"
#include "train/step.h"
#include "train/train.h"

static const edgefw__rollout_request sampled = {.clip = 10.0,
                                                .select = EDGEFW_SELECT_SAMPLE,
                                                .sample_seed = 6,
                                                .objective = &edgefw__reinforce};

static void the_rate_falls_at_milestones(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL,
             TINY_PLAIN "[train]\nlearning_rate = 0.5\nmilestones = 3, 5\ngamma = 0.25\n",
             "reference64");
  const edgefw_options *train = tiny.composition->train;
  static const double expected[] = {0.5, 0.5, 0.125, 0.125, 0.03125, 0.03125};
  for (int epoch = 1; epoch <= 6; ++epoch)
    assert_true(edgefw__learning_rate(train, epoch) == expected[epoch - 1]);
  tiny_close(&tiny);
}

static void no_milestones_no_fall(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL, TINY_PLAIN "[train]\nlearning_rate = 0.5\nmilestones =\n", "reference64");
  assert_true(edgefw__learning_rate(tiny.composition->train, 1000000) == 0.5);
  tiny_close(&tiny);
}

/* The first step of Adam moves every parameter by rate * g / (|g| + eps'), g with weight decay. */
static void a_step_is_adams(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS "[train]\nweight_decay = 0.01\n", "reference64", 5, true);
  edgefw__batch *batch = tiny_batch(&tiny, 6, 3, 0, 4);
  edgefw__policy *policy = tiny_policy(&tiny, 4, 6, true);
  const edgefw__parameters *parameters = tiny.model->parameters;
  const int64_t total = parameters->total;
  double *before = tiny_download(&tiny, parameters->values, total);
  /* Old gradients must not count. */
  double *gradients = parameters->gradients;
  for (int64_t p = 0; p < total; ++p) gradients[p] = 1e6;
  double norm = 0.0, squares = 0.0;
  tiny_ok(&tiny, edgefw__train_step(policy, batch, &sampled, 1, 1e-3, &norm));
  const double *after = parameters->values;
  for (int64_t p = 0; p < total; ++p) {
    const double g = gradients[p] + 0.01 * before[p];
    squares += gradients[p] * gradients[p];
    check_close(after[p], before[p] - 1e-3 * g / (fabs(g) + 1e-8), 1e-12, 1e-9, "parameter");
  }
  check_close(norm, sqrt(squares), 0.0, 1e-12, "gradient norm");
  assert_true(norm > 0.0 && norm < 1e3);
  free(before);
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

/* Repeated steps on one batch make its sampled tours shorter. */
static void steps_improve_the_policy(void **state) {
  (void)state;
  enum { N = 8, INSTANCES = 4, STEPS = 60 };
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference", 5, true);
  edgefw__batch *batch = tiny_batch(&tiny, N, 3, 0, INSTANCES);
  edgefw__policy *policy = tiny_policy(&tiny, INSTANCES, N, true);
  edgefw__rollout_request request = sampled;
  double first = 0.0, last = 0.0;
  for (int step = 0; step < STEPS; ++step) {
    double norm = 0.0, sum = 0.0;
    request.sample_seed = (uint64_t)step;
    tiny_ok(&tiny, edgefw__train_step(policy, batch, &request, step + 1, 3e-3, &norm));
    for (int r = 0; r < INSTANCES * N; ++r) sum += policy->lengths[r];
    if (step < 10) first += sum;
    if (step >= STEPS - 10) last += sum;
  }
  assert_true(last < 0.9 * first);
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

/* A loss that is no number stops before Adam: the parameters stay as they were. */
static void a_bad_number_changes_nothing(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference64", 5, true);
  edgefw__batch *batch = tiny_batch(&tiny, 6, 3, 40, 2);
  edgefw__policy *policy = tiny_policy(&tiny, 2, 6, true);
  const edgefw__parameters *parameters = tiny.model->parameters;
  const int index = edgefw__parameters_find(parameters, "projection.weight");
  *(double *)edgefw__parameters_at(parameters, parameters->values, index) = (double)NAN;
  double *before = tiny_download(&tiny, parameters->values, parameters->total);
  double norm = 0.0;
  tiny_fails(&tiny, edgefw__train_step(policy, batch, &sampled, 1, 1e-3, &norm), EDGEFW_NUMERIC,
             "instance 40");
  check_same_bits(parameters->values, before, (size_t)parameters->total * sizeof *before,
                  "parameters");
  free(before);
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

/* The cost of a gradient's overflow is a message, too. */
static void a_gradient_that_overflows_is_named(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference64", 5, true);
  edgefw__batch *batch = tiny_batch(&tiny, 6, 3, 40, 2);
  edgefw__policy *policy = tiny_policy(&tiny, 2, 6, true);
  for (int e = 0; e < 2 * 36; ++e) batch->data[0][e] *= 1e200; /* lengths are weights */
  double norm = 0.0;
  tiny_fails(&tiny, edgefw__train_step(policy, batch, &sampled, 1, 1e-3, &norm), EDGEFW_NUMERIC,
             "gradient of the batch of instances 40 to 41");
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

/* The device keeps its scratch memory: from the third step on nothing is allocated. On one thread:
 * a device may get a thread's scratch memory when that thread first works. */
static void later_steps_allocate_nothing(void **state) {
  (void)state;
  if (!tiny_has_device("cpu")) skip();
  failing_allocator memory;
  tiny_model tiny;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  tiny_begin(&tiny, &allocator, TINY_OURS, "cpu");
  tiny_ok(&tiny, edgefw__model_create(&tiny.engine, tiny.composition, 5, true, &tiny.model));
  edgefw__batch *batch = tiny_batch(&tiny, 10, 3, 0, 4);
  edgefw__policy *policy = tiny_policy(&tiny, 4, 10, true);
  int64_t before = 0;
  for (int step = 0; step < 100; ++step) {
    double norm = 0.0;
    if (step == 2) before = failing_allocator_requests(&memory);
    tiny_ok(&tiny, edgefw__train_step(policy, batch, &sampled, step + 1, 1e-3, &norm));
  }
  assert_int_equal(failing_allocator_requests(&memory), before);
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rate_falls_at_milestones),
      cmocka_unit_test(no_milestones_no_fall),
      cmocka_unit_test(a_step_is_adams),
      cmocka_unit_test(steps_improve_the_policy),
      cmocka_unit_test(a_bad_number_changes_nothing),
      cmocka_unit_test(a_gradient_that_overflows_is_named),
      cmocka_unit_test(later_steps_allocate_nothing),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
