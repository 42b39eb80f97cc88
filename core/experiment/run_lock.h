/* One process at a time in a run directory. The lock is the kernel's (flock) on a small file there,
 * so it ends with the process that holds it, however that ends: there are no stale ones. */
#ifndef EDGEFW__RUN_LOCK_H
#define EDGEFW__RUN_LOCK_H

#include "edgefw/context.h"

/* The file. It holds the number of the process and the name of its machine, and is gone when the
 * run has ended; one that a killed process left behind locks nothing. */
#define EDGEFW__RUN_LOCK_NAME "run.lock"

typedef struct edgefw__run_lock {
  int file;        /* its descriptor; -1: nothing is locked */
  char path[4096]; /* of the file */
} edgefw__run_lock;

/* No lock, for edgefw__run_lock_release. */
#define EDGEFW__RUN_LOCK_NONE                                                                      \
  { .file = -1 }

/* Lock the folder, which exists. IO, with the process that has it, if another run is in there.
 * Where nothing can be written, or the file system knows no locks, nothing is locked, and it
 * succeeds: a run cannot change the former, and a warning tells of the latter. */
EDGEFW_NODISCARD edgefw_status edgefw__run_lock_take(edgefw_context *ctx, const char *folder,
                                                     edgefw__run_lock *out);

/* Remove the file and let others in. */
void edgefw__run_lock_release(edgefw__run_lock *lock);

#endif
