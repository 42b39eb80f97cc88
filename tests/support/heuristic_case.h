/* One heuristic of the build tree by itself, on any plan. */
#ifndef EDGEFW_TESTS_SUPPORT_HEURISTIC_CASE_H
#define EDGEFW_TESTS_SUPPORT_HEURISTIC_CASE_H

#include "edgefw/arena.h"
#include "plugin/registry.h"

typedef struct heuristic_case {
  edgefw_context *ctx;
  edgefw__registry *registry;
  edgefw_arena *arena;
  const edgefw__plugin *plugin;
  const edgefw_heuristic *heuristic;
  edgefw_options *options; /* the defaults */
} heuristic_case;

/* Open the heuristic with its defaults; the test fails if it is not there. */
void heuristic_open(heuristic_case *h, const char *name);
void heuristic_close(heuristic_case *h);

/* Number of its tours for a plan, whose context is set. */
int64_t heuristic_starts(const heuristic_case *h, edgefw_route_plan *plan);

/* The tour of one start into `tour`, which is filled with 0 first; a plan has 2 n entries with a
 * depot, n without. The plan's context is set. */
edgefw_status heuristic_tour(const heuristic_case *h, edgefw_route_plan *plan, int64_t start,
                             int32_t *tour);

/* Every allocation of the tour fails in turn, and each time so does the tour, cleanly. */
void heuristic_sweep_memory(const heuristic_case *h, const edgefw_route_plan *plan, int64_t start);

/* The heuristic fits the problem of this name (a plugin); otherwise it says why, with `part`. */
void heuristic_fits(const heuristic_case *h, const char *problem);
void heuristic_does_not_fit(const heuristic_case *h, const char *problem, const char *part);

#endif
