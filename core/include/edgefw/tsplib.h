/* A parsed TSPLIB file, as a problem's `read` gets it. */
#ifndef EDGEFW_TSPLIB_H
#define EDGEFW_TSPLIB_H

#include "edgefw/context.h"

EDGEFW_BEGIN_DECLS

typedef struct edgefw_tsplib {
  const char *path;
  const char *name;             /* NAME, or the file's base name without its extension */
  const char *type;             /* first word of TYPE, upper case; "" if the file has none */
  const char *edge_weight_type; /* first word, upper case; "" if none */
  int64_t dimension;            /* DIMENSION: number of nodes */
  double *weights; /* (n,n) row = from, column = to, rounded by the file's own rule; diagonal as in
                      the file, 0 if they come from coordinates; infinite where the file says inf,
                      nan or null; NULL if it has neither */
  double *coordinates; /* (n,2) of NODE_COORD_SECTION, as written; NULL if none */
  double *lengths;     /* (n,n) what `weights` are before rounding; NULL if they are EXPLICIT */
  double *demand;      /* (n) of DEMAND_SECTION, all at least 0; NULL if none */
  double capacity;     /* 0 if none */
  int64_t depot;       /* node from 0; -1 if the file names none */
  bool has_capacity;   /* is there a CAPACITY? */
} edgefw_tsplib;

/* The file's node behind node `node` of an instance with a depot: the depot is node 0, the
 * customers follow in the order of the file. The file names a depot. */
static inline int64_t edgefw_tsplib_node(const edgefw_tsplib *file, int64_t node) {
  if (node == 0) return file->depot;
  return node <= file->depot ? node - 1 : node;
}

EDGEFW_END_DECLS

#endif
