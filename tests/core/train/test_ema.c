/* The exponential mean of the parameters: how it follows them, where it is kept, what is evaluated.
 * labels: train
 * needs plugins: atsp radar */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/model_file.h"
#include "support/check.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/ema.h"
#include "train/train.h"

#define TRAIN_FOR(epochs, ema, more)                                                               \
  TINY_PLAIN "[train]\nsize = 6\ninstances_per_epoch = 6\nbatch = 3\nepochs = " epochs             \
             "\nlearning_rate = 1e-2\nema = " ema "\n" more
#define TRAIN(ema) TRAIN_FOR("2", ema, "")

static void the_mean_follows_the_parameters(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TRAIN("0.8"), "reference64", 1, true);
  const edgefw__parameters *p = tiny.model->parameters;
  const int64_t total = p->total;
  assert_null(p->ema);
  tiny_ok(&tiny, edgefw__ema_update(tiny.model, 1)); /* there is none */
  tiny_ok(&tiny, edgefw__ema_begin(tiny.model));
  double *expected = tiny_download(&tiny, p->values, total);
  double *found = tiny_download(&tiny, p->ema, total);
  check_same_bits(found, expected, (size_t)total * sizeof *found, "the mean at the beginning");
  free(found);
  for (int64_t step = 1; step <= 40; ++step) {
    const double early = (1.0 + (double)step) / (10.0 + (double)step);
    const double decay = early < 0.8 ? early : 0.8;
    check_close(edgefw__ema_decay(0.8, step), decay, 0.0, 1e-15, "decay");
    double *values = tiny_download(&tiny, p->values, total);
    for (int64_t e = 0; e < total; ++e) {
      values[e] = values[e] * 1.01 + 0.001 * (double)(e % 7);
      expected[e] = decay * expected[e] + (1.0 - decay) * values[e];
    }
    tiny_upload(&tiny, p->values, values, total);
    tiny_ok(&tiny, edgefw__ema_update(tiny.model, step));
    free(values);
  }
  found = tiny_download(&tiny, p->ema, total);
  check_scaled_f64(found, expected, total, 1e-13, "the mean");
  tiny_ok(&tiny, edgefw__ema_finish(tiny.model));
  double *values = tiny_download(&tiny, p->values, total);
  check_same_bits(values, found, (size_t)total * sizeof *found, "what is evaluated");
  tiny_ok(&tiny, edgefw__ema_restart(tiny.model));
  free(values);
  free(found);
  free(expected);
  tiny_close(&tiny);
}

/* A mean of parameters that stay as they are stays, too, however many steps and whatever decay. */
static void the_mean_is_not_biased(void **state) {
  (void)state;
  static const char *const devices[] = {"cpu", "reference", "cuda_emulated"};
  for (size_t d = 0; d < sizeof devices / sizeof *devices; ++d) {
    tiny_model tiny;
    if (!tiny_has_device(devices[d])) continue;
    tiny_open(&tiny, TRAIN("0.999999"), devices[d], 1, true);
    const edgefw__parameters *p = tiny.model->parameters;
    tiny_ok(&tiny, edgefw__ema_begin(tiny.model));
    for (int64_t step = 0; step < 200; ++step)
      tiny_ok(&tiny, edgefw__ema_update(tiny.model, 100000000 + step));
    double *values = tiny_download(&tiny, p->values, p->total);
    double *mean = tiny_download(&tiny, p->ema, p->total);
    check_same_bits(mean, values, (size_t)p->total * sizeof *mean, devices[d]);
    free(mean);
    free(values);
    tiny_close(&tiny);
  }
}

typedef struct run {
  tiny_model tiny;
  char checkpoint[256];
  volatile int flag;
  int64_t stop_after, batches;
} run;

static void observe(void *user, const edgefw__train_state *state) {
  run *r = user;
  if (!state->epoch_done && ++r->batches == r->stop_after) r->flag = 1;
}

static edgefw_status train(run *r, const char *text, const char *folder, int64_t stop_after,
                           int threads) {
  *r = (run){.stop_after = stop_after};
  tiny_open(&r->tiny, text, tiny_has_device("cpu") ? "cpu" : "reference", 1234, true);
  edgefw_set_threads(r->tiny.ctx, threads);
  edgefw_set_interrupt(r->tiny.ctx, &r->flag);
  const edgefw__train_request request = {
      .model = r->tiny.model, .folder = folder, .observer = observe, .observer_user = r};
  return edgefw__train(&request, r->checkpoint, sizeof r->checkpoint);
}

static double *values_of(const run *r) {
  const edgefw__parameters *p = r->tiny.model->parameters;
  return tiny_download(&r->tiny, p->values, p->total);
}

/* The parameters that a checkpoint holds, for evaluation. */
static double *loaded(const char *text, const char *path) {
  tiny_model tiny;
  tiny_open(&tiny, text, "reference", 1, false);
  tiny_ok(&tiny, edgefw__model_load(tiny.model, path));
  double *values =
      tiny_download(&tiny, tiny.model->parameters->values, tiny.model->parameters->total);
  tiny_close(&tiny);
  return values;
}

static void a_resumed_mean_is_the_same(void **state) {
  (void)state;
  char folder[64];
  run whole;
  io_folder_create(folder, sizeof folder);
  tiny_ok(&whole.tiny, train(&whole, TRAIN("0.9"), folder, 0, 1));
  double *expected = values_of(&whole);
  const size_t bytes = (size_t)whole.tiny.model->parameters->total * sizeof *expected;
  double *from_file = loaded(TRAIN("0.9"), whole.checkpoint);
  check_same_bits(from_file, expected, bytes, "the file's evaluated parameters");
  free(from_file);
  tiny_close(&whole.tiny);
  io_folder_remove(folder);
  for (int64_t stop = 1; stop <= 3; ++stop) { /* threads differ, too */
    run r;
    io_folder_create(folder, sizeof folder);
    tiny_fails(&r.tiny, train(&r, TRAIN("0.9"), folder, stop, 2), EDGEFW_INTERRUPTED, "step");
    tiny_close(&r.tiny);
    tiny_ok(&r.tiny, train(&r, TRAIN("0.9"), folder, 0, 1));
    double *found = values_of(&r);
    check_same_bits(found, expected, bytes, "the resumed mean");
    free(found);
    tiny_close(&r.tiny);
    /* A run that is complete holds the mean as well. */
    tiny_ok(&r.tiny, train(&r, TRAIN("0.9"), folder, 0, 1));
    found = values_of(&r);
    check_same_bits(found, expected, bytes, "the mean of a complete training");
    free(found);
    tiny_close(&r.tiny);
    io_folder_remove(folder);
  }
  free(expected);
}

/* The mean changes what is evaluated, and nothing of what is trained. */
static void training_does_not_see_the_mean(void **state) {
  (void)state;
  char with[64], without[64];
  run a, b;
  io_folder_create(with, sizeof with);
  io_folder_create(without, sizeof without);
  tiny_ok(&a.tiny, train(&a, TRAIN("0.9"), with, 0, 1));
  tiny_ok(&b.tiny, train(&b, TRAIN("0"), without, 0, 1));
  assert_null(b.tiny.model->parameters->ema);
  edgefw__checkpoint *one = NULL, *other = NULL;
  tiny_ok(&a.tiny, edgefw__checkpoint_open(a.tiny.ctx, a.checkpoint, &one));
  tiny_ok(&a.tiny, edgefw__checkpoint_open(a.tiny.ctx, b.checkpoint, &other));
  const edgefw__checkpoint_content *x = edgefw__checkpoint_content_of(one);
  const edgefw__checkpoint_content *y = edgefw__checkpoint_content_of(other);
  for (int64_t t = 0; t < x->tensor_count; ++t) {
    size_t bytes = sizeof(float);
    for (int axis = 0; axis < x->tensors[t].rank; ++axis)
      bytes *= (size_t)x->tensors[t].shape[axis];
    check_same_bits(x->tensors[t].value, y->tensors[t].value, bytes, x->tensors[t].name);
    assert_null(y->tensors[t].ema);
    assert_non_null(x->tensors[t].ema);
  }
  edgefw__checkpoint_close(one);
  edgefw__checkpoint_close(other);
  double *mean = values_of(&a), *last = values_of(&b);
  assert_memory_not_equal(mean, last, (size_t)a.tiny.model->parameters->total * sizeof *mean);
  free(mean);
  free(last);
  tiny_close(&a.tiny);
  tiny_close(&b.tiny);
  io_folder_remove(with);
  io_folder_remove(without);
}

/* It begins as a copy of the parameters with which training begins, wherever they are from. */
static void another_beginning_is_another_mean(void **state) {
  (void)state;
  char folder[64], deep[512], text[2048];
  run r;
  io_folder_create(folder, sizeof folder);
  tiny_ok(&r.tiny, train(&r, TRAIN("0.9"), io_path(deep, folder, "a"), 0, 1));
  double *mean = values_of(&r);
  const size_t bytes = (size_t)r.tiny.model->parameters->total * sizeof *mean;
  tiny_close(&r.tiny);
  snprintf(text, sizeof text, TRAIN_FOR("0", "0.9", "init = %s\n"), r.checkpoint);
  tiny_ok(&r.tiny, train(&r, text, io_path(deep, folder, "b"), 0, 1));
  double *begun = values_of(&r);
  check_same_bits(begun, mean, bytes, "a mean of nothing else");
  free(mean);
  free(begun);
  tiny_close(&r.tiny);
  io_folder_remove(folder);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_mean_follows_the_parameters),
      cmocka_unit_test(the_mean_is_not_biased),
      cmocka_unit_test(a_resumed_mean_is_the_same),
      cmocka_unit_test(training_does_not_see_the_mean),
      cmocka_unit_test(another_beginning_is_another_mean),
  };
  return test_run(tests, NULL, NULL);
}
