/* Sinkhorn on exponentials and on logarithms: the device `cpu` takes the latter where a row's
 * scores spread by more than 40. Both must be what reference64 computes. */
#include "support/test.h"

#include "support/attention_case.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

enum { N = 12, HEADS = 2, WIDTH = 4 };
static const attention_shape shape = {1, N, HEADS, WIDTH, 3, EDGEFW_ATTENTION_SINKHORN, 10};

/* Moderate scores and one of `lowest`, whose weight is nothing either way. */
static void create_with_lowest(ks_case *c, double lowest) {
  attention_case_create(c, "mixed_attention", &shape, 2.0);
  attention_case_score_costs(c);
  c->tensor[ATTENTION_COST].value[3 * N + 5] = lowest;
}

/* Outputs and gradients by q, k and v of one device. */
typedef struct outcome {
  double out[N * HEADS * WIDTH], grad[3][N * HEADS * WIDTH];
} outcome;

static void run_case(const ks_case *c, const ks_device *d, outcome *result) {
  double *grad[KS_MAX_TENSORS] = {result->grad[0], result->grad[1], result->grad[2]};
  ks_forward(c, d, result->out);
  ks_backward(c, d, 1, grad);
}

/* A spread of 36 runs on exponentials, one of 46 on logarithms; nothing else differs. */
static void both_domains_agree(void **state) {
  const ks_devices *devices = *state;
  ks_case narrow, wide;
  create_with_lowest(&narrow, -34.0);
  create_with_lowest(&wide, -44.0);
  for (int i = 0; i < devices->count; ++i) {
    outcome exponentials, logarithms;
    run_case(&narrow, &devices->item[i], &exponentials);
    run_case(&wide, &devices->item[i], &logarithms);
    const int64_t count = narrow.out_count;
    check_scaled_f64(logarithms.out, exponentials.out, count, 1e-5, devices->item[i].name);
    check_scaled_f64(logarithms.grad[ATTENTION_V], exponentials.grad[ATTENTION_V], count, 1e-5,
                     devices->item[i].name);
  }
  ks_case_destroy(&narrow);
  ks_case_destroy(&wide);
}

static void around_the_switch(void **state) {
  const double lowest[] = {-30.0, -36.0, -38.5, -40.0, -42.0, -60.0, -85.0, -100.0};
  for (size_t i = 0; i < sizeof lowest / sizeof lowest[0]; ++i) {
    ks_case c;
    create_with_lowest(&c, lowest[i]);
    /* With weights on the products too, so that gradients reach q and k. */
    for (int64_t h = 0; h < HEADS; ++h)
      for (int unit = 0; unit < 2; ++unit)
        c.tensor[ATTENTION_W1].value[h * 9 + unit] = unit ? -0.5 : 0.5;
    ks_check_parity(*state, &c);
    ks_case_destroy(&c);
  }
}

/* Scores of whole numbers, which floats hold exactly, up to +-150: weights next to 0 and 1. */
static void huge_spreads(void **state) {
  const attention_shape shapes[] = {{2, 5, 1, 3, 2, EDGEFW_ATTENTION_SINKHORN, 10},
                                    {1, 17, 2, 4, 2, EDGEFW_ATTENTION_SINKHORN, 10},
                                    {1, 40, 1, 8, 2, EDGEFW_ATTENTION_SINKHORN, 3},
                                    {1, 6, 1, 2, 2, EDGEFW_ATTENTION_SINKHORN, 1}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    attention_case_create(&c, "mixed_attention_extreme", &shapes[i], 150.0);
    attention_case_score_costs(&c);
    for (int64_t e = 0; e < c.tensor[ATTENTION_COST].count; ++e)
      c.tensor[ATTENTION_COST].value[e] = rint(c.tensor[ATTENTION_COST].value[e]);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

/* One node that no other wants: its column is normalised last, so what is left of differences far
 * below the row's maximum decides its weights. */
static void a_column_far_below(void **state) {
  const double depths[] = {20.0, 60.0, 110.0, 300.0};
  for (int k = 0; k < 4; ++k) {
    ks_case c;
    attention_case_create(&c, "mixed_attention_extreme", &shape, 2.0);
    attention_case_score_costs(&c);
    for (int64_t i = 0; i < N; ++i)
      c.tensor[ATTENTION_COST].value[i * N + 4] = -depths[k] - 0.25 * (double)i;
    ks_check_parity(*state, &c);
    ks_case_destroy(&c);
  }
}

/* A matrix that cannot be balanced within float: columns are normalised last, all is finite. */
static void columns_stay_normalised(void **state) {
  const ks_devices *devices = *state;
  const attention_shape square = {1, N, 1, N, 2, EDGEFW_ATTENTION_SINKHORN, 10};
  ks_case c;
  attention_case_create(&c, "mixed_attention_extreme", &square, 1.0);
  attention_case_score_costs(&c);
  for (int64_t i = 0; i < N; ++i)
    for (int64_t j = 0; j < N; ++j) {
      c.tensor[ATTENTION_COST].value[i * N + j] = j == 0 ? 500.0 : -500.0;
      c.tensor[ATTENTION_V].value[i * N + j] = i == j ? 1.0 : 0.0; /* out = weights */
    }
  for (int i = 0; i < devices->count; ++i) {
    double weights[N * N];
    ks_forward(&c, &devices->item[i], weights);
    for (int64_t j = 0; j < N; ++j) {
      double sum = 0.0;
      for (int64_t row = 0; row < N; ++row) sum += weights[row * N + j];
      check_close(sum, 1.0, 1e-3, 0.0, "column sum");
    }
  }
  ks_case_destroy(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_domains_agree),
      cmocka_unit_test(around_the_switch),
      cmocka_unit_test(huge_spreads),
      cmocka_unit_test(a_column_far_below),
      cmocka_unit_test(columns_stay_normalised),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
