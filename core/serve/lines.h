/* Lines from a file descriptor: pipes and sockets that may be silent for long, lines of any length
 * up to a limit. */
#ifndef EDGEFW__LINES_H
#define EDGEFW__LINES_H

#include "edgefw/context.h"

/* Bytes read at once. */
#define EDGEFW__LINES_CHUNK 65536

typedef struct edgefw__line {
  char *text; /* (length), then NUL, without line end; the caller's, by edgefw_release. NULL where
                 the line was too long */
  size_t length; /* bytes; of one that is too long as many as came before it was given up */
} edgefw__line;

typedef struct edgefw__lines {
  edgefw_context *ctx;
  int fd;                      /* not owned */
  size_t most;                 /* bytes of a line */
  const volatile int *stop;    /* other than 0: there is nothing more; NULL: never */
  bool (*is_idle)(void *user); /* asked several times a second while nothing comes: is there no use
                                  in more? NULL: there always is */
  void *user;                  /* given to is_idle */
  char chunk[EDGEFW__LINES_CHUNK];
  size_t at, end; /* what is left of the chunk */
  bool ended;     /* there is no more to be read */
} edgefw__lines;

/* Begin; ctx, fd and stop outlive it. The caller may set is_idle and user then. */
void edgefw__lines_begin(edgefw_context *ctx, int fd, size_t most, const volatile int *stop,
                         edgefw__lines *out);

/* The next line; *more is false, and *out empty, behind the last one or when `stop` or is_idle says
 * so. A last line need not end. IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__lines_next(edgefw__lines *lines, edgefw__line *out,
                                                  bool *more);

#endif
