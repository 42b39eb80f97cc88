/* Plugins whose settings are shorter than the core's, as of an older minor ABI: what they lack has
 * its documented default, and nothing behind their end is read. */
#include "support/test.h"

#include <math.h>

#include "plugin/loader.h"
#include "support/expect.h"
#include "support/term_fixture.h"
#include "support/toy_plugins.h"

static edgefw__plugin *open_fixture(const term_fixture *f, const char *name) {
  edgefw__plugin *plugin;
  expect_ok(f->tiny.ctx, edgefw__plugin_open(f->tiny.ctx, toy_fixture(name), &plugin));
  return plugin;
}

static void mixed_attention_takes_its_defaults(void **state) {
  term_fixture *f = *state;
  edgefw__plugin *plugin = open_fixture(f, "short_backbone");
  edgefw_encoding encoding = {.size = sizeof encoding};
  plugin->vtable.backbone.encode(f->graph, NULL, &encoding);
  expect_ok(f->tiny.ctx, f->graph->status);
  const edgefw__op_spec *spec = &edgefw__graph_node(f->graph, encoding.key)->spec;
  const int64_t expected[] = {2, 3, EDGEFW_ATTENTION_SINKHORN, 10}; /* heads, hidden, defaults */
  for (int k = 0; k < 4; ++k) assert_int_equal(spec->settings[k].number, expected[k]);
  const edgefw__parameter *items = f->graph->parameters->items;
  assert_true(items[spec->parameters[0]].init.amount == sqrt(0.5));
  assert_true(items[spec->parameters[2]].init.amount == 0.25);
  edgefw__plugin_close(f->tiny.ctx, plugin);
}

static void local_attention_takes_part_from_the_first_step(void **state) {
  term_fixture *f = *state;
  edgefw__plugin *plugin = open_fixture(f, "short_term");
  f->builder.logit_from[0] = 99;
  plugin->vtable.term.declare(&f->builder, NULL);
  expect_ok(f->tiny.ctx, f->graph->status);
  assert_int_equal(f->plan.logit_count, 1);
  assert_int_equal(f->plan.logits[0].near, 7);
  assert_int_equal(f->builder.logit_from[0], 0);
  assert_true(f->plan.logits[0].epsilon == 0.0);
  edgefw__plugin_close(f->tiny.ctx, plugin);
}

static void a_forgotten_size_of_mixed_attention_is_refused(void **state) {
  term_fixture *f = *state;
  const edgefw_mixed_attention mixed = {.heads = 1, .hidden = 1, .iterations = 1};
  edgefw_graph_mixed_attention(f->graph, f->points, f->points, f->points, f->cost, &mixed,
                               "some.name");
  expect_failure(f->tiny.ctx, f->graph->status, EDGEFW_INVALID_ARGUMENT, "attention some.name",
                 "size of its settings is 0 bytes, expected at least 24");
}

static void a_forgotten_size_of_local_attention_is_refused(void **state) {
  term_fixture *f = *state;
  const edgefw_local_attention local = {.near = 3};
  edgefw_term_local_attention(&f->builder, f->cost, f->points, &local, "other.name");
  expect_failure(f->tiny.ctx, f->graph->status, EDGEFW_INVALID_ARGUMENT,
                 "local attention other.name", "0 bytes, expected at least 16");
}

#define SHORT_TEST(name) cmocka_unit_test_setup_teardown(name, term_fixture_begin, term_fixture_end)

int main(void) {
  const struct CMUnitTest tests[] = {
      SHORT_TEST(mixed_attention_takes_its_defaults),
      SHORT_TEST(local_attention_takes_part_from_the_first_step),
      SHORT_TEST(a_forgotten_size_of_mixed_attention_is_refused),
      SHORT_TEST(a_forgotten_size_of_local_attention_is_refused),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, term_fixture_open, term_fixture_close);
}
