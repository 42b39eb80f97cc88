/* Training on several ranks, which are threads here: the same bits as on one.
 * labels: train threads */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
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
  bool stranger; /* ranks behind the first know no such variant */
  bool poisoned; /* a parameter is no number */
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

static edgefw_status work(edgefw__group *group, void *user) {
  job *j = user;
  tiny_model tiny;
  edgefw_context *own = group->ctx;
  tiny_begin(&tiny, NULL, j->text, device());
  group->ctx = tiny.ctx;
  tiny.engine.group = group;
  edgefw_status status = group->rank == 0 ? lead(&tiny, j) : help(&tiny, j);
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_ranks_gives_the_same_bits),
                                     cmocka_unit_test(another_number_of_ranks_goes_on),
                                     cmocka_unit_test(a_failure_reaches_rank_0)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
