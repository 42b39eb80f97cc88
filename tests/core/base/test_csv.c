/* CSV tables: quoting, remarks, errors with their line. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "support/workspace.h"
#include "support/expect.h"

static edgefw_status read(workspace *w, const char *text, edgefw__csv_table *table) {
  return edgefw__csv_table_read(w->ctx, w->arena, sandbox_write(&w->box, "t.csv", text), table);
}

static void fields_are_read(void **state) {
  workspace *w = *state;
  edgefw__csv_table table;
  expect_ok(w->ctx,
            read(w, "# remark\n\nname,value\n\"a, \"\"b\"\"\",1.5\r\n\n# more\nc,\n", &table));
  assert_int_equal(table.columns, 2);
  assert_int_equal(table.rows, 2);
  assert_string_equal(edgefw__csv_table_cell(&table, 0, 0), "a, \"b\"");
  assert_string_equal(edgefw__csv_table_cell(&table, 1, 0), "c");
  assert_int_equal(table.lines[1], 7);
  int column = -1;
  double number = 0.0;
  expect_ok(w->ctx, edgefw__csv_table_column(&table, "value", &column));
  expect_ok(w->ctx, edgefw__csv_table_number(&table, 0, column, &number));
  assert_true(number == 1.5);
  expect_ok(w->ctx, edgefw__csv_table_number(&table, 1, column, &number));
  assert_true(isnan(number));
  expect_failure(w->ctx, edgefw__csv_table_column(&table, "size", &column), EDGEFW_FORMAT, "t.csv",
                 "'size'");
  expect_failure(w->ctx, edgefw__csv_table_number(&table, 1, 0, &number), EDGEFW_FORMAT, "t.csv:7",
                 "column name", "'c'");
}

static void cells_are_read_by_their_kinds(void **state) {
  workspace *w = *state;
  edgefw__csv_table table;
  expect_ok(
      w->ctx,
      read(w, "n,cost,model,old\n7,1.5,00ffffffffffffff,\nx,2,-1,18446744073709551615\n", &table));
  int64_t n = 0;
  double cost = 0.0;
  uint64_t bits = 5;
  const edgefw__csv_field fields[] = {{0, &n, NULL}, {1, NULL, &cost}};
  expect_ok(w->ctx, edgefw__csv_table_fields(&table, 0, fields, 2));
  assert_true(n == 7 && cost == 1.5);
  expect_failure(w->ctx, edgefw__csv_table_fields(&table, 1, fields, 2), EDGEFW_FORMAT, "t.csv:3",
                 "column n", "'x'");
  expect_ok(w->ctx, edgefw__csv_table_bits(&table, 0, 2, 16, false, &bits));
  assert_true(bits == 0x00ffffffffffffffu);
  expect_ok(w->ctx, edgefw__csv_table_bits(&table, 0, 3, 10, true, &bits));
  assert_true(bits == 0);
  expect_ok(w->ctx, edgefw__csv_table_bits(&table, 1, 3, 10, false, &bits));
  assert_true(bits == UINT64_MAX);
  expect_failure(w->ctx, edgefw__csv_table_bits(&table, 0, 3, 10, false, &bits), EDGEFW_FORMAT,
                 "t.csv:2", "column old", "digits");
  expect_failure(w->ctx, edgefw__csv_table_bits(&table, 1, 2, 16, false, &bits), EDGEFW_FORMAT,
                 "t.csv:3", "'-1'", "hexadecimal digits");
}

/* The header of a file that we wrote; older programs wrote fewer columns. */
static void a_header_is_what_is_expected(void **state) {
  workspace *w = *state;
  static const struct {
    const char *header;
    bool good;
  } cases[] = {{"a,bc,d\n", true},   {"a,bc\n", true},    {"a\n", false},       {"a,b,d\n", false},
               {"a,bcd,d\n", false}, {"bc,a,d\n", false}, {"a,bc,d,e\n", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    edgefw__csv_table table;
    expect_ok(w->ctx, read(w, cases[i].header, &table));
    const edgefw_status status = edgefw__csv_table_expect(&table, "a,bc,d", 2);
    if (cases[i].good)
      expect_ok(w->ctx, status);
    else
      expect_failure(w->ctx, status, EDGEFW_FORMAT, "t.csv:1", "unknown columns",
                     "expected a,bc,d");
  }
}

static void blanks_around_a_field_are_no_part_of_it(void **state) {
  workspace *w = *state;
  edgefw__csv_table table;
  expect_ok(w->ctx, read(w, "\n a ,\tb c\t,d\r\n x , \" y \" ,\r\n  ,z,1 \n", &table));
  assert_int_equal(table.header_line, 2);
  assert_string_equal(table.header[0], "a");
  assert_string_equal(table.header[1], "b c");
  assert_string_equal(edgefw__csv_table_cell(&table, 0, 0), "x");
  assert_string_equal(edgefw__csv_table_cell(&table, 0, 1), " y ");
  assert_string_equal(edgefw__csv_table_cell(&table, 0, 2), "");
  assert_string_equal(edgefw__csv_table_cell(&table, 1, 0), "");
  assert_string_equal(edgefw__csv_table_cell(&table, 1, 2), "1");
}

/* Cells of a text that is no table of ours, by any separator; tabs are cells of nothing. */
static void lines_are_cut_by_any_separator(void **state) {
  workspace *w = *state;
  static const struct {
    char separator;
    const char *text, *cells[3];
  } cases[] = {{';', "a,b; \"c;d\" ;e\n", {"a,b", "c;d", "e"}},
               {'\t', "a b\t\tc\n", {"a b", "", "c"}},
               {' ', "  a \"b c\"\t d  \r\n", {"a", "b c", "d"}}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const char *fields[4];
    int64_t count = 0;
    edgefw__csv_lines in = {.ctx = w->ctx,
                            .path = "t.csv",
                            .at = edgefw_arena_text(w->arena, cases[k].text),
                            .line = 1,
                            .separator = cases[k].separator};
    assert_true(edgefw__csv_more(&in));
    expect_ok(w->ctx, edgefw__csv_cut(&in, fields, 4, &count));
    assert_int_equal(count, 3);
    for (int c = 0; c < 3; ++c) assert_string_equal(fields[c], cases[k].cells[c]);
    assert_false(edgefw__csv_more(&in));
    assert_int_equal(in.line, 2);
    in.at = edgefw_arena_text(w->arena, cases[k].text);
    expect_failure(w->ctx, edgefw__csv_cut(&in, fields, 2, &count), EDGEFW_FORMAT, "t.csv:2",
                   "more columns");
  }
}

/* Old Macintosh files: as many rows as carriage returns. */
static void lines_may_end_with_a_carriage_return(void **state) {
  workspace *w = *state;
  char text[2001];
  edgefw__csv_table table;
  for (int i = 0; i < 1000; ++i) memcpy(text + 2 * i, "x\r", 3);
  expect_ok(w->ctx, read(w, text, &table));
  assert_int_equal(table.rows, 999);
  assert_int_equal(table.lines[998], 1000);
  assert_string_equal(edgefw__csv_table_cell(&table, 998, 0), "x");
}

static void damage_is_named(void **state) {
  workspace *w = *state;
  edgefw__csv_table table;
  expect_failure(w->ctx, read(w, "a,b\n1\n", &table), EDGEFW_FORMAT, "t.csv:2", "found 1 fields",
                 "expected 2");
  expect_failure(w->ctx, read(w, "a,b\n1,\"2\n", &table), EDGEFW_FORMAT, "t.csv:2",
                 "closing quote");
  expect_failure(w->ctx, read(w, "a,b\n1,\"2\"3\n", &table), EDGEFW_FORMAT, "t.csv:2", "behind");
  expect_failure(w->ctx, read(w, "# nothing\n", &table), EDGEFW_FORMAT, "header");
  expect_failure(w->ctx, edgefw__csv_table_read(w->ctx, w->arena, "/none.csv", &table), EDGEFW_IO,
                 "/none.csv");
}

static void what_is_written_is_read(void **state) {
  workspace *w = *state;
  edgefw__text text = {.ctx = w->ctx};
  edgefw__csv_table table;
  edgefw__text_add(&text, "x,y\n");
  edgefw__csv_add(&text, "#1, \"quoted\"");
  edgefw__text_add(&text, ",");
  edgefw__csv_add(&text, "plain");
  edgefw__text_add(&text, "\n");
  edgefw__csv_add(&text, " before");
  edgefw__text_add(&text, ",");
  edgefw__csv_add(&text, "behind\t");
  edgefw__text_add(&text, "\n");
  expect_ok(w->ctx, read(w, edgefw__text_get(&text), &table));
  assert_string_equal(edgefw__csv_table_cell(&table, 0, 0), "#1, \"quoted\"");
  assert_string_equal(edgefw__csv_table_cell(&table, 0, 1), "plain");
  assert_string_equal(edgefw__csv_table_cell(&table, 1, 0), " before");
  assert_string_equal(edgefw__csv_table_cell(&table, 1, 1), "behind\t");
  edgefw__text_release(&text);
}

static void numbers_have_a_comma_before_them(void **state) {
  workspace *w = *state;
  edgefw__text text = {.ctx = w->ctx};
  edgefw__csv_add_number(&text, 0.1);
  edgefw__csv_add_number(&text, (double)NAN);
  edgefw__csv_add_number(&text, -3);
  edgefw__csv_add_number(&text, (double)INFINITY);
  assert_string_equal(edgefw__text_get(&text), ",0.1,,-3,");
  edgefw__text_release(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(fields_are_read, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(cells_are_read_by_their_kinds, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_header_is_what_is_expected, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(blanks_around_a_field_are_no_part_of_it, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(lines_are_cut_by_any_separator, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(lines_may_end_with_a_carriage_return, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(damage_is_named, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(what_is_written_is_read, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(numbers_have_a_comma_before_them, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
