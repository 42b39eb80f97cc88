/* Linear layers on every device: gradient, agreement, adding backward, threads. */
#include "support/test.h"

#include "support/check.h"
#include "support/linear_case.h"

static void small_shapes(void **state) {
  const linear_shape shapes[] = {
      {1, 1, 1, false, false, false, 0}, {1, 3, 2, false, false, true, 0},
      {5, 2, 7, true, false, true, 0},   {7, 5, 3, false, true, false, 0},
      {3, 7, 5, true, true, true, 0},    {2, 20, 1, true, false, false, 0},
      {11, 1, 3, false, false, true, 0},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    linear_case_create(&c, &shapes[i]);
    ks_check_gradient(*state, &c);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

/* A weight whose rows are columns of a wider one: the numbers between them take no part. */
static void strided_weights(void **state) {
  const linear_shape shapes[] = {
      {3, 4, 5, false, false, true, 1},     {5, 2, 7, true, false, true, 3},
      {7, 5, 3, false, true, false, 2},     {3, 7, 5, true, true, true, 1},
      {97, 128, 33, true, false, true, 1},  {101, 17, 19, false, true, true, 4},
      {40, 1, 64, false, false, false, 16}, {49, 80, 112, false, true, true, 5},
      {49, 144, 96, true, false, true, 3}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    linear_case_create(&c, &shapes[i]);
    if (shapes[i].rows < 10) ks_check_gradient(*state, &c);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

static void large_shapes(void **state) {
  const linear_shape shapes[] = {
      {97, 101, 33, true, false, true, 0}, {404, 64, 64, false, false, false, 0},
      {40, 20, 128, true, false, true, 0}, {101, 17, 19, false, true, true, 0},
      {1, 256, 256, true, false, true, 0}, {1300, 16, 8, true, true, true, 0},
      {48, 144, 272, true, true, true, 0}, {95, 129, 48, false, false, true, 0},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    linear_case_create(&c, &shapes[i]);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

/* A known product, with the bias and the ReLU seen apart, for W as it is and transposed. */
static void known_answer(void **state) {
  const ks_devices *devices = *state;
  const linear_shape shapes[2] = {{2, 2, 2, true, false, true, 0}, {2, 2, 2, true, true, true, 0}};
  const double x[4] = {1, 2, 3, 4}, b[2] = {0.5, -1};
  const double w[2][4] = {{1, -1, 0.5, 0.25}, {1, 0.5, -1, 0.25}};
  const double expected[4] = {0, 0, 0, 1.5};
  for (int k = 0; k < 2 * devices->count; ++k) {
    ks_case c;
    double y[4];
    linear_case_create(&c, &shapes[k % 2]);
    for (int i = 0; i < 4; ++i) c.tensor[0].value[i] = x[i];
    for (int i = 0; i < 4; ++i) c.tensor[1].value[i] = w[k % 2][i];
    for (int i = 0; i < 2; ++i) c.tensor[2].value[i] = b[i];
    ks_forward(&c, &devices->item[k / 2], y);
    check_close_f64(y, expected, 4, 0.0, 0.0, "y");
    ks_case_destroy(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answer),
      cmocka_unit_test(small_shapes),
      cmocka_unit_test(strided_weights),
      cmocka_unit_test(large_shapes),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
