/* The formats of an explicit cost matrix: each against the same matrix, and counts. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/tsplib_matrix.h"
#include "support/workspace.h"
#include "support/io_support.h"

enum { N = 4 };

static edgefw_status read_format(workspace *f, const char *format, const char *numbers,
                                 double **out) {
  static char text[1024]; /* the document points into it */
  snprintf(text, sizeof text, "%s%s\nEDGE_WEIGHT_SECTION\n%s\nEOF\n",
           format[0] ? "EDGE_WEIGHT_FORMAT : " : "", format, numbers);
  edgefw__tsplib_document document;
  const edgefw_status status = edgefw__tsplib_scan(f->ctx, "x", text, &document);
  if (status != EDGEFW_OK) return status;
  return edgefw__tsplib_read_weights(&document, f->arena, N, out);
}

/* Entry (i,j) of the symmetric matrix is 10 * min + max, with nodes from 1. */
static void all_triangles_give_the_same_matrix(void **state) {
  workspace *f = *state;
  static const struct {
    const char *format, *numbers;
    bool diagonal;
  } cases[] = {
      {"UPPER_ROW", "12 13 14\n23 24\n34", false},
      {"LOWER_ROW", "12\n13 23\n14 24 34", false},
      {"UPPER_DIAG_ROW", "11 12 13 14\n22 23 24\n33 34\n44", true},
      {"LOWER_DIAG_ROW", "11\n12 22\n13 23 33\n14 24 34 44", true},
      {"UPPER_COL", "12\n13 23\n14 24 34", false},
      {"LOWER_COL", "12 13 14\n23 24\n34", false},
      {"UPPER_DIAG_COL", "11\n12 22\n13 23 33\n14 24 34 44", true},
      {"LOWER_DIAG_COL", "11 12 13 14\n22 23 24\n33 34\n44", true},
      {"FULL_MATRIX", "11 12 13 14 12 22 23 24 13 23 33 34 14 24 34 44", true},
      {"", "11 12 13 14 12 22 23 24 13 23 33 34 14 24 34 44", true},
      {"upper_row remark", "12 13 14 23 24 34", false},
      {"LOWER_ROW", "12 13\n23 14 24\n\n34", false}, /* wrapped anywhere */
      {"LOWER_ROW", "1.2e1 13.0 +23 14 240e-1 34", false},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    double *weights = NULL;
    assert_ok(f->ctx, read_format(f, cases[c].format, cases[c].numbers, &weights));
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        const int low = i < j ? i : j, high = i < j ? j : i;
        const double expected = 10 * (low + 1) + high + 1;
        const bool listed = i != j || cases[c].diagonal;
        assert_true(weights[i * N + j] == (listed ? expected : 0.0));
      }
    }
  }
}

static void a_full_matrix_is_row_by_row(void **state) {
  workspace *f = *state;
  double *weights = NULL;
  assert_ok(f->ctx,
            read_format(f, "FULL_MATRIX", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", &weights));
  for (int k = 0; k < N * N; ++k) assert_true(weights[k] == k);
}

static void words_forbid_arcs(void **state) {
  workspace *f = *state;
  double *weights = NULL;
  /* Also at the head of a line, where keywords are. */
  assert_ok(f->ctx, read_format(f, "UPPER_ROW", "inf +Infinity\nnull\nNaN 24\nInf", &weights));
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      const bool kept = i * j == 3 && i + j == 4; /* 1 and 3 */
      const double expected = i == j ? 0.0 : kept ? 24.0 : (double)INFINITY;
      assert_true(weights[i * N + j] == expected);
    }
}

static void counts_and_numbers_are_checked(void **state) {
  workspace *f = *state;
  static const struct {
    const char *format, *numbers;
    edgefw_status status;
    const char *message;
  } bad[] = {
      {"UPPER_ROW", "12 13 14 23 24", EDGEFW_FORMAT,
       "lines 2 to 3: EDGE_WEIGHT_SECTION has 5 numbers, expected 6 (UPPER_ROW, DIMENSION 4)"},
      {"UPPER_ROW", "12 13 14 23 24 34 35", EDGEFW_FORMAT, "has 7 numbers, expected 6"},
      {"LOWER_DIAG_COL", "1", EDGEFW_FORMAT, "has 1 numbers, expected 10"},
      {"FULL_MATRIX", "", EDGEFW_FORMAT, "has 0 numbers, expected 16"},
      {"", "12 13 14 23 24 34", EDGEFW_FORMAT, "has 6 numbers, expected 16 (FULL_MATRIX"},
      {"UPPER_ROW", "12 13\n14 2x 24 34", EDGEFW_FORMAT, "line 4: found '2x'"},
      {"UPPER_ROW", "12 13\n14\n23 24 -inf", EDGEFW_FORMAT, "line 5: found '-inf'"},
      {"UPPER_ROW", "12 13 14 23 24 1e999", EDGEFW_FORMAT, "found '1e999'"},
      {"UPPER_ROW", "12 13 14 23 24 0x10", EDGEFW_FORMAT, "found '0x10'"},
      {"UPPER_ROW", "12 13 14 23 24 \xff\xfe", EDGEFW_FORMAT, "expected a finite number"},
      {"FUNCTION", "1", EDGEFW_UNSUPPORTED, "line 1: EDGE_WEIGHT_FORMAT is 'FUNCTION'"},
      {"DIAGONAL", "1", EDGEFW_UNSUPPORTED, "expected FULL_MATRIX"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    double *weights = NULL;
    assert_fails(f->ctx, read_format(f, bad[i].format, bad[i].numbers, &weights), bad[i].status,
                 bad[i].message);
    assert_null(weights);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(all_triangles_give_the_same_matrix, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_full_matrix_is_row_by_row, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(words_forbid_arcs, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(counts_and_numbers_are_checked, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
