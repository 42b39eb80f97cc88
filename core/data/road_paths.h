/* Shortest ways over a street network: its arcs, and Dijkstra's search from one junction. */
#ifndef EDGEFW__ROAD_PATHS_H
#define EDGEFW__ROAD_PATHS_H

#include <stdint.h>

/* A street between two junctions. What it takes in a direction is at least 1; 0: that direction is
 * closed. */
typedef struct edgefw__street {
  int64_t squared;     /* square of its length */
  int32_t low, high;   /* its ends, low < high */
  int32_t forth, back; /* from low to high, from high to low */
  int32_t fast;        /* of a fast road? 1 or 0 */
} edgefw__street;

/* The open directions of all streets, by the junction where they begin. */
typedef struct edgefw__road_arcs {
  int32_t junctions;
  int32_t *first; /* (junctions + 1): arcs first[j] .. first[j + 1] - 1 begin at junction j */
  int32_t *head;  /* (2 * streets) where an arc ends */
  int32_t *taken; /* (2 * streets) what it takes */
} edgefw__road_arcs;

/* Numbers of scratch that edgefw__road_parts takes, for each junction. */
enum { EDGEFW__ROAD_PARTS_SCRATCH = 4 };

/* Fill in the arcs of `count` streets; out->junctions and the arrays are the caller's. */
void edgefw__road_arcs_fill(const edgefw__street *streets, int64_t count, edgefw__road_arcs *out);

/* What the shortest way from `source` to each junction takes, least[junctions]; INT32_MAX where
 * there is none. No way may take 2^31 or more. `heap` has room for an entry more than there are
 * arcs. (Dijkstra 1959, with a binary heap.) */
void edgefw__road_shortest(const edgefw__road_arcs *arcs, int32_t source, int32_t *least,
                           uint64_t *heap);

/* Number the strongly connected parts, part[junctions]: two junctions have the same number if and
 * only if ways lead from each to the other. `scratch` has EDGEFW__ROAD_PARTS_SCRATCH numbers for
 * each junction. (Tarjan 1972, without recursion.) */
void edgefw__road_parts(const edgefw__road_arcs *arcs, int32_t *part, int32_t *scratch);

#endif
