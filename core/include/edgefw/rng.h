/* Philox4x32-10, counter based (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3").
 * key = (seed low, seed high); counter = (block, stream, instance low, instance high). Word w of a
 * stream is lane w mod 4 of block w / 4, so any word can be had without those before it and results
 * depend on no order of evaluation. Header-only, so that devices use the same words. */
#ifndef EDGEFW_RNG_H
#define EDGEFW_RNG_H

#include <math.h>

#include "edgefw/export.h"

/* Of the functions here: CUDA code calls them on both sides. */
#ifdef __CUDACC__
#define EDGEFW_RNG_FUNCTION static inline __host__ __device__
#else
#define EDGEFW_RNG_FUNCTION static inline
#endif

/* The streams. Appended only: datasets and runs depend on the numbers. */
typedef enum edgefw_stream {
  EDGEFW_STREAM_COST = 0,        /* cost matrix: entry (i,j) takes word i*n+j */
  EDGEFW_STREAM_COORDINATES = 1, /* x of node i is word 2i, y word 2i+1 */
  EDGEFW_STREAM_DEMAND = 2,      /* customer i takes word i */
  EDGEFW_STREAM_ROLLOUT = 3,     /* rollout sampling: see kernels.h, edgefw_decode_args */
  EDGEFW_STREAM_PARAMETER = 4,   /* initialisation: instance = hash of the name, word = element */
  EDGEFW_STREAM_SVD = 5,     /* test matrix of the randomised SVD: entry (i,c) takes word i*q+c */
  EDGEFW_STREAM_CLUSTER = 6, /* clustered points: centres, choices and normal deviates */
  EDGEFW_STREAM_KICK = 7,    /* search: kick k takes words 4k .. 4k+3 */
  EDGEFW_STREAM_STATE = 8,   /* decoding states of the diagnostics: which start, step, candidates */
  EDGEFW_STREAM_RECONSTRUCT = 9, /* search: rollout s of S in round r takes words 4k .. 4k+3,
                                    k = r S + s */
  EDGEFW_STREAM_ROAD = 10,       /* street networks: places, kinds and paces of streets; word 0 is
                                    the choice between tmat and road */
  EDGEFW_STREAM_LABEL = 11,  /* imitation: label k takes words 2 n k .. 2 n (k + 1) - 1: where it
                                begins, then directions */
  EDGEFW_STREAM_SIZE = 12,   /* training: word 0 of instance s draws the size of batch s */
  EDGEFW_STREAM_SHUFFLE = 13 /* training: words of instance p order pass p through a dataset */
} edgefw_stream;

/* One block of four words. */
EDGEFW_RNG_FUNCTION void edgefw_philox(const uint32_t counter[4], const uint32_t key[2],
                                       uint32_t out[4]) {
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = (uint64_t)0xD2511F53u * c0;
    const uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
    c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)p1;
    c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/* Block `block` (words 4*block .. 4*block+3) of a stream of one instance. */
EDGEFW_RNG_FUNCTION void edgefw_random_block(uint64_t seed, edgefw_stream stream, uint64_t instance,
                                             uint32_t block, uint32_t out[4]) {
  const uint32_t counter[4] = {block, (uint32_t)stream, (uint32_t)instance,
                               (uint32_t)(instance >> 32)};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  edgefw_philox(counter, key, out);
}

/* One word. Whoever reads many in a row takes whole blocks. */
EDGEFW_RNG_FUNCTION uint32_t edgefw_random_word(uint64_t seed, edgefw_stream stream,
                                                uint64_t instance, uint64_t word) {
  uint32_t lanes[4];
  edgefw_random_block(seed, stream, instance, (uint32_t)(word / 4), lanes);
  return lanes[word % 4];
}

/* Integer in [0, bound). */
EDGEFW_RNG_FUNCTION uint32_t edgefw_random_below(uint32_t word, uint32_t bound) {
  return (uint32_t)(((uint64_t)word * bound) >> 32);
}

/* Number in [0, 1), a multiple of 2^-24: exact in float and double. */
EDGEFW_RNG_FUNCTION double edgefw_random_unit(uint32_t word) {
  return (double)(word >> 8) * (1.0 / 16777216.0);
}

/* Standard normal number from words 2k and 2k + 1 of a stream (Box and Muller 1958). */
EDGEFW_RNG_FUNCTION double edgefw_random_normal(uint64_t seed, edgefw_stream stream,
                                                uint64_t instance, uint64_t k) {
  const double first = edgefw_random_unit(edgefw_random_word(seed, stream, instance, 2 * k));
  const double second = edgefw_random_unit(edgefw_random_word(seed, stream, instance, 2 * k + 1));
  return sqrt(-2.0 * log(1.0 - first)) * cos(6.283185307179586476925 * second);
}

#endif
