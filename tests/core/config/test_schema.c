/* The core's option tables. */
#include "support/test.h"

#include <string.h>

#include "plugin/options.h"
#include "config/schema.h"
#include "support/check.h"
#include "support/expect.h"

/* Every table is sane by the rules that hold for plugins. */
static void tables_are_sane(void **state) {
  (void)state;
  edgefw_context *ctx;
  edgefw_arena *arena;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  assert_int_equal(edgefw_arena_create(ctx, &arena, "test", 1024, true), EDGEFW_OK);
  int count = 0;
  for (const edgefw__section *s = edgefw__schema_sections(); s->name; ++s, ++count) {
    char why[512] = "";
    const edgefw_status status = edgefw__option_table_check(arena, s->options, why, sizeof why);
    if (status != EDGEFW_OK) print_error("[%s]: %s\n", s->name, why);
    assert_int_equal(status, EDGEFW_OK);
    assert_true(strlen(s->help) > 0);
    assert_ptr_equal(edgefw__schema_options(s->name), s->options);
  }
  assert_int_equal(count, 11);
  assert_null(edgefw__schema_options("trian"));
  edgefw_arena_destroy(arena);
  edgefw_context_destroy(ctx);
}

/* The settings of the paper are the defaults. */
static void defaults_are_the_documented_ones(void **state) {
  (void)state;
  edgefw_context *ctx;
  edgefw_arena *arena;
  edgefw_options *train, *eval, *decoder;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  assert_int_equal(edgefw_arena_create(ctx, &arena, "test", 1024, true), EDGEFW_OK);
  expect_ok(ctx, edgefw__options_defaults(ctx, arena, edgefw__schema_options("train"), &train));
  expect_ok(ctx, edgefw__options_defaults(ctx, arena, edgefw__schema_options("eval"), &eval));
  expect_ok(ctx, edgefw__options_defaults(ctx, arena, edgefw__schema_options("decoder"), &decoder));
  assert_int_equal(edgefw_options_int(train, "size"), 100);
  assert_int_equal(edgefw_options_int(train, "epochs"), 2100);
  assert_int_equal(edgefw_options_int(train, "instances_per_epoch"), 10000);
  check_close(edgefw_options_real(train, "learning_rate"), 4e-4, 0, 1e-15, "learning_rate");
  assert_int_equal(edgefw_options_int_at(train, "milestones", 1), 2101);
  assert_int_equal(edgefw_options_int(eval, "seed"), 2026);
  check_close(edgefw_options_real(eval, "logit_clip"), 50, 0, 0, "eval.logit_clip");
  check_close(edgefw_options_real(decoder, "logit_clip"), 10, 0, 0, "decoder.logit_clip");
  assert_int_equal(edgefw_options_count(decoder, "terms"), 0);
  edgefw_arena_destroy(arena);
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_are_sane),
      cmocka_unit_test(defaults_are_the_documented_ones),
  };
  return test_run(tests, NULL, NULL);
}
