/* Growing texts. */
#include "support/test.h"

#include <string.h>

#include "base/text.h"
#include "support/failing_allocator.h"

static void a_text_grows(void **state) {
  (void)state;
  edgefw_context *ctx;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__text text = {.ctx = ctx};
  assert_string_equal(edgefw__text_get(&text), "");
  for (int i = 0; i < 1000; ++i) edgefw__text_add(&text, "%d,", i % 10);
  edgefw__text_add_bytes(&text, "end of it", 3);
  assert_false(text.failed);
  assert_int_equal(text.length, 2003);
  assert_int_equal(strlen(edgefw__text_get(&text)), 2003);
  assert_int_equal(strncmp(edgefw__text_get(&text), "0,1,2,3,", 8), 0);
  assert_string_equal(edgefw__text_get(&text) + 1998, "9,end");
  edgefw__text_release(&text);
  edgefw__text_release(&text); /* twice is allowed */
  edgefw_context_destroy(ctx);
}

static void out_of_memory_is_sticky(void **state) {
  (void)state;
  edgefw_context *ctx;
  failing_allocator memory;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
  edgefw__text text = {.ctx = ctx};
  edgefw__text_add(&text, "kept");
  failing_allocator_arm(&memory, 0);
  for (int i = 0; i < 100; ++i) edgefw__text_add(&text, "many more words");
  assert_true(text.failed);
  assert_int_equal(edgefw_failure(ctx), EDGEFW_OUT_OF_MEMORY);
  failing_allocator_disarm(&memory);
  const size_t length = text.length;
  edgefw__text_add(&text, "x");
  assert_int_equal(text.length, length);
  edgefw__text_release(&text);
  edgefw_context_destroy(ctx);
  assert_int_equal(failing_allocator_live(&memory), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_text_grows),
      cmocka_unit_test(out_of_memory_is_sticky),
  };
  return test_run(tests, NULL, NULL);
}
