/* Structs that begin with their size. */
#include "plugin/sized.h"

#include <stdio.h>
#include <string.h>

static size_t size_of(const void *given) {
  size_t size = 0;
  memcpy(&size, given, sizeof size); /* the first member of every such struct */
  return size;
}

bool edgefw__sized_check(const void *given, size_t least, char *why, size_t why_size) {
  const size_t size = size_of(given);
  if (size >= least) return true;
  snprintf(why, why_size,
           "the size of its settings is %zu bytes, expected at least %zu: set .size to the sizeof "
           "of their struct",
           size, least);
  return false;
}

void edgefw__sized_take(void *own, size_t known, const void *given) {
  const size_t size = size_of(given);
  const size_t taken = size < known ? size : known;
  memcpy(own, given, taken);
  memcpy(own, &taken, sizeof taken);
}
