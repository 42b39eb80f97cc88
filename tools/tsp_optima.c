/* Exact optima of generated TSP instances, by the dynamic programme of Held and Karp in double
 * precision. It stands alone, with a generator of its own, so that what it prints also checks the
 * library's; data/README.md says how it is run. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_NODES 24 /* 2^23 sets of 23 numbers: 1.5 GB */
#define STREAM     1  /* of coordinates */

/* --- Instances --- */

/* Lanes 0 to 3 of a block of Philox4x32-10. */
static void philox(uint64_t seed, uint64_t instance, uint32_t block, uint32_t lanes[4]) {
  uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
  uint32_t c[4] = {block, STREAM, (uint32_t)instance, (uint32_t)(instance >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
    const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b,
                              (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
    for (int lane = 0; lane < 4; ++lane) c[lane] = next[lane];
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (int lane = 0; lane < 4; ++lane) lanes[lane] = c[lane];
}

/* Distances of n nodes: x of node i is word 2i, y word 2i + 1. */
static void make_instance(uint64_t seed, uint64_t instance, int n, double *distance) {
  double points[2 * MOST_NODES + 4];
  for (int block = 0; 4 * block < 2 * n; ++block) {
    uint32_t lanes[4];
    philox(seed, instance, (uint32_t)block, lanes);
    for (int lane = 0; lane < 4; ++lane)
      points[4 * block + lane] = (double)(lanes[lane] >> 8) * 0x1p-24;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double dx = points[2 * i] - points[2 * j];
      const double dy = points[2 * i + 1] - points[2 * j + 1];
      distance[i * n + j] = sqrt(dx * dx + dy * dy);
    }
}

/* --- The dynamic programme --- */

/* The shortest path from the last node through all of `set` with its end at node j of it; bit i of
 * a set is node i, best[set][i] the same for the smaller sets, infinite where i is not in the set.
 */
static double shortest_path(int n, const double *distance, const double *best, size_t set, int j) {
  const size_t m = (size_t)n - 1, before = set & ~((size_t)1 << j);
  if (before == 0) return distance[(int)m * n + j];
  double least = INFINITY;
  for (size_t i = 0; i < m; ++i) {
    const double length = best[before * m + i] + distance[(int)i * n + j];
    least = length < least ? length : least;
  }
  return least;
}

static double shortest_tour(int n, const double *distance, double *best) {
  const int m = n - 1;
  const size_t all = ((size_t)1 << m) - 1;
  for (size_t set = 1; set <= all; ++set)
    for (int j = 0; j < m; ++j)
      best[set * (size_t)m + (size_t)j] =
          set >> j & 1 ? shortest_path(n, distance, best, set, j) : INFINITY;
  double tour = INFINITY;
  for (int j = 0; j < m; ++j)
    tour = fmin(tour, best[all * (size_t)m + (size_t)j] + distance[j * n + m]);
  return tour;
}

/* --- Command line --- */

/* A whole number in [least, most], or -1. */
static long long number(const char *text, long long least, long long most) {
  char *end = NULL;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  return errno || end == text || *end || value < least || value > most ? -1 : value;
}

int main(int argc, char **argv) {
  const long long n = argc == 4 ? number(argv[1], 3, MOST_NODES) : -1;
  const long long seed = argc == 4 ? number(argv[2], 0, INT64_MAX) : -1;
  const long long count = argc == 4 ? number(argv[3], 1, 1000000000) : -1;
  if (n < 0 || seed < 0 || count < 0) {
    fprintf(stderr, "usage: tsp_optima NODES SEED INSTANCES (3 to %d nodes)\n", MOST_NODES);
    return 2;
  }
  double distance[MOST_NODES * MOST_NODES];
  double *best = malloc(((size_t)1 << (n - 1)) * (size_t)(n - 1) * sizeof *best);
  if (!best) {
    fprintf(stderr, "tsp_optima: no memory for the sets of %lld nodes\n", n);
    return 1;
  }
  printf("# set: problem = tsp; size = %lld; seed = %lld; distribution = uniform\n# costs: exact\n"
         "# exact optimum by dynamic programming (Held-Karp) in double precision\ninstance,cost\n",
         n, seed);
  for (long long instance = 0; instance < count; ++instance) {
    make_instance((uint64_t)seed, (uint64_t)instance, (int)n, distance);
    printf("%lld,%.12f\n", instance, shortest_tour((int)n, distance, best));
    fflush(stdout);
  }
  free(best);
  return 0;
}
