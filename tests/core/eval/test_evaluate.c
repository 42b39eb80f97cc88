/* Evaluation: objectives, gaps, best tours, batches, sampling, and a checker that is believed.
 * labels: rollout oom */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/evaluate.h"
#include "support/check.h"
#include "support/tiny_memory.h"
#include "support/io_support.h"
#include "support/first_answer.h"
#include "support/tiny_model.h"
#include "train/objectives/reinforce.h"

#define BR17   EDGEFW_SOURCE_DIR "/data/atsplib/br17.atsp"
#define OPTIMA EDGEFW_SOURCE_DIR "/data/optima.csv"

enum { N = 6, COUNT = 7 };

static const edgefw__instance_set generated = {.name = "6", .n = N, .count = COUNT, .seed = 8};
static const edgefw__eval_settings greedy = {
    .clip = 50.0, .select = EDGEFW_SELECT_GREEDY, .samples = 1, .batch = 64, .seed = 3};

typedef struct fixture {
  tiny_model tiny;
  char folder[64];
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  tiny_open(&f->tiny, TINY_OURS, tiny_has_device("cpu") ? "cpu" : "reference", 5, false);
  io_folder_create(f->folder, sizeof f->folder);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  io_folder_remove(f->folder);
  tiny_close(&f->tiny);
  free(f);
  return 0;
}

static edgefw__eval_result evaluate(fixture *f, const edgefw__instance_set *set,
                                    const edgefw__eval_settings *settings) {
  edgefw__eval_result result;
  tiny_ok(&f->tiny,
          edgefw__evaluate(f->tiny.model, set, settings, NULL, NULL, &result, NULL, NULL));
  return result;
}

/* The mean of each instance's best rollout, computed from a policy directly. */
static double expected_objective(fixture *f, double best[COUNT]) {
  edgefw__batch *batch = tiny_batch(&f->tiny, N, 8, 0, COUNT);
  edgefw__policy *policy = tiny_policy(&f->tiny, COUNT, N, false);
  tiny_ok(&f->tiny, edgefw__policy_run(
                        policy, batch,
                        &(edgefw__rollout_request){.clip = 50.0, .objective = &edgefw__reinforce}));
  double sum = 0.0;
  for (int b = 0; b < COUNT; ++b) {
    best[b] = policy->lengths[b * N];
    for (int s = 1; s < N; ++s)
      if (policy->lengths[b * N + s] < best[b]) best[b] = policy->lengths[b * N + s];
    sum += best[b];
  }
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(f->tiny.ctx, batch);
  return sum / COUNT;
}

static void the_objective_is_the_mean_of_the_best(void **state) {
  fixture *f = *state;
  double best[COUNT];
  const double expected = expected_objective(f, best);
  const edgefw__eval_result result = evaluate(f, &generated, &greedy);
  assert_int_equal(result.instances, COUNT);
  check_close(result.objective, expected, 0.0, 1e-12, "objective");
  assert_false(result.has_reference);
  assert_true(result.seconds > 0.0);
}

static void batches_do_not_matter(void **state) {
  fixture *f = *state;
  const double all = evaluate(f, &generated, &greedy).objective;
  edgefw__eval_settings settings = greedy;
  for (settings.batch = 1; settings.batch <= 3; ++settings.batch) {
    const double cut = evaluate(f, &generated, &settings).objective;
    check_same_bits(&cut, &all, sizeof all, "objective");
  }
}

/* Costs of the instances that are answered, in order from `next` on. */
typedef struct some_costs {
  int64_t next;
  double costs[COUNT];
} some_costs;

static edgefw_status keep_cost(void *user, const edgefw__eval_answer *answer) {
  some_costs *p = user;
  if (answer->instance != p->next || answer->plain <= 0.0 || answer->constructed <= 0.0)
    return EDGEFW_INTERNAL;
  p->costs[p->next++] = answer->cost;
  return EDGEFW_OK;
}

/* Batches of two end with the part, whose answers are those of the whole. */
static void a_part_of_a_set_is_done_alone(void **state) {
  fixture *f = *state;
  edgefw__eval_settings settings = greedy;
  edgefw__eval_result result;
  some_costs whole = {0}, some = {.next = 2};
  settings.batch = 2;
  tiny_ok(&f->tiny, edgefw__evaluate(f->tiny.model, &generated, &settings, NULL, NULL, &result,
                                     keep_cost, &whole));
  assert_int_equal(whole.next, COUNT);
  settings.first = 2;
  settings.end = 5;
  tiny_ok(&f->tiny, edgefw__evaluate(f->tiny.model, &generated, &settings, NULL, NULL, &result,
                                     keep_cost, &some));
  assert_int_equal(some.next, 5);
  check_same_bits(some.costs + 2, whole.costs + 2, 3 * sizeof *whole.costs, "costs");
  assert_int_equal(result.instances, 3);
  assert_true(result.objective == (whole.costs[2] + whole.costs[3] + whole.costs[4]) / 3.0);
  settings.end = COUNT + 1;
  tiny_fails(
      &f->tiny,
      edgefw__evaluate(f->tiny.model, &generated, &settings, NULL, NULL, &result, NULL, NULL),
      EDGEFW_INVALID_ARGUMENT, "has no instances 2 to 7");
}

typedef struct calls {
  int64_t count, done, of;
  volatile int flag; /* raised at the second call if `stop` */
  bool stop;
} calls;

static void observe(void *user, int64_t done, int64_t count, double seconds) {
  calls *c = user;
  assert_true(done > c->done && seconds >= 0.0);
  ++c->count;
  c->done = done;
  c->of = count;
  if (c->stop && c->count == 2) c->flag = 1;
}

static void the_observer_sees_every_batch(void **state) {
  fixture *f = *state;
  edgefw__eval_settings settings = greedy;
  settings.batch = 3;
  calls seen = {0};
  edgefw__eval_result result;
  tiny_ok(&f->tiny, edgefw__evaluate(f->tiny.model, &generated, &settings, observe, &seen, &result,
                                     NULL, NULL));
  assert_int_equal(seen.count, 3);
  assert_int_equal(seen.done, COUNT);
  assert_int_equal(seen.of, COUNT);
}

static void an_interrupt_stops_between_batches(void **state) {
  fixture *f = *state;
  edgefw__eval_settings settings = greedy;
  settings.batch = 2;
  calls seen = {.stop = true};
  edgefw__eval_result result;
  edgefw_set_interrupt(f->tiny.ctx, &seen.flag);
  const edgefw_status status =
      edgefw__evaluate(f->tiny.model, &generated, &settings, observe, &seen, &result, NULL, NULL);
  edgefw_set_interrupt(f->tiny.ctx, NULL);
  tiny_fails(&f->tiny, status, EDGEFW_INTERRUPTED, "set 6");
  assert_int_equal(seen.count, 2);
}

static void gaps_are_of_means_and_means_of_gaps(void **state) {
  fixture *f = *state;
  double best[COUNT];
  const double objective = expected_objective(f, best);
  char path[96];
  snprintf(path, sizeof path, "%s/reference.csv", f->folder);
  FILE *csv = fopen(path, "w");
  assert_non_null(csv);
  fputs("instance,cost\n", csv);
  double sum = 0.0, gaps = 0.0;
  for (int b = 0; b < COUNT; ++b) {
    const double reference = best[b] * (0.5 + 0.1 * b);
    fprintf(csv, "%d,%.17g\n", b, reference);
    sum += reference / COUNT;
    gaps += 100.0 * (best[b] / reference - 1.0) / COUNT;
  }
  fclose(csv);
  edgefw__instance_set set = generated;
  set.reference = path;
  const edgefw__eval_result result = evaluate(f, &set, &greedy);
  assert_true(result.has_reference);
  check_close(result.reference, sum, 0.0, 1e-12, "reference");
  check_close(result.gap_percent, 100.0 * (objective / sum - 1.0), 0.0, 1e-9, "gap");
  check_close(result.mean_gap_percent, gaps, 0.0, 1e-9, "mean of the gaps");
  assert_true(result.gap_percent < 0.99 * gaps || result.gap_percent > 1.01 * gaps);
}

typedef struct answers {
  int64_t count, refuse; /* fail at this one; -1: at none */
  double costs, gaps, seconds;
  const double *best;
} answers;

static edgefw_status take_answer(void *user, const edgefw__eval_answer *answer) {
  answers *a = user;
  if (answer->instance == a->refuse) return EDGEFW_IO;
  assert_int_equal(answer->instance, a->count);
  assert_int_equal(answer->count, N);
  assert_int_equal(answer->tour[0], 0);
  check_close(answer->cost, a->best[a->count], 0.0, 1e-12, "cost");
  check_close(answer->gap_percent, 100.0 * (answer->cost / answer->reference - 1.0), 0.0, 1e-9,
              "gap");
  assert_true(isnan(answer->length));
  a->costs += answer->cost;
  a->gaps += answer->gap_percent;
  a->seconds += answer->seconds;
  ++a->count;
  return EDGEFW_OK;
}

/* What is handed out one by one is what the means are of. */
static void answers_are_those_of_the_means(void **state) {
  fixture *f = *state;
  double best[COUNT];
  expected_objective(f, best);
  char path[96];
  snprintf(path, sizeof path, "%s/reference.csv", f->folder);
  FILE *csv = fopen(path, "w");
  assert_non_null(csv);
  fputs("instance,cost\n", csv);
  for (int b = 0; b < COUNT; ++b) fprintf(csv, "%d,%.17g\n", b, best[b] * (0.5 + 0.1 * b));
  fclose(csv);
  edgefw__instance_set set = generated;
  set.reference = path;
  edgefw__eval_settings settings = greedy;
  settings.batch = 3; /* the last one is smaller */
  answers seen = {.best = best, .refuse = -1};
  edgefw__eval_result result;
  tiny_ok(&f->tiny, edgefw__evaluate(f->tiny.model, &set, &settings, NULL, NULL, &result,
                                     take_answer, &seen));
  assert_int_equal(seen.count, COUNT);
  check_close(seen.costs / COUNT, result.objective, 0.0, 1e-12, "mean of the costs");
  check_close(seen.gaps / COUNT, result.mean_gap_percent, 0.0, 1e-9, "mean of the gaps");
  check_close(seen.seconds, result.seconds, 0.0, 1e-6, "sum of the seconds");
}

static void a_receiver_that_fails_ends_the_evaluation(void **state) {
  fixture *f = *state;
  double best[COUNT];
  expected_objective(f, best);
  edgefw__instance_set set = generated;
  answers seen = {.best = best, .refuse = 0};
  edgefw__eval_result result;
  assert_int_equal(
      edgefw__evaluate(f->tiny.model, &set, &greedy, NULL, NULL, &result, take_answer, &seen),
      EDGEFW_IO);
  assert_int_equal(seen.count, 0);
}

/* Missing references are told before hours of decoding. */
static void a_bad_reference_is_found_first(void **state) {
  fixture *f = *state;
  edgefw__instance_set set = generated;
  set.reference = "/nowhere/reference.csv";
  calls seen = {0};
  edgefw__eval_result result;
  tiny_fails(&f->tiny,
             edgefw__evaluate(f->tiny.model, &set, &greedy, observe, &seen, &result, NULL, NULL),
             EDGEFW_IO, "/nowhere/reference.csv");
  assert_int_equal(seen.count, 0);
}

static void a_library_file_has_its_gap_and_tour(void **state) {
  fixture *f = *state;
  const edgefw__instance_set set = {
      .name = "br17", .n = 17, .count = 1, .file = BR17, .reference = OPTIMA};
  edgefw__eval_result result;
  int32_t tour[17];
  first_answer first = {.tour = tour};
  tiny_ok(&f->tiny, edgefw__evaluate(f->tiny.model, &set, &greedy, NULL, NULL, &result,
                                     first_answer_keep, &first));
  const double cost = first.cost;
  assert_true(result.has_reference && result.reference == 39.0);
  assert_true(cost >= 39.0 && result.objective == cost);
  check_close(result.gap_percent, 100.0 * (cost - 39.0) / 39.0, 0.0, 1e-12, "gap");
  assert_int_equal(first.count, 17);
  assert_int_equal(tour[0], 0); /* tours begin at the first node */
  bool seen[17] = {false};
  for (int t = 0; t < 17; ++t) {
    assert_true(tour[t] >= 0 && tour[t] < 17 && !seen[tour[t]]);
    seen[tour[t]] = true;
  }
}

static void more_samples_are_no_worse(void **state) {
  fixture *f = *state;
  edgefw__eval_settings settings = greedy;
  settings.select = EDGEFW_SELECT_SAMPLE;
  settings.clip = 5.0;
  double earlier = HUGE_VAL;
  for (settings.samples = 1; settings.samples <= 8; settings.samples *= 2) {
    const double now = evaluate(f, &generated, &settings).objective;
    const double again = evaluate(f, &generated, &settings).objective;
    check_same_bits(&again, &now, sizeof now, "the same seed");
    assert_true(now <= earlier);
    earlier = now;
  }
  settings.samples = 1;
  const double one = evaluate(f, &generated, &settings).objective;
  assert_true(earlier < one); /* the seeds of the samples differ */
}

static void fewer_starts_are_no_better(void **state) {
  fixture *f = *state;
  edgefw__eval_settings settings = greedy;
  settings.starts = 1;
  const double one = evaluate(f, &generated, &settings).objective;
  assert_true(one >= evaluate(f, &generated, &greedy).objective);
}

/* A problem whose checker disagrees with the decoder, or refuses every tour. */
static edgefw_status too_dear(edgefw_context *ctx, const edgefw_options *options,
                              const edgefw_instance *instance, const int32_t *tour, int64_t count,
                              double *cost) {
  (void)options;
  *cost = 0.0;
  for (int64_t t = 0; t < count; ++t)
    *cost += instance->data[0][tour[t] * count + tour[(t + 1) % count]];
  *cost *= 1.0 + 1e-6;
  return count == N ? EDGEFW_OK : edgefw_fail(ctx, EDGEFW_INTERNAL, "another size");
}

static edgefw_status refuse_all(edgefw_context *ctx, const edgefw_options *options,
                                const edgefw_instance *instance, const int32_t *tour, int64_t count,
                                double *cost) {
  (void)options;
  (void)tour;
  (void)count;
  *cost = 0.0;
  return edgefw_fail(ctx, EDGEFW_CHECK_FAILED, "instance %d is not to my taste", (int)instance->id);
}

typedef edgefw_status (*checker)(edgefw_context *, const edgefw_options *, const edgefw_instance *,
                                 const int32_t *, int64_t, double *);

static void expect_checked(checker check, const char *part) {
  tiny_model tiny;
  tiny_begin(&tiny, NULL, TINY_OURS, "reference");
  edgefw__plugin problem = *tiny.composition->problem;
  problem.vtable.problem.check = check;
  edgefw__composition composition = *tiny.composition;
  composition.problem = &problem;
  tiny_ok(&tiny, edgefw__model_create(&tiny.engine, &composition, 5, false, &tiny.model));
  edgefw__eval_result result;
  tiny_fails(&tiny,
             edgefw__evaluate(tiny.model, &generated, &greedy, NULL, NULL, &result, NULL, NULL),
             EDGEFW_CHECK_FAILED, part);
  tiny_close(&tiny);
}

static void a_price_that_differs_is_a_failure(void **state) {
  (void)state;
  expect_checked(too_dear, "set 6, instance 0: the decoder says");
}

static void a_tour_that_is_none_is_a_failure(void **state) {
  (void)state;
  expect_checked(refuse_all, "instance 0 is not to my taste");
}

static void settings_out_of_range_are_refused(void **state) {
  fixture *f = *state;
  edgefw__eval_settings settings = greedy;
  settings.select = EDGEFW_SELECT_SAMPLE;
  settings.samples = 0;
  edgefw__eval_result result;
  tiny_fails(
      &f->tiny,
      edgefw__evaluate(f->tiny.model, &generated, &settings, NULL, NULL, &result, NULL, NULL),
      EDGEFW_INVALID_ARGUMENT, "at least 1");
}

/* More nodes than any machine has memory for. */
static void a_set_that_does_not_fit_is_refused(void **state) {
  fixture *f = *state;
  const edgefw__instance_set set = {.name = "huge", .n = 2000000, .count = 1};
  edgefw__eval_result result;
  tiny_fails(&f->tiny,
             edgefw__evaluate(f->tiny.model, &set, &greedy, NULL, NULL, &result, NULL, NULL),
             EDGEFW_OUT_OF_MEMORY, "lower [eval] starts");
}

static edgefw_status evaluate_with(const tiny_model *tiny, void *user) {
  edgefw__eval_result result;
  return edgefw__evaluate(tiny->model, &generated, user, NULL, NULL, &result, NULL, NULL);
}

/* What construction gave is told apart wherever something goes on from it. */
static void construction_is_told_apart(void **state) {
  fixture *f = *state;
  edgefw__eval_settings settings = greedy;
  const edgefw__eval_result plain = evaluate(f, &generated, &settings);
  assert_true(plain.constructed == plain.objective);
  settings.reconstruct = 5;
  const edgefw__eval_result searched = evaluate(f, &generated, &settings);
  check_close(searched.constructed, plain.objective, 0.0, 1e-9, "the cost after construction");
  assert_true(searched.objective < searched.constructed);
  assert_true(searched.search_seconds > 0.0);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  edgefw__eval_settings settings = greedy;
  tiny_memory_sweep(TINY_OURS, 10, evaluate_with, &settings);
  settings.improve = true;
  settings.kicks = 2;
  tiny_memory_sweep(TINY_OURS, 20, evaluate_with, &settings);
  settings.fixed = (const int64_t[]){2, 5};
  settings.fixed_count = 2;
  settings.beam = 2;
  settings.reconstruct = 1;
  tiny_memory_sweep(TINY_OURS, 40, evaluate_with, &settings);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_objective_is_the_mean_of_the_best),
      cmocka_unit_test(batches_do_not_matter),
      cmocka_unit_test(a_part_of_a_set_is_done_alone),
      cmocka_unit_test(the_observer_sees_every_batch),
      cmocka_unit_test(an_interrupt_stops_between_batches),
      cmocka_unit_test(gaps_are_of_means_and_means_of_gaps),
      cmocka_unit_test(answers_are_those_of_the_means),
      cmocka_unit_test(a_receiver_that_fails_ends_the_evaluation),
      cmocka_unit_test(a_bad_reference_is_found_first),
      cmocka_unit_test(a_library_file_has_its_gap_and_tour),
      cmocka_unit_test(more_samples_are_no_worse),
      cmocka_unit_test(fewer_starts_are_no_better),
      cmocka_unit_test(a_price_that_differs_is_a_failure),
      cmocka_unit_test(a_tour_that_is_none_is_a_failure),
      cmocka_unit_test(settings_out_of_range_are_refused),
      cmocka_unit_test(a_set_that_does_not_fit_is_refused),
      cmocka_unit_test(construction_is_told_apart),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, setup, teardown);
}
