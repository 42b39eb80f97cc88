/* A random street network: the ground on which matrices of `road` are made
 * (edgefw/instance.h says what they are; docs/experiments.md has the definition in full). */
#ifndef EDGEFW__ROAD_NETWORK_H
#define EDGEFW__ROAD_NETWORK_H

#include "data/road_paths.h"
#include "edgefw/instance.h"

/* Words of the road stream: the choice of `mixed`, the share of one-way streets, two for each fast
 * road, two for each junction, and four behind them for each street, in order of length. */
enum { EDGEFW__ROAD_ONE_WAY_WORD = 1, EDGEFW__ROAD_FAST_WORDS = 4, EDGEFW__ROAD_PLACE_WORDS = 16 };

typedef struct edgefw__road_network {
  int32_t junctions;
  int32_t *x, *y;          /* (junctions) in [0, 2^20): units of 2^-20 of the side of the square */
  edgefw__street *streets; /* from the shortest on */
  int64_t street_count;
  edgefw__road_arcs arcs; /* of the streets as they are now */
  int32_t *least;         /* (junctions) free to use for a search */
  uint64_t *heap;         /* ... and its heap */
} edgefw__road_network;

/* Junctions of the network of n stops; the stops are the first n of them. */
int32_t edgefw__road_junctions(int64_t n);

/* Bytes of scratch that the network of n stops takes, a multiple of 8. */
size_t edgefw__road_network_bytes(int64_t n);

/* Place the junctions of an instance of n stops; the network lives in `scratch`
 * (edgefw__road_network_bytes, aligned for uint64_t) and has no streets yet. */
void edgefw__road_network_place(const edgefw_generator *generator, int64_t n, void *scratch,
                                edgefw__road_network *out);

/* Connect the junctions by streets, which have no times yet: a planar graph of near neighbours that
 * holds together. */
void edgefw__road_network_connect(edgefw__road_network *network);

/* Draw the times of the streets, and fill in the arcs. From each junction a way leads to each other
 * one. A street of the usual speed takes 2^18 for the side of the square. (road_times.c) */
void edgefw__road_network_time(const edgefw_generator *generator, edgefw__road_network *network);

/* Times of the shortest ways between the first n junctions into cost (n,n), whole numbers below
 * `bound`: as long as one is not, the time of each arc is halved, and rounded up. `bound` is above
 * the number of junctions. (generate_road.c) */
void edgefw__road_network_matrix(edgefw__road_network *network, int64_t n, int32_t bound,
                                 double *cost);

#endif
