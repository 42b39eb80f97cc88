/* Training on several ranks, which are threads here: the same bits as on one.
 * labels: train threads */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "support/toy_ranks.h"
#include "train/team.h"
#include "train/train.h"

/* Two epochs of three batches, the last of which is smaller. */
#define CONFIG(slice, more)                                                                        \
  TINY_OURS "[train]\nsize = 7\nepochs = 2\ninstances_per_epoch = 17\nbatch = 7\nmilestones = 2\n" \
            "learning_rate = 1e-2\nslice = " slice "\n" more

enum { MOST_TOTAL = 4096 };

/* One rank of a training, and what rank 0 has behind it. */
typedef struct job {
  const char *text, *folder;
  bool stranger;        /* ranks behind the first know no such variant */
  bool poisoned;        /* a parameter is no number */
  bool breaks;          /* its device does, in the second sum of a step */
  int64_t memory;       /* requests for memory after which there is none; 0: there is always some */
  bool short_of_memory; /* it came to that */
  int64_t total;
  double values[MOST_TOTAL], first_moment[MOST_TOTAL], second_moment[MOST_TOTAL];
} job;

static const char *device(void) {
  return tiny_has_device("cpu") ? "cpu" : "reference";
}

static void keep(const tiny_model *tiny, const void *array, int64_t total, double *out) {
  tiny->engine.kernels->download(tiny->engine.device, out, array, total);
}

static edgefw_status lead(tiny_model *tiny, job *j) {
  edgefw_status status =
      edgefw__model_create(&tiny->engine, tiny->composition, 5, true, &tiny->model);
  const edgefw__train_request request = {.model = tiny->model, .folder = j->folder};
  if (status == EDGEFW_OK && j->poisoned) {
    const double none = (double)NAN;
    tiny->engine.kernels->upload(tiny->engine.device, tiny->model->parameters->values, &none, 1);
  }
  if (status == EDGEFW_OK) status = edgefw__train(&request, NULL, 0);
  edgefw__group_dismiss(tiny->engine.group);
  if (status != EDGEFW_OK) return status;
  const edgefw__parameters *parameters = tiny->model->parameters;
  j->total = parameters->total;
  keep(tiny, parameters->values, j->total, j->values);
  keep(tiny, parameters->first_moment, j->total, j->first_moment);
  keep(tiny, parameters->second_moment, j->total, j->second_moment);
  return status;
}

static edgefw_status help(tiny_model *tiny, const job *j) {
  edgefw_status status = EDGEFW_OK;
  while (status == EDGEFW_OK) {
    edgefw__call call = {.kind = 0};
    status = edgefw__group_call(tiny->engine.group, &call);
    if (status != EDGEFW_OK || call.kind == EDGEFW__CALL_QUIT) break;
    status = edgefw__team_serve(&tiny->engine, j->stranger ? NULL : tiny->composition, &call);
  }
  return status;
}

static _Thread_local int sums_left; /* until the device breaks */
static _Thread_local const edgefw_kernels *whole;

static edgefw_status break_down(edgefw_device *on, const edgefw_weighted_sum_args *args) {
  return --sums_left > 0 ? whole->weighted_sum(on, args) : EDGEFW_IO;
}

static edgefw_status work(edgefw__group *group, void *user) {
  job *j = user;
  tiny_model tiny;
  failing_allocator memory;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  edgefw_context *own = group->ctx;
  tiny_begin(&tiny, &allocator, j->text, device());
  edgefw_kernels kernels = *tiny.engine.kernels;
  whole = tiny.engine.kernels;
  sums_left = 2;
  kernels.weighted_sum = break_down;
  if (j->breaks) tiny.engine.kernels = &kernels;
  group->ctx = tiny.ctx;
  tiny.engine.group = group;
  if (j->memory > 0) failing_allocator_arm(&memory, j->memory - 1);
  edgefw_status status = group->rank == 0 ? lead(&tiny, j) : help(&tiny, j);
  j->short_of_memory = failing_allocator_failed(&memory);
  failing_allocator_disarm(&memory);
  tiny.engine.kernels = whole;
  if (status != EDGEFW_OK) status = edgefw_fail(own, status, "%s", edgefw_message(tiny.ctx));
  tiny_close(&tiny);
  group->ctx = own;
  return status;
}

/* Train on so many ranks; the first job has what came of it. free() */
static job *train(const char *text, int ranks, const char *folder) {
  job *jobs = calloc((size_t)ranks, sizeof *jobs);
  assert_non_null(jobs);
  for (int r = 0; r < ranks; ++r) jobs[r] = (job){.text = text, .folder = folder};
  toy_ranks_run(ranks, work, jobs, sizeof *jobs);
  assert_true(jobs[0].total > 0 && jobs[0].total <= MOST_TOTAL);
  return jobs;
}

static void compare(const job *actual, const job *expected) {
  const size_t bytes = (size_t)expected->total * sizeof(double);
  check_same_bits(actual->values, expected->values, bytes, "parameters");
  check_same_bits(actual->first_moment, expected->first_moment, bytes, "first moments");
  check_same_bits(actual->second_moment, expected->second_moment, bytes, "second moments");
}

static void any_number_of_ranks_gives_the_same_bits(void **state) {
  (void)state;
  static const char *const texts[] = {
      CONFIG("2", "ema = 0.9\nvalidate_every = 1\nvalidation_instances = 3\n"),
      CONFIG("3", "objective = imitation\nlabels = search\nlabel_starts = 2\nlabel_kicks = 1\n"),
      CONFIG("0", "objective = preference\n")};
  for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) {
    job *expected = NULL;
    for (int ranks = 1; ranks <= 4; ++ranks) {
      char folder[64];
      io_folder_create(folder, sizeof folder);
      job *jobs = train(texts[t], ranks, folder);
      if (expected) compare(&jobs[0], expected);
      if (expected)
        free(jobs);
      else
        expected = jobs;
      io_folder_remove(folder);
    }
    free(expected);
  }
}

/* An epoch on four ranks, the next one on three, against both on one. */
static void another_number_of_ranks_goes_on(void **state) {
  (void)state;
#define EPOCHS(epochs)                                                                             \
  TINY_OURS "[train]\nsize = 7\nepochs = " epochs "\ninstances_per_epoch = 9\nbatch = 9\n"         \
            "slice = 2\nmilestones = 2\ncheckpoint_every = 1\n"
  char folder[64], other[64];
  io_folder_create(folder, sizeof folder);
  io_folder_create(other, sizeof other);
  free(train(EPOCHS("1"), 4, folder));
  job *resumed = train(EPOCHS("2"), 3, folder);
  job *expected = train(EPOCHS("2"), 1, other);
  compare(resumed, expected);
  free(expected);
  free(resumed);
  io_folder_remove(other);
  io_folder_remove(folder);
}

/* What fails on one rank ends the call on all, and the message says where it was. */
static void a_failure_reaches_rank_0(void **state) {
  (void)state;
  char folder[64], messages[2][512];
  edgefw_status statuses[2];
  io_folder_create(folder, sizeof folder);
  job *jobs = calloc(2, sizeof *jobs);
  assert_non_null(jobs);
  jobs[0] = (job){.text = CONFIG("2", ""), .folder = folder};
  jobs[1] = (job){.text = CONFIG("2", ""), .folder = folder, .stranger = true};
  toy_ranks_try(2, work, jobs, sizeof *jobs, statuses, messages);
  assert_int_equal(statuses[0], EDGEFW_MISMATCH);
  assert_int_equal(statuses[1], EDGEFW_OK);
  assert_non_null(strstr(messages[0], "rank 1 on host1: it knows no variant"));
  jobs[0] = (job){.text = CONFIG("2", ""), .folder = folder, .poisoned = true};
  jobs[1] = jobs[0];
  toy_ranks_try(2, work, jobs, sizeof *jobs, statuses, messages);
  assert_int_equal(statuses[0], EDGEFW_NUMERIC);
  assert_int_equal(statuses[1], EDGEFW_OK);
  free(jobs);
  io_folder_remove(folder);
}

/* A device that fails while slices are added up keeps its rank from no exchange. */
static void a_broken_device_leaves_nobody_waiting(void **state) {
  (void)state;
  char folder[64], messages[3][512];
  edgefw_status statuses[3];
  job *jobs = calloc(3, sizeof *jobs);
  assert_non_null(jobs);
  io_folder_create(folder, sizeof folder);
  for (int r = 0; r < 3; ++r)
    jobs[r] = (job){.text = CONFIG("2", ""), .folder = folder, .breaks = r == 1};
  toy_ranks_try(3, work, jobs, sizeof *jobs, statuses, messages);
  assert_int_equal(statuses[0], EDGEFW_IO);
  assert_int_equal(statuses[1], EDGEFW_OK);
  assert_int_equal(statuses[2], EDGEFW_OK);
  assert_non_null(strstr(messages[0], "rank 1 on host1"));
  free(jobs);
  io_folder_remove(folder);
}

/* Wherever a rank runs out of memory, all come to an end, and one of them says why. */
static void a_rank_without_memory_leaves_nobody_waiting(void **state) {
  (void)state;
  job *jobs = calloc(2, sizeof *jobs);
  assert_non_null(jobs);
  bool fails = true;
  for (int64_t at = 1; fails; at += 3) {
    char folder[64], messages[2][512];
    edgefw_status statuses[2];
    io_folder_create(folder, sizeof folder);
    jobs[0] = (job){.text = CONFIG("2", ""), .folder = folder};
    jobs[1] = (job){.text = CONFIG("2", ""), .folder = folder, .memory = at};
    toy_ranks_try(2, work, jobs, sizeof *jobs, statuses, messages);
    fails = jobs[1].short_of_memory;
    if (fails) {
      assert_int_not_equal(statuses[0], EDGEFW_OK);
      assert_true(strstr(messages[0], "rank 1 on host1: out of memory") ||
                  (strstr(messages[1], "out of memory") && strstr(messages[1], "(rank 1 of 2)")));
    }
    io_folder_remove(folder);
  }
  free(jobs);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_ranks_gives_the_same_bits),
                                     cmocka_unit_test(another_number_of_ranks_goes_on),
                                     cmocka_unit_test(a_failure_reaches_rank_0),
                                     cmocka_unit_test(a_broken_device_leaves_nobody_waiting),
                                     cmocka_unit_test(a_rank_without_memory_leaves_nobody_waiting)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
