/* Opening plugins: one fixture for each stage.
 * labels: oom */
#include "support/test.h"

#include <string.h>

#include "plugin/loader.h"
#include "support/expect.h"
#include "support/failing_allocator.h"
#include "support/sandbox.h"
#include "support/toy_plugins.h"

static int set_up(void **state) {
  edgefw_context *ctx;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  *state = ctx;
  return 0;
}

static int tear_down(void **state) {
  edgefw_context_destroy(*state);
  return 0;
}

static edgefw__plugin *open_good(edgefw_context *ctx, const char *fixture) {
  edgefw__plugin *plugin;
  expect_ok(ctx, edgefw__plugin_open(ctx, toy_fixture(fixture), &plugin));
  return plugin;
}

/* Path and stage are in every message. */
#define OPEN_BAD(ctx, path, status, stage, ...)                                                    \
  do {                                                                                             \
    edgefw__plugin *plugin_ = NULL;                                                                \
    const char *path_ = (path);                                                                    \
    expect_failure((ctx), edgefw__plugin_open((ctx), path_, &plugin_), (status), path_,            \
                   "stage " stage, __VA_ARGS__);                                                   \
    assert_null(plugin_);                                                                          \
  } while (0)

static void test_good(void **state) {
  edgefw__plugin *plugin = open_good(*state, "good_backbone");
  assert_int_equal(plugin->kind, EDGEFW_KIND_BACKBONE);
  assert_string_equal(plugin->descriptor->name, "plain");
  assert_non_null(plugin->vtable.backbone.encode);
  assert_null(plugin->vtable.backbone.supports);
  assert_string_equal(plugin->options[0].key, "width");
  assert_string_equal(plugin->path, toy_fixture("good_backbone"));
  edgefw__plugin_close(*state, plugin);
  edgefw__plugin_close(*state, NULL);
  plugin = open_good(*state, "picky_term"); /* without keys */
  assert_null(plugin->options[0].key);
  edgefw__plugin_close(*state, plugin);
}

static void test_find(void **state) {
  OPEN_BAD(*state, "/no/such/edgefw_x.so", EDGEFW_PLUGIN_FIND, "find", "No such file");
  OPEN_BAD(*state, "edgefw_cpu.so", EDGEFW_PLUGIN_FIND, "find", "No such file");
}

static void test_open(void **state) {
  sandbox box;
  sandbox_create(&box);
  OPEN_BAD(*state, sandbox_write(&box, "edgefw_text.so", "this is no shared object\n"),
           EDGEFW_PLUGIN_OPEN, "open", "file too short");
  char text[4096];
  memset(text, 'x', sizeof text);
  OPEN_BAD(*state, sandbox_write_bytes(&box, "edgefw_text.so", text, sizeof text),
           EDGEFW_PLUGIN_OPEN, "open", "invalid ELF header");
  OPEN_BAD(*state, toy_fixture("undefined_symbol"), EDGEFW_PLUGIN_OPEN, "open",
           "edgefw_test_nobody_provides_this");
  sandbox_remove(&box);
}

static void test_symbol(void **state) {
  OPEN_BAD(*state, toy_fixture("no_symbol"), EDGEFW_PLUGIN_SYMBOL, "symbol", "'edgefw_plugin'");
}

static void test_magic(void **state) {
  OPEN_BAD(*state, toy_fixture("wrong_magic"), EDGEFW_PLUGIN_MAGIC, "magic", "0x73696874",
           "expected 0x31574645");
}

static void test_abi(void **state) {
  OPEN_BAD(*state, toy_fixture("newer_major"), EDGEFW_PLUGIN_ABI, "abi", "built for ABI 3.0",
           "this program has ABI 2.0", "use a newer edgefw");
  OPEN_BAD(*state, toy_fixture("older_major"), EDGEFW_PLUGIN_ABI, "abi", "built for ABI 1.3",
           "this program has ABI 2.0", "build it again with this version's headers",
           "members were regrouped, see CHANGELOG.md");
}

static void test_kind(void **state) {
  OPEN_BAD(*state, toy_fixture("wrong_kind"), EDGEFW_PLUGIN_KIND, "kind", "kind 99");
}

static void test_member(void **state) {
  OPEN_BAD(*state, toy_fixture("null_member"), EDGEFW_PLUGIN_MEMBER, "member",
           "a backbone must provide 'encode'");
  OPEN_BAD(*state, toy_fixture("short_vtable"), EDGEFW_PLUGIN_MEMBER, "member",
           "a term must provide 'declare'");
  OPEN_BAD(*state, toy_fixture("bad_objective"), EDGEFW_PLUGIN_MEMBER, "member", "'length'");
  OPEN_BAD(*state, toy_fixture("empty_device"), EDGEFW_PLUGIN_MEMBER, "member",
           "a device must provide 'create'");
  OPEN_BAD(*state, toy_fixture("bad_name"), EDGEFW_PLUGIN_MEMBER, "member", "'Bad Name'");
  OPEN_BAD(*state, toy_fixture("bad_alias"), EDGEFW_PLUGIN_MEMBER, "member", "the alias 'Not'");
  OPEN_BAD(*state, toy_fixture("bad_default"), EDGEFW_PLUGIN_MEMBER, "member",
           "option 'size' has the default '11'", "[1, 10]");
}

/* A plugin of a later minor ABI: longer vtable, longer options. The host's copy does not claim the
 * members that it lacks. */
static void test_newer_minor_loads(void **state) {
  edgefw__plugin *plugin = open_good(*state, "newer_minor");
  assert_int_equal(plugin->vtable.term.size, sizeof(edgefw_term));
  assert_non_null(plugin->vtable.term.declare);
  assert_string_equal(plugin->options[0].key, "first");
  assert_string_equal(plugin->options[1].key, "second");
  assert_string_equal(plugin->options[1].fallback, "2");
  assert_null(plugin->options[2].key);
  edgefw__plugin_close(*state, plugin);
}

/* A plugin of an earlier one: what it does not know is absent, whatever lies behind its vtable. */
static void test_older_minor_loads(void **state) {
  edgefw__plugin *plugin = open_good(*state, "older_problem");
  const edgefw_problem *problem = &plugin->vtable.problem;
  assert_true(problem->size < sizeof *problem);
  assert_null(problem->file_nodes);
  assert_null(problem->read);
  double cost = 1.0;
  assert_int_equal(problem->check(*state, NULL, NULL, NULL, 0, &cost), EDGEFW_OK);
  edgefw__plugin_close(*state, plugin);
}

static void test_kind_names(void **state) {
  (void)state;
  assert_string_equal(edgefw__kind_name(EDGEFW_KIND_PROBLEM), "problem");
  assert_string_equal(edgefw__kind_name(EDGEFW_KIND_DEVICE), "device");
  assert_string_equal(edgefw__kind_name((edgefw_kind)0), "unknown");
}

static void test_out_of_memory(void **state) {
  (void)state;
  for (int64_t n = 1;; ++n) {
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx;
    edgefw__plugin *plugin;
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    const edgefw_status status = edgefw__plugin_open(ctx, toy_fixture("good_backbone"), &plugin);
    const bool failed = failing_allocator_failed(&memory);
    assert_int_equal(status, failed ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    assert_int_equal(status, edgefw_failure(ctx));
    edgefw__plugin_close(ctx, plugin);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
    if (!failed) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_good, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_find, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_open, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_symbol, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_magic, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_abi, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_kind, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_member, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_newer_minor_loads, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_older_minor_loads, set_up, tear_down),
      cmocka_unit_test(test_kind_names),
      cmocka_unit_test(test_out_of_memory),
  };
  return test_run(tests, NULL, NULL);
}
