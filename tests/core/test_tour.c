/* TSPLIB TOUR files. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <float.h>
#include <stdlib.h>

#include "io/tour.h"
#include "support/io_support.h"

static void a_tour_is_written_from_1(void **state) {
  (void)state;
  char folder[256], path[512];
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  io_path(path, io_folder_create(folder, sizeof folder), "t.tour");
  const int32_t tour[] = {0, 2, 1, 3};
  assert_ok(ctx, edgefw__tour_write(ctx, path, "case\n3", tour, 4, 5359.0));
  size_t length = 0;
  char *text = io_read(path, &length);
  assert_string_equal(text, "NAME : case_3.tour\nCOMMENT : cost 5359\nTYPE : TOUR\nDIMENSION : 4\n"
                            "TOUR_SECTION\n1\n3\n2\n4\n-1\nEOF\n");
  free(text);
  assert_int_equal(io_count_entries(folder), 1);
  assert_fails(ctx, edgefw__tour_write(ctx, "/no/t.tour", "x", tour, 4, 0.0), EDGEFW_IO,
               "'/no/t.tour'");
  io_folder_remove(folder);
  edgefw_context_destroy(ctx);
}

static void numbers_read_back_the_same(void **state) {
  (void)state;
  char text[32];
  assert_string_equal(edgefw__number_text(1286.0, text, sizeof text), "1286");
  assert_string_equal(edgefw__number_text(1.546828, text, sizeof text), "1.546828");
  assert_string_equal(edgefw__number_text(0.1, text, sizeof text), "0.1");
  const double hard[] = {1.0 / 3.0, DBL_MAX, -DBL_MIN, DBL_TRUE_MIN, 1e22 + 2e6, 0.1 + 0.2};
  for (size_t i = 0; i < sizeof hard / sizeof *hard; ++i) {
    assert_true(strtod(edgefw__number_text(hard[i], text, sizeof text), NULL) == hard[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tour_is_written_from_1),
      cmocka_unit_test(numbers_read_back_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
