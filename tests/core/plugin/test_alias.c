/* Other names of a plugin. */
#include "support/test.h"

#include <string.h>

#include "plugin/alias.h"

static void a_list_is_split(void **state) {
  (void)state;
  edgefw_context *ctx;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  const char **names = edgefw__alias_split(ctx, " one,two , three,");
  assert_string_equal(names[0], "one");
  assert_string_equal(names[1], "two");
  assert_string_equal(names[2], "three");
  assert_null(names[3]);
  edgefw_release(ctx, names);
  static const char *const empty[] = {NULL, "", " , "};
  for (size_t i = 0; i < sizeof empty / sizeof *empty; ++i) {
    names = edgefw__alias_split(ctx, empty[i]);
    assert_null(names[0]);
    edgefw_release(ctx, names);
  }
  names = edgefw__alias_split(ctx, "a,b,c,d,e"); /* as many as fit into a text of this length */
  assert_string_equal(names[4], "e");
  assert_null(names[5]);
  edgefw_release(ctx, names);
  edgefw_context_destroy(ctx);
}

static const char *const two[] = {"old", "older", NULL}, *const none[] = {NULL};
static const edgefw_plugin_descriptor first_descriptor = {.name = "new"},
                                      second_descriptor = {.name = "edge"};
static const edgefw__plugin first = {.descriptor = &first_descriptor, .aliases = two};
static const edgefw__plugin second = {.descriptor = &second_descriptor, .aliases = none};

static void name_and_aliases_are_known(void **state) {
  (void)state;
  assert_true(edgefw__plugin_is_called(&first, "new"));
  assert_true(edgefw__plugin_is_called(&first, "old"));
  assert_true(edgefw__plugin_is_called(&first, "older"));
  assert_false(edgefw__plugin_is_called(&first, "ol"));
  assert_false(edgefw__plugin_is_called(&first, "oldest"));
  assert_false(edgefw__plugin_is_called(&second, ""));
}

static void lists_are_compared_name_by_name(void **state) {
  (void)state;
  const edgefw__plugin *const plugins[] = {&first, &second};
  assert_true(edgefw__plugins_are_called(plugins, 2, "new, edge"));
  assert_true(edgefw__plugins_are_called(plugins, 2, "older, edge"));
  assert_false(edgefw__plugins_are_called(plugins, 2, "edge, new"));
  assert_false(edgefw__plugins_are_called(plugins, 2, "new"));
  assert_false(edgefw__plugins_are_called(plugins, 2, "new, edge, edge"));
  assert_false(edgefw__plugins_are_called(plugins, 1, "new, edge"));
  assert_true(edgefw__plugins_are_called(plugins, 0, ""));
  assert_false(edgefw__plugins_are_called(plugins, 0, "new"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_list_is_split),
      cmocka_unit_test(name_and_aliases_are_known),
      cmocka_unit_test(lists_are_compared_name_by_name),
  };
  return test_run(tests, NULL, NULL);
}
