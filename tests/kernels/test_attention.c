/* Multi-head attention on every device: known answers, gradients, agreement, extremes. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include <math.h>
#include <stdlib.h>

typedef struct mha_shape {
  int64_t batch, nodes, heads, head_width;
} mha_shape;

static void run(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                void *const *grad, double *out) {
  const mha_shape *s = c->shape;
  edgefw_attention_args a = {.batch = s->batch,
                             .nodes = s->nodes,
                             .width = s->heads * s->head_width,
                             .heads = s->heads,
                             .q = in[0],
                             .k = in[1],
                             .v = in[2],
                             .out = ks_reals(d, c->out_count),
                             .dout = dout,
                             .dq = grad[0],
                             .dk = grad[1],
                             .dv = grad[2]};
  if (dout) {
    const size_t bytes = d->k->attention_saved(&a) * (size_t)s->batch;
    a.saved = d->k->allocate(d->device, bytes, "saved");
    assert_non_null(a.saved);
  }
  ks_ok(d, d->k->attention_forward(d->device, &a));
  d->k->download(d->device, out, a.out, c->out_count);
  if (dout) ks_ok(d, d->k->attention_backward(d->device, &a));
  ks_release(d, a.out);
  ks_release(d, a.saved);
}

static void create(ks_case *c, const mha_shape *s, double scale) {
  const int64_t count = s->batch * s->nodes * s->heads * s->head_width;
  ks_case_create(c, "attention", s, run, count);
  ks_case_add(c, "q", count, true, scale);
  ks_case_add(c, "k", count, true, scale);
  ks_case_add(c, "v", count, true, 1.0);
}

static void gradients(void **state) {
  const mha_shape shapes[] = {{1, 1, 1, 1}, {2, 1, 2, 3}, {1, 2, 1, 2}, {2, 3, 2, 1},
                              {1, 5, 2, 3}, {2, 4, 1, 5}, {1, 7, 4, 2}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    create(&c, &shapes[i], 1.5);
    ks_check_gradient(*state, &c);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

static void devices_agree(void **state) {
  const mha_shape shapes[] = {{3, 20, 8, 16}, {1, 101, 8, 16}, {2, 33, 2, 5},  {1, 64, 1, 32},
                              {2, 15, 4, 8},  {1, 17, 8, 4},   {5, 16, 2, 16}, {1, 200, 2, 8},
                              {1, 19, 2, 70}, {1, 35, 1, 130}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    create(&c, &shapes[i], 1.0);
    ks_check_parity(*state, &c);
    if (shapes[i].nodes < 40) ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

/* Whole lanes and all remainders, of nodes and of a head's columns. */
static void every_small_size(void **state) {
  for (int64_t n = 1; n <= 40; ++n) {
    const mha_shape shape = {2, n, 2, 1 + n * 7 % 33};
    ks_case c;
    create(&c, &shape, 1.0);
    ks_check_parity(*state, &c);
    ks_case_destroy(&c);
  }
}

/* One instance alone: its queries are shared out to the threads. Rows of a multiple of 2 KB. */
static void one_large_instance(void **state) {
  const mha_shape shapes[] = {{1, 301, 1, 16}, {1, 97, 1, 5}, {1, 512, 1, 8}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    create(&c, &shapes[i], 1.0);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

/* Two nodes, two heads of width 1: weights are sigmoids. */
static void known_answer(void **state) {
  const ks_devices *devices = *state;
  const mha_shape shape = {1, 2, 2, 1};
  ks_case c;
  create(&c, &shape, 2.0);
  const double *q = c.tensor[0].value, *k = c.tensor[1].value, *v = c.tensor[2].value;
  double expected[4];
  for (int i = 0; i < 2; ++i)
    for (int h = 0; h < 2; ++h) {
      const double weight = 1.0 / (1.0 + exp(-q[2 * i + h] * (k[h] - k[2 + h])));
      expected[2 * i + h] = weight * v[h] + (1.0 - weight) * v[2 + h];
    }
  for (int i = 0; i < devices->count; ++i) {
    double out[4];
    ks_forward(&c, &devices->item[i], out);
    check_close_f64(out, expected, 4, 1e-6, 0.0, "attention of two nodes");
  }
  ks_case_destroy(&c);
}

/* Scores far beyond where exp overflows: the largest takes all. */
static void one_takes_all(void **state) {
  const ks_devices *devices = *state;
  const mha_shape shape = {1, 21, 1, 1};
  ks_case c;
  create(&c, &shape, 1.0);
  for (int64_t i = 0; i < 21; ++i) {
    c.tensor[0].value[i] = i % 2 == 0 ? 1000.0 : -1000.0;
    c.tensor[1].value[i] = (double)(i - 10);
  }
  for (int i = 0; i < devices->count; ++i) {
    double out[21], *grad[KS_MAX_TENSORS] = {NULL};
    ks_forward(&c, &devices->item[i], out);
    for (int64_t row = 0; row < 21; ++row)
      check_close(out[row], c.tensor[2].value[row % 2 == 0 ? 20 : 0], 1e-6, 0.0, "out");
    grad[0] = ks_zeros(21);
    ks_backward(&c, &devices->item[i], 1, grad); /* finite */
    free(grad[0]);
  }
  ks_case_destroy(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answer),       cmocka_unit_test(gradients),
      cmocka_unit_test(devices_agree),      cmocka_unit_test(every_small_size),
      cmocka_unit_test(one_large_instance), cmocka_unit_test(one_takes_all),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
