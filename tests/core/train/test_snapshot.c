/* Snapshots of training: round trips, and what a folder keeps of them.
 * labels: train oom */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "files/checkpoint.h"
#include "support/check.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/objectives/reinforce.h"
#include "train/snapshot.h"
#include "train/train.h"

typedef struct fixture {
  char folder[64], path[96];
  tiny_model tiny; /* trained for one step, float */
  edgefw__progress progress;
} fixture;

static void train_once(tiny_model *tiny) {
  edgefw__batch *batch = tiny_batch(tiny, 6, 3, 0, 2);
  edgefw__policy *policy = tiny_policy(tiny, 2, 6, true);
  const edgefw__rollout_request request = {
      .clip = 10.0, .select = EDGEFW_SELECT_SAMPLE, .objective = &edgefw__reinforce};
  double norm = 0.0;
  tiny_ok(tiny, edgefw__train_step(policy, batch, &request, 1, 1e-3, &norm));
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny->ctx, batch);
}

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  io_folder_create(f->folder, sizeof f->folder);
  snprintf(f->path, sizeof f->path, "%s/checkpoint-3.h5", f->folder);
  tiny_open(&f->tiny, TINY_OURS, "reference", 5, true);
  train_once(&f->tiny);
  f->progress = (edgefw__progress){.epoch = 2,
                                   .step = 27,
                                   .instances = 104,
                                   .score_sum = 1.0 / 3.0,
                                   .loss_sum = -1e-300,
                                   .count = 4,
                                   .seconds = 0.1,
                                   .history = {.ctx = f->tiny.ctx}};
  const double rows[2][EDGEFW__METRIC_COUNT] = {{0.1, 2, 3, 4, 50, 0.7}, {1.1, 2.2, 3, 4, 100, 9}};
  for (int r = 0; r < 2; ++r)
    tiny_ok(&f->tiny, edgefw__history_append(&f->progress.history, rows[r]));
  for (int v = 0; v < 2; ++v)
    tiny_ok(&f->tiny, edgefw__history_validate(&f->progress.history, v + 1, 1.0 / (v + 3)));
  f->progress.init_digest = UINT64_C(0xfedcba9876543210);
  tiny_ok(&f->tiny, edgefw__snapshot_save(f->tiny.model, &f->progress, f->path));
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  edgefw__history_release(&f->progress.history);
  tiny_close(&f->tiny);
  io_folder_remove(f->folder);
  free(f);
  return 0;
}

static void a_round_trip_keeps_every_bit(void **state) {
  const fixture *f = *state;
  tiny_model other;
  tiny_open(&other, TINY_OURS, "reference", 99, true); /* another start */
  edgefw__progress progress = {.history = {.ctx = other.ctx}};
  tiny_ok(&other, edgefw__snapshot_restore(other.model, f->path, &progress));
  const edgefw__parameters *a = f->tiny.model->parameters, *b = other.model->parameters;
  const size_t bytes = (size_t)a->total * sizeof(float);
  check_same_bits(b->values, a->values, bytes, "parameters");
  check_same_bits(b->first_moment, a->first_moment, bytes, "first moments");
  check_same_bits(b->second_moment, a->second_moment, bytes, "second moments");
  assert_int_equal(progress.epoch, 2);
  assert_int_equal(progress.step, 27);
  assert_int_equal(progress.instances, 104);
  assert_int_equal(progress.count, 4);
  assert_true(progress.score_sum == 1.0 / 3.0 && progress.loss_sum == -1e-300);
  assert_true(progress.seconds == 0.1);
  assert_int_equal(progress.history.count, 2);
  for (int c = 0; c < EDGEFW__METRIC_COUNT; ++c)
    check_same_bits(progress.history.columns[c], f->progress.history.columns[c], 2 * sizeof(double),
                    edgefw__metric_name((edgefw__metric)c));
  assert_int_equal(progress.history.validation_count, 2);
  assert_int_equal(progress.history.validations[1].epoch, 2);
  assert_true(progress.history.validations[1].cost == 0.25);
  assert_true(progress.init_digest == f->progress.init_digest);
  edgefw__history_release(&progress.history);
  tiny_close(&other);
}

static void meta_names_the_composition(void **state) {
  tiny_require_term("edge");
  tiny_require_term("closure");
  tiny_require_term("lookahead");
  const fixture *f = *state;
  edgefw__checkpoint *checkpoint = NULL;
  tiny_ok(&f->tiny, edgefw__checkpoint_open(f->tiny.ctx, f->path, &checkpoint));
  const edgefw__checkpoint_meta *meta = &edgefw__checkpoint_content_of(checkpoint)->meta;
  assert_string_equal(meta->problem, "atsp");
  assert_string_equal(meta->backbone, "radar");
  assert_string_equal(meta->terms, "edge, closure, lookahead");
  assert_string_equal(meta->plugins,
                      "atsp 1.0.0, radar 1.0.0, edge 1.0.0, closure 1.0.0, lookahead 1.0.0");
  assert_string_equal(meta->config, f->tiny.composition->text);
  edgefw__checkpoint_close(checkpoint);
}

/* Save the progress with one number spoiled, and expect it to be refused. */
static void expect_spoiled(fixture *f, double *number, double value, const char *message) {
  const double kept = *number;
  char path[128];
  snprintf(path, sizeof path, "%s/checkpoint-9.h5", f->folder);
  *number = value;
  tiny_ok(&f->tiny, edgefw__snapshot_save(f->tiny.model, &f->progress, path));
  *number = kept;
  edgefw__progress progress = {.history = {.ctx = f->tiny.ctx}};
  tiny_fails(&f->tiny, edgefw__snapshot_restore(f->tiny.model, path, &progress), EDGEFW_FORMAT,
             message);
  edgefw__history_release(&progress.history);
  unlink(path);
}

static void a_history_that_cannot_be_is_refused(void **state) {
  fixture *f = *state;
  double *const *columns = f->progress.history.columns;
  expect_spoiled(f, &columns[EDGEFW__METRIC_SECONDS][1], -1.0,
                 "the metric seconds of epoch 2 is -1");
  expect_spoiled(f, &columns[EDGEFW__METRIC_GRADIENT_NORM][0], -0.5,
                 "the metric gradient_norm of epoch 1 is -0.5");
  expect_spoiled(f, &columns[EDGEFW__METRIC_LOSS][0], (double)NAN, "the metric 'loss' holds nan");
  edgefw__validated *validations = f->progress.history.validations;
  expect_spoiled(f, &validations[1].cost, (double)NAN, "the metric 'validation' holds nan");
  validations[1].epoch = 3; /* of two */
  expect_spoiled(f, &validations[1].cost, 1.0, "validation 2 is of epoch 3, expected 2 to 2");
  validations[1].epoch = 1;
  expect_spoiled(f, &validations[1].cost, 1.0, "validation 2 is of epoch 1, expected 2 to 2");
  validations[1].epoch = 2;
  validations[0].epoch = 0;
  expect_spoiled(f, &validations[1].cost, 1.0, "validation 1 is of epoch 0, expected 1 to 2");
  validations[0].epoch = 1;
  expect_spoiled(f, &f->progress.loss_sum, (double)INFINITY, "the sum 'loss_sum' holds inf");
  expect_spoiled(f, &f->progress.seconds, -2.0, "the running epoch took -2 seconds");
}

static void only_checkpoints_are_removed(void **state) {
  fixture *f = *state;
  static const char *const names[] = {"checkpoint-1.h5",     "checkpoint-22.h5", "best.h5",
                                      "checkpoint-1.h5.old", "metrics.csv",      "checkpoint-x.h5"};
  char folder[64], path[128];
  io_folder_create(folder, sizeof folder);
  for (int i = 0; i < 6; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
  }
  tiny_ok(&f->tiny, edgefw__snapshot_remove_all(f->tiny.ctx, folder));
  for (int i = 0; i < 6; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    assert_int_equal(access(path, F_OK) == 0, i >= 3);
  }
  io_folder_remove(folder);
  tiny_ok(&f->tiny, edgefw__snapshot_remove_all(f->tiny.ctx, folder)); /* no folder, no files */
}

static void every_allocation_of_a_load_may_fail(void **state) {
  const fixture *f = *state;
  failing_allocator memory;
  tiny_model other;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  tiny_begin(&other, &allocator, TINY_OURS, "reference");
  tiny_ok(&other, edgefw__model_create(&other.engine, other.composition, 1, true, &other.model));
  const int64_t live = failing_allocator_live(&memory);
  edgefw_status status = EDGEFW_OUT_OF_MEMORY;
  for (int64_t allowed = 0; status != EDGEFW_OK; ++allowed) {
    edgefw__progress progress = {.history = {.ctx = other.ctx}};
    failing_allocator_arm(&memory, allowed);
    status = edgefw__snapshot_restore(other.model, f->path, &progress);
    failing_allocator_disarm(&memory);
    edgefw__history_release(&progress.history);
    assert_int_equal(failing_allocator_live(&memory), live);
    if (status != EDGEFW_OK) tiny_fails(&other, status, EDGEFW_OUT_OF_MEMORY, "out of memory");
  }
  tiny_close(&other);
  assert_int_equal(failing_allocator_live(&memory), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_round_trip_keeps_every_bit),
      cmocka_unit_test(meta_names_the_composition),
      cmocka_unit_test(a_history_that_cannot_be_is_refused),
      cmocka_unit_test(only_checkpoints_are_removed),
      cmocka_unit_test(every_allocation_of_a_load_may_fail),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, setup, teardown);
}
