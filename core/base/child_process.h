/* Running another program and waiting for it, with a limit on the time. */
#ifndef EDGEFW__CHILD_PROCESS_H
#define EDGEFW__CHILD_PROCESS_H

#include "edgefw/context.h"

typedef struct edgefw__child {
  char *const *argv;  /* ended by NULL; argv[0] is searched in PATH if it has no '/' */
  const char *output; /* file that takes its stdout and stderr; NULL: nothing does */
  double limit;       /* seconds until it is killed; 0: none */
  bool interruptible; /* kill it when the context is interrupted */
} edgefw__child;

typedef enum edgefw__child_outcome {
  EDGEFW__CHILD_EXITED,     /* code: its exit status (127: perhaps it could not be started) */
  EDGEFW__CHILD_SIGNALED,   /* code: the signal that ended it */
  EDGEFW__CHILD_TIMED_OUT,  /* killed */
  EDGEFW__CHILD_STOPPED,    /* killed, because the context was interrupted */
  EDGEFW__CHILD_NOT_STARTED /* code: an errno */
} edgefw__child_outcome;

typedef struct edgefw__child_end {
  edgefw__child_outcome outcome;
  int code;
} edgefw__child_end;

/* Run it, with an empty stdin and in a process group of its own: Ctrl-C on the terminal does not
 * reach it, and what it starts is killed with it. Several threads may do so at once. */
edgefw__child_end edgefw__child_run(const edgefw_context *ctx, const edgefw__child *child);

#endif
