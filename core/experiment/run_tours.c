/* The best and the worst solution of library sets. */
#include "experiment/run_tours.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/path.h"
#include "report/solution_table.h"
#include "report/tour_figure.h"

/* Characters of a folder's name in those of files, which have an end, too. */
enum { MOST_NAME = 48 };

static const char *const ends[] = {"best", "worst"};

/* A folder of library files, and what its set is called. */
typedef struct library {
  const char *folder;
  const char *title; /* its last part */
  const char *name;  /* the same for names of files */
} library;

/* A solution that may be drawn. */
typedef struct candidate {
  const edgefw__instance_set *set;
  const edgefw__result *result;
  const edgefw__solution_row *solution;
  double rank; /* the gap, or the cost over a bound */
} candidate;

/* What the functions below share. */
typedef struct drawer {
  edgefw_context *ctx;
  edgefw_arena *arena; /* for one set of one variant */
  edgefw__run *run;
  const edgefw__run_variant *variant;
  library *libraries; /* of all variants */
  int library_count;
  edgefw__solution_table solutions; /* of the variant */
  edgefw__figures figures;
} drawer;

static const char *variant_name(const drawer *d) {
  return d->variant->composition->variant;
}

/* --- Library sets --- */

static bool is_plain(char c) {
  return isalnum((unsigned char)c) || (c && strchr("._-", c));
}

static bool is_taken(const drawer *d, const char *name) {
  for (int l = 0; l < d->library_count; ++l)
    if (strcmp(d->libraries[l].name, name) == 0) return true;
  return false;
}

static const library *find_library(const drawer *d, const char *folder) {
  for (int l = 0; l < d->library_count; ++l)
    if (strcmp(d->libraries[l].folder, folder) == 0) return &d->libraries[l];
  return NULL;
}

static edgefw_status add_library(drawer *d, const char *folder) {
  edgefw_arena *arena = d->run->arena;
  const char *base = edgefw__path_base(folder);
  const bool nameless = !*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0;
  char *plain = edgefw_arena_text(arena, nameless ? "files" : base);
  if (!plain) return edgefw_failure(d->ctx);
  library new = {.folder = folder, .title = edgefw__tour_short_name(arena, plain), .name = plain};
  for (char *c = plain; *c; ++c)
    if (!is_plain(*c)) *c = '_';
  if (strlen(plain) > MOST_NAME) plain[MOST_NAME] = '\0';
  for (int number = 2; new.name &&is_taken(d, new.name); ++number)
    new.name = edgefw_arena_format(arena, "%s-%d", plain, number);
  if (!new.name || !new.title) return edgefw_failure(d->ctx);
  d->libraries[d->library_count++] = new;
  return EDGEFW_OK;
}

/* The folders of all variants' files, in the order of the configuration. */
static edgefw_status collect_libraries(drawer *d, int variant_count) {
  int most = 0;
  for (int v = 0; v < variant_count; ++v) most += d->run->variants[v].set_count;
  d->libraries = edgefw_arena_take(d->run->arena, (size_t)most + 1, sizeof *d->libraries);
  if (!d->libraries) return edgefw_failure(d->ctx);
  edgefw_status status = EDGEFW_OK;
  for (int v = 0; v < variant_count; ++v)
    for (int s = 0; status == EDGEFW_OK && s < d->run->variants[v].set_count; ++s) {
      const char *file = d->run->variants[v].sets[s].file;
      if (!file) continue;
      const char *folder = edgefw__path_folder(d->run->arena, file);
      if (!folder) return edgefw_failure(d->ctx);
      if (!find_library(d, folder)) status = add_library(d, folder);
    }
  return status;
}

/* --- Instances --- */

/* An instance in memory. */
typedef struct loaded {
  edgefw__source source;
  edgefw__batch *batch;
  edgefw_instance instance;
} loaded;

static void close_instance(const drawer *d, loaded *l) {
  edgefw__batch_destroy(d->ctx, l->batch);
  edgefw__source_close(&l->source);
}

/* Call close_instance also on failure. */
static edgefw_status open_instance(const drawer *d, const edgefw__instance_set *set, loaded *l) {
  const edgefw__composition *composition = d->variant->composition;
  *l = (loaded){.batch = NULL};
  edgefw_status status = edgefw__source_open(&d->run->engine, composition, set, &l->source);
  l->source.reported = l->source.rounding_said = true; /* the evaluation has said it */
  if (status == EDGEFW_OK)
    status = edgefw__batch_create(d->ctx, composition->problem->vtable.problem.fields, 1, set->n,
                                  &l->batch);
  if (status == EDGEFW_OK) status = edgefw__source_load(&l->source, 0, 1, l->batch);
  if (status == EDGEFW_OK) l->instance = edgefw__batch_instance(l->batch, 0);
  if (status == EDGEFW_OK) l->instance.name = edgefw__source_name(&l->source);
  return status;
}

/* The sum of each node's cheapest leaving arc. */
static double bound_of(const edgefw_instance *instance, const char *objective) {
  const double *cost = edgefw_instance_field(instance, objective);
  double sum = 0.0;
  for (int64_t i = 0; i < instance->n; ++i) {
    double least = (double)INFINITY;
    for (int64_t j = 0; j < instance->n; ++j)
      if (j != i) least = fmin(least, cost[i * instance->n + j]);
    sum += least;
  }
  return sum;
}

/* --- Choosing --- */

/* The solutions of a set that are kept; -1 when out of memory. */
static int find_candidates(const drawer *d, const library *which, candidate *out) {
  int count = 0;
  for (int s = 0; s < d->variant->set_count; ++s) {
    const edgefw__instance_set *set = &d->variant->sets[s];
    if (!set->file) continue;
    const char *folder = edgefw__path_folder(d->arena, set->file);
    if (!folder) return -1;
    if (strcmp(folder, which->folder) != 0) continue;
    const edgefw__result *result =
        edgefw__results_find(&d->run->results, variant_name(d), set->name);
    const edgefw__solution_row *solution =
        result ? edgefw__solution_table_find(&d->solutions, result) : NULL;
    if (solution) out[count++] = (candidate){set, result, solution, result->gap_percent};
  }
  return count;
}

/* Keep those with a gap; where none has one, compare costs with a bound. */
static edgefw_status rank(const drawer *d, candidate *candidates, int *count) {
  const char *objective = d->variant->composition->problem->vtable.problem.objective;
  int with_gap = 0;
  for (int c = 0; c < *count; ++c)
    if (isfinite(candidates[c].rank)) candidates[with_gap++] = candidates[c];
  if (with_gap > 0) {
    *count = with_gap;
    return EDGEFW_OK;
  }
  edgefw_status status = EDGEFW_OK;
  for (int c = 0; status == EDGEFW_OK && c < *count; ++c) {
    loaded l;
    status = open_instance(d, candidates[c].set, &l);
    if (status == EDGEFW_OK)
      candidates[c].rank = candidates[c].result->objective / bound_of(&l.instance, objective);
    if (isnan(candidates[c].rank)) candidates[c].rank = 1.0; /* all costs are 0 */
    close_instance(d, &l);
  }
  return status;
}

/* --- Drawing --- */

/* Is the solution one of the instance that costs what the results say? The table is a file, and
 * somebody may have changed it. */
static edgefw_status check(const drawer *d, const candidate *c, const loaded *l, int32_t **tour,
                           int64_t *count) {
  const edgefw__composition *composition = d->variant->composition;
  double cost = 0.0;
  edgefw_status status = edgefw__solution_table_nodes(d->ctx, d->arena, c->solution, l->instance.n,
                                                      2 * l->instance.n, tour, count);
  if (status == EDGEFW_OK)
    status = composition->problem->vtable.problem.check(d->ctx, composition->problem_options,
                                                        &l->instance, *tour, *count, &cost);
  if (status != EDGEFW_OK) return status;
  if (fabs(cost - c->result->objective) <= 1e-9 * fabs(cost)) return EDGEFW_OK;
  return edgefw_fail(d->ctx, EDGEFW_CHECK_FAILED, "the solution of %s costs %.10g, not %.10g",
                     c->set->name, cost, c->result->objective);
}

static edgefw_status write_figure(drawer *d, const library *which, const candidate *c,
                                  const char *end, const loaded *l, const int32_t *tour,
                                  int64_t count) {
  const edgefw_problem *problem = &d->variant->composition->problem->vtable.problem;
  const bool depot = edgefw__problem_has_depot(problem);
  const edgefw__tour_facts facts = {
      .name = c->set->name,
      .n = l->instance.n,
      .routes = depot ? edgefw__tour_routes(tour, count) : 0,
      .cost = c->result->objective,
      .gap_percent = c->result->gap_percent,
      .reference_kind = c->result->reference_kind,
      .forbidden_arcs = edgefw__forbidden_used(problem, &l->instance, tour, count).arcs};
  const char *title = edgefw__tour_title(d->arena, &facts);
  edgefw__tour_figure figure = {
      .name = edgefw_arena_format(d->arena, "tour-%s-%s-%s", variant_name(d), which->name, end),
      .title = title ? edgefw_arena_format(d->arena, "%s, %s of %s: %s", variant_name(d), end,
                                           which->title, title)
                     : NULL,
      .problem = problem,
      .instance = &l->instance,
      .tour = tour,
      .count = count};
  if (!figure.name || !figure.title) return edgefw_failure(d->ctx);
  const edgefw_status status = edgefw__placement_find(d->ctx, d->arena, problem, &l->instance,
                                                      &l->source.file, &figure.place);
  return status == EDGEFW_OK ? edgefw__tour_figure_write(&d->figures, &figure,
                                                         EDGEFW__FIGURE_SVG | EDGEFW__FIGURE_PNG)
                             : status;
}

static edgefw_status draw(drawer *d, const library *which, const candidate *c, const char *end) {
  loaded l;
  int32_t *tour = NULL;
  int64_t count = 0;
  edgefw_status status = open_instance(d, c->set, &l);
  if (status == EDGEFW_OK) {
    status = check(d, c, &l, &tour, &count);
    if (status == EDGEFW_OK) {
      status = write_figure(d, which, c, end, &l, tour, count);
    } else if (status != EDGEFW_OUT_OF_MEMORY) {
      edgefw_log(d->ctx, EDGEFW_LOG_WARNING, "%s: no figure of %s: %s", variant_name(d),
                 c->set->name, edgefw_message(d->ctx));
      edgefw_clear(d->ctx);
      status = EDGEFW_OK;
    }
  }
  close_instance(d, &l);
  return status;
}

static edgefw_status draw_set(drawer *d, const library *which) {
  candidate *candidates =
      edgefw_arena_take(d->arena, (size_t)d->variant->set_count, sizeof *candidates);
  if (!candidates) return edgefw_failure(d->ctx);
  int count = find_candidates(d, which, candidates), best = 0, worst = 0;
  if (count < 0) return edgefw_failure(d->ctx);
  edgefw_status status = rank(d, candidates, &count);
  for (int c = 1; c < count; ++c) {
    if (candidates[c].rank < candidates[best].rank) best = c;
    if (candidates[c].rank >= candidates[worst].rank) worst = c;
  }
  if (status == EDGEFW_OK && count > 0) status = draw(d, which, &candidates[best], ends[0]);
  if (status == EDGEFW_OK && worst != best) status = draw(d, which, &candidates[worst], ends[1]);
  return status;
}

static edgefw_status draw_variant(drawer *d) {
  edgefw_status status = edgefw__solution_table_read(d->ctx, d->run->arena, d->run->folder,
                                                     variant_name(d), &d->solutions);
  for (int l = 0; status == EDGEFW_OK && d->solutions.count > 0 && l < d->library_count; ++l) {
    edgefw_arena_reset(d->arena);
    status = draw_set(d, &d->libraries[l]);
  }
  return edgefw_note(d->ctx, status, "while drawing solutions of variant %s", variant_name(d));
}

edgefw_status edgefw__run_tours_draw(edgefw__run *run, int variant_count) {
  drawer d = {.ctx = run->ctx, .run = run};
  edgefw_status status = collect_libraries(&d, variant_count);
  if (status != EDGEFW_OK || d.library_count == 0) return status;
  status = edgefw_arena_create(run->ctx, &d.arena, "figures", 0, true);
  d.figures = (edgefw__figures){.ctx = run->ctx,
                                .arena = d.arena,
                                .folder = edgefw__path_join(run->arena, run->folder, "plots"),
                                .changed = &run->changed};
  if (status == EDGEFW_OK && !d.figures.folder) status = edgefw_failure(run->ctx);
  for (int v = 0; status == EDGEFW_OK && v < variant_count; ++v) {
    d.variant = &run->variants[v];
    status = draw_variant(&d);
  }
  if (status == EDGEFW_OK && d.figures.gnuplot_missing)
    edgefw_log(run->ctx, EDGEFW_LOG_INFO,
               "tours: gnuplot is not installed; %s has the data and the scripts",
               d.figures.folder);
  edgefw_arena_destroy(d.arena);
  return status;
}

bool edgefw__run_tours_owns(const char *name, const char *variant) {
  static const char *const endings[] = {".csv", ".gp", ".svg", ".png"};
  const size_t length = strlen(variant);
  if (strncmp(name, "tour-", 5) != 0 || strncmp(name + 5, variant, length) != 0 ||
      name[5 + length] != '-')
    return false;
  const char *set = name + 5 + length + 1;
  size_t plain = 0;
  while (is_plain(set[plain])) ++plain;
  if (set[plain]) return false;
  for (size_t e = 0; e < sizeof ends / sizeof *ends; ++e)
    for (size_t k = 0; k < sizeof endings / sizeof *endings; ++k) {
      const size_t tail = 1 + strlen(ends[e]) + strlen(endings[k]);
      if (plain > tail && set[plain - tail] == '-' &&
          strncmp(set + plain - tail + 1, ends[e], strlen(ends[e])) == 0 &&
          strcmp(set + plain - strlen(endings[k]), endings[k]) == 0)
        return true;
    }
  return false;
}
