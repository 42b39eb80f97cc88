/* Host tables: how they are filled; and they run on the host only, a device that works in memory of
 * its own refuses them. */
#include "support/test.h"

#include "conformance/conformance.h"
#include "support/conformance_seen.h"
#include "support/expect.h"
#include "support/graph_support.h"
#include "support/tiny_model.h"
#include "support/toy_gpu.h"
#include "support/toy_plugins.h"

#include <string.h>

/* --- Filling --- */

static edgefw_status fill_sum(edgefw_context *ctx, const edgefw_instance *instance,
                              const edgefw_options *options, double *out) {
  (void)options;
  for (int64_t i = 0; i < instance->n; ++i)
    for (int64_t j = 0; j < instance->n; ++j) out[i] += instance->data[0][i * instance->n + j];
  return instance->n > 0 ? EDGEFW_OK : edgefw_fail(ctx, EDGEFW_INTERNAL, "no nodes");
}

static edgefw_status fill_nothing(edgefw_context *ctx, const edgefw_instance *instance,
                                  const edgefw_options *options, double *out) {
  (void)instance;
  (void)options;
  (void)out;
  return edgefw_fail(ctx, EDGEFW_INFEASIBLE, "the author's own reason");
}

static void it_is_filled_per_instance(void **state) {
  enum { N = GRAPH_NODES };
  graph_fixture *f = *state;
  const edgefw_value sums = edgefw_graph_host_table(f->graph, false, fill_sum, NULL);
  graph_run(f, false);
  for (int b = 0; b < GRAPH_INSTANCES; ++b)
    for (int i = 0; i < N; ++i) {
      double sum = 0.0;
      for (int j = 0; j < N; ++j) sum += f->batch->data[0][(b * N + i) * N + j];
      assert_true(graph_values(f, sums)[b * N + i] == sum);
    }
}

static void its_failure_is_reported(void **state) {
  graph_fixture *f = *state;
  edgefw_graph_host_table(f->graph, true, fill_nothing, NULL);
  tiny_ok(&f->tiny, edgefw__graph_allocate(f->graph, GRAPH_INSTANCES, false, false));
  tiny_fails(&f->tiny, edgefw__graph_forward(f->graph, f->batch), EDGEFW_INFEASIBLE,
             "the author's own reason");
}

/* Function, options and shape each make another table. */
static void each_is_told_by_all_that_it_is(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_options *options = (const edgefw_options *)state; /* compared, never looked at */
  const edgefw_value nodes = edgefw_graph_host_table(graph, false, fill_sum, NULL);
  assert_int_equal(edgefw_graph_host_table(graph, false, fill_sum, NULL), nodes);
  edgefw_graph_host_table(graph, true, fill_sum, NULL);
  edgefw_graph_host_table(graph, false, fill_nothing, NULL);
  edgefw_graph_host_table(graph, false, fill_sum, options);
  assert_int_equal(graph->node_count, 4);
}

/* --- Devices with memory of their own --- */

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
  /* Small, and the first one by name: the conformance suite takes it. */
  sandbox_link(&f.box, "plugins/edgefw_bare.so", toy_fixture("sound_backbone"));
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
  const struct CMUnitTest filling[] = {
      graph_test(it_is_filled_per_instance),
      graph_test(its_failure_is_reported),
      graph_test(each_is_told_by_all_that_it_is),
  };
  const struct CMUnitTest devices[] = {
      cmocka_unit_test(the_device_refuses_and_names_the_term),
      cmocka_unit_test(the_conformance_suite_takes_that_for_an_answer),
  };
  if (tiny_missing()) return TEST_SKIPPED;
  const int status = test_run(filling, graph_setup, graph_teardown);
  return status ? status : test_run(devices, set_up, tear_down);
}
