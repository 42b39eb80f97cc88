/* JSON values. */
#include "support/test.h"

#include <math.h>

#include "base/json.h"

static void values_are_written(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__text text = {.ctx = ctx};
  edgefw__json_string(&text, "a\"b\\c\n\x01");
  edgefw__json_string(&text, NULL);
  edgefw__json_number(&text, 0.1);
  edgefw__text_add(&text, ",");
  edgefw__json_number(&text, (double)NAN);
  assert_string_equal(edgefw__text_get(&text), "\"a\\\"b\\\\c\\u000a\\u0001\"null0.1,null");
  edgefw__text_release(&text);
  edgefw_context_destroy(ctx);
}

/* Any bytes give UTF-8, and no control character as it is. */
static void strings_are_utf8(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__text text = {.ctx = ctx};
  edgefw__json_string(&text, "K\xF6ln \xC3\xB6 \xC2\x9B \x1B \x7F \xE2\x82");
  assert_string_equal(edgefw__text_get(&text), "\"K\xEF\xBF\xBDln \xC3\xB6 \\u009b \\u001b \\u007f "
                                               "\xEF\xBF\xBD\xEF\xBF\xBD\"");
  edgefw__text_release(&text);
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_written),
      cmocka_unit_test(strings_are_utf8),
  };
  return test_run(tests, NULL, NULL);
}
