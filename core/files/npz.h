/* Reading NumPy .npz files: zip archives of .npy arrays (versions 1 to 3). Numbers are
 * little-endian f4, f8, i4 or i8 in C order and come out as double. An array is read from its head
 * to its end, in pieces, so a file may be larger than memory. One thread at a time. */
#ifndef EDGEFW__NPZ_H
#define EDGEFW__NPZ_H

#include "files/npy_head.h"

typedef edgefw__npy_array edgefw__npz_array;
typedef struct edgefw__npz edgefw__npz;

/* Open `path` and read the heads of all its arrays; entries that are no .npy are passed over. IO,
 * FORMAT (no archive, a head that is none, a size other than its shape says), UNSUPPORTED (another
 * type of numbers, Fortran order, more than 3 axes), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__npz_open(edgefw_context *ctx, const char *path,
                                                edgefw__npz **out);
void edgefw__npz_close(edgefw__npz *npz); /* NULL is allowed */

/* The arrays, in the order of the file. */
int edgefw__npz_count(const edgefw__npz *npz);
const edgefw__npz_array *edgefw__npz_at(const edgefw__npz *npz, int index);

/* Index of the array called `name`, -1 if there is none. */
int edgefw__npz_find(const edgefw__npz *npz, const char *name);

/* Go (back) to the first number of an array. FORMAT. */
EDGEFW_NODISCARD edgefw_status edgefw__npz_rewind(edgefw__npz *npz, int index);

/* The next `count` numbers of an array; the last one also ends the check of its checksum. FORMAT
 * (damaged, or a whole number that no double holds exactly), INVALID_ARGUMENT (more than there
 * are). */
EDGEFW_NODISCARD edgefw_status edgefw__npz_read(edgefw__npz *npz, int index, int64_t count,
                                                double *out);

#endif
