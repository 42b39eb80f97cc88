/* The sum of slices' gradients, and its squares block by block.
 * labels: train */
#include "support/test.h"

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

/* Parts of any number of ranks find the same squares, block by block. */
static void squares_are_those_of_all_blocks(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference64", 5, true);
  const int64_t total = tiny.model->parameters->total;
  double *values = tiny.model->parameters->values, expected = 0.0, sum = 0.0;
  double whole[EDGEFW__SLICE_BLOCKS] = {0};
  for (int64_t p = 0; p < total; ++p) expected += values[p] * values[p];
  tiny_ok(&tiny, edgefw__slice_squares(tiny.model, values, (edgefw__range){0, total}, whole));
  for (int b = 0; b < EDGEFW__SLICE_BLOCKS; ++b) sum += whole[b];
  check_close(sum, expected, 1e-12, 1e-12, "squares");
  for (int ranks = 1; ranks <= 40; ranks += 3) {
    double parts[EDGEFW__SLICE_BLOCKS] = {0};
    for (int r = 0; r < ranks; ++r) {
      const edgefw__range part = edgefw__slice_part(total, r, ranks);
      tiny_ok(&tiny, edgefw__slice_squares(tiny.model, values + part.begin, part, parts));
    }
    check_same_bits(parts, whole, sizeof whole, "squares of parts");
  }
  tiny_close(&tiny);
}

static void parts_follow_one_another(void **state) {
  (void)state;
  static const int64_t totals[] = {1, 64, 800, 2049, 1000000};
  for (size_t t = 0; t < sizeof totals / sizeof *totals; ++t)
    for (int ranks = 1; ranks <= 70; ++ranks) {
      int64_t at = 0;
      for (int r = 0; r < ranks; ++r) {
        const edgefw__range part = edgefw__slice_part(totals[t], r, ranks);
        if (part.count > 0) assert_int_equal(part.begin, at);
        at += part.count;
      }
      assert_int_equal(at, totals[t]);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_cover_all_parameters),
                                     cmocka_unit_test(slices_are_added_in_their_order),
                                     cmocka_unit_test(the_first_slice_begins_the_sum),
                                     cmocka_unit_test(squares_are_those_of_all_blocks),
                                     cmocka_unit_test(parts_follow_one_another)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
