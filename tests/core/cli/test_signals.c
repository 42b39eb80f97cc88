/* SIGTERM and SIGHUP like SIGINT ask the work to stop; a second one ends the program at once. A
 * file that grows too large is an error. labels: e2e */
#include "support/test.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

static void expect_interruption(const sandbox *box, int signal) {
  const pid_t child = start_long_run(box, "2");
  for (int i = 0; i < 60000 && access(sandbox_path(box, "runs/tiny/plain/metrics.csv"), F_OK); ++i)
    pause_shortly();
  assert_int_equal(kill(child, signal), 0);
  cli_result result = cli_wait(box, child);
  assert_int_equal(result.status, 130);
  assert_non_null(strstr(result.err, "once more to stop at once"));
  assert_non_null(strstr(result.err, "the state is in 'runs/tiny/plain/checkpoint-"));
  cli_free(&result);
}

static void a_termination_is_an_interruption(void **state) {
  expect_interruption(*state, SIGTERM);
}

static void a_lost_terminal_is_an_interruption(void **state) {
  expect_interruption(*state, SIGHUP);
}

/* As under nohup. */
static void a_hangup_that_is_ignored_stays_so(void **state) {
  const sandbox *box = *state;
  void (*before)(int) = signal(SIGHUP, SIG_IGN);
  const pid_t child = start_long_run(box, "2");
  signal(SIGHUP, before);
  for (int i = 0; i < 60000 && access(sandbox_path(box, "runs/tiny/plain/metrics.csv"), F_OK); ++i)
    pause_shortly();
  assert_int_equal(kill(child, SIGHUP), 0);
  for (int i = 0; i < 100; ++i) pause_shortly();
  assert_int_equal(waitpid(child, NULL, WNOHANG), 0); /* it goes on */
  assert_int_equal(kill(child, SIGTERM), 0);
  cli_result result = cli_wait(box, child);
  assert_int_equal(result.status, 130);
  cli_free(&result);
}

/* The limit is above what config.ini takes and below a checkpoint's size. */
static void a_file_that_grows_too_large_is_an_error(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, "[train]\nsize = 6\nepochs = 1\nmilestones = 1\ninstances_per_epoch = 2\n"
                        "batch = 2\n");
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit small = {6000, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  const pid_t child = cli_start(box, "run tiny.ini");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  cli_result result = cli_wait(box, child);
  assert_int_equal(result.status, 1);
  assert_non_null(strstr(result.err, "edgefw: cannot write 'runs/tiny/plain/checkpoint-1.h5'"));
  assert_non_null(strstr(result.err, "limit on sizes"));
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
      cmocka_unit_test_setup_teardown(a_lost_terminal_is_an_interruption, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(a_hangup_that_is_ignored_stays_so, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(a_file_that_grows_too_large_is_an_error, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(a_second_signal_ends_it_at_once, sandbox_set_up,
                                      sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
