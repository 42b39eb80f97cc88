/* Tables of routing services. */
#include "files/service_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "edgefw/instance.h"
#include "files/json_file.h"
#include "files/vroom.h"

/* --- The stops of a table --- */

/* Two entries of sources and destinations are the same place, as far as they say. */
static bool same_place(const json_t *a, const json_t *b) {
  static const char *const keys[] = {"location", "lat", "lon"};
  if (json_is_array(a)) a = json_array_get(a, 0); /* Valhalla's older form */
  if (json_is_array(b)) b = json_array_get(b, 0);
  for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) {
    const json_t *one = json_object_get(a, keys[k]), *other = json_object_get(b, keys[k]);
    if (one && other && !json_equal(one, other)) return false;
  }
  return true;
}

/* A table is of n stops to the same n stops. */
static edgefw_status check_stops(const edgefw__json_place *place, const json_t *root,
                                 const char *targets, int64_t n) {
  const json_t *from = json_object_get(root, "sources"), *to = json_object_get(root, targets);
  const char *const keys[] = {"sources", targets};
  for (int k = 0; k < 2; ++k) {
    const json_t *list = k ? to : from;
    if (!json_is_array(list) || (int64_t)json_array_size(list) == n) continue;
    char expected[48];
    const edgefw__json_place inner = edgefw__json_member(place, keys[k]);
    snprintf(expected, sizeof expected, "as many as the table has rows, %d", (int)n);
    return edgefw__json_refuse(&inner, list, expected);
  }
  for (size_t i = 0; json_is_array(from) && json_is_array(to) && (int64_t)i < n; ++i)
    if (!same_place(json_array_get(from, i), json_array_get(to, i)))
      return edgefw_fail(place->ctx, EDGEFW_MISMATCH,
                         "'%s': sources[%zu] and %s[%zu] are different places; ask for a table of "
                         "all stops to all of them, in one order",
                         place->path, i, targets, i);
  return EDGEFW_OK;
}

/* Take over the names of sources, if all have one and all are different: OSRM's are those of the
 * streets nearby, which two stops may share. */
static edgefw_status take_names(const edgefw__json_place *place, edgefw_arena *arena,
                                const json_t *root, edgefw__stop_table *out) {
  const json_t *list = json_object_get(root, "sources");
  const char **names = edgefw_arena_take(arena, (size_t)out->n, sizeof *names);
  if (!names) return edgefw_failure(place->ctx);
  for (int64_t i = 0; i < out->n; ++i) {
    const json_t *name = json_object_get(json_array_get(list, (size_t)i), "name");
    if (!json_is_string(name) || json_string_length(name) == 0) return EDGEFW_OK;
    char *copy = edgefw_arena_text(arena, json_string_value(name));
    if (!copy) return edgefw_failure(place->ctx);
    edgefw__utf8_clean(copy, "");
    names[i] = copy;
  }
  out->names = names;
  const edgefw_status status = edgefw__stop_table_check_names(place->ctx, out, "sources");
  if (status != EDGEFW_FORMAT) return status;
  edgefw_clear(place->ctx);
  out->names = NULL;
  return EDGEFW_OK;
}

/* --- OSRM and OpenRouteService --- */

static edgefw_status read_table(const edgefw__json_place *place, edgefw_arena *arena,
                                const json_t *root, edgefw__table_choice choice,
                                edgefw__stop_table *out) {
  const json_t *durations = json_object_get(root, "durations");
  const bool time = choice == EDGEFW__TABLE_DURATIONS ||
                    (choice == EDGEFW__TABLE_ANY && durations && !json_is_null(durations));
  const char *key = time ? "durations" : "distances";
  const edgefw__json_place inner = edgefw__json_member(place, key);
  return edgefw__json_square(&inner, arena, json_object_get(root, key), &out->n, &out->cost);
}

/* --- Valhalla --- */

/* One row of objects with time and distance. */
static edgefw_status read_pairs(const edgefw__json_place *place, const json_t *row, const char *key,
                                int64_t n, double *out) {
  for (int64_t j = 0; j < n; ++j) {
    const edgefw__json_place item = edgefw__json_item(place, (size_t)j);
    const json_t *pair = json_array_get(row, (size_t)j);
    const json_t *value = json_object_get(pair, key), *to = json_object_get(pair, "to_index");
    const edgefw__json_place inner = edgefw__json_member(&item, key);
    if (!json_is_object(pair)) return edgefw__json_refuse(&item, pair, "an object");
    if (to && !(json_is_integer(to) && json_integer_value(to) == j)) {
      const edgefw__json_place index = edgefw__json_member(&item, "to_index");
      return edgefw__json_refuse(&index, to, "the number of the column");
    }
    if (!json_is_number(value) && !json_is_null(value))
      return edgefw__json_refuse(&inner, value, "a number or null");
    out[j] = json_is_null(value) ? (double)INFINITY : json_number_value(value);
  }
  return EDGEFW_OK;
}

static edgefw_status read_valhalla(const edgefw__json_place *place, edgefw_arena *arena,
                                   const json_t *root, edgefw__table_choice choice,
                                   edgefw__stop_table *out) {
  const json_t *table = json_object_get(root, "sources_to_targets");
  const edgefw__json_place inner = edgefw__json_member(place, "sources_to_targets");
  out->form = "Valhalla matrix";
  if (json_is_object(table)) return read_table(&inner, arena, table, choice, out);
  const size_t rows = json_array_size(table);
  if (rows < 2 || rows > EDGEFW_MAX_NODES)
    return edgefw__json_refuse(&inner, table, "an array of at least 2 rows");
  for (size_t i = 0; i < rows; ++i) {
    const edgefw__json_place item = edgefw__json_item(&inner, i);
    if (json_array_size(json_array_get(table, i)) != rows)
      return edgefw__json_refuse(&item, json_array_get(table, i), "as many as there are rows");
  }
  out->n = (int64_t)rows;
  out->cost = edgefw_arena_take(arena, rows * rows, sizeof *out->cost);
  edgefw_status status = out->cost ? EDGEFW_OK : edgefw_failure(place->ctx);
  const char *key = choice == EDGEFW__TABLE_DISTANCES ? "distance" : "time";
  for (size_t i = 0; status == EDGEFW_OK && i < rows; ++i) {
    const edgefw__json_place item = edgefw__json_item(&inner, i);
    status = read_pairs(&item, json_array_get(table, i), key, out->n, out->cost + i * rows);
  }
  return status;
}

/* --- Which form it is --- */

/* A service that has refused its task answers with the reason. */
static edgefw_status check_answer(const edgefw__json_place *place, const json_t *root) {
  const json_t *code = json_object_get(root, "code"), *error = json_object_get(root, "error");
  const json_t *message = json_object_get(root, "message");
  if (json_is_object(error)) message = json_object_get(error, "message");
  if (json_is_string(error)) message = error;
  const bool refused = json_is_string(code) && strcmp(json_string_value(code), "Ok") != 0;
  if (!refused && !error) return EDGEFW_OK;
  char text[256];
  snprintf(text, sizeof text, "%.60s%s%.160s", refused ? json_string_value(code) : "",
           refused && json_is_string(message) ? ": " : "",
           json_is_string(message) ? json_string_value(message) : "");
  edgefw__utf8_clean(text, "");
  return edgefw_fail(place->ctx, EDGEFW_FORMAT,
                     "'%s' is a refusal of the service (%s); expected its table", place->path,
                     text);
}

static edgefw_status read_root(const edgefw__json_place *place, edgefw_arena *arena, json_t *root,
                               edgefw__table_choice choice, edgefw__stop_table *out) {
  const char *targets = json_object_get(root, "targets") ? "targets" : "destinations";
  if (json_is_array(root)) {
    out->form = "JSON table";
    if (choice != EDGEFW__TABLE_ANY)
      return edgefw__json_refuse(place, root, "an object with durations or distances");
    return edgefw__json_square(place, arena, root, &out->n, &out->cost);
  }
  if (json_object_get(root, "vehicles") || json_object_get(root, "jobs"))
    return edgefw__vroom_read(place, arena, root, choice, out);
  edgefw_status status = check_answer(place, root);
  if (status != EDGEFW_OK) return status;
  if (json_object_get(root, "sources_to_targets")) {
    status = read_valhalla(place, arena, root, choice, out);
  } else if (json_object_get(root, "durations") || json_object_get(root, "distances")) {
    out->form = "table of durations or distances";
    status = read_table(place, arena, root, choice, out);
  } else {
    return edgefw__json_refuse(place, root,
                               "durations or distances (OSRM, OpenRouteService), "
                               "sources_to_targets (Valhalla), jobs and vehicles (VROOM), or an "
                               "array of arrays");
  }
  if (status == EDGEFW_OK) status = check_stops(place, root, targets, out->n);
  return status == EDGEFW_OK ? take_names(place, arena, root, out) : status;
}

edgefw_status edgefw__service_json_read(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                                        edgefw__table_choice choice, edgefw__stop_table *out) {
  const edgefw__json_place place = {.ctx = ctx, .path = path};
  *out = (edgefw__stop_table){.path = path, .count = 1, .depot = -1};
  json_t *root = NULL;
  edgefw_status status = edgefw__json_file_read(ctx, path, &root);
  if (status == EDGEFW_OK) status = read_root(&place, arena, root, choice, out);
  if (status == EDGEFW_OK) status = edgefw__stop_table_check_costs(ctx, out);
  json_decref(root);
  return status;
}
