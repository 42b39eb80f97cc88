/* Options: tables, settings, getters. */
#include "support/test.h"

#include <string.h>

#include "plugin/options.h"
#include "support/workspace.h"
#include "support/check.h"
#include "support/expect.h"

static const edgefw_option table[] = {
    {"size", EDGEFW_OPTION_INT, "100", NULL, "nodes", 2, 1000},
    {"rate", EDGEFW_OPTION_REAL, "4e-4", NULL, "a rate", 0, 1},
    {"norm", EDGEFW_OPTION_BOOL, "no", NULL, "a switch", 0, 0},
    {"select", EDGEFW_OPTION_CHOICE, "greedy", "greedy|sample", "a choice", 0, 0},
    {"label", EDGEFW_OPTION_TEXT, NULL, NULL, "a text", 0, 0},
    {"sizes", EDGEFW_OPTION_INT_LIST, "20, 50", NULL, "sizes", 2, 1000},
    {"terms", EDGEFW_OPTION_TEXT_LIST, "", NULL, "words", 0, 0},
    {"file", EDGEFW_OPTION_PATH, NULL, NULL, "a file", 0, 0},
    {"files", EDGEFW_OPTION_PATH_LIST, "", NULL, "files", 0, 0},
    {"test.*", EDGEFW_OPTION_PATH, NULL, NULL, "files by size", 0, 0},
    {0}};

static void keys_have_their_defaults(void **state) {
  workspace *f = *state;
  edgefw_options *o;
  expect_ok(f->ctx, edgefw__options_defaults(f->ctx, f->arena, table, &o));
  assert_int_equal(edgefw_options_int(o, "size"), 100);
  check_close(edgefw_options_real(o, "rate"), 4e-4, 0, 0, "rate");
  assert_false(edgefw_options_bool(o, "norm"));
  assert_int_equal(edgefw_options_choice(o, "select"), 0);
  assert_string_equal(edgefw_options_text(o, "select"), "greedy");
  assert_string_equal(edgefw_options_text(o, "label"), "");
  assert_int_equal(edgefw_options_count(o, "sizes"), 2);
  assert_int_equal(edgefw_options_int_at(o, "sizes", 1), 50);
  assert_int_equal(edgefw_options_count(o, "terms"), 0);
  assert_string_equal(edgefw_options_text(o, "file"), "");
  assert_int_equal(edgefw_options_count(o, "files"), 0);
  assert_string_equal(edgefw_options_text(o, "test.100"), ""); /* declared, not set */
  assert_null(edgefw__options_where(o, "size"));
  assert_int_equal(edgefw__options_size(o), 9); /* the wildcard stands for nothing yet */
}

static void settings_override_defaults(void **state) {
  workspace *f = *state;
  edgefw_options *o;
  const edgefw__setting settings[] = {
      {"size", "bad but overridden", "a.ini:1", NULL, 0},
      {"size", "20", "b.ini:2", NULL, 0},
      {"select", "sample", "b.ini:3", NULL, 0},
      {"terms", "x, y", "b.ini:4", NULL, 0},
      {"test.50", "fifty.h5", "b.ini:5", "/data", 0},
      {"test.20", "twenty.h5", "b.ini:6", "/data", 0},
      {"test.50", "/else/fifty.h5", "c.ini:1", "/data", 0},
      {"label", "", "c.ini:2", NULL, 0},
  };
  expect_ok(f->ctx, edgefw__options_create(f->ctx, f->arena, "eval", table, settings,
                                           sizeof settings / sizeof *settings, &o));
  assert_int_equal(edgefw_options_int(o, "size"), 20);
  assert_string_equal(edgefw__options_where(o, "size"), "b.ini:2");
  assert_int_equal(edgefw_options_choice(o, "select"), 1);
  assert_string_equal(edgefw_options_text_at(o, "terms", 1), "y");
  assert_string_equal(edgefw_options_text(o, "test.50"), "/else/fifty.h5");
  assert_string_equal(edgefw_options_text(o, "test.20"), "/data/twenty.h5");
  assert_int_equal(edgefw__options_size(o), 11);
  assert_string_equal(edgefw__options_key(o, 9), "test.50");
  assert_string_equal(edgefw__options_value(o, 10)->text, "/data/twenty.h5");
  assert_true(edgefw__option_is_wildcard(edgefw__options_declared(o, 10)));
}

static edgefw_status create_one(workspace *f, const char *key, const char *value) {
  edgefw_options *o;
  const edgefw__setting setting = {key, value, "x.ini:7", NULL, 0};
  const edgefw_status status =
      edgefw__options_create(f->ctx, f->arena, "train", table, &setting, 1, &o);
  assert_true((status == EDGEFW_OK) == (o != NULL));
  return status;
}

static void bad_settings_are_refused(void **state) {
  workspace *f = *state;
  expect_failure(f->ctx, create_one(f, "size", "1"), EDGEFW_CONFIG, "x.ini:7: train.size = '1'",
                 "whole number in [2, 1000]");
  expect_failure(f->ctx, create_one(f, "rate", "nan"), EDGEFW_CONFIG,
                 "x.ini:7: train.rate = 'nan'");
  expect_failure(f->ctx, create_one(f, "sise", "3"), EDGEFW_CONFIG,
                 "x.ini:7: unknown key 'sise' in [train]", "did you mean 'size'?",
                 "known keys: size, rate, norm, select");
  expect_failure(f->ctx, create_one(f, "test.", "3"), EDGEFW_CONFIG, "unknown key 'test.'");
  expect_failure(f->ctx, create_one(f, "test.*", ""), EDGEFW_CONFIG, "unknown key 'test.*'");
  expect_failure(f->ctx, create_one(f, "size", ""), EDGEFW_CONFIG, "train.size = ''");
}

static void without_a_table_there_are_no_keys(void **state) {
  workspace *f = *state;
  edgefw_options *o;
  const edgefw__setting setting = {"k", "v", "x.ini:1", NULL, 0};
  expect_ok(f->ctx, edgefw__options_defaults(f->ctx, f->arena, NULL, &o));
  assert_int_equal(edgefw__options_size(o), 0);
  expect_failure(f->ctx, edgefw__options_create(f->ctx, f->arena, "term.x", NULL, &setting, 1, &o),
                 EDGEFW_CONFIG, "unknown key 'k' in [term.x]", "known keys: none");
}

/* One entry is put into a table by itself; `word` must be in the reason. */
static void refuse_table(workspace *f, edgefw_option entry, const char *word) {
  const edgefw_option bad[] = {{"good", EDGEFW_OPTION_INT, "1", NULL, "help", 0, 0}, entry, {0}};
  char why[512] = "";
  const edgefw_status status = edgefw__option_table_check(f->arena, bad, why, sizeof why);
  assert_int_equal(status, EDGEFW_CONFIG);
  if (!strstr(why, word)) print_error("expected '%s' in: %s\n", word, why);
  assert_non_null(strstr(why, word));
}

static void bad_tables_are_found(void **state) {
  workspace *f = *state;
  char why[512];
  expect_ok(f->ctx, edgefw__option_table_check(f->arena, table, why, sizeof why));
  expect_ok(f->ctx, edgefw__option_table_check(f->arena, NULL, why, sizeof why));
  const edgefw_option_type integer = EDGEFW_OPTION_INT, choice = EDGEFW_OPTION_CHOICE;
  refuse_table(f, (edgefw_option){"good", integer, "1", NULL, "h", 0, 0}, "declared twice");
  refuse_table(f, (edgefw_option){"Bad", integer, "1", NULL, "h", 0, 0}, "'Bad' must consist");
  refuse_table(f, (edgefw_option){"", integer, "1", NULL, "h", 0, 0}, "must consist");
  refuse_table(f, (edgefw_option){"a=b", integer, "1", NULL, "h", 0, 0}, "must consist");
  refuse_table(f, (edgefw_option){"k", integer, "11", NULL, "h", 0, 10}, "default '11'");
  refuse_table(f, (edgefw_option){"k", integer, "one", NULL, "h", 0, 0}, "default 'one'");
  refuse_table(f, (edgefw_option){"k", integer, NULL, NULL, "h", 0, 0}, "no default");
  refuse_table(f, (edgefw_option){"k", integer, "1", NULL, "h", 2, 1}, "min above max");
  refuse_table(f, (edgefw_option){"k", integer, "1", NULL, NULL, 0, 0}, "no help");
  refuse_table(f, (edgefw_option){"k", choice, "a", NULL, "h", 0, 0}, "without choices");
  refuse_table(f, (edgefw_option){"k", choice, "c", "a|b", "h", 0, 0}, "one of a|b");
  refuse_table(f, (edgefw_option){"k", (edgefw_option_type)77, "1", NULL, "h", 0, 0},
               "unknown type");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(keys_have_their_defaults, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(settings_override_defaults, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(bad_settings_are_refused, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(without_a_table_there_are_no_keys, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(bad_tables_are_found, workspace_set_up, workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
