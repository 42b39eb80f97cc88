/* The memory high-water mark rises with what is touched. */
#include "support/test.h"

#include <stdlib.h>

#include "bench/high_water.h"

static void it_rises_with_memory_in_use(void **state) {
  (void)state;
  const size_t bytes = (size_t)64 << 20;
  edgefw__high_water_reset();
  const size_t before = edgefw__high_water();
  assert_true(before > 0);
  char *block = malloc(bytes);
  assert_non_null(block);
  for (size_t i = 0; i < bytes; i += 1024) ((volatile char *)block)[i] = 1;
  assert_true(edgefw__high_water() > before + bytes / 2);
  free(block);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_rises_with_memory_in_use)};
  return test_run(tests, NULL, NULL);
}
