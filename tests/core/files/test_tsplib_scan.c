/* The outer form of TSPLIB files: keywords, colons, comments, words. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/tsplib_scan.h"
#include "support/io_support.h"

typedef struct fixture {
  edgefw_context *ctx;
  io_log log;
} fixture;

static int setup(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  if (edgefw_context_create(&f.ctx, NULL) != EDGEFW_OK) return -1;
  edgefw_set_log(f.ctx, io_collect, &f.log);
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  edgefw_context_destroy(f->ctx);
  return 0;
}

static void assert_word(const edgefw__tsplib_document *document, edgefw__tsplib_keyword keyword,
                        const char *expected, int64_t line) {
  edgefw__tsplib_span span = document->spans[keyword];
  edgefw__tsplib_word word;
  assert_true(edgefw__tsplib_next_word(&span, &word));
  assert_string_equal(word.text, expected);
  assert_int_equal(word.line, line);
}

static void colons_and_blanks_are_free(void **state) {
  fixture *f = *state;
  static const char *const forms[] = {
      "DIMENSION : 17\n",     "DIMENSION: 17\n",      "DIMENSION:17\r\n",  "DIMENSION 17\n",
      "\tDIMENSION\t:\t17\t", "dimension :17 remark", "DIMENSION :\n17\n",
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    edgefw__tsplib_document document;
    assert_ok(f->ctx, edgefw__tsplib_scan(f->ctx, "x", forms[i], &document));
    assert_word(&document, EDGEFW__TSPLIB_DIMENSION, "17", i == 6 ? 2 : 1);
  }
  assert_int_equal(f->log.warnings, 0);
}

static void sections_end_at_the_next_keyword(void **state) {
  fixture *f = *state;
  edgefw__tsplib_document document;
  assert_ok(f->ctx, edgefw__tsplib_scan(f->ctx, "x",
                                        "EDGE_WEIGHT_SECTION: 1\n# 9 9\n2 3\n\n  # 9\n-4\n"
                                        "DISPLAY_DATA_SECTION\n5 6\nNAME : a b \nEOF  \n7 8\n",
                                        &document));
  const edgefw__tsplib_span *weights = &document.spans[EDGEFW__TSPLIB_EDGE_WEIGHT_SECTION];
  assert_int_equal(edgefw__tsplib_count_words(*weights), 4);
  assert_int_equal(weights->line, 1);
  assert_int_equal(weights->end_line, 6);
  assert_int_equal(edgefw__tsplib_count_words(document.spans[EDGEFW__TSPLIB_DISPLAY_DATA_SECTION]),
                   2);
  assert_int_equal(edgefw__tsplib_count_words(document.spans[EDGEFW__TSPLIB_NAME]), 2);
  assert_null(document.spans[EDGEFW__TSPLIB_TYPE].begin);
  assert_int_equal(edgefw__tsplib_count_words(document.spans[EDGEFW__TSPLIB_TYPE]), 0);
  edgefw__tsplib_span rest = *weights;
  edgefw__tsplib_word word;
  static const int64_t lines[] = {1, 3, 3, 6};
  for (int i = 0; i < 4; ++i) {
    assert_true(edgefw__tsplib_next_word(&rest, &word));
    assert_int_equal(word.line, lines[i]);
  }
  assert_false(edgefw__tsplib_next_word(&rest, &word));
}

/* All of them are named, each once, with the line where it comes first. */
static void unknown_keywords_give_one_warning(void **state) {
  fixture *f = *state;
  edgefw__tsplib_document document;
  assert_ok(f->ctx, edgefw__tsplib_scan(f->ctx, "x.atsp",
                                        "NAME: a\nFLEET : 2\n1 2 3\nCOLOUR-OF_DEPOT red\n"
                                        "DIMENSION 4\nfleet 5\n",
                                        &document));
  assert_word(&document, EDGEFW__TSPLIB_DIMENSION, "4", 5);
  assert_int_equal(f->log.warnings, 1);
  assert_non_null(strstr(f->log.text, "'x.atsp': unknown keywords: 'FLEET' in line 2, "
                                      "'COLOUR-OF_DEPOT' in line 4\n"));
  assert_int_equal(document.unknown_count, 2);
  assert_int_equal(edgefw__tsplib_count_words(document.unknown[0].span), 4);
}

/* Of one that comes again, the first that says something is kept. */
static void an_empty_unknown_keyword_hides_no_other(void **state) {
  fixture *f = *state;
  edgefw__tsplib_document document;
  assert_ok(f->ctx, edgefw__tsplib_scan(f->ctx, "x", "A_SECTION\n-1\nB 1\nA_SECTION\n7 8\nB 2\n",
                                        &document));
  assert_int_equal(document.unknown_count, 2);
  assert_int_equal(document.unknown[0].span.line, 4);
  assert_int_equal(document.unknown[1].span.line, 3);
}

static void long_names_keep_their_ends(void **state) {
  fixture *f = *state;
  edgefw__tsplib_document document;
  char text[200];
  memset(text, 'X', 100);
  strcpy(text + 100, "_SECTION\n1 2\n");
  assert_ok(f->ctx, edgefw__tsplib_scan(f->ctx, "x", text, &document));
  const char *name = document.unknown[0].name;
  assert_int_equal(strlen(name), EDGEFW__TSPLIB_NAME_SIZE - 1);
  assert_string_equal(name + strlen(name) - 8, "_SECTION");
}

static void more_unknown_keywords_than_fit_are_refused(void **state) {
  fixture *f = *state;
  edgefw__tsplib_document document;
  char text[1024] = "", *at = text;
  for (int k = 0; k <= EDGEFW__TSPLIB_MAX_UNKNOWN; ++k) at += sprintf(at, "KEY%d 1\n", k);
  assert_fails(f->ctx, edgefw__tsplib_scan(f->ctx, "x", text, &document), EDGEFW_FORMAT,
               "'x' line 25: 'KEY24' is unknown too, after 24 other keywords");
}

static void one_number_means_one_number(void **state) {
  fixture *f = *state;
  edgefw__tsplib_document document;
  double value = 0.0;
  const edgefw__tsplib_keyword key = EDGEFW__TSPLIB_CAPACITY;
  assert_ok(f->ctx, edgefw__tsplib_scan(f->ctx, "x", "CAPACITY :\t2.5 \n\n", &document));
  assert_ok(f->ctx, edgefw__tsplib_one_number(&document, key, &value));
  assert_true(value == 2.5);
  static const struct {
    const char *text, *message;
  } bad[] = {{"CAPACITY: 10 000\n", "'x' line 1: found '000' behind the number of CAPACITY"},
             {"CAPACITY: 10\n20\n", "'x' line 2: found '20' behind the number of CAPACITY"},
             {"CAPACITY: 10 # pieces\n", "found '#' behind the number"},
             {"CAPACITY: 10,000\n", "found '10,000' in CAPACITY, expected a finite number"},
             {"CAPACITY:\n", "found '' in CAPACITY"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    assert_ok(f->ctx, edgefw__tsplib_scan(f->ctx, "x", bad[i].text, &document));
    assert_fails(f->ctx, edgefw__tsplib_one_number(&document, key, &value), EDGEFW_FORMAT,
                 bad[i].message);
  }
}

static void bad_forms_are_refused(void **state) {
  fixture *f = *state;
  edgefw__tsplib_document document;
  assert_fails(f->ctx, edgefw__tsplib_scan(f->ctx, "x", "\n1 2 3\n", &document), EDGEFW_FORMAT,
               "'x' line 2: found '1', expected a keyword");
  assert_fails(f->ctx,
               edgefw__tsplib_scan(f->ctx, "x", "DIMENSION 3\nTYPE: A\n\nDIMENSION 4\n", &document),
               EDGEFW_FORMAT, "'x' line 4: DIMENSION comes again, it is already in line 1");
  assert_ok(f->ctx, edgefw__tsplib_scan(f->ctx, "x", "COMMENT a\nCOMMENT b\n", &document));
  assert_word(&document, EDGEFW__TSPLIB_COMMENT, "a", 1);
  assert_ok(f->ctx, edgefw__tsplib_scan(f->ctx, "x", "", &document));
  assert_ok(f->ctx, edgefw__tsplib_scan(f->ctx, "x", "EOF\nDIMENSION 3\n", &document));
  assert_null(document.spans[EDGEFW__TSPLIB_DIMENSION].begin);
}

/* As many of the longest names as there may be, far down in the file: the warning has room. */
static void long_names_in_late_lines_have_room(void **state) {
  enum { LINES = 10000000, NAME = 63, NAMES = EDGEFW__TSPLIB_MAX_UNKNOWN };
  fixture *f = *state;
  edgefw__tsplib_document document;
  char *text = malloc(LINES + NAMES * (NAME + 1) + 1);
  assert_non_null(text);
  memset(text, '\n', LINES);
  for (int k = 0; k < NAMES; ++k) {
    char *name = text + LINES + k * (NAME + 1);
    memset(name, 'A' + k, NAME);
    name[NAME] = '\n';
  }
  text[LINES + NAMES * (NAME + 1)] = '\0';
  assert_ok(f->ctx, edgefw__tsplib_scan(f->ctx, "x.atsp", text, &document));
  assert_int_equal(document.unknown_count, NAMES);
  assert_non_null(strstr(f->log.text, "unknown keywords: 'AAAA"));
  free(text);
}

static void overlong_words_mean_nothing(void **state) {
  fixture *f = *state;
  edgefw__tsplib_document document;
  char text[200] = "TYPE ";
  memset(text + 5, '7', 100);
  assert_ok(f->ctx, edgefw__tsplib_scan(f->ctx, "x", text, &document));
  assert_word(&document, EDGEFW__TSPLIB_TYPE, "", 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(colons_and_blanks_are_free, setup, teardown),
      cmocka_unit_test_setup_teardown(sections_end_at_the_next_keyword, setup, teardown),
      cmocka_unit_test_setup_teardown(unknown_keywords_give_one_warning, setup, teardown),
      cmocka_unit_test_setup_teardown(an_empty_unknown_keyword_hides_no_other, setup, teardown),
      cmocka_unit_test_setup_teardown(long_names_keep_their_ends, setup, teardown),
      cmocka_unit_test_setup_teardown(more_unknown_keywords_than_fit_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(one_number_means_one_number, setup, teardown),
      cmocka_unit_test_setup_teardown(bad_forms_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(long_names_in_late_lines_have_room, setup, teardown),
      cmocka_unit_test_setup_teardown(overlong_words_mean_nothing, setup, teardown),
  };
  return test_run(tests, NULL, NULL);
}
