/* Fingerprints: FNV-1a of 64 bits. They tell contents apart that differ by accident; whoever wants
 * two to be equal can make them so. */
#ifndef EDGEFW__HASH_H
#define EDGEFW__HASH_H

#include "edgefw/context.h"

/* Of nothing: where every fingerprint begins. */
#define EDGEFW__HASH_EMPTY 0xcbf29ce484222325u

/* Fingerprint of what `hash` is of, followed by `bytes` bytes. */
uint64_t edgefw__hash_add(uint64_t hash, const void *data, size_t bytes);

/* The same with all of a regular file. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__hash_file(edgefw_context *ctx, const char *path,
                                                 uint64_t *hash);

#endif
