/* Add and instance norm on every device. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include <math.h>
#include <stdlib.h>

typedef struct norm_shape {
  int64_t batch, nodes, width;
} norm_shape;

static void run_into(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                     void *const *grad, double *out) {
  const norm_shape *s = c->shape;
  const int64_t count = s->batch * s->nodes * s->width;
  edgefw_add_norm_args a = {.batch = s->batch,
                            .nodes = s->nodes,
                            .width = s->width,
                            .x = in[0],
                            .residual = in[1],
                            .gamma = in[2],
                            .beta = in[3],
                            .y = ks_reals(d, count),
                            .normalized = ks_reals(d, count),
                            .inv_std = ks_reals(d, s->batch * s->width)};
  ks_ok(d, d->k->add_norm_forward(d->device, &a));
  d->k->download(d->device, out, a.y, count);
  if (dout != NULL) {
    a.dy = dout;
    a.dx = grad[0];
    a.dresidual = grad[1];
    a.dgamma = grad[2];
    a.dbeta = grad[3];
    ks_ok(d, d->k->add_norm_backward(d->device, &a));
  }
  ks_release(d, a.y);
  ks_release(d, a.normalized);
  ks_release(d, a.inv_std);
}

static void create(ks_case *c, const norm_shape *s, double scale) {
  const int64_t count = s->batch * s->nodes * s->width;
  ks_case_create(c, "add_norm", s, run_into, count);
  ks_case_add(c, "x", count, true, scale);
  ks_case_add(c, "residual", count, true, scale);
  ks_case_add(c, "gamma", s->width, true, 1.0);
  ks_case_add(c, "beta", s->width, true, 1.0);
}

static void small_shapes(void **state) {
  const norm_shape shapes[] = {{1, 1, 1}, {2, 2, 3}, {1, 3, 5}, {3, 5, 4}, {2, 7, 1}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    create(&c, &shapes[i], 1.0);
    ks_check_gradient(*state, &c);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

static void large_shapes(void **state) {
  const norm_shape shapes[] = {{3, 97, 33}, {2, 101, 64}, {9, 20, 16}, {1, 40, 17}};
  const double scales[] = {1.0, 100.0, 0.01, 30.0};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    create(&c, &shapes[i], scales[i]);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

/* Per channel the result has mean beta and variance gamma^2, whatever the input. */
static void mean_and_variance(void **state) {
  const ks_devices *devices = *state;
  const norm_shape shape = {2, 20, 3};
  ks_case c;
  create(&c, &shape, 10.0);
  double y[2 * 20 * 3];
  for (int i = 0; i < devices->count; ++i) {
    ks_forward(&c, &devices->item[i], y);
    for (int channel = 0; channel < 3; ++channel) {
      double mean = 0.0, variance = 0.0;
      for (int node = 0; node < 20; ++node) mean += y[60 + node * 3 + channel] / 20.0;
      for (int node = 0; node < 20; ++node)
        variance += pow(y[60 + node * 3 + channel] - mean, 2.0) / 20.0;
      check_close(mean, c.tensor[3].value[channel], 1e-5, 0.0, "mean");
      check_close(sqrt(variance), fabs(c.tensor[2].value[channel]), 1e-5, 1e-5, "deviation");
    }
  }
  ks_case_destroy(&c);
}

/* Two nodes 0.002 apart: the variance, 1e-6, is small beside the epsilon of 1e-5. */
static void known_answer(void **state) {
  const ks_devices *devices = *state;
  const norm_shape shape = {1, 2, 1};
  ks_case c;
  create(&c, &shape, 1.0);
  const double x[2] = {0.0, 0.001}, residual[2] = {0.0, 0.001};
  for (int i = 0; i < 2; ++i) c.tensor[0].value[i] = (double)(float)x[i];
  for (int i = 0; i < 2; ++i) c.tensor[1].value[i] = (double)(float)residual[i];
  c.tensor[2].value[0] = 2.0;
  c.tensor[3].value[0] = 0.5;
  const double distance = 2.0 * 0.001 / sqrt(1.1e-5);
  const double expected[2] = {0.5 - distance, 0.5 + distance};
  for (int i = 0; i < devices->count; ++i) {
    double y[2];
    ks_forward(&c, &devices->item[i], y);
    check_close_f64(y, expected, 2, 1e-6, 0.0, "y");
  }
  ks_case_destroy(&c);
}

/* Equal nodes: nothing to normalise, so the result is beta and no gradient reaches x. */
static void equal_nodes(void **state) {
  const ks_devices *devices = *state;
  const norm_shape shape = {1, 4, 2};
  ks_case c;
  create(&c, &shape, 1.0);
  for (int i = 0; i < 8; ++i) c.tensor[0].value[i] = c.tensor[1].value[i] = 1.5;
  for (int i = 0; i < devices->count; ++i) {
    double y[8];
    ks_forward(&c, &devices->item[i], y);
    for (int at = 0; at < 8; ++at)
      check_close(y[at], c.tensor[3].value[at % 2], 1e-6, 0.0, "y of equal nodes");
  }
  ks_check_parity(devices, &c);
  ks_case_destroy(&c);
}

/* dx and dresidual in one array: both are added. */
static void run_shared(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                       void *const *grad, double *out) {
  void *const shared[4] = {grad[0], grad[0], grad[2], grad[3]};
  run_into(c, d, in, dout, shared, out);
}

static void shared_gradient(void **state) {
  const ks_devices *devices = *state;
  const norm_shape shape = {2, 5, 3};
  for (int i = 0; i < devices->count; ++i) {
    double *grad[KS_MAX_TENSORS] = {ks_zeros(30)}, *sum[KS_MAX_TENSORS] = {ks_zeros(30)};
    ks_case c;
    create(&c, &shape, 1.0);
    ks_backward(&c, &devices->item[i], 1, grad);
    c.run = run_shared;
    ks_backward(&c, &devices->item[i], 1, sum);
    for (int at = 0; at < 30; ++at) grad[0][at] *= 2.0;
    check_scaled_f64(sum[0], grad[0], 30, 1e-6, "dx + dresidual");
    ks_case_destroy(&c);
    free(grad[0]);
    free(sum[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answer), cmocka_unit_test(mean_and_variance),
      cmocka_unit_test(equal_nodes),  cmocka_unit_test(small_shapes),
      cmocka_unit_test(large_shapes), cmocka_unit_test(shared_gradient),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
