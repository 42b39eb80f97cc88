/* log.txt: late opening, and lines that go on to the former log. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/run_log.h"
#include "support/workspace.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/io_support.h"

static void lines_go_to_both(void **state) {
  workspace *w = *state;
  io_log seen = {.warnings = 0};
  edgefw__run_log log;
  edgefw__run_log_begin(w->ctx, &log, io_collect, &seen);
  edgefw_log(w->ctx, EDGEFW_LOG_INFO, "before");
  assert_null(cli_read(&w->box, "log.txt"));
  expect_ok(w->ctx, edgefw__run_log_open(w->ctx, &log, w->box.folder));
  expect_ok(w->ctx, edgefw__run_log_open(w->ctx, &log, w->box.folder));
  edgefw_log(w->ctx, EDGEFW_LOG_WARNING, "behind");
  edgefw__run_log_end(w->ctx, &log);
  edgefw_log(w->ctx, EDGEFW_LOG_INFO, "afterwards");
  char *text = cli_read(&w->box, "log.txt");
  assert_non_null(text);
  const char *before = strstr(text, "Z before\n"), *behind = strstr(text, "Z warning: behind\n");
  assert_true(before && behind && before < behind);
  assert_null(strstr(text, "afterwards"));
  assert_non_null(strstr(seen.text, "before\nbehind\nafterwards\n"));
  free(text);
}

static void long_lines_stay_lines(void **state) {
  workspace *w = *state;
  edgefw__run_log log;
  char line[1501]; /* with room for the line end */
  memset(line, 'x', sizeof line - 2);
  line[sizeof line - 2] = '\0';
  edgefw__run_log_begin(w->ctx, &log, NULL, NULL);
  edgefw_log(w->ctx, EDGEFW_LOG_INFO, "%s", line);
  edgefw_log(w->ctx, EDGEFW_LOG_INFO, "%s", line); /* no room to wait: left out whole */
  expect_ok(w->ctx, edgefw__run_log_open(w->ctx, &log, w->box.folder));
  edgefw_log(w->ctx, EDGEFW_LOG_INFO, "%s", line);
  edgefw__run_log_end(w->ctx, &log);
  char *text = cli_read(&w->box, "log.txt");
  assert_non_null(text);
  char *second = strstr(text, "x\n");
  assert_non_null(second);
  assert_string_equal(strstr(second + 2, "Z x") + 2, strcat(line, "\n"));
  free(text);
}

static void a_folder_that_is_not_there_fails(void **state) {
  workspace *w = *state;
  edgefw__run_log log;
  edgefw__run_log_begin(w->ctx, &log, NULL, NULL);
  expect_failure(w->ctx, edgefw__run_log_open(w->ctx, &log, "/none"), EDGEFW_IO, "/none/log.txt");
  edgefw__run_log_end(w->ctx, &log);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(lines_go_to_both, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(long_lines_stay_lines, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_fails, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
