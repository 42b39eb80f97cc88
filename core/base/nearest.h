/* The nearest known name to a misspelt one, for messages. */
#ifndef EDGEFW__NEAREST_H
#define EDGEFW__NEAREST_H

#include <stddef.h>

/* Edits (insert, delete, replace or exchange of neighbours) that turn `a` into `b`. Case does not
 * count. Only the first 63 characters of each are looked at. */
int edgefw__edit_distance(const char *a, const char *b);

/* A search over candidates that come one by one. Start with {.name = the misspelt name}. */
typedef struct edgefw__nearest {
  const char *name;
  const char *best; /* the nearest candidate so far that is near enough to propose, or NULL */
  int distance;
} edgefw__nearest;

/* Look at one candidate; it must outlive the search. NULL is skipped. The first of equals wins. */
void edgefw__nearest_try(edgefw__nearest *search, const char *candidate);

/* Write " (did you mean 'X'?)" into `out`, or "" when nothing is near. Returns `out`. */
const char *edgefw__nearest_hint(const edgefw__nearest *search, char *out, size_t size);

#endif
