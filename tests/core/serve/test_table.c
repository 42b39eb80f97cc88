/* Matrices straight from text: the same numbers as by the JSON library, or none at all. */
#include "support/test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "serve/table.h"
#include "support/check.h"
#include "support/workspace.h"

static bool read(const workspace *f, const char *text, edgefw__table *out) {
  return edgefw__table_read(f->arena, text, strlen(text), "matrix", out);
}

static void plain_tables_are_read(void **state) {
  const workspace *f = *state;
  static const char *const texts[] = {
      "{\"matrix\":[[0,1.5],[null,12345678901234]]}",
      " {\"a\": \"matrix\",\"x\":{\"matrix\":7},\"matrix\" :[[ 0 ,1.5] ,[null,12345678901234]] }",
      "{\"a\\\"matrix\":[1,[2]],\"matrix\":[[0e0,15E-1],[null,0.12345678901234e+14]]}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    edgefw__table t;
    assert_true(read(f, texts[i], &t));
    assert_int_equal(t.n, 2);
    assert_true(t.cost[0] == 0.0 && t.cost[1] == 1.5 && isinf(t.cost[2]));
    check_close(t.cost[3], 12345678901234.0, 0.0, 0.0, "a large number");
    assert_true(*t.begin == '[' && t.end[-1] == ']');
  }
}

/* Whatever the digits are, the double is that of the JSON library. */
static void numbers_are_those_of_the_library(void **state) {
  const workspace *f = *state;
  static const char *const numbers[] = {"0.1",    "123456789012345",     "1e22", "4.9e-324",
                                        "2.5E+3", "0.30000000000000004", "7",    "1e30"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    char text[128];
    edgefw__table t;
    json_error_t error;
    snprintf(text, sizeof text, "{\"matrix\":[[0,%s],[1,0]]}", numbers[i]);
    assert_true(read(f, text, &t));
    json_t *value = json_loads(numbers[i], JSON_DECODE_ANY, &error);
    const double expected = json_number_value(value);
    check_same_bits(&t.cost[1], &expected, sizeof expected, numbers[i]);
    json_decref(value);
  }
}

static void everything_else_is_left_alone(void **state) {
  const workspace *f = *state;
  static const char *const texts[] = {"",
                                      "{",
                                      "[[0,1],[1,0]]",
                                      "{\"points\":[[0,1],[1,0]]}",
                                      "{\"x\":{\"matrix\":[[0,1],[1,0]]}}",
                                      "{\"id\":\"matrix\"}",
                                      "{\"matrix\":7}",
                                      "{\"matrix\":[]}",
                                      "{\"matrix\":[[]]}",
                                      "{\"matrix\":[[0]]}",
                                      "{\"matrix\":[[0,1],[1]]}",
                                      "{\"matrix\":[[0,1],[1,0],[1,1]]}",
                                      "{\"matrix\":[[0,1],[1,0]",
                                      "{\"matrix\":[[0,1],[1,0,]]}",
                                      "{\"matrix\":[[0,-1],[1,0]]}",
                                      "{\"matrix\":[[0,01],[1,0]]}",
                                      "{\"matrix\":[[0,1.],[1,0]]}",
                                      "{\"matrix\":[[0,.5],[1,0]]}",
                                      "{\"matrix\":[[0,1e],[1,0]]}",
                                      "{\"matrix\":[[0,1e999],[1,0]]}",
                                      "{\"matrix\":[[0,NaN],[1,0]]}",
                                      "{\"matrix\":[[0,0x1],[1,0]]}",
                                      "{\"matrix\":[[0,1234567890123456],[1,0]]}",
                                      "{\"matrix\":[[0,1,2,3,4,5,6,7,8,9]]}",
                                      "{\"matrix",
                                      "{\"matrix\\"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    edgefw__table t;
    if (read(f, texts[i], &t)) fail_msg("%s was read", texts[i]);
  }
}

#define TABLE_TEST(name)                                                                           \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TABLE_TEST(plain_tables_are_read),
      TABLE_TEST(numbers_are_those_of_the_library),
      TABLE_TEST(everything_else_is_left_alone),
  };
  return test_run(tests, NULL, NULL);
}
