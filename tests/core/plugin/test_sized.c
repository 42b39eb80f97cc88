/* Structs that begin with their size. */
#include "support/test.h"

#include <string.h>

#include "badplugins/guarded.h"
#include "plugin/sized.h"

typedef struct settings {
  size_t size;
  int64_t first, second;
} settings;

typedef struct later_settings {
  settings known;
  int64_t third;
} later_settings;

static void what_a_shorter_one_lacks_keeps_its_default(void **state) {
  (void)state;
  const settings whole = {.first = 1, .second = 2};
  settings own = {.first = 10, .second = 20};
  guarded memory;
  const void *given = guarded_copy(&memory, &whole, offsetof(settings, second));
  assert_non_null(given);
  edgefw__sized_take(&own, sizeof own, given);
  assert_int_equal(own.first, 1);
  assert_int_equal(own.second, 20);
  assert_int_equal(own.size, offsetof(settings, second));
  guarded_release(&memory);
}

static void what_a_longer_one_adds_is_left_alone(void **state) {
  (void)state;
  const later_settings given = {{sizeof given, 1, 2}, 3};
  later_settings own = {{0, 10, 20}, 30};
  edgefw__sized_take(&own, sizeof own.known, &given);
  assert_int_equal(own.known.first, 1);
  assert_int_equal(own.known.second, 2);
  assert_int_equal(own.third, 30);
  assert_int_equal(own.known.size, sizeof own.known);
}

static void one_without_its_first_members_is_refused(void **state) {
  (void)state;
  char why[200] = "";
  settings given = {.size = sizeof given};
  assert_true(edgefw__sized_check(&given, offsetof(settings, second), why, sizeof why));
  assert_string_equal(why, "");
  given.size = 0; /* forgotten */
  assert_false(edgefw__sized_check(&given, offsetof(settings, second), why, sizeof why));
  assert_non_null(strstr(why, "is 0 bytes, expected at least 16"));
  assert_non_null(strstr(why, "set .size to the sizeof"));
  given.size = offsetof(settings, second) - 1;
  assert_false(edgefw__sized_check(&given, offsetof(settings, second), why, sizeof why));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_shorter_one_lacks_keeps_its_default),
      cmocka_unit_test(what_a_longer_one_adds_is_left_alone),
      cmocka_unit_test(one_without_its_first_members_is_refused),
  };
  return test_run(tests, NULL, NULL);
}
