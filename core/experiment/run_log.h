/* log.txt of a run: every line of the context's log goes there, with its time, and on to the log
 * that was in force before. */
#ifndef EDGEFW__RUN_LOG_H
#define EDGEFW__RUN_LOG_H

#include <stdio.h>

#include "edgefw/context.h"

typedef struct edgefw__run_log {
  edgefw_log_sink next; /* may be NULL */
  void *next_user;
  FILE *file;         /* NULL: not open */
  char waiting[2048]; /* lines from before it was opened; later ones that do not fit are left out */
  size_t waiting_length;
} edgefw__run_log;

/* Make `log` the context's log; it passes lines on to `next`. Undone by edgefw__run_log_end. */
void edgefw__run_log_begin(edgefw_context *ctx, edgefw__run_log *log, edgefw_log_sink next,
                           void *next_user);

/* Open FOLDER/log.txt for appending, once; what was logged so far goes first. A run with nothing to
 * do never calls this and leaves the file alone. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__run_log_open(edgefw_context *ctx, edgefw__run_log *log,
                                                    const char *folder);

/* Close the file and give the context its former log. */
void edgefw__run_log_end(edgefw_context *ctx, edgefw__run_log *log);

#endif
