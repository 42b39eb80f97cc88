/* A route over five stops by travel times, from a program of one's own. */
#include <edgefw/solver.h>
#include <stdio.h>

/* Minutes from each stop to each other one; streets are one-way, so the table is not symmetric. */
static const double minutes[5][5] = {{0, 12, 7, 21, 9},
                                     {14, 0, 11, 8, 16},
                                     {6, 13, 0, 18, 5},
                                     {19, 9, 20, 0, 15},
                                     {10, 17, 4, 14, 0}};

static int print(const edgefw_solutions *solutions) {
  edgefw_solution best = {.size = sizeof best};
  if (edgefw_solutions_get(solutions, 0, &best) != EDGEFW_OK) return 1;
  printf("%g minutes, no route takes less than %g:", best.cost, best.bound);
  for (int64_t i = 0; i < best.count; ++i) printf(" %d", best.nodes[i]);
  return printf("\n") != 1;
}

int main(void) {
  edgefw_context *ctx = NULL;
  edgefw_model *model = NULL;
  edgefw_solver *solver = NULL;
  edgefw_solutions *solutions = NULL;
  const edgefw_instances instances = {
      .size = sizeof instances, .count = 1, .nodes = 5, .costs = minutes};
  const edgefw_solve_settings settings = {.size = sizeof settings, .bound = true};
  int failed = 1;
  if (edgefw_context_create(&ctx, NULL) != EDGEFW_OK) return 1;
  if (edgefw_model_open(ctx, NULL, &model) == EDGEFW_OK &&
      edgefw_solver_create(ctx, model, &solver) == EDGEFW_OK &&
      edgefw_solver_solve(solver, &instances, &settings, &solutions) == EDGEFW_OK)
    failed = print(solutions);
  else
    fprintf(stderr, "%s\n", edgefw_message(ctx));
  edgefw_solutions_destroy(solutions);
  edgefw_solver_destroy(solver);
  edgefw_model_destroy(model);
  edgefw_context_destroy(ctx);
  return failed;
}
