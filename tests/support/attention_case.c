/* Mixed-score attention as a ks_case; see attention_case.h. */
#include "support/test.h"

#include "support/attention_case.h"

static void run(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                void *const *grad, double *out) {
  const attention_shape *s = c->shape;
  edgefw_mixed_attention_args a = {.batch = s->batch,
                                   .nodes = s->nodes,
                                   .width = s->heads * s->head_width,
                                   .heads = s->heads,
                                   .hidden = s->hidden,
                                   .norm = s->norm,
                                   .iterations = s->iterations,
                                   .q = in[ATTENTION_Q],
                                   .k = in[ATTENTION_K],
                                   .v = in[ATTENTION_V],
                                   .cost = in[ATTENTION_COST],
                                   .w1 = in[ATTENTION_W1],
                                   .b1 = in[ATTENTION_B1],
                                   .w2 = in[ATTENTION_W2],
                                   .b2 = in[ATTENTION_B2],
                                   .out = ks_reals(d, c->out_count),
                                   .dout = dout,
                                   .dq = grad[ATTENTION_Q],
                                   .dk = grad[ATTENTION_K],
                                   .dv = grad[ATTENTION_V],
                                   .dw1 = grad[ATTENTION_W1],
                                   .db1 = grad[ATTENTION_B1],
                                   .dw2 = grad[ATTENTION_W2],
                                   .db2 = grad[ATTENTION_B2]};
  if (dout) {
    const size_t bytes = d->k->mixed_attention_saved(&a) * (size_t)s->batch;
    a.saved = d->k->allocate(d->device, bytes, "saved");
    assert_non_null(a.saved);
  }
  ks_ok(d, d->k->mixed_attention_forward(d->device, &a));
  d->k->download(d->device, out, a.out, c->out_count);
  if (dout) ks_ok(d, d->k->mixed_attention_backward(d->device, &a));
  ks_release(d, a.out);
  ks_release(d, a.saved);
}

void attention_case_create(ks_case *c, const char *op, const attention_shape *s,
                           double cost_scale) {
  const int64_t count = s->batch * s->nodes * s->heads * s->head_width;
  ks_case_create(c, op, s, run, count);
  ks_case_add(c, "q", count, true, 1.0);
  ks_case_add(c, "k", count, true, 1.0);
  ks_case_add(c, "v", count, true, 1.0);
  ks_case_add(c, "cost", s->batch * s->nodes * s->nodes, false, cost_scale);
  ks_case_add(c, "w1", s->heads * 3 * s->hidden, true, 1.0);
  ks_case_add(c, "b1", s->heads * s->hidden, true, 1.0);
  ks_case_add(c, "w2", s->heads * s->hidden, true, 1.0);
  ks_case_add(c, "b2", s->heads, true, 1.0);
}

/* relu(cost) - relu(-cost), and no weight on anything else. */
void attention_case_score_costs(ks_case *c) {
  const attention_shape *s = c->shape;
  for (int t = ATTENTION_W1; t <= ATTENTION_B2; ++t)
    for (int64_t i = 0; i < c->tensor[t].count; ++i) c->tensor[t].value[i] = 0.0;
  for (int64_t h = 0; h < s->heads; ++h)
    for (int unit = 0; unit < 2; ++unit) {
      const double sign = unit ? -1.0 : 1.0;
      c->tensor[ATTENTION_W1].value[(h * 3 + 1) * s->hidden + unit] = sign;
      c->tensor[ATTENTION_W2].value[h * s->hidden + unit] = sign;
    }
}
