/* The diagnostics of a decoding state: which costs a counterfactual changes, and what the logits
 * before and after say. `D` is the cost matrix, the vehicle stands on i, l(j; D) is the logit of
 * candidate j, and a unit is the mean arc of D: its mean entry off the diagonal.
 *
 *   CURRENT  raise D_ij; l(j) should fall
 *   REVERSE  raise D_ji; a control: the arc j -> i is not part of the step
 *   ANTISYM  raise D_ij and lower D_ji, to 0 at most; l(j) should fall
 *   SWAP     exchange D_ij and D_ji; l(j) should fall if D_ji is the larger one, and rise if not
 *   PAIR     nothing is changed: of two candidates that are alike but for D_ij the one that is
 *            cheaper to go to should have the larger logit */
#ifndef EDGEFW__VERDICT_H
#define EDGEFW__VERDICT_H

#include "edgefw/context.h"

typedef enum edgefw__diagnostic {
  EDGEFW__CURRENT = 0,
  EDGEFW__REVERSE,
  EDGEFW__ANTISYM,
  EDGEFW__SWAP,
  EDGEFW__PAIR,
  EDGEFW__DIAGNOSTICS
} edgefw__diagnostic;

/* Those before PAIR change the matrix. */
#define EDGEFW__COUNTERFACTUALS EDGEFW__PAIR

/* "current", "reverse", ...: as files have them. */
const char *edgefw__diagnostic_name(edgefw__diagnostic which);

/* In units. */
typedef struct edgefw__diagnostic_rules {
  double perturbation;   /* by which costs are raised and lowered */
  double closeness;      /* candidates are alike up to this */
  double swap_threshold; /* SWAP leaves out arcs whose two costs differ by less */
} edgefw__diagnostic_rules;

/* A decoding state with what a model says in it. */
typedef struct edgefw__diagnosed_state {
  int64_t number;      /* of the instance in its sequence, and of the state */
  const int32_t *tour; /* (entries): what is visited; the last one is `current` */
  int64_t entries;
  int32_t current, closing, candidate;     /* i, the node that closes the route, j */
  int64_t open;                            /* candidates to choose from, at least 2 */
  double unit, forth, back;                /* D's mean arc, D_ij, D_ji */
  double logit;                            /* l(j; D) */
  double changed[EDGEFW__COUNTERFACTUALS]; /* l(j) under each counterfactual matrix */
  int32_t pair[2];                         /* two candidates for PAIR, or -1, -1: there are none */
  double pair_cost[2], pair_logit[2];      /* D_ij and l(j; D) of both */
} edgefw__diagnosed_state;

typedef enum edgefw__verdict {
  EDGEFW__HIT = 0,  /* as it should be; for REVERSE: it falls */
  EDGEFW__MISS,     /* the other way */
  EDGEFW__TIE,      /* the logit did not change at all, or both are equal */
  EDGEFW__LEFT_OUT, /* SWAP: the costs are too close; PAIR: no candidates are alike */
} edgefw__verdict;

edgefw__verdict edgefw__verdict_of(edgefw__diagnostic which, const edgefw__diagnosed_state *state,
                                   const edgefw__diagnostic_rules *rules);

/* By how much a diagnostic raises costs: the perturbation, in the costs' own scale. */
double edgefw__perturbation_of(const edgefw__diagnosed_state *state,
                               const edgefw__diagnostic_rules *rules);

/* Make a counterfactual of the state's matrix (n,n), and take it back. */
void edgefw__counterfactual_set(edgefw__diagnostic which, const edgefw__diagnosed_state *state,
                                const edgefw__diagnostic_rules *rules, int64_t n, double *cost);
void edgefw__counterfactual_unset(const edgefw__diagnosed_state *state, int64_t n, double *cost);

#endif
