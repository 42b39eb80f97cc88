/* Validation: which instances, which parameters, and what it costs training: nothing.
 * labels: train threads oom
 * needs plugins: atsp radar */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/failing_allocator.h"
#include "support/tiny_model.h"
#include "support/toy_gpu.h"
#include "train/ema.h"
#include "train/validation.h"

/* More instances than are validated at once. */
enum { COUNT = 70, SIZE = 6 };
#define CONFIG(more)                                                                               \
  TINY_PLAIN "[train]\nsize = 6\nvalidate_every = 1\nvalidation_instances = 70\n" more

static const char *device(void) {
  return tiny_has_device("cpu") ? "cpu" : "reference";
}

/* The mean of the best greedy rollouts of instances from `first` on, one after the other. */
static double by_hand(const tiny_model *tiny, uint64_t first) {
  const edgefw__rollout_request request = {.clip = 10.0, .select = EDGEFW_SELECT_GREEDY};
  edgefw__policy *policy = tiny_policy(tiny, 1, SIZE, false);
  double sum = 0.0;
  for (uint64_t i = 0; i < COUNT; ++i) {
    edgefw__batch *batch = tiny_batch(tiny, SIZE, 1234, first + i, 1);
    tiny_ok(tiny, edgefw__policy_run(policy, batch, &request));
    double best = policy->lengths[0];
    for (int64_t s = 1; s < policy->rollouts; ++s) best = fmin(best, policy->lengths[s]);
    sum += best;
    edgefw__batch_destroy(tiny->ctx, batch);
  }
  edgefw__policy_destroy(policy);
  return sum / COUNT;
}

static double validate(const tiny_model *tiny) {
  edgefw__validation *validation = NULL;
  double cost = 0.0, again = 0.0;
  tiny_ok(tiny, edgefw__validation_create(tiny->model, &validation));
  tiny_ok(tiny, edgefw__validation_run(validation, &cost));
  tiny_ok(tiny, edgefw__validation_run(validation, &again));
  check_same_bits(&again, &cost, sizeof cost, "the same validation again");
  edgefw__validation_destroy(validation);
  return cost;
}

static void the_cost_is_that_of_greedy_rollouts(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, CONFIG(""), device(), 1, false);
  const double expected = by_hand(&tiny, (uint64_t)1 << 62);
  const double cost = validate(&tiny);
  check_same_bits(&cost, &expected, sizeof cost, "cost");
  assert_true(cost != by_hand(&tiny, 0)); /* training's own instances */
  edgefw_set_threads(tiny.ctx, 2);
  const double two = validate(&tiny);
  check_same_bits(&two, &cost, sizeof cost, "cost, two threads");
  tiny_close(&tiny);
  tiny_open(&tiny, CONFIG("") "[eval]\nseed = 5\nlogit_clip = 7\n", device(), 1, false);
  const double other = validate(&tiny);
  check_same_bits(&other, &cost, sizeof cost, "cost beside other test sets");
  tiny_close(&tiny);
}

static void a_mean_is_validated_in_place_of_the_parameters(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, CONFIG("ema = 0.9\n"), device(), 1, true);
  edgefw__parameters *p = tiny.model->parameters;
  const size_t bytes = (size_t)p->total * sizeof(double);
  tiny_ok(&tiny, edgefw__ema_begin(tiny.model));
  const double of_mean = validate(&tiny);
  double *mean = tiny_download(&tiny, p->ema, p->total);
  double *values = tiny_download(&tiny, p->values, p->total);
  for (int64_t e = 0; e < p->total; ++e) values[e] *= e % 2 ? 1.5 : -0.5;
  tiny_upload(&tiny, p->values, values, p->total);
  double *uploaded = tiny_download(&tiny, p->values, p->total);
  const double cost = validate(&tiny);
  check_same_bits(&cost, &of_mean, sizeof cost, "cost of the mean");
  double *after = tiny_download(&tiny, p->values, p->total);
  double *mean_after = tiny_download(&tiny, p->ema, p->total);
  check_same_bits(after, uploaded, bytes, "parameters");
  check_same_bits(mean_after, mean, bytes, "mean");
  double *const owned[] = {mean, values, uploaded, after, mean_after};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; ++i) free(owned[i]);
  tiny_close(&tiny);
}

static void without_the_key_there_is_none(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__validation *validation = NULL;
  tiny_open(&tiny, TINY_PLAIN, device(), 1, false);
  tiny_ok(&tiny, edgefw__validation_create(tiny.model, &validation));
  assert_null(validation);
  edgefw__validation_destroy(validation);
  tiny_close(&tiny);
}

static void an_interruption_leaves_the_model(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__validation *validation = NULL;
  const volatile int raised = 1;
  double cost = 0.0;
  tiny_open(&tiny, CONFIG("ema = 0.9\n"), device(), 1, true);
  tiny_ok(&tiny, edgefw__ema_begin(tiny.model));
  void *values = tiny.model->parameters->values;
  tiny_ok(&tiny, edgefw__validation_create(tiny.model, &validation));
  edgefw_set_interrupt(tiny.ctx, &raised);
  tiny_fails(&tiny, edgefw__validation_run(validation, &cost), EDGEFW_INTERRUPTED, "in validation");
  assert_ptr_equal(tiny.model->parameters->values, values);
  edgefw__validation_destroy(validation);
  tiny_close(&tiny);
}

static void memory_may_run_out(void **state) {
  (void)state;
  tiny_model tiny;
  failing_allocator memory;
  edgefw__validation *validation = NULL;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  tiny_begin(&tiny, &allocator, CONFIG(""), "reference");
  tiny_ok(&tiny, edgefw__model_create(&tiny.engine, tiny.composition, 1, false, &tiny.model));
  const int64_t live = failing_allocator_live(&memory);
  edgefw_status status = EDGEFW_OUT_OF_MEMORY;
  for (int64_t allowed = 0; status != EDGEFW_OK; ++allowed) {
    failing_allocator_arm(&memory, allowed);
    status = edgefw__validation_create(tiny.model, &validation);
    failing_allocator_disarm(&memory);
    if (status == EDGEFW_OK) break;
    assert_null(validation);
    assert_int_equal(failing_allocator_live(&memory), live);
    tiny_fails(&tiny, status, EDGEFW_OUT_OF_MEMORY, "out of memory");
  }
  edgefw__validation_destroy(validation);
  tiny_close(&tiny);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cost_is_that_of_greedy_rollouts),
      cmocka_unit_test(a_mean_is_validated_in_place_of_the_parameters),
      cmocka_unit_test(without_the_key_there_is_none),
      cmocka_unit_test(an_interruption_leaves_the_model),
      cmocka_unit_test(memory_may_run_out),
  };
  return test_run(tests, NULL, NULL);
}
