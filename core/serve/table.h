/* The matrix of a request, read straight from its text: nearly all of a request is that, and a JSON
 * library makes an object of every number. Only what is plain is read so; everything else, and all
 * that is wrong, is left to the library, which says where it is. */
#ifndef EDGEFW__TABLE_H
#define EDGEFW__TABLE_H

#include "edgefw/arena.h"

typedef struct edgefw__table {
  double *cost; /* (n,n), infinite where it says null */
  int64_t n;
  const char *begin, *end; /* where it stands in the text: from its '[' to behind its ']' */
} edgefw__table;

/* Find the member `name` of the object that `text` (length) is, and read it, if it is a square
 * table of plain numbers, at least 0 and without surprises, or nulls. False: it is none, or there
 * is none, or no memory in `arena`, which is recorded. */
bool edgefw__table_read(edgefw_arena *arena, const char *text, size_t length, const char *name,
                        edgefw__table *out);

#endif
