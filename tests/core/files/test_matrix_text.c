/* Matrices as text: separators, names, what is missing, and where a file is wrong. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "files/matrix_text.h"
#include "support/expect.h"
#include "support/stops_case.h"

static edgefw__stop_table read_text(workspace *w, const char *text) {
  edgefw__stop_table table;
  const char *path = sandbox_write(&w->box, "t.csv", text);
  expect_ok(w->ctx, edgefw__matrix_text_read(w->ctx, w->arena, path, &table));
  return table;
}

static void files_of_every_form_hold_the_stops(void **state) {
  workspace *w = *state;
  static const char *const named[] = {"stops.csv", "stops-semicolon.csv", "stops.tsv"};
  edgefw__stop_table table;
  for (size_t k = 0; k < sizeof named / sizeof *named; ++k) {
    const char *path = edgefw_arena_format(w->arena, STOPS_DATA "%s", named[k]);
    expect_ok(w->ctx, edgefw__matrix_text_read(w->ctx, w->arena, path, &table));
    stops_expect(&table, stops_names);
  }
  expect_ok(w->ctx, edgefw__matrix_text_read(w->ctx, w->arena, STOPS_DATA "stops.txt", &table));
  stops_expect(&table, NULL);
}

/* Each is the matrix 0 1; 2 0, with the names that stand there. */
static void names_are_found_where_they_are(void **state) {
  workspace *w = *state;
  static const struct {
    const char *text, *first, *second;
  } cases[] = {{"0,1\n2,0\n", NULL, NULL},
               {"0 1\n2 0", NULL, NULL},
               {"  0   1 \n\n# remark\n2\t0\n", NULL, NULL},
               {"0,1,\n2,0,\n", NULL, NULL}, /* a comma at each end */
               {"a,b\n0,1\n2,0\n", "a", "b"},
               {"a,0,1\nb,2,0\n", "a", "b"},
               {"x,a,b\na,0,1\nb,2,0\n", "a", "b"},
               {"a,b\na,0,1\nb,2,0\n", "a", "b"},  /* as R writes it */
               {",0,1\n0,0,1\n1,2,0\n", "0", "1"}, /* as pandas does */
               {",a,b\n0,0,1\n1,2,0\n", "a", "b"},
               {",1,2\na,0,1\nb,2,0\n", "a", "b"},
               {",17,42\n17,0,1\n42,2,0\n", "17", "42"},
               {"1,2\n0,1\n2,0\n", "1", "2"},
               {"\"a, \"\"b\"\"\",c\r\n0,1\r\n2,0\r\n", "a, \"b\"", "c"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const edgefw__stop_table table = read_text(w, cases[k].text);
    if (table.n != 2 || table.cost[1] != 1.0 || table.cost[2] != 2.0)
      fail_msg("misread: %s", cases[k].text);
    if (!cases[k].first) {
      assert_null(table.names);
      continue;
    }
    assert_non_null(table.names);
    assert_string_equal(table.names[0], cases[k].first);
    assert_string_equal(table.names[1], cases[k].second);
  }
}

static void an_empty_diagonal_is_no_header(void **state) {
  workspace *w = *state;
  static const char *const texts[] = {",1.5,2\n1.5,,3\n2,3,\n", ",7,7\n7,,3\n7,3,\n",
                                      ",7,7\n7,,3\n7,4,\n"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
    const edgefw__stop_table table = read_text(w, texts[k]);
    if (table.n != 3) fail_msg("misread: %s", texts[k]);
    assert_null(table.names);
    assert_true(table.cost[5] == 3.0);
  }
}

/* Labels stay labels if there is nothing on the diagonal either. */
static void a_frame_may_have_an_empty_diagonal(void **state) {
  workspace *w = *state;
  static const struct {
    const char *text, *last;
  } cases[] = {{",0,1,2\n0,,5,7\n1,4,,3\n2,6,8,\n", "2"}, /* as pandas writes it */
               {",1,2,3\n1,,5,7\n2,5,,3\n3,7,3,\n", "3"},
               {",17,42,9\n17,,5,7\n42,4,,3\n9,6,8,\n", "9"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const edgefw__stop_table table = read_text(w, cases[k].text);
    assert_int_equal(table.n, 3);
    assert_non_null(table.names);
    assert_string_equal(table.names[2], cases[k].last);
    assert_true(table.cost[1] == 5.0 && table.cost[2] == 7.0 && table.cost[5] == 3.0);
  }
}

static void missing_ways_are_infinite(void **state) {
  workspace *w = *state;
  static const char *const words[] = {"", "inf", "NaN", "null", "NA", "None"};
  for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
    const edgefw__stop_table table =
        read_text(w, edgefw_arena_format(w->arena, "0,1,2\n3,0,%s\n4,5,0\n", words[k]));
    assert_true(isinf(table.cost[5]) && table.cost[6] == 4.0);
  }
}

static void decimal_signs_are_one_kind(void **state) {
  workspace *w = *state;
  assert_true(read_text(w, "0;1,5\n2;0\n").cost[1] == 1.5);
  assert_true(read_text(w, "0;1.5\n2;0\n").cost[1] == 1.5);
  assert_true(read_text(w, "0\t1,5\n2\t0\n").cost[1] == 1.5);
}

static void places_are_read(void **state) {
  workspace *w = *state;
  edgefw__stop_table table;
  expect_ok(w->ctx, edgefw__matrix_text_read(w->ctx, w->arena, STOPS_DATA "places.csv", &table));
  assert_int_equal(table.n, STOPS);
  assert_null(table.cost);
  assert_true(table.points[2] == 3.0 && table.points[3] == 4.0);
  for (int i = 0; i < STOPS; ++i) {
    assert_string_equal(table.names[i], stops_names[i]);
    assert_true(table.demand[i] == stops_demand[i]);
  }
  assert_null(read_text(w, "Y;X\n1;2,5\n3;4\n").names);
  assert_true(read_text(w, "Y;X\n1;2,5\n3;4\n").points[0] == 2.5);
}

/* Stops may be called x and y. */
static void a_matrix_of_x_and_y_is_a_matrix(void **state) {
  workspace *w = *state;
  const edgefw__stop_table table = read_text(w, ",x,y\nx,0,1\ny,2,0\n");
  assert_null(table.points);
  assert_string_equal(table.names[1], "y");
}

static void faults_are_named_with_their_place(void **state) {
  static const stops_fault faults[] = {
      {"", EDGEFW_FORMAT, {"holds no numbers"}},
      {"5,1\n2,3\n1,0\n", EDGEFW_FORMAT, {"t.csv:1", "3 lines of 2"}},
      {"0,1\n-2,0\n", EDGEFW_FORMAT, {"t.csv:2: column 1", "'-2'", "at least 0"}},
      {"0,1,2\n3,0,x\n4,5,0\n", EDGEFW_FORMAT, {"t.csv:2: column 3", "'x'", "a number"}},
      {"0,x,2\n3,0,1\n4,5,0\n", EDGEFW_FORMAT, {"t.csv:1: column 2", "'x'", "a number"}},
      {"0,1,2\n3,0\n4,5,0\n", EDGEFW_FORMAT, {"t.csv:2", "found 2 cells", "expected 3"}},
      {"0,1,2\n3,0,4\n4,5\n", EDGEFW_FORMAT, {"t.csv:3", "found 2 cells", "expected 3"}},
      {"0,5\n3,0,4\n4,5,0\n", EDGEFW_FORMAT, {"t.csv:1", "found 2 cells", "expected 3"}},
      {"0,1,2\n3,0,4\n", EDGEFW_FORMAT, {"2 lines of 3 numbers", "a square"}},
      {"a,b,c\n0,1,2\n3,0,4\n", EDGEFW_FORMAT, {"t.csv"}},
      {"A,B,C\n0,5,7\n1,0,3\n", EDGEFW_FORMAT, {"t.csv:2", "2 lines of 3 numbers", "a square"}},
      {"A,0,1\nB,5,0\nC,1,3\n", EDGEFW_FORMAT, {"3 lines of 2 numbers", "a square"}},
      {",17,42\n17,,3\n42,3,\n", EDGEFW_FORMAT, {"t.csv:1", "names of stops or costs"}},
      {",a,b\na,0,1\nc,2,0\n", EDGEFW_FORMAT, {"t.csv:3: column 1", "'c'", "'b'"}},
      {"a,a\n0,1\n2,0\n", EDGEFW_FORMAT, {"stop 1 and stop 2", "'a'"}},
      {"\"a,b\n0,1\n2,0\n", EDGEFW_FORMAT, {"t.csv:1", "no closing quote"}},
      {"\"a\"b,c\n0,1\n2,0\n", EDGEFW_FORMAT, {"t.csv:1", "behind a quoted"}},
      {"0;1,5\n2.5;0\n", EDGEFW_FORMAT, {"t.csv:2: column 1", "decimal comma, as in line 1"}},
      {"0;1.000,5\n2;0\n", EDGEFW_FORMAT, {"t.csv:1: column 2", "a number"}},
      {"0,0x10\n2,0\n", EDGEFW_FORMAT, {"t.csv"}},
      {"0,1e999\n2,0\n", EDGEFW_FORMAT, {"t.csv"}},
      {"0\n", EDGEFW_MISMATCH, {"1 stop;"}},
      {"x,y\n1,2\n3\n", EDGEFW_FORMAT, {"t.csv"}},
      {"x,y\n1,2\n3,nan\n", EDGEFW_FORMAT, {"t.csv:3: column 2", "'nan'", "a number"}},
      {"x,y,demand\n1,2,1\n3,4,-1\n", EDGEFW_FORMAT, {"t.csv:3: column 3", "at least 0"}},
      {"x,y,name\n1,2,a\n3,4,a\n", EDGEFW_FORMAT, {"stop 1 and stop 2"}},
      {"lat,lon\n51,13\n52,13\n", EDGEFW_UNSUPPORTED, {"degrees", "a matrix"}},
      {NULL, EDGEFW_OK, {NULL}}};
  stops_expect_faults(*state, "t.csv", edgefw__matrix_text_read, faults);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(files_of_every_form_hold_the_stops, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(names_are_found_where_they_are, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(an_empty_diagonal_is_no_header, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_frame_may_have_an_empty_diagonal, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(missing_ways_are_infinite, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(decimal_signs_are_one_kind, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(places_are_read, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_matrix_of_x_and_y_is_a_matrix, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(faults_are_named_with_their_place, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
