/* Mixed-score attention, Sinkhorn and softmax, on every device. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/kernels_support.h"

#include <stdlib.h>

typedef struct mix_shape {
  int64_t batch, nodes, heads, head_width, hidden;
  edgefw_attention_norm norm;
  int iterations;
} mix_shape;

enum { Q, K, V, COST, W1, B1, W2, B2 };

static void run(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                void *const *grad, double *out) {
  const mix_shape *s = c->shape;
  edgefw_mixed_attention_args a = {.batch = s->batch,
                                   .nodes = s->nodes,
                                   .width = s->heads * s->head_width,
                                   .heads = s->heads,
                                   .hidden = s->hidden,
                                   .norm = s->norm,
                                   .iterations = s->iterations,
                                   .q = in[Q],
                                   .k = in[K],
                                   .v = in[V],
                                   .cost = in[COST],
                                   .w1 = in[W1],
                                   .b1 = in[B1],
                                   .w2 = in[W2],
                                   .b2 = in[B2],
                                   .out = ks_reals(d, c->out_count)};
  const size_t saved = dout == NULL ? 0 : d->k->mixed_attention_saved(&a);
  a.saved = d->k->allocate(d->device, saved * (size_t)s->batch, "saved");
  assert_non_null(a.saved);
  void *saved_memory = a.saved;
  if (dout == NULL) a.saved = NULL;
  ks_ok(d, d->k->mixed_attention_forward(d->device, &a));
  d->k->download(d->device, out, a.out, c->out_count);
  if (dout != NULL) {
    a.dout = dout;
    a.dq = grad[Q];
    a.dk = grad[K];
    a.dv = grad[V];
    a.dw1 = grad[W1];
    a.db1 = grad[B1];
    a.dw2 = grad[W2];
    a.db2 = grad[B2];
    ks_ok(d, d->k->mixed_attention_backward(d->device, &a));
  }
  ks_release(d, a.out);
  ks_release(d, saved_memory);
}

static void create(ks_case *c, const char *op, const mix_shape *s, double scale) {
  const int64_t count = s->batch * s->nodes * s->heads * s->head_width;
  ks_case_create(c, op, s, run, count);
  ks_case_add(c, "q", count, true, 1.0);
  ks_case_add(c, "k", count, true, 1.0);
  ks_case_add(c, "v", count, true, 1.0);
  ks_case_add(c, "cost", s->batch * s->nodes * s->nodes, false, 2.0 * scale);
  ks_case_add(c, "w1", s->heads * 3 * s->hidden, true, 1.0);
  ks_case_add(c, "b1", s->heads * s->hidden, true, 1.0);
  ks_case_add(c, "w2", s->heads * s->hidden, true, 1.0);
  ks_case_add(c, "b2", s->heads, true, 1.0);
}

#define SINKHORN EDGEFW_ATTENTION_SINKHORN
#define SOFTMAX  EDGEFW_ATTENTION_SOFTMAX

static void small_shapes(void **state) {
  const mix_shape shapes[] = {
      {1, 1, 1, 2, 3, SINKHORN, 10}, {2, 2, 1, 1, 3, SINKHORN, 10}, {1, 3, 2, 3, 3, SINKHORN, 10},
      {2, 5, 2, 2, 4, SINKHORN, 10}, {1, 7, 1, 4, 3, SINKHORN, 3},  {1, 3, 1, 2, 2, SINKHORN, 1},
      {1, 1, 2, 1, 3, SOFTMAX, 10},  {2, 2, 1, 2, 3, SOFTMAX, 10},  {2, 3, 2, 2, 3, SOFTMAX, 0},
      {1, 5, 2, 3, 4, SOFTMAX, 10},  {1, 7, 1, 4, 3, SOFTMAX, 10},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    create(&c, "mixed_attention", &shapes[i], 1.0);
    ks_check_gradient(*state, &c);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

/* Without an iteration the row maximum alone is taken off; its gradient counts. Only the oracle
 * need know this: an encoder has at least one. */
static void no_iteration(void **state) {
  const mix_shape shape = {2, 4, 2, 2, 3, SINKHORN, 0};
  ks_case c;
  create(&c, "mixed_attention", &shape, 1.0);
  ks_check_gradient(*state, &c);
  ks_case_destroy(&c);
}

static void large_shapes(void **state) {
  const mix_shape shapes[] = {
      {2, 40, 2, 8, 16, SINKHORN, 10}, {1, 101, 1, 32, 16, SINKHORN, 10},
      {3, 17, 3, 5, 7, SINKHORN, 10},  {2, 97, 1, 16, 16, SOFTMAX, 10},
      {5, 20, 4, 16, 16, SOFTMAX, 10},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    create(&c, "mixed_attention", &shapes[i], 1.0);
    ks_check_parity(*state, &c);
    ks_case_destroy(&c);
  }
}

static void threads_and_adding(void **state) {
  const mix_shape shapes[] = {{5, 20, 2, 8, 16, SINKHORN, 10}, {4, 13, 1, 6, 5, SOFTMAX, 10}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    create(&c, "mixed_attention", &shapes[i], 1.0);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

/* Costs far from zero, and a matrix of equal entries: weights next to 0 and 1, and all alike. */
static void extreme_scores(void **state) {
  const mix_shape shapes[] = {{1, 20, 2, 4, 8, SINKHORN, 10},
                              {1, 20, 2, 4, 8, SOFTMAX, 10},
                              {1, 101, 1, 4, 16, SINKHORN, 10}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    create(&c, "mixed_attention_extreme", &shapes[i], 15.0);
    ks_check_parity(*state, &c);
    ks_case_destroy(&c);
    create(&c, "mixed_attention_extreme", &shapes[i], 150.0);
    double *out = ks_zeros(c.out_count);
    const ks_devices *devices = *state;
    for (int k = 0; k < devices->count; ++k) ks_forward(&c, &devices->item[k], out); /* finite */
    free(out);
    ks_case_destroy(&c);
    create(&c, "mixed_attention", &shapes[i], 0.0);
    ks_check_parity(*state, &c);
    ks_case_destroy(&c);
  }
}

/* With v the identity, `out` is the matrix of weights: its last normalisation must have held. */
static void check_weights(const ks_devices *devices, edgefw_attention_norm norm, bool columns) {
  enum { N = 12 };
  const mix_shape shape = {1, N, 1, N, 5, norm, 10};
  ks_case c;
  create(&c, "mixed_attention", &shape, 3.0);
  for (int i = 0; i < N * N; ++i) c.tensor[V].value[i] = i / N == i % N ? 1.0 : 0.0;
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
  const mix_shape shape = {1, 2, 1, 1, 1, SOFTMAX, 0};
  const double log3 = 1.0986122886681098;
  const double v[2] = {1.0, 3.0}, cost[4] = {0.0, log3, 2.0 * log3, 0.0};
  /* weight 3/4 on the other node for cost log 3, 9/10 for twice that */
  const double forward[2] = {0.25 * 1.0 + 0.75 * 3.0, 0.1 * 3.0 + 0.9 * 1.0};
  const double reverse[2] = {0.1 * 1.0 + 0.9 * 3.0, 0.25 * 3.0 + 0.75 * 1.0};
  for (int k = 0; k < 2 * devices->count; ++k) {
    ks_case c;
    create(&c, "mixed_attention", &shape, 1.0);
    for (int i = 0; i < 2; ++i) c.tensor[V].value[i] = v[i];
    for (int i = 0; i < 4; ++i) c.tensor[COST].value[i] = (double)(float)cost[i];
    for (int i = 0; i < 3; ++i) c.tensor[W1].value[i] = i == 1 + k % 2 ? 1.0 : 0.0;
    c.tensor[B1].value[0] = 0.0;
    c.tensor[W2].value[0] = 1.0;
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
  return cmocka_run_group_tests(tests, ks_setup, ks_teardown);
}
