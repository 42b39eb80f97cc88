/* log.txt: late opening, and lines that go on to the former log. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "edgefw/arena.h"
#include "experiment/run_log.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/io_support.h"
#include "support/sandbox.h"

typedef struct bench {
  edgefw_context *ctx;
  edgefw_arena *arena;
  sandbox box;
} bench;

static int set_up(void **state) {
  bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  assert_int_equal(edgefw_context_create(&b->ctx, NULL), EDGEFW_OK);
  expect_ok(b->ctx, edgefw_arena_create(b->ctx, &b->arena, "test", 1 << 12, true));
  sandbox_create(&b->box);
  *state = b;
  return 0;
}

static int tear_down(void **state) {
  bench *b = *state;
  sandbox_remove(&b->box);
  edgefw_arena_destroy(b->arena);
  edgefw_context_destroy(b->ctx);
  free(b);
  return 0;
}

static void lines_go_to_both(void **state) {
  bench *b = *state;
  io_log seen = {.warnings = 0};
  edgefw__run_log log;
  edgefw__run_log_begin(b->ctx, &log, io_collect, &seen);
  edgefw_log(b->ctx, EDGEFW_LOG_INFO, "before");
  assert_null(cli_read(&b->box, "log.txt"));
  expect_ok(b->ctx, edgefw__run_log_open(b->ctx, &log, b->box.folder));
  expect_ok(b->ctx, edgefw__run_log_open(b->ctx, &log, b->box.folder));
  edgefw_log(b->ctx, EDGEFW_LOG_WARNING, "behind");
  edgefw__run_log_end(b->ctx, &log);
  edgefw_log(b->ctx, EDGEFW_LOG_INFO, "afterwards");
  char *text = cli_read(&b->box, "log.txt");
  assert_non_null(text);
  const char *before = strstr(text, "Z before\n"), *behind = strstr(text, "Z warning: behind\n");
  assert_true(before && behind && before < behind);
  assert_null(strstr(text, "afterwards"));
  assert_non_null(strstr(seen.text, "before\nbehind\nafterwards\n"));
  free(text);
}

static void a_folder_that_is_not_there_fails(void **state) {
  bench *b = *state;
  edgefw__run_log log;
  edgefw__run_log_begin(b->ctx, &log, NULL, NULL);
  expect_failure(b->ctx, edgefw__run_log_open(b->ctx, &log, "/none"), EDGEFW_IO, "/none/log.txt");
  edgefw__run_log_end(b->ctx, &log);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(lines_go_to_both, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_fails, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
