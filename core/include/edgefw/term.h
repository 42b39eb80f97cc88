/* A score term plugin: numbers that the last score of a candidate sees. A FEATURE term declares
 * look-ups; all features in force are concatenated in the order of the config into the transition
 * descriptor phi_t(j) and feed one MLP (phi -> hidden -> ReLU -> 1) whose output is added to the
 * candidate's base score. No loop over candidates and no gradient is written here. */
#ifndef EDGEFW_TERM_H
#define EDGEFW_TERM_H

#include "edgefw/graph.h"
#include "edgefw/problem.h"

EDGEFW_BEGIN_DECLS

/* A node that a look-up is made at. */
typedef enum edgefw_at {
  EDGEFW_CURRENT = 0,   /* node the rollout stands on, i */
  EDGEFW_CANDIDATE = 1, /* node that is being scored, j */
  EDGEFW_CLOSING = 2    /* node that closes the route (the problem says which), s */
} edgefw_at;

/* A number that every candidate of a step shares. */
typedef enum edgefw_state {
  EDGEFW_STATE_PROGRESS = 0 /* visited nodes / n, in (0, 1) */
} edgefw_state;

/* Which arcs of the candidate a minimum runs over. */
typedef enum edgefw_direction {
  EDGEFW_OUT_OF_CANDIDATE = 0, /* table[candidate][l] */
  EDGEFW_INTO_CANDIDATE = 1    /* table[l][candidate] */
} edgefw_direction;

typedef struct edgefw_term_builder edgefw_term_builder;

/* The graph to build tables in (edgefw/graph.h: fields, z-scores, minima, host tables). */
EDGEFW_API edgefw_graph *edgefw_term_graph(edgefw_term_builder *builder);

/* Add one feature. `table` is a PAIR value (pair, antisymmetric) or a NODE value of width 1 (node),
 * without gradient; row and column must not both be the same node. Errors are sticky like the
 * graph's. */

/* table[row][column], e.g. (CURRENT, CANDIDATE). */
EDGEFW_API void edgefw_term_pair(edgefw_term_builder *builder, edgefw_value table, edgefw_at row,
                                 edgefw_at column);

/* table[row][column] - table[column][row]. */
EDGEFW_API void edgefw_term_antisymmetric(edgefw_term_builder *builder, edgefw_value table,
                                          edgefw_at row, edgefw_at column);

/* table[at]. */
EDGEFW_API void edgefw_term_node(edgefw_term_builder *builder, edgefw_value table, edgefw_at at);

/* Minimum of table[j][l] (out of the candidate) or of table[l][j] (into it) over the remaining
 * nodes l: not visited yet and other than the candidate j. Where there is none, the value of the
 * arc that is left stands in: table[j][closing] or table[current][j]. */
EDGEFW_API void edgefw_term_remaining_min(edgefw_term_builder *builder, edgefw_value table,
                                          edgefw_direction direction);

/* A state scalar. */
EDGEFW_API void edgefw_term_state(edgefw_term_builder *builder, edgefw_state state);

typedef struct edgefw_term {
  size_t size; /* sizeof(edgefw_term) */

  /* Optional (NULL: fits every problem). As edgefw_backbone.supports. */
  bool (*supports)(const edgefw_problem *problem, const edgefw_options *options, char *why,
                   size_t why_size);

  /* Required. Declare tables and features; at least one. Called once per graph; it must depend on
   * `options` alone. Failures are sticky in the graph (edgefw_graph_fail). */
  void (*declare)(edgefw_term_builder *builder, const edgefw_options *options);
} edgefw_term;

EDGEFW_END_DECLS

#endif
