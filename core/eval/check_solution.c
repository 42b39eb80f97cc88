/* Checking solutions that come from elsewhere. */
#include "eval/check_solution.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/forbidden.h"
#include "data/instance_file.h"
#include "eval/inputs.h"
#include "files/known_solution.h"
#include "files/library_text.h"
#include "files/reference_file.h"
#include "files/tour.h"
#include "files/tsplib.h"
#include "files/vrp_solution.h"
#include "plugin/options.h"
#include "plugin/problem_shape.h"

/* What the steps of a check share. */
typedef struct check {
  edgefw_context *ctx;
  edgefw_arena *arena;
  const edgefw__registry *registry;
  const edgefw__check_request *request;
  edgefw_solution_format format; /* of the solution file */
  edgefw_tsplib file;            /* the instance, unless it is in a dataset */
  edgefw__dataset *dataset;
  const char *name; /* of the instance */
  const edgefw__plugin *problem;
  edgefw_options *options;
  int64_t nodes;
  int32_t *tour; /* (count) */
  int64_t count;
} check;

static const char *format_name(edgefw_solution_format format) {
  return format == EDGEFW_SOLUTION_ROUTES ? "routes (.sol)" : "a tour (TOUR_SECTION)";
}

/* --- The solution file's form --- */

/* Does the line at `line` begin with `word`, whatever its case? */
static bool begins(const char *line, const char *word) {
  line += strspn(line, " \t\r");
  return strncasecmp(line, word, strlen(word)) == 0;
}

static edgefw_status find_format(check *c) {
  char *text = NULL;
  size_t length = 0;
  const edgefw_status status =
      edgefw__library_text_read(c->ctx, c->request->solution, &text, &length);
  if (status != EDGEFW_OK) return status;
  bool tour = false, routes = false;
  for (const char *line = text; line && !tour && !routes;) {
    tour = begins(line, "TOUR_SECTION");
    routes = begins(line, "route");
    line = strchr(line, '\n');
    if (line) ++line;
  }
  edgefw_release(c->ctx, text);
  c->format = tour ? EDGEFW_SOLUTION_TOUR : EDGEFW_SOLUTION_ROUTES;
  if (tour || routes) return EDGEFW_OK;
  return edgefw_fail(c->ctx, EDGEFW_FORMAT,
                     "'%s' holds no solution: expected a TSPLIB file with a TOUR_SECTION, or lines "
                     "\"Route #k: ...\"",
                     c->request->solution);
}

/* --- The problem --- */

/* Can this problem read the instance? */
static edgefw_status try_problem(check *c, const edgefw__plugin *plugin) {
  const edgefw_problem *problem = &plugin->vtable.problem;
  edgefw_status status = edgefw__options_defaults(c->ctx, c->arena, plugin->options, &c->options);
  if (status == EDGEFW_OK) status = problem->file_nodes(c->ctx, c->options, &c->file, &c->nodes);
  if (status == EDGEFW_OK) c->problem = plugin;
  return status;
}

/* Find the problem called `name`, whose solutions must have the file's form. */
static edgefw_status find_problem(check *c, const char *name, const edgefw__plugin **out) {
  const edgefw_status status = edgefw__registry_find(c->registry, EDGEFW_KIND_PROBLEM, name, out);
  if (status != EDGEFW_OK || (*out)->vtable.problem.solution == c->format) return status;
  return edgefw_fail(c->ctx, EDGEFW_MISMATCH, "'%s' holds %s; a solution of the problem %s is %s",
                     c->request->solution, format_name(c->format), name,
                     format_name((*out)->vtable.problem.solution));
}

static edgefw_status named_problem(check *c, const char *name) {
  const edgefw__plugin *plugin = NULL;
  const edgefw_status status = find_problem(c, name, &plugin);
  if (status != EDGEFW_OK) return status;
  const edgefw_problem *problem = &plugin->vtable.problem;
  if (!problem->file_nodes)
    return edgefw_fail(c->ctx, EDGEFW_UNSUPPORTED, "%s: the problem %s reads no library files",
                       c->request->instance, name);
  return try_problem(c, plugin);
}

/* The first that takes it. Where none does, the last one's reason is as good as any other. */
static edgefw_status any_problem(check *c) {
  edgefw_status status = EDGEFW_OK;
  for (size_t p = 0; !c->problem && p < edgefw__registry_count(c->registry); ++p) {
    const edgefw__plugin *plugin = edgefw__registry_at(c->registry, p);
    if (plugin->kind != EDGEFW_KIND_PROBLEM || !plugin->vtable.problem.file_nodes ||
        plugin->vtable.problem.solution != c->format)
      continue;
    edgefw_clear(c->ctx);
    status = try_problem(c, plugin);
    if (status == EDGEFW_OUT_OF_MEMORY) return status;
  }
  if (c->problem || status != EDGEFW_OK) return status;
  return edgefw_fail(c->ctx, EDGEFW_UNSUPPORTED,
                     "'%s' holds %s, and no problem plugin here reads such solutions",
                     c->request->solution, format_name(c->format));
}

/* --- The instance --- */

static edgefw_status open_file(check *c) {
  const edgefw_status status =
      edgefw__tsplib_read(c->ctx, c->arena, c->request->instance, &c->file);
  if (status != EDGEFW_OK) return status;
  c->name = c->file.name;
  return c->request->problem ? named_problem(c, c->request->problem) : any_problem(c);
}

static edgefw_status refuse_number(const check *c, int64_t count) {
  return edgefw_fail(c->ctx, EDGEFW_CONFIG,
                     "%s has no instance %" PRId64 "; expected 0 to %" PRId64, c->request->instance,
                     c->request->number, count - 1);
}

/* A file of another program: its problem, if none is named, is the one that takes what it has. */
static edgefw_status open_instance_file(check *c) {
  edgefw__instance_file file;
  edgefw_status status = EDGEFW_OK;
  if (c->request->problem) status = find_problem(c, c->request->problem, &c->problem);
  if (status == EDGEFW_OK)
    status = edgefw__instance_file_read(c->ctx, c->arena, c->request->instance, c->request->reading,
                                        c->registry, &c->problem, &file);
  if (status == EDGEFW_OK) status = find_problem(c, c->problem->descriptor->name, &c->problem);
  if (status != EDGEFW_OK) return status;
  if (c->request->number >= file.count) return refuse_number(c, file.count);
  c->file = file.items[c->request->number];
  c->name = c->file.name;
  return try_problem(c, c->problem);
}

static edgefw_status open_dataset(check *c) {
  edgefw__dataset_summary summary;
  edgefw_status status = edgefw__dataset_info(c->ctx, c->request->instance, &summary);
  if (status != EDGEFW_OK) return status;
  if (c->request->number < 0 || c->request->number >= summary.count)
    return refuse_number(c, summary.count);
  const char *problem = c->request->problem ? c->request->problem : summary.problem;
  const char *stem = edgefw__path_stem(c->arena, c->request->instance);
  c->name = stem ? edgefw_arena_format(c->arena, "%s %" PRId64, stem, c->request->number) : NULL;
  c->nodes = summary.n;
  status = c->name ? find_problem(c, problem, &c->problem) : edgefw_failure(c->ctx);
  if (status == EDGEFW_OK)
    status = edgefw__options_defaults(c->ctx, c->arena, c->problem->options, &c->options);
  if (status != EDGEFW_OK) return status;
  return edgefw__dataset_open(c->ctx, c->request->instance, c->problem->descriptor->name,
                              c->problem->vtable.problem.fields, &c->dataset);
}

/* What the request says of forbidden arcs, or the problem's default. */
static edgefw_status read_rule(const check *c, edgefw__forbidden_rule *out) {
  const char *value = c->request->forbidden;
  if (!value) return edgefw__forbidden_rule_of(c->ctx, c->options, out);
  if (edgefw__forbidden_parse(value, out)) return EDGEFW_OK;
  return edgefw_fail(c->ctx, EDGEFW_CONFIG,
                     "--forbidden '%s': expected the cost of forbidden arcs, a number, or none",
                     value);
}

/* Fill the batch, which has room for one, as the problem sees the instance. */
static edgefw_status load(check *c, edgefw__batch *batch, edgefw_instance *out) {
  const edgefw_problem *problem = &c->problem->vtable.problem;
  batch->count = 1;
  edgefw_status status = EDGEFW_OK;
  if (c->dataset) status = edgefw__dataset_read(c->dataset, c->request->number, 1, batch);
  *out = edgefw__batch_instance(batch, 0);
  out->name = c->name;
  if (!c->dataset) status = edgefw__instance_file_load(c->ctx, problem, c->options, &c->file, out);
  edgefw__forbidden_rule rule;
  if (status == EDGEFW_OK) status = read_rule(c, &rule);
  double limit = 0.0;
  int64_t arcs = 0;
  if (status == EDGEFW_OK)
    status = edgefw__forbidden_accept(c->ctx, problem, c->options, &rule, out, &limit, &arcs);
  return edgefw_note(c->ctx, status, "while reading %s", c->request->instance);
}

/* --- The solution --- */

static edgefw_status read_solution(check *c, edgefw__checked_solution *out) {
  if (c->format == EDGEFW_SOLUTION_TOUR) {
    c->count = c->nodes;
    c->tour = edgefw_arena_take(c->arena, (size_t)c->count, sizeof *c->tour);
    if (!c->tour) return edgefw_failure(c->ctx);
    bool stated = false;
    return edgefw__tour_read_stated(c->ctx, c->request->solution, c->nodes, c->tour, &out->stated,
                                    &stated);
  }
  edgefw__vrp_solution solution;
  const edgefw_status status =
      edgefw__vrp_solution_read(c->ctx, c->arena, c->request->solution, c->nodes - 1, &solution);
  if (status != EDGEFW_OK) return status;
  c->tour = solution.tour;
  c->count = solution.count;
  out->routes = solution.routes;
  if (solution.has_cost) out->stated = solution.cost;
  return EDGEFW_OK;
}

/* A solution must not use a forbidden arc. */
static edgefw_status check_arcs(const check *c, const edgefw_instance *instance) {
  const edgefw_problem *problem = &c->problem->vtable.problem;
  const edgefw__forbidden_use use = edgefw__forbidden_used(problem, instance, c->tour, c->count);
  if (use.arcs == 0) return EDGEFW_OK;
  const int base = edgefw__problem_has_depot(problem) ? 0 : 1;
  return edgefw_fail(c->ctx, EDGEFW_CHECK_FAILED,
                     "'%s' uses %" PRId64 " forbidden arc%s, the first from node %d to node %d",
                     c->request->solution, use.arcs, use.arcs == 1 ? "" : "s", use.from + base,
                     use.to + base);
}

static edgefw_status compare(const check *c, const edgefw__checked_solution *checked) {
  char stated[32], cost[32];
  if (isnan(checked->stated) || edgefw__known_solution_prices_to(checked->cost, checked->stated))
    return EDGEFW_OK;
  return edgefw_fail(c->ctx, EDGEFW_CHECK_FAILED, "'%s' says that it costs %s; it costs %s",
                     c->request->solution,
                     edgefw__number_text(checked->stated, stated, sizeof stated),
                     edgefw__number_text(checked->cost, cost, sizeof cost));
}

/* --- The best known cost --- */

/* The optimum that the table has for the library file; one of another size is another instance's.
 */
static edgefw_status find_optimum(const check *c, edgefw__seen_solution *seen) {
  edgefw__reference_head head;
  int64_t n = 0;
  double cost = 0.0;
  bool found = false;
  const char *path = c->request->reference;
  const edgefw_status status =
      edgefw__reference_file_find(c->ctx, path, c->file.name, &cost, &n, &found);
  const int64_t size = c->nodes - edgefw__problem_nodes(&c->problem->vtable.problem, 0);
  if (status != EDGEFW_OK || !found) return status;
  if (n != c->nodes && n != size)
    return edgefw_fail(c->ctx, EDGEFW_MISMATCH,
                       "'%s' holds the cost of another instance: of %s with n = %" PRId64
                       ", while %s has %" PRId64,
                       path, c->file.name, n, c->request->instance, c->nodes);
  seen->reference = cost;
  const edgefw_status read = edgefw__reference_file_head(c->ctx, c->arena, path, &head);
  if (read == EDGEFW_OK) seen->reference_kind = head.kind;
  return read;
}

static bool is_same_file(const char *a, const char *b) {
  struct stat one, other;
  return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

/* That of the solutions beside the library file, unless the best one uses forbidden arcs, or is the
 * very one that is checked: nothing better is known then. */
static edgefw_status find_beside(const check *c, const edgefw_instance *instance,
                                 edgefw__seen_solution *seen) {
  const edgefw_problem *problem = &c->problem->vtable.problem;
  edgefw__known_solution known;
  const edgefw_status status = edgefw__known_solution_find(c->ctx, c->arena, problem, c->options,
                                                           instance, c->request->instance, &known);
  if (status == EDGEFW_OK && known.path && !is_same_file(known.path, c->request->solution) &&
      edgefw__forbidden_used(problem, instance, known.tour, known.count).arcs == 0) {
    seen->reference = known.cost;
    seen->reference_kind = EDGEFW__REFERENCE_BEST_KNOWN;
  }
  return status;
}

static edgefw_status find_stored(const check *c, edgefw__seen_solution *seen) {
  const edgefw__dataset_summary *summary = edgefw__dataset_describe(c->dataset);
  if (!summary->has_reference) return EDGEFW_OK;
  double *all = edgefw_allocate(c->ctx, (size_t)summary->count, sizeof *all, "reference costs");
  if (!all) return edgefw_failure(c->ctx);
  const edgefw_status status = edgefw__dataset_reference(c->dataset, all);
  if (status == EDGEFW_OK) seen->reference = all[c->request->number];
  seen->reference_kind = summary->reference_kind;
  edgefw_release(c->ctx, all);
  return status;
}

static edgefw_status find_reference(const check *c, edgefw__seen_solution *seen) {
  seen->reference = (double)NAN;
  if (c->dataset) return find_stored(c, seen);
  edgefw_status status = c->request->reference ? find_optimum(c, seen) : EDGEFW_OK;
  if (status == EDGEFW_OK && isnan(seen->reference)) status = find_beside(c, seen->instance, seen);
  return status;
}

/* --- The check --- */

/* Let the problem's checker price the solution, and hand it to who wants to see it. */
static edgefw_status examine(check *c, const edgefw_instance *instance,
                             edgefw__checked_solution *out) {
  const edgefw_problem *problem = &c->problem->vtable.problem;
  edgefw_status status =
      problem->check(c->ctx, c->options, instance, c->tour, c->count, &out->cost);
  status = edgefw_note(c->ctx, status, "solution %s", c->request->solution);
  if (status == EDGEFW_OK) status = check_arcs(c, instance);
  if (status == EDGEFW_OK) status = compare(c, out);
  if (status != EDGEFW_OK || !c->request->receiver) return status;
  edgefw__seen_solution seen = {.problem = problem,
                                .file = c->dataset ? NULL : &c->file,
                                .instance = instance,
                                .tour = c->tour,
                                .count = c->count};
  status = find_reference(c, &seen);
  return status == EDGEFW_OK ? c->request->receiver(c->request->receiver_user, out, &seen) : status;
}

static edgefw_status price(check *c, edgefw__checked_solution *out) {
  edgefw__batch *batch = NULL;
  edgefw_instance instance;
  edgefw_status status =
      edgefw__batch_create(c->ctx, c->problem->vtable.problem.fields, 1, c->nodes, &batch);
  if (status == EDGEFW_OK) status = load(c, batch, &instance);
  if (status == EDGEFW_OK) status = examine(c, &instance, out);
  edgefw__batch_destroy(c->ctx, batch);
  return status;
}

edgefw_status edgefw__check_solution(edgefw_context *ctx, edgefw_arena *arena,
                                     const edgefw__registry *registry,
                                     const edgefw__check_request *request,
                                     edgefw__checked_solution *out) {
  check c = {.ctx = ctx, .arena = arena, .registry = registry, .request = request};
  *out = (edgefw__checked_solution){.stated = (double)NAN};
  edgefw_status status = find_format(&c);
  if (status == EDGEFW_OK)
    status = edgefw__input_is_dataset(request->instance)   ? open_dataset(&c)
             : edgefw__instance_file_is(request->instance) ? open_instance_file(&c)
                                                           : open_file(&c);
  if (status == EDGEFW_OK) status = read_solution(&c, out);
  if (status == EDGEFW_OK) {
    out->name = c.name;
    out->problem = c.problem->descriptor->name;
    out->n = c.nodes;
    status = price(&c, out);
  }
  edgefw__dataset_close(c.dataset);
  return status;
}
