/* Kinds of reference costs: the words for them, and back. */
#include "support/test.h"

#include "files/reference_kind.h"

static void remarks_give_the_kind(void **state) {
  (void)state;
  static const struct {
    const char *remark;
    edgefw__reference_kind kind;
  } cases[] = {{"", EDGEFW__REFERENCE_UNKNOWN},
               {"exact", EDGEFW__REFERENCE_OPTIMUM},
               {"exact (dynamic programming)", EDGEFW__REFERENCE_OPTIMUM},
               {"optimum", EDGEFW__REFERENCE_OPTIMUM},
               {"optimal", EDGEFW__REFERENCE_OPTIMUM},
               {"lower bound", EDGEFW__REFERENCE_BOUND},
               {"bound of the assignment", EDGEFW__REFERENCE_BOUND},
               {"best found", EDGEFW__REFERENCE_BEST_KNOWN},
               {"best found, not exact", EDGEFW__REFERENCE_BEST_KNOWN},
               {"upper bound", EDGEFW__REFERENCE_BEST_KNOWN}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
    assert_int_equal(edgefw__reference_kind_of_remark(cases[c].remark), cases[c].kind);
}

static void every_kind_survives_its_words(void **state) {
  (void)state;
  for (int k = EDGEFW__REFERENCE_UNKNOWN; k <= EDGEFW__REFERENCE_BOUND; ++k) {
    const edgefw__reference_kind kind = (edgefw__reference_kind)k;
    edgefw__reference_kind back = EDGEFW__REFERENCE_UNKNOWN;
    assert_int_equal(edgefw__reference_kind_of_remark(edgefw__reference_kind_remark(kind)), kind);
    assert_true(edgefw__reference_kind_parse(edgefw__reference_kind_name(kind), &back));
    assert_int_equal(back, kind);
  }
  edgefw__reference_kind kind = EDGEFW__REFERENCE_BOUND;
  assert_false(edgefw__reference_kind_parse("exact", &kind));
  assert_int_equal(kind, EDGEFW__REFERENCE_BOUND);
}

static void gaps_say_what_they_are_to(void **state) {
  (void)state;
  assert_string_equal(edgefw__reference_kind_gap(EDGEFW__REFERENCE_UNKNOWN), "gap");
  assert_string_equal(edgefw__reference_kind_gap(EDGEFW__REFERENCE_OPTIMUM), "gap");
  assert_string_equal(edgefw__reference_kind_gap(EDGEFW__REFERENCE_BEST_KNOWN),
                      "gap to best known");
  assert_string_equal(edgefw__reference_kind_gap(EDGEFW__REFERENCE_BOUND), "gap to bound");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(remarks_give_the_kind),
      cmocka_unit_test(every_kind_survives_its_words),
      cmocka_unit_test(gaps_say_what_they_are_to),
  };
  return test_run(tests, NULL, NULL);
}
