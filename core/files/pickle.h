/* Python's pickle, as far as PyTorch writes state dicts with it (protocols 2 to 5). The opcodes
 * build values; the few names that they may mention (pickle_value.c) stand for values too. Any
 * other opcode or name is refused with its place: nothing of a file is ever called. */
#ifndef EDGEFW__PICKLE_H
#define EDGEFW__PICKLE_H

#include "files/pickle_value.h"

/* Longest pickle that is read: some hundred times what one of a model has. A hostile one takes up
 * to some hundred bytes of memory for each byte. */
#define EDGEFW__PICKLE_MAX_BYTES (4 << 20)

/* Build the value that `length` bytes describe, in `arena`. `path` is named in messages. FORMAT
 * (with the byte), UNSUPPORTED (an opcode, protocol or name that no state dict needs),
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__pickle_read(edgefw_context *ctx, edgefw_arena *arena,
                                                   const char *path, const unsigned char *bytes,
                                                   size_t length, edgefw__pickle_value *out);

#endif
