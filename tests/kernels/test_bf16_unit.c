/* kernels/cpu/bf16_unit.c: names of units, and that every processor has one. */
#include "cpu/bf16_unit.c"

#include "support/test.h"

static void units_have_names(void **state) {
  (void)state;
  for (bf16_unit unit = BF16_PLAIN; unit < BF16_UNITS; ++unit)
    assert_int_equal(edgefw__cpu_bf16_unit_named(edgefw__cpu_bf16_unit_name(unit)), unit);
  assert_int_equal(edgefw__cpu_bf16_unit_named("off"), BF16_UNITS);
  assert_int_equal(edgefw__cpu_bf16_unit_named(""), BF16_UNITS);
}

/* An answer does not change, and a processor with AMX has AVX512-BF16. */
static void every_processor_has_one(void **state) {
  (void)state;
  assert_true(edgefw__cpu_bf16_unit_runs(BF16_PLAIN));
  for (bf16_unit unit = BF16_PLAIN; unit < BF16_UNITS; ++unit)
    assert_int_equal(edgefw__cpu_bf16_unit_runs(unit), edgefw__cpu_bf16_unit_runs(unit));
  if (edgefw__cpu_bf16_unit_runs(BF16_AMX)) assert_true(edgefw__cpu_bf16_unit_runs(BF16_AVX512));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(units_have_names),
                                     cmocka_unit_test(every_processor_has_one)};
  return test_run(tests, NULL, NULL);
}
