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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_written),
  };
  return test_run(tests, NULL, NULL);
}
