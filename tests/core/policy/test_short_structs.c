/* Plugins whose settings are shorter than the core's, as of an older minor ABI: what they lack has
 * its documented default, and nothing behind their end is read. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "nn/graph.h"
#include "plugin/loader.h"
#include "policy/term_builder.h"
#include "support/expect.h"
#include "support/tiny_model.h"
#include "support/toy_plugins.h"

static const edgefw_field fields[] = {{.name = "cost", .shape = EDGEFW_FIELD_PAIR},
                                      {.name = "coords", .shape = EDGEFW_FIELD_POINT},
                                      {.name = NULL}};
static const edgefw_problem problem = {.size = sizeof problem, .fields = fields};

typedef struct fixture {
  tiny_model tiny;
  edgefw__parameters *parameters;
  edgefw_graph *graph;
  edgefw_decode_plan plan;
  edgefw_term_builder builder;
  edgefw__plugin *plugin;
} fixture;

static fixture *begin(const char *plugin) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  tiny_begin(&f->tiny, NULL, TINY_PLAIN, "reference64");
  tiny_ok(&f->tiny, edgefw__parameters_create(f->tiny.ctx, f->tiny.engine.kernels,
                                              f->tiny.engine.device, &f->parameters));
  tiny_ok(&f->tiny, edgefw__graph_create(f->parameters, &problem, 5, &f->graph));
  f->builder = (edgefw_term_builder){.graph = f->graph, .plan = &f->plan};
  if (plugin)
    expect_ok(f->tiny.ctx, edgefw__plugin_open(f->tiny.ctx, toy_fixture(plugin), &f->plugin));
  return f;
}

static void end(fixture *f) {
  edgefw__graph_destroy(f->graph);
  edgefw__parameters_destroy(f->parameters);
  edgefw__plugin_close(f->tiny.ctx, f->plugin);
  edgefw_clear(f->tiny.ctx);
  tiny_close(&f->tiny);
  free(f);
}

static void mixed_attention_takes_its_defaults(void **state) {
  (void)state;
  fixture *f = begin("short_backbone");
  const edgefw_value out = f->plugin->vtable.backbone.encode(f->graph, NULL);
  expect_ok(f->tiny.ctx, f->graph->status);
  const edgefw_mixed_attention *mixed = &edgefw__graph_node(f->graph, out)->spec.mixed;
  assert_int_equal(mixed->heads, 2);
  assert_int_equal(mixed->hidden, 3);
  assert_int_equal(mixed->norm, EDGEFW_ATTENTION_SINKHORN);
  assert_int_equal(mixed->iterations, 10);
  assert_true(mixed->mix1_init == sqrt(0.5));
  assert_true(mixed->mix2_init == 0.25);
  end(f);
}

static void local_attention_takes_part_from_the_first_step(void **state) {
  (void)state;
  fixture *f = begin("short_term");
  f->builder.logit_from[0] = 99;
  f->plugin->vtable.term.declare(&f->builder, NULL);
  expect_ok(f->tiny.ctx, f->graph->status);
  assert_int_equal(f->plan.logit_count, 1);
  assert_int_equal(f->plan.logits[0].near, 7);
  assert_int_equal(f->builder.logit_from[0], 0);
  end(f);
}

static void a_forgotten_size_is_refused(void **state) {
  (void)state;
  fixture *f = begin(NULL);
  const edgefw_value cost = edgefw_graph_zscore(f->graph, edgefw_graph_field(f->graph, "cost"));
  const edgefw_value points = edgefw_graph_input(f->graph, "coords", EDGEFW_INPUT_RAW, NULL);
  const edgefw_mixed_attention mixed = {.heads = 1, .hidden = 1, .iterations = 1};
  edgefw_graph_mixed_attention(f->graph, points, points, points, cost, &mixed, "some.name");
  expect_failure(f->tiny.ctx, f->graph->status, EDGEFW_INVALID_ARGUMENT, "attention some.name",
                 "size of its settings is 0 bytes, expected at least 24");
  end(f);
  f = begin(NULL);
  const edgefw_local_attention local = {.near = 3};
  edgefw_term_local_attention(
      &f->builder, edgefw_graph_input(f->graph, "cost", EDGEFW_INPUT_RAW, NULL),
      edgefw_graph_input(f->graph, "coords", EDGEFW_INPUT_RAW, NULL), &local, "other.name");
  expect_failure(f->tiny.ctx, f->graph->status, EDGEFW_INVALID_ARGUMENT,
                 "local attention other.name", "0 bytes, expected at least 16");
  end(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mixed_attention_takes_its_defaults),
      cmocka_unit_test(local_attention_takes_part_from_the_first_step),
      cmocka_unit_test(a_forgotten_size_is_refused),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
