/* SHA-256 by the text of FIPS 180-4: 64 rounds over blocks of 64 bytes. */
#include "support/sha256.h"

#include <stdio.h>
#include <string.h>

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int right) {
  return (x >> right) | (x << (32 - right));
}

static void schedule(const uint8_t block[64], uint32_t w[64]) {
  for (int t = 0; t < 16; ++t)
    w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
           (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
  for (int t = 16; t < 64; ++t) {
    const uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
}

static void compress(uint32_t state[8], const uint8_t block[64]) {
  uint32_t w[64], v[8];
  schedule(block, w);
  memcpy(v, state, sizeof v);
  for (int t = 0; t < 64; ++t) {
    const uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
    const uint32_t choose = (v[4] & v[5]) ^ (~v[4] & v[6]);
    const uint32_t t1 = v[7] + s1 + choose + round_constants[t] + w[t];
    const uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
    const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    memmove(v + 1, v, 7 * sizeof v[0]);
    v[4] += t1;
    v[0] = t1 + s0 + majority;
  }
  for (int i = 0; i < 8; ++i) state[i] += v[i];
}

void sha256_begin(sha256 *hash) {
  *hash = (sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                             0x1f83d9ab, 0x5be0cd19}};
}

void sha256_take(sha256 *hash, const void *data, size_t bytes) {
  const uint8_t *from = data;
  for (size_t i = 0; i < bytes; ++i) {
    hash->block[hash->bytes++ % 64] = from[i];
    if (hash->bytes % 64 == 0) compress(hash->state, hash->block);
  }
}

void sha256_end(sha256 *hash, char hex[SHA256_HEX_SIZE]) {
  static const uint8_t one_bit = 0x80, zero = 0;
  const uint64_t bits = hash->bytes * 8;
  sha256_take(hash, &one_bit, 1);
  while (hash->bytes % 64 != 56) sha256_take(hash, &zero, 1);
  for (int shift = 56; shift >= 0; shift -= 8) {
    const uint8_t byte = (uint8_t)(bits >> shift);
    sha256_take(hash, &byte, 1);
  }
  for (int i = 0; i < 8; ++i) snprintf(hex + 8 * i, 9, "%08lx", (unsigned long)hash->state[i]);
}

bool sha256_file(const char *path, char hex[SHA256_HEX_SIZE], uint64_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  sha256 hash;
  sha256_begin(&hash);
  uint8_t buffer[4096];
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
    sha256_take(&hash, buffer, got);
  const bool read = ferror(file) == 0;
  fclose(file);
  if (bytes != NULL) *bytes = hash.bytes;
  sha256_end(&hash, hex);
  return read;
}
