/* Heuristics beside a policy: of each instance the better tour, each side made as it is alone.
 * labels: threads
 * needs plugins: atsp radar nearest */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "eval/evaluate.h"
#include "eval/first_tours.h"
#include "eval/untrained.h"
#include "support/check.h"
#include "support/tiny_model.h"

enum { COUNT = 12, N = 7 };

static tiny_model tiny;
static edgefw__config *config; /* of the heuristic */
static edgefw__eval_beside beside;
static int told; /* lines that say that the policy is left out */

static const edgefw__instance_set generated = {
    .name = "7", .n = N, .size = N, .count = COUNT, .seed = 8};

static void listen(void *user, edgefw_log_level level, const char *line) {
  (void)user;
  (void)level;
  told += strstr(line, "heuristics alone") != NULL;
}

static int set_up(void **state) {
  (void)state;
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, false);
  edgefw_set_log(tiny.ctx, listen, NULL);
  tiny_ok(&tiny, edgefw__untrained_compose(tiny.ctx, tiny.registry, tiny.composition->problem,
                                           "nearest", &config));
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  edgefw__config_destroy(config);
  tiny_close(&tiny);
  return 0;
}

/* All answers of the set. */
typedef struct answers {
  int64_t count, decoded;
  double costs[COUNT];
  int32_t tours[COUNT][N];
} answers;

static edgefw_status keep(void *user, const edgefw__eval_answer *answer) {
  answers *a = user;
  const bool decoded = strcmp(answer->origin, EDGEFW__ORIGIN_POLICY) == 0;
  if (!decoded) assert_string_equal(answer->origin, "nearest");
  a->decoded += decoded;
  memcpy(a->tours[a->count], answer->tour, sizeof *a->tours);
  a->costs[a->count++] = answer->cost;
  return EDGEFW_OK;
}

static answers evaluate(edgefw__model *model, const edgefw__eval_settings *settings) {
  answers a = {0};
  edgefw__eval_result result;
  tiny_ok(&tiny, edgefw__evaluate(model, &generated, settings, NULL, NULL, &result, keep, &a));
  assert_int_equal(a.count, COUNT);
  return a;
}

/* One greedy start of each side, so that neither is always ahead. */
static edgefw__eval_settings settings_of(void) {
  edgefw__eval_settings settings = edgefw__eval_settings_from(tiny.composition);
  settings.select = EDGEFW_SELECT_GREEDY;
  settings.starts = 3;
  beside = (edgefw__eval_beside){.composition = &config->variants[0], .starts = 1};
  settings.beside = &beside;
  return settings;
}

/* The heuristic alone, with what it has beside the policy. */
static answers construct(edgefw__eval_settings settings) {
  edgefw__model *model = NULL;
  settings.beside = NULL;
  settings.starts = beside.starts;
  tiny_ok(&tiny, edgefw__model_constructing(&tiny.engine, &config->variants[0], &model));
  const answers a = evaluate(model, &settings);
  edgefw__model_destroy(model);
  return a;
}

static void the_better_side_counts(void **state) {
  (void)state;
  for (int improve = 0; improve < 2; ++improve) {
    edgefw__eval_settings settings = settings_of();
    settings.improve = improve;
    const answers both = evaluate(tiny.model, &settings), heuristic = construct(settings);
    settings.beside = NULL;
    const answers policy = evaluate(tiny.model, &settings);
    for (int b = 0; b < COUNT; ++b)
      check_close(both.costs[b], fmin(policy.costs[b], heuristic.costs[b]), 0.0, 0.0, "cost");
    assert_int_equal(policy.decoded, COUNT);
    assert_int_equal(heuristic.decoded, 0);
    assert_true(improve || (both.decoded > 0 && both.decoded < COUNT));
  }
}

static void threads_and_batches_change_no_bit(void **state) {
  (void)state;
  edgefw__eval_settings settings = settings_of();
  settings.improve = true;
  settings.kicks = 5;
  settings.select = EDGEFW_SELECT_SAMPLE;
  settings.samples = 2;
  settings.reconstruct = 1;
  const answers first = evaluate(tiny.model, &settings);
  for (int threads = 2; threads <= 3; ++threads) {
    edgefw_set_threads(tiny.ctx, threads);
    settings.batch = threads;
    const answers again = evaluate(tiny.model, &settings);
    check_same_bits(&again, &first, sizeof first, "answers");
  }
  edgefw_set_threads(tiny.ctx, 1);
}

/* An optional policy without time for half a microsecond of decoding is left out, once and for all;
 * one that is asked for decodes all the same. */
static void a_policy_without_time_is_left_out(void **state) {
  (void)state;
  edgefw__eval_settings settings = settings_of();
  const answers both = evaluate(tiny.model, &settings), heuristic = construct(settings);
  settings.time_limit = 1e-6;
  settings.kicks = 1;
  settings.batch = 5;
  assert_true(evaluate(tiny.model, &settings).decoded > 0);
  told = 0;
  beside.optional = true;
  const answers late = evaluate(tiny.model, &settings);
  assert_int_equal(late.decoded, 0);
  assert_int_equal(told, 1);
  settings.time_limit = 1000.0;
  const answers early = evaluate(tiny.model, &settings);
  assert_int_equal(told, 1);
  for (int b = 0; b < COUNT; ++b) {
    assert_true(late.costs[b] <= heuristic.costs[b]);
    assert_true(early.costs[b] <= both.costs[b]);
  }
}

/* --- With a deadline --- */

/* One that is far off, of instances whose decoding is thought to take `seconds`. */
static answers evaluate_slow(edgefw__eval_settings settings, double seconds,
                             edgefw__eval_result *result) {
  const int64_t rollouts = edgefw__policy_rollouts(tiny.model, N, settings.starts);
  edgefw__warm warm = {.clock = 0};
  answers a = {0};
  settings.warm = &warm;
  edgefw__eval_settings plain = settings;
  plain.samples = 1;
  plain.reconstruct = 0;
  evaluate(tiny.model, &plain); /* warms it up */
  edgefw__warm_find(&warm, N, rollouts, 1)->policy_time = seconds;
  settings.deadline = 1.9; /* with a second for decoding nobody looks at the time of so few nodes */
  tiny_ok(&tiny, edgefw__evaluate(tiny.model, &generated, &settings, NULL, NULL, result, keep, &a));
  edgefw__warm_drop(tiny.ctx, &warm, NULL);
  return a;
}

/* Rounds of a policy that is left out do not turn into kicks until the deadline. */
static void nothing_goes_on_unasked(void **state) {
  (void)state;
  edgefw__eval_result result;
  edgefw__eval_settings settings = settings_of();
  settings.reconstruct = 1;
  beside.optional = true;
  assert_int_equal(evaluate_slow(settings, 1e9, &result).decoded, 0);
  assert_true(result.search_seconds == 0.0);
}

/* What has no time with many samples has some with one. */
static void samples_take_their_time(void **state) {
  (void)state;
  edgefw__eval_result result;
  edgefw__eval_settings settings = settings_of();
  beside.optional = true;
  settings.select = EDGEFW_SELECT_SAMPLE;
  settings.samples = 1000;
  assert_int_equal(evaluate_slow(settings, 0.01, &result).decoded, 0);
  settings.samples = 1;
  assert_true(evaluate_slow(settings, 0.01, &result).decoded > 0);
}

/* However long it may take. */
static void what_is_asked_for_decodes(void **state) {
  (void)state;
  edgefw__eval_result result;
  const edgefw__eval_settings settings = settings_of();
  assert_true(evaluate_slow(settings, 1e9, &result).decoded > 0);
}

/* A flag that is set already: nothing goes on, and no time that is over takes its place. */
static void an_interruption_is_no_end_of_time(void **state) {
  (void)state;
  const volatile int flag = 1;
  edgefw__eval_result result;
  edgefw__eval_settings settings = settings_of();
  beside.optional = true;
  settings.time_limit = 1000.0;
  edgefw_set_interrupt(tiny.ctx, &flag);
  tiny_fails(&tiny,
             edgefw__evaluate(tiny.model, &generated, &settings, NULL, NULL, &result, NULL, NULL),
             EDGEFW_INTERRUPTED, "interrupted");
  edgefw_set_interrupt(tiny.ctx, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_better_side_counts),
      cmocka_unit_test(threads_and_batches_change_no_bit),
      cmocka_unit_test(a_policy_without_time_is_left_out),
      cmocka_unit_test(nothing_goes_on_unasked),
      cmocka_unit_test(samples_take_their_time),
      cmocka_unit_test(what_is_asked_for_decodes),
      cmocka_unit_test(an_interruption_is_no_end_of_time),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, set_up, tear_down);
}
