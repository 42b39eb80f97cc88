/* A score term plugin: numbers that the last score of a candidate sees. A FEATURE declares
 * look-ups; all features in force are concatenated in the order of the config into the transition
 * descriptor phi_t(j) and feed one MLP (phi -> hidden -> ReLU -> 1) whose output is added to the
 * candidate's base score. A LOGIT adds a number of its own to that score. Both before logit = C
 * tanh(score). No loop over candidates and no gradient is written here. */
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

/* A cycle cover that follows the path: a permutation of the nodes that always completes the path
 * made so far to a set of cycles. Each rollout has its own. It begins as `successors`; whenever the
 * rollout goes from i to a node j that is not the one after i, two arcs are exchanged: the node
 * before j goes on to where i went, and i to j, by which two cycles become one or one becomes two.
 * D is the objective's field, a the mean arc of `successors` (at least 1e-9). An arc from a node to
 * itself costs nothing. */
typedef enum edgefw_cover_number {
  /* log(1 + P / a), P = D_ij + D(p_j,s_i) - D(i,s_i) - D(p_j,j) at least 0, with s_i after i and
   * p_j before j now: what leaving the cover for j costs. 0 for j = s_i; 2 D_ij for P where p_j =
   * s_i. */
  EDGEFW_COVER_RISE = 0,
  EDGEFW_COVER_SUCCESSOR = 1,  /* 1 if j = s_i, else 0 */
  EDGEFW_COVER_SAME_CYCLE = 2, /* 1 if j is on the cycle of i, else 0 */
  EDGEFW_COVER_CYCLES = 3,     /* log of how many cycles there are */
  /* The cheapest exit that the rest of the cycle of i still offers: the least exchanges[k][l] over
   * the unvisited nodes k of that cycle and the nodes l that were on another cycle than k in
   * `successors`; at most log(1 + n), which stands in where there is none. */
  EDGEFW_COVER_LATER_EXIT = 4,
  EDGEFW_COVER_NUMBERS
} edgefw_cover_number;

/* One of these numbers. `successors` is a NODE value, a permutation without fixed points
 * (edgefw_graph_successors), `exchanges` a PAIR value made of it (edgefw_graph_exchange). The
 * problem must have no depot. */
EDGEFW_API void edgefw_term_cycle_cover(edgefw_term_builder *builder, edgefw_value successors,
                                        edgefw_value exchanges, edgefw_cover_number number);

/* A state scalar. */
EDGEFW_API void edgefw_term_state(edgefw_term_builder *builder, edgefw_state state);

/* --- Logits ---
 * The near set of a step, on node i: the `near` open customers (the depot apart) of least
 * table[i][j], ties by index, in that order; scale = the largest of those entries, 0 without an
 * open customer. With a depot, that joins the set as its first member, open or not; it is of rank 0
 * then and customers are of rank 1, 2, ...; without one, ranks begin at 0. Whatever the table says
 * of the depot, it has no part in the scale and counts as if it were where the rollout stands. (So
 * have it the published programs of ELG, which mask the depot before they look at distances.)
 * `table` is a PAIR value with entries >= 0. Quotients by 0 are 0. */

/* Add -table[i][j] / (scale + epsilon) to the open customers of the near set, nothing to the depot,
 * and `far` to all other candidates. */
EDGEFW_API void edgefw_term_near_penalty(edgefw_term_builder *builder, edgefw_value table,
                                         int64_t near, double far, double epsilon);

/* A small attention model over the near set (ELG's local policy, embedding 32, 4 heads of 8). For
 * member j of rank r
 *   x_j = [table[i][j] / (scale + epsilon), angle of points_j - points_i (atan2), demand_j / left]
 * (the last one only with resources: of the first one), and 0 in all places for the depot;
 *   e_j = init_emb(x_j) + position(r), position = [sin(r w_0..w_15), cos(r w_0..w_15)],
 *         w_t = 10000^(-t/15);
 *   o   = attention of the query Wq cur_token_emb over keys Wk e_j and values Wv e_j of the members
 *         that are open; z = multi_head_combine(o);
 * adds z . e_j / sqrt(32) to member j, 0 to all others. Parameters
 * decoder.NAME.{init_emb.weight (32,F), init_emb.bias, cur_token_emb (32), Wq.weight, Wk.weight,
 * Wv.weight (32,32), multi_head_combine.weight, .bias}. `points` is a NODE value of width 2. In
 * training the logit joins when `from_step` steps are done (0: it is there from the first one):
 * before that its parameters are neither moved nor decayed, and when it joins Adam starts anew for
 * all parameters of the model. In evaluation it takes part if the model was trained that long. */
typedef struct edgefw_local_attention {
  size_t size;       /* sizeof(edgefw_local_attention) */
  int64_t near;      /* required: most customers of the near set */
  int64_t from_step; /* 0 where a shorter struct lacks it */
  double epsilon;    /* 0 where a shorter struct lacks it */
  /* What stands for NAME in checkpoints that older versions of the plugin wrote: they are read, and
   * the parameters start as they did. NULL, or where a shorter struct lacks it: no other name. */
  const char *former;
} edgefw_local_attention;

EDGEFW_API void edgefw_term_local_attention(edgefw_term_builder *builder, edgefw_value table,
                                            edgefw_value points, const edgefw_local_attention *spec,
                                            const char *name);

typedef struct edgefw_term {
  size_t size; /* sizeof(edgefw_term) */

  /* Optional (NULL: fits every problem). As edgefw_backbone.supports. */
  bool (*supports)(const edgefw_problem *problem, const edgefw_options *options, char *why,
                   size_t why_size);

  /* Required. Declare tables and features or logits; at least one. Called once per graph; it must
   * depend on `options` alone. Failures are sticky in the graph (edgefw_graph_fail). */
  void (*declare)(edgefw_term_builder *builder, const edgefw_options *options);
} edgefw_term;

EDGEFW_END_DECLS

#endif
