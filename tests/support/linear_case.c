/* A linear layer as a ks_case; see linear_case.h. */
#include "support/test.h"

#include "support/linear_case.h"

/* Numbers of a row of W. */
static int64_t row_width(const linear_shape *s) {
  return s->transposed ? s->out : s->in;
}

static void run(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                void *const *grad, double *out) {
  const linear_shape *s = c->shape;
  edgefw_linear_args a = {.rows = s->rows,
                          .in = s->in,
                          .out = s->out,
                          .relu = s->relu,
                          .transposed = s->transposed,
                          .w_stride = s->padding > 0 ? row_width(s) + s->padding : 0,
                          .x = in[0],
                          .w = in[1],
                          .b = in[2],
                          .y = ks_reals(d, s->rows * s->out)};
  ks_ok(d, d->k->linear_forward(d->device, &a));
  d->k->download(d->device, out, a.y, s->rows * s->out);
  if (dout != NULL) {
    a.dy = dout;
    a.dx = grad[0];
    a.dw = grad[1];
    a.db = grad[2];
    ks_ok(d, d->k->linear_backward(d->device, &a));
  }
  ks_release(d, a.y);
}

void linear_case_create(ks_case *c, const linear_shape *s) {
  ks_case_create(c, "linear", s, run, s->rows * s->out);
  ks_case_add(c, "x", s->rows * s->in, true, 1.0);
  const int64_t width = row_width(s), rows = s->in * s->out / width;
  ks_case_add(c, "w", rows * (width + s->padding), true, 1.0);
  ks_case_add(c, "b", s->bias ? s->out : 0, true, 1.0);
}
