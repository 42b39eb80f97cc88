/* Gradients of mixed-score attention at sizes around the blocks of rows and of lanes that `cpu`
 * works on, in all three normalisations, and of hidden units that go in pairs there. */
#include "support/test.h"

#include "support/attention_case.h"
#include "support/check.h"

#define SINKHORN EDGEFW_ATTENTION_SINKHORN
#define SOFTMAX  EDGEFW_ATTENTION_SOFTMAX

static void around_blocks(const ks_devices *devices, edgefw_attention_norm norm,
                          double cost_scale) {
  static const int64_t nodes[] = {15, 16, 17, 23, 24, 25, 48, 49};
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; ++i) {
    const int64_t hidden = 1 + (int64_t)i % 4, width = 15 + (int64_t)i % 3;
    const attention_shape shape = {1, nodes[i], 2, width, hidden, norm, 4};
    ks_case c;
    attention_case_create(&c, cost_scale > 10.0 ? "mixed_attention_extreme" : "mixed_attention",
                          &shape, cost_scale);
    ks_check_parity(devices, &c);
    ks_case_destroy(&c);
  }
}

static void scalings(void **state) {
  around_blocks(*state, SINKHORN, 2.0);
}

static void row_softmax(void **state) {
  around_blocks(*state, SOFTMAX, 2.0);
}

/* Scores that spread too far for exponentials. */
static void logarithms(void **state) {
  around_blocks(*state, SINKHORN, 30.0);
}

/* Where the upstream gradient is zero but for one node, what comes back is by hand: dv_j = a_ij. */
static void gradient_of_values_is_the_weight(void **state) {
  enum { N = 20 };
  const ks_devices *devices = *state;
  const attention_shape shape = {1, N, 1, 1, 5, SINKHORN, 10};
  ks_case c;
  attention_case_create(&c, "mixed_attention", &shape, 2.0);
  for (int k = 0; k < devices->count; ++k) {
    double weight[N], dv[N] = {0}, out[N];
    double *grad[KS_MAX_TENSORS] = {[ATTENTION_V] = dv};
    for (int j = 0; j < N; ++j) {
      for (int i = 0; i < N; ++i) c.tensor[ATTENTION_V].value[i] = i == j ? 1.0 : 0.0;
      ks_forward(&c, &devices->item[k], out);
      weight[j] = 0.0;
      for (int i = 0; i < N; ++i) weight[j] += c.dout[i] * out[i];
    }
    ks_backward(&c, &devices->item[k], 1, grad);
    check_scaled_f64(dv, weight, N, 1e-5, devices->item[k].name);
  }
  ks_case_destroy(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scalings),
      cmocka_unit_test(row_softmax),
      cmocka_unit_test(logarithms),
      cmocka_unit_test(gradient_of_values_is_the_weight),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
