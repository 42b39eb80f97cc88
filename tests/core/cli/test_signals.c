/* SIGTERM like SIGINT asks the work to stop; a second one ends the program at once.
 * labels: e2e */
#include "support/test.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/cli.h"
#include "support/tiny_model.h"

static void pause_shortly(void) {
  const struct timespec moment = {.tv_nsec = 1000000};
  nanosleep(&moment, NULL);
}

/* A run that would last for minutes, and has begun to train. */
static pid_t start_long_run(const sandbox *box, const char *batch) {
  char more[256] =
      "[train]\nsize = 6\nepochs = 100000\nmilestones = 100000\ninstances_per_epoch = ";
  strcat(strcat(strcat(strcat(more, batch), "\nbatch = "), batch), "\n");
  cli_write_config(box, more);
  return cli_start(box, "run tiny.ini");
}

static void a_termination_is_an_interruption(void **state) {
  const sandbox *box = *state;
  const pid_t child = start_long_run(box, "2");
  for (int i = 0; i < 60000 && access(sandbox_path(box, "runs/tiny/plain/metrics.csv"), F_OK); ++i)
    pause_shortly();
  assert_int_equal(kill(child, SIGTERM), 0);
  cli_result result = cli_wait(box, child);
  assert_int_equal(result.status, 130);
  assert_non_null(strstr(result.err, "once more to stop at once"));
  cli_free(&result);
}

static void a_second_signal_ends_it_at_once(void **state) {
  const sandbox *box = *state;
  const pid_t child = start_long_run(box, "50000"); /* a batch of many seconds */
  for (int i = 0; i < 60000 && access(sandbox_path(box, "runs/tiny/plain"), F_OK); ++i)
    pause_shortly();
  assert_int_equal(kill(child, SIGINT), 0);
  for (int i = 0; i < 100; ++i) pause_shortly(); /* two pending ones would be one */
  assert_int_equal(kill(child, SIGINT), 0);
  cli_result result = cli_wait(box, child);
  assert_int_equal(result.status, 128 + SIGINT);
  cli_free(&result);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_termination_is_an_interruption, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(a_second_signal_ends_it_at_once, sandbox_set_up,
                                      sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
