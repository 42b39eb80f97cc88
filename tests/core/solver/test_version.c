/* The version of the library is that of its header. */
#include "support/test.h"

#include "edgefw/solver.h"

static void the_versions_agree(void **state) {
  (void)state;
  assert_string_equal(edgefw_version(), EDGEFW_VERSION);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_versions_agree)};
  return test_run(tests, NULL, NULL);
}
