/* The inside of a model for applications; core/solver only. Nothing of it changes once it is open,
 * so that solvers in any threads read it without a lock. */
#ifndef EDGEFW__SOLVER_MODEL_H
#define EDGEFW__SOLVER_MODEL_H

#include "edgefw/solver.h"
#include "eval/evaluate.h"
#include "eval/trained.h"

struct edgefw_model {
  edgefw_context *ctx; /* that opened it: its memory, and messages of opening */
  edgefw_arena *arena;
  edgefw__registry *registry;
  const edgefw__plugin *problem;
  /* The trained model; all zero where there is none. */
  edgefw__config *policy_config;
  const edgefw__composition *policy;
  double *values;     /* (parameters) for the devices of solvers */
  int64_t parameters; /* numbers */
  int64_t step, epoch;
  bool optional; /* nobody asked for it by name: it is left out where it does not fit */
  /* The heuristics; NULL: none. */
  edgefw__config *heuristics_config;
  const edgefw__composition *heuristics;
  const char *path, *names, *device, *precision; /* as in edgefw_model_info */
  edgefw__precision_choice precision_choice;
};

#endif
