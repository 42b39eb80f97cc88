/* Demands and capacity of a fleet: generated, examined and read; and the checker of routes. */
#include "vehicle.h"

#include <math.h>
#include <string.h>

const edgefw_resource vehicle_resources[] = {
    {.name = "load", .demand = "demand", .capacity = "capacity"}, {.name = NULL}};

/* --- Generated instances --- */

/* The capacities that the literature uses with demands from 1 to 9, and those of RADAR's trainer;
 * in the order of the choices of capacity_rule. */
static int64_t capacity_by_rule(int rule, int64_t customers) {
  enum { STEPS = 5 };
  static const int64_t most[STEPS] = {20, 50, 100, 200, 500};
  static const int64_t capacity[2][STEPS] = {{30, 40, 50, 80, 100}, {30, 30, 50, 60, 80}};
  for (int s = 0; s < STEPS; ++s)
    if (customers <= most[s]) return capacity[rule][s];
  return 250;
}

edgefw_status generate_vehicle(edgefw_generator *generator, const edgefw_options *options,
                               edgefw_instance *out) {
  const int64_t low = edgefw_options_int(options, "demand_low");
  const int64_t high = edgefw_options_int(options, "demand_high");
  int64_t capacity = edgefw_options_int(options, "capacity");
  if (capacity == 0)
    capacity = capacity_by_rule(edgefw_options_choice(options, "capacity_rule"), out->n - 1);
  if (low > high)
    return edgefw_generator_fail(
        generator, EDGEFW_CONFIG,
        "[problem] demand_low = %" PRId64 " is above demand_high = %" PRId64, low, high);
  if (high > capacity)
    return edgefw_generator_fail(generator, EDGEFW_CONFIG,
                                 "[problem] demand_high = %" PRId64
                                 " is above the capacity, which is %" PRId64 " for %" PRId64
                                 " customers: lower it or set capacity",
                                 high, capacity, out->n - 1);
  edgefw_generate_demand(generator, out->n, low, high, edgefw_instance_field(out, "demand"));
  *edgefw_instance_field(out, "capacity") = (double)capacity;
  return EDGEFW_OK;
}

/* --- Examination --- */

static edgefw_status accept_demands(edgefw_context *ctx, const edgefw_instance *instance) {
  const double *demand = edgefw_instance_field(instance, "demand");
  const double capacity = *edgefw_instance_field(instance, "capacity");
  if (demand[0] != 0.0)
    return edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                       INSTANCE_FORMAT "the depot has the demand %.15g; expected 0",
                       INSTANCE_ARGUMENTS(instance), demand[0]);
  const double most = capacity + edgefw_load_tolerance(demand, instance->n, capacity);
  for (int64_t i = 1; i < instance->n; ++i) {
    if (!isfinite(demand[i]) || demand[i] < 0.0)
      return edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                         INSTANCE_FORMAT "customer %" PRId64
                                         " has the demand %.15g; expected a finite number of at "
                                         "least 0",
                         INSTANCE_ARGUMENTS(instance), i, demand[i]);
    if (demand[i] > most)
      return edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                         INSTANCE_FORMAT "customer %" PRId64
                                         " has the demand %.15g, more than the capacity %.15g: no "
                                         "vehicle can serve it",
                         INSTANCE_ARGUMENTS(instance), i, demand[i], capacity);
  }
  return EDGEFW_OK;
}

edgefw_status accept_vehicle(edgefw_context *ctx, const edgefw_instance *instance) {
  const double capacity = *edgefw_instance_field(instance, "capacity");
  if (instance->n < 2)
    return edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                       INSTANCE_FORMAT "there is a depot and no customer; expected at least one",
                       INSTANCE_ARGUMENTS(instance));
  if (!isfinite(capacity) || capacity <= 0.0)
    return edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                       INSTANCE_FORMAT "the capacity is %.15g; expected a finite number above 0",
                       INSTANCE_ARGUMENTS(instance), capacity);
  return accept_demands(ctx, instance);
}

/* --- The checker ---
 * Deliberately plain: it looks at the instance and the list of nodes and nothing else. */

/* Where the padding begins: behind the last customer. */
static int64_t without_padding(const int32_t *tour, int64_t count) {
  while (count > 1 && tour[count - 1] == 0) --count;
  return count;
}

/* Is position t a node that may stand there? */
static edgefw_status check_visit(edgefw_context *ctx, const edgefw_instance *instance,
                                 const int32_t *tour, int64_t t) {
  if (tour[t] < 0 || tour[t] >= instance->n)
    return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                       INSTANCE_FORMAT "position %" PRId64
                                       " of the tour is node %d; expected 0 to %" PRId64,
                       INSTANCE_ARGUMENTS(instance), t, tour[t], instance->n - 1);
  if (tour[t] == 0) {
    if (t == 0 || tour[t - 1] != 0) return EDGEFW_OK;
    return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                       INSTANCE_FORMAT "positions %" PRId64 " and %" PRId64
                                       " of the tour are both the depot: a route without customers",
                       INSTANCE_ARGUMENTS(instance), t - 1, t);
  }
  for (int64_t earlier = 0; earlier < t; ++earlier)
    if (tour[earlier] == tour[t])
      return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                         INSTANCE_FORMAT "the tour visits customer %d twice",
                         INSTANCE_ARGUMENTS(instance), tour[t]);
  return EDGEFW_OK;
}

/* From the depot, every customer once. `end` is where the padding begins. */
static edgefw_status check_visits(edgefw_context *ctx, const edgefw_instance *instance,
                                  const int32_t *tour, int64_t end) {
  if (tour[0] != 0)
    return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                       INSTANCE_FORMAT "the tour begins at node %d; expected the depot, 0",
                       INSTANCE_ARGUMENTS(instance), tour[0]);
  for (int64_t t = 0; t < end; ++t) {
    const edgefw_status status = check_visit(ctx, instance, tour, t);
    if (status != EDGEFW_OK) return status;
  }
  for (int64_t customer = 1; customer < instance->n; ++customer) {
    int64_t t = 0;
    while (t < end && tour[t] != customer) ++t;
    if (t == end)
      return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                         INSTANCE_FORMAT "the tour does not visit customer %" PRId64,
                         INSTANCE_ARGUMENTS(instance), customer);
  }
  return EDGEFW_OK;
}

/* No route carries more than the capacity. */
static edgefw_status check_loads(edgefw_context *ctx, const edgefw_instance *instance,
                                 const int32_t *tour, int64_t end) {
  const double *demand = edgefw_instance_field(instance, "demand");
  const double capacity = *edgefw_instance_field(instance, "capacity");
  const double most = capacity + edgefw_load_tolerance(demand, instance->n, capacity);
  double load = 0.0;
  int64_t route = 0;
  for (int64_t t = 0; t < end; ++t) {
    if (tour[t] == 0) {
      ++route;
      load = 0.0;
    }
    load += demand[tour[t]];
    if (load > most)
      return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                         INSTANCE_FORMAT "route %" PRId64
                                         " carries %.15g when it has served customer %d; the "
                                         "capacity is %.15g",
                         INSTANCE_ARGUMENTS(instance), route, load, tour[t], capacity);
  }
  return EDGEFW_OK;
}

edgefw_status check_routes(edgefw_context *ctx, const edgefw_options *options,
                           const edgefw_instance *instance, const int32_t *tour, int64_t count,
                           double *cost) {
  (void)options;
  const int64_t n = instance->n;
  if (count < 1 || count > 2 * n)
    return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                       INSTANCE_FORMAT "the tour has %" PRId64 " entries; expected %" PRId64
                                       " to %" PRId64,
                       INSTANCE_ARGUMENTS(instance), count, n, 2 * n);
  const int64_t end = without_padding(tour, count);
  edgefw_status status = check_visits(ctx, instance, tour, end);
  if (status == EDGEFW_OK) status = check_loads(ctx, instance, tour, end);
  if (status != EDGEFW_OK) return status;
  const double *matrix = edgefw_instance_field(instance, "cost");
  double total = 0.0;
  for (int64_t t = 0; t < end; ++t) /* behind the last customer comes the depot */
    total += matrix[(int64_t)tour[t] * n + (t + 1 < end ? tour[t + 1] : 0)];
  *cost = total;
  return EDGEFW_OK;
}

/* --- Library files --- */

edgefw_status want_vehicle_file(edgefw_context *ctx, const edgefw_tsplib *file,
                                const file_wish *wish) {
  const edgefw_status status = want_file(ctx, file, wish);
  if (status != EDGEFW_OK) return status;
  const char *missing = !file->demand         ? "DEMAND_SECTION"
                        : !file->has_capacity ? "CAPACITY"
                        : file->depot < 0     ? "depot in a DEPOT_SECTION"
                                              : NULL;
  if (missing)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "%s: there is no %s; the problem %s needs demands, a capacity and a depot",
                       file->path, missing, wish->problem);
  if (file->dimension < 2)
    return edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                       "%s: DIMENSION is %" PRId64 ": a depot and no customer; expected at least 2",
                       file->path, file->dimension);
  return EDGEFW_OK;
}

edgefw_status read_vehicle(edgefw_context *ctx, const edgefw_options *options,
                           const edgefw_tsplib *file, edgefw_instance *out) {
  (void)ctx;
  (void)options;
  const int64_t n = out->n;
  double *cost = edgefw_instance_field(out, "cost");
  double *demand = edgefw_instance_field(out, "demand");
  for (int64_t i = 0; i < n; ++i) {
    const int64_t from = edgefw_tsplib_node(file, i);
    demand[i] = file->demand[from];
    for (int64_t j = 0; j < n; ++j)
      cost[i * n + j] = file->weights[from * n + edgefw_tsplib_node(file, j)];
  }
  *edgefw_instance_field(out, "capacity") = file->capacity;
  return EDGEFW_OK;
}
