/* How the device cuda lays operations over blocks and shared memory, for every size and for the
 * shared memory of several generations of GPUs. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "cuda/shapes.h"

enum { MOST_NODES = 2000, MOST_THREADS = 1024 };

static void blocks_of_a_normalisation(void **state) {
  (void)state;
  for (int64_t n = 1; n <= MOST_NODES; ++n) {
    assert_true(cuda_norm_warps(n) >= 1);
    assert_true(32 * cuda_norm_warps(n) <= MOST_THREADS);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_of_a_normalisation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
