/* Requests of `edgefw serve`: a line of JSON each (docs/serving.md). */
#ifndef EDGEFW__REQUEST_H
#define EDGEFW__REQUEST_H

#include <jansson.h>

#include "edgefw/arena.h"
#include "edgefw/solver.h"

/* Bytes that an id may have as JSON. */
#define EDGEFW__REQUEST_ID 256

typedef struct edgefw__request {
  char id[EDGEFW__REQUEST_ID + 1]; /* as JSON, to be repeated in the answer; "null": none */
  const char *problem;             /* NULL: the one that takes such instances */
  edgefw_instances instances;      /* one */
  edgefw_solve_settings settings;
} edgefw__request;

/* Read a request, whose numbers and texts lie in `arena`. *out holds the server's own settings and
 * those that the request does not say stay. FORMAT: no JSON, members that are unknown or of another
 * kind, none of which an instance could be made; out->id is what could be read of it all the same.
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__request_read(edgefw_context *ctx, edgefw_arena *arena,
                                                    const char *text, size_t length, int64_t number,
                                                    edgefw__request *out);

#endif
