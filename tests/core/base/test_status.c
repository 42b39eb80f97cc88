/* Status codes: names, texts and values. */
#include "support/test.h"

#include "edgefw/status.h"

#include <string.h>

static const edgefw_status all[] = {
#define STATUS_ENTRY(name, value, text) EDGEFW_##name,
    EDGEFW_STATUS_LIST(STATUS_ENTRY)
#undef STATUS_ENTRY
};
enum { COUNT = sizeof all / sizeof all[0] };

static void every_code_has_its_own_name_and_text(void **state) {
  (void)state;
  for (int i = 0; i < COUNT; ++i) {
    assert_true(strlen(edgefw_status_text(all[i])) > 0);
    for (int k = 0; k < i; ++k) {
      assert_int_not_equal(all[i], all[k]);
      assert_string_not_equal(edgefw_status_name(all[i]), edgefw_status_name(all[k]));
      assert_string_not_equal(edgefw_status_text(all[i]), edgefw_status_text(all[k]));
    }
  }
}

static void success_is_zero_and_failures_are_negative(void **state) {
  (void)state;
  assert_int_equal(EDGEFW_OK, 0);
  for (int i = 1; i < COUNT; ++i) assert_true((int)all[i] < 0);
}

/* Plugins and scripts know these numbers. */
static void values_are_stable(void **state) {
  (void)state;
  assert_int_equal(EDGEFW_OUT_OF_MEMORY, -1);
  assert_int_equal(EDGEFW_CONFIG, -3);
  assert_int_equal(EDGEFW_INTERRUPTED, -11);
  assert_int_equal(EDGEFW_PLUGIN_FIND, -20);
  assert_int_equal(EDGEFW_PLUGIN_INIT, -28);
}

static void known_texts(void **state) {
  (void)state;
  assert_string_equal(edgefw_status_name(EDGEFW_OK), "OK");
  assert_string_equal(edgefw_status_text(EDGEFW_OK), "success");
  assert_string_equal(edgefw_status_name(EDGEFW_PLUGIN_ABI), "PLUGIN_ABI");
  assert_string_equal(edgefw_status_text(EDGEFW_OUT_OF_MEMORY), "out of memory");
}

static void numbers_that_are_no_code(void **state) {
  (void)state;
  const int numbers[] = {1, -13, -19, -29};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    const edgefw_status status = (edgefw_status)numbers[i];
    assert_string_equal(edgefw_status_name(status), "UNKNOWN");
    assert_string_equal(edgefw_status_text(status), "unknown status");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_code_has_its_own_name_and_text),
      cmocka_unit_test(success_is_zero_and_failures_are_negative),
      cmocka_unit_test(values_are_stable),
      cmocka_unit_test(known_texts),
      cmocka_unit_test(numbers_that_are_no_code),
  };
  return test_run(tests, NULL, NULL);
}
