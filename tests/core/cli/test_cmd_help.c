/* edgefw help and version. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "edgefw/version.h"
#include "support/cli.h"

static void help_is_a_result(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "help", 0, "commands:\n  run ", NULL);
  cli_expect(box, "--help", 0, "commands:\n  run ", NULL);
  cli_expect(box, "help run", 0, "--dry-run", NULL);
  cli_expect(box, "run --help", 0, "usage: edgefw run CONFIG.ini", NULL);
  cli_expect(box, "data info -h", 0, "usage: edgefw data info", NULL);
  cli_expect(box, "help data info", 0, "usage: edgefw data info", NULL);
  cli_expect(box, "help rnu", 2, "", "did you mean 'run'");
  cli_expect(box, "help run run", 2, "", "'run' is one argument too many");
  cli_expect(box, "version run", 2, "", "'run' is one argument too many");
}

static void the_reference_is_printed(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "help config", 0, "instances_per_epoch", NULL);
}

/* Kernels of processors without AVX2 would make products at a fifth of this one's speed. */
static void blas_uses_what_the_processor_can_do(void **state) {
  const sandbox *box = *state;
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2") || getenv("OPENBLAS_CORETYPE")) skip();
  cli_result result = cli_do(box, "version");
  assert_int_equal(result.status, 0);
  assert_null(strstr(result.out, "Prescott"));
  assert_null(strstr(result.out, "Core2"));
  cli_free(&result);
#else
  (void)box;
  skip();
#endif
}

static void versions_are_printed(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "--version", 0, "edgefw " EDGEFW_VERSION, NULL);
  cli_expect(box, "version", 0, "HDF5 ", NULL);
  cli_expect(box, "version", 0, "device reference: ", NULL);
  cli_expect(box, "run --version", 0, "device auto: ", NULL);
}

/* What `device = auto` would do with a misspelt variable is what is printed. */
static void a_misspelt_variable_is_told(void **state) {
  const sandbox *box = *state;
  const char *before = getenv("EDGEFW_CPU_VARIANT");
  char *kept = before ? strdup(before) : NULL;
  setenv("EDGEFW_CPU_VARIANT", "avx2", 1);
  cli_expect(box, "version", 0, "not usable here (device cpu: EDGEFW_CPU_VARIANT=avx2", NULL);
  cli_result result = cli_do(box, "version"); /* a GPU would be taken before the cpu is tried */
  assert_true(strstr(result.out, "device auto: an error (see above)") ||
              strstr(result.out, "device auto: cuda"));
  cli_free(&result);
  if (kept)
    setenv("EDGEFW_CPU_VARIANT", kept, 1);
  else
    unsetenv("EDGEFW_CPU_VARIANT");
  free(kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(help_is_a_result, sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(the_reference_is_printed, sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(blas_uses_what_the_processor_can_do, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(versions_are_printed, sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(a_misspelt_variable_is_told, sandbox_set_up,
                                      sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
