/* Forbidden arcs of instances from outside. */
#include "data/forbidden.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "data/cost_limit.h"

/* What looks forbidden costs that many times the median of the other arcs, and any of them. */
#define FAR_FROM_MEDIAN 100.0
#define FAR_FROM_OTHERS 10.0

static bool is_computed_later(const double *cost, int64_t n) {
  for (int64_t e = 0; e < n * n; ++e)
    if (!isnan(cost[e])) return false;
  return true;
}

/* --- Marking --- */

/* Count forbidden arcs and find the largest cost of the others. */
static int64_t examine(const edgefw__forbidden_rule *rule, const double *cost, int64_t n,
                       double *largest) {
  int64_t arcs = 0;
  *largest = 0.0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      if (i == j) continue;
      if (edgefw__forbidden_says(rule, cost[i * n + j]))
        ++arcs;
      else
        *largest = fmax(*largest, cost[i * n + j]);
    }
  return arcs;
}

static edgefw_status refuse(edgefw_context *ctx, const edgefw_instance *instance, int64_t arcs,
                            double largest) {
  const int64_t all = instance->n * (instance->n - 1);
  const char *name = instance->name ? instance->name : "of a dataset";
  if (arcs == all)
    return edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                       "instance %s (number %" PRIu64 "): all its %" PRId64 " arcs are forbidden",
                       name, instance->id, all);
  return edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                     "instance %s (number %" PRIu64 "): costs of up to %g leave no room for the "
                     "price of forbidden arcs; divide all costs by a common number",
                     name, instance->id, largest);
}

edgefw_status edgefw__forbidden_mark(edgefw_context *ctx, const edgefw_problem *problem,
                                     const edgefw__forbidden_rule *rule,
                                     const edgefw_instance *instance, double *limit,
                                     int64_t *arcs) {
  const int64_t n = instance->n;
  double *cost = edgefw_instance_field(instance, problem->objective), largest;
  *limit = (double)INFINITY;
  *arcs = 0;
  if (n < 2 || is_computed_later(cost, n)) return EDGEFW_OK;
  const int64_t found = examine(rule, cost, n, &largest);
  if (found == 0) return EDGEFW_OK;
  const double price = largest > 0.0 ? (double)(2 * n + 1) * largest : 1.0;
  if (found == n * (n - 1) || !(price <= EDGEFW_MAX_COST)) /* the price is a cost, too */
    return refuse(ctx, instance, found, largest);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (i != j && edgefw__forbidden_says(rule, cost[i * n + j])) cost[i * n + j] = price;
  *limit = price;
  *arcs = found;
  return EDGEFW_OK;
}

edgefw_status edgefw__forbidden_accept(edgefw_context *ctx, const edgefw_problem *problem,
                                       const edgefw_options *options,
                                       const edgefw__forbidden_rule *rule,
                                       edgefw_instance *instance, double *limit, int64_t *arcs) {
  const edgefw_status status = edgefw__forbidden_mark(ctx, problem, rule, instance, limit, arcs);
  if (status != EDGEFW_OK) return status;
  instance->forbidden = *arcs > 0 ? *limit : 0.0;
  const edgefw_status accepted = problem->accept(ctx, options, instance);
  return accepted == EDGEFW_OK ? edgefw__cost_limit_check(ctx, problem, instance) : accepted;
}

void edgefw__forbidden_restore(const edgefw_problem *problem, const edgefw_instance *instance,
                               double limit) {
  double *cost = edgefw_instance_field(instance, problem->objective);
  for (int64_t e = 0; limit < (double)INFINITY && e < instance->n * instance->n; ++e)
    if (cost[e] >= limit) cost[e] = (double)INFINITY;
}

/* --- Suspects --- */

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Arcs within a factor of FAR_FROM_OTHERS of the largest cost, if all others are further below. The
 * diagonal, 0, is below everything and changes nothing. */
static bool find_gap(const double *cost, int64_t n, edgefw__forbidden_suspects *out) {
  double largest = 0.0, below = 0.0;
  for (int64_t e = 0; e < n * n; ++e) largest = cost[e] > largest ? cost[e] : largest;
  out->all = n * (n - 1);
  out->least = largest;
  for (int64_t e = 0; e < n * n; ++e) {
    if (cost[e] * FAR_FROM_OTHERS <= largest) {
      below = cost[e] > below ? cost[e] : below;
      continue;
    }
    ++out->arcs;
    out->least = cost[e] < out->least ? cost[e] : out->least;
  }
  return out->all - out->arcs >= n && out->least >= FAR_FROM_OTHERS * below;
}

edgefw_status edgefw__forbidden_suspect(edgefw_context *ctx, const edgefw_problem *problem,
                                        const edgefw_instance *instance,
                                        edgefw__forbidden_suspects *out) {
  const int64_t n = instance->n;
  const double *cost = edgefw_instance_field(instance, problem->objective);
  *out = (edgefw__forbidden_suspects){.arcs = 0};
  edgefw__forbidden_suspects found = {.arcs = 0};
  if (n < 3 || is_computed_later(cost, n) || !find_gap(cost, n, &found)) return EDGEFW_OK;
  double *sorted =
      edgefw_allocate(ctx, (size_t)found.all, sizeof *sorted, "the search for forbidden arcs");
  if (!sorted) return edgefw_failure(ctx);
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (i != j && cost[i * n + j] < found.least) sorted[count++] = cost[i * n + j];
  qsort(sorted, (size_t)count, sizeof *sorted, compare);
  const double median = sorted[count / 2];
  edgefw_release(ctx, sorted);
  if (!(median > 0.0) || found.least < FAR_FROM_MEDIAN * median) return EDGEFW_OK;
  found.ratio = found.least / median;
  *out = found;
  return EDGEFW_OK;
}

/* --- Tours --- */

edgefw__forbidden_use edgefw__forbidden_used(const edgefw_problem *problem,
                                             const edgefw_instance *instance, const int32_t *tour,
                                             int64_t steps) {
  const double *cost = edgefw_instance_field(instance, problem->objective);
  edgefw__forbidden_use use = {.arcs = 0};
  for (int64_t t = 0; instance->forbidden > 0.0 && t < steps; ++t) {
    const int32_t from = tour[t], to = tour[(t + 1) % steps];
    if (from == to || cost[from * instance->n + to] < instance->forbidden) continue;
    if (use.arcs++ == 0) {
      use.from = from;
      use.to = to;
    }
  }
  return use;
}
