/* Sections of a TSPLIB file that say something of each node, and the depot. */
#include "support/test.h"

#include <stdio.h>

#include "files/tsplib_nodes.h"
#include "support/io_support.h"
#include "support/workspace.h"

enum { N = 3 };

static edgefw_status scan(workspace *f, const char *keyword, const char *content,
                          edgefw__tsplib_document *out) {
  static char text[512]; /* the document points into it */
  snprintf(text, sizeof text, "%s\n%s\nEOF\n", keyword, content);
  return edgefw__tsplib_scan(f->ctx, "x", text, out);
}

static edgefw_status read_coordinates(workspace *f, const char *content, double **out) {
  edgefw__tsplib_document document;
  const edgefw_status status = scan(f, "NODE_COORD_SECTION", content, &document);
  if (status != EDGEFW_OK) return status;
  return edgefw__tsplib_read_rows(&document, f->arena, EDGEFW__TSPLIB_NODE_COORD_SECTION, N, 2,
                                  out);
}

static void rows_come_in_any_order_and_form(void **state) {
  workspace *f = *state;
  static const char *const forms[] = {
      "1 10 11\n2 20 21\n3 30 31",
      "3 30 31\n1 10 11\n2 20 21",
      "\t2\t2.0e1\t21.0\t\n1 10 11 3 30 31",
      "2\n20\n\n21 1 10\n# 7 7 7\n11\n3 30 31",
      "  03 +30 31.\n01 10 1.1E+01\n 2 20 21",
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    double *rows = NULL;
    assert_ok(f->ctx, read_coordinates(f, forms[i], &rows));
    for (int k = 0; k < 2 * N; ++k) assert_true(rows[k] == 10 * (k / 2 + 1) + k % 2);
  }
}

static void a_section_that_is_not_there_gives_nothing(void **state) {
  workspace *f = *state;
  edgefw__tsplib_document document;
  double unused = 0.0, *rows = &unused;
  assert_ok(f->ctx, scan(f, "COMMENT", "", &document));
  assert_ok(f->ctx, edgefw__tsplib_read_rows(&document, f->arena, EDGEFW__TSPLIB_DEMAND_SECTION, N,
                                             1, &rows));
  assert_null(rows);
}

static void bad_rows_are_refused(void **state) {
  workspace *f = *state;
  static const struct {
    const char *content, *message;
  } bad[] = {
      {"1 10 11\n2 20 21\n",
       "lines 1 to 4: NODE_COORD_SECTION has 6 numbers, expected 9 (3 for each of 3 nodes)"},
      {"", "has 0 numbers, expected 9"},
      {"1 1 1\n2 2 2\n3 3 3\n4 4 4", "has 12 numbers, expected 9"},
      {"1 1 1\n2 2 2\n4 3 3",
       "line 4: found '4' in NODE_COORD_SECTION, expected a node from 1 to 3"},
      {"0 1 1\n1 2 2\n2 3 3", "line 2: found '0' in NODE_COORD_SECTION"},
      {"1 1 1\n1.5 2 2\n2 3 3", "line 3: found '1.5' in NODE_COORD_SECTION"},
      {"1 1 1\n2 2 2\n1 3 3", "line 4: node 1 comes again in NODE_COORD_SECTION"},
      {"1 1 1\n2 2x 2\n3 3 3",
       "line 3: found '2x' in NODE_COORD_SECTION, expected a finite number"},
      {"1 1 1\n2 2 2\n3 3\nnan", "line 5: found 'nan'"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    double *rows = NULL;
    assert_fails(f->ctx, read_coordinates(f, bad[i].content, &rows), EDGEFW_FORMAT, bad[i].message);
    assert_null(rows);
  }
}

static edgefw_status read_depot(workspace *f, const char *content, int64_t *out) {
  edgefw__tsplib_document document;
  const edgefw_status status = scan(f, "DEPOT_SECTION", content, &document);
  if (status != EDGEFW_OK) return status;
  return edgefw__tsplib_read_depot(&document, N, out);
}

static void the_depot_list_may_end_or_not(void **state) {
  workspace *f = *state;
  static const struct {
    const char *content;
    int64_t depot;
  } cases[] = {{"1\n-1", 0}, {"\t3\t\r\n\t-1\t\r", 2}, {"3", 2}, {" 2 -1", 1}, {"-1", -1},
               {"", -1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    int64_t depot = -7;
    assert_ok(f->ctx, read_depot(f, cases[i].content, &depot));
    assert_int_equal(depot, cases[i].depot);
  }
}

static void other_depot_lists_are_refused(void **state) {
  workspace *f = *state;
  int64_t depot = 0;
  assert_fails(f->ctx, read_depot(f, "1\n3\n-1", &depot), EDGEFW_UNSUPPORTED,
               "line 3: DEPOT_SECTION names a second depot, node 3; only one");
  assert_fails(f->ctx, read_depot(f, "4", &depot), EDGEFW_FORMAT, "found '4' in DEPOT_SECTION");
  assert_fails(f->ctx, read_depot(f, "0.0 0.0\n-1", &depot), EDGEFW_FORMAT,
               "line 2: found '0.0' in DEPOT_SECTION, expected a node from 1 to 3");
  assert_fails(f->ctx, read_depot(f, "1\n-1\n2\n-1", &depot), EDGEFW_FORMAT,
               "line 4: found '2' in DEPOT_SECTION behind its end");
}

#define nodes_test(name)                                                                           \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      nodes_test(rows_come_in_any_order_and_form),
      nodes_test(a_section_that_is_not_there_gives_nothing),
      nodes_test(bad_rows_are_refused),
      nodes_test(the_depot_list_may_end_or_not),
      nodes_test(other_depot_lists_are_refused),
  };
  return test_run(tests, NULL, NULL);
}
