/* Which solution an instance begins with, and reading it. */
#include "eval/start_tour.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/text.h"
#include "files/known_solution.h"
#include "files/tour.h"
#include "plugin/problem_shape.h"
#include "search/improve.h"

/* --- Which one --- */

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static edgefw_status assign_file(edgefw_context *ctx, const char *option, const char *path,
                                 edgefw__instance_set *const *sets, int64_t count) {
  if (count != 1)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s '%s': one solution begins one instance, and there are %" PRId64
                       " inputs; expected a folder with a solution called like each of them",
                       option, path, count);
  if (sets[0]->count != 1 || (!sets[0]->file && !sets[0]->dataset))
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s '%s': set %s has %" PRId64 " instance%s%s; expected a file of one",
                       option, path, sets[0]->name, sets[0]->count, sets[0]->count == 1 ? "" : "s",
                       sets[0]->file || sets[0]->dataset ? "" : " of a generator");
  sets[0]->start = path;
  return EDGEFW_OK;
}

/* The solution of the folder for a set's own file; *out is NULL if there is none. */
static edgefw_status find_in_folder(edgefw_context *ctx, edgefw_arena *arena,
                                    const edgefw_problem *problem, const char *folder,
                                    const edgefw__instance_set *set, const char **out) {
  edgefw__known_paths list;
  const char *own = set->file ? set->file : set->dataset;
  *out = NULL;
  if (!own || set->count != 1) return EDGEFW_OK;
  const char *path = edgefw__path_join(arena, folder, edgefw__path_base(own));
  if (!path) return edgefw_failure(ctx);
  const edgefw_status status =
      edgefw__known_solution_list(ctx, arena, problem->solution, path, &list);
  if (status == EDGEFW_OK && list.count > 0) *out = list.paths[0];
  return status;
}

edgefw_status edgefw__start_assign(edgefw_context *ctx, edgefw_arena *arena,
                                   const edgefw_problem *problem, const char *option,
                                   const char *path, edgefw__instance_set *const *sets,
                                   int64_t count) {
  int64_t found = 0;
  if (!is_folder(path)) return assign_file(ctx, option, path, sets, count);
  for (int64_t s = 0; s < count; ++s) {
    const edgefw_status status =
        find_in_folder(ctx, arena, problem, path, sets[s], &sets[s]->start);
    if (status != EDGEFW_OK) return status;
    found += sets[s]->start != NULL;
  }
  if (found == 0)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s '%s': the folder holds no %s that is called like an input", option, path,
                       problem->solution == EDGEFW_SOLUTION_ROUTES ? ".sol" : ".tour");
  if (found < count)
    edgefw_log(ctx, EDGEFW_LOG_INFO,
               "%s '%s': %" PRId64 " of %" PRId64 " inputs have no solution there to begin with",
               option, path, count - found, count);
  return EDGEFW_OK;
}

/* --- Taking it --- */

/* A closed tour is turned to begin with what is fixed. */
static edgefw_status begin_with_fixed(edgefw_context *ctx, const edgefw_problem *problem,
                                      const char *path, const edgefw__tours *start) {
  const edgefw__fixed *fixed = start->fixed;
  const int32_t base = edgefw__problem_has_depot(problem) ? 0 : 1;
  int64_t at = 0;
  if (!fixed) return EDGEFW_OK;
  if (base == 1) edgefw__tour_turn_to(start->tours, start->steps, fixed->nodes[0]);
  if (edgefw__fixed_holds(fixed, start->tours, &at)) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                     "'%s' does not begin with the fixed nodes: at place %" PRId64
                     " it has node %d, expected %d",
                     path, at + base, start->tours[at] + base, fixed->nodes[at] + base);
}

/* The file's solution as the tour in `out`; what is left over is the depot. */
static edgefw_status read_start(edgefw_context *ctx, edgefw_arena *arena,
                                const edgefw__composition *composition,
                                const edgefw__instance_set *set, const edgefw_instance *instance,
                                edgefw__tours *out) {
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  edgefw__known_solution solution;
  char stated[32], cost[32];
  const edgefw_status status = edgefw__known_solution_read(
      ctx, arena, problem, composition->problem_options, instance, set->start, &solution);
  if (status != EDGEFW_OK) return status;
  out->tours = edgefw_allocate(ctx, (size_t)out->steps, sizeof *out->tours, "a tour");
  out->lengths = edgefw_allocate(ctx, 1, sizeof *out->lengths, "the length of a tour");
  if (!out->tours || !out->lengths) return edgefw_failure(ctx);
  memset(out->tours, 0, (size_t)out->steps * sizeof *out->tours);
  memcpy(out->tours, solution.tour, (size_t)solution.count * sizeof *out->tours);
  out->lengths[0] = solution.cost;
  const edgefw_status fits = begin_with_fixed(ctx, problem, set->start, out);
  if (fits != EDGEFW_OK) return fits;
  if (solution.stated && !edgefw__known_solution_prices_to(solution.cost, solution.stated_cost))
    edgefw_log(ctx, EDGEFW_LOG_WARNING, "set %s: '%s' says that it costs %s; it costs %s here",
               set->name, set->start,
               edgefw__number_text(solution.stated_cost, stated, sizeof stated),
               edgefw__number_text(solution.cost, cost, sizeof cost));
  return EDGEFW_OK;
}

edgefw_status edgefw__start_read(edgefw_context *ctx, const edgefw__composition *composition,
                                 const edgefw__instance_set *set, const char *name,
                                 const edgefw__batch *batch, const edgefw__search *search,
                                 edgefw__incumbents *best, edgefw__tours *out) {
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  *out = (edgefw__tours){
      .each = 1, .steps = edgefw__problem_steps(problem, batch->n), .fixed = best->fixed};
  if (!set->start) return EDGEFW_OK;
  edgefw_instance instance = edgefw__batch_instance(batch, 0);
  edgefw_arena *arena = NULL;
  instance.name = name;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "a solution to begin with", 0, true);
  if (status == EDGEFW_OK) status = read_start(ctx, arena, composition, set, &instance, out);
  edgefw_arena_destroy(arena);
  if (status != EDGEFW_OK)
    return edgefw_note(ctx, status, "set %s, the solution to begin with", set->name);
  const double cost = out->lengths[0];
  if (search->improve) status = edgefw__incumbents_improve(ctx, problem, batch, search, out, best);
  edgefw_log(ctx, EDGEFW_LOG_DEBUG, "set %s: begins with %.10g of '%s', which becomes %.10g",
             set->name, cost, set->start, out->lengths[0]);
  return status;
}

void edgefw__start_take(const edgefw__tours *start, edgefw__incumbents *best) {
  if (!start->tours) return;
  const bool first = isinf(best->lengths[0]); /* nothing else was made, for want of time */
  edgefw__incumbents_note(start, 1, first, best);
  edgefw__incumbents_take(start, 1, EDGEFW__MAKER_START, first, best);
}

void edgefw__start_release(edgefw_context *ctx, edgefw__tours *start) {
  edgefw_release(ctx, start->lengths);
  edgefw_release(ctx, start->tours);
  *start = (edgefw__tours){0};
}
