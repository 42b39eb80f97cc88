/* Elementwise operations on every device. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include <math.h>
#include <stdlib.h>

typedef struct sum_shape {
  int64_t count;
  double a, b;
} sum_shape;

static void run_sum(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                    void *const *grad, double *out) {
  (void)dout;
  (void)grad;
  const sum_shape *s = c->shape;
  const edgefw_weighted_sum_args args = {.count = s->count,
                                         .a = s->a,
                                         .b = s->b,
                                         .x = in[0],
                                         .y = in[1],
                                         .out = ks_reals(d, s->count)};
  ks_ok(d, d->k->weighted_sum(d->device, &args));
  d->k->download(d->device, out, args.out, s->count);
  ks_release(d, args.out);
}

static void sum_create(ks_case *c, const sum_shape *shape) {
  ks_case_create(c, "weighted_sum", shape, run_sum, shape->count);
  ks_case_add(c, "x", shape->count, false, 3.0);
  ks_case_add(c, "y", shape->count, false, 2.0);
  c->forward_tolerance = 1e-6;
}

static void run_log1p(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                      void *const *grad, double *out) {
  (void)dout;
  (void)grad;
  const edgefw_log1p_table_args args = {
      .count = c->out_count, .x = in[0], .out = ks_reals(d, c->out_count)};
  ks_ok(d, d->k->log1p_table(d->device, &args));
  d->k->download(d->device, out, args.out, c->out_count);
  ks_release(d, args.out);
}

/* Numbers in [-0.9, 1e3], many of them small. */
static void log1p_create(ks_case *c, int64_t count) {
  ks_case_create(c, "log1p_table", NULL, run_log1p, count);
  double *x = ks_case_add(c, "x", count, false, 1.0);
  for (int64_t e = 0; e < count; ++e)
    x[e] = (double)(float)(x[e] < 0 ? 0.9 * x[e] : 1000.0 * pow(x[e], 8.0));
  c->forward_tolerance = 1e-6;
}

/* Around a register, a block of threads, a block of work. */
static void devices_agree(void **state) {
  const int64_t counts[] = {1, 15, 17, 257, 1000, 16384, 40000};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    const sum_shape shape = {counts[i], -1.25, 0.1};
    ks_case c;
    sum_create(&c, &shape);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
    log1p_create(&c, counts[i]);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

static void known_numbers(void **state) {
  const ks_devices *devices = *state;
  const sum_shape shape = {3, 0.5, -2.0};
  const double x[3] = {2, -4, 0}, y[3] = {1, 0.25, -3}, sum[3] = {-1, -2.5, 6};
  const double tiny = 0x1p-40; /* 1 + tiny is 1 in float */
  ks_case c, l;
  double out[3];
  sum_create(&c, &shape);
  log1p_create(&l, 3);
  for (int e = 0; e < 3; ++e) {
    c.tensor[0].value[e] = x[e];
    c.tensor[1].value[e] = y[e];
    l.tensor[0].value[e] = e == 0 ? 0.0 : e == 1 ? tiny : 1.0;
  }
  for (int i = 0; i < devices->count; ++i) {
    ks_forward(&c, &devices->item[i], out);
    check_close_f64(out, sum, 3, 0.0, 0.0, "weighted sum");
    ks_forward(&l, &devices->item[i], out);
    check_close(out[0], 0.0, 0.0, 0.0, "log1p(0)");
    check_close(out[1], tiny, 0.0, 1e-7, "log1p of a small number");
    check_close(out[2], log(2.0), 1e-7, 0.0, "log1p(1)");
  }
  ks_case_destroy(&c);
  ks_case_destroy(&l);
}

/* A mean is kept in place, by the same numbers on any number of threads. */
static void a_sum_may_take_the_place_of_its_first_part(void **state) {
  const ks_devices *devices = *state;
  enum { COUNT = 40001 };
  double *x = ks_zeros(COUNT), *y = ks_zeros(COUNT), *apart = ks_zeros(COUNT);
  double *inside = ks_zeros(COUNT);
  ks_fill(x, COUNT, 3.0, 1);
  ks_fill(y, COUNT, 2.0, 2);
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    edgefw_weighted_sum_args args = {.count = COUNT,
                                     .a = 0.9,
                                     .b = 0.1,
                                     .x = ks_upload(d, x, COUNT),
                                     .y = ks_upload(d, y, COUNT)};
    void *out = ks_reals(d, COUNT), *first = ks_upload(d, x, COUNT);
    args.out = out;
    ks_ok(d, d->k->weighted_sum(d->device, &args));
    d->k->download(d->device, apart, out, COUNT);
    ks_release(d, (void *)(uintptr_t)args.x);
    args.x = args.out = first;
    edgefw_set_threads(d->ctx, 2);
    ks_ok(d, d->k->weighted_sum(d->device, &args));
    edgefw_set_threads(d->ctx, 1);
    d->k->download(d->device, inside, first, COUNT);
    check_same_bits(inside, apart, COUNT * sizeof *inside, "a sum in place");
    ks_release(d, out);
    ks_release(d, first);
    ks_release(d, (void *)(uintptr_t)args.y);
  }
  free(x);
  free(y);
  free(apart);
  free(inside);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_numbers),
      cmocka_unit_test(devices_agree),
      cmocka_unit_test(a_sum_may_take_the_place_of_its_first_part),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
