/* Experiments for applications: run, stopped, gone on with, and what they leave.
 * labels: train
 * needs plugins: atsp radar */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "edgefw/solver.h"
#include "support/tiny_model.h"

#define CONFIG                                                                                     \
  TINY_PLAIN "[experiment]\ndevice = reference\nthreads = 1\n"                                     \
             "[train]\nsize = 5\nepochs = 2\ninstances_per_epoch = 4\nbatch = 2\nmilestones = 1\n" \
             "checkpoint_every = 1\n[eval]\nsizes = 5\ninstances = 2\n[variant tiny]\n"

typedef struct test_case {
  sandbox box;
  edgefw_context *ctx;
  edgefw_run_request request;
  char config[128], folder[128];
  int calls, most; /* of progress; more stop it. most 0: nothing does */
} test_case;

static bool see(void *user, const edgefw_run_progress *progress) {
  test_case *c = user;
  assert_string_equal(progress->variant, "tiny");
  assert_true(progress->done <= progress->total);
  ++c->calls;
  return c->most == 0 || c->calls < c->most;
}

static void a_run_goes_on_where_it_stopped(void **state) {
  test_case *c = *state;
  char variant[256], path[300];
  c->most = 3;
  tiny_fails_at(c->ctx, edgefw_experiment_run(c->ctx, &c->request), EDGEFW_INTERRUPTED, "",
                __FILE__, __LINE__);
  c->most = 0;
  tiny_ok_at(c->ctx, edgefw_experiment_run(c->ctx, &c->request), __FILE__, __LINE__);
  const int calls = c->calls;
  tiny_ok_at(c->ctx, edgefw_experiment_run(c->ctx, &c->request), __FILE__, __LINE__);
  assert_int_equal(c->calls, calls); /* all is done */
  snprintf(variant, sizeof variant, "%s/tiny", c->folder);
  tiny_ok_at(c->ctx, edgefw_experiment_checkpoint(c->ctx, variant, path, sizeof path), __FILE__,
             __LINE__);
  assert_string_equal(strrchr(path, '/'), "/checkpoint-2.h5");
  tiny_fails_at(c->ctx, edgefw_experiment_checkpoint(c->ctx, variant, path, 5),
                EDGEFW_INVALID_ARGUMENT, "there is room for 5", __FILE__, __LINE__);
  snprintf(path, sizeof path, "%s/results.csv", c->folder);
  FILE *results = fopen(path, "r");
  assert_null(results); /* training was all that was asked for */
}

static void overrides_count(void **state) {
  test_case *c = *state;
  static const char *const sets[] = {"train.epochs=1", "train.checkpoint_every=1"};
  char variant[256], path[300];
  c->request.sets = sets;
  c->request.set_count = 2;
  tiny_ok_at(c->ctx, edgefw_experiment_run(c->ctx, &c->request), __FILE__, __LINE__);
  snprintf(variant, sizeof variant, "%s/tiny", c->folder);
  tiny_ok_at(c->ctx, edgefw_experiment_checkpoint(c->ctx, variant, path, sizeof path), __FILE__,
             __LINE__);
  assert_string_equal(strrchr(path, '/'), "/checkpoint-1.h5");
}

static void what_is_wrong_is_told(void **state) {
  test_case *c = *state;
  char path[64];
  c->request.steps = 64;
  tiny_fails_at(c->ctx, edgefw_experiment_run(c->ctx, &c->request), EDGEFW_INVALID_ARGUMENT,
                "steps = 64", __FILE__, __LINE__);
  c->request.steps = 0;
  c->request.config = "/nowhere.ini";
  tiny_fails_at(c->ctx, edgefw_experiment_run(c->ctx, &c->request), EDGEFW_IO, "/nowhere.ini",
                __FILE__, __LINE__);
  c->request.config = NULL;
  tiny_fails_at(c->ctx, edgefw_experiment_run(c->ctx, &c->request), EDGEFW_INVALID_ARGUMENT,
                "names no configuration", __FILE__, __LINE__);
  tiny_fails_at(c->ctx, edgefw_experiment_run(c->ctx, NULL), EDGEFW_INVALID_ARGUMENT, "no request",
                __FILE__, __LINE__);
  tiny_fails_at(c->ctx, edgefw_experiment_checkpoint(c->ctx, "/nowhere", path, sizeof path),
                EDGEFW_IO, "'/nowhere' has no checkpoint", __FILE__, __LINE__);
}

static int set_up(void **state) {
  static test_case c;
  c = (test_case){.calls = 0};
  sandbox_create(&c.box);
  sandbox_write(&c.box, "tiny.ini", CONFIG);
  snprintf(c.config, sizeof c.config, "%s", sandbox_path(&c.box, "tiny.ini"));
  snprintf(c.folder, sizeof c.folder, "%s", sandbox_path(&c.box, "run"));
  c.request = (edgefw_run_request){.size = sizeof c.request,
                                   .config = c.config,
                                   .folder = c.folder,
                                   .steps = EDGEFW_STEP_TRAIN,
                                   .progress = see,
                                   .user = &c};
  *state = &c;
  return (int)edgefw_context_create(&c.ctx, NULL);
}

static int tear_down(void **state) {
  test_case *c = *state;
  edgefw_context_destroy(c->ctx);
  sandbox_remove(&c->box);
  return 0;
}

#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      RUN_TEST(a_run_goes_on_where_it_stopped),
      RUN_TEST(overrides_count),
      RUN_TEST(what_is_wrong_is_told),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
