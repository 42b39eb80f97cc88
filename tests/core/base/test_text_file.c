/* Whole text files, and numbers in text. */
#include "support/test.h"

#include <string.h>

#include "base/text_file.h"
#include "support/io_support.h"

static void files_are_read_whole(void **state) {
  (void)state;
  char folder[256], path[512];
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  io_path(path, io_folder_create(folder, sizeof folder), "file");
  char *text = NULL;
  size_t length = 0;

  io_write(path, "a\r\nb", 4);
  assert_ok(ctx, edgefw__text_read(ctx, path, &text, &length));
  assert_int_equal(length, 4);
  assert_string_equal(text, "a\r\nb");
  edgefw_release(ctx, text);

  io_write(path, "\xEF\xBB\xBFxy", 5);
  assert_ok(ctx, edgefw__text_read(ctx, path, &text, &length));
  assert_int_equal(length, 2);
  assert_string_equal(text, "xy");
  edgefw_release(ctx, text);

  io_write(path, "", 0);
  assert_ok(ctx, edgefw__text_read(ctx, path, &text, &length));
  assert_string_equal(text, "");
  edgefw_release(ctx, text);

  io_write(path, "a\0b", 3);
  assert_fails(ctx, edgefw__text_read(ctx, path, &text, &length), EDGEFW_FORMAT, "not a text");
  assert_null(text);
  assert_fails(ctx, edgefw__text_read(ctx, folder, &text, &length), EDGEFW_IO, "folder");
  assert_fails(ctx, edgefw__text_read(ctx, "/dev/zero", &text, &length), EDGEFW_IO, "regular");
  assert_fails(ctx, edgefw__text_read(ctx, "/no/file", &text, &length), EDGEFW_IO, "No such file");
  io_folder_remove(folder);
  edgefw_context_destroy(ctx);
}

static void numbers_are_decimal_and_finite(void **state) {
  (void)state;
  double value = 0.0;
  assert_true(edgefw__parse_number("6.37200e+02", &value));
  assert_true(value == 637.2);
  assert_true(edgefw__parse_number("-0.5", &value));
  assert_true(value == -0.5);
  static const char *const bad[] = {"",    "nan",   "inf", "-inf", "0x10", "1e999", "1,5",
                                    "1 2", "1.2.3", "e5",  "+",    "-",    "12a",   " 1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    value = 7.0;
    assert_false(edgefw__parse_number(bad[i], &value));
    assert_true(value == 7.0);
  }
  int64_t whole = 0;
  assert_true(edgefw__parse_integer("-42", &whole));
  assert_int_equal(whole, -42);
  assert_true(edgefw__parse_integer("9223372036854775807", &whole));
  assert_false(edgefw__parse_integer("9223372036854775808", &whole));
  assert_false(edgefw__parse_integer("", &whole));
  assert_false(edgefw__parse_integer("1.0", &whole));
  assert_false(edgefw__parse_integer("1e3", &whole));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_are_read_whole),
      cmocka_unit_test(numbers_are_decimal_and_finite),
  };
  return test_run(tests, NULL, NULL);
}
