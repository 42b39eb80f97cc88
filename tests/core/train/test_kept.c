/* Which states training keeps: the best in validation, early ends, and all of it after
 * interruptions.
 * labels: train
 * needs plugins: atsp radar */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/model_file.h"
#include "support/check.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/kept.h"
#include "train/train.h"

/* A learning rate that is far too large, so that later states are worse; two steps an epoch. */
#define TRAIN(epochs, patience)                                                                    \
  TINY_PLAIN "[train]\nsize = 6\ninstances_per_epoch = 6\nbatch = 3\nepochs = " epochs             \
             "\nlearning_rate = 0.3\nema = 0.5\ncheckpoint_every = 4\nvalidate_every = 1\n"        \
             "validation_instances = 20\npatience = " patience "\n"

typedef struct run {
  tiny_model tiny;
  char checkpoint[256];
  io_log log;
  volatile int flag;
  int64_t stop_after, batches;
  bool at_epochs; /* stop at the end of an epoch: the next thing done is its validation */
} run;

static void observe(void *user, const edgefw__train_state *state) {
  run *r = user;
  if (state->epoch_done == r->at_epochs && ++r->batches == r->stop_after) r->flag = 1;
}

/* Train on; close r->tiny afterwards. */
static edgefw_status train_on(run *r, const char *text, const char *folder, int64_t stop_after,
                              bool at_epochs, const char *device) {
  *r = (run){.stop_after = stop_after, .at_epochs = at_epochs};
  tiny_open(&r->tiny, text, device, 1234, true);
  edgefw_set_log(r->tiny.ctx, io_collect, &r->log);
  edgefw_set_interrupt(r->tiny.ctx, &r->flag);
  const edgefw__train_request request = {
      .model = r->tiny.model, .folder = folder, .observer = observe, .observer_user = r};
  return edgefw__train(&request, r->checkpoint, sizeof r->checkpoint);
}

static edgefw_status train(run *r, const char *text, const char *folder, int64_t stop_after,
                           bool at_epochs) {
  return train_on(r, text, folder, stop_after, at_epochs,
                  tiny_has_device("cpu") ? "cpu" : "reference");
}

static double *values_of(const run *r) {
  const edgefw__parameters *p = r->tiny.model->parameters;
  return tiny_download(&r->tiny, p->values, p->total);
}

/* metrics.csv without its last column, the seconds; free(). */
static char *metrics(const char *folder) {
  char path[512];
  size_t length = 0, kept = 0;
  char *text = io_read(io_path(path, folder, "metrics.csv"), &length);
  for (size_t at = 0, comma = 0; at < length; ++at) {
    text[kept++] = text[at];
    if (text[at] == ',') comma = kept;
    if (text[at] != '\n') continue;
    kept = comma;
    text[kept - 1] = '\n';
  }
  text[kept] = '\0';
  return text;
}

/* What the newest checkpoint of a folder says; edgefw__history_release. */
static edgefw__progress progress_of(const run *r, const char *folder) {
  edgefw__progress progress = {.history = {.ctx = r->tiny.ctx}};
  edgefw_arena *arena = NULL;
  edgefw__kept kept;
  edgefw__checkpoint *checkpoint = NULL;
  const edgefw_options *options = r->tiny.composition->train;
  tiny_ok(&r->tiny, edgefw_arena_create(r->tiny.ctx, &arena, "test", 1 << 12, true));
  tiny_ok(&r->tiny, edgefw__kept_find(r->tiny.ctx, arena, options, folder, &kept));
  assert_non_null(kept.newest);
  tiny_ok(&r->tiny, edgefw__checkpoint_open(r->tiny.ctx, kept.newest, &checkpoint));
  tiny_ok(&r->tiny, edgefw__snapshot_validations(checkpoint, kept.newest, &progress.history));
  progress.epoch = kept.epoch;
  edgefw__checkpoint_close(checkpoint);
  edgefw_arena_destroy(arena);
  return progress;
}

static void the_best_state_is_kept_and_counts(void **state) {
  (void)state;
  char folder[64], path[512];
  run r;
  io_folder_create(folder, sizeof folder);
  tiny_ok(&r.tiny, train(&r, TRAIN("6", "0"), folder, 0, false));
  edgefw__progress progress = progress_of(&r, folder);
  const edgefw__history *history = &progress.history;
  assert_int_equal(history->validation_count, 6);
  const edgefw__validated *best = &history->validations[edgefw__history_best(history)];
  for (int64_t v = 0; v < 6; ++v) {
    assert_int_equal(history->validations[v].epoch, v + 1);
    assert_true(history->validations[v].cost >= best->cost);
  }
  assert_true(best->epoch < 6); /* or this test shows nothing */
  assert_string_equal(r.checkpoint, io_path(path, folder, "best.h5"));
  assert_int_equal(r.tiny.model->epoch, best->epoch);
  /* The file holds the very parameters that the model holds, and they cost what was found. */
  tiny_model other;
  edgefw__validation *validation = NULL;
  double cost = 0.0;
  tiny_open(&other, TRAIN("6", "0"), tiny_has_device("cpu") ? "cpu" : "reference", 9, false);
  tiny_ok(&other, edgefw__model_load(other.model, path));
  const int64_t total = other.model->parameters->total;
  double *loaded = tiny_download(&other, other.model->parameters->values, total);
  double *held = values_of(&r);
  check_same_bits(held, loaded, (size_t)total * sizeof *held, "parameters");
  tiny_ok(&other, edgefw__validation_create(other.model, &validation));
  tiny_ok(&other, edgefw__validation_run(validation, &cost));
  check_same_bits(&cost, &best->cost, sizeof cost, "validation");
  edgefw__validation_destroy(validation);
  char said[64];
  snprintf(said, sizeof said, "the state of epoch %d counts", (int)best->epoch);
  assert_non_null(strstr(r.log.text, said));
  free(loaded);
  free(held);
  tiny_close(&other);
  edgefw__history_release(&progress.history);
  tiny_close(&r.tiny);
  io_folder_remove(folder);
}

/* Stopped within an epoch and at a validation: the same decisions, files and bits. */
static void resumed_equals_uninterrupted(void **state) {
  (void)state;
  char folder[64];
  run whole, r;
  io_folder_create(folder, sizeof folder);
  tiny_ok(&whole.tiny, train(&whole, TRAIN("9", "2"), folder, 0, false));
  double *expected = values_of(&whole);
  const size_t bytes = (size_t)whole.tiny.model->parameters->total * sizeof *expected;
  char *expected_metrics = metrics(folder);
  edgefw__progress progress = progress_of(&whole, folder);
  const int64_t epochs = progress.epoch;
  assert_true(epochs > 2 && epochs < 9); /* it ended early */
  assert_non_null(strstr(whole.log.text, "its patience is over"));
  assert_non_null(strstr(expected_metrics, ",instances,validation\n"));
  edgefw__history_release(&progress.history);
  tiny_close(&whole.tiny);
  io_folder_remove(folder);
  const struct {
    int64_t after;
    bool at_epochs;
    const char *says;
  } stops[] = {{1, false, "in epoch 1 after step 1 of 2"},
               {2, false, "in the validation of epoch 1"},
               {3, false, "in epoch 2 after step 1 of 2"},
               {2, true, "in the validation of epoch 2"},
               {epochs, true, "in the validation of epoch"}}; /* the one that ends it */
  for (size_t s = 0; s < sizeof stops / sizeof *stops; ++s) {
    io_folder_create(folder, sizeof folder);
    tiny_fails(&r.tiny, train(&r, TRAIN("9", "2"), folder, stops[s].after, stops[s].at_epochs),
               EDGEFW_INTERRUPTED, stops[s].says);
    tiny_close(&r.tiny);
    tiny_ok(&r.tiny, train(&r, TRAIN("9", "2"), folder, 0, false));
    double *found = values_of(&r);
    check_same_bits(found, expected, bytes, "parameters");
    char *found_metrics = metrics(folder);
    assert_string_equal(found_metrics, expected_metrics);
    free(found_metrics);
    free(found);
    tiny_close(&r.tiny);
    io_folder_remove(folder);
  }
  free(expected);
  free(expected_metrics);
}

/* Remove the checkpoints behind that epoch, as an end before they were written. */
static void end_at(const char *folder, int64_t epoch) {
  for (int64_t e = epoch + 1; e <= 9; ++e) {
    char name[64], path[512];
    snprintf(name, sizeof name, "checkpoint-%d.h5", (int)e);
    (void)unlink(io_path(path, folder, name));
  }
}

/* Who evaluates what is left in the folder takes that file. */
static void expect_evaluated(const char *folder, const char *path) {
  tiny_model tiny;
  edgefw_arena *arena = NULL;
  edgefw__kept kept;
  const char *found = NULL;
  tiny_begin(&tiny, NULL, TRAIN("6", "0"), "reference");
  const edgefw_options *options = tiny.composition->train;
  tiny_ok(&tiny, edgefw_arena_create(tiny.ctx, &arena, "test", 1 << 12, true));
  tiny_ok(&tiny, edgefw__kept_find(tiny.ctx, arena, options, folder, &kept));
  assert_false(kept.is_over);
  tiny_ok(&tiny, edgefw__kept_evaluated(tiny.ctx, arena, options, folder, &kept, &found));
  assert_string_equal(found, path);
  edgefw_arena_destroy(arena);
  tiny_close(&tiny);
}

/* Whatever happens to best.h5: the state that did best has a numbered checkpoint, too. */
static void the_best_state_has_two_files(void **state) {
  (void)state;
  char folder[64], path[512], best[512], numbered[64];
  run r;
  io_folder_create(folder, sizeof folder);
  io_path(best, folder, "best.h5");
  tiny_ok(&r.tiny, train(&r, TRAIN("6", "0"), folder, 0, false));
  const int64_t epoch = r.tiny.model->epoch;
  assert_true(epoch % 4 != 0 && epoch < 6); /* or this test shows nothing */
  tiny_close(&r.tiny);
  snprintf(numbered, sizeof numbered, "checkpoint-%d.h5", (int)epoch);
  assert_int_equal(access(io_path(path, folder, numbered), R_OK), 0);
  assert_int_equal(unlink(best), 0);
  tiny_ok(&r.tiny, train(&r, TRAIN("6", "0"), folder, 0, false));
  assert_string_equal(r.checkpoint, path);
  assert_int_equal(r.tiny.model->epoch, epoch);
  tiny_close(&r.tiny);
  /* Killed between the two files: the one that lacks is made of the other. */
  char last[512];
  assert_int_equal(rename(io_path(last, folder, "checkpoint-6.h5"), best), 0);
  end_at(folder, epoch);
  expect_evaluated(folder, path);
  tiny_ok(&r.tiny, train_on(&r, TRAIN("6", "0"), folder, 0, false, "reference"));
  assert_string_equal(r.checkpoint, best);
  snprintf(numbered, sizeof numbered, "checkpoint-%d.h5", (int)r.tiny.model->epoch);
  tiny_close(&r.tiny);
  /* Without either there is nothing to evaluate. */
  assert_int_equal(unlink(best), 0);
  assert_int_equal(link(last, best), 0);
  assert_int_equal(unlink(io_path(path, folder, numbered)), 0);
  tiny_fails(&r.tiny, train(&r, TRAIN("6", "0"), folder, 0, false), EDGEFW_MISMATCH,
             "best.h5' is of epoch 6, and validation was best at epoch");
  tiny_close(&r.tiny);
  assert_int_equal(unlink(best), 0);
  tiny_fails(&r.tiny, train(&r, TRAIN("6", "0"), folder, 0, false), EDGEFW_IO,
             "the best state of this training is lost");
  tiny_close(&r.tiny);
  io_folder_remove(folder);
}

static void a_training_that_ended_early_is_complete(void **state) {
  (void)state;
  char folder[64];
  run r;
  io_folder_create(folder, sizeof folder);
  tiny_ok(&r.tiny, train(&r, TRAIN("9", "1"), folder, 0, false));
  double *expected = values_of(&r);
  const size_t bytes = (size_t)r.tiny.model->parameters->total * sizeof *expected;
  char *before = metrics(folder);
  tiny_close(&r.tiny);
  tiny_ok(&r.tiny, train(&r, TRAIN("9", "1"), folder, 0, false));
  assert_int_equal(r.batches, 0);
  double *found = values_of(&r);
  check_same_bits(found, expected, bytes, "parameters");
  char *after = metrics(folder);
  assert_string_equal(after, before);
  tiny_close(&r.tiny);
  /* With more patience it goes on from there. */
  tiny_ok(&r.tiny, train(&r, TRAIN("9", "9"), folder, 0, false));
  assert_true(r.batches > 0);
  tiny_close(&r.tiny);
  free(expected);
  free(found);
  free(before);
  free(after);
  io_folder_remove(folder);
}

/* Validations are due at their epochs, once; patience counts those behind the best one. */
static void rules(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL, TINY_PLAIN "[train]\nepochs = 10\nvalidate_every = 2\npatience = 2\n",
             "reference");
  const edgefw_options *train_options = tiny.composition->train;
  edgefw__progress p = {.history = {.ctx = tiny.ctx}};
  assert_false(edgefw__validation_is_due(train_options, &p));
  p.epoch = 1;
  assert_false(edgefw__validation_is_due(train_options, &p));
  p.epoch = 2;
  assert_true(edgefw__validation_is_due(train_options, &p));
  p.count = 3; /* within epoch 3 */
  assert_false(edgefw__validation_is_due(train_options, &p));
  p.count = 0;
  static const double costs[] = {5.0, 4.0, 4.0, 4.5};
  for (int v = 0; v < 4; ++v) {
    p.epoch = 2 * (v + 1);
    assert_false(edgefw__training_is_over(train_options, &p));
    assert_true(edgefw__validation_is_due(train_options, &p));
    tiny_ok(&tiny, edgefw__history_validate(&p.history, p.epoch, costs[v]));
    assert_false(edgefw__validation_is_due(train_options, &p));
  }
  assert_int_equal(edgefw__history_best(&p.history), 1); /* the first of equal ones */
  assert_true(edgefw__patience_is_over(train_options, &p.history));
  assert_true(edgefw__training_is_over(train_options, &p));
  edgefw__history_release(&p.history);
  p.epoch = 10;
  assert_true(edgefw__training_is_over(train_options, &p));
  tiny_close(&tiny);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_state_is_kept_and_counts),
      cmocka_unit_test(resumed_equals_uninterrupted),
      cmocka_unit_test(the_best_state_has_two_files),
      cmocka_unit_test(a_training_that_ended_early_is_complete),
      cmocka_unit_test(rules),
  };
  return test_run(tests, NULL, NULL);
}
