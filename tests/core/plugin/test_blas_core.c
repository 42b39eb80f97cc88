/* Kernels of OpenBLAS for processors that it does not know. */
#include "support/test.h"

#include <stdlib.h>

#include "plugin/blas_core.h"

static void old_kernels_give_way_to_what_the_processor_can_do(void **state) {
  (void)state;
  assert_string_equal(edgefw__blas_core_for("Prescott", true, true), "SkylakeX");
  assert_string_equal(edgefw__blas_core_for("Prescott", true, false), "Haswell");
  assert_string_equal(edgefw__blas_core_for("Core2", true, false), "Haswell");
}

static void a_choice_that_fits_stays(void **state) {
  (void)state;
  assert_null(edgefw__blas_core_for("Prescott", false, false));
  assert_null(edgefw__blas_core_for("Haswell", true, true));
  assert_null(edgefw__blas_core_for("Zen", true, false));
  assert_null(edgefw__blas_core_for("SapphireRapids", true, true));
  assert_null(edgefw__blas_core_for("a later one", true, true));
  assert_null(edgefw__blas_core_for(NULL, true, true));
}

static void what_somebody_has_set_stays(void **state) {
  (void)state;
  const char *set = getenv("OPENBLAS_CORETYPE");
  if (!set) setenv("OPENBLAS_CORETYPE", "Prescott", 1);
  assert_null(edgefw__blas_core_missed());
  if (!set) unsetenv("OPENBLAS_CORETYPE");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(old_kernels_give_way_to_what_the_processor_can_do),
      cmocka_unit_test(a_choice_that_fits_stays),
      cmocka_unit_test(what_somebody_has_set_stays),
  };
  return test_run(tests, NULL, NULL);
}
