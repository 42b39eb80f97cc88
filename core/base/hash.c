/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
#include "base/hash.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text_file.h"

#define PRIME 0x100000001b3u

uint64_t edgefw__hash_add(uint64_t hash, const void *data, size_t bytes) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * PRIME;
  return hash;
}

edgefw_status edgefw__hash_file(edgefw_context *ctx, const char *path, uint64_t *hash) {
  const char *reason = edgefw__not_a_file(path);
  FILE *stream = reason ? NULL : fopen(path, "rb");
  if (!stream)
    return edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s': %s", path,
                       reason ? reason : strerror(errno));
  char block[1 << 14];
  uint64_t sum = *hash;
  for (size_t got; (got = fread(block, 1, sizeof block, stream)) > 0;)
    sum = edgefw__hash_add(sum, block, got);
  const bool failed = ferror(stream) != 0;
  (void)fclose(stream);
  if (failed) return edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s' to its end", path);
  *hash = sum;
  return EDGEFW_OK;
}
