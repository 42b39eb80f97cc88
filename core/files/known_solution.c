/* Solutions that lie beside library files. */
#include "files/known_solution.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/path.h"
#include "base/text.h"
#include "files/library_text.h"
#include "files/tour.h"
#include "files/vrp_solution.h"

/* What a search shares. */
typedef struct search {
  edgefw_context *ctx;
  edgefw_arena *arena;
  const edgefw_problem *problem;
  const edgefw_options *options;
  const edgefw_instance *instance;
  edgefw__known_solution best;
} search;

/* Is `name` the stem and one of the extensions of solutions? */
static bool is_solution_name(edgefw_solution_format format, const char *stem, const char *name) {
  static const char *const routes[] = {".sol", ".sol.gz", NULL};
  static const char *const tours[] = {".tour", ".tour.gz", ".opt.tour", ".opt.tour.gz", NULL};
  const size_t length = strlen(stem);
  if (strncmp(name, stem, length) != 0) return false;
  const char *const *ending = format == EDGEFW_SOLUTION_ROUTES ? routes : tours;
  for (; *ending; ++ending)
    if (strcasecmp(name + length, *ending) == 0) return true;
  return false;
}

/* --- One file --- */

/* What a file holds: its solution, not priced yet. */
static edgefw_status read_solution(edgefw_context *ctx, edgefw_arena *arena,
                                   const edgefw_problem *problem, int64_t n, const char *path,
                                   edgefw__known_solution *out) {
  *out = (edgefw__known_solution){.path = path};
  if (problem->solution == EDGEFW_SOLUTION_ROUTES) {
    edgefw__vrp_solution solution = {0};
    const edgefw_status status = edgefw__vrp_solution_read(ctx, arena, path, n - 1, &solution);
    out->tour = solution.tour;
    out->count = solution.count;
    out->stated_cost = solution.cost;
    out->stated = solution.has_cost;
    return status;
  }
  out->count = n;
  out->tour = edgefw_arena_take(arena, (size_t)n, sizeof *out->tour);
  if (!out->tour) return edgefw_failure(ctx);
  return edgefw__tour_read_stated(ctx, path, n, out->tour, &out->stated_cost, &out->stated);
}

edgefw_status edgefw__known_solution_read(edgefw_context *ctx, edgefw_arena *arena,
                                          const edgefw_problem *problem,
                                          const edgefw_options *options,
                                          const edgefw_instance *instance, const char *path,
                                          edgefw__known_solution *out) {
  const edgefw_status status = read_solution(ctx, arena, problem, instance->n, path, out);
  if (status != EDGEFW_OK) return status;
  return edgefw_note(ctx, problem->check(ctx, options, instance, out->tour, out->count, &out->cost),
                     "the solution in '%s'", path);
}

bool edgefw__known_solution_prices_to(double price, double stated) {
  char text[32];
  const char *point = strchr(edgefw__number_text(stated, text, sizeof text), '.');
  const size_t digits = point ? strspn(point + 1, "0123456789") : 0;
  return fabs(price - stated) <= 0.5 * pow(10.0, -(double)digits) + 1e-9 * fabs(price);
}

/* Read and price the solution in `path`, which must cost what it says. */
static edgefw_status examine(const search *s, const char *path, edgefw__known_solution *out) {
  char stated[32], found[32];
  const edgefw_status status =
      edgefw__known_solution_read(s->ctx, s->arena, s->problem, s->options, s->instance, path, out);
  if (status != EDGEFW_OK || !out->stated ||
      edgefw__known_solution_prices_to(out->cost, out->stated_cost))
    return status;
  return edgefw_fail(s->ctx, EDGEFW_MISMATCH, "'%s' states the cost %s, but its solution costs %s",
                     path, edgefw__number_text(out->stated_cost, stated, sizeof stated),
                     edgefw__number_text(out->cost, found, sizeof found));
}

/* Keep the solution in file `path` if it is the best so far; of equals the first is kept. */
static edgefw_status consider(search *s, const char *path) {
  edgefw__known_solution found;
  const edgefw_status status = examine(s, path, &found);
  if (status == EDGEFW_OUT_OF_MEMORY) return status;
  if (status != EDGEFW_OK) {
    edgefw_log(s->ctx, EDGEFW_LOG_WARNING, "not taken for a best known solution: %s",
               edgefw_message(s->ctx));
    edgefw_clear(s->ctx);
    return EDGEFW_OK;
  }
  if (!s->best.path || found.cost < s->best.cost) s->best = found;
  return EDGEFW_OK;
}

/* --- The folder --- */

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Add `path` behind the paths of the list. */
static edgefw_status append(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                            edgefw__known_paths *list) {
  const char **paths = edgefw_arena_take(arena, (size_t)list->count + 1, sizeof *paths);
  if (!path || !paths) return edgefw_failure(ctx);
  if (list->count > 0) memcpy(paths, list->paths, (size_t)list->count * sizeof *paths);
  paths[list->count] = path;
  *list = (edgefw__known_paths){paths, list->count + 1};
  return EDGEFW_OK;
}

edgefw_status edgefw__known_solution_list(edgefw_context *ctx, edgefw_arena *arena,
                                          edgefw_solution_format format, const char *path,
                                          edgefw__known_paths *out) {
  *out = (edgefw__known_paths){NULL, 0};
  const char *folder = edgefw__path_folder(arena, path);
  const char *stem = edgefw__library_stem(arena, path);
  if (!folder || !stem) return edgefw_failure(ctx);
  DIR *entries = opendir(folder);
  if (!entries) return EDGEFW_OK; /* files can be read whose folder cannot be listed */
  edgefw_status status = EDGEFW_OK;
  for (struct dirent *entry; status == EDGEFW_OK && (entry = readdir(entries));)
    if (is_solution_name(format, stem, entry->d_name))
      status = append(ctx, arena, edgefw__path_join(arena, folder, entry->d_name), out);
  (void)closedir(entries);
  if (out->count > 0) qsort(out->paths, (size_t)out->count, sizeof *out->paths, compare_paths);
  return status;
}

edgefw_status edgefw__known_solution_find(edgefw_context *ctx, edgefw_arena *arena,
                                          const edgefw_problem *problem,
                                          const edgefw_options *options,
                                          const edgefw_instance *instance, const char *path,
                                          edgefw__known_solution *out) {
  search s = {
      .ctx = ctx, .arena = arena, .problem = problem, .options = options, .instance = instance};
  *out = s.best;
  edgefw__known_paths list;
  edgefw_status status = edgefw__known_solution_list(ctx, arena, problem->solution, path, &list);
  for (int64_t i = 0; status == EDGEFW_OK && i < list.count; ++i)
    status = consider(&s, list.paths[i]);
  if (status == EDGEFW_OK) *out = s.best;
  return status;
}
