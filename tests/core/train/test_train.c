/* The training loop: epochs, files, interruption and exact resumption.
 * labels: train */
#include "support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "policy/model_file.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "support/toy_gpu.h"
#include "train/train.h"

/* Three epochs of four steps, the last of which has one instance. */
#define EPOCHS 3
#define STEPS  4
#define CONFIG_OF(batch, epochs)                                                                   \
  TINY_OURS "[train]\nsize = 6\ninstances_per_epoch = 10\nbatch = " batch                          \
            "\nlearning_rate = 1e-3\nmilestones = 2\ngamma = 0.5\nepochs = " epochs                \
            "\ncheckpoint_every = 2\n"
#define CONFIG(more) CONFIG_OF("3", "3") more

static const char *device(void) {
  return tiny_has_device("cpu") ? "cpu" : "reference";
}

/* What the observer saw, and the flag that it raises after `stop_after` batches. */
typedef struct witness {
  volatile int flag;
  int64_t stop_after; /* 0: never */
  int64_t batches, epochs;
  uint64_t instances;
  edgefw__train_state last;
  double rates[EPOCHS];
  failing_allocator *memory; /* counts allocations from the third batch on, when given */
  int64_t requests;
} witness;

static void observe(void *user, const edgefw__train_state *state) {
  witness *w = user;
  w->last = *state;
  if (state->epoch_done) {
    w->rates[state->epoch - 1] = state->learning_rate;
    ++w->epochs;
    return;
  }
  ++w->batches;
  w->instances = state->instances;
  if (w->memory && w->batches == 2) w->requests = failing_allocator_requests(w->memory);
  if (w->memory && w->batches > 2)
    assert_int_equal(failing_allocator_requests(w->memory), w->requests);
  if (w->batches == w->stop_after) w->flag = 1;
}

typedef struct run {
  tiny_model tiny;
  witness seen;
  char checkpoint[256];
} run;

/* Train in `folder`, stopping after `stop_after` batches (0: to the end); run_close afterwards. */
static edgefw_status train(run *r, const char *text, const char *folder, int64_t stop_after,
                           bool fresh) {
  *r = (run){.seen = {.stop_after = stop_after}};
  tiny_open(&r->tiny, text, device(), 1234, true);
  edgefw_set_interrupt(r->tiny.ctx, &r->seen.flag);
  const edgefw__train_request request = {.model = r->tiny.model,
                                         .folder = folder,
                                         .fresh = fresh,
                                         .observer = observe,
                                         .observer_user = &r->seen};
  return edgefw__train(&request, r->checkpoint, sizeof r->checkpoint);
}

static bool exists(const char *folder, const char *name) {
  char path[160];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

/* metrics.csv with the last column (seconds) cut off; free(). */
static char *metrics(const char *folder) {
  char path[160], line[512];
  snprintf(path, sizeof path, "%s/metrics.csv", folder);
  char *text = calloc(1, 4096);
  FILE *file = fopen(path, "r");
  assert_true(text && file);
  while (fgets(line, sizeof line, file)) {
    char *comma = strrchr(line, ',');
    assert_non_null(comma);
    strncat(text, line, (size_t)(comma - line));
    strcat(text, "\n");
  }
  fclose(file);
  return text;
}

static void an_uninterrupted_run_leaves_its_files(void **state) {
  (void)state;
  char folder[64], deep[96], expected[160];
  io_folder_create(folder, sizeof folder);
  snprintf(deep, sizeof deep, "%s/runs/ours", folder); /* made on the way */
  run r;
  tiny_ok(&r.tiny, train(&r, CONFIG(""), deep, 0, false));
  assert_int_equal(r.seen.batches, EPOCHS * STEPS);
  assert_int_equal(r.seen.epochs, EPOCHS);
  assert_int_equal(r.seen.instances, EPOCHS * 10);
  assert_int_equal(r.seen.last.session_instances, EPOCHS * 10);
  assert_true(r.seen.last.epoch_done && r.seen.last.epoch == EPOCHS);
  assert_true(r.seen.last.score > 0.0 && r.seen.last.gradient_norm > 0.0);
  assert_true(r.seen.rates[0] == 1e-3 && r.seen.rates[1] == 5e-4 && r.seen.rates[2] == 5e-4);
  assert_false(exists(deep, "checkpoint-1.h5"));
  assert_true(exists(deep, "checkpoint-2.h5")); /* every second one */
  assert_true(exists(deep, "checkpoint-3.h5")); /* and the last */
  snprintf(expected, sizeof expected, "%s/checkpoint-3.h5", deep);
  assert_string_equal(r.checkpoint, expected);
  char *text = metrics(deep);
  assert_non_null(strstr(text, "epoch,score,loss,gradient_norm,learning_rate,instances\n1,"));
  assert_non_null(strstr(text, ",0.0005,30\n"));
  free(text);
  tiny_close(&r.tiny);
  io_folder_remove(folder);
}

/* The file holds what the model holds. */
static void the_last_checkpoint_is_the_model(void **state) {
  (void)state;
  char folder[64];
  io_folder_create(folder, sizeof folder);
  run r;
  tiny_ok(&r.tiny, train(&r, CONFIG(""), folder, 0, false));
  const int64_t total = r.tiny.model->parameters->total;
  double *trained = tiny_download(&r.tiny, r.tiny.model->parameters->values, total);
  tiny_model other;
  tiny_open(&other, CONFIG(""), device(), 1, false);
  tiny_ok(&other, edgefw__model_load(other.model, r.checkpoint));
  double *loaded = tiny_download(&other, other.model->parameters->values, total);
  check_same_bits(loaded, trained, (size_t)total * sizeof *loaded, "parameters");
  free(loaded);
  free(trained);
  tiny_close(&other);
  tiny_close(&r.tiny);
  io_folder_remove(folder);
}

/* Stopped after 1, 2, ... batches and started again: parameters, moments and metrics as if never
 * stopped. */
static void resumed_equals_uninterrupted(void **state) {
  (void)state;
  char folder[64];
  run whole;
  io_folder_create(folder, sizeof folder);
  tiny_ok(&whole.tiny, train(&whole, CONFIG(""), folder, 0, false));
  char *expected_metrics = metrics(folder);
  io_folder_remove(folder);
  const edgefw__parameters *expected = whole.tiny.model->parameters;
  const size_t bytes = (size_t)expected->total * sizeof(float);
  for (int64_t stop = 1; stop < EPOCHS * STEPS; ++stop) {
    run first, second;
    io_folder_create(folder, sizeof folder);
    const edgefw_status status = train(&first, CONFIG(""), folder, stop, false);
    assert_int_equal(first.seen.batches, stop);
    tiny_fails(&first.tiny, status, EDGEFW_INTERRUPTED, "goes on from there");
    tiny_close(&first.tiny);
    tiny_ok(&second.tiny, train(&second, CONFIG(""), folder, 0, false));
    assert_int_equal(second.seen.batches, EPOCHS * STEPS - stop);
    const edgefw__parameters *found = second.tiny.model->parameters;
    check_same_bits(found->values, expected->values, bytes, "parameters");
    check_same_bits(found->first_moment, expected->first_moment, bytes, "first moments");
    check_same_bits(found->second_moment, expected->second_moment, bytes, "second moments");
    char *found_metrics = metrics(folder);
    assert_string_equal(found_metrics, expected_metrics);
    free(found_metrics);
    tiny_close(&second.tiny);
    io_folder_remove(folder);
  }
  free(expected_metrics);
  tiny_close(&whole.tiny);
}

/* The file of a state inside an epoch gives way to that of the finished epoch. */
static void a_finished_epoch_replaces_its_partial_file(void **state) {
  (void)state;
  char folder[64];
  run r;
  io_folder_create(folder, sizeof folder);
  tiny_fails(&r.tiny, train(&r, CONFIG(""), folder, 2, false), EDGEFW_INTERRUPTED,
             "in epoch 1 after step 2 of 4");
  tiny_close(&r.tiny);
  assert_true(exists(folder, "checkpoint-1.h5"));
  tiny_fails(&r.tiny, train(&r, CONFIG(""), folder, 3, false), EDGEFW_INTERRUPTED,
             "in epoch 2 after step 1 of 4"); /* steps 3 and 4 of epoch 1, then one of epoch 2 */
  tiny_close(&r.tiny);
  char path[96];
  snprintf(path, sizeof path, "%s/checkpoint-2.h5", folder);
  assert_int_equal(remove(path), 0);
  tiny_ok(&r.tiny, train(&r, CONFIG(""), folder, 0, false));
  assert_int_equal(r.seen.batches, 2 * STEPS); /* epoch 1 was there as a whole */
  tiny_close(&r.tiny);
  io_folder_remove(folder);
}

static void a_finished_run_trains_no_further(void **state) {
  (void)state;
  char folder[64], path[96];
  run r;
  io_folder_create(folder, sizeof folder);
  tiny_ok(&r.tiny, train(&r, CONFIG(""), folder, 0, false));
  char *before = metrics(folder);
  tiny_close(&r.tiny);
  snprintf(path, sizeof path, "%s/metrics.csv", folder);
  assert_int_equal(remove(path), 0);
  tiny_ok(&r.tiny, train(&r, CONFIG(""), folder, 0, false));
  assert_int_equal(r.seen.batches, 0);
  assert_non_null(strstr(r.checkpoint, "checkpoint-3.h5"));
  char *after = metrics(folder); /* written again from the checkpoint */
  assert_string_equal(after, before);
  free(before);
  free(after);
  tiny_close(&r.tiny);
  io_folder_remove(folder);
}

static void fresh_forgets_what_was_there(void **state) {
  (void)state;
  char folder[64];
  run r;
  io_folder_create(folder, sizeof folder);
  tiny_ok(&r.tiny, train(&r, CONFIG(""), folder, 0, false));
  tiny_close(&r.tiny);
  tiny_fails(&r.tiny, train(&r, CONFIG(""), folder, 1, true), EDGEFW_INTERRUPTED, "epoch 1");
  tiny_close(&r.tiny);
  assert_true(exists(folder, "checkpoint-1.h5"));
  assert_false(exists(folder, "checkpoint-3.h5")); /* a resumption must not find it */
  io_folder_remove(folder);
}

static void an_interrupt_before_the_first_batch_stops(void **state) {
  (void)state;
  char folder[64];
  io_folder_create(folder, sizeof folder);
  const volatile int raised = 1;
  tiny_model tiny;
  tiny_open(&tiny, CONFIG(""), device(), 1234, true);
  edgefw_set_interrupt(tiny.ctx, &raised);
  const edgefw__train_request request = {.model = tiny.model, .folder = folder};
  tiny_fails(&tiny, edgefw__train(&request, NULL, 0), EDGEFW_INTERRUPTED, "after step 0 of 4");
  tiny_close(&tiny);
  run r;
  tiny_ok(&r.tiny, train(&r, CONFIG(""), folder, 0, false));
  assert_int_equal(r.seen.batches, EPOCHS * STEPS);
  tiny_close(&r.tiny);
  io_folder_remove(folder);
}

static void no_epochs_leave_the_initial_model(void **state) {
  (void)state;
  char folder[64];
  run r;
  io_folder_create(folder, sizeof folder);
  tiny_ok(&r.tiny, train(&r, TINY_OURS "[train]\nepochs = 0\n", folder, 0, false));
  assert_int_equal(r.seen.batches, 0);
  assert_non_null(strstr(r.checkpoint, "checkpoint-0.h5"));
  assert_true(exists(folder, "checkpoint-0.h5"));
  tiny_close(&r.tiny);
  io_folder_remove(folder);
}

/* A checkpoint that this configuration could not have made is refused. */
static void expect_refused(const char *text, const char *part) {
  char folder[64];
  run r;
  io_folder_create(folder, sizeof folder);
  tiny_fails(&r.tiny, train(&r, CONFIG(""), folder, 6, false), EDGEFW_INTERRUPTED, "epoch 2");
  tiny_close(&r.tiny);
  tiny_fails(&r.tiny, train(&r, text, folder, 0, false), EDGEFW_MISMATCH, part);
  assert_int_equal(r.seen.batches, 0);
  tiny_close(&r.tiny);
  io_folder_remove(folder);
}

static void another_configuration_is_refused(void **state) {
  (void)state;
  expect_refused(CONFIG_OF("5", "3"), "[train] batch is '3' there and '5' here");
  expect_refused(CONFIG("[experiment]\nseed = 9\n"), "[experiment] seed is '1234' there");
}

static void fewer_epochs_than_done_are_refused(void **state) {
  (void)state;
  expect_refused(CONFIG_OF("3", "0"), "[train] epochs = 0");
}

static void another_model_is_refused(void **state) {
  (void)state;
  expect_refused(TINY_PLAIN "[train]\nsize = 6\ninstances_per_epoch = 10\nbatch = 3\nepochs = 3\n",
                 "list of terms");
}

static void a_number_that_is_none_stops_training(void **state) {
  (void)state;
  char folder[64];
  io_folder_create(folder, sizeof folder);
  tiny_model tiny;
  tiny_open(&tiny, CONFIG(""), device(), 1234, true);
  const edgefw__parameters *parameters = tiny.model->parameters;
  const int index = edgefw__parameters_find(parameters, "projection.weight");
  const double nan = (double)NAN;
  tiny_upload(&tiny, edgefw__parameters_at(parameters, parameters->values, index), &nan, 1);
  const edgefw__train_request request = {.model = tiny.model, .folder = folder};
  tiny_fails(&tiny, edgefw__train(&request, NULL, 0), EDGEFW_NUMERIC,
             "epoch 1, step 1, seed 1234, first instance 0");
  tiny_close(&tiny);
  io_folder_remove(folder);
}

/* On a device with memory of its own: by the estimate, and when that was too low. */
static void a_device_without_room_names_the_batch(void **state) {
  (void)state;
  char folder[64];
  sandbox box;
  tiny_model tiny;
  io_folder_create(folder, sizeof folder);
  sandbox_create(&box);
  tiny_open_gpu(&tiny, &box, CONFIG(""), 1234, true);
  toy_gpu_counts *gpu = toy_gpu_state(tiny.registry);
  const edgefw__train_request request = {.model = tiny.model, .folder = folder};
  edgefw__memory bytes = {0};
  tiny_ok(&tiny, edgefw__policy_bytes(tiny.model, 2, 6, 0, true, &bytes));
  gpu->taken = ((size_t)1 << 30) - gpu->used - bytes.device * 9 / 8;
  tiny_fails(
      &tiny, edgefw__train(&request, NULL, 0), EDGEFW_OUT_OF_MEMORY,
      "[train] batch = 3 of 6 nodes does not fit into 0 MiB of the memory of device cuda; at "
      "most 1 instances do");
  gpu->taken = 0;
  gpu->decode_limit = 2;
  tiny_fails(&tiny, edgefw__train(&request, NULL, 0), EDGEFW_OUT_OF_MEMORY,
             "lower [train] batch = 3");
  tiny_close(&tiny);
  sandbox_remove(&box);
  io_folder_remove(folder);
}

static void a_folder_that_cannot_be_made_is_named(void **state) {
  (void)state;
  run r;
  tiny_fails(&r.tiny, train(&r, CONFIG(""), "/dev/null/runs", 0, false), EDGEFW_IO, "/dev/null");
  tiny_close(&r.tiny);
}

/* On one thread: a device may get a thread's scratch memory when that thread first works. */
static void the_loop_allocates_nothing(void **state) {
  (void)state;
  if (!tiny_has_device("cpu")) skip();
  char folder[64];
  io_folder_create(folder, sizeof folder);
  failing_allocator memory;
  witness seen = {.memory = &memory};
  tiny_model tiny;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  tiny_begin(&tiny, &allocator,
             TINY_OURS "[train]\nsize = 8\ninstances_per_epoch = 190\nbatch = 4\nepochs = 1\n",
             "cpu");
  tiny_ok(&tiny, edgefw__model_create(&tiny.engine, tiny.composition, 1, true, &tiny.model));
  const edgefw__train_request request = {
      .model = tiny.model, .folder = folder, .observer = observe, .observer_user = &seen};
  tiny_ok(&tiny, edgefw__train(&request, NULL, 0));
  assert_int_equal(seen.batches, 48);
  tiny_close(&tiny);
  assert_int_equal(failing_allocator_live(&memory), 0);
  io_folder_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_uninterrupted_run_leaves_its_files),
      cmocka_unit_test(the_last_checkpoint_is_the_model),
      cmocka_unit_test(resumed_equals_uninterrupted),
      cmocka_unit_test(a_finished_epoch_replaces_its_partial_file),
      cmocka_unit_test(a_finished_run_trains_no_further),
      cmocka_unit_test(fresh_forgets_what_was_there),
      cmocka_unit_test(an_interrupt_before_the_first_batch_stops),
      cmocka_unit_test(no_epochs_leave_the_initial_model),
      cmocka_unit_test(another_configuration_is_refused),
      cmocka_unit_test(fewer_epochs_than_done_are_refused),
      cmocka_unit_test(another_model_is_refused),
      cmocka_unit_test(a_number_that_is_none_stops_training),
      cmocka_unit_test(a_device_without_room_names_the_batch),
      cmocka_unit_test(a_folder_that_cannot_be_made_is_named),
      cmocka_unit_test(the_loop_allocates_nothing),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
