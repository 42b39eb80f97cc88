/* From JSON to instances and settings. */
#include "serve/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/utf8.h"
#include "edgefw/instance.h"
#include "files/json_file.h"
#include "serve/table.h"

/* One request while it is read. */
typedef struct reading {
  edgefw_context *ctx;
  edgefw_arena *arena;
  edgefw__json_place place; /* of the whole line */
  edgefw__request *out;
  int64_t n;           /* nodes, by what was read first; 0: not known yet */
  edgefw__table table; /* the matrix, where it was read before the rest */
} reading;

/* --- Kinds of members --- */

typedef edgefw_status (*member_reader)(reading *r, const edgefw__json_place *place,
                                       const json_t *value, void *to);

static edgefw_status read_whole(reading *r, const edgefw__json_place *place, const json_t *value,
                                void *to) {
  (void)r;
  if (!json_is_integer(value)) return edgefw__json_refuse(place, value, "a whole number");
  *(int64_t *)to = (int64_t)json_integer_value(value);
  return EDGEFW_OK;
}

static edgefw_status read_seed(reading *r, const edgefw__json_place *place, const json_t *value,
                               void *to) {
  int64_t seed = 0;
  const edgefw_status status = edgefw__json_index(place, value, INT64_MAX, &seed);
  (void)r;
  *(uint64_t *)to = (uint64_t)seed;
  return status;
}

static edgefw_status read_amount(reading *r, const edgefw__json_place *place, const json_t *value,
                                 void *to) {
  (void)r;
  return edgefw__json_amount(place, value, to);
}

static edgefw_status read_flag(reading *r, const edgefw__json_place *place, const json_t *value,
                               void *to) {
  (void)r;
  if (!json_is_boolean(value)) return edgefw__json_refuse(place, value, "true or false");
  *(bool *)to = json_is_true(value);
  return EDGEFW_OK;
}

/* "improve" is said the other way round than the setting. */
static edgefw_status read_improve(reading *r, const edgefw__json_place *place, const json_t *value,
                                  void *to) {
  bool improve = true;
  const edgefw_status status = read_flag(r, place, value, &improve);
  *(bool *)to = !improve;
  return status;
}

static edgefw_status read_makers(reading *r, const edgefw__json_place *place, const json_t *value,
                                 void *to) {
  static const char *const names[] = {"all", "model", "heuristics"};
  const char *text = json_string_value(value);
  (void)r;
  for (int i = 0; text && i < 3; ++i)
    if (strcmp(text, names[i]) == 0) {
      *(edgefw_makers *)to = (edgefw_makers)i;
      return EDGEFW_OK;
    }
  return edgefw__json_refuse(place, value, "\"all\", \"model\" or \"heuristics\"");
}

static edgefw_status read_name(reading *r, const edgefw__json_place *place, const json_t *value,
                               void *to) {
  if (!json_is_string(value)) return edgefw__json_refuse(place, value, "the name of a problem");
  const char *copy = edgefw_arena_text(r->arena, json_string_value(value));
  *(const char **)to = copy;
  return copy ? EDGEFW_OK : edgefw_failure(r->ctx);
}

static edgefw_status read_id(reading *r, const edgefw__json_place *place, const json_t *value,
                             void *to) {
  char expected[80];
  (void)r;
  (void)to; /* it was taken before everything else */
  if (json_is_string(value) || json_is_integer(value) || json_is_null(value))
    if (json_dumpb(value, NULL, 0, JSON_ENCODE_ANY | JSON_COMPACT) <= EDGEFW__REQUEST_ID)
      return EDGEFW_OK;
  snprintf(expected, sizeof expected, "a text or a whole number of at most %d bytes",
           EDGEFW__REQUEST_ID);
  return edgefw__json_refuse(place, value, expected);
}

/* --- Instances --- */

/* All parts are of the same number of nodes. */
static edgefw_status agree(reading *r, const edgefw__json_place *place, const json_t *value,
                           int64_t n) {
  char expected[80];
  if (r->n == 0) r->n = n;
  if (r->n == n) return EDGEFW_OK;
  snprintf(expected, sizeof expected, "an array of %" PRId64 ", as there are nodes", r->n);
  return edgefw__json_refuse(place, value, expected);
}

static edgefw_status read_matrix(reading *r, const edgefw__json_place *place, const json_t *value,
                                 void *to) {
  int64_t n = r->table.n;
  double *costs = r->table.cost;
  edgefw_status status = EDGEFW_OK;
  if (!costs) status = edgefw__json_square(place, r->arena, value, &n, &costs);
  if (status != EDGEFW_OK) return status;
  *(const void **)to = costs;
  return agree(r, place, value, n);
}

/* An array of numbers, or an array of pairs of them. */
static edgefw_status read_numbers(reading *r, const edgefw__json_place *place, const json_t *value,
                                  int64_t each, const double **out) {
  char expected[64];
  const int64_t n = json_is_array(value) ? (int64_t)json_array_size(value) : 0;
  snprintf(expected, sizeof expected, "an array of 2 to %d", EDGEFW_MAX_NODES);
  if (n < 2 || n > EDGEFW_MAX_NODES) return edgefw__json_refuse(place, value, expected);
  const edgefw_status status = agree(r, place, value, n);
  if (status != EDGEFW_OK) return status;
  double *numbers = edgefw_arena_take(r->arena, (size_t)(n * each), sizeof *numbers);
  if (!numbers) return edgefw_failure(r->ctx);
  for (int64_t i = 0; i < n * each; ++i) {
    const json_t *item = json_array_get(value, (size_t)(i / each));
    const edgefw__json_place inner = edgefw__json_item(place, (size_t)(i / each));
    if (each == 2 && (!json_is_array(item) || json_array_size(item) != 2))
      return edgefw__json_refuse(&inner, item, "two numbers, [x, y]");
    const json_t *number = each == 2 ? json_array_get(item, (size_t)(i % 2)) : item;
    if (!json_is_number(number)) return edgefw__json_refuse(&inner, number, "a number");
    numbers[i] = json_number_value(number);
  }
  *out = numbers;
  return EDGEFW_OK;
}

static edgefw_status read_points(reading *r, const edgefw__json_place *place, const json_t *value,
                                 void *to) {
  const double *points = NULL;
  const edgefw_status status = read_numbers(r, place, value, 2, &points);
  *(const void **)to = points;
  return status;
}

static edgefw_status read_demands(reading *r, const edgefw__json_place *place, const json_t *value,
                                  void *to) {
  return read_numbers(r, place, value, 1, to);
}

static edgefw_status read_capacity(reading *r, const edgefw__json_place *place, const json_t *value,
                                   void *to) {
  double *capacity = edgefw_arena_take(r->arena, 1, sizeof *capacity);
  if (!capacity) return edgefw_failure(r->ctx);
  *(const double **)to = capacity;
  return edgefw__json_amount(place, value, capacity);
}

/* --- Members --- */

typedef struct member {
  const char *name;
  member_reader read;
  size_t offset; /* of what is read in edgefw__request */
} member;

#define OF(what)       offsetof(edgefw__request, what)
#define INSTANCE(what) (OF(instances) + offsetof(edgefw_instances, what))
#define SETTING(what)  (OF(settings) + offsetof(edgefw_solve_settings, what))

static const member members[] = {{"id", read_id, 0},
                                 {"problem", read_name, OF(problem)},
                                 {"matrix", read_matrix, INSTANCE(costs)},
                                 {"points", read_points, INSTANCE(points)},
                                 {"demands", read_demands, INSTANCE(demands)},
                                 {"capacity", read_capacity, INSTANCE(capacities)},
                                 {"depot", read_whole, INSTANCE(depot)},
                                 {"seed", read_seed, SETTING(seed)},
                                 {"time_limit", read_amount, SETTING(time_limit)},
                                 {"makers", read_makers, SETTING(makers)},
                                 {"improve", read_improve, SETTING(unimproved)},
                                 {"starts", read_whole, SETTING(starts)},
                                 {"samples", read_whole, SETTING(samples)},
                                 {"augment", read_whole, SETTING(augment)},
                                 {"beam", read_whole, SETTING(beam)},
                                 {"reconstruct", read_whole, SETTING(reconstruct)},
                                 {"kicks", read_whole, SETTING(kicks)},
                                 {"bound", read_flag, SETTING(bound)}};
enum { MEMBERS = sizeof members / sizeof *members };

static edgefw_status read_member(reading *r, const char *name, const json_t *value) {
  edgefw__nearest nearest = {.name = name};
  char hint[64], shown[64];
  for (int m = 0; m < MEMBERS; ++m) {
    if (strcmp(members[m].name, name) == 0) {
      const edgefw__json_place place = edgefw__json_member(&r->place, name);
      return members[m].read(r, &place, value, (char *)r->out + members[m].offset);
    }
    edgefw__nearest_try(&nearest, members[m].name);
  }
  snprintf(shown, sizeof shown, "%.60s", name);
  edgefw__utf8_clean(shown, "");
  return edgefw_fail(r->ctx, EDGEFW_FORMAT, "'%s': unknown member '%s'%s", r->place.path, shown,
                     edgefw__nearest_hint(&nearest, hint, sizeof hint));
}

/* --- The line --- */

/* The id is known first, so that whatever is wrong with the rest is told with it. */
static void keep_id(const json_t *value, edgefw__request *out) {
  if (!json_is_string(value) && !json_is_integer(value)) return;
  const size_t length =
      json_dumpb(value, out->id, EDGEFW__REQUEST_ID, JSON_ENCODE_ANY | JSON_COMPACT);
  if (length == 0 || length > EDGEFW__REQUEST_ID)
    snprintf(out->id, sizeof out->id, "null");
  else
    out->id[length] = '\0';
}

static edgefw_status read_object(reading *r, json_t *object) {
  const char *name = NULL;
  json_t *value = NULL;
  edgefw_status status = EDGEFW_OK;
  if (!json_is_object(object)) return edgefw__json_refuse(&r->place, object, "an object");
  keep_id(json_object_get(object, "id"), r->out);
  json_object_foreach(object, name, value) {
    status = read_member(r, name, value);
    if (status != EDGEFW_OK) return status;
  }
  if (r->out->instances.costs || r->out->instances.points) return EDGEFW_OK;
  return edgefw_fail(r->ctx, EDGEFW_FORMAT, "'%s': it has neither a matrix nor points",
                     r->place.path);
}

/* The line with null in place of what was read apart; NULL without memory. */
static char *without_table(const reading *r, const char *text, size_t length, size_t *out) {
  static const char none[] = "null";
  const size_t before = (size_t)(r->table.begin - text), named = sizeof none - 1;
  const size_t behind = length - (size_t)(r->table.end - text);
  char *rest = edgefw_arena_take(r->arena, before + named + behind + 1, 1);
  if (!rest) return NULL;
  memcpy(rest, text, before);
  memcpy(rest + before, none, named);
  memcpy(rest + before + named, r->table.end, behind);
  *out = before + named + behind;
  return rest;
}

/* The JSON of the line. Its matrix, if it is a plain one, is read apart. What is wrong with the
 * rest is looked for in the line as it came. */
static json_t *load(reading *r, const char *text, size_t length, json_error_t *error) {
  size_t left = 0;
  if (edgefw__table_read(r->arena, text, length, "matrix", &r->table)) {
    const char *rest = without_table(r, text, length, &left);
    json_t *object = rest ? json_loadb(rest, left, JSON_REJECT_DUPLICATES, error) : NULL;
    if (object) return object;
  }
  r->table = (edgefw__table){.cost = NULL};
  edgefw_clear(r->ctx); /* no memory for a part is no failure yet */
  return json_loadb(text, length, JSON_REJECT_DUPLICATES, error);
}

edgefw_status edgefw__request_read(edgefw_context *ctx, edgefw_arena *arena, const char *text,
                                   size_t length, int64_t number, edgefw__request *out) {
  char path[40];
  json_error_t error;
  reading r = {.ctx = ctx, .arena = arena, .out = out};
  snprintf(path, sizeof path, "line %" PRId64, number);
  snprintf(out->id, sizeof out->id, "null");
  r.place = (edgefw__json_place){.ctx = ctx, .path = path, .where = "the request"};
  json_t *object = load(&r, text, length, &error);
  if (!object && json_error_code(&error) == json_error_out_of_memory)
    return edgefw_fail(ctx, EDGEFW_OUT_OF_MEMORY, "out of memory: the values of line %" PRId64,
                       number);
  if (!object) {
    edgefw__utf8_clean(error.text, ""); /* it repeats what the line has there */
    return edgefw_fail(ctx, EDGEFW_FORMAT, "'%s', byte %d: %s; expected JSON", path, error.position,
                       error.text);
  }
  if (json_is_object(object)) r.place.where[0] = '\0'; /* members have their own places */
  edgefw_status status = read_object(&r, object);
  json_decref(object);
  out->instances.count = 1;
  out->instances.nodes = r.n;
  return status;
}
