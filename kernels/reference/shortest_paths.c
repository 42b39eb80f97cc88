/* Shortest paths between all pairs (Floyd 1962, Warshall 1962). */
#pragma once

#include "reference.h"

static void shortest_paths(int32_t *cost, int64_t n) {
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const int32_t through_k = cost[i * n + k] + cost[k * n + j];
        if (through_k < cost[i * n + j]) cost[i * n + j] = through_k;
      }
}
