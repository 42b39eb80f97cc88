/* Durations, sizes and counts for people. */
#include "support/test.h"

#include <math.h>

#include "base/units.h"

static void durations(void **state) {
  (void)state;
  static const struct {
    double seconds;
    const char *text;
  } cases[] = {{0, "0 ms"},
               {0.0412, "41 ms"},
               {0.41, "0.41 s"},
               {12.34, "12.3 s"},
               {59.96, "1 min 00 s"},
               {245, "4 min 05 s"},
               {3599.6, "1 h 00 min"},
               {7800, "2 h 10 min"},
               {302400, "3.5 days"},
               {-1, "-"}};
  char text[EDGEFW__UNIT_TEXT];
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
    assert_string_equal(edgefw__duration_text(cases[c].seconds, text, sizeof text), cases[c].text);
  assert_string_equal(edgefw__duration_text((double)NAN, text, sizeof text), "-");
}

static void sizes_and_counts(void **state) {
  (void)state;
  char text[EDGEFW__UNIT_TEXT];
  assert_string_equal(edgefw__bytes_text(812, text, sizeof text), "812 B");
  assert_string_equal(edgefw__bytes_text(4200, text, sizeof text), "4.20 KB");
  assert_string_equal(edgefw__bytes_text(999600, text, sizeof text), "1.00 MB");
  assert_string_equal(edgefw__bytes_text(1.31e9, text, sizeof text), "1.31 GB");
  assert_string_equal(edgefw__count_text(0, text, sizeof text), "0");
  assert_string_equal(edgefw__count_text(999, text, sizeof text), "999");
  assert_string_equal(edgefw__count_text(3309576, text, sizeof text), "3,309,576");
  assert_string_equal(edgefw__count_text(-123456, text, sizeof text), "-123,456");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(durations),
      cmocka_unit_test(sizes_and_counts),
  };
  return test_run(tests, NULL, NULL);
}
