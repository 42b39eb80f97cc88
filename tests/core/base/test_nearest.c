/* The nearest name. */
#include "support/test.h"

#include <string.h>

#include "base/nearest.h"

static void distance_counts_edits(void **state) {
  (void)state;
  assert_int_equal(edgefw__edit_distance("", ""), 0);
  assert_int_equal(edgefw__edit_distance("abc", ""), 3);
  assert_int_equal(edgefw__edit_distance("", "ab"), 2);
  assert_int_equal(edgefw__edit_distance("kitten", "sitting"), 3);
  assert_int_equal(edgefw__edit_distance("epohcs", "epochs"), 1); /* neighbours exchanged */
  assert_int_equal(edgefw__edit_distance("Train", "train"), 0);
}

static void long_names_are_cut(void **state) {
  (void)state;
  char a[5000], b[5000];
  memset(a, 'a', sizeof a - 1);
  memset(b, 'b', sizeof b - 1);
  a[sizeof a - 1] = b[sizeof b - 1] = '\0';
  assert_int_equal(edgefw__edit_distance(a, b), 63);
  assert_int_equal(edgefw__edit_distance(a, a), 0);
}

static const char *nearest(const char *name, const char *const *candidates) {
  edgefw__nearest search = {.name = name};
  for (; *candidates; ++candidates) edgefw__nearest_try(&search, *candidates);
  return search.best;
}

static void the_nearest_is_found(void **state) {
  (void)state;
  const char *const keys[] = {"epochs", "batch", "learning_rate", "beta1", "beta2", NULL};
  assert_string_equal(nearest("epohs", keys), "epochs");
  assert_string_equal(nearest("beta", keys), "beta1"); /* the first of equals */
  assert_string_equal(nearest("rate", keys), "learning_rate");
  assert_null(nearest("xyzzy", keys));
  assert_null(nearest("", keys));
}

static void a_hint_names_the_nearest(void **state) {
  (void)state;
  char hint[64];
  edgefw__nearest search = {.name = "siez"};
  assert_string_equal(edgefw__nearest_hint(&search, hint, sizeof hint), "");
  edgefw__nearest_try(&search, NULL);
  edgefw__nearest_try(&search, "size");
  assert_string_equal(edgefw__nearest_hint(&search, hint, sizeof hint), " (did you mean 'size'?)");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distance_counts_edits),
      cmocka_unit_test(long_names_are_cut),
      cmocka_unit_test(the_nearest_is_found),
      cmocka_unit_test(a_hint_names_the_nearest),
  };
  return test_run(tests, NULL, NULL);
}
