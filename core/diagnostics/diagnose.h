/* Diagnostics of a trained model: does the logit of a candidate answer to the cost of the arc that
 * leads to it? Each of the states is one of a greedy rollout of its own, on an instance of its own.
 * A counterfactual matrix goes through all that is made of a matrix (statistics, spectrum, tables,
 * encoder, decoder), with the same nodes visited. */
#ifndef EDGEFW__DIAGNOSE_H
#define EDGEFW__DIAGNOSE_H

#include "diagnostics/statistics.h"
#include "diagnostics/verdict.h"
#include "policy/model.h"

/* From [diagnostics] and [eval]. */
typedef struct edgefw__diagnostic_settings {
  int64_t states;
  edgefw__diagnostic_rules rules;
  uint64_t seed;
  double clip;
  int64_t batch; /* most states at once; 0: what suits (evaluate.h) */
} edgefw__diagnostic_settings;

/* Verdicts on the states of one size. */
typedef struct edgefw__diagnostic_tally {
  int64_t judged; /* hits and misses */
  int64_t hits, ties, left_out;
} edgefw__diagnostic_tally;

typedef struct edgefw__diagnostic_result {
  int64_t states;
  edgefw__diagnostic_tally tally[EDGEFW__DIAGNOSTICS];
  edgefw__spread slope; /* of CURRENT: change of the logit by the change of the cost, ties too */
  double seconds;
} edgefw__diagnostic_result;

/* Called after each pass over a batch with the states done so far, a pass being a part of them.
 * May be NULL. */
typedef void (*edgefw__diagnose_observer)(void *user, double done, double states, double seconds);

/* Takes the states one by one in their order; a failure ends the work. May be NULL. */
typedef edgefw_status (*edgefw__diagnose_receiver)(void *user,
                                                   const edgefw__diagnosed_state *state);

/* Settings of a composition; states is 0 where none are asked for. */
edgefw__diagnostic_settings
edgefw__diagnostic_settings_from(const edgefw__composition *composition);

/* How many sizes a composition asks of, and the one of an index, as configurations count. None
 * where there is no model, or where another variant trains it and has the same logits. */
int64_t edgefw__diagnostic_size_count(const edgefw__composition *composition);
int64_t edgefw__diagnostic_size(const edgefw__composition *composition, int64_t index);

/* How many states of `size` are worked on at once. OUT_OF_MEMORY if not even one can be. */
EDGEFW_NODISCARD edgefw_status edgefw__diagnose_batch(edgefw__model *model, int64_t size,
                                                      const edgefw__diagnostic_settings *settings,
                                                      int64_t *batch);

/* Examine a model on instances of `size`. A state without a choice (a tight vehicle may leave none
 * in a whole tour) is left out of everything. INTERRUPTED when the context says so; CHECK_FAILED if
 * a logit is not finite. */
EDGEFW_NODISCARD edgefw_status edgefw__diagnose(edgefw__model *model, int64_t size,
                                                const edgefw__diagnostic_settings *settings,
                                                edgefw__diagnose_observer observer, void *user,
                                                edgefw__diagnostic_result *out,
                                                edgefw__diagnose_receiver receiver,
                                                void *receiver_user);

#endif
