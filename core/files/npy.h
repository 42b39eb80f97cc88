/* Reading a NumPy array from a file of its own (.npy). */
#ifndef EDGEFW__NPY_H
#define EDGEFW__NPY_H

#include "edgefw/arena.h"
#include "files/npy_head.h"

/* Read all numbers of `path` into *numbers, taken from `arena`. IO, FORMAT (no array, another size
 * than its shape says, a whole number that no double holds), UNSUPPORTED (as npy_head.h),
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__npy_read(edgefw_context *ctx, edgefw_arena *arena,
                                                const char *path, edgefw__npy_array *out,
                                                double **numbers);

#endif
