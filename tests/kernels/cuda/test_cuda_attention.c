/* Attention on the emulated device cuda: each precision rounds as it says; and for mixed scores,
 * where the tiles lie and how many blocks there is memory for change nothing. */
#include "support/test.h"

#include "support/attention_case.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { B = 3, N = 23, HEADS = 2, WIDTH = 5, HIDDEN = 10, COUNT = B * N * HEADS * WIDTH };

static const attention_shape shape = {B, N, HEADS, WIDTH, HIDDEN, EDGEFW_ATTENTION_SINKHORN, 10};

typedef struct outcome {
  double out[COUNT], dq[COUNT], dw1[HEADS * 3 * HIDDEN];
} outcome;

/* On a device of its own, which has `shared` bytes of shared memory; NULL: as always. */
static void run(const ks_device *d, const ks_case *c, const char *shared,
                edgefw_precision precision, outcome *result) {
  ks_device fresh = *d;
  if (shared) setenv("EDGEFW_EMULATOR_SHARED", shared, 1);
  ks_ok(d, d->k->create(d->ctx, &fresh.device));
  if (shared) unsetenv("EDGEFW_EMULATOR_SHARED");
  ks_ok(d, d->k->set_precision(fresh.device, precision));
  double *grad[KS_MAX_TENSORS] = {NULL};
  grad[ATTENTION_Q] = result->dq;
  grad[ATTENTION_W1] = result->dw1;
  ks_forward(c, &fresh, result->out);
  ks_backward(c, &fresh, 1, grad);
  d->k->destroy(fresh.device);
}

static void tiles_in_scratch_memory(void **state) {
  const ks_device *d = ks_cuda(state);
  const edgefw_attention_norm norms[] = {EDGEFW_ATTENTION_SINKHORN, EDGEFW_ATTENTION_SOFTMAX};
  const double scales[] = {2.0, 100.0}; /* the latter: on logarithms */
  for (int k = 0; k < 4; ++k) {
    attention_shape s = shape;
    s.norm = norms[k % 2];
    ks_case c;
    outcome in_shared, in_scratch;
    attention_case_create(&c, "mixed_attention", &s, scales[k / 2]);
    run(d, &c, NULL, EDGEFW_PRECISION_FP32, &in_shared);
    run(d, &c, "6000", EDGEFW_PRECISION_FP32, &in_scratch);
    assert_memory_equal(&in_shared, &in_scratch, sizeof in_shared);
    ks_case_destroy(&c);
  }
}

/* The inputs of a large instance in a device that then has memory for one block's tiles only. */
static void little_memory(void **state) {
  const ks_device *d = ks_emulated(state);
  const int64_t n = 100, width = 4, rows = 2 * n * width;
  edgefw_mixed_attention_args a = {
      .batch = 2, .nodes = n, .width = width, .heads = 1, .hidden = 2, .norm = shape.norm};
  a.iterations = 2;
  ks_device fresh = *d;
  setenv("EDGEFW_EMULATOR_SHARED", "20000", 1);
  ks_ok(d, d->k->create(d->ctx, &fresh.device));
  unsetenv("EDGEFW_EMULATOR_SHARED");
  float *x = ks_reals(&fresh, rows), *cost = ks_reals(&fresh, 2 * n * n);
  float *weights = ks_reals(&fresh, 20), *first = ks_reals(&fresh, rows);
  for (int64_t e = 0; e < rows; ++e) x[e] = (float)(e % 17) / 8.0f - 1.0f; /* host memory here */
  for (int64_t e = 0; e < 2 * n * n; ++e) cost[e] = (float)(e % 29) / 29.0f;
  for (int e = 0; e < 20; ++e) weights[e] = (float)(e % 5) - 1.5f;
  a.q = a.k = a.v = x;
  a.cost = cost;
  a.w1 = weights;
  a.b1 = weights + 6;
  a.w2 = weights + 8;
  a.b2 = weights + 10;
  a.out = ks_reals(&fresh, rows);
  const size_t tile = (size_t)(n * 108) * sizeof(float);
  size_t available, total;
  char limit[32];
  ks_ok(d, d->k->memory(fresh.device, &available, &total));
  for (size_t spare = 0; spare <= 2; ++spare) {
    snprintf(limit, sizeof limit, "%zu", total - available + spare * tile);
    setenv("EDGEFW_EMULATOR_MEMORY", limit, 1);
    const edgefw_status status = d->k->mixed_attention_forward(fresh.device, &a);
    unsetenv("EDGEFW_EMULATOR_MEMORY");
    assert_int_equal(status, spare == 0 ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    if (spare == 1) memcpy(first, a.out, (size_t)rows * sizeof *first);
  }
  assert_memory_equal(first, a.out, (size_t)rows * sizeof *first);
  ks_release(&fresh, x);
  ks_release(&fresh, cost);
  ks_release(&fresh, weights);
  ks_release(&fresh, first);
  ks_release(&fresh, a.out);
  d->k->destroy(fresh.device);
}

static void precisions(void **state) {
  const ks_device *d = ks_cuda(state);
  const edgefw_precision lower[] = {EDGEFW_PRECISION_TF32, EDGEFW_PRECISION_BF16};
  const double tolerance[] = {5e-3, 4e-2};
  ks_case c;
  outcome full;
  attention_case_create(&c, "mixed_attention", &shape, 2.0);
  run(d, &c, NULL, EDGEFW_PRECISION_FP32, &full);
  for (int p = 0; p < 2; ++p) {
    outcome rounded;
    run(d, &c, NULL, lower[p], &rounded);
    assert_memory_not_equal(full.out, rounded.out, sizeof full.out);
    check_scaled_f64(rounded.out, full.out, COUNT, tolerance[p], "out");
    check_scaled_f64(rounded.dq, full.dq, COUNT, 2.0 * tolerance[p], "dq");
    check_scaled_f64(rounded.dw1, full.dw1, HEADS * 3 * HIDDEN, 2.0 * tolerance[p], "dw1");
  }
  ks_case_destroy(&c);
}

enum { ROWS = 2 * 37, HEAD = 20, D = 2 * HEAD }; /* of plain attention */

/* out, dq, dk and dv (ROWS,D) of plain attention. */
static void run_plain(const ks_device *d, edgefw_precision precision, double result[4][ROWS * D]) {
  edgefw_attention_args a = {.batch = 2, .nodes = ROWS / 2, .width = D, .heads = D / HEAD};
  double *values = ks_zeros(ROWS * D);
  void *inputs[4], *outputs[4];
  for (int i = 0; i < 4; ++i) {
    ks_fill(values, ROWS * D, 1.0, 5 + (uint64_t)i);
    inputs[i] = ks_upload(d, values, ROWS * D);
    outputs[i] = ks_reals(d, ROWS * D);
  }
  a.q = inputs[0];
  a.k = inputs[1];
  a.v = inputs[2];
  a.dout = inputs[3];
  a.out = outputs[0];
  a.dq = outputs[1];
  a.dk = outputs[2];
  a.dv = outputs[3];
  a.saved = d->k->allocate(d->device, 2 * d->k->attention_saved(&a), "a test");
  assert_non_null(a.saved);
  ks_ok(d, d->k->set_precision(d->device, precision));
  ks_ok(d, d->k->attention_forward(d->device, &a));
  ks_ok(d, d->k->attention_backward(d->device, &a));
  ks_ok(d, d->k->set_precision(d->device, EDGEFW_PRECISION_FP32));
  for (int i = 0; i < 4; ++i) {
    d->k->download(d->device, result[i], outputs[i], ROWS * D);
    ks_release(d, inputs[i]);
    ks_release(d, outputs[i]);
  }
  ks_release(d, a.saved);
  free(values);
}

static void precisions_of_plain_attention(void **state) {
  const ks_device *d = ks_cuda(state);
  static double full[4][ROWS * D], rounded[4][ROWS * D];
  const edgefw_precision lower[] = {EDGEFW_PRECISION_TF32, EDGEFW_PRECISION_BF16};
  const double tolerance[] = {2e-3, 1.6e-2};
  run_plain(d, EDGEFW_PRECISION_FP32, full);
  for (int p = 0; p < 2; ++p) {
    run_plain(d, lower[p], rounded);
    for (int i = 0; i < 4; ++i) {
      assert_memory_not_equal(full[i], rounded[i], sizeof full[i]);
      check_scaled_f64(rounded[i], full[i], ROWS * D, tolerance[p], "attention");
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tiles_in_scratch_memory),
      cmocka_unit_test(little_memory),
      cmocka_unit_test(precisions),
      cmocka_unit_test(precisions_of_plain_attention),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
