/* CSV tables: quoting, remarks, errors with their line. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "experiment/csv_table.h"
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

static edgefw_status read(bench *b, const char *text, edgefw__csv_table *table) {
  return edgefw__csv_table_read(b->ctx, b->arena, sandbox_write(&b->box, "t.csv", text), table);
}

static void fields_are_read(void **state) {
  bench *b = *state;
  edgefw__csv_table table;
  expect_ok(b->ctx,
            read(b, "# remark\n\nname,value\n\"a, \"\"b\"\"\",1.5\r\n\n# more\nc,\n", &table));
  assert_int_equal(table.columns, 2);
  assert_int_equal(table.rows, 2);
  assert_string_equal(edgefw__csv_table_cell(&table, 0, 0), "a, \"b\"");
  assert_string_equal(edgefw__csv_table_cell(&table, 1, 0), "c");
  assert_int_equal(table.lines[1], 7);
  int column = -1;
  double number = 0.0;
  expect_ok(b->ctx, edgefw__csv_table_column(&table, "value", &column));
  expect_ok(b->ctx, edgefw__csv_table_number(&table, 0, column, &number));
  assert_true(number == 1.5);
  expect_ok(b->ctx, edgefw__csv_table_number(&table, 1, column, &number));
  assert_true(isnan(number));
  expect_failure(b->ctx, edgefw__csv_table_column(&table, "size", &column), EDGEFW_FORMAT, "t.csv",
                 "'size'");
  expect_failure(b->ctx, edgefw__csv_table_number(&table, 1, 0, &number), EDGEFW_FORMAT, "t.csv:7",
                 "column name", "'c'");
}

static void damage_is_named(void **state) {
  bench *b = *state;
  edgefw__csv_table table;
  expect_failure(b->ctx, read(b, "a,b\n1\n", &table), EDGEFW_FORMAT, "t.csv:2", "1 fields",
                 "has 2");
  expect_failure(b->ctx, read(b, "a,b\n1,\"2\n", &table), EDGEFW_FORMAT, "t.csv:2",
                 "closing quote");
  expect_failure(b->ctx, read(b, "a,b\n1,\"2\"3\n", &table), EDGEFW_FORMAT, "t.csv:2", "behind");
  expect_failure(b->ctx, read(b, "# nothing\n", &table), EDGEFW_FORMAT, "header");
  expect_failure(b->ctx, edgefw__csv_table_read(b->ctx, b->arena, "/none.csv", &table), EDGEFW_IO,
                 "/none.csv");
}

static void what_is_written_is_read(void **state) {
  bench *b = *state;
  edgefw__text text = {.ctx = b->ctx};
  edgefw__csv_table table;
  edgefw__text_add(&text, "x,y\n");
  edgefw__csv_add(&text, "#1, \"quoted\"");
  edgefw__text_add(&text, ",");
  edgefw__csv_add(&text, "plain");
  edgefw__text_add(&text, "\n");
  expect_ok(b->ctx, read(b, edgefw__text_get(&text), &table));
  assert_string_equal(edgefw__csv_table_cell(&table, 0, 0), "#1, \"quoted\"");
  assert_string_equal(edgefw__csv_table_cell(&table, 0, 1), "plain");
  edgefw__text_release(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(fields_are_read, set_up, tear_down),
      cmocka_unit_test_setup_teardown(damage_is_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_is_written_is_read, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
