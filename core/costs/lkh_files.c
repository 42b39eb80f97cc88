/* The files that LKH reads and writes. */
#include "costs/lkh_files.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/tour.h"

/* What the capacity becomes where no power of ten makes the demands whole. */
#define FRACTIONAL_CAPACITY 1000000

/* --- Demands as whole numbers --- */

typedef struct whole_demands {
  int64_t *demand; /* (n), owned */
  int64_t capacity;
} whole_demands;

static bool is_whole(double value) {
  return fabs(value - rint(value)) < 1e-6;
}

/* What to multiply demands by: the least power of ten that makes them and the capacity whole; if
 * none up to 10^6 does, what makes the capacity 10^6. */
static double demand_unit(const edgefw__routing *routing) {
  double unit = 1.0;
  for (int power = 0; power <= 6; ++power, unit *= 10.0) {
    bool whole = is_whole(routing->capacity * unit);
    for (int64_t i = 0; i < routing->n && whole; ++i) whole = is_whole(routing->demand[i] * unit);
    if (whole) return unit;
  }
  return FRACTIONAL_CAPACITY / routing->capacity;
}

static edgefw_status make_whole(edgefw_context *ctx, const edgefw__routing *routing,
                                whole_demands *out) {
  const double unit = demand_unit(routing);
  double total = 0.0;
  for (int64_t i = 0; i < routing->n; ++i) total += ceil(routing->demand[i] * unit);
  if (!(total <= INT_MAX) || !(routing->capacity * unit <= INT_MAX))
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "LKH takes demands of %d together and a capacity of as much at most; the "
                       "instance has %g and %g",
                       INT_MAX, total, routing->capacity * unit);
  *out = (whole_demands){.capacity = (int64_t)rint(routing->capacity * unit)};
  out->demand = edgefw_allocate(ctx, (size_t)routing->n, sizeof *out->demand, "demands for LKH");
  if (!out->demand) return EDGEFW_OUT_OF_MEMORY;
  for (int64_t i = 0; i < routing->n; ++i) {
    const double demand = routing->demand[i] * unit; /* rounded up: the capacity must hold */
    out->demand[i] = (int64_t)(is_whole(demand) ? rint(demand) : ceil(demand));
  }
  return EDGEFW_OK;
}

static int largest_first(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x < y) - (x > y);
}

/* Routes that first-fit packing of the sorted demands opens; room[count] is scratch. */
static int64_t first_fit(const int64_t *demand, int64_t count, int64_t capacity, int64_t *room) {
  int64_t open = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t r = 0;
    while (r < open && room[r] < demand[i]) ++r;
    if (r == open) room[open++] = capacity;
    room[r] -= demand[i];
  }
  return open;
}

edgefw_status edgefw__lkh_vehicles(edgefw_context *ctx, const edgefw__routing *routing,
                                   int64_t *out) {
  whole_demands demands = {0};
  *out = 1;
  if (!routing->demand || routing->n < 2) return EDGEFW_OK;
  const int64_t customers = routing->n - 1;
  edgefw_status status = make_whole(ctx, routing, &demands);
  if (status != EDGEFW_OK) return status;
  int64_t *room = edgefw_allocate(ctx, (size_t)customers, sizeof *room, "routes for LKH");
  if (room) {
    qsort(demands.demand + 1, (size_t)customers, sizeof *room, largest_first);
    const int64_t routes = first_fit(demands.demand + 1, customers, demands.capacity, room);
    *out = routes + routes / 4 + 1 < customers ? routes + routes / 4 + 1 : customers;
  }
  edgefw_release(ctx, room);
  edgefw_release(ctx, demands.demand);
  return room ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}

/* --- Problem --- */

static bool is_symmetric(const edgefw__routing *routing) {
  for (int64_t i = 0; i < routing->n; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (routing->cost[i * routing->n + j] != routing->cost[j * routing->n + i]) return false;
  return true;
}

static edgefw_status check_costs(edgefw_context *ctx, const edgefw__routing *routing,
                                 double scale) {
  double largest = 0.0;
  for (int64_t k = 0; k < routing->n * routing->n && !isnan(largest); ++k)
    if (k / routing->n != k % routing->n && edgefw__routing_allows(routing, k) &&
        !(routing->cost[k] <= largest))
      largest = routing->cost[k];
  if (largest * scale <= EDGEFW__LKH_MAX_COST) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                     "LKH takes costs up to %d; the largest one, %g, times %g is more: choose a "
                     "scale of at most %g (--scale)",
                     EDGEFW__LKH_MAX_COST, largest, scale, EDGEFW__LKH_MAX_COST / largest);
}

static void put_head(FILE *stream, const edgefw__routing *routing, int64_t capacity,
                     int64_t vehicles) {
  fprintf(stream, "NAME : edgefw\nTYPE : %s%s\nDIMENSION : %" PRId64 "\n",
          is_symmetric(routing) ? "" : "A", routing->demand ? "CVRP" : "TSP", routing->n);
  if (routing->demand)
    fprintf(stream, "CAPACITY : %" PRId64 "\nVEHICLES : %" PRId64 "\n", capacity, vehicles);
  fputs("EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\n", stream);
}

static long whole_cost(const edgefw__routing *routing, int64_t i, int64_t j, double scale) {
  const int64_t arc = i * routing->n + j;
  if (i == j) return 0;
  return edgefw__routing_allows(routing, arc) ? lrint(routing->cost[arc] * scale)
                                              : (long)EDGEFW__LKH_MAX_COST;
}

static void put_costs(FILE *stream, const edgefw__routing *routing, double scale) {
  fputs("EDGE_WEIGHT_SECTION\n", stream);
  for (int64_t i = 0; i < routing->n; ++i) {
    for (int64_t j = 0; j < routing->n; ++j)
      fprintf(stream, "%s%ld", j ? " " : "", whole_cost(routing, i, j, scale));
    fputc('\n', stream);
  }
}

static void put_demands(FILE *stream, const int64_t *demand, int64_t n) {
  fputs("DEMAND_SECTION\n", stream);
  for (int64_t i = 0; i < n; ++i) fprintf(stream, "%" PRId64 " %" PRId64 "\n", i + 1, demand[i]);
  fputs("DEPOT_SECTION\n1\n-1\n", stream);
}

/* Plain files: they live as long as a solver runs. */
static FILE *open_file(edgefw_context *ctx, const char *path) {
  FILE *stream = fopen(path, "wb");
  if (!stream) edgefw_fail(ctx, EDGEFW_IO, "cannot write '%s': %s", path, strerror(errno));
  return stream;
}

static edgefw_status close_file(edgefw_context *ctx, const char *path, FILE *stream) {
  const bool failed_before = ferror(stream) != 0;
  if (fclose(stream) == 0 && !failed_before) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_IO, "cannot write '%s': %s", path,
                     failed_before ? "an earlier write failed (disk full?)" : strerror(errno));
}

edgefw_status edgefw__lkh_write_problem(edgefw_context *ctx, const char *path,
                                        const edgefw__routing *routing, double scale,
                                        int64_t vehicles) {
  whole_demands demands = {0};
  edgefw_status status = check_costs(ctx, routing, scale);
  if (status == EDGEFW_OK && routing->demand) status = make_whole(ctx, routing, &demands);
  FILE *stream = status == EDGEFW_OK ? open_file(ctx, path) : NULL;
  if (stream) {
    put_head(stream, routing, demands.capacity, vehicles);
    put_costs(stream, routing, scale);
    if (routing->demand) put_demands(stream, demands.demand, routing->n);
    fputs("EOF\n", stream);
    status = close_file(ctx, path, stream);
  } else if (status == EDGEFW_OK) {
    status = edgefw_failure(ctx);
  }
  edgefw_release(ctx, demands.demand);
  return status;
}

/* --- Parameters --- */

edgefw_status edgefw__lkh_write_parameters(edgefw_context *ctx, const char *path,
                                           const edgefw__lkh_parameters *parameters,
                                           const char *problem, const char *tour) {
  FILE *stream = open_file(ctx, path);
  if (!stream) return edgefw_failure(ctx);
  /* MTSP_MIN_SIZE: vehicles may stay at the depot. It has a meaning for vehicles only. */
  fprintf(stream,
          "PROBLEM_FILE = %s\nTOUR_FILE = %s\nRUNS = %" PRId64 "\nSEED = %" PRId64
          "\nMTSP_MIN_SIZE = 0\nTRACE_LEVEL = 0\n",
          problem, tour, parameters->runs, parameters->seed);
  if (parameters->trials > 0) fprintf(stream, "MAX_TRIALS = %" PRId64 "\n", parameters->trials);
  if (parameters->time_limit > 0.0) fprintf(stream, "TIME_LIMIT = %g\n", parameters->time_limit);
  return close_file(ctx, path, stream);
}

/* --- Tour --- */

/* From a closed tour over all nodes and depot copies to routes: begin at a depot, and leave out
 * vehicles that stay there. */
static void put_routes(const int32_t *all, int64_t count, const edgefw__routing *routing,
                       int32_t *tour) {
  int64_t start = 0, used = 0;
  while (all[start] != 0) ++start;
  memset(tour, 0, (size_t)edgefw__routing_steps(routing) * sizeof *tour);
  for (int64_t t = 0; t < count; ++t) {
    const int32_t node = all[(start + t) % count];
    const bool depot = node == 0 || node >= routing->n;
    if (!depot || used == 0 || tour[used - 1] != 0) tour[used++] = depot ? 0 : node;
  }
}

edgefw_status edgefw__lkh_read_tour(edgefw_context *ctx, const char *path,
                                    const edgefw__routing *routing, int64_t vehicles,
                                    int32_t *tour) {
  if (!routing->demand) return edgefw__tour_read(ctx, path, routing->n, tour);
  const int64_t count = routing->n + vehicles - 1;
  int32_t *all = edgefw_allocate(ctx, (size_t)count, sizeof *all, "a tour of LKH");
  if (!all) return EDGEFW_OUT_OF_MEMORY;
  const edgefw_status status = edgefw__tour_read(ctx, path, count, all);
  if (status == EDGEFW_OK) put_routes(all, count, routing, tour);
  edgefw_release(ctx, all);
  return status;
}
