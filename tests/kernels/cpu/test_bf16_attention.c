/* Attention of the encoder on the device cpu in BF16: everything that multiplies, with and without
 * mixed scores.
 * labels: threads */
#include "support/test.h"

#include "support/attention_case.h"
#include "support/bf16_case.h"

#define SINKHORN EDGEFW_ATTENTION_SINKHORN
#define SOFTMAX  EDGEFW_ATTENTION_SOFTMAX

static void mixed_scores(void **state) {
  const attention_shape shapes[] = {{1, 50, 2, 32, 16, SINKHORN, 10},
                                    {2, 33, 1, 24, 8, SOFTMAX, 0}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    attention_case_create(&c, "mixed_attention", &shapes[i], 2.0);
    c.tensor[ATTENTION_B2].has_gradient = false; /* it is 0 but for rounding */
    bf16_check(state, &c, 1e-2, 5e-2);
    ks_case_destroy(&c);
  }
}

/* Scores that spread so far that Sinkhorn works on logarithms, and rows of a length at which they
 * are kept apart by more than whole lanes. */
static void far_and_long(void **state) {
  const attention_shape shapes[] = {{1, 20, 1, 16, 4, SINKHORN, 3}, {1, 500, 1, 8, 2, SOFTMAX, 0}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ks_case c;
    attention_case_create(&c, "mixed_attention", &shapes[i], i == 0 ? 300.0 : 1.0);
    for (int t = 0; t < c.tensor_count; ++t) c.tensor[t].has_gradient = t == ATTENTION_V;
    bf16_check(state, &c, 2e-2, 5e-2);
    ks_case_destroy(&c);
  }
}

/* Softmax of scores alone: queries, keys and values (2,45,40) in two heads. */
static void attend(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                   void *const *grad, double *out) {
  edgefw_attention_args a = {.batch = 2, .nodes = 45, .width = 40, .heads = 2, .q = in[0]};
  a.k = in[1];
  a.v = in[2];
  a.out = ks_reals(d, c->out_count);
  a.saved = d->k->allocate(d->device, 2 * d->k->attention_saved(&a), "saved");
  ks_ok(d, d->k->attention_forward(d->device, &a));
  d->k->download(d->device, out, a.out, c->out_count);
  a.dout = dout;
  a.dq = grad[0];
  a.dk = grad[1];
  a.dv = grad[2];
  if (dout) ks_ok(d, d->k->attention_backward(d->device, &a));
  ks_release(d, a.out);
  ks_release(d, a.saved);
}

static void plain_scores(void **state) {
  static const char *const names[] = {"q", "k", "v"};
  ks_case c;
  ks_case_create(&c, "attention", NULL, attend, 3600);
  for (int t = 0; t < 3; ++t) ks_case_add(&c, names[t], 3600, true, 2.0);
  bf16_check(state, &c, 1e-2, 3e-2);
  ks_case_destroy(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(mixed_scores), cmocka_unit_test(far_and_long),
                                     cmocka_unit_test(plain_scores)};
  return test_run(tests, ks_setup, ks_teardown);
}
