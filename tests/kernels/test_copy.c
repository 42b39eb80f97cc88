/* Strided copies on every device: what is copied, added and left alone. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include <stdlib.h>

typedef struct copy_shape {
  int64_t rows, width, from_stride, to_stride;
  bool add;
} copy_shape;

static const copy_shape shapes[] = {
    {1, 1, 1, 1, false},   {3, 2, 2, 2, true},          {3, 2, 5, 7, false},
    {3, 2, 5, 7, true},    {400, 128, 128, 256, false}, {400, 128, 256, 128, true},
    {7, 1, 640, 1, false}, {50, 33, 40, 35, true},      {0, 4, 4, 4, false},
    {6, 4, 0, 4, false}, /* one row for all */
};

/* Copies in[0] over what is in[1]; both have a row's padding at their end. */
static void check_copy(const copy_shape *s, const ks_device *d) {
  const int64_t from_count = s->rows * s->from_stride + s->width;
  const int64_t to_count = s->rows * s->to_stride + s->width;
  double *from = ks_zeros(from_count), *to = ks_zeros(to_count), *out = ks_zeros(to_count);
  ks_fill(from, from_count, 1.0, 1);
  ks_fill(to, to_count, 1.0, 2);
  void *source = ks_upload(d, from, from_count), *target = ks_upload(d, to, to_count);
  const edgefw_copy_args a = {.rows = s->rows,
                              .width = s->width,
                              .from_stride = s->from_stride,
                              .to_stride = s->to_stride,
                              .from = source,
                              .to = target,
                              .add = s->add};
  ks_ok(d, d->k->copy(d->device, &a));
  d->k->download(d->device, out, target, to_count);
  for (int64_t row = 0; row < s->rows; ++row)
    for (int64_t c = 0; c < s->width; ++c) {
      double *entry = &to[row * s->to_stride + c];
      *entry = from[row * s->from_stride + c] + (s->add ? *entry : 0.0);
    }
  check_close_f64(out, to, to_count, s->add ? 1e-7 : 0.0, 0.0, d->name);
  ks_release(d, source);
  ks_release(d, target);
  free(from);
  free(to);
  free(out);
}

static void rows_arrive_and_gaps_stay(void **state) {
  const ks_devices *devices = *state;
  for (int i = 0; i < devices->count; ++i)
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
      edgefw_set_threads(devices->item[i].ctx, 1 + (int)(k % 2));
      check_copy(&shapes[k], &devices->item[i]);
    }
  for (int i = 0; i < devices->count; ++i) edgefw_set_threads(devices->item[i].ctx, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_arrive_and_gaps_stay),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
