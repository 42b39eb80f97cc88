/* Single operations of every device against golden values of an independent implementation
 * (tests/golden/make_golden.py): outputs and gradients.
 * labels: golden */
#include "support/test.h"

#include "support/golden_device.h"

/* --- Operations ------------------------------------------------------------------------------- */

static void svd_of(golden_device *g, const char *group, int64_t n, int64_t rank) {
  void *out = golden_zeros(g, n * 2 * rank);
  const edgefw_svd_args args = {.batch = 1,
                                .nodes = n,
                                .rank = rank,
                                .pair = golden_input(g, group, "matrix", n * n),
                                .out = out};
  ks_ok(g->d, g->d->k->svd_features(g->d->device, &args));
  golden_expect(g, out, group, "features", n * 2 * rank);
}

static void run_svd(golden_device *g) {
  svd_of(g, "generic", 7, 4);
  svd_of(g, "equal_rows", 7, 5); /* rank 3: the last two columns of each half are zero */
  svd_of(g, "few_nodes", 3, 5);
  svd_of(g, "zero", 4, 2);
}

static void run_instance_norm(golden_device *g) {
  enum { B = 2, N = 6, D = 8, ALL = B * N * D };
  edgefw_add_norm_args args = {.batch = B, .nodes = N, .width = D};
  args.x = golden_input(g, "", "x", ALL);
  args.residual = golden_input(g, "", "residual", ALL);
  args.gamma = golden_input(g, "", "gamma", D);
  args.beta = golden_input(g, "", "beta", D);
  args.y = golden_zeros(g, ALL);
  args.normalized = golden_zeros(g, ALL);
  args.inv_std = golden_zeros(g, B * D);
  ks_ok(g->d, g->d->k->add_norm_forward(g->d->device, &args));
  golden_expect(g, args.y, "", "out", ALL);

  args.dy = golden_input(g, "", "dout", ALL);
  args.dx = golden_zeros(g, ALL);
  args.dresidual = golden_zeros(g, ALL);
  args.dgamma = golden_zeros(g, D);
  args.dbeta = golden_zeros(g, D);
  ks_ok(g->d, g->d->k->add_norm_backward(g->d->device, &args));
  golden_expect(g, args.dx, "", "dx", ALL);
  golden_expect(g, args.dresidual, "", "dresidual", ALL);
  golden_expect(g, args.dgamma, "", "dgamma", D);
  golden_expect(g, args.dbeta, "", "dbeta", D);
}

static void mixed_attention_with(golden_device *g, const char *group, edgefw_attention_norm norm) {
  enum { B = 2, N = 6, D = 8, H = 2, HIDDEN = 4, ALL = B * N * D };
  edgefw_mixed_attention_args args = {.batch = B,
                                      .nodes = N,
                                      .width = D,
                                      .heads = H,
                                      .hidden = HIDDEN,
                                      .norm = norm,
                                      .iterations = 10};
  args.q = golden_input(g, group, "q", ALL);
  args.k = golden_input(g, group, "k", ALL);
  args.v = golden_input(g, group, "v", ALL);
  args.cost = golden_input(g, group, "cost", B * N * N);
  args.w1 = golden_input(g, group, "w1", H * 3 * HIDDEN);
  args.b1 = golden_input(g, group, "b1", H * HIDDEN);
  args.w2 = golden_input(g, group, "w2", H * HIDDEN);
  args.b2 = golden_input(g, group, "b2", H);
  args.out = golden_zeros(g, ALL);
  args.saved = golden_bytes(g, B * g->d->k->mixed_attention_saved(&args));
  ks_ok(g->d, g->d->k->mixed_attention_forward(g->d->device, &args));
  golden_expect(g, args.out, group, "out", ALL);

  args.dout = golden_input(g, group, "dout", ALL);
  args.dq = golden_zeros(g, ALL);
  args.dk = golden_zeros(g, ALL);
  args.dv = golden_zeros(g, ALL);
  args.dw1 = golden_zeros(g, H * 3 * HIDDEN);
  args.db1 = golden_zeros(g, H * HIDDEN);
  args.dw2 = golden_zeros(g, H * HIDDEN);
  args.db2 = golden_zeros(g, H);
  ks_ok(g->d, g->d->k->mixed_attention_backward(g->d->device, &args));
  golden_expect(g, args.dq, group, "dq", ALL);
  golden_expect(g, args.dk, group, "dk", ALL);
  golden_expect(g, args.dv, group, "dv", ALL);
  golden_expect(g, args.dw1, group, "dw1", H * 3 * HIDDEN);
  golden_expect(g, args.db1, group, "db1", H * HIDDEN);
  golden_expect(g, args.dw2, group, "dw2", H * HIDDEN);
  golden_expect(g, args.db2, group, "db2", H);
}

static void run_mixed_attention(golden_device *g) {
  mixed_attention_with(g, "sinkhorn", EDGEFW_ATTENTION_SINKHORN);
  mixed_attention_with(g, "softmax", EDGEFW_ATTENTION_SOFTMAX);
}

/* The n*n corner of an array with rows of `width`, times `factor`. */
static void corner(const golden_device *g, const void *array, int64_t n, int64_t width,
                   double factor, double *out) {
  double values[GOLDEN_MOST_NUMBERS];
  g->d->k->download(g->d->device, values, array, n * width);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = factor * values[i * width + j];
}

/* Attention made into a bare Sinkhorn: k = v = identity and q = sqrt(d) * scores make the first
 * number of a pair its score, and the MLP relu(s) - relu(-s) hands it through. */
static void run_sinkhorn(golden_device *g) {
  enum { N = 7, D = 16, ROOT = 4 };
  double scores[N * N], out[N * N], dout[N * N];
  double q[N * D] = {0}, identity[N * D] = {0}, cotangent[N * D] = {0}, cost[N * N] = {0};
  golden_read(g->file, "scores", N * N, scores);
  golden_read(g->file, "dout", N * N, dout);
  for (int64_t i = 0; i < N; ++i) {
    identity[i * D + i] = 1.0;
    for (int64_t j = 0; j < N; ++j) {
      q[i * D + j] = ROOT * scores[i * N + j];
      cotangent[i * D + j] = dout[i * N + j];
    }
  }
  edgefw_mixed_attention_args args = {
      .batch = 1, .nodes = N, .width = D, .heads = 1, .hidden = 2, .iterations = 10};
  args.norm = EDGEFW_ATTENTION_SINKHORN;
  args.q = golden_copy(g, q, N * D);
  args.k = golden_copy(g, identity, N * D);
  args.v = args.k;
  args.cost = golden_copy(g, cost, N * N);
  args.w1 = golden_copy(g, (const double[]){1, -1, 0, 0, 0, 0}, 6);
  args.b1 = golden_zeros(g, 2);
  args.w2 = golden_copy(g, (const double[]){1, -1}, 2);
  args.b2 = golden_zeros(g, 1);
  args.out = golden_zeros(g, N * D);
  args.saved = golden_bytes(g, g->d->k->mixed_attention_saved(&args));
  ks_ok(g->d, g->d->k->mixed_attention_forward(g->d->device, &args));
  corner(g, args.out, N, D, 1.0, out);
  golden_expect_values(g, out, "", "out", N * N, g->tolerance);

  args.dout = golden_copy(g, cotangent, N * D);
  args.dq = golden_zeros(g, N * D);
  ks_ok(g->d, g->d->k->mixed_attention_backward(g->d->device, &args));
  corner(g, args.dq, N, D, ROOT, out); /* q = ROOT * scores, and the score is q.k / ROOT */
  golden_expect_values(g, out, "", "dscores", N * N, g->tolerance);
}

static void run_adam(golden_device *g) {
  enum { COUNT = 20, STEPS = 3 };
  double gradients[STEPS * COUNT], found[STEPS * COUNT];
  golden_read(g->file, "gradients", STEPS * COUNT, gradients);
  edgefw_adam_args args = {.count = COUNT,
                           .rate = golden_attribute(g->file, "rate"),
                           .beta1 = golden_attribute(g->file, "beta1"),
                           .beta2 = golden_attribute(g->file, "beta2"),
                           .epsilon = golden_attribute(g->file, "epsilon"),
                           .weight_decay = golden_attribute(g->file, "weight_decay")};
  args.parameters = golden_input(g, "", "parameters", COUNT);
  args.first_moment = golden_zeros(g, COUNT);
  args.second_moment = golden_zeros(g, COUNT);
  for (int64_t step = 0; step < STEPS; ++step) {
    args.step = step + 1;
    args.gradients = golden_copy(g, gradients + step * COUNT, COUNT);
    ks_ok(g->d, g->d->k->adam(g->d->device, &args));
    g->d->k->download(g->d->device, found + step * COUNT, args.parameters, COUNT);
  }
  /* A step moves a parameter by about `rate`: the tolerance is relative to that. */
  golden_expect_values(g, found, "", "steps", STEPS * COUNT,
                       g->d->k->dtype == EDGEFW_F64 ? 1e-12 : 3e-7);
  golden_expect(g, args.first_moment, "", "first_moment", COUNT);
  golden_expect(g, args.second_moment, "", "second_moment", COUNT);
}

/* --- Tests --------------------------------------------------------------------------------- */

static void svd(void **state) {
  golden_on_devices(*state, "svd", run_svd);
}
static void instance_norm(void **state) {
  golden_on_devices(*state, "instance_norm", run_instance_norm);
}
static void mixed_attention(void **state) {
  golden_on_devices(*state, "mixed_attention", run_mixed_attention);
}
static void sinkhorn(void **state) {
  golden_on_devices(*state, "sinkhorn", run_sinkhorn);
}
static void adam(void **state) {
  golden_on_devices(*state, "adam", run_adam);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(svd), cmocka_unit_test(instance_norm),
                                     cmocka_unit_test(mixed_attention), cmocka_unit_test(sinkhorn),
                                     cmocka_unit_test(adam)};
  return test_run(tests, ks_setup, ks_teardown);
}
