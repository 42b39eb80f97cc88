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
  double *weights; /* (n,n) row = from, column = to; diagonal as in the file; NULL if none */
} edgefw_tsplib;

EDGEFW_END_DECLS

#endif
