/* Ranks that answer the calls of rank 0, with a configuration of their own.
 * labels: train threads */
#include "support/test.h"

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
} job;

static edgefw_status work(edgefw__group *group, void *user) {
  const job *j = user;
  tiny_model tiny;
  edgefw_context *own = group->ctx;
  tiny_begin(&tiny, NULL, CONFIG "[experiment]\ndevice = reference\nthreads = 1\n", "reference");
  group->ctx = tiny.ctx;
  tiny.engine.group = group;
  edgefw_status status = EDGEFW_OK;
  if (group->rank == 0 && j->trains) {
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
    job jobs[3] = {{folder, trains}, {folder, trains}, {folder, trains}};
    toy_ranks_run(3, work, jobs, sizeof *jobs);
  }
  io_folder_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(calls_are_answered_until_the_last)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
