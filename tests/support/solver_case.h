/* A small checkpoint of the problem atsp, opened as applications open models. */
#ifndef EDGEFW_TESTS_SUPPORT_SOLVER_CASE_H
#define EDGEFW_TESTS_SUPPORT_SOLVER_CASE_H

#include "edgefw/solver.h"
#include "support/tiny_model.h"

typedef struct solver_case {
  sandbox box;
  char path[128];      /* of the checkpoint */
  const char *device;  /* "cpu" where it was built */
  edgefw_context *ctx; /* of one thread */
  edgefw_model *model;
  edgefw_solver *solver;
} solver_case;

/* CMocka's set-up and tear-down; the state is a solver_case whose model has the policy and the
 * heuristic "nearest". */
int solver_case_set_up(void **state);
int solver_case_tear_down(void **state);

/* Random costs of `count` instances, the same for the same seed; free(). */
double *solver_case_costs(int64_t count, int64_t n, unsigned seed);

/* Fails the test unless the status is OK. */
#define solver_case_ok(ctx, status) tiny_ok_at((ctx), (status), __FILE__, __LINE__)

/* Fails the test unless the call ends so, with this in the message. */
#define solver_case_fails(ctx, status, expected, part)                                             \
  tiny_fails_at((ctx), (status), (expected), (part), __FILE__, __LINE__)

#endif
