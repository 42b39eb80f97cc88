/* Grids: alignment, wrapping, Markdown. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdlib.h>

#include "experiment/grid.h"
#include "support/expect.h"
#include "support/sandbox.h"

typedef struct bench {
  edgefw_context *ctx;
  edgefw_arena *arena;
  sandbox box;
} bench;

static int set_up(void **state) {
  bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  assert_int_equal(edgefw_context_create(&b->ctx, NULL), EDGEFW_OK);
  expect_ok(b->ctx, edgefw_arena_create(b->ctx, &b->arena, "test", 1 << 12, true));
  sandbox_create(&b->box);
  *state = b;
  return 0;
}

static int tear_down(void **state) {
  bench *b = *state;
  sandbox_remove(&b->box);
  edgefw_arena_destroy(b->arena);
  edgefw_context_destroy(b->ctx);
  free(b);
  return 0;
}

static edgefw__grid sample(bench *b) {
  static const char *const titles[] = {"Obj", "Gap"};
  edgefw__grid grid;
  expect_ok(b->ctx, edgefw__grid_create(b->ctx, b->arena, 2, 2, 2, &grid));
  grid.corner = "name";
  grid.titles = titles;
  grid.headings[0] = "first";
  grid.headings[1] = "a long heading";
  grid.labels[0] = "x|y";
  grid.labels[1] = "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"; /* five characters */
  *edgefw__grid_cell(&grid, 0, 0, 0) = "1.25";
  *edgefw__grid_cell(&grid, 1, 1, 1) = "10.00%";
  return grid;
}

static void columns_are_aligned(void **state) {
  bench *b = *state;
  edgefw__text text = {.ctx = b->ctx};
  const edgefw__grid grid = sample(b);
  edgefw__grid_plain(&grid, 100, &text);
  assert_string_equal(edgefw__text_get(&text),
                      "            first   a long heading\n"
                      "name     Obj  Gap      Obj     Gap\n"
                      "----------------------------------\n"
                      "x|y     1.25    -        -       -\n"
                      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9      -    -        -  10.00%\n");
  edgefw__text_release(&text);
}

static void what_is_too_wide_is_wrapped(void **state) {
  bench *b = *state;
  edgefw__text text = {.ctx = b->ctx};
  const edgefw__grid grid = sample(b);
  edgefw__grid_plain(&grid, 33, &text);
  assert_string_equal(edgefw__text_get(&text),
                      "            first\n"
                      "name     Obj  Gap\n"
                      "-----------------\n"
                      "x|y     1.25    -\n"
                      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9      -    -\n"
                      "\n"
                      "        a long heading\n"
                      "name       Obj     Gap\n"
                      "----------------------\n"
                      "x|y          -       -\n"
                      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9        -  10.00%\n");
  edgefw__text_release(&text);
}

static void markdown_is_one_table(void **state) {
  bench *b = *state;
  edgefw__text text = {.ctx = b->ctx};
  const edgefw__grid grid = sample(b);
  edgefw__grid_markdown(&grid, &text);
  assert_string_equal(edgefw__text_get(&text),
                      "| name | first: Obj | Gap | a long heading: Obj | Gap |\n"
                      "|---|---:|---:|---:|---:|\n"
                      "| x\\|y | 1.25 | - | - | - |\n"
                      "| \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 | - | - | - | 10.00% |\n");
  edgefw__text_release(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(columns_are_aligned, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_is_too_wide_is_wrapped, set_up, tear_down),
      cmocka_unit_test_setup_teardown(markdown_is_one_table, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
