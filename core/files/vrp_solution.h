/* VRPLIB solution files (.sol): a line "Route #k: a b c" for each route, then "Cost c". Customers
 * count from 1 and leave the depot out, which is an instance's own numbering: depot 0, customer i
 * is node i. */
#ifndef EDGEFW__VRP_SOLUTION_H
#define EDGEFW__VRP_SOLUTION_H

#include "base/text.h"
#include "edgefw/arena.h"

typedef struct edgefw__vrp_solution {
  int32_t *tour;  /* (count) nodes in order of visit: 0 a b c 0 d e; no depot at the end */
  int64_t count;  /* customers + routes */
  int64_t routes; /* those with customers: empty ones are left out */
  double cost;    /* as the file states it; 0 if it does not */
  bool has_cost;
} edgefw__vrp_solution;

/* Read `path`, whose routes must visit each of `customers` customers once, into *out; its tour is
 * taken from `arena`. Case, colons, '#' and blanks are free, CRLF too; other lines that begin with
 * a letter are passed over with one warning. IO, FORMAT (with line), MISMATCH (customers are
 * missing), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__vrp_solution_read(edgefw_context *ctx, edgefw_arena *arena,
                                                         const char *path, int64_t customers,
                                                         edgefw__vrp_solution *out);

/* Add `tour` (`count` nodes as above; depots may repeat or end it) and its cost as such a file. */
void edgefw__vrp_solution_add(edgefw__text *text, const int32_t *tour, int64_t count, double cost);

#endif
