/* The device cuda, on a GPU or emulated: its memory, its copies, and what it says when memory runs
 * out. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/kernels_support.h"

static void memory_is_zeroed_and_counted(void **state) {
  const ks_device *d = ks_cuda(state);
  enum { COUNT = 1 << 20 }; /* a GPU gives memory away in large pieces */
  const size_t bytes = COUNT * sizeof(float);
  size_t before, after, total, again;
  double *numbers = ks_zeros(COUNT);
  ks_ok(d, d->k->memory(d->device, &before, &total));
  assert_true(before <= total);
  ks_fill(numbers, COUNT, 1.0, 3);
  float *block = d->k->allocate(d->device, bytes, "a test");
  assert_non_null(block);
  d->k->download(d->device, numbers, block, COUNT);
  for (int e = 0; e < COUNT; ++e) assert_true(numbers[e] == 0.0);
  ks_ok(d, d->k->memory(d->device, &after, &total));
  if (ks_is_emulated(d))
    assert_int_equal(before - after, bytes);
  else
    assert_true(after <= before); /* of a piece that was there already, or of a new one */
  d->k->release(d->device, block);
  ks_ok(d, d->k->memory(d->device, &again, &total));
  if (ks_is_emulated(d)) assert_int_equal(again, before);
  free(numbers);
  d->k->release(d->device, NULL);
}

/* More numbers than one piece of a copy holds. */
static void numbers_go_there_and_back(void **state) {
  const ks_device *d = ks_cuda(state);
  const int64_t count = (1 << 21) + 7;
  double *there = ks_zeros(count), *back = ks_zeros(count);
  ks_fill(there, count, 3.0, 1);
  void *block = ks_upload(d, there, count);
  d->k->download(d->device, back, block, count);
  ks_ok(d, d->k->finish(d->device));
  assert_memory_equal(there, back, (size_t)count * sizeof *there);
  d->k->zero(d->device, block, 8);
  d->k->download(d->device, back, block, 3);
  assert_true(back[0] == 0.0 && back[1] == 0.0 && back[2] == there[2]);
  ks_release(d, block);
  free(there);
  free(back);
}

static void no_memory_is_said(void **state) {
  const ks_device *d = ks_cuda(state);
  const size_t bytes = ks_is_emulated(d) ? (size_t)1 << 20 : (size_t)1 << 50; /* no GPU has them */
  setenv("EDGEFW_EMULATOR_MEMORY", "1", 1);
  assert_null(d->k->allocate(d->device, bytes, "embeddings"));
  unsetenv("EDGEFW_EMULATOR_MEMORY");
  assert_int_equal(edgefw_failure(d->ctx), EDGEFW_OUT_OF_MEMORY);
  assert_non_null(strstr(edgefw_message(d->ctx), "no GPU memory is left for embeddings"));
}

/* Scratch of an operation, grown from nothing in a device of its own. */
static void an_operation_says_so_too(void **state) {
  const ks_device *d = ks_emulated(state);
  edgefw_device *fresh;
  ks_ok(d, d->k->create(d->ctx, &fresh));
  double squares = 0.0;
  float *x = d->k->allocate(fresh, 400, "a test");
  setenv("EDGEFW_EMULATOR_MEMORY", "1", 1);
  assert_int_equal(d->k->sum_squares(fresh, x, 100, &squares), EDGEFW_OUT_OF_MEMORY);
  unsetenv("EDGEFW_EMULATOR_MEMORY");
  ks_ok(d, d->k->sum_squares(fresh, x, 100, &squares)); /* and goes on */
  assert_true(squares == 0.0);
  d->k->release(fresh, x);
  d->k->destroy(fresh);
}

/* What has no status of its own: the next launch or `finish` reports it, once. */
static void a_failed_copy_is_reported(void **state) {
  const ks_device *d = ks_cuda(state);
  double numbers[2] = {1.0, 2.0};
  float *x = d->k->allocate(d->device, 8, "a test");
  d->k->zero(d->device, NULL, 8);
  assert_int_equal(d->k->finish(d->device), EDGEFW_INTERNAL);
  assert_non_null(strstr(edgefw_message(d->ctx), "invalid argument"));
  edgefw_clear(d->ctx);
  ks_ok(d, d->k->finish(d->device));
  d->k->upload(d->device, NULL, numbers, 2);
  double squares = 0.0;
  assert_int_equal(d->k->sum_squares(d->device, x, 2, &squares), EDGEFW_INTERNAL);
  edgefw_clear(d->ctx);
  ks_ok(d, d->k->sum_squares(d->device, x, 2, &squares));
  d->k->download(d->device, numbers, NULL, 2);
  assert_true(numbers[0] != numbers[0] && numbers[1] != numbers[1]); /* not old numbers */
  assert_int_equal(d->k->finish(d->device), EDGEFW_INTERNAL);
  edgefw_clear(d->ctx);
  d->k->release(d->device, x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_zeroed_and_counted), cmocka_unit_test(numbers_go_there_and_back),
      cmocka_unit_test(a_failed_copy_is_reported),    cmocka_unit_test(no_memory_is_said),
      cmocka_unit_test(an_operation_says_so_too),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
