/* Telling outcomes, and composing with what fits. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/conformance_report.h"
#include "support/conformance_seen.h"
#include "support/tiny_model.h"
#include "support/toy_plugins.h"

static edgefw__conformance_report begin(const tiny_model *tiny, edgefw_arena *arena,
                                        conformance_seen *s) {
  return (edgefw__conformance_report){.ctx = tiny->ctx,
                                      .arena = arena,
                                      .registry = tiny->registry,
                                      .sink = conformance_collect,
                                      .user = s};
}

static void outcomes_are_counted(void **state) {
  (void)state;
  tiny_model tiny;
  conformance_seen s = {.passed = 0};
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  edgefw__conformance_report report = begin(&tiny, NULL, &s);
  assert_true(edgefw__conformance_tell(&report, true, "%d of %d", 1, 2));
  assert_true(edgefw__conformance_call(&report, EDGEFW_OK, "a call"));
  const edgefw_status failed = edgefw_fail(tiny.ctx, EDGEFW_NUMERIC, "not finite");
  assert_false(edgefw__conformance_call(&report, failed, "a call"));
  assert_int_equal(report.failures, 1);
  assert_string_equal(s.text, "ok 1 of 2\nok a call\nFAILED a call: not finite\n");
  assert_int_equal(edgefw_failure(tiny.ctx), EDGEFW_OK);
  tiny_close(&tiny);
}

static void parts_are_found_by_whether_they_fit(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw_arena *arena = NULL;
  edgefw__composition composition;
  conformance_seen s = {.passed = 0};
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  tiny_ok(&tiny, edgefw_arena_create(tiny.ctx, &arena, "test", 1 << 16, true));
  edgefw__conformance_report report = begin(&tiny, arena, &s);
  edgefw__plugin *term = NULL, *picky = NULL;
  tiny_ok(&tiny, edgefw__plugin_open(tiny.ctx, toy_fixture("good_term"), &term));
  tiny_ok(&tiny, edgefw__plugin_open(tiny.ctx, toy_fixture("picky_term"), &picky));
  report.plugin = term;
  assert_true(edgefw__conformance_compose(&report, &composition));
  assert_ptr_equal(composition.terms.plugins[0], term);
  assert_int_equal(composition.terms.count, 1);
  assert_int_equal(composition.problem->kind, EDGEFW_KIND_PROBLEM);
  report.plugin = picky;
  assert_false(edgefw__conformance_compose(&report, &composition));
  assert_int_equal(report.failures, 1);
  edgefw__plugin_close(tiny.ctx, term);
  edgefw__plugin_close(tiny.ctx, picky);
  edgefw_arena_destroy(arena);
  tiny_close(&tiny);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outcomes_are_counted),
      cmocka_unit_test(parts_are_found_by_whether_they_fit),
  };
  return test_run(tests, NULL, NULL);
}
