/* One variant of a run: trained or loaded, evaluated once for each state.
 * labels: train */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/run_variant.h"
#include "support/cli.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

#define CONFIG                                                                                     \
  TINY_PLAIN "[train]\nsize = 6\nepochs = 2\ninstances_per_epoch = 4\nbatch = 2\nmilestones = 1\n" \
             "checkpoint_every = 1\n[eval]\nsizes = 5, 6\ninstances = 2\n"

typedef struct fixture {
  tiny_model tiny;
  sandbox box;
  edgefw__run run;
  edgefw__run_variant variant;
} fixture;

static void begin_with(fixture *f, const char *text, unsigned steps) {
  tiny_begin(&f->tiny, NULL, text, "reference");
  sandbox_create(&f->box);
  f->run = (edgefw__run){.ctx = f->tiny.ctx,
                         .experiment = "test",
                         .folder = f->box.folder,
                         .seed = 1234,
                         .steps = steps,
                         .engine = f->tiny.engine};
  tiny_ok(&f->tiny, edgefw_arena_create(f->tiny.ctx, &f->run.arena, "run", 1 << 12, true));
  tiny_ok(&f->tiny,
          edgefw__results_read(f->tiny.ctx, f->run.arena, f->box.folder, &f->run.results));
  f->variant = (edgefw__run_variant){.composition = f->tiny.composition};
  f->variant.folder = edgefw_arena_text(f->run.arena, sandbox_path(&f->box, "v"));
  tiny_ok(&f->tiny, edgefw__eval_sets(f->tiny.ctx, f->run.arena, f->tiny.composition,
                                      &f->variant.sets, &f->variant.set_count));
  edgefw__run_log_begin(f->tiny.ctx, &f->run.log, NULL, NULL);
}

static void begin(fixture *f, unsigned steps) {
  begin_with(f, CONFIG, steps);
}

static void end(fixture *f) {
  edgefw__run_log_end(f->tiny.ctx, &f->run.log);
  edgefw_arena_destroy(f->run.arena);
  sandbox_remove(&f->box);
  tiny_close(&f->tiny);
}

static void sets_are_evaluated_once(void **state) {
  (void)state;
  fixture f;
  begin(&f, EDGEFW__RUN_TRAIN | EDGEFW__RUN_EVAL);
  tiny_ok(&f.tiny, edgefw__run_variant_do(&f.run, &f.variant));
  assert_true(f.run.changed);
  assert_int_equal(f.run.results.count, 2);
  f.run.changed = false;
  tiny_ok(&f.tiny, edgefw__run_variant_do(&f.run, &f.variant));
  assert_false(f.run.changed);
  f.run.results.items[1].model ^= 1; /* as if of another state of training */
  tiny_ok(&f.tiny, edgefw__run_variant_do(&f.run, &f.variant));
  assert_true(f.run.changed);
  assert_int_equal(f.run.results.count, 2);
  char *log = cli_read(&f.box, "log.txt");
  assert_non_null(log);
  assert_non_null(strstr(log, "epoch 2/2"));
  free(log);
  end(&f);
}

/* What was trained and ended early is evaluated in the state that did best, by whoever asks. */
static void the_best_state_is_evaluated(void **state) {
  (void)state;
  fixture f;
  /* A learning rate that is far too large: the first state is the best one. */
  begin_with(&f,
             TINY_PLAIN "[train]\nsize = 6\nepochs = 8\ninstances_per_epoch = 6\nbatch = 3\n"
                        "learning_rate = 0.3\nvalidate_every = 1\nvalidation_instances = 20\n"
                        "patience = 1\nema = 0.5\n[eval]\nsizes = 5\ninstances = 2\n",
             EDGEFW__RUN_TRAIN | EDGEFW__RUN_EVAL);
  tiny_ok(&f.tiny, edgefw__run_variant_do(&f.run, &f.variant));
  assert_int_equal(f.run.results.count, 1);
  assert_true(cli_exists(&f.box, "v/best.h5"));
  assert_false(cli_exists(&f.box, "v/checkpoint-8.h5")); /* it ended before */
  char *log = cli_read(&f.box, "log.txt");
  assert_non_null(strstr(log, "the best yet"));
  assert_non_null(strstr(log, "its patience is over"));
  assert_non_null(strstr(log, "counts, the best in validation"));
  free(log);
  /* Trained again or loaded, it is the same state: the row that is there is its. */
  f.run.changed = false;
  tiny_ok(&f.tiny, edgefw__run_variant_do(&f.run, &f.variant));
  assert_false(f.run.changed);
  f.run.steps = EDGEFW__RUN_EVAL;
  tiny_ok(&f.tiny, edgefw__run_variant_do(&f.run, &f.variant));
  assert_false(f.run.changed);
  edgefw__composition named = *f.tiny.composition;
  char path[600];
  snprintf(path, sizeof path, "%s/v/best.h5", f.box.folder);
  named.checkpoint = path;
  f.variant.composition = &named;
  tiny_ok(&f.tiny, edgefw__run_variant_do(&f.run, &f.variant));
  assert_false(f.run.changed);
  end(&f);
}

static void evaluation_needs_a_checkpoint(void **state) {
  (void)state;
  fixture f;
  begin(&f, EDGEFW__RUN_EVAL);
  tiny_fails(&f.tiny, edgefw__run_variant_do(&f.run, &f.variant), EDGEFW_CONFIG, "train it first");
  edgefw__composition named = *f.tiny.composition;
  named.checkpoint = "/none.h5";
  f.variant.composition = &named;
  tiny_fails(&f.tiny, edgefw__run_variant_do(&f.run, &f.variant), EDGEFW_IO, "/none.h5");
  end(&f);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sets_are_evaluated_once),
      cmocka_unit_test(the_best_state_is_evaluated),
      cmocka_unit_test(evaluation_needs_a_checkpoint),
  };
  return test_run(tests, NULL, NULL);
}
