/* Ranks that answer the calls of rank 0, with a configuration of their own.
 * labels: train threads */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "experiment/follow.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "support/toy_ranks.h"
#include "train/train.h"

#define CONFIG                                                                                     \
  TINY_PLAIN "[train]\nsize = 6\nepochs = 1\ninstances_per_epoch = 6\nbatch = 6\nslice = 2\n"

typedef struct job {
  const char *folder;
  bool trains;
  const char *device; /* of rank 1 */
} job;

static edgefw_status work(edgefw__group *group, void *user) {
  const job *j = user;
  tiny_model tiny;
  edgefw_context *own = group->ctx;
  char text[2048];
  snprintf(text, sizeof text, CONFIG "[experiment]\ndevice = %s\nthreads = 1\n",
           group->rank == 1 && j->device ? j->device : "reference");
  tiny_begin(&tiny, NULL, text, "reference");
  group->ctx = tiny.ctx;
  tiny.engine.group = group;
  edgefw_status status = group->rank == 0 ? edgefw__group_agree(group, EDGEFW_OK) : EDGEFW_OK;
  if (group->rank == 0 && status == EDGEFW_OK && j->trains) {
    status = edgefw__model_create(&tiny.engine, tiny.composition, 5, true, &tiny.model);
    if (status == EDGEFW_OK)
      status = edgefw__train(&(edgefw__train_request){.model = tiny.model, .folder = j->folder},
                             NULL, 0);
  }
  if (group->rank == 0)
    edgefw__group_dismiss(group);
  else
    status = edgefw__experiment_follow(tiny.ctx, tiny.registry, tiny.config, group);
  if (status != EDGEFW_OK) status = edgefw_fail(own, status, "%s", edgefw_message(tiny.ctx));
  tiny_close(&tiny);
  group->ctx = own;
  return status;
}

static void calls_are_answered_until_the_last(void **state) {
  (void)state;
  char folder[64];
  io_folder_create(folder, sizeof folder);
  for (int trains = 0; trains < 2; ++trains) {
    job jobs[3] = {{folder, trains, NULL}, {folder, trains, NULL}, {folder, trains, NULL}};
    toy_ranks_run(3, work, jobs, sizeof *jobs);
  }
  io_folder_remove(folder);
}

/* Before any call: a rank whose device cannot be opened. */
static void a_rank_without_its_device_is_named(void **state) {
  (void)state;
  edgefw_status statuses[3];
  char messages[3][512];
  job jobs[3] = {{NULL, false, NULL}, {NULL, false, "nowhere"}, {NULL, false, NULL}};
  toy_ranks_try(3, work, jobs, sizeof *jobs, statuses, messages);
  assert_int_not_equal(statuses[0], EDGEFW_OK);
  assert_non_null(strstr(messages[0], "rank 1 on host1: "));
  assert_non_null(strstr(messages[0], "nowhere"));
  assert_int_equal(statuses[1], EDGEFW_OK);
  assert_int_equal(statuses[2], EDGEFW_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(calls_are_answered_until_the_last),
                                     cmocka_unit_test(a_rank_without_its_device_is_named)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
