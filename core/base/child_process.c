/* Running another program (POSIX). */
#include "base/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

extern char **environ;

/* Seconds between two looks at the child: the first ones are short, for there are short runs. */
static const double first_pause = 0.5e-3, last_pause = 20e-3;

/* Returns an errno, 0 for success. */
static int add_streams(posix_spawn_file_actions_t *actions, const char *output) {
  int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!error)
    error = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, output ? output : "/dev/null",
                                             O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
  return error;
}

static int start(const edgefw__child *child, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = add_streams(&actions, child->output);
    if (!error) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (!error)
      error = posix_spawnp(pid, child->argv[0], &actions, &attributes, child->argv, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static void wait_shortly(double *pause) {
  const struct timespec time = {.tv_nsec = (long)(*pause * 1e9)};
  nanosleep(&time, NULL);
  *pause = *pause * 1.5 < last_pause ? *pause * 1.5 : last_pause;
}

/* Kill the child with its group, and take leave of it. */
static void kill_all(pid_t pid) {
  (void)kill(-pid, SIGKILL);
  int result = 0;
  while (waitpid(pid, &result, 0) < 0 && errno == EINTR) continue;
}

edgefw__child_end edgefw__child_run(const edgefw_context *ctx, const edgefw__child *child) {
  pid_t pid = 0;
  const int error = start(child, &pid);
  if (error) return (edgefw__child_end){EDGEFW__CHILD_NOT_STARTED, error};
  const double began = edgefw__seconds();
  double pause = first_pause;
  int result = 0;
  for (;;) {
    const pid_t ended = waitpid(pid, &result, WNOHANG);
    if (ended == pid) break;
    if (ended < 0 && errno != EINTR) return (edgefw__child_end){EDGEFW__CHILD_NOT_STARTED, errno};
    const bool late = child->limit > 0.0 && edgefw__seconds() - began > child->limit;
    if (late || (child->interruptible && edgefw_interrupted(ctx))) {
      kill_all(pid);
      return (edgefw__child_end){late ? EDGEFW__CHILD_TIMED_OUT : EDGEFW__CHILD_STOPPED, SIGKILL};
    }
    wait_shortly(&pause);
  }
  if (WIFEXITED(result)) return (edgefw__child_end){EDGEFW__CHILD_EXITED, WEXITSTATUS(result)};
  return (edgefw__child_end){EDGEFW__CHILD_SIGNALED, WTERMSIG(result)};
}
