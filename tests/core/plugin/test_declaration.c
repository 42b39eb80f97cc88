/* Checks of declarations that no fixture covers. */
#include "support/test.h"

#include <string.h>

#include "plugin/declaration.h"

static edgefw_status declare_anything(void) {
  return EDGEFW_OK;
}

/* A descriptor that passes; tests spoil one member. */
static edgefw_plugin_descriptor good(void) {
  static const edgefw_term vtable = {.size = sizeof vtable};
  return (edgefw_plugin_descriptor){.magic = EDGEFW_DESCRIPTOR_MAGIC,
                                    .abi_major = EDGEFW_ABI_MAJOR,
                                    .kind = EDGEFW_KIND_TERM,
                                    .size = sizeof(edgefw_plugin_descriptor),
                                    .option_size = sizeof(edgefw_option),
                                    .name = "x",
                                    .version = "1",
                                    .summary = "s",
                                    .vtable = &vtable};
}

static void refuse(edgefw_plugin_descriptor descriptor, edgefw_status status, const char *stage) {
  edgefw__refusal refusal;
  assert_false(edgefw__declaration_check(&descriptor, &refusal));
  assert_int_equal(refusal.status, status);
  assert_string_equal(refusal.stage, stage);
  assert_true(strlen(refusal.why) > 0);
}

static void a_descriptor_is_whole(void **state) {
  (void)state;
  edgefw__refusal refusal;
  static const edgefw_option none[] = {{0}};
  edgefw_plugin_descriptor d = good();
  assert_true(edgefw__declaration_check(&d, &refusal));
  d.abi_minor = 1000;
  assert_true(edgefw__declaration_check(&d, &refusal));

  d = good(), d.magic ^= 1;
  refuse(d, EDGEFW_PLUGIN_MAGIC, "magic");
  d = good(), d.abi_major = 0;
  refuse(d, EDGEFW_PLUGIN_ABI, "abi");
  d = good(), d.size = 16;
  refuse(d, EDGEFW_PLUGIN_ABI, "abi");
  d = good(), d.options = none, d.option_size = 8;
  refuse(d, EDGEFW_PLUGIN_ABI, "abi");
  d = good(), d.kind = 0;
  refuse(d, EDGEFW_PLUGIN_KIND, "kind");
  d = good(), d.kind = EDGEFW_KIND_COMMUNICATOR + 1;
  refuse(d, EDGEFW_PLUGIN_KIND, "kind");
  d = good(), d.name = NULL;
  refuse(d, EDGEFW_PLUGIN_MEMBER, "member");
  d = good(), d.name = "";
  refuse(d, EDGEFW_PLUGIN_MEMBER, "member");
  d = good(), d.name = "UPPER";
  refuse(d, EDGEFW_PLUGIN_MEMBER, "member");
  d = good(), d.version = NULL;
  refuse(d, EDGEFW_PLUGIN_MEMBER, "member");
  d = good(), d.summary = "";
  refuse(d, EDGEFW_PLUGIN_MEMBER, "member");
  d = good(), d.vtable = NULL;
  refuse(d, EDGEFW_PLUGIN_MEMBER, "member");
  static const edgefw_term forgotten = {.size = 0};
  d = good(), d.vtable = &forgotten;
  refuse(d, EDGEFW_PLUGIN_ABI, "abi");
}

static void an_alias_is_another_name(void **state) {
  (void)state;
  static const char *const twice[] = {"a", "b", "a", NULL}, *const own[] = {"x", NULL},
                           *const good_ones[] = {"a", "b_2", NULL};
  const edgefw_plugin_descriptor descriptor = good();
  edgefw__refusal refusal;
  edgefw__plugin plugin = {.descriptor = &descriptor, .aliases = good_ones};
  assert_true(edgefw__declaration_check_aliases(&plugin, &refusal));
  plugin.aliases = twice;
  assert_false(edgefw__declaration_check_aliases(&plugin, &refusal));
  assert_non_null(strstr(refusal.why, "the alias 'a' is the plugin's name or listed twice"));
  plugin.aliases = own;
  assert_false(edgefw__declaration_check_aliases(&plugin, &refusal));
}

/* Each required member of a problem is missed. */
static void a_problem_has_its_members(void **state) {
  (void)state;
  static const edgefw_field fields[] = {{"c", EDGEFW_FIELD_PAIR, EDGEFW_STORE_FLOAT, 0, "h"}, {0}};
  /* Never called: any function will do. */
  void (*function)(void) = (void (*)(void))declare_anything;
  edgefw__plugin plugin = {.kind = EDGEFW_KIND_PROBLEM};
  edgefw_problem *p = &plugin.vtable.problem;
  edgefw__refusal refusal;
  const char *const order[] = {"fields",   "objective", "start",  "closing",
                               "solution", "generate",  "accept", "check"};
  for (size_t i = 0; i < sizeof order / sizeof *order; ++i) {
    char quoted[32] = "'";
    strcat(strcat(quoted, order[i]), "'");
    assert_false(edgefw__declaration_check_members(&plugin, &refusal));
    assert_non_null(strstr(refusal.why, quoted));
    switch (i) {
    case 0: p->fields = fields; break;
    case 1: p->objective = "c"; break;
    case 2: p->start = EDGEFW_START_EACH_NODE; break;
    case 3: p->closing = EDGEFW_CLOSE_AT_START; break;
    case 4: p->solution = EDGEFW_SOLUTION_TOUR; break;
    case 5: memcpy(&p->generate, &function, sizeof function); break;
    case 6: memcpy(&p->accept, &function, sizeof function); break;
    default: memcpy(&p->check, &function, sizeof function); break;
    }
  }
  assert_true(edgefw__declaration_check_members(&plugin, &refusal));
  memcpy(&p->file_nodes, &function, sizeof function); /* then 'read' is required */
  assert_false(edgefw__declaration_check_members(&plugin, &refusal));
  assert_non_null(strstr(refusal.why, "'read'"));
}

static void the_name_of_a_plugin_is_no_option(void **state) {
  (void)state;
  edgefw_context *ctx;
  edgefw__refusal refusal;
  static const edgefw_option reserved[] = {{"name", EDGEFW_OPTION_TEXT, "", NULL, "a name", 0, 0},
                                           {0}};
  static const edgefw_option fine[] = {{"k", EDGEFW_OPTION_TEXT, "", NULL, "a key", 0, 0}, {0}};
  edgefw__plugin plugin = {.kind = EDGEFW_KIND_TERM, .options = reserved};
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  assert_int_equal(edgefw__declaration_check_options(ctx, &plugin, &refusal), EDGEFW_OK);
  assert_int_equal(refusal.status, EDGEFW_PLUGIN_MEMBER);
  assert_non_null(strstr(refusal.why, "'name'"));
  plugin.options = fine;
  assert_int_equal(edgefw__declaration_check_options(ctx, &plugin, &refusal), EDGEFW_OK);
  assert_int_equal(refusal.status, EDGEFW_OK);
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_descriptor_is_whole),
      cmocka_unit_test(an_alias_is_another_name),
      cmocka_unit_test(a_problem_has_its_members),
      cmocka_unit_test(the_name_of_a_plugin_is_no_option),
  };
  return test_run(tests, NULL, NULL);
}
