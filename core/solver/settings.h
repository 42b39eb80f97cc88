/* How a call solves: from the caller's settings to those of evaluations. */
#ifndef EDGEFW__SOLVER_SETTINGS_H
#define EDGEFW__SOLVER_SETTINGS_H

#include "solver/model.h"

/* What one call goes by. */
typedef struct edgefw__call_settings {
  edgefw_solve_settings given;
  edgefw__eval_settings eval;
  edgefw__eval_beside beside; /* what eval.beside points to, where both sides take part */
  bool constructs;            /* heuristics alone */
} edgefw__call_settings;

/* Take the caller's settings (NULL: the usual ones) for the model into *out, which stays where it
 * is. INVALID_ARGUMENT: numbers out of range; UNSUPPORTED: what the model or the problem lacks. */
EDGEFW_NODISCARD edgefw_status edgefw__call_settings_take(edgefw_context *ctx,
                                                          const edgefw_model *model,
                                                          const edgefw_solve_settings *given,
                                                          edgefw__call_settings *out);

#endif
