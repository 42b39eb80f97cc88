/* Mixed-score attention, Sinkhorn and softmax, on every device. */
#include "support/test.h"

#include "support/attention_case.h"
#include "support/check.h"

#include <stdlib.h>

#define SINKHORN EDGEFW_ATTENTION_SINKHORN
#define SOFTMAX  EDGEFW_ATTENTION_SOFTMAX

static void small_shapes(void **state) {
  const attention_shape shapes[] = {
      {1, 1, 1, 2, 3, SINKHORN, 10}, {2, 2, 1, 1, 3, SINKHORN, 10}, {1, 3, 2, 3, 3, SINKHORN, 10},
      {2, 5, 2, 2, 4, SINKHORN, 10}, {1, 7, 1, 4, 3, SINKHORN, 3},  {1, 3, 1, 2, 2, SINKHORN, 1},
      {1, 1, 2, 1, 3, SOFTMAX, 10},  {2, 2, 1, 2, 3, SOFTMAX, 10},  {2, 3, 2, 2, 3, SOFTMAX, 0},
      {1, 5, 2, 3, 4, SOFTMAX, 10},  {1, 7, 1, 4, 3, SOFTMAX, 10},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    attention_case_create(&c, "mixed_attention", &shapes[i], 2.0);
    ks_check_gradient(*state, &c);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

/* Without an iteration the row maximum alone is taken off; its gradient counts. Only the oracle
 * need know this: an encoder has at least one. */
static void no_iteration(void **state) {
  const attention_shape shape = {2, 4, 2, 2, 3, SINKHORN, 0};
  ks_case c;
  attention_case_create(&c, "mixed_attention", &shape, 2.0);
  ks_check_gradient(*state, &c);
  ks_case_destroy(&c);
}

static void large_shapes(void **state) {
  const attention_shape shapes[] = {
      {2, 40, 2, 8, 16, SINKHORN, 10}, {1, 101, 1, 32, 16, SINKHORN, 10},
      {3, 17, 3, 5, 7, SINKHORN, 10},  {2, 97, 1, 16, 16, SOFTMAX, 10},
      {5, 20, 4, 16, 16, SOFTMAX, 10},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    attention_case_create(&c, "mixed_attention", &shapes[i], 2.0);
    ks_check_parity(*state, &c);
    ks_case_destroy(&c);
  }
}

static void threads_and_adding(void **state) {
  const attention_shape shapes[] = {{5, 20, 2, 8, 16, SINKHORN, 10}, {4, 13, 1, 6, 5, SOFTMAX, 10}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    attention_case_create(&c, "mixed_attention", &shapes[i], 2.0);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

/* Costs far from zero, and a matrix of equal entries: weights next to 0 and 1, and all alike. */
static void extreme_scores(void **state) {
  const attention_shape shapes[] = {{1, 20, 2, 4, 8, SINKHORN, 10},
                                    {1, 20, 2, 4, 8, SOFTMAX, 10},
                                    {1, 101, 1, 4, 16, SINKHORN, 10}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    attention_case_create(&c, "mixed_attention_extreme", &shapes[i], 30.0);
    ks_check_parity(*state, &c);
    ks_case_destroy(&c);
    attention_case_create(&c, "mixed_attention_extreme", &shapes[i], 300.0);
    double *out = ks_zeros(c.out_count);
    const ks_devices *devices = *state;
    for (int k = 0; k < devices->count; ++k) ks_forward(&c, &devices->item[k], out); /* finite */
    free(out);
    ks_case_destroy(&c);
    attention_case_create(&c, "mixed_attention", &shapes[i], 0.0);
    ks_check_parity(*state, &c);
    ks_case_destroy(&c);
  }
}

/* With v the identity, `out` is the matrix of weights: its last normalisation must have held. */
static void check_weights(const ks_devices *devices, edgefw_attention_norm norm, bool columns) {
  enum { N = 12 };
  const attention_shape shape = {1, N, 1, N, 5, norm, 10};
  ks_case c;
  attention_case_create(&c, "mixed_attention", &shape, 6.0);
  for (int i = 0; i < N * N; ++i) c.tensor[ATTENTION_V].value[i] = i / N == i % N ? 1.0 : 0.0;
  for (int device = 0; device < devices->count; ++device) {
    double weight[N * N];
    ks_forward(&c, &devices->item[device], weight);
    for (int line = 0; line < N; ++line) {
      double sum = 0.0;
      for (int at = 0; at < N; ++at) {
        const double entry = columns ? weight[at * N + line] : weight[line * N + at];
        assert_true(entry >= 0.0);
        sum += entry;
      }
      check_close(sum, 1.0, 1e-5, 0.0, columns ? "column sum" : "row sum");
    }
  }
  ks_case_destroy(&c);
}

static void sinkhorn_columns_sum_to_one(void **state) {
  check_weights(*state, SINKHORN, true);
}

static void softmax_rows_sum_to_one(void **state) {
  check_weights(*state, SOFTMAX, false);
}

/* Two nodes, one head, one hidden unit that passes a single input of the mix MLP: weights by hand.
 */
static void known_answer(void **state) {
  const ks_devices *devices = *state;
  const attention_shape shape = {1, 2, 1, 1, 1, SOFTMAX, 0};
  const double log3 = 1.0986122886681098;
  const double v[2] = {1.0, 3.0}, cost[4] = {0.0, log3, 2.0 * log3, 0.0};
  /* weight 3/4 on the other node for cost log 3, 9/10 for twice that */
  const double forward[2] = {0.25 * 1.0 + 0.75 * 3.0, 0.1 * 3.0 + 0.9 * 1.0};
  const double reverse[2] = {0.1 * 1.0 + 0.9 * 3.0, 0.25 * 3.0 + 0.75 * 1.0};
  for (int k = 0; k < 2 * devices->count; ++k) {
    ks_case c;
    attention_case_create(&c, "mixed_attention", &shape, 2.0);
    for (int i = 0; i < 2; ++i) c.tensor[ATTENTION_V].value[i] = v[i];
    for (int i = 0; i < 4; ++i) c.tensor[ATTENTION_COST].value[i] = (double)(float)cost[i];
    for (int i = 0; i < 3; ++i) c.tensor[ATTENTION_W1].value[i] = i == 1 + k % 2 ? 1.0 : 0.0;
    c.tensor[ATTENTION_B1].value[0] = 0.0;
    c.tensor[ATTENTION_W2].value[0] = 1.0;
    double out[2];
    ks_forward(&c, &devices->item[k / 2], out);
    check_close_f64(out, k % 2 == 0 ? forward : reverse, 2, 1e-6, 0.0,
                    k % 2 == 0 ? "score cost_ij" : "score cost_ji");
    ks_case_destroy(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answer),
      cmocka_unit_test(sinkhorn_columns_sum_to_one),
      cmocka_unit_test(softmax_rows_sum_to_one),
      cmocka_unit_test(small_shapes),
      cmocka_unit_test(no_iteration),
      cmocka_unit_test(large_shapes),
      cmocka_unit_test(threads_and_adding),
      cmocka_unit_test(extreme_scores),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
