/* One run in a folder: the lock, its holder's name, and what a killed process leaves. */
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiment/run_lock.h"
#include "support/expect.h"
#include "support/workspace.h"

static bool is_there(const workspace *w) {
  return access(sandbox_path(&w->box, EDGEFW__RUN_LOCK_NAME), F_OK) == 0;
}

static void a_second_holder_is_told_of_the_first(void **state) {
  workspace *w = *state;
  edgefw__run_lock first, second;
  char process[32];
  snprintf(process, sizeof process, "process %ld;", (long)getpid());
  expect_ok(w->ctx, edgefw__run_lock_take(w->ctx, w->box.folder, &first));
  assert_true(is_there(w));
  expect_failure(w->ctx, edgefw__run_lock_take(w->ctx, w->box.folder, &second), EDGEFW_IO,
                 w->box.folder, "is in use by", process, "--out");
  edgefw__run_lock_release(&second); /* nothing: the first one holds */
  assert_true(is_there(w));
  edgefw__run_lock_release(&first);
  assert_false(is_there(w));
  expect_ok(w->ctx, edgefw__run_lock_take(w->ctx, w->box.folder, &second));
  edgefw__run_lock_release(&second);
}

/* The file of a process that was killed is there, and locks nothing. */
static void a_killed_process_holds_nothing(void **state) {
  workspace *w = *state;
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    edgefw__run_lock lock;
    const edgefw_status status = edgefw__run_lock_take(w->ctx, w->box.folder, &lock);
    if (write(ready[1], status == EDGEFW_OK ? "y" : "n", 1) == 1) pause();
    _exit(1);
  }
  char answer = ' ', process[32];
  assert_int_equal(read(ready[0], &answer, 1), 1);
  assert_int_equal(answer, 'y');
  edgefw__run_lock lock;
  snprintf(process, sizeof process, "process %ld;", (long)child);
  expect_failure(w->ctx, edgefw__run_lock_take(w->ctx, w->box.folder, &lock), EDGEFW_IO, process);
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_true(is_there(w));
  expect_ok(w->ctx, edgefw__run_lock_take(w->ctx, w->box.folder, &lock));
  edgefw__run_lock_release(&lock);
  close(ready[0]);
  close(ready[1]);
}

static void a_holder_elsewhere_is_named_with_its_machine(void **state) {
  workspace *w = *state;
  edgefw__run_lock first, second;
  expect_ok(w->ctx, edgefw__run_lock_take(w->ctx, w->box.folder, &first));
  sandbox_write(&w->box, EDGEFW__RUN_LOCK_NAME,
                "77 farm-12\n"); /* the same file: it is written over */
  expect_failure(w->ctx, edgefw__run_lock_take(w->ctx, w->box.folder, &second), EDGEFW_IO,
                 "process 77 on farm-12");
  sandbox_write(&w->box, EDGEFW__RUN_LOCK_NAME, "");
  expect_failure(w->ctx, edgefw__run_lock_take(w->ctx, w->box.folder, &second), EDGEFW_IO,
                 "in use by another process");
  edgefw__run_lock_release(&first);
}

static void no_link_is_followed(void **state) {
  workspace *w = *state;
  edgefw__run_lock lock;
  sandbox_link(&w->box, EDGEFW__RUN_LOCK_NAME, sandbox_path(&w->box, "elsewhere"));
  expect_failure(w->ctx, edgefw__run_lock_take(w->ctx, w->box.folder, &lock), EDGEFW_IO,
                 "symbolic link");
  assert_int_equal(access(sandbox_path(&w->box, "elsewhere"), F_OK), -1);
}

int main(void) {
#define LOCK_TEST(name) cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      LOCK_TEST(a_second_holder_is_told_of_the_first),
      LOCK_TEST(a_killed_process_holds_nothing),
      LOCK_TEST(a_holder_elsewhere_is_named_with_its_machine),
      LOCK_TEST(no_link_is_followed),
  };
  return test_run(tests, NULL, NULL);
}
