/* The log file. Lines arrive with the context locked, so nothing here allocates or fails. */
#include "experiment/run_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const level_names[] = {"debug: ", "", "warning: "};

static void write_line(void *user, edgefw_log_level level, const char *line) {
  edgefw__run_log *log = user;
  char when[32] = "";
  const time_t now = time(NULL);
  struct tm parts;
  if (gmtime_r(&now, &parts)) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (log->file) {
    fprintf(log->file, "%s %s%s\n", when, level_names[level], line);
    fflush(log->file);
  } else {
    char *end = log->waiting + log->waiting_length;
    const size_t room = sizeof log->waiting - log->waiting_length;
    const int length = snprintf(end, room, "%s %s%s\n", when, level_names[level], line);
    if (length >= 0 && (size_t)length < room)
      log->waiting_length += (size_t)length;
    else
      *end = '\0'; /* does not fit: left out */
  }
  if (log->next) log->next(log->next_user, level, line);
}

void edgefw__run_log_begin(edgefw_context *ctx, edgefw__run_log *log, edgefw_log_sink next,
                           void *next_user) {
  *log = (edgefw__run_log){.next = next, .next_user = next_user};
  edgefw_set_log(ctx, write_line, log);
}

edgefw_status edgefw__run_log_open(edgefw_context *ctx, edgefw__run_log *log, const char *folder) {
  if (log->file) return EDGEFW_OK;
  char path[4096];
  if (snprintf(path, sizeof path, "%s/log.txt", folder) >= (int)sizeof path)
    return edgefw_fail(ctx, EDGEFW_IO, "%s: the path is too long", folder);
  /* Not through a symbolic link: it could lead out of the folder. */
  const int descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "a");
  if (!file) {
    const int error = errno;
    if (descriptor >= 0) (void)close(descriptor);
    return edgefw_fail(ctx, EDGEFW_IO, "%s: cannot write: %s", path, strerror(error));
  }
  fputs(log->waiting, file);
  log->file = file;
  return EDGEFW_OK;
}

void edgefw__run_log_end(edgefw_context *ctx, edgefw__run_log *log) {
  edgefw_set_log(ctx, log->next, log->next_user);
  if (log->file) fclose(log->file);
  log->file = NULL;
}
