/* The graph: what a backbone writes its encoder with, and where terms get their tables. A call adds
 * one coarse operation over a whole batch and returns a handle to its result. Nothing is computed
 * while a graph is written; shapes are checked at once.
 *
 * Errors are sticky: after a failure every call returns 0 and the first message is kept, so an
 * encoder reads like the paper's equations and returns its last value.
 *
 * Shapes: a NODE value is (B, n, width), a PAIR value (B, n, n). The same operation on the same
 * inputs, asked for twice, is one node (a table is built once). */
#ifndef EDGEFW_GRAPH_H
#define EDGEFW_GRAPH_H

#include "edgefw/instance.h"
#include "edgefw/options.h"

EDGEFW_BEGIN_DECLS

typedef struct edgefw_graph edgefw_graph;
typedef int32_t edgefw_value; /* handle of a graph's value; 0 is none */

struct edgefw_problem;

/* The problem that the graph is written for: its fields and declarations (edgefw/problem.h). */
EDGEFW_API const struct edgefw_problem *edgefw_graph_problem(const edgefw_graph *graph);

/* Width of a NODE value; 0 for a PAIR value or a bad handle. */
EDGEFW_API int64_t edgefw_graph_width(const edgefw_graph *graph, edgefw_value value);
EDGEFW_API bool edgefw_graph_is_pair(const edgefw_graph *graph, edgefw_value value);

/* Record a failure of the author's own; returns 0. */
EDGEFW_API edgefw_value edgefw_graph_fail(edgefw_graph *graph, edgefw_status status,
                                          const char *format, ...) EDGEFW_PRINTF(3, 4);

/* --- Inputs and tables (no gradient) ------------------------------------------------------------
 * Of an instance with forbidden arcs (edgefw_instance.forbidden) a table's statistics are those of
 * the other arcs: z-scores, minima, ranks, spectra. The entries of forbidden arcs are above all
 * others of z-scores, reduced costs, exchanges and the objective's input; docs/numerics.md has what
 * they are.
 */

/* A PAIR field of the instance, raw. Fails with UNSUPPORTED if the problem has none of that name.
 */
EDGEFW_API edgefw_value edgefw_graph_field(edgefw_graph *graph, const char *name);

/* A field on the device. NODE field -> NODE of width 1, POINT field -> NODE of width 2, PAIR field
 * -> PAIR. `scale`: RAW as it is; SHARE divided by (its sum over the instance + 1e-6); RATIO
 * divided by the SCALAR field `by`. */
typedef enum edgefw_input_scale {
  EDGEFW_INPUT_RAW = 0,
  EDGEFW_INPUT_SHARE = 1,
  EDGEFW_INPUT_RATIO = 2
} edgefw_input_scale;
EDGEFW_API edgefw_value edgefw_graph_input(edgefw_graph *graph, const char *name,
                                           edgefw_input_scale scale, const char *by);

/* z-score per instance: (x - mean) / (std + 1e-9), over all n*n entries with the diagonal, std with
 * the n*n-1 denominator. PAIR -> PAIR. `pair` is a raw field. */
EDGEFW_API edgefw_value edgefw_graph_zscore(edgefw_graph *graph, edgefw_value pair);

/* Minimum over l != j of x[j][l] (rows) or x[l][j] (columns). PAIR -> NODE of width 1. */
EDGEFW_API edgefw_value edgefw_graph_row_min(edgefw_graph *graph, edgefw_value pair);
EDGEFW_API edgefw_value edgefw_graph_column_min(edgefw_graph *graph, edgefw_value pair);

/* Ranks: log(1 + rank of j among the arcs out of i) at (i,j) (rows), or of i among the arcs into j
 * (columns). Ranks count from 0 over all nodes but the node itself, ties by index; the diagonal is
 * 0. PAIR -> PAIR. */
EDGEFW_API edgefw_value edgefw_graph_row_rank(edgefw_graph *graph, edgefw_value pair);
EDGEFW_API edgefw_value edgefw_graph_column_rank(edgefw_graph *graph, edgefw_value pair);

/* Reduced costs of the assignment relaxation. u, v: optimal duals of the linear assignment problem
 * on the raw field `pair` with its diagonal forbidden, r_ij = x_ij - u_i - v_j >= 0, a = the mean
 * arc of the optimal assignment, at least 1e-9; gives log(1 + r_ij / a), 0 on the diagonal. On a
 * problem with a depot node 0 takes part K times, K the least number of routes that its resources
 * allow (the demands' sum / the capacity, rounded up; 1 without resources), each time left for a
 * customer and entered from one: a relaxation of all solutions with K routes. All copies of node 0
 * have the same duals. Of all
 * optimal duals: v = (v_high + v_low) / 2, v_high the largest optimal v <= 0 and v_low the least
 * optimal v >= 0 (in every component; there is one each), u_i = x_ij - v_j for the column j that i
 * is assigned to. The order of the nodes does not matter. Raw PAIR field -> PAIR. */
EDGEFW_API edgefw_value edgefw_graph_assignment(edgefw_graph *graph, edgefw_value pair);

/* The optimal assignment itself: the node after each node, which is never the node itself unless it
 * is alone. After K customers comes the depot, if there is one, and after the depot one of the K
 * that follow no customer. It is found once with edgefw_graph_assignment of the same field. Where
 * several are optimal it is one of them, on each device always the same for the same matrix;
 * devices, and other orders of the nodes, may differ in it. Raw PAIR field -> NODE of width 1. */
EDGEFW_API edgefw_value edgefw_graph_successors(edgefw_graph *graph, edgefw_value pair);

/* What the optimal assignment s of edgefw_graph_successors rises by if i -> j is forced into it and
 * the two ends that this leaves loose are joined (an exchange of two arcs, which merges two
 * cycles or splits one): P_ij = x_ij + x[p_j][s_i] - x[i][s_i] - x[p_j][j], p_j the node before j,
 * at least 0; where p_j = s_i, which would be joined to itself, 2 x_ij. Of the K nodes after or
 * before a depot that one counts for which P_ij is least. Gives log(1 + P_ij / a), a as in
 * edgefw_graph_assignment; 0 on assigned arcs and on the diagonal. Raw PAIR field -> PAIR. */
EDGEFW_API edgefw_value edgefw_graph_exchange(edgefw_graph *graph, edgefw_value pair);

/* The cheapest exchange that leads from node i into the cycle of node j, whichever node of that
 * cycle it goes to: the least edgefw_graph_exchange[i][l] over the nodes l of the cycle of j in
 * edgefw_graph_successors, at most log(1 + n), which stands there too where i is on that cycle.
 * Routes of a depot are one cycle. Raw PAIR field -> PAIR. */
EDGEFW_API edgefw_value edgefw_graph_cycle_entry(edgefw_graph *graph, edgefw_value pair);

/* Euclidean distances. NODE of width 2, without gradient -> PAIR. */
EDGEFW_API edgefw_value edgefw_graph_distances(edgefw_graph *graph, edgefw_value points);

/* What nodes are near by: the objective's entries as they are, or the distances of the problem's
 * coordinates where its options say so (edgefw_problem.near_by_points). PAIR. */
EDGEFW_API edgefw_value edgefw_graph_nearness(edgefw_graph *graph);

/* Transposed copy. PAIR -> PAIR. */
EDGEFW_API edgefw_value edgefw_graph_transpose(edgefw_graph *graph, edgefw_value pair);

/* a x + b y, number by number. Two PAIR values, or two NODE values of one width, none of them raw
 * or with a gradient -> the same shape. */
EDGEFW_API edgefw_value edgefw_graph_weighted_sum(edgefw_graph *graph, double a, edgefw_value x,
                                                  double b, edgefw_value y);

/* log(1 + x), number by number, of numbers above -1. A value as for edgefw_graph_weighted_sum. */
EDGEFW_API edgefw_value edgefw_graph_log1p(edgefw_graph *graph, edgefw_value x);

/* Spectral features of a matrix: truncated SVD of rank `rank`, U S V^T, gives
 * [U S^1/2 | V S^1/2]. PAIR -> NODE of width 2*rank. In each pair (u,v) the entry of u with the
 * largest magnitude (the first one on a tie) is positive; singular values below n * eps * S_1
 * (eps = 2^-23) and missing ones (rank > n) give zero columns. `columns` 0: exact factors; else
 * those of Q Q^T x, where Q is an orthonormal basis of (x x^T)^2 x G and G a Gaussian test matrix
 * of that many columns, rank or more of them, from the fixed stream EDGEFW_STREAM_SVD (Halko,
 * Martinsson and Tropp 2011 with two power iterations). */
EDGEFW_API edgefw_value edgefw_graph_svd_features(edgefw_graph *graph, edgefw_value pair,
                                                  int64_t rank, int64_t columns);

/* A table that the plugin fills itself on the host, once per instance: n*n (pair) or n numbers.
 * `fill` is called from several threads on different instances. Slower than a table service, and
 * UNSUPPORTED on a device that works in memory of its own (a GPU). */
typedef edgefw_status (*edgefw_fill)(edgefw_context *ctx, const edgefw_instance *instance,
                                     const edgefw_options *options, double *out);
EDGEFW_API edgefw_value edgefw_graph_host_table(edgefw_graph *graph, bool pair, edgefw_fill fill,
                                                const edgefw_options *options);

/* --- Layers -------------------------------------------------------------------------------------
 * Parameters are created on first use and found by name afterwards; names and shapes are those of
 * the published PyTorch state dicts (linear weights are (out, in)). `name` is a printf format. */

enum { EDGEFW_LINEAR_BIAS = 1 << 0, EDGEFW_LINEAR_RELU = 1 << 1 };

/* y = x W^T (+ b) (then ReLU). Parameters NAME.weight (out, in), NAME.bias (out); both initialised
 * uniform in +-1/sqrt(in). NODE -> NODE of width `out`. */
EDGEFW_API edgefw_value edgefw_graph_linear(edgefw_graph *graph, edgefw_value x, int64_t out,
                                            uint32_t flags, const char *name, ...)
    EDGEFW_PRINTF(5, 6);

/* InstanceNorm(x + residual): per instance and channel over the n nodes, biased variance, eps 1e-5,
 * affine. Parameters NAME.weight (1) and NAME.bias (0), (width). */
EDGEFW_API edgefw_value edgefw_graph_add_norm(edgefw_graph *graph, edgefw_value x,
                                              edgefw_value residual, const char *name, ...)
    EDGEFW_PRINTF(4, 5);

/* Columns of a, then those of b. NODE, NODE -> NODE. */
EDGEFW_API edgefw_value edgefw_graph_concat(edgefw_graph *graph, edgefw_value a, edgefw_value b);

/* Node 0 from `depot`, all other nodes from `customers`. NODE, NODE -> NODE of the same width. */
EDGEFW_API edgefw_value edgefw_graph_depot_and_customers(edgefw_graph *graph, edgefw_value depot,
                                                         edgefw_value customers);

/* Multi-head attention: per head softmax(q k^T / sqrt(d_h)) v, heads concatenated. `heads` divides
 * the width. No parameters. NODE, NODE, NODE of one width -> NODE. */
EDGEFW_API edgefw_value edgefw_graph_attention(edgefw_graph *graph, edgefw_value q, edgefw_value k,
                                               edgefw_value v, int64_t heads);

typedef enum edgefw_attention_norm {
  EDGEFW_ATTENTION_SINKHORN = 0, /* row maximum off, then `iterations` times rows, then columns */
  EDGEFW_ATTENTION_SOFTMAX = 1   /* row softmax */
} edgefw_attention_norm;

typedef struct edgefw_mixed_attention {
  size_t size;    /* sizeof(edgefw_mixed_attention) */
  int64_t heads;  /* required: divides the width of q, k, v */
  int64_t hidden; /* required: width of the mix MLP */
  /* Where a shorter struct lacks them, these are what RADAR's authors published: */
  edgefw_attention_norm norm; /* SINKHORN */
  int iterations;             /* 10; of Sinkhorn */
  double mix1_init;           /* sqrt(1/2); mix1 weight and bias are uniform in +-mix1_init */
  double mix2_init;           /* 1/4; the same for mix2 */
} edgefw_mixed_attention;

/* Mixed-score multi-head attention. Per head the score of (i,j) is an MLP of
 * [q_i.k_j / sqrt(d_h), cost_ij, cost_ji] -> hidden -> ReLU -> 1, normalised over the pairs; the
 * result is weights * v, heads concatenated. Parameters NAME.mix1_weight (H,3,hidden), mix1_bias
 * (H,hidden), mix2_weight (H,hidden,1), mix2_bias (H,1). */
EDGEFW_API edgefw_value edgefw_graph_mixed_attention(edgefw_graph *graph, edgefw_value q,
                                                     edgefw_value k, edgefw_value v,
                                                     edgefw_value cost,
                                                     const edgefw_mixed_attention *spec,
                                                     const char *name, ...) EDGEFW_PRINTF(7, 8);

/* Declare a tensor that published checkpoints hold but the model does not use, so that it is
 * accepted, ignored and counted apart. `shape` has `rank` (1..3) entries. */
EDGEFW_API void edgefw_graph_foreign_parameter(edgefw_graph *graph, int rank, const int64_t *shape,
                                               const char *name, ...) EDGEFW_PRINTF(4, 5);

EDGEFW_END_DECLS

#endif
