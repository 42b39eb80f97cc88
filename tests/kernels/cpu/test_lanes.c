/* kernels/cpu/lanes.h: accuracy of exp, 2^x, tanh and log(1+x) over their whole range, masks, sums.
 * The vectors are compiled for whatever instruction set the tests are; test_lanes_v3.c and _v4.c
 * include this file for theirs (LANES_TEST_LEVEL). */
#include "support/test.h"

#include "cpu/lanes.h"
#include "support/check.h"

#include <math.h>

/* Sixteen numbers first, first + step, ... */
static void ramp(float out[LANES], double first, double step) {
  for (int i = 0; i < LANES; ++i) out[i] = (float)(first + i * step);
}

static void exp_is_accurate(void **state) {
  (void)state;
  for (double first = -87.0; first + 15e-3 <= 88.0; first += 16e-3) {
    float x[LANES], y[LANES];
    ramp(x, first, 1e-3);
    lanes_store(y, lanes_exp(lanes_load(x)));
    for (int i = 0; i < LANES; ++i) check_close((double)y[i], exp((double)x[i]), 0.0, 3e-7, "exp");
  }
}

static void exp_near_zero(void **state) {
  (void)state;
  for (double scale = 1e-40; scale < 1.0; scale *= 3.0) {
    float x[LANES], y[LANES];
    ramp(x, -8.0 * scale, scale);
    lanes_store(y, lanes_exp(lanes_load(x)));
    for (int i = 0; i < LANES; ++i) check_close((double)y[i], exp((double)x[i]), 0.0, 3e-7, "exp");
  }
}

/* Arguments beyond the range count as its ends: finite, positive, and never above them. */
static void exp_is_limited(void **state) {
  (void)state;
  const float ends[6] = {-87.0f, -88.0f, -1e30f, -INFINITY, 88.0f, 1e30f};
  float y[LANES];
  for (int i = 0; i < 6; ++i) {
    lanes_store(y, lanes_exp(lanes_all(ends[i])));
    check_close((double)y[0], exp(i < 4 ? -87.0 : 88.0), 0.0, 3e-7, "exp at an end");
  }
}

static void exp2_is_accurate(void **state) {
  (void)state;
  for (double first = -126.0; first + 15e-3 <= 127.0; first += 16e-3) {
    float x[LANES], y[LANES];
    ramp(x, first, 1e-3);
    lanes_store(y, lanes_exp2(lanes_load(x)));
    for (int i = 0; i < LANES; ++i) check_close((double)y[i], exp2((double)x[i]), 0.0, 3e-7, "2^x");
  }
}

static void exp2_is_limited(void **state) {
  (void)state;
  float y[LANES];
  lanes_store(y, lanes_exp2(lanes_all(-INFINITY)));
  check_close((double)y[0], 0.0, 2e-38, 0.0, "2^x far below");
  lanes_store(y, lanes_exp2(lanes_all(-1e30f)));
  check_close((double)y[0], 0.0, 2e-38, 0.0, "2^x far below");
  lanes_store(y, lanes_exp2(lanes_all(1e30f)));
  check_close((double)y[0], exp2(127.0), 0.0, 3e-7, "2^x far above");
}

/* Whatever a NaN meets, it must not turn into a number that looks right. */
static void nan_stays(void **state) {
  (void)state;
  float y[4];
  lanes out[4] = {lanes_exp(lanes_all(NAN)), lanes_exp2(lanes_all(NAN)), lanes_tanh(lanes_all(NAN)),
                  lanes_relu(lanes_all(NAN))};
  for (int f = 0; f < 4; ++f) {
    memcpy(y, &out[f], sizeof y);
    assert_true(isnan(y[0]));
  }
}

static void tanh_is_accurate(void **state) {
  (void)state;
  for (double first = -50.0; first < 50.0; first += 16e-3) {
    float x[LANES], y[LANES];
    ramp(x, first, 1e-3);
    lanes_store(y, lanes_tanh(lanes_load(x)));
    for (int i = 0; i < LANES; ++i) {
      check_close((double)y[i], tanh((double)x[i]), 3e-7, 0.0, "tanh");
      assert_true(y[i] >= -1.0f && y[i] <= 1.0f);
    }
  }
}

static void tanh_saturates(void **state) {
  (void)state;
  float y[LANES];
  lanes_store(y, lanes_tanh(lanes_all(1e20f)));
  check_close((double)y[3], 1.0, 3e-7, 0.0, "tanh of a large number");
  lanes_store(y, lanes_tanh(lanes_all(-1e20f)));
  check_close((double)y[3], -1.0, 3e-7, 0.0, "tanh of a small number");
}

/* From the smallest number to the largest one, in steps of 0.1 %. */
static void log1p_is_accurate(void **state) {
  (void)state;
  for (double first = 1e-44; first < 3e38; first *= 1.016) {
    float x[LANES], y[LANES];
    ramp(x, first, first / 1000.0);
    lanes_store(y, lanes_log1p(lanes_load(x)));
    for (int i = 0; i < LANES; ++i)
      check_close((double)y[i], log1p((double)x[i]), 0.0, 3e-7, "log(1+x)");
  }
}

static void log1p_at_its_ends(void **state) {
  (void)state;
  float y[LANES];
  lanes_store(y, lanes_log1p(lanes_all(0.0f)));
  for (int i = 0; i < LANES; ++i) assert_true(y[i] == 0.0f);
  lanes_store(y, lanes_log1p(lanes_all(FLT_MAX)));
  check_close((double)y[0], log((double)FLT_MAX), 0.0, 3e-7, "log of the largest number");
}

static void masks_choose(void **state) {
  (void)state;
  float x[LANES], y[LANES], kept[LANES], chosen[LANES], greater[LANES], positive[LANES];
  int32_t mask[LANES];
  for (int i = 0; i < LANES; ++i) {
    x[i] = (float)(i - 7);
    y[i] = (float)(3 - i);
    mask[i] = i % 3 ? -1 : 0;
  }
  lanes_store(kept, lanes_keep(lanes_load_mask(mask), lanes_load(x)));
  lanes_store(chosen, lanes_select(lanes_load_mask(mask), lanes_load(x), lanes_load(y)));
  lanes_store(greater, lanes_max(lanes_load(x), lanes_load(y)));
  lanes_store(positive, lanes_relu(lanes_load(x)));
  for (int i = 0; i < LANES; ++i) {
    check_close((double)kept[i], mask[i] ? (double)x[i] : 0.0, 0.0, 0.0, "keep");
    check_close((double)chosen[i], (double)(mask[i] ? x[i] : y[i]), 0.0, 0.0, "select");
    check_close((double)greater[i], fmax((double)x[i], (double)y[i]), 0.0, 0.0, "max");
    check_close((double)positive[i], fmax((double)x[i], 0.0), 0.0, 0.0, "relu");
  }
}

static void masks_become_bits(void **state) {
  (void)state;
  for (int lane = -1; lane < LANES; ++lane) { /* that one and the last; at first the last alone */
    int32_t mask[LANES] = {0}, back[LANES];
    float kept[LANES];
    mask[LANES - 1] = -1;
    if (lane >= 0) mask[lane] = -1;
    const lane_bits bits = lanes_bits(lanes_load_mask(mask));
    const int last = 1 << (LANES - 1);
    assert_int_equal(bits, lane >= 0 ? last | 1 << lane : last);
    const lane_mask again = lanes_mask(bits);
    memcpy(back, &again, sizeof back);
    assert_memory_equal(back, mask, sizeof back);
    lanes_store(kept, lanes_keep_bits(bits, lanes_all(3.0f)));
    for (int i = 0; i < LANES; ++i) assert_true(kept[i] == (mask[i] ? 3.0f : 0.0f));
  }
}

static void partial_loads_are_filled_with_zeros(void **state) {
  (void)state;
  float x[LANES], y[LANES];
  ramp(x, 1.0, 1.0);
  for (int64_t count = 0; count <= LANES; ++count) {
    lanes_store(y, lanes_load_some(x, count));
    for (int i = 0; i < LANES; ++i)
      check_close((double)y[i], i < count ? (double)x[i] : 0.0, 0.0, 0.0, "partial load");
  }
}

static void partial_stores_leave_the_rest_alone(void **state) {
  (void)state;
  for (int64_t count = 0; count <= LANES + 1; ++count) {
    float y[LANES + 1];
    for (int i = 0; i <= LANES; ++i) y[i] = -1.0f;
    lanes_store_some(y, lanes_all(2.0f), count);
    for (int i = 0; i <= LANES; ++i) assert_true(y[i] == (i < count && i < LANES ? 2.0f : -1.0f));
  }
}

static void additions_where_a_number_is_positive(void **state) {
  (void)state;
  float x[LANES], y[LANES];
  ramp(x, -2.0, 1.0);
  x[0] = NAN;
  lanes_store(y, lanes_add_where(lanes_positive(lanes_load(x)), lanes_all(5.0f), lanes_all(1.0f)));
  for (int i = 0; i < LANES; ++i) assert_true(y[i] == (x[i] > 0.0f ? 6.0f : 5.0f));
}

static void rows_become_columns(void **state) {
  (void)state;
  lanes x[LANES];
  for (int i = 0; i < LANES; ++i) {
    float row[LANES];
    ramp(row, 100.0 * i, 1.0);
    x[i] = lanes_load(row);
  }
  lanes_transpose(x);
  for (int i = 0; i < LANES; ++i) {
    float row[LANES];
    lanes_store(row, x[i]);
    for (int j = 0; j < LANES; ++j) assert_true(row[j] == (float)(100 * j + i));
  }
}

static void sums_and_products_of_every_length(void **state) {
  (void)state;
  enum { MOST = 50 };
  float x[MOST], y[MOST], z[MOST];
  for (int64_t n = 0; n <= MOST; ++n) {
    double expected = 0.0;
    for (int i = 0; i < MOST; ++i) {
      x[i] = (float)(i % 7) - 3.0f;
      z[i] = y[i] = (float)(i % 5) + 0.5f;
      if (i < n) expected += (double)x[i] * (double)y[i];
    }
    check_close((double)lanes_dot(x, y, n), expected, 0.0, 0.0, "dot"); /* exact in float */
    lanes_add_scaled(z, 2.0f, x, n);
    for (int i = 0; i < MOST; ++i)
      check_close((double)z[i], (double)y[i] + (i < n ? 2.0 * (double)x[i] : 0.0), 0.0, 0.0,
                  "add scaled");
    assert_int_equal(lanes_padded(n), (n + LANES - 1) / LANES * LANES);
  }
}

static void reductions(void **state) {
  (void)state;
  float x[LANES];
  for (int at = 0; at < LANES; ++at) {
    ramp(x, -20.0, 1.0);
    x[at] = 5.0f;
    check_close((double)lanes_greatest(lanes_load(x)), 5.0, 0.0, 0.0, "greatest");
    check_close((double)lanes_sum(lanes_load(x)), LANES * (LANES - 41) / 2.0 + 20.0 - at + 5.0, 0.0,
                0.0, "sum");
  }
}

/* No code of main fills it: that would be code for the instruction set. */
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(exp_is_accurate),
    cmocka_unit_test(exp_near_zero),
    cmocka_unit_test(exp_is_limited),
    cmocka_unit_test(exp2_is_accurate),
    cmocka_unit_test(exp2_is_limited),
    cmocka_unit_test(nan_stays),
    cmocka_unit_test(tanh_is_accurate),
    cmocka_unit_test(tanh_saturates),
    cmocka_unit_test(log1p_is_accurate),
    cmocka_unit_test(log1p_at_its_ends),
    cmocka_unit_test(masks_choose),
    cmocka_unit_test(masks_become_bits),
    cmocka_unit_test(partial_loads_are_filled_with_zeros),
    cmocka_unit_test(partial_stores_leave_the_rest_alone),
    cmocka_unit_test(additions_where_a_number_is_positive),
    cmocka_unit_test(rows_become_columns),
    cmocka_unit_test(sums_and_products_of_every_length),
    cmocka_unit_test(reductions),
};

int main(void) {
#ifdef LANES_TEST_LEVEL
  __builtin_cpu_init();
  if (!LANES_TEST_LEVEL) {
    print_message("this processor lacks the instruction set: not tested\n");
    return TEST_SKIPPED;
  }
#endif
  return test_run(tests, NULL, NULL);
}
