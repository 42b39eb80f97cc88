/* Opening plugins: one fixture for each stage.
 * labels: oom */
#include "support/test.h"

#include <string.h>

#include "plugin/loader.h"
#include "support/expect.h"
#include "support/out_of_memory.h"
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

static void a_good_plugin_is_opened(void **state) {
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

static void a_missing_file_fails_to_be_found(void **state) {
  OPEN_BAD(*state, "/no/such/edgefw_x.so", EDGEFW_PLUGIN_FIND, "find", "No such file");
  OPEN_BAD(*state, "edgefw_cpu.so", EDGEFW_PLUGIN_FIND, "find", "No such file");
}

static void a_broken_file_fails_to_open(void **state) {
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

static void a_file_without_descriptor_is_refused(void **state) {
  OPEN_BAD(*state, toy_fixture("no_symbol"), EDGEFW_PLUGIN_SYMBOL, "symbol", "'edgefw_plugin'");
}

static void another_magic_is_refused(void **state) {
  OPEN_BAD(*state, toy_fixture("wrong_magic"), EDGEFW_PLUGIN_MAGIC, "magic", "0x73696874",
           "expected 0x31574645");
}

static void another_major_abi_is_refused(void **state) {
  OPEN_BAD(*state, toy_fixture("newer_major"), EDGEFW_PLUGIN_ABI, "abi", "built for ABI 3.0",
           "this program has ABI 2.0", "use a newer edgefw");
  OPEN_BAD(*state, toy_fixture("older_major"), EDGEFW_PLUGIN_ABI, "abi", "built for ABI 1.3",
           "this program has ABI 2.0", "build it again with this version's headers",
           "members were regrouped, see CHANGELOG.md");
}

static void an_unknown_kind_is_refused(void **state) {
  OPEN_BAD(*state, toy_fixture("wrong_kind"), EDGEFW_PLUGIN_KIND, "kind", "kind 99");
}

static void a_missing_member_is_refused(void **state) {
  OPEN_BAD(*state, toy_fixture("null_member"), EDGEFW_PLUGIN_MEMBER, "member",
           "a backbone must provide 'encode'");
  OPEN_BAD(*state, toy_fixture("short_vtable"), EDGEFW_PLUGIN_MEMBER, "member",
           "a term must provide 'declare'");
  OPEN_BAD(*state, toy_fixture("bad_objective"), EDGEFW_PLUGIN_MEMBER, "member", "'length'");
  OPEN_BAD(*state, toy_fixture("empty_device"), EDGEFW_PLUGIN_MEMBER, "member",
           "a device must provide 'create'");
  OPEN_BAD(*state, toy_fixture("blind_gpu"), EDGEFW_PLUGIN_MEMBER, "member",
           "a device must provide 'upload_exact'");
  OPEN_BAD(*state, toy_fixture("bad_name"), EDGEFW_PLUGIN_MEMBER, "member", "'Bad Name'");
  OPEN_BAD(*state, toy_fixture("bad_alias"), EDGEFW_PLUGIN_MEMBER, "member", "the alias 'Not'");
  OPEN_BAD(*state, toy_fixture("bad_default"), EDGEFW_PLUGIN_MEMBER, "member",
           "option 'size' has the default '11'", "[1, 10]");
}

/* A plugin of a later minor ABI: longer vtable, longer options. The host's copy does not claim the
 * members that it lacks. */
static void a_newer_minor_abi_loads(void **state) {
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
static void an_older_minor_abi_loads(void **state) {
  edgefw__plugin *plugin = open_good(*state, "older_problem");
  const edgefw_problem *problem = &plugin->vtable.problem;
  assert_true(problem->size < sizeof *problem);
  assert_null(problem->file_nodes);
  assert_null(problem->read);
  double cost = 1.0;
  assert_int_equal(problem->check(*state, NULL, NULL, NULL, 0, &cost), EDGEFW_OK);
  edgefw__plugin_close(*state, plugin);
}

static void kinds_have_names(void **state) {
  (void)state;
  assert_string_equal(edgefw__kind_name(EDGEFW_KIND_PROBLEM), "problem");
  assert_string_equal(edgefw__kind_name(EDGEFW_KIND_DEVICE), "device");
  assert_string_equal(edgefw__kind_name((edgefw_kind)0), "unknown");
}

static edgefw_status open_and_close(edgefw_context *ctx, void *user) {
  (void)user;
  edgefw__plugin *plugin;
  const edgefw_status status = edgefw__plugin_open(ctx, toy_fixture("good_backbone"), &plugin);
  edgefw__plugin_close(ctx, plugin);
  return status;
}

static void running_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  out_of_memory_sweep(open_and_close, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_good_plugin_is_opened, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_missing_file_fails_to_be_found, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_broken_file_fails_to_open, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_file_without_descriptor_is_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(another_magic_is_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(another_major_abi_is_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_unknown_kind_is_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_missing_member_is_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_newer_minor_abi_loads, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_older_minor_abi_loads, set_up, tear_down),
      cmocka_unit_test(kinds_have_names),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
  };
  return test_run(tests, NULL, NULL);
}
