/* Steps of batches that are cut into slices.
 * labels: train threads */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/tiny_model.h"
#include "train/step.h"
#include "train/stepper.h"

/* Steps of seven instances each. */
#define CONFIG_ON(size, slice, more)                                                               \
  TINY_OURS "[train]\n" size "\ninstances_per_epoch = 14\nbatch = 7\nlearning_rate = 1e-2\n"       \
            "slice = " slice "\n" more
#define CONFIG(slice, more) CONFIG_ON("size = 8", slice, more)
#define SEARCHED            "objective = imitation\nlabels = search\nlabel_starts = 3\nlabel_kicks = 2\n"
enum { BATCH = 7 };

typedef struct fixture {
  tiny_model tiny;
  edgefw__stepper stepper;
} fixture;

static void begin(fixture *f, const char *text, const char *device, int threads) {
  tiny_open(&f->tiny, text, device, 5, true);
  edgefw_set_threads(f->tiny.ctx, threads);
  edgefw__stepper_begin(f->tiny.model, &f->stepper);
  tiny_ok(&f->tiny, edgefw__stepper_open(&f->stepper));
  tiny_ok(&f->tiny, edgefw__stepper_allocate(&f->stepper));
}

static edgefw_status step(fixture *f, int64_t number) {
  return edgefw__stepper_run(&f->stepper,
                             &(edgefw__step_order){.step = number,
                                                   .epoch = 1,
                                                   .first = (uint64_t)(number * BATCH),
                                                   .count = number < 2 ? BATCH : BATCH - 4});
}

static void finish(fixture *f) {
  edgefw__stepper_end(&f->stepper);
  tiny_close(&f->tiny);
}

/* Parameters after three steps, the last of which is smaller; free(). */
static double *train(const char *text, const char *device, int threads, int64_t *total,
                     double *norm) {
  fixture f;
  begin(&f, text, device, threads);
  for (int number = 0; number < 3; ++number) tiny_ok(&f.tiny, step(&f, number));
  *total = f.tiny.model->parameters->total;
  *norm = f.stepper.gradient_norm;
  double *values = tiny_download(&f.tiny, f.tiny.model->parameters->values, *total);
  finish(&f);
  return values;
}

/* The sum of the slices' gradients is the gradient of the batch. */
static void compare_with_whole(const char *sliced, const char *whole) {
  int64_t total = 0;
  double norm = 0.0, whole_norm = 0.0;
  double *values = train(sliced, "reference64", 1, &total, &norm);
  double *expected = train(whole, "reference64", 1, &total, &whole_norm);
  check_close(norm, whole_norm, 0.0, 1e-9, "norm");
  check_close_f64(values, expected, total, 1e-9, 1e-9, "parameters");
  free(expected);
  free(values);
}

static void slices_train_as_the_batch_does(void **state) {
  (void)state;
  compare_with_whole(CONFIG("3", ""), CONFIG("0", ""));
  compare_with_whole(CONFIG_ON("sizes = 6, 9", "1", ""), CONFIG_ON("sizes = 6, 9", "0", ""));
  compare_with_whole(CONFIG("2", "objective = preference\n"),
                     CONFIG("0", "objective = preference\n"));
  compare_with_whole(CONFIG("2", SEARCHED), CONFIG("0", SEARCHED));
}

static void threads_change_no_bit(void **state) {
  (void)state;
  const char *device = tiny_has_device("cpu") ? "cpu" : "reference";
  static const char *const texts[] = {CONFIG("2", ""), CONFIG("3", SEARCHED)};
  for (int t = 0; t < 2; ++t) {
    int64_t total = 0;
    double norm = 0.0, other_norm = 0.0;
    double *one = train(texts[t], device, 1, &total, &norm);
    double *three = train(texts[t], device, 3, &total, &other_norm);
    check_same_bits(three, one, (size_t)total * sizeof *one, "parameters");
    assert_true(norm == other_norm);
    free(three);
    free(one);
  }
}

/* Memory is that of a slice, and a slice as large as the batch is the batch. */
static void memory_is_that_of_a_slice(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t slice;
  } cases[] = {
      {CONFIG("2", ""), 2}, {CONFIG("0", ""), 7}, {CONFIG("7", ""), 7}, {CONFIG("9", ""), 7}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    fixture f;
    begin(&f, cases[c].text, "reference", 1);
    assert_int_equal(f.stepper.slice, cases[c].slice);
    assert_int_equal(f.stepper.policy->capacity, cases[c].slice);
    assert_int_equal(f.stepper.feed.batch->capacity, cases[c].slice);
    assert_true((f.stepper.sum != NULL) == (cases[c].slice < BATCH));
    finish(&f);
  }
}

/* Every instance of the batch has its figures, whichever slice it was in. */
static void figures_are_those_of_all_slices(void **state) {
  (void)state;
  fixture f, whole;
  begin(&f, CONFIG("3", ""), "reference64", 1);
  begin(&whole, CONFIG("0", ""), "reference64", 1);
  tiny_ok(&f.tiny, step(&f, 0));
  tiny_ok(&whole.tiny, step(&whole, 0));
  check_close_f64(f.stepper.scores, whole.stepper.scores, BATCH, 1e-12, 1e-12, "scores");
  check_close_f64(f.stepper.losses, whole.stepper.losses, BATCH, 1e-9, 1e-9, "losses");
  finish(&whole);
  finish(&f);
}

/* A slice that fails leaves parameters and moments as they were. */
static void a_bad_number_changes_nothing(void **state) {
  (void)state;
  fixture f;
  begin(&f, CONFIG("2", ""), "reference64", 1);
  tiny_ok(&f.tiny, step(&f, 0));
  edgefw__parameters *parameters = f.tiny.model->parameters;
  const size_t bytes = (size_t)parameters->total * sizeof(double);
  ((double *)parameters->values)[0] = (double)NAN;
  double *before = tiny_download(&f.tiny, parameters->values, parameters->total);
  double *moments = tiny_download(&f.tiny, parameters->first_moment, parameters->total);
  const edgefw_status status = step(&f, 1);
  assert_int_equal(status, EDGEFW_NUMERIC);
  edgefw_clear(f.tiny.ctx);
  check_same_bits(parameters->values, before, bytes, "parameters");
  check_same_bits(parameters->first_moment, moments, bytes, "moments");
  free(moments);
  free(before);
  finish(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slices_train_as_the_batch_does),
                                     cmocka_unit_test(threads_change_no_bit),
                                     cmocka_unit_test(memory_is_that_of_a_slice),
                                     cmocka_unit_test(figures_are_those_of_all_slices),
                                     cmocka_unit_test(a_bad_number_changes_nothing)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
