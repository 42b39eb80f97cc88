/* Min-plus closure (Floyd-Warshall) of an int32 matrix in place. */
#pragma once

#include "internal.h"

static void shortest_paths(int32_t *cost, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    const int32_t *through = cost + k * n;
    for (int64_t i = 0; i < n; ++i) {
      if (i == k) continue; /* its own row cannot improve, and the rows below do not overlap */
      int32_t *row = cost + i * n;
      const int32_t to_k = row[k];
      for (int64_t j = 0; j < n; ++j) {
        const int32_t detour = to_k + through[j];
        row[j] = detour < row[j] ? detour : row[j];
      }
    }
  }
}
