/* The sum of slices' gradients, and its squares block by block.
 * labels: train */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/tiny_model.h"
#include "train/slice_sum.h"

static void blocks_cover_all_parameters(void **state) {
  (void)state;
  static const int64_t totals[] = {1, 63, 64, 65, 800, 2048, 2049, 1000000};
  for (size_t i = 0; i < sizeof totals / sizeof *totals; ++i) {
    const int64_t block = edgefw__slice_block(totals[i]);
    assert_true(block % 64 == 0);
    assert_true(block * EDGEFW__SLICE_BLOCKS >= totals[i]);
  }
  assert_int_equal(edgefw__slice_block(2048), 64);
  assert_int_equal(edgefw__slice_block(2049), 128);
}

/* Numbers whose sum depends on the order in which they are added. */
static void slices_are_added_in_their_order(void **state) {
  (void)state;
  static const double values[] = {1e8, 1.0, -1e8, 3.5};
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, true);
  float *gradients = tiny.model->parameters->gradients, expected = 0.0f;
  void *sum = NULL;
  tiny_ok(&tiny, edgefw__slice_sum_allocate(tiny.model, &sum));
  for (int v = 0; v < 4; ++v) {
    for (int64_t p = 0; p < tiny.model->parameters->total; ++p) gradients[p] = (float)values[v];
    tiny_ok(&tiny, edgefw__slice_sum_add(tiny.model, v == 0, sum));
    expected += (float)values[v];
  }
  const float *added = sum;
  for (int64_t p = 0; p < tiny.model->parameters->total; ++p) assert_true(added[p] == expected);
  tiny.engine.kernels->release(tiny.engine.device, sum);
  tiny_close(&tiny);
}

/* What was there before the first slice does not count, and a negative zero stays one. */
static void the_first_slice_begins_the_sum(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, true);
  const int64_t total = tiny.model->parameters->total;
  float *gradients = tiny.model->parameters->gradients;
  void *sum = NULL;
  tiny_ok(&tiny, edgefw__slice_sum_allocate(tiny.model, &sum));
  for (int64_t p = 0; p < total; ++p) gradients[p] = 7.0f;
  tiny_ok(&tiny, edgefw__slice_sum_add(tiny.model, true, sum));
  for (int64_t p = 0; p < total; ++p) gradients[p] = p % 2 ? -0.0f : 0.25f;
  tiny_ok(&tiny, edgefw__slice_sum_add(tiny.model, true, sum));
  check_same_bits(sum, gradients, (size_t)total * sizeof *gradients, "sum");
  tiny.engine.kernels->release(tiny.engine.device, sum);
  tiny_close(&tiny);
}

static void squares_are_those_of_all_blocks(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference64", 5, true);
  const edgefw__parameters *parameters = tiny.model->parameters;
  double squares = 0.0, expected = 0.0;
  const double *values = parameters->values;
  for (int64_t p = 0; p < parameters->total; ++p) expected += values[p] * values[p];
  tiny_ok(&tiny, edgefw__slice_sum_squares(tiny.model, values, &squares));
  check_close(squares, expected, 1e-12, 0.0, "squares");
  ((double *)parameters->values)[parameters->total - 1] = (double)NAN;
  tiny_ok(&tiny, edgefw__slice_sum_squares(tiny.model, values, &squares));
  assert_true(isnan(squares));
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_cover_all_parameters),
                                     cmocka_unit_test(slices_are_added_in_their_order),
                                     cmocka_unit_test(the_first_slice_begins_the_sum),
                                     cmocka_unit_test(squares_are_those_of_all_blocks)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
