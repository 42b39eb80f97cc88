/* Counterfactuals, and what logits say of them. */
#include "diagnostics/verdict.h"

#include <math.h>

const char *edgefw__diagnostic_name(edgefw__diagnostic which) {
  static const char *const names[] = {"current", "reverse", "antisym", "swap", "pair"};
  return names[which];
}

/* --- Verdicts --- */

/* Did it move the way it should? `sign` -1: down, 1: up. */
static edgefw__verdict verdict(double change, double sign) {
  if (change == 0.0) return EDGEFW__TIE;
  return change * sign > 0.0 ? EDGEFW__HIT : EDGEFW__MISS;
}

static edgefw__verdict verdict_of_swap(const edgefw__diagnosed_state *state,
                                       const edgefw__diagnostic_rules *rules) {
  const double rise = state->back - state->forth; /* of the cost of the step */
  if (rise == 0.0 || fabs(rise) < rules->swap_threshold * state->unit) return EDGEFW__LEFT_OUT;
  return verdict(state->changed[EDGEFW__SWAP] - state->logit, rise > 0.0 ? -1.0 : 1.0);
}

static edgefw__verdict verdict_of_pair(const edgefw__diagnosed_state *state) {
  if (state->pair[0] < 0) return EDGEFW__LEFT_OUT;
  const double sign = state->pair_cost[0] < state->pair_cost[1] ? 1.0 : -1.0;
  return verdict(state->pair_logit[0] - state->pair_logit[1], sign);
}

edgefw__verdict edgefw__verdict_of(edgefw__diagnostic which, const edgefw__diagnosed_state *state,
                                   const edgefw__diagnostic_rules *rules) {
  if (which == EDGEFW__SWAP) return verdict_of_swap(state, rules);
  if (which == EDGEFW__PAIR) return verdict_of_pair(state);
  return verdict(state->changed[which] - state->logit, -1.0);
}

/* --- Counterfactuals --- */

double edgefw__perturbation_of(const edgefw__diagnosed_state *state,
                               const edgefw__diagnostic_rules *rules) {
  return rules->perturbation * state->unit;
}

void edgefw__counterfactual_set(edgefw__diagnostic which, const edgefw__diagnosed_state *state,
                                const edgefw__diagnostic_rules *rules, int64_t n, double *cost) {
  const double by = edgefw__perturbation_of(state, rules);
  double *forth = &cost[state->current * n + state->candidate];
  double *back = &cost[state->candidate * n + state->current];
  if (which == EDGEFW__CURRENT || which == EDGEFW__ANTISYM) *forth = state->forth + by;
  if (which == EDGEFW__REVERSE) *back = state->back + by;
  if (which == EDGEFW__ANTISYM) *back = fmax(state->back - by, 0.0);
  if (which != EDGEFW__SWAP) return;
  *forth = state->back;
  *back = state->forth;
}

void edgefw__counterfactual_unset(const edgefw__diagnosed_state *state, int64_t n, double *cost) {
  cost[state->current * n + state->candidate] = state->forth;
  cost[state->candidate * n + state->current] = state->back;
}
