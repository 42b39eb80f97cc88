/* Arguments of the operations that make tables of an instance: what a device (kernels.h, whose
 * conventions hold here too) executes of the inputs and tables of edgefw/graph.h. */
#ifndef EDGEFW_TABLES_H
#define EDGEFW_TABLES_H

#include "edgefw/context.h"

EDGEFW_BEGIN_DECLS

/* Which entries of a pair table belong to arcs that no tour should use. An arc i -> j of instance b
 * is forbidden if its exact cost is at least limit[b]; entry (i,j) of the table belongs to one if
 * `forward` and i -> j is forbidden, or if `reverse` and j -> i is. */
typedef struct edgefw_forbidden {
  const double *limit; /* host (B), INFINITY: none of the instance; NULL: none of the batch, and no
                          other member is looked at */
  const double *cost;  /* (B,n,n): the objective's entries, exact doubles (upload_exact) */
  bool forward, reverse;
} edgefw_forbidden;

/* Table services: pair (B,n,n) in; see edgefw/graph.h for what each computes. narrow: pair itself,
 * as reals. Entries of forbidden arcs take part in no sum, mean, deviation or maximum, but an
 * assignment that cannot do without such an arc pays its price, and so do the numbers made of it.
 * With M the largest of the other numbers of an instance's result they are M + 1 in zscore,
 * assignment and exchange, 2 M (1 if M is 0) in narrow, so minima and ranks of these tables prefer
 * all other arcs. */
typedef struct edgefw_table_args {
  int64_t batch, nodes;
  const void *pair;           /* zscore, narrow: exact doubles (upload_exact); else real */
  void *out;                  /* (B,n,n) or (B,n) */
  edgefw_forbidden forbidden; /* zscore, narrow; others do not look at it */
} edgefw_table_args;

/* An optimal assignment of successors, no node to itself, and the reduced costs of midway duals
 * (edgefw_graph_assignment). Where several assignments are optimal, `successor` is any of them.
 * With `copies` node 0 is a depot, which is left and entered so often: several nodes then have
 * successor 0, the nodes that are nobody's successor are the depot's, and its own entry is one of
 * those. */
typedef struct edgefw_assignment_args {
  int64_t batch, nodes;
  const void *pair;      /* (B,n,n) exact doubles (upload_exact) */
  void *out;             /* (B,n,n) reduced costs */
  void *successor;       /* (B,n) of each node, 0 if it is alone; NULL: not wanted */
  const int64_t *copies; /* host (B) in [1, n-1], 1 if n is 1; NULL: node 0 is like the others */
  edgefw_forbidden forbidden;
} edgefw_assignment_args;

/* What an assignment's sum of entries rises by if an arc is forced into it: edgefw_graph_exchange.
 * Entries of forbidden arcs are as in assignment's table. */
typedef struct edgefw_exchange_args {
  int64_t batch, nodes;
  const void *pair;      /* (B,n,n) exact doubles (upload_exact) */
  const void *successor; /* (B,n) as assignment gives it */
  bool depot;            /* was it given copies of node 0? */
  void *out;             /* (B,n,n) */
  edgefw_forbidden forbidden;
} edgefw_exchange_args;

/* The cheapest exchange from each node into the cycle of each other: edgefw_graph_cycle_entry. The
 * cycles are the parts that `successor` makes of the nodes: with a depot, all that lead to it are
 * one. */
typedef struct edgefw_cycle_entry_args {
  int64_t batch, nodes;
  const void *exchange;  /* (B,n,n) as exchange gives it */
  const void *successor; /* (B,n) as assignment gives it */
  void *out;             /* (B,n,n) */
} edgefw_cycle_entry_args;

/* out_e = a x_e + b y_e for `count` numbers; out may be x or y. */
typedef struct edgefw_weighted_sum_args {
  int64_t count;
  double a, b;
  const void *x, *y;
  void *out;
} edgefw_weighted_sum_args;

/* out_e = log(1 + x_e) for `count` numbers, each above -1. */
typedef struct edgefw_log1p_table_args {
  int64_t count;
  const void *x;
  void *out;
} edgefw_log1p_table_args;

/* Euclidean distances, each from the reals of its two points. */
typedef struct edgefw_distances_args {
  int64_t batch, nodes;
  const void *points; /* (B,n,2) */
  void *out;          /* (B,n,n) */
} edgefw_distances_args;

typedef struct edgefw_svd_args {
  int64_t batch, nodes, rank;
  int64_t columns; /* of the test matrix, at least rank; more than nodes count as nodes. 0: exact */
  const void *pair;           /* (B,n,n) */
  void *out;                  /* (B,n,2*rank) = [U S^1/2 | V S^1/2] */
  edgefw_forbidden forbidden; /* such entries count as the mean of the others */
} edgefw_svd_args;

EDGEFW_END_DECLS

#endif
