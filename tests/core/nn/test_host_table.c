/* Host tables run on the host only: a device that works in memory of its own refuses them. */
#include "support/test.h"

#include "conformance/conformance.h"
#include "support/conformance_seen.h"
#include "support/expect.h"
#include "support/tiny_model.h"
#include "support/toy_gpu.h"
#include "support/toy_plugins.h"

#include <string.h>

typedef struct fixture {
  sandbox box;
  edgefw_context *ctx;
  edgefw__registry *registry; /* with the toy GPU, and the fixture's term "broken" */
} fixture;

static int set_up(void **state) {
  static fixture f;
  sandbox_create(&f.box);
  assert_int_equal(edgefw_context_create(&f.ctx, NULL), EDGEFW_OK);
  sandbox_link(&f.box, "plugins/edgefw_broken.so", toy_fixture("nan_term"));
  f.registry = toy_gpu_registry(f.ctx, &f.box, "toy_gpu");
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

static edgefw_status make_model(fixture *f, const char *device) {
  edgefw__config *config = NULL;
  edgefw__engine engine;
  edgefw__model *model = NULL;
  expect_ok(f->ctx,
            edgefw__compose_text(f->ctx, f->registry, TINY_MODEL("broken"), "test", &config));
  expect_ok(f->ctx, edgefw__engine_open(f->ctx, f->registry, device, &engine));
  const edgefw_status status = edgefw__model_create(&engine, &config->variants[0], 1, true, &model);
  edgefw__model_destroy(model);
  edgefw__engine_close(&engine);
  edgefw__config_destroy(config);
  return status;
}

static void the_device_refuses_and_names_the_term(void **state) {
  fixture *f = *state;
  expect_ok(f->ctx, make_model(f, "reference"));
  expect_failure(f->ctx, make_model(f, "cuda"), EDGEFW_UNSUPPORTED, "edgefw_graph_host_table",
                 "runs on the host only", "device = cpu", "while composing term broken");
}

/* Which is no fault of the term. */
static void the_conformance_suite_takes_that_for_an_answer(void **state) {
  fixture *f = *state;
  conformance_seen seen = {.passed = 0};
  int failures = 0;
  expect_ok(f->ctx, edgefw__conformance(f->ctx, f->registry, toy_fixture("nan_term"),
                                        conformance_collect, &seen, &failures));
  const char *line = strstr(seen.text, "device cuda refuses it");
  if (!line) fail_msg("%s", seen.text);
  assert_non_null(strstr(line, "runs on the host only"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_device_refuses_and_names_the_term),
      cmocka_unit_test(the_conformance_suite_takes_that_for_an_answer),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, set_up, tear_down);
}
