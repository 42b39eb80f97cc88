/* edgefw plugins matrix.
 * labels: e2e */
#include "support/test.h"

#include <string.h>

#include "support/cli.h"
#include "support/toy_plugins.h"

#define MATRIX "plugins matrix --plugin-path plugins"

static void combinations_are_lines(void **state) {
  const sandbox *box = *state;
  toy_plugins_link(box);
  cli_expect(box, MATRIX " --problem toy", 0, "toy      deep     -                  yes\n", NULL);
  cli_expect(box, MATRIX " --problem toy", 0,
             "toy      plain    picky              no: picky: there are no coordinates\n", NULL);
  cli_expect(box, MATRIX, 0, "toy      plain    progress           yes\n", NULL);
}

/* Every line is of the problem and the backbone that are asked for. */
static void names_choose_lines(void **state) {
  const sandbox *box = *state;
  toy_plugins_link(box);
  cli_result result = cli_do(box, MATRIX " --problem toy --backbone simple"); /* plain's alias */
  assert_int_equal(result.status, 0);
  int lines = 0;
  for (char *line = strtok(result.out, "\n"); line; line = strtok(NULL, "\n"), ++lines)
    assert_memory_equal(line, "toy      plain    ", 18);
  assert_true(lines >= 3); /* no term, picky, progress */
  cli_free(&result);
}

/* Heuristics have lines of their own, without a backbone. */
static void heuristics_are_lines(void **state) {
  const sandbox *box = *state;
  toy_plugins_link(box);
  cli_expect(box, MATRIX " --problem toy", 0, "toy      -        inorder            yes\n", NULL);
  cli_result result = cli_do(box, MATRIX " --construct by_number --problem toy");
  assert_string_equal(result.out, "toy      -        inorder            yes\n");
  cli_free(&result);
  cli_expect(box, MATRIX " --construct inorder --problem toy --json", 0,
             "{\"problem\": \"toy\", \"backbone\": null, \"term\": null, "
             "\"heuristic\": \"inorder\", \"fits\": true, \"why\": null}",
             NULL);
}

static void json_has_all_of_it(void **state) {
  const sandbox *box = *state;
  toy_plugins_link(box);
  const char *arguments = MATRIX " --problem toy --backbone plain --json";
  cli_expect(
      box, arguments, 0,
      "[{\"problem\": \"toy\", \"backbone\": \"plain\", \"term\": null, \"heuristic\": null, "
      "\"fits\": true, "
      "\"why\": null},\n {\"problem\": \"toy\", ",
      NULL);
  cli_expect(box, arguments, 0,
             "\"term\": \"picky\", \"heuristic\": null, \"fits\": false, \"why\": \"picky: there "
             "are no coordinates\"}",
             NULL);
  cli_result result = cli_do(box, arguments);
  assert_non_null(strstr(result.out, "}]\n"));
  cli_free(&result);
}

static void unknown_names_are_refused(void **state) {
  const sandbox *box = *state;
  toy_plugins_link(box);
  cli_expect(box, MATRIX " --problem yot", 2, "", "no problem plugin is called 'yot'");
  cli_expect(box, MATRIX " --backbone plian", 2, "", "did you mean 'plain'?");
  cli_expect(box, MATRIX " toy", 2, "", "'toy'");
  cli_expect(box, MATRIX " --backbone plain --construct inorder", 2, "", "exclude each other");
}

#define matrix_test(name) cmocka_unit_test_setup_teardown(name, sandbox_set_up, sandbox_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      matrix_test(combinations_are_lines),    matrix_test(names_choose_lines),
      matrix_test(heuristics_are_lines),      matrix_test(json_has_all_of_it),
      matrix_test(unknown_names_are_refused),
  };
  return test_run(tests, NULL, NULL);
}
