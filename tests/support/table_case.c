/* Table services as cases. */
#include "support/table_case.h"

const char *const table_names[TABLE_SERVICES] = {"zscore",   "transpose",   "row_min", "column_min",
                                                 "row_rank", "column_rank", "narrow"};

static int64_t out_count(const table_shape *s) {
  return s->batch * s->nodes * (s->service == ROW_MIN || s->service == COLUMN_MIN ? 1 : s->nodes);
}

static void run(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                void *const *grad, double *out) {
  (void)dout;
  (void)grad;
  const table_shape *s = c->shape;
  edgefw_status (*const service[TABLE_SERVICES])(edgefw_device *, const edgefw_table_args *) = {
      d->k->zscore,   d->k->transpose,   d->k->row_min, d->k->column_min,
      d->k->row_rank, d->k->column_rank, d->k->narrow};
  const bool exact = s->service == ZSCORE || s->service == NARROW;
  double *doubles = exact ? ks_exact(d, c->tensor[0].value, c->tensor[0].count) : NULL;
  const edgefw_table_args a = {.batch = s->batch,
                               .nodes = s->nodes,
                               .pair = exact ? doubles : in[0],
                               .out = ks_reals(d, c->out_count)};
  ks_ok(d, service[s->service](d->device, &a));
  if (exact) ks_release_exact(d, doubles);
  d->k->download(d->device, out, a.out, c->out_count);
  ks_release(d, a.out);
}

void table_case_create(ks_case *c, const table_shape *s, double scale) {
  ks_case_create(c, table_names[s->service], s, run, out_count(s));
  ks_case_add(c, "pair", s->batch * s->nodes * s->nodes, false, scale);
}
