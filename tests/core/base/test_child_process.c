/* Running other programs: how they end, where their output goes, and the limit. */
#include "support/test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/clock.h"
#include "support/io_support.h"

static int setup(void **state) {
  return io_file_set_up(state, "output.txt");
}

/* Run a shell script. */
static edgefw__child_end run(io_file *f, const char *script, double limit) {
  char copy[256];
  strcpy(copy, script);
  char shell[] = "sh", flag[] = "-c";
  char *const argv[] = {shell, flag, copy, NULL};
  return edgefw__child_run(
      f->ctx,
      &(edgefw__child){.argv = argv, .output = f->path, .limit = limit, .interruptible = true});
}

static void ends_are_told_apart(void **state) {
  io_file *f = *state;
  edgefw__child_end end = run(f, "exit 0", 0.0);
  assert_true(end.outcome == EDGEFW__CHILD_EXITED && end.code == 0);
  end = run(f, "exit 3", 0.0);
  assert_true(end.outcome == EDGEFW__CHILD_EXITED && end.code == 3);
  end = run(f, "kill -SEGV $$", 0.0);
  assert_true(end.outcome == EDGEFW__CHILD_SIGNALED && end.code == SIGSEGV);
  char name[] = "/none/such";
  char *const argv[] = {name, NULL};
  end = edgefw__child_run(f->ctx, &(edgefw__child){.argv = argv});
  assert_true((end.outcome == EDGEFW__CHILD_NOT_STARTED && end.code == ENOENT) || end.code == 127);
}

static void both_streams_go_to_the_file(void **state) {
  io_file *f = *state;
  assert_int_equal(run(f, "cat; echo out; echo err >&2", 0.0).outcome, EDGEFW__CHILD_EXITED);
  size_t length = 0;
  char *text = io_read(f->path, &length);
  assert_string_equal(text, "out\nerr\n"); /* and stdin was empty */
  free(text);
}

/* Does the process run? One that ended may stay listed where nobody takes leave of it. */
static bool runs(pid_t pid) {
  char path[64], line[256] = "";
  if (kill(pid, 0) != 0) return false;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *stream = fopen(path, "r");
  if (!stream) return false;
  const bool read = fgets(line, sizeof line, stream) != NULL;
  fclose(stream);
  return read && !strstr(line, ") Z ");
}

/* The process that the script started and whose number it wrote is gone. */
static void expect_gone(io_file *f) {
  size_t length = 0;
  char *text = io_read(f->path, &length);
  const pid_t pid = (pid_t)strtol(text, NULL, 10);
  free(text);
  assert_true(pid > 1);
  const struct timespec moment = {.tv_nsec = 10000000};
  for (int i = 0; i < 500 && runs(pid); ++i) nanosleep(&moment, NULL);
  assert_false(runs(pid));
}

static void a_late_one_is_killed_with_its_children(void **state) {
  io_file *f = *state;
  const double began = edgefw__seconds();
  assert_int_equal(run(f, "sleep 100 & echo $!; wait", 0.3).outcome, EDGEFW__CHILD_TIMED_OUT);
  assert_true(edgefw__seconds() - began < 30.0);
  expect_gone(f);
}

static void an_interruption_stops_it(void **state) {
  io_file *f = *state;
  const volatile int flag = 1;
  edgefw_set_interrupt(f->ctx, &flag);
  assert_int_equal(run(f, "sleep 100", 0.0).outcome, EDGEFW__CHILD_STOPPED);
  char shell[] = "sh", option[] = "-c", script[] = "sleep 0.05";
  char *const argv[] = {shell, option, script, NULL};
  assert_int_equal(edgefw__child_run(f->ctx, &(edgefw__child){.argv = argv}).outcome,
                   EDGEFW__CHILD_EXITED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(ends_are_told_apart, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(both_streams_go_to_the_file, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(a_late_one_is_killed_with_its_children, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(an_interruption_stops_it, setup, io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
