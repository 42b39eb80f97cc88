/* [problem] forbidden: which texts say what, and which costs they mean. */
#include "support/test.h"

#include <math.h>

#include "config/forbidden_rule.h"
#include "edgefw/problem.h"
#include "plugin/options.h"
#include "support/io_support.h"
#include "support/workspace.h"

static void texts_are_numbers_or_none(void **state) {
  (void)state;
  static const char *const bad[] = {"", "None", "inf", "nan", "1e400", "5 6", "12x"};
  edgefw__forbidden_rule rule;
  assert_true(edgefw__forbidden_parse("none", &rule) && !rule.given);
  assert_true(edgefw__forbidden_parse("1e5", &rule) && rule.given && rule.value == 1e5);
  assert_true(edgefw__forbidden_parse("-1", &rule) && rule.given && rule.value == -1.0);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    assert_false(edgefw__forbidden_parse(bad[i], &rule));
}

static void costs_from_the_value_on_are_meant(void **state) {
  (void)state;
  const edgefw__forbidden_rule none = {.given = false}, large = {true, 100.0};
  const edgefw__forbidden_rule negative = {true, -1.0}, zero = {true, 0.0};
  assert_true(edgefw__forbidden_says(&none, (double)INFINITY));
  assert_true(edgefw__forbidden_says(&none, (double)NAN));
  assert_false(edgefw__forbidden_says(&none, -(double)INFINITY));
  assert_false(edgefw__forbidden_says(&none, 1e300));
  assert_true(edgefw__forbidden_says(&large, 100.0) && edgefw__forbidden_says(&large, 101.0));
  assert_false(edgefw__forbidden_says(&large, 99.9));
  /* A value that no cost can be marks arcs one by one. */
  assert_true(edgefw__forbidden_says(&negative, -1.0));
  assert_false(edgefw__forbidden_says(&negative, 5.0));
  assert_true(edgefw__forbidden_says(&zero, 0.0));
  assert_false(edgefw__forbidden_says(&zero, 5.0));
}

static edgefw_options *options_with(workspace *w, const char *value) {
  static const edgefw_option table[] = {EDGEFW_FORBIDDEN_OPTION, {.key = NULL}};
  const edgefw__setting setting = {.key = "forbidden", .value = value, .where = "x.ini:7"};
  edgefw_options *options = NULL;
  assert_ok(w->ctx, edgefw__options_create(w->ctx, w->arena, "problem", table, &setting,
                                           value ? 1 : 0, &options));
  return options;
}

static void options_hold_the_rule(void **state) {
  workspace *w = *state;
  edgefw__forbidden_rule rule;
  assert_ok(w->ctx, edgefw__forbidden_rule_of(w->ctx, options_with(w, NULL), &rule));
  assert_false(rule.given);
  assert_ok(w->ctx, edgefw__forbidden_rule_of(w->ctx, options_with(w, "9999"), &rule));
  assert_true(rule.given && rule.value == 9999.0);
  assert_fails(w->ctx, edgefw__forbidden_rule_of(w->ctx, options_with(w, "big"), &rule),
               EDGEFW_CONFIG, "x.ini:7: problem.forbidden = 'big'; expected the cost");
}

/* A problem from elsewhere may lack the key. */
static void problems_without_the_key_have_no_rule(void **state) {
  workspace *w = *state;
  edgefw_options *options = NULL;
  edgefw__forbidden_rule rule = {true, 1.0};
  assert_ok(w->ctx, edgefw__options_defaults(w->ctx, w->arena, NULL, &options));
  assert_ok(w->ctx, edgefw__forbidden_rule_of(w->ctx, options, &rule));
  assert_false(rule.given);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_numbers_or_none),
      cmocka_unit_test(costs_from_the_value_on_are_meant),
      cmocka_unit_test_setup_teardown(options_hold_the_rule, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(problems_without_the_key_have_no_rule, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
