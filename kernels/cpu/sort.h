/* Sorting floats that carry an index: keys are 64 bits, the float's order above, the index below.
 */
#ifndef EDGEFW__CPU_SORT_H
#define EDGEFW__CPU_SORT_H

#include <stdint.h>
#include <string.h>

enum { SORT_FEW = 40, SORT_DIGITS = 4, SORT_VALUES = 256 };

/* A key that compares like x, then like the index; -0 is 0. */
static inline uint64_t sort_key(float x, int64_t index) {
  uint32_t bits;
  x += 0.0f;
  memcpy(&bits, &x, sizeof bits);
  bits ^= bits & 0x80000000u ? 0xffffffffu : 0x80000000u;
  return (uint64_t)bits << 32 | (uint64_t)index;
}

/* The x of a key. */
static inline float sort_value(uint64_t key) {
  uint32_t bits = (uint32_t)(key >> 32);
  float x;
  bits ^= bits & 0x80000000u ? 0x80000000u : 0xffffffffu;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline int64_t sort_index(uint64_t key) {
  return (int64_t)(key & 0xffffffffu);
}

static inline void sort_few(uint64_t *keys, int64_t count) {
  for (int64_t k = 1; k < count; ++k) {
    const uint64_t key = keys[k];
    int64_t at = k;
    for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

/* One pass of the radix sort: by the byte at `shift`, how often each value occurs in `counts`. */
static inline void sort_pass(const uint64_t *from, uint64_t *to, int64_t count, int shift,
                             uint32_t *counts) {
  uint32_t begin = 0;
  for (int value = 0; value < SORT_VALUES; ++value) {
    const uint32_t here = counts[value];
    counts[value] = begin;
    begin += here;
  }
  for (int64_t k = 0; k < count; ++k) to[counts[from[k] >> shift & 255]++] = from[k];
}

/* Sort keys whose indices ascend; `spare` has the same room. Returns where the result is: one of
 * the two. Stable passes over the bytes of the float leave equal ones in the order of their index.
 */
static inline const uint64_t *sort_keys(uint64_t *keys, uint64_t *spare, int64_t count) {
  uint32_t counts[SORT_DIGITS][SORT_VALUES];
  if (count <= SORT_FEW) {
    sort_few(keys, count);
    return keys;
  }
  memset(counts, 0, sizeof counts);
  for (int64_t k = 0; k < count; ++k)
    for (int digit = 0; digit < SORT_DIGITS; ++digit)
      ++counts[digit][keys[k] >> (32 + 8 * digit) & 255];
  for (int digit = 0; digit < SORT_DIGITS; ++digit) {
    const int shift = 32 + 8 * digit;
    if (counts[digit][keys[0] >> shift & 255] == count) continue; /* all alike */
    sort_pass(keys, spare, count, shift, counts[digit]);
    uint64_t *const sorted = spare;
    spare = keys;
    keys = sorted;
  }
  return keys;
}

#endif
