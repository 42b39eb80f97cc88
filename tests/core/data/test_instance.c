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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_follow_the_shape),
      cmocka_unit_test(fields_are_found_by_name),
      cmocka_unit_test(a_full_table_needs_no_end),
  };
  return test_run(tests, NULL, NULL);
}
