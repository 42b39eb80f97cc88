/* SHA-256 (FIPS 180-4) of a file or of bytes, for tests that pin a file's contents. */
#ifndef EDGEFW_TESTS_SUPPORT_SHA256_H
#define EDGEFW_TESTS_SUPPORT_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_HEX_SIZE = 65 }; /* 64 lower-case digits and the end */

typedef struct sha256 {
  uint32_t state[8];
  uint64_t bytes;    /* taken so far */
  uint8_t block[64]; /* its first bytes % 64 are waiting */
} sha256;

/* In order: begin, any number of takes, one end. */
void sha256_begin(sha256 *hash);
void sha256_take(sha256 *hash, const void *data, size_t bytes);
void sha256_end(sha256 *hash, char hex[SHA256_HEX_SIZE]);

/* Digest of a whole file, and its size (`bytes` may be NULL). False if it cannot be read. */
bool sha256_file(const char *path, char hex[SHA256_HEX_SIZE], uint64_t *bytes);

#endif
