/* Linear layers of the device cpu in BF16: everything that multiplies, forward and backward. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/bf16_case.h"
#include "support/check.h"
#include "support/linear_case.h"

/* Rounding must not decide where the ReLU is open: biases far from 0, of both signs. */
static void open_by_bias(ks_case *c) {
  double *bias = c->tensor[2].value;
  for (int64_t i = 0; i < c->tensor[2].count; ++i) bias[i] = i % 3 ? 64.0 : -64.0;
}

static void shapes_of_every_kind(void **state) {
  const linear_shape shapes[] = {
      {70, 64, 64, false, false, false, 0},  {1, 256, 48, true, false, true, 0},
      {97, 101, 33, true, false, true, 3},   {101, 40, 37, false, true, true, 4},
      {1100, 32, 48, false, false, true, 0}, {1300, 48, 32, true, true, true, 0},
      {65, 96, 256, false, true, false, 0},  {16, 32, 300, true, false, true, 0},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    linear_case_create(&c, &shapes[i]);
    if (shapes[i].relu) open_by_bias(&c);
    bf16_check(state, &c, 6e-3, 6e-3);
    ks_case_destroy(&c);
  }
}

/* Layers of few numbers, coordinates for example, are those of FP32 on the same device, bit for
 * bit. */
static void check_narrow(const ks_device *d, const char *unit, void *user) {
  const linear_shape shapes[] = {{40, 2, 128, false, false, true, 0},
                                 {40, 128, 16, true, false, true, 0}};
  (void)unit;
  (void)user;
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    linear_case_create(&c, &shapes[i]);
    double *expected = ks_zeros(c.out_count), *out = ks_zeros(c.out_count);
    ks_ok(d, d->k->set_precision(d->device, EDGEFW_PRECISION_FP32));
    ks_forward(&c, d, expected);
    ks_ok(d, d->k->set_precision(d->device, EDGEFW_PRECISION_BF16));
    ks_forward(&c, d, out);
    check_same_bits(out, expected, (size_t)c.out_count * sizeof *out, "narrow layer");
    free(expected);
    free(out);
    ks_case_destroy(&c);
  }
}

static void narrow_layers_stay_float(void **state) {
  bf16_each_unit(state, check_narrow, NULL);
}

/* A device cpu under settings of the environment is refused with a message that has `part`. */
static void check_refused(const ks_device *d, const char *variant, const char *unit,
                          const char *part) {
  edgefw_device *device = NULL;
  setenv("EDGEFW_CPU_VARIANT", variant, 1);
  setenv("EDGEFW_CPU_BF16", unit, 1);
  const edgefw_status status = d->k->create(d->ctx, &device);
  unsetenv("EDGEFW_CPU_VARIANT");
  unsetenv("EDGEFW_CPU_BF16");
  assert_int_equal(status, EDGEFW_CONFIG);
  assert_null(device);
  assert_non_null(strstr(edgefw_message(d->ctx), part));
  edgefw_clear(d->ctx);
}

static void what_is_not_there_is_refused(void **state) {
  const ks_device *d = ks_named(state, "cpu");
  check_refused(d, "", "abacus", "EDGEFW_CPU_BF16=abacus is not among");
  check_refused(d, "", "off", "expected plain");
  check_refused(d, "v2", "amx", "EDGEFW_CPU_");
  assert_int_equal(d->k->precision_support(d->device, EDGEFW_PRECISION_TF32), EDGEFW_SUPPORT_NONE);
  assert_int_equal(d->k->set_precision(d->device, EDGEFW_PRECISION_TF32), EDGEFW_CONFIG);
  edgefw_clear(d->ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_of_every_kind),
                                     cmocka_unit_test(narrow_layers_stay_float),
                                     cmocka_unit_test(what_is_not_there_is_refused)};
  return test_run(tests, ks_setup, ks_teardown);
}
