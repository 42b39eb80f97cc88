/* Instances out of other programs' files. */
#include "data/instance_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text_file.h"
#include "base/utf8.h"
#include "data/demands.h"
#include "edgefw/instance.h"
#include "files/library_text.h"
#include "files/matrix_text.h"
#include "files/numpy_table.h"
#include "plugin/problem_shape.h"

/* --- Which files --- */

typedef enum file_kind { KIND_OTHER, KIND_TEXT, KIND_NUMPY, KIND_JSON } file_kind;

/* A library file, packed or not, says DIMENSION at the head of a line. */
static bool is_library(const char *path) {
  char head[1 << 15];
  if (edgefw__library_text_head(path, head, sizeof head) == 0) return false;
  for (const char *line = head; *line;) {
    line += strspn(line, " \t\r\n");
    if (strncasecmp(line, "DIMENSION", 9) == 0) return true;
    line += strcspn(line, "\r\n");
  }
  return false;
}

static file_kind kind_by_content(const char *path) {
  char head[64] = "";
  FILE *stream = edgefw__not_a_file(path) ? NULL : fopen(path, "rb");
  if (!stream) return KIND_OTHER;
  const size_t got = fread(head, 1, sizeof head - 1, stream);
  (void)fclose(stream);
  head[got] = '\0';
  if (got > 6 && memcmp(head, "\x93NUMPY", 6) == 0) return KIND_NUMPY;
  const char first = head[strspn(head, " \t\r\n")];
  return first == '{' || first == '[' ? KIND_JSON : KIND_OTHER;
}

static file_kind kind_of(const char *path) {
  static const struct {
    const char *ending;
    file_kind kind;
  } endings[] = {{".csv", KIND_TEXT},  {".tsv", KIND_TEXT},   {".npy", KIND_NUMPY},
                 {".npz", KIND_NUMPY}, {".json", KIND_JSON},  {".txt", KIND_TEXT},
                 {".tsp", KIND_OTHER}, {".atsp", KIND_OTHER}, {".vrp", KIND_OTHER}};
  for (size_t e = 0; e < sizeof endings / sizeof *endings; ++e)
    if (edgefw__library_has_extension(path, endings[e].ending))
      return strcmp(endings[e].ending, ".txt") == 0 && is_library(path) ? KIND_OTHER
                                                                        : endings[e].kind;
  return kind_by_content(path);
}

bool edgefw__instance_file_is(const char *path) {
  return kind_of(path) != KIND_OTHER;
}

/* --- What the steps share --- */

typedef struct reading {
  edgefw_context *ctx;
  edgefw_arena *arena;
  const edgefw__instance_options *options;
  edgefw__stop_table table;
  double *distances; /* (n,n) between places, one instance's at a time */
  edgefw__instance_file *out;
} reading;

static edgefw_status read_table(reading *r, const char *path) {
  const file_kind kind = kind_of(path);
  if (r->options->choice != EDGEFW__TABLE_ANY && kind != KIND_JSON)
    return edgefw_fail(r->ctx, EDGEFW_CONFIG, "--use is for JSON; %s holds one table", path);
  switch (kind) {
  case KIND_NUMPY: return edgefw__numpy_table_read(r->ctx, r->arena, path, &r->table);
  case KIND_JSON:
    return edgefw__service_json_read(r->ctx, r->arena, path, r->options->choice, &r->table);
  case KIND_TEXT:
  case KIND_OTHER: break;
  }
  return edgefw__matrix_text_read(r->ctx, r->arena, path, &r->table);
}

/* --- What the user says beside the file --- */

static edgefw_status choose_depot(reading *r) {
  const edgefw__stop_table *table = &r->table;
  int64_t *depot = &r->out->stops.depot;
  char expected[48] = "a name, as all are numbers";
  *depot = table->depot >= 0 ? table->depot : 0;
  if (!r->options->depot) return EDGEFW_OK;
  *depot = edgefw__stop_table_find(table, r->options->depot);
  if (edgefw__stop_table_takes_numbers(table))
    snprintf(expected, sizeof expected, "%s1 to %" PRId64, table->names ? "a name, or " : "",
             table->n);
  if (*depot < 0)
    return edgefw_fail(r->ctx, EDGEFW_CONFIG, "--depot %.60s: %s has no such stop; expected %s",
                       r->options->depot, table->path, expected);
  if (table->depot < 0 || *depot == table->depot) return EDGEFW_OK;
  return edgefw_fail(r->ctx, EDGEFW_CONFIG, "--depot %.60s: %s says itself where routes begin",
                     r->options->depot, table->path);
}

/* The same number for every instance of the file. */
static double *fill(reading *r, double value) {
  double *numbers = edgefw_arena_take(r->arena, (size_t)r->table.count, sizeof *numbers);
  for (int64_t k = 0; numbers && k < r->table.count; ++k) numbers[k] = value;
  return numbers;
}

static edgefw_status take_options(reading *r) {
  edgefw__stop_table *table = &r->table;
  edgefw_status status = choose_depot(r);
  if (status != EDGEFW_OK) return status;
  if (r->options->demands) {
    table->demand =
        edgefw_arena_take(r->arena, (size_t)(table->count * table->n), sizeof *table->demand);
    if (!table->demand) return edgefw_failure(r->ctx);
    status = edgefw__demands_read(r->ctx, r->options->demands, table, r->out->stops.depot,
                                  table->demand);
    for (int64_t k = table->n; status == EDGEFW_OK && k < table->count * table->n; ++k)
      table->demand[k] = table->demand[k - table->n];
  }
  if (r->options->capacity > 0.0 && !(table->capacity = fill(r, r->options->capacity)))
    return edgefw_failure(r->ctx);
  const int64_t costs = table->cost ? table->count * table->n * table->n : 0;
  for (int64_t e = 0; r->options->unit.scale > 0.0 && e < costs; ++e)
    table->cost[e] = edgefw__unit_value(&r->options->unit, table->cost[e]);
  return status;
}

/* --- The problem --- */

/* Does the problem take what the file has? */
static bool takes(const edgefw__plugin *plugin, const edgefw__stop_table *table) {
  if (plugin->kind != EDGEFW_KIND_PROBLEM || !plugin->vtable.problem.file_nodes) return false;
  const edgefw_problem *problem = &plugin->vtable.problem;
  return edgefw__problem_has_depot(problem) == (table->demand != NULL) &&
         (problem->coordinates != NULL) == (table->points != NULL);
}

static edgefw_status find_problem(const reading *r, const edgefw__registry *registry,
                                  const edgefw__plugin **out) {
  for (size_t p = 0; !*out && p < edgefw__registry_count(registry); ++p)
    if (takes(edgefw__registry_at(registry, p), &r->table)) *out = edgefw__registry_at(registry, p);
  if (*out) return EDGEFW_OK;
  return edgefw_fail(
      r->ctx, EDGEFW_UNSUPPORTED,
      "%s: no problem plugin here takes a %s with%s demands; name one with --problem",
      r->table.path, r->table.form, r->table.demand ? "" : "out");
}

static edgefw_status lacks(const reading *r, const edgefw__plugin *plugin, const char *what,
                           const char *advice) {
  return edgefw_fail(r->ctx, EDGEFW_UNSUPPORTED, "%s: a %s without %s; the problem %s needs %s: %s",
                     r->table.path, r->table.form, what, plugin->descriptor->name, what, advice);
}

/* Nothing that the problem needs is missing, and nothing that was said is left out. */
static edgefw_status check_fit(const reading *r, const edgefw__plugin *plugin) {
  const edgefw_problem *problem = &plugin->vtable.problem;
  const edgefw__stop_table *table = &r->table;
  const char *name = plugin->descriptor->name;
  if (!problem->file_nodes)
    return edgefw_fail(r->ctx, EDGEFW_UNSUPPORTED, "%s: the problem %s reads no files", table->path,
                       name);
  if (problem->coordinates && !table->points)
    return lacks(r, plugin, "coordinates", "take a problem of cost matrices");
  if (edgefw__problem_has_depot(problem)) {
    if (!table->demand) return lacks(r, plugin, "demands", "give them with --demands");
    if (!table->capacity) return lacks(r, plugin, "a capacity", "give it with --capacity");
    return EDGEFW_OK;
  }
  const char *idle = r->options->demands          ? "--demands"
                     : r->options->capacity > 0.0 ? "--capacity"
                                                  : NULL;
  if (idle)
    return edgefw_fail(r->ctx, EDGEFW_CONFIG, "%s: the problem %s has no demands and no capacity",
                       idle, name);
  if (!table->demand || r->options->problem_told) return EDGEFW_OK;
  return edgefw_fail(r->ctx, EDGEFW_UNSUPPORTED,
                     "%s: it has demands, which the problem %s would leave out; if that is meant, "
                     "say --problem %s",
                     table->path, name, name);
}

/* --- The instances --- */

/* The weights of places are their distances as they are. The address of this type tells items of
 * places from those of library files. */
static const char places_type[] = "EXACT_2D";

/* The k-th table of the file as problems read files. */
static void make_item(reading *r, const char *name, int64_t k) {
  const edgefw__stop_table *table = &r->table;
  const int64_t n = table->n;
  edgefw_tsplib *item = &r->out->items[k];
  *item = (edgefw_tsplib){.path = table->path,
                          .name = name,
                          .type = "",
                          .edge_weight_type = table->cost ? "EXPLICIT" : places_type,
                          .dimension = n,
                          .depot = r->out->stops.depot};
  if (table->demand) item->demand = table->demand + k * n;
  item->has_capacity = table->capacity != NULL;
  if (table->capacity) item->capacity = table->capacity[k];
  if (table->cost) item->weights = table->cost + k * n * n;
  if (!table->points) return;
  item->coordinates = table->points + 2 * k * n;
  item->weights = r->distances;
}

static edgefw_status make_items(reading *r) {
  const edgefw__stop_table *table = &r->table;
  r->out->form = table->form;
  r->out->count = table->count;
  r->out->n = table->n;
  r->out->places = table->points != NULL;
  r->out->stops.names = table->names;
  r->out->stops.n = table->n;
  r->out->items = edgefw_arena_take(r->arena, (size_t)table->count, sizeof *r->out->items);
  char *name = edgefw__library_stem(r->arena, table->path);
  bool complete = r->out->items && name;
  if (table->points) {
    r->distances = edgefw_arena_take(r->arena, (size_t)(table->n * table->n), sizeof(double));
    complete &= r->distances != NULL;
  }
  if (!complete) return edgefw_failure(r->ctx);
  if (table->points) edgefw_point_distances(table->points, table->n, r->distances);
  edgefw__utf8_clean(name, "");
  for (int64_t k = 0; k < table->count; ++k) make_item(r, name, k);
  return EDGEFW_OK;
}

edgefw_status edgefw__instance_file_read(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                                         const edgefw__instance_options *options,
                                         const edgefw__registry *registry,
                                         const edgefw__plugin **problem,
                                         edgefw__instance_file *out) {
  static const edgefw__instance_options none;
  *out = (edgefw__instance_file){.form = ""};
  reading r = {.ctx = ctx, .arena = arena, .options = options ? options : &none, .out = out};
  edgefw_status status = read_table(&r, path);
  if (status == EDGEFW_OK) status = take_options(&r);
  if (status == EDGEFW_OK && !*problem) status = find_problem(&r, registry, problem);
  if (status == EDGEFW_OK) status = check_fit(&r, *problem);
  return status == EDGEFW_OK ? make_items(&r) : status;
}

edgefw_status edgefw__instance_file_load(edgefw_context *ctx, const edgefw_problem *problem,
                                         const edgefw_options *options, const edgefw_tsplib *item,
                                         edgefw_instance *out) {
  if (item->edge_weight_type == places_type)
    edgefw_point_distances(item->coordinates, item->dimension, item->weights);
  return problem->read(ctx, options, item, out);
}

/* --- Stops of answers --- */

int64_t edgefw__stops_of_node(const edgefw__stops *stops, const edgefw_problem *problem,
                              int64_t node) {
  if (!edgefw__problem_has_depot(problem)) return node;
  const edgefw_tsplib file = {.depot = stops->depot};
  return edgefw_tsplib_node(&file, node);
}
