/* Optimal string alignment distance over three rolling rows, and a running minimum. */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 63

static int lower(char c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int smaller(int a, int b) {
  return a < b ? a : b;
}

int edgefw__edit_distance(const char *a, const char *b) {
  const size_t rows = strnlen(a, LONGEST), columns = strnlen(b, LONGEST);
  int table[3][LONGEST + 1];
  for (size_t j = 0; j <= columns; ++j) table[0][j] = (int)j;
  for (size_t i = 1; i <= rows; ++i) {
    int *row = table[i % 3];
    const int *above = table[(i + 2) % 3], *above2 = table[(i + 1) % 3];
    row[0] = (int)i;
    for (size_t j = 1; j <= columns; ++j) {
      const int differs = lower(a[i - 1]) != lower(b[j - 1]);
      row[j] = smaller(above[j - 1] + differs, smaller(above[j], row[j - 1]) + 1);
      const int exchanged = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                            lower(a[i - 2]) == lower(b[j - 1]);
      if (exchanged) row[j] = smaller(row[j], above2[j - 2] + 1);
    }
  }
  return table[rows % 3][columns];
}

void edgefw__nearest_try(edgefw__nearest *search, const char *candidate) {
  if (!candidate || !*candidate) return;
  const size_t a = strnlen(search->name, LONGEST), b = strnlen(candidate, LONGEST);
  const int distance = edgefw__edit_distance(search->name, candidate);
  /* A proposal must share most of its letters, or hold the name as a part ("rate"). */
  const int longest = (int)(a > b ? a : b);
  const int near_enough = distance * 2 <= longest || (a >= 3 && strstr(candidate, search->name));
  if (!near_enough) return;
  if (search->best && distance >= search->distance) return;
  search->best = candidate;
  search->distance = distance;
}

const char *edgefw__nearest_hint(const edgefw__nearest *search, char *out, size_t size) {
  if (size == 0) return "";
  out[0] = '\0';
  if (search->best) snprintf(out, size, " (did you mean '%s'?)", search->best);
  return out;
}
