/* Running gnuplot as a child process. */
#include "experiment/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *edgefw__gnuplot_string(edgefw_arena *arena, const char *text) {
  char *out = edgefw_arena_take(arena, 2 * strlen(text) + 3, 1);
  if (!out) return NULL;
  char *to = out;
  *to++ = '\'';
  for (; *text; ++text) {
    if (*text == '\'') *to++ = '\''; /* doubled inside of single quotes */
    *to++ = *text;
  }
  *to++ = '\'';
  *to = '\0';
  return out;
}

/* Start `argv` with its input and output on /dev/null. Returns an errno, 0 for success. */
static int start(char *const *argv, pid_t *child) {
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!error)
    error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!error)
    error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (!error) error = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

edgefw_status edgefw__gnuplot_run(edgefw_context *ctx, edgefw_arena *scratch, const char *folder,
                                  const char *name, edgefw__gnuplot_outcome *outcome) {
  *outcome = EDGEFW__GNUPLOT_FAILED;
  const char *quoted_folder = edgefw__gnuplot_string(scratch, folder);
  const char *quoted_name = edgefw__gnuplot_string(scratch, name);
  char *program = edgefw_arena_text(scratch, "gnuplot"), *flag = edgefw_arena_text(scratch, "-e");
  if (!quoted_folder || !quoted_name || !program || !flag) return edgefw_failure(ctx);
  char *commands = edgefw_arena_format(scratch, "cd %s; load %s", quoted_folder, quoted_name);
  if (!commands) return edgefw_failure(ctx);
  char *const argv[] = {program, flag, commands, NULL};
  pid_t child = 0;
  if (start(argv, &child) != 0) {
    *outcome = EDGEFW__GNUPLOT_MISSING;
    return EDGEFW_OK;
  }
  int result = 0;
  while (waitpid(child, &result, 0) < 0)
    if (errno != EINTR) return EDGEFW_OK;
  if (WIFEXITED(result) && WEXITSTATUS(result) == 0) *outcome = EDGEFW__GNUPLOT_DONE;
  if (WIFEXITED(result) && WEXITSTATUS(result) == 127) *outcome = EDGEFW__GNUPLOT_MISSING;
  return EDGEFW_OK;
}
