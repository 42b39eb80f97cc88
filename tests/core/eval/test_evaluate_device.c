/* Evaluation on a device with memory of its own: the batch that it takes, and what happens when
 * there is no room for it. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/onlooker.h"
#include "eval/evaluate.h"
#include "eval/untrained.h"
#include "support/check.h"
#include "support/tiny_model.h"
#include "support/toy_gpu.h"

enum { N = 6, COUNT = 70 }; /* more than the host takes at once */

static const edgefw__instance_set generated = {.name = "6", .n = N, .count = COUNT, .seed = 8};
static const edgefw__eval_settings greedy = {
    .clip = 50.0, .select = EDGEFW_SELECT_GREEDY, .samples = 1, .seed = 3};

static sandbox box;
static tiny_model tiny;

static int setup(void **state) {
  (void)state;
  sandbox_create(&box);
  tiny_open_gpu(&tiny, &box, TINY_OURS, 5, false);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  tiny_close(&tiny);
  sandbox_remove(&box);
  unsetenv("TOY_GPU_MEMORY");
  return 0;
}

static edgefw__eval_result evaluate(const edgefw__eval_settings *settings) {
  edgefw__eval_result result;
  tiny_ok(&tiny,
          edgefw__evaluate(tiny.model, &generated, settings, NULL, NULL, &result, NULL, NULL));
  return result;
}

static void the_device_takes_more_than_the_host_would(void **state) {
  (void)state;
  int64_t batch = 0;
  tiny_ok(&tiny, edgefw__eval_batch(tiny.model, &generated, &greedy, &batch));
  assert_int_equal(batch, COUNT);
  const edgefw__instance_set many = {.name = "many", .n = N, .count = 100000, .seed = 8};
  tiny_ok(&tiny, edgefw__eval_batch(tiny.model, &many, &greedy, &batch));
  assert_int_equal(batch, 1024);
  const edgefw__instance_set large = {.name = "large", .n = 100, .count = 100000, .seed = 8};
  tiny_ok(&tiny, edgefw__eval_batch(tiny.model, &large, &greedy, &batch));
  assert_in_range(batch, 100, 1024); /* the toy GPU has 1 GiB */
  edgefw__eval_settings asked = greedy;
  asked.batch = 5;
  tiny_ok(&tiny, edgefw__eval_batch(tiny.model, &many, &asked, &batch));
  assert_int_equal(batch, 5);
}

static void results_do_not_depend_on_the_room(void **state) {
  (void)state;
  toy_gpu_counts *gpu = toy_gpu_state(tiny.registry);
  const edgefw__eval_result all = evaluate(&greedy);
  assert_int_equal(gpu->refused, 0);
  assert_int_equal(gpu->largest_batch, COUNT);
  for (int64_t limit = 1; limit < COUNT; limit += 17) {
    gpu->decode_limit = limit;
    const edgefw__eval_result cut = evaluate(&greedy);
    assert_true(gpu->refused > 0);
    check_same_bits(&cut.objective, &all.objective, sizeof all.objective, "objective");
    check_same_bits(&cut.plain_objective, &all.plain_objective, sizeof all.objective, "objective");
  }
  gpu->decode_limit = 0;
  assert_int_equal(edgefw_failure(tiny.ctx), EDGEFW_OK);
}

/* Somebody who loses patience with kicks, of a batch that had to shrink first. */
typedef struct impatient {
  edgefw__onlooker onlooker;
  const toy_gpu_counts *gpu;
  int64_t looks, answers;
} impatient;

static void look(void *user) {
  impatient *i = user;
  if (i->gpu->refused > 0 && ++i->looks == 1000) atomic_store(&i->onlooker.stop, true);
}

static edgefw_status count_answers(void *user, const edgefw__eval_answer *answer) {
  assert_true(answer->cost > 0.0);
  ++((impatient *)user)->answers;
  return EDGEFW_OK;
}

static void an_interruption_keeps_what_a_smaller_batch_has(void **state) {
  (void)state;
  toy_gpu_counts *gpu = toy_gpu_state(tiny.registry);
  impatient who = {.onlooker = {.look = look, .user = &who, .thread = pthread_self()}, .gpu = gpu};
  edgefw__eval_settings settings = greedy;
  edgefw__eval_result result;
  settings.kicks = INT64_MAX;
  settings.keep_interrupted = true;
  gpu->refused = 0;
  gpu->decode_limit = COUNT - 1;
  edgefw__set_onlooker(tiny.ctx, &who.onlooker);
  tiny_fails(
      &tiny,
      edgefw__evaluate(tiny.model, &generated, &settings, NULL, NULL, &result, count_answers, &who),
      EDGEFW_INTERRUPTED, "it has what was found by then");
  edgefw__set_onlooker(tiny.ctx, NULL);
  gpu->decode_limit = 0;
  assert_int_equal(who.answers, COUNT / 2);
}

/* The estimate lets a batch pass, and then an allocation fails. */
static void memory_that_others_take_meanwhile_is_no_failure(void **state) {
  (void)state;
  const edgefw__eval_result all = evaluate(&greedy);
  toy_gpu_counts *gpu = toy_gpu_state(tiny.registry);
  edgefw__memory bytes = {0};
  tiny_ok(&tiny, edgefw__policy_bytes(tiny.model, 10, N, 0, false, &bytes));
  gpu->reserved = ((size_t)1 << 30) - gpu->used - bytes.device;
  const edgefw__eval_result cut = evaluate(&greedy);
  assert_true(gpu->refused > 0);
  gpu->reserved = 0;
  check_same_bits(&cut.objective, &all.objective, sizeof all.objective, "objective");
}

static void one_instance_that_does_not_fit_is_refused(void **state) {
  (void)state;
  edgefw__eval_result result;
  toy_gpu_counts *gpu = toy_gpu_state(tiny.registry);
  gpu->reserved = ((size_t)1 << 30) - gpu->used - 100;
  tiny_fails(&tiny,
             edgefw__evaluate(tiny.model, &generated, &greedy, NULL, NULL, &result, NULL, NULL),
             EDGEFW_OUT_OF_MEMORY, "one instance is too many; lower [eval] starts");
  gpu->reserved = 0;
}

static edgefw_status count_heuristics(void *user, const edgefw__eval_answer *answer) {
  *(int64_t *)user += strcmp(answer->origin, EDGEFW__ORIGIN_POLICY) != 0;
  return EDGEFW_OK;
}

/* Nor is it a failure where heuristics do without the policy: then they make all tours. */
static void a_policy_that_does_not_fit_is_left_out(void **state) {
  (void)state;
  toy_gpu_counts *gpu = toy_gpu_state(tiny.registry);
  edgefw__config *config = NULL;
  tiny_ok(&tiny, edgefw__untrained_compose(tiny.ctx, tiny.registry, tiny.composition->problem, NULL,
                                           &config));
  assert_non_null(config);
  edgefw__eval_beside beside = {.composition = &config->variants[0], .starts = 1, .optional = true};
  edgefw__eval_settings settings = greedy;
  settings.beside = &beside;
  const double policy = evaluate(&greedy).objective, both = evaluate(&settings).objective;
  assert_true(both <= policy);
  gpu->reserved = ((size_t)1 << 30) - gpu->used - 100;
  edgefw__eval_result result;
  int64_t made = 0;
  tiny_ok(&tiny, edgefw__evaluate(tiny.model, &generated, &settings, NULL, NULL, &result,
                                  count_heuristics, &made));
  assert_int_equal(made, COUNT);
  assert_true(result.objective >= both);
  beside.optional = false;
  tiny_fails(&tiny,
             edgefw__evaluate(tiny.model, &generated, &settings, NULL, NULL, &result, NULL, NULL),
             EDGEFW_OUT_OF_MEMORY, "one instance is too many; lower [eval] starts");
  gpu->reserved = 0;
  edgefw__config_destroy(config);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_device_takes_more_than_the_host_would),
      cmocka_unit_test(results_do_not_depend_on_the_room),
      cmocka_unit_test(an_interruption_keeps_what_a_smaller_batch_has),
      cmocka_unit_test(memory_that_others_take_meanwhile_is_no_failure),
      cmocka_unit_test(one_instance_that_does_not_fit_is_refused),
      cmocka_unit_test(a_policy_that_does_not_fit_is_left_out),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, setup, teardown);
}
