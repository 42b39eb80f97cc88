/* Forbidden arcs of instances from outside: found, priced, and looked for where none is named. */
#ifndef EDGEFW__FORBIDDEN_H
#define EDGEFW__FORBIDDEN_H

#include "config/forbidden_rule.h"
#include "edgefw/problem.h"

/* Find the forbidden arcs of an instance before the problem examines it. Their entries of the
 * objective become one price, (2 n + 1) times the largest cost of the other arcs (1 if that is 0):
 * more than any tour costs that uses none of them. *limit is that price, INFINITY without such
 * arcs; *arcs is their number. Fields that the problem is yet to compute (NaN in all entries) are
 * left alone. INFEASIBLE if all arcs are forbidden, or if costs are too large to be priced. */
EDGEFW_NODISCARD edgefw_status edgefw__forbidden_mark(edgefw_context *ctx,
                                                      const edgefw_problem *problem,
                                                      const edgefw__forbidden_rule *rule,
                                                      const edgefw_instance *instance,
                                                      double *limit, int64_t *arcs);

/* Mark, then let the problem examine the instance, whose `forbidden` is set for that. */
EDGEFW_NODISCARD edgefw_status edgefw__forbidden_accept(
    edgefw_context *ctx, const edgefw_problem *problem, const edgefw_options *options,
    const edgefw__forbidden_rule *rule, edgefw_instance *instance, double *limit, int64_t *arcs);

/* Entries of `limit` or more become infinite again, as datasets keep them. */
void edgefw__forbidden_restore(const edgefw_problem *problem, const edgefw_instance *instance,
                               double limit);

/* Costs that look as if they meant forbidden arcs: far above all others. */
typedef struct edgefw__forbidden_suspects {
  int64_t arcs, all; /* such arcs, of that many */
  double least;      /* the least of their costs */
  double ratio;      /* that, divided by the median of the other arcs */
} edgefw__forbidden_suspects;

/* Are there arcs of an examined instance (diagonal 0) that cost at least 10 times as much as any
 * other and 100 times the median of the others, of which there are as many as nodes? OUT_OF_MEMORY.
 */
EDGEFW_NODISCARD edgefw_status edgefw__forbidden_suspect(edgefw_context *ctx,
                                                         const edgefw_problem *problem,
                                                         const edgefw_instance *instance,
                                                         edgefw__forbidden_suspects *out);

/* Forbidden arcs of a closed tour, or of routes whose tour ends at the depot: how many, and the
 * first one. Padding at the depot is passed over. */
typedef struct edgefw__forbidden_use {
  int64_t arcs;
  int32_t from, to;
} edgefw__forbidden_use;

edgefw__forbidden_use edgefw__forbidden_used(const edgefw_problem *problem,
                                             const edgefw_instance *instance, const int32_t *tour,
                                             int64_t steps);

#endif
