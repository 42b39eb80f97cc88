/* JSON files, read by jansson. Memory of jansson itself does not come from the context: some 40
 * bytes for a number. */
#ifndef EDGEFW__JSON_FILE_H
#define EDGEFW__JSON_FILE_H

#include <jansson.h>

#include "edgefw/arena.h"

/* Bytes that a file may have, unpacked. */
#define EDGEFW__JSON_MOST_BYTES ((size_t)1 << 30)

/* Where a value stands: a path such as "durations[3][4]". */
typedef struct edgefw__json_place {
  edgefw_context *ctx;
  const char *path; /* of the file */
  char where[128];
} edgefw__json_place;

/* Read `path`, which may be packed by gzip, into *out; the caller gives it back with json_decref.
 * IO, FORMAT (no JSON, with line and column; a key that comes twice; nested deeper than jansson's
 * 2048; a number that no double holds; a file that is too large), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__json_file_read(edgefw_context *ctx, const char *path,
                                                      json_t **out);

/* The place of a member, or of an item, of what stands at `place`. */
edgefw__json_place edgefw__json_member(const edgefw__json_place *place, const char *name);
edgefw__json_place edgefw__json_item(const edgefw__json_place *place, size_t index);

/* FORMAT: "'FILE': WHERE is FOUND; expected EXPECTED". NULL stands for what is missing. */
EDGEFW_NODISCARD edgefw_status edgefw__json_refuse(const edgefw__json_place *place,
                                                   const json_t *value, const char *expected);

/* A number of at least 0 in *out. FORMAT. */
EDGEFW_NODISCARD edgefw_status edgefw__json_amount(const edgefw__json_place *place,
                                                   const json_t *value, double *out);

/* A whole number from 0 to below `bound` in *out. FORMAT. */
EDGEFW_NODISCARD edgefw_status edgefw__json_index(const edgefw__json_place *place,
                                                  const json_t *value, int64_t bound, int64_t *out);

/* A square table, an array of n arrays of n numbers, into `arena`: *cost (n,n), infinite where it
 * says null, numbers as they stand. FORMAT names the place. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__json_square(const edgefw__json_place *place,
                                                   edgefw_arena *arena, const json_t *value,
                                                   int64_t *n, double **cost);

#endif
