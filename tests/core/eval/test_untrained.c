/* Heuristics in place of a trained model.
 * needs plugins: atsp acvrp */
#include "support/test.h"

#include <string.h>

#include "eval/untrained.h"
#include "support/expect.h"
#include "support/sandbox.h"
#include "support/toy_gpu.h"
#include "support/toy_plugins.h"

typedef struct fixture {
  edgefw_context *ctx;
  edgefw__registry *registry;
  sandbox box;
} fixture;

static int set_up(void **state) {
  static fixture f;
  assert_int_equal(edgefw_context_create(&f.ctx, NULL), EDGEFW_OK);
  sandbox_create(&f.box);
  const char *folder = toy_gpu_link(&f.box, NULL);
  sandbox_link(&f.box, "plugins/edgefw_inorder.so", toy_fixture("good_heuristic"));
  sandbox_link(&f.box, "plugins/edgefw_moody.so", toy_fixture("moody_heuristic"));
  expect_ok(f.ctx, edgefw__registry_create_from(f.ctx, &folder, 1, &f.registry));
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  edgefw__registry_destroy(f->registry);
  edgefw_context_destroy(f->ctx);
  sandbox_remove(&f->box);
  return 0;
}

static const edgefw__plugin *problem(const fixture *f, const char *name) {
  return edgefw__registry_lookup(f->registry, EDGEFW_KIND_PROBLEM, name);
}

static bool has(const edgefw__trained *trained, const char *name) {
  const edgefw__heuristic_list *list = &trained->model->composition->heuristics;
  for (int h = 0; h < list->count; ++h)
    if (strcmp(list->names[h], name) == 0) return true;
  return false;
}

static void all_that_fit_are_taken(void **state) {
  fixture *f = *state;
  edgefw__trained trained;
  expect_ok(f->ctx, edgefw__untrained_open(f->ctx, f->registry, problem(f, "atsp"), NULL,
                                           "reference", &trained));
  assert_true(has(&trained, "inorder") && has(&trained, "moody"));
  edgefw__trained_close(&trained);
  expect_ok(f->ctx, edgefw__untrained_open(f->ctx, f->registry, problem(f, "acvrp"), NULL,
                                           "reference", &trained));
  assert_true(has(&trained, "inorder") && !has(&trained, "moody")); /* it refuses depots */
  edgefw__trained_close(&trained);
}

static void those_that_are_named_are_taken(void **state) {
  fixture *f = *state;
  edgefw__trained trained;
  expect_ok(f->ctx, edgefw__untrained_open(f->ctx, f->registry, problem(f, "atsp"), "by_number",
                                           "reference", &trained));
  assert_int_equal(trained.model->composition->heuristics.count, 1);
  edgefw__trained_close(&trained);
  expect_failure(f->ctx,
                 edgefw__untrained_open(f->ctx, f->registry, problem(f, "atsp"), "inordre",
                                        "reference", &trained),
                 EDGEFW_PLUGIN_FIND, "--construct", "did you mean 'inorder'?");
  edgefw__trained_close(&trained);
  expect_failure(f->ctx,
                 edgefw__untrained_open(f->ctx, f->registry, problem(f, "acvrp"), "moody",
                                        "reference", &trained),
                 EDGEFW_UNSUPPORTED, "heuristic 'moody' does not fit problem 'acvrp'", "inorder");
  edgefw__trained_close(&trained);
  expect_failure(
      f->ctx,
      edgefw__untrained_open(f->ctx, f->registry, problem(f, "atsp"), "", "reference", &trained),
      EDGEFW_CONFIG, "--construct", "name");
  edgefw__trained_close(&trained);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_that_fit_are_taken),
      cmocka_unit_test(those_that_are_named_are_taken),
  };
  return test_run(tests, set_up, tear_down);
}
