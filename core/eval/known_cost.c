/* Solutions beside library files as references. */
#include "eval/known_cost.h"

#include "files/known_solution.h"

edgefw_status edgefw__known_cost(edgefw_context *ctx, edgefw__source *source,
                                 const edgefw_instance *instance, double *cost, bool *found) {
  const edgefw__composition *composition = source->composition;
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  const edgefw__instance_set *set = source->set;
  edgefw_arena *arena = NULL;
  edgefw__known_solution known = {.path = NULL};
  *found = false;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "a best known solution", 0, true);
  if (status == EDGEFW_OK)
    status = edgefw__known_solution_find(ctx, arena, problem, composition->problem_options,
                                         instance, set->file, &known);
  /* Prices of forbidden arcs are no costs; a solution without any would have been cheaper. */
  if (status == EDGEFW_OK && known.path &&
      edgefw__forbidden_used(problem, instance, known.tour, known.count).arcs > 0) {
    edgefw_log(ctx, EDGEFW_LOG_WARNING, "set %s: %s is no reference, for it uses forbidden arcs",
               set->name, known.path);
    known.path = NULL;
  }
  if (status == EDGEFW_OK && known.path) {
    *found = true;
    *cost = known.cost;
    source->reference_kind = EDGEFW__REFERENCE_BEST_KNOWN;
    edgefw_log(ctx, EDGEFW_LOG_DEBUG, "set %s: best known cost %.10g, of %s", set->name, known.cost,
               known.path);
  }
  edgefw_arena_destroy(arena);
  return status;
}
