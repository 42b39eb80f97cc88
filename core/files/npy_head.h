/* The head of a NumPy array (.npy, versions 1 to 3) and its numbers, wherever its bytes come from.
 * Numbers are little-endian f4, f8, i4 or i8 in C order. */
#ifndef EDGEFW__NPY_HEAD_H
#define EDGEFW__NPY_HEAD_H

#include "edgefw/context.h"

#define EDGEFW__NPY_MAX_RANK 3

typedef struct edgefw__npy_array {
  char name[64]; /* for messages: in an archive the entry without ".npy" */
  int rank;      /* 0 .. EDGEFW__NPY_MAX_RANK */
  int64_t shape[EDGEFW__NPY_MAX_RANK];
  int64_t count; /* product of shape: 1 for rank 0; below 2^59 */
  char kind;     /* 'f' or 'i' */
  int width;     /* bytes of a number: 4 or 8 */
} edgefw__npy_array;

/* Gives the next `bytes` bytes of the array, or fails. */
typedef edgefw_status (*edgefw__npy_bytes)(void *stream, void *out, size_t bytes);

/* Read a head from the array's first byte on; all members of *out but the name are set, and *size
 * is the bytes that it took: the numbers follow. `path` is for messages. FORMAT, UNSUPPORTED
 * (another type of numbers, Fortran order, more axes), OUT_OF_MEMORY, and what `bytes` fails with.
 */
EDGEFW_NODISCARD edgefw_status edgefw__npy_head_read(edgefw_context *ctx, const char *path,
                                                     edgefw__npy_bytes bytes, void *stream,
                                                     edgefw__npy_array *out, int64_t *size);

/* The number in the array's `width` bytes; false if it is a whole number that no double holds. */
bool edgefw__npy_number(const edgefw__npy_array *array, const unsigned char *bytes, double *out);

/* "(3,4)", "(5)" or "()" in `out`, for messages. Returns `out`. */
const char *edgefw__npy_shape_text(const edgefw__npy_array *array, char out[80]);

#endif
