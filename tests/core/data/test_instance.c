/* Sizes and look-up of instance fields. */
#include "support/test.h"

#include "edgefw/instance.h"

static void counts_follow_the_shape(void **state) {
  (void)state;
  assert_int_equal(edgefw_field_count(EDGEFW_FIELD_PAIR, 7), 49);
  assert_int_equal(edgefw_field_count(EDGEFW_FIELD_NODE, 7), 7);
  assert_int_equal(edgefw_field_count(EDGEFW_FIELD_SCALAR, 7), 1);
  assert_int_equal(edgefw_field_count(EDGEFW_FIELD_PAIR, 50000), INT64_C(2500000000));
}

static void fields_are_found_by_name(void **state) {
  (void)state;
  static const edgefw_field fields[] = {
      {.name = "cost", .shape = EDGEFW_FIELD_PAIR},
      {.name = "demand", .shape = EDGEFW_FIELD_NODE},
      {.name = NULL},
  };
  double cost[4], demand[2];
  const edgefw_instance instance = {.n = 2, .fields = fields, .data = {cost, demand}};
  assert_ptr_equal(edgefw_instance_field(&instance, "cost"), cost);
  assert_ptr_equal(edgefw_instance_field(&instance, "demand"), demand);
  assert_null(edgefw_instance_field(&instance, "deman"));
  assert_null(edgefw_instance_field(&instance, ""));
}

static void a_full_table_needs_no_end(void **state) {
  (void)state;
  edgefw_field fields[EDGEFW_MAX_FIELDS + 1] = {{.name = NULL}};
  for (int f = 0; f < EDGEFW_MAX_FIELDS; ++f) fields[f].name = "x";
  const edgefw_instance instance = {.n = 1, .fields = fields};
  assert_null(edgefw_instance_field(&instance, "y"));
}

/* What rounding makes of loads: nothing of whole numbers, 1e-9 of decimal fractions, 2^-23 of what
 * float32 made of them. */
static void loads_have_the_tolerance_of_their_numbers(void **state) {
  (void)state;
  static const double whole[] = {0, 3, 16777217, 1};
  static const double decimal[] = {0, 0.3, 0.3, 0.1};
  static const double single[] = {0, (double)0.3F, (double)0.3F, (double)0.1F};
  static const double binary[] = {0, 0.75, 2.5, 0.0078125};
  const double mixed[] = {0, (double)0.3F, 0.3, 1};
  const double tolerance = 0x1p-23;
  assert_true(edgefw_load_tolerance(whole, 4, 40.0) == 0.0);
  assert_true(edgefw_load_tolerance(decimal, 4, 1.0) == 1e-9);
  assert_true(edgefw_load_tolerance(decimal, 4, 30.0) == 1e-9 * 30.0);
  assert_true(edgefw_load_tolerance(single, 4, 1.0) == tolerance);
  assert_true(edgefw_load_tolerance(single, 4, 3.5) == 3.5 * tolerance);
  assert_true(edgefw_load_tolerance(binary, 4, 4.0) == 4.0 * 1e-9); /* exact in float32 */
  assert_true(edgefw_load_tolerance(mixed, 4, 1.0) == 1e-9);
  assert_true(edgefw_load_tolerance(whole, 4, 10.5) == 10.5 * 1e-9);
  assert_true(edgefw_load_tolerance(decimal, 4, (double)0.7F) == (double)0.7F * tolerance);
  /* A full load of n float32 fractions never goes beyond it. */
  for (int n = 2; n < 1000; ++n) {
    const float part = 1.0F / (float)n;
    double load = 0.0;
    for (int i = 0; i < n; ++i) load += (double)part;
    assert_true(load <= 1.0 + tolerance);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_follow_the_shape),
      cmocka_unit_test(fields_are_found_by_name),
      cmocka_unit_test(a_full_table_needs_no_end),
      cmocka_unit_test(loads_have_the_tolerance_of_their_numbers),
  };
  return test_run(tests, NULL, NULL);
}
