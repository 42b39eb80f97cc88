/* Reading VROOM's problems. */
#include "files/vroom.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "edgefw/instance.h"

/* What the steps share. */
typedef struct reader {
  const edgefw__json_place *place; /* of the problem */
  edgefw_arena *arena;
  json_t *jobs, *vehicles;
  bool loaded;            /* have vehicles a capacity? */
  bool delivered, picked; /* has some job an amount to bring, to fetch? */
  int64_t locations;
  double *matrix; /* (locations,locations) */
  int64_t *index; /* (n) location of each stop */
  edgefw__stop_table *out;
} reader;

/* --- Members that are refused or passed over --- */

/* A member says nothing: it is null, false, 0, or empty. */
static bool is_idle(const json_t *value) {
  return !value || json_is_null(value) || json_is_false(value) ||
         (json_is_number(value) && !(json_number_value(value) != 0.0)) ||
         (json_is_array(value) && json_array_size(value) == 0) ||
         (json_is_object(value) && json_object_size(value) == 0);
}

static bool is_one_of(const char *name, const char *const *names) {
  for (; *names; ++names)
    if (strcmp(name, *names) == 0) return true;
  return false;
}

static edgefw_status unsupported(const edgefw__json_place *place, const char *why) {
  return edgefw_fail(place->ctx, EDGEFW_UNSUPPORTED,
                     "'%s': %s makes another problem of the file: %s", place->path, place->where,
                     why);
}

/* Every member of an object is one that is read, one without effect, or one that says nothing. */
static edgefw_status check_members(const edgefw__json_place *place, json_t *object,
                                   const char *const *known) {
  const char *name = NULL;
  json_t *value = NULL;
  json_object_foreach(object, name, value) {
    if (is_one_of(name, known) || is_idle(value)) continue;
    const edgefw__json_place inner = edgefw__json_member(place, name);
    return unsupported(&inner, "expected jobs with a place and an amount, and equal vehicles with "
                               "a place and a capacity");
  }
  return EDGEFW_OK;
}

/* The one number of an array of amounts. */
static edgefw_status read_amount(const edgefw__json_place *place, const json_t *value,
                                 double *out) {
  if (!json_is_array(value)) return edgefw__json_refuse(place, value, "an array of one number");
  for (size_t k = 1; k < json_array_size(value); ++k)
    if (!is_idle(json_array_get(value, k))) {
      const edgefw__json_place inner = edgefw__json_item(place, k);
      return unsupported(&inner, "expected amounts of one kind");
    }
  const edgefw__json_place inner = edgefw__json_item(place, 0);
  return edgefw__json_amount(&inner, json_array_get(value, 0), out);
}

/* --- Vehicles --- */

static const char *const vehicle_members[] = {"id",   "profile",      "description", "start",
                                              "end",  "start_index",  "end_index",   "capacity",
                                              "type", "speed_factor", NULL};

/* Members in which the vehicles of one fleet are equal. */
static const char *const fleet_members[] = {"profile",   "start",    "end",          "start_index",
                                            "end_index", "capacity", "speed_factor", NULL};

static edgefw_status check_vehicle(const reader *r, size_t number) {
  const edgefw__json_place list = edgefw__json_member(r->place, "vehicles");
  const edgefw__json_place place = edgefw__json_item(&list, number);
  json_t *vehicle = json_array_get(r->vehicles, number);
  const json_t *first = json_array_get(r->vehicles, 0);
  if (!json_is_object(vehicle)) return edgefw__json_refuse(&place, vehicle, "an object");
  const edgefw_status status = check_members(&place, vehicle, vehicle_members);
  if (status != EDGEFW_OK) return status;
  const json_t *speed = json_object_get(vehicle, "speed_factor");
  if (speed && !(json_is_number(speed) && json_number_value(speed) == 1.0)) {
    const edgefw__json_place inner = edgefw__json_member(&place, "speed_factor");
    return edgefw__json_refuse(&inner, speed, "1");
  }
  for (const char *const *name = fleet_members; *name; ++name) {
    const json_t *one = json_object_get(vehicle, *name), *other = json_object_get(first, *name);
    if (one == other || (one && other && json_equal(one, other))) continue;
    const edgefw__json_place inner = edgefw__json_member(&place, *name);
    return unsupported(&inner,
                       "it is not that of the first vehicle; expected vehicles of one kind");
  }
  return EDGEFW_OK;
}

/* The place of the first vehicle, as a location of the matrix. */
static edgefw_status read_depot(reader *r) {
  const edgefw__json_place list = edgefw__json_member(r->place, "vehicles");
  const edgefw__json_place place = edgefw__json_item(&list, 0);
  const json_t *vehicle = json_array_get(r->vehicles, 0);
  static const char *const names[] = {"start_index", "end_index"};
  int64_t ends[2] = {0, 0};
  for (int k = 0; k < 2; ++k) {
    const edgefw__json_place inner = edgefw__json_member(&place, names[k]);
    const json_t *value = json_object_get(vehicle, names[k]);
    const edgefw_status status =
        value ? edgefw__json_index(&inner, value, r->locations, &ends[k])
              : unsupported(&inner, "it is missing; expected vehicles that start and end at one "
                                    "location of the matrix");
    if (status != EDGEFW_OK) return status;
    if (k == 1 && ends[1] != ends[0])
      return unsupported(&inner, "expected vehicles that end where they start");
  }
  r->index[0] = ends[0];
  return EDGEFW_OK;
}

static edgefw_status read_vehicles(reader *r) {
  const edgefw__json_place place = edgefw__json_member(r->place, "vehicles");
  const size_t count = json_array_size(r->vehicles);
  if (count == 0) return edgefw__json_refuse(&place, r->vehicles, "an array of vehicles");
  for (size_t v = 0; v < count; ++v) {
    const edgefw_status status = check_vehicle(r, v);
    if (status != EDGEFW_OK) return status;
  }
  const edgefw__json_place first = edgefw__json_item(&place, 0);
  const edgefw__json_place inner = edgefw__json_member(&first, "capacity");
  const json_t *capacity = json_object_get(json_array_get(r->vehicles, 0), "capacity");
  const edgefw__json_place second = edgefw__json_item(&place, 1);
  r->loaded = !is_idle(capacity);
  if (!r->loaded && count > 1)
    return unsupported(&second, "expected one vehicle where vehicles have no capacity");
  if (!r->loaded) return EDGEFW_OK;
  r->out->capacity = edgefw_arena_take(r->arena, 1, sizeof *r->out->capacity);
  if (!r->out->capacity) return edgefw_failure(r->place->ctx);
  const edgefw_status status = read_amount(&inner, capacity, r->out->capacity);
  if (status == EDGEFW_OK)
    edgefw_log(r->place->ctx, EDGEFW_LOG_WARNING,
               "%s: it has %zu vehicle%s; the number of routes is not limited here", r->place->path,
               count, count == 1 ? "" : "s");
  return status;
}

/* --- Jobs --- */

static const char *const job_members[] = {"id",     "description", "location", "location_index",
                                          "setup",  "service",     "amount",   "delivery",
                                          "pickup", NULL};

/* Its amount; `amount` is VROOM's old name of `delivery`. */
static edgefw_status read_demand(reader *r, const edgefw__json_place *place, const json_t *job,
                                 double *out) {
  static const char *const names[] = {"delivery", "amount", "pickup"};
  *out = 0.0;
  for (int k = 0; k < 3; ++k) {
    const json_t *value = json_object_get(job, names[k]);
    const edgefw__json_place inner = edgefw__json_member(place, names[k]);
    double amount = 0.0;
    if (!value) continue;
    const edgefw_status status = read_amount(&inner, value, &amount);
    if (status != EDGEFW_OK) return status;
    if (amount > 0.0) *(k == 2 ? &r->picked : &r->delivered) = true;
    if (r->delivered && r->picked)
      return unsupported(&inner, "expected all jobs to be deliveries, or all to be pickups");
    *out += amount;
  }
  if (*out > 0.0 && !r->loaded)
    return unsupported(place, "it has an amount, and the vehicles have no capacity");
  return EDGEFW_OK;
}

static edgefw_status read_job(reader *r, size_t number) {
  const edgefw__json_place list = edgefw__json_member(r->place, "jobs");
  const edgefw__json_place place = edgefw__json_item(&list, number);
  json_t *job = json_array_get(r->jobs, number);
  if (!json_is_object(job)) return edgefw__json_refuse(&place, job, "an object");
  const edgefw__json_place index = edgefw__json_member(&place, "location_index");
  const edgefw__json_place id = edgefw__json_member(&place, "id");
  const json_t *own = json_object_get(job, "id");
  edgefw_status status = check_members(&place, job, job_members);
  if (status == EDGEFW_OK && !json_is_integer(own))
    status = edgefw__json_refuse(&id, own, "a whole number");
  if (status == EDGEFW_OK)
    status = edgefw__json_index(&index, json_object_get(job, "location_index"), r->locations,
                                &r->index[number + 1]);
  double demand = 0.0;
  if (status == EDGEFW_OK) status = read_demand(r, &place, job, &demand);
  if (status != EDGEFW_OK) return status;
  if (r->loaded) r->out->demand[number + 1] = demand;
  r->out->names[number + 1] =
      edgefw_arena_format(r->arena, "%" JSON_INTEGER_FORMAT, json_integer_value(own));
  return r->out->names[number + 1] ? EDGEFW_OK : edgefw_failure(r->place->ctx);
}

static edgefw_status read_jobs(reader *r) {
  const edgefw__json_place place = edgefw__json_member(r->place, "jobs");
  const size_t jobs = json_array_size(r->jobs);
  if (jobs < 1 || jobs >= EDGEFW_MAX_NODES)
    return edgefw__json_refuse(&place, r->jobs, "an array of jobs");
  const size_t n = jobs + 1;
  r->out->n = (int64_t)n;
  r->out->depot = 0;
  r->index = edgefw_arena_take(r->arena, n, sizeof *r->index);
  r->out->names = edgefw_arena_take(r->arena, n, sizeof *r->out->names);
  if (r->loaded) r->out->demand = edgefw_arena_take(r->arena, n, sizeof *r->out->demand);
  if (!r->index || !r->out->names || (r->loaded && !r->out->demand))
    return edgefw_failure(r->place->ctx);
  r->out->names[0] = "depot";
  edgefw_status status = read_depot(r);
  for (size_t j = 0; status == EDGEFW_OK && j < jobs; ++j) status = read_job(r, j);
  if (status == EDGEFW_OK)
    status = edgefw__stop_table_check_names(r->place->ctx, r->out, "jobs, by their ids,");
  return status;
}

/* --- Matrices --- */

/* The matrix of the vehicles' profile: what VROOM would add up, or what was asked for. */
static edgefw_status read_matrix(reader *r, const json_t *root, edgefw__table_choice choice) {
  const json_t *profile = json_object_get(json_array_get(r->vehicles, 0), "profile");
  const char *name = json_is_string(profile) ? json_string_value(profile) : "car";
  const edgefw__json_place all = edgefw__json_member(r->place, "matrices");
  const edgefw__json_place own = edgefw__json_member(&all, name);
  const json_t *matrices = json_object_get(root, "matrices");
  if (!json_is_object(matrices))
    return edgefw__json_refuse(&all, matrices,
                               "an object with the matrix of each profile: edgefw asks no service");
  const json_t *table = json_object_get(matrices, name);
  const char *key = choice == EDGEFW__TABLE_DISTANCES                                ? "distances"
                    : choice == EDGEFW__TABLE_ANY && json_object_get(table, "costs") ? "costs"
                                                                                     : "durations";
  const edgefw__json_place place = edgefw__json_member(&own, key);
  return edgefw__json_square(&place, r->arena, json_object_get(table, key), &r->locations,
                             &r->matrix);
}

static edgefw_status place_costs(reader *r) {
  const int64_t n = r->out->n;
  r->out->cost = edgefw_arena_take(r->arena, (size_t)(n * n), sizeof *r->out->cost);
  if (!r->out->cost) return edgefw_failure(r->place->ctx);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) /* two jobs at one location are no way apart */
      r->out->cost[i * n + j] =
          r->index[i] == r->index[j] ? 0.0 : r->matrix[r->index[i] * r->locations + r->index[j]];
  return EDGEFW_OK;
}

edgefw_status edgefw__vroom_read(const edgefw__json_place *place, edgefw_arena *arena, json_t *root,
                                 edgefw__table_choice choice, edgefw__stop_table *out) {
  static const char *const members[] = {"jobs", "vehicles", "matrices", "options", NULL};
  reader r = {.place = place,
              .arena = arena,
              .jobs = json_object_get(root, "jobs"),
              .vehicles = json_object_get(root, "vehicles"),
              .out = out};
  out->form = "VROOM problem";
  edgefw_status status = check_members(place, root, members);
  if (status == EDGEFW_OK) status = read_vehicles(&r);
  if (status == EDGEFW_OK) status = read_matrix(&r, root, choice);
  if (status == EDGEFW_OK) status = read_jobs(&r);
  return status == EDGEFW_OK ? place_costs(&r) : status;
}
