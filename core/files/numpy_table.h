/* NumPy arrays as tables of costs or of places: .npy and .npz files that fit into memory. */
#ifndef EDGEFW__NUMPY_TABLE_H
#define EDGEFW__NUMPY_TABLE_H

#include "files/stop_table.h"

/* Read `path` into *out, whose numbers are in `arena`. An .npy array is a matrix (n,n) or (N,n,n),
 * or places (n,2) or (N,n,2); (2,2) is a matrix. Of an .npz archive the array cost, data or dist is
 * such matrices, or else coords such places; demand (n) or (N,n) and capacity (one number, or N) go
 * with them. Infinite costs and NaN are no way. IO, FORMAT, MISMATCH (another shape), UNSUPPORTED
 * (another type of numbers), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__numpy_table_read(edgefw_context *ctx, edgefw_arena *arena,
                                                        const char *path, edgefw__stop_table *out);

#endif
