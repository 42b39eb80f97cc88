/* A whole run as a library call: results, progress, interruption.
 * labels: train oom */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/results.h"
#include "experiment/run.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"
#include "support/cli.h"
#include "support/failing_allocator.h"

#define CONFIG                                                                                     \
  TINY_PLAIN "[train]\nsize = 6\nepochs = 2\ninstances_per_epoch = 4\nbatch = 2\nmilestones = 1\n" \
             "checkpoint_every = 1\n[eval]\nsizes = 5, 6\ninstances = 2\n"

typedef struct witness {
  volatile int flag;
  int stop_at; /* calls until the flag goes up; 0: never */
  int training, evaluating;
} witness;

static void watch(void *user, const edgefw__run_progress *progress) {
  witness *w = user;
  assert_true(progress->done <= progress->total && progress->total > 0);
  if (isnan(progress->score))
    ++w->evaluating;
  else
    ++w->training;
  if (w->training + w->evaluating == w->stop_at) w->flag = 1;
}

/* Run in box/NAME; the table is thrown away. */
static edgefw_status run(const sandbox *box, const char *name, int stop_at, unsigned steps,
                         witness *w) {
  tiny_model tiny;
  *w = (witness){.stop_at = stop_at};
  tiny_begin(&tiny, NULL, CONFIG, "reference");
  edgefw_set_interrupt(tiny.ctx, &w->flag);
  const edgefw__run_request request = {.registry = tiny.registry,
                                       .config = tiny.config,
                                       .folder = sandbox_path(box, name),
                                       .steps = steps,
                                       .observer = watch,
                                       .user = w};
  edgefw__text table = {.ctx = tiny.ctx};
  const edgefw_status status = edgefw__experiment_run(tiny.ctx, &request, &table);
  assert_int_equal(status == EDGEFW_OK && steps != EDGEFW__RUN_TRAIN, table.length > 0);
  if (status != EDGEFW_OK && status != EDGEFW_INTERRUPTED)
    print_error("%s\n", edgefw_message(tiny.ctx));
  edgefw__text_release(&table);
  tiny_close(&tiny);
  return status;
}

/* Stopped after every single batch and set, and gone on with, it ends like an uninterrupted one. */
static void stopping_anywhere_changes_nothing(void **state) {
  (void)state;
  sandbox box;
  witness w;
  sandbox_create(&box);
  assert_int_equal(run(&box, "a", 0, 0, &w), EDGEFW_OK);
  const int calls = w.training + w.evaluating;
  assert_true(w.training >= 4 && w.evaluating >= 2);
  edgefw_status status = EDGEFW_INTERRUPTED;
  int runs = 0;
  for (; status == EDGEFW_INTERRUPTED && runs <= calls; ++runs) status = run(&box, "b", 2, 0, &w);
  assert_int_equal(status, EDGEFW_OK);
  assert_true(runs > 2);
  char *a = cli_results(&box, "a"), *b = cli_results(&box, "b");
  assert_string_equal(a, b);
  free(a);
  free(b);
  assert_int_equal(run(&box, "a", 0, 0, &w), EDGEFW_OK);
  assert_int_equal(w.training + w.evaluating, 0); /* nothing to do */
  sandbox_remove(&box);
}

/* A variant that names another evaluates the other's parameters, in its own way. */
static void training_is_shared(void **state) {
  (void)state;
  sandbox box;
  tiny_model tiny;
  witness w = {0};
  sandbox_create(&box);
  tiny_begin(&tiny, NULL, CONFIG "[variant a]\n[variant b]\ntrained = a\neval.select = sample\n",
             "reference");
  edgefw__run_request request = {.registry = tiny.registry,
                                 .config = tiny.config,
                                 .folder = sandbox_path(&box, "r"),
                                 .steps = EDGEFW__RUN_TRAIN,
                                 .observer = watch,
                                 .user = &w};
  edgefw__text table = {.ctx = tiny.ctx};
  tiny_ok(&tiny, edgefw__experiment_run(tiny.ctx, &request, &table));
  assert_int_equal(w.training, 6); /* after each of 2 epochs and their 2 batches, once */
  request.steps = EDGEFW__RUN_EVAL;
  tiny_ok(&tiny, edgefw__experiment_run(tiny.ctx, &request, &table));
  edgefw__results results;
  edgefw_arena *arena = NULL;
  tiny_ok(&tiny, edgefw_arena_create(tiny.ctx, &arena, "results", 1 << 12, true));
  tiny_ok(&tiny, edgefw__results_read(tiny.ctx, arena, request.folder, &results));
  const edgefw__result *a = edgefw__results_find(&results, "a", "6");
  const edgefw__result *b = edgefw__results_find(&results, "b", "6");
  assert_true(a && b && a->model == b->model);
  assert_string_equal(a->select, "greedy");
  assert_string_equal(b->select, "sample");
  edgefw_arena_destroy(arena);
  edgefw__text_release(&table);
  tiny_close(&tiny);
  sandbox_remove(&box);
}

/* Rows of an earlier state of training are replaced when training has gone on. */
static void results_of_an_earlier_state_are_replaced(void **state) {
  (void)state;
  sandbox box;
  witness w;
  sandbox_create(&box);
  assert_int_equal(run(&box, "a", 3, EDGEFW__RUN_TRAIN, &w), EDGEFW_INTERRUPTED);
  assert_int_equal(run(&box, "a", 0, EDGEFW__RUN_EVAL, &w), EDGEFW_OK);
  char *early = cli_results(&box, "a");
  assert_int_equal(run(&box, "a", 0, 0, &w), EDGEFW_OK);
  assert_int_equal(w.evaluating > 0, 1);
  char *late = cli_results(&box, "a");
  assert_string_not_equal(early, late);
  assert_int_equal(run(&box, "b", 0, 0, &w), EDGEFW_OK);
  char *straight = cli_results(&box, "b");
  assert_string_equal(late, straight);
  free(early);
  free(late);
  free(straight);
  sandbox_remove(&box);
}

/* Whatever allocation fails, the run ends with a message, leaks nothing, and can be gone on with.
 */
static void running_out_of_memory_is_survived(void **state) {
  (void)state;
  sandbox box;
  failing_allocator memory;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  tiny_model tiny;
  sandbox_create(&box);
  tiny_begin(&tiny, &allocator, CONFIG, "reference");
  const edgefw__run_request request = {
      .registry = tiny.registry, .config = tiny.config, .folder = sandbox_path(&box, "a")};
  const int64_t live = failing_allocator_live(&memory);
  edgefw_status status = EDGEFW_OUT_OF_MEMORY;
  for (int64_t n = 0; status != EDGEFW_OK; n += 11) {
    edgefw__text table = {.ctx = tiny.ctx};
    failing_allocator_arm(&memory, n);
    status = edgefw__experiment_run(tiny.ctx, &request, &table);
    failing_allocator_disarm(&memory);
    edgefw__text_release(&table);
    if (status != EDGEFW_OK) {
      if (status != EDGEFW_OUT_OF_MEMORY) print_error("%s\n", edgefw_message(tiny.ctx));
      assert_int_equal(status, EDGEFW_OUT_OF_MEMORY);
      assert_true(*edgefw_message(tiny.ctx));
    }
    edgefw_clear(tiny.ctx);
    assert_int_equal(failing_allocator_live(&memory), live);
  }
  tiny_close(&tiny);
  witness w;
  assert_int_equal(run(&box, "b", 0, 0, &w), EDGEFW_OK);
  char *a = cli_results(&box, "a"), *b = cli_results(&box, "b");
  assert_string_equal(a, b);
  free(a);
  free(b);
  sandbox_remove(&box);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopping_anywhere_changes_nothing),
      cmocka_unit_test(training_is_shared),
      cmocka_unit_test(results_of_an_earlier_state_are_replaced),
      cmocka_unit_test(running_out_of_memory_is_survived),
  };
  return test_run(tests, NULL, NULL);
}
