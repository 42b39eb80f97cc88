/* Checks of problems: a sound one passes all, one with a careless checker does not. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/conformance_report.h"
#include "support/conformance_seen.h"
#include "support/tiny_model.h"

/* Takes everything for a tour. */
static edgefw_status careless(edgefw_context *ctx, const edgefw_options *options,
                              const edgefw_instance *instance, const int32_t *tour, int64_t count,
                              double *cost) {
  (void)ctx;
  (void)options;
  (void)instance;
  (void)tour;
  *cost = (double)count;
  return EDGEFW_OK;
}

static conformance_seen check(edgefw_status (*checker)(edgefw_context *, const edgefw_options *,
                                                       const edgefw_instance *, const int32_t *,
                                                       int64_t, double *)) {
  tiny_model tiny;
  conformance_seen s = {.passed = 0};
  edgefw_arena *arena = NULL;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  tiny_ok(&tiny, edgefw_arena_create(tiny.ctx, &arena, "test", 1 << 12, true));
  edgefw__plugin problem = *tiny.composition->problem;
  if (checker) problem.vtable.problem.check = checker;
  edgefw__composition composition = *tiny.composition;
  composition.problem = &problem;
  edgefw__conformance_report report = {.ctx = tiny.ctx,
                                       .arena = arena,
                                       .registry = tiny.registry,
                                       .plugin = &problem,
                                       .sink = conformance_collect,
                                       .user = &s};
  edgefw__conformance_problem(&report, &composition);
  assert_int_equal(report.failures, s.failed);
  edgefw_arena_destroy(arena);
  tiny_close(&tiny);
  return s;
}

static void a_sound_problem_passes(void **state) {
  (void)state;
  const conformance_seen s = check(NULL);
  if (s.failed) fail_msg("%s", s.text);
  assert_true(s.passed > 12);
}

static void a_careless_checker_is_found(void **state) {
  (void)state;
  const conformance_seen s = check(careless);
  assert_non_null(strstr(s.text, "FAILED its price is the sum of the objective cost"));
  assert_non_null(strstr(s.text, "FAILED the checker refuses a tour with a node twice"));
  assert_non_null(strstr(s.text, "FAILED the checker refuses a tour with a node too few"));
  assert_non_null(strstr(s.text, "FAILED checker and decoder agree"));
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sound_problem_passes),
      cmocka_unit_test(a_careless_checker_is_found),
  };
  return test_run(tests, NULL, NULL);
}
