/* Reading single values. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plugin/value.h"
#include "support/workspace.h"
#include "support/check.h"

/* Reads a good value. */
static edgefw__value good(workspace *f, const edgefw_option *option, const char *text) {
  char why[256];
  edgefw__value value;
  assert_int_equal(edgefw__value_parse(f->arena, option, text, "/folder", &value, why, sizeof why),
                   EDGEFW_OK);
  assert_int_equal(edgefw_failure(f->ctx), EDGEFW_OK);
  return value;
}

/* The value is refused, and the reason holds `word`. */
static void bad(workspace *f, const edgefw_option *option, const char *text, const char *word) {
  char why[256];
  edgefw__value value;
  const edgefw_status status =
      edgefw__value_parse(f->arena, option, text, NULL, &value, why, sizeof why);
  if (status != EDGEFW_CONFIG) print_error("'%s' passes\n", text);
  assert_int_equal(status, EDGEFW_CONFIG);
  if (!strstr(why, word)) print_error("'%s' is refused with: %s\n", text, why);
  assert_non_null(strstr(why, word));
  assert_int_equal(edgefw_failure(f->ctx), EDGEFW_OK); /* the caller reports */
}

static void integers_are_read_strictly(void **state) {
  const edgefw_option free = {.key = "k", .type = EDGEFW_OPTION_INT};
  const edgefw_option bounded = {.key = "k", .type = EDGEFW_OPTION_INT, .min = -2, .max = 10};
  assert_int_equal(good(*state, &free, "-9223372036854775808").integer, INT64_MIN);
  assert_string_equal(good(*state, &free, "+007").text, "7");
  assert_int_equal(good(*state, &bounded, "10").integer, 10);
  assert_int_equal(good(*state, &bounded, "-2").integer, -2);
  const char *const wrong[] = {"",    " ", "1e3", "1.0", "0x10", "12abc",
                               "abc", "-", "--1", "1 2", "nan",  "9223372036854775808",
                               NULL};
  for (const char *const *text = wrong; *text; ++text) bad(*state, &free, *text, "whole number");
  bad(*state, &bounded, "11", "whole number in [-2, 10]");
  bad(*state, &bounded, "-3", "whole number in [-2, 10]");
}

static void reals_are_read_strictly(void **state) {
  const edgefw_option free = {.key = "k", .type = EDGEFW_OPTION_REAL};
  const edgefw_option bounded = {.key = "k", .type = EDGEFW_OPTION_REAL, .min = 0, .max = 1};
  check_close(good(*state, &free, "4e-4").real, 4e-4, 0, 0, "real");
  assert_string_equal(good(*state, &free, "4e-4").text, "0.0004");
  assert_string_equal(good(*state, &free, "0.4330127018922193").text, "0.4330127018922193");
  assert_string_equal(good(*state, &free, "-1.").text, "-1");
  check_close(good(*state, &bounded, "1").real, 1, 0, 0, "real");
  const char *const wrong[] = {"",      ".",   "e",  "nan", "inf", "1e999",
                               "0x1p3", "1,5", "1 ", "1f",  NULL};
  for (const char *const *text = wrong; *text; ++text) bad(*state, &free, *text, "number");
  bad(*state, &bounded, "1.0000001", "number in [0, 1]");
  bad(*state, &bounded, "-1e-300", "number in [0, 1]");
}

static void booleans_have_several_words(void **state) {
  const edgefw_option option = {.key = "k", .type = EDGEFW_OPTION_BOOL};
  const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(good(*state, &option, yes[i]).integer, 1);
    assert_string_equal(good(*state, &option, yes[i]).text, "true");
    assert_int_equal(good(*state, &option, no[i]).integer, 0);
    assert_string_equal(good(*state, &option, no[i]).text, "false");
  }
  bad(*state, &option, "maybe", "true or false");
  bad(*state, &option, "", "true or false");
}

static void choices_are_exact(void **state) {
  const edgefw_option option = {
      .key = "k", .type = EDGEFW_OPTION_CHOICE, .choices = "greedy|sample"};
  assert_int_equal(good(*state, &option, "greedy").integer, 0);
  assert_int_equal(good(*state, &option, "sample").integer, 1);
  bad(*state, &option, "smaple", "expected one of greedy|sample (did you mean 'sample'?)");
  bad(*state, &option, "gredy", "did you mean 'greedy'?");
  bad(*state, &option, "greedy|sample", "expected one of");
  bad(*state, &option, "", "expected one of");
  char choice[16];
  assert_true(edgefw__option_choice(&option, 1, choice, sizeof choice));
  assert_string_equal(choice, "sample");
  assert_false(edgefw__option_choice(&option, 2, choice, sizeof choice));
}

static void integer_lists_are_read(void **state) {
  const edgefw_option option = {.key = "k", .type = EDGEFW_OPTION_INT_LIST, .min = 2, .max = 1000};
  const edgefw__value value = good(*state, &option, "  20,50 ,\t100 ");
  assert_int_equal(value.count, 3);
  assert_int_equal(value.integers[0], 20);
  assert_int_equal(value.integers[2], 100);
  assert_string_equal(value.text, "20, 50, 100");
  assert_int_equal(good(*state, &option, "").count, 0);
  bad(*state, &option, "20,,50", "item 2 of the list is empty");
  bad(*state, &option, "20,", "item 2 of the list is empty");
  bad(*state, &option, ",", "item 1 of the list is empty");
  bad(*state, &option, "20 50", "list of whole numbers in [2, 1000]");
  bad(*state, &option, "20, 1", "list of whole numbers in [2, 1000]");
}

/* A range stands for its numbers, and stays a range where the value is written back. */
static void ranges_are_lists(void **state) {
  const edgefw_option option = {
      .key = "k", .type = EDGEFW_OPTION_INT_LIST, .min = -3, .max = 200000};
  const edgefw__value value = good(*state, &option, "7, -2..1,9..9");
  static const int64_t numbers[] = {7, -2, -1, 0, 1, 9};
  assert_int_equal(value.count, 6);
  assert_memory_equal(value.integers, numbers, sizeof numbers);
  assert_string_equal(value.text, "7, -2..1, 9..9");
  assert_int_equal(good(*state, &option, "1..100000").count, 100000);
  bad(*state, &option, "1..100001", "the list holds more than 100000 numbers");
  bad(*state, &option, "1..60000, 1..60000", "the list holds more than 100000 numbers");
  bad(*state, &option, "9..7", "the range 9..7 is empty; expected 7..9");
  bad(*state, &option, "1..", "list of whole numbers in [-3, 200000]");
  bad(*state, &option, "..5", "list of whole numbers in [-3, 200000]");
  bad(*state, &option, "1..2..3", "list of whole numbers in [-3, 200000]");
  bad(*state, &option, "1...3", "list of whole numbers in [-3, 200000]");
  bad(*state, &option, "-4..3", "list of whole numbers in [-3, 200000]");
}

static void text_lists_are_read(void **state) {
  const edgefw_option option = {.key = "k", .type = EDGEFW_OPTION_TEXT_LIST};
  const edgefw__value value = good(*state, &option, "edge,closure ,  lookahead");
  assert_int_equal(value.count, 3);
  assert_string_equal(value.texts[1], "closure");
  assert_string_equal(value.text, "edge, closure, lookahead");
  bad(*state, &option, "edge closure", "'edge closure' holds a blank");
}

static void paths_become_absolute(void **state) {
  const edgefw_option path = {.key = "k", .type = EDGEFW_OPTION_PATH};
  const edgefw_option paths = {.key = "k", .type = EDGEFW_OPTION_PATH_LIST};
  assert_string_equal(good(*state, &path, "").text, "");
  assert_string_equal(good(*state, &path, "/a/b.h5").text, "/a/b.h5");
  assert_string_equal(good(*state, &path, "./missing.h5").text, "/folder/missing.h5");
  const edgefw__value list = good(*state, &paths, "a b.csv, /c");
  assert_int_equal(list.count, 2);
  assert_string_equal(list.texts[0], "/folder/a b.csv");
  assert_string_equal(list.text, "/folder/a b.csv, /c");
}

static void existing_paths_are_plain(void **state) {
  workspace *f = *state;
  const edgefw_option path = {.key = "k", .type = EDGEFW_OPTION_PATH};
  sandbox box;
  edgefw__value value;
  char why[64];
  sandbox_create(&box);
  sandbox_write(&box, "a/b/file", "x");
  assert_int_equal(edgefw__value_parse(f->arena, &path, "../b/file", sandbox_path(&box, "a/b"),
                                       &value, why, sizeof why),
                   EDGEFW_OK);
  assert_string_equal(value.text, sandbox_path(&box, "a/b/file"));
  /* Without a folder the working directory counts. */
  assert_int_equal(
      edgefw__value_parse(f->arena, &path, "no-such-file", NULL, &value, why, sizeof why),
      EDGEFW_OK);
  char working[1024];
  assert_non_null(getcwd(working, sizeof working));
  assert_int_equal(strncmp(value.text, working, strlen(working)), 0);
  sandbox_remove(&box);
}

static void text_is_kept(void **state) {
  const edgefw_option option = {.key = "k", .type = EDGEFW_OPTION_TEXT};
  assert_string_equal(good(*state, &option, "any = text, at all").text, "any = text, at all");
}

static void types_have_names(void **state) {
  (void)state;
  for (int type = EDGEFW_OPTION_INT; type <= EDGEFW_OPTION_PATH_LIST; ++type)
    assert_string_not_equal(edgefw__option_type_name((edgefw_option_type)type), "unknown");
  assert_string_equal(edgefw__option_type_name((edgefw_option_type)99), "unknown");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(integers_are_read_strictly, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(reals_are_read_strictly, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(booleans_have_several_words, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(choices_are_exact, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(integer_lists_are_read, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(ranges_are_lists, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(text_lists_are_read, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(paths_become_absolute, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(existing_paths_are_plain, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(text_is_kept, workspace_set_up, workspace_tear_down),
      cmocka_unit_test(types_have_names),
  };
  return test_run(tests, NULL, NULL);
}
