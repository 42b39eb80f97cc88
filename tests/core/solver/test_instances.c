/* A caller's numbers: what is refused, and how they come to the fields of a problem.
 * needs plugins: atsp acvrp tsp radar */
#include "support/test.h"

#include <math.h>

#include "data/batch.h"
#include "edgefw/cost.h"
#include "solver/instances.h"
#include "support/check.h"
#include "support/tiny_model.h"

static tiny_model tiny;

static const edgefw__plugin *problem(const char *name) {
  return edgefw__registry_lookup(tiny.registry, EDGEFW_KIND_PROBLEM, name);
}

/* Three nodes: 10 i + j. */
static double costs[9];
static const double demands[3] = {2.0, 0.0, 3.0}, capacity = 4.0;

static edgefw_instances usual(void) {
  for (int i = 0; i < 9; ++i) costs[i] = (double)(10 * (i / 3) + i % 3);
  return (edgefw_instances){
      .size = sizeof(edgefw_instances), .count = 1, .nodes = 3, .costs = costs};
}

static void expect(const char *name, const edgefw_instances *given, edgefw_status status,
                   const char *part) {
  edgefw_instances out;
  tiny_fails(&tiny, edgefw__instances_take(tiny.ctx, problem(name), given, &out), status, part);
}

static void sizes_are_looked_at(void **state) {
  (void)state;
  edgefw_instances given = usual();
  given.count = 0;
  expect("atsp", &given, EDGEFW_INVALID_ARGUMENT, "0 instances");
  given = usual();
  given.nodes = 1;
  expect("atsp", &given, EDGEFW_INVALID_ARGUMENT, "1 nodes; expected 2 to");
  given.nodes = EDGEFW_MAX_NODES + 1;
  expect("atsp", &given, EDGEFW_INVALID_ARGUMENT, "50001 nodes");
  given = usual();
  given.depot = 3;
  expect("atsp", &given, EDGEFW_INVALID_ARGUMENT, "the depot is node 3; expected 0 to 2");
  given = usual();
  given.type = (edgefw_number)9;
  expect("atsp", &given, EDGEFW_INVALID_ARGUMENT, "type 9");
  given.size = 8;
  expect("atsp", &given, EDGEFW_INVALID_ARGUMENT, "edgefw_instances");
  expect("atsp", NULL, EDGEFW_INVALID_ARGUMENT, "no instances");
}

static void parts_are_looked_at(void **state) {
  (void)state;
  edgefw_instances given = usual();
  expect("tsp", &given, EDGEFW_UNSUPPORTED, "tsp needs points");
  expect("acvrp", &given, EDGEFW_UNSUPPORTED, "acvrp needs demands");
  given.demands = demands;
  expect("acvrp", &given, EDGEFW_UNSUPPORTED, "acvrp needs capacities");
  expect("atsp", &given, EDGEFW_UNSUPPORTED, "atsp has no demands");
  given = usual();
  given.points = costs;
  expect("atsp", &given, EDGEFW_UNSUPPORTED, "atsp has no points");
  expect("tsp", &given, EDGEFW_UNSUPPORTED, "tsp has no cost matrix beside its points");
  given.costs = NULL;
  given.points = NULL;
  expect("atsp", &given, EDGEFW_UNSUPPORTED, "atsp needs a cost matrix");
}

static void numbers_are_looked_at(void **state) {
  (void)state;
  const double bad[] = {-1.0, (double)NAN, 2.0 * EDGEFW_MAX_COST, -(double)INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    edgefw_instances given = usual();
    costs[5] = bad[i];
    expect("atsp", &given, EDGEFW_FORMAT, "instance 0: the cost from node 1 to node 2 is");
  }
  double points[] = {0.0, 1.0, (double)INFINITY, 2.0};
  edgefw_instances given = {.size = sizeof given, .count = 1, .nodes = 2, .points = points};
  expect("tsp", &given, EDGEFW_FORMAT, "instance 0: x of node 1 is inf");
}

static void demands_are_looked_at(void **state) {
  (void)state;
  double wrong[3] = {2.0, 0.0, 5.0}, none = 0.0;
  edgefw_instances given = usual();
  given.depot = 1;
  given.demands = wrong;
  given.capacities = &capacity;
  expect("acvrp", &given, EDGEFW_INFEASIBLE, "node 2 has the demand 5; expected 0 to the capacity");
  wrong[2] = -5.0;
  expect("acvrp", &given, EDGEFW_FORMAT, "node 2 has the demand -5");
  given.depot = 0;
  expect("acvrp", &given, EDGEFW_FORMAT, "node 0 is the depot and has the demand 2; expected 0");
  given.capacities = &none;
  expect("acvrp", &given, EDGEFW_FORMAT, "the capacity is 0");
}

/* Read an instance of the problem. */
static edgefw__batch *read(const char *name, const edgefw_instances *given, int64_t index) {
  edgefw__batch *batch = NULL;
  edgefw_instances taken;
  const edgefw_problem *p = &problem(name)->vtable.problem;
  tiny_ok(&tiny, edgefw__instances_take(tiny.ctx, problem(name), given, &taken));
  tiny_ok(&tiny, edgefw__batch_create(tiny.ctx, p->fields, 1, given->nodes, &batch));
  edgefw_instance out = edgefw__batch_instance(batch, 0);
  tiny_ok(&tiny, edgefw__instances_read(&taken, tiny.ctx, p, NULL, index, &out));
  return batch;
}

/* The depot is the first node, the others follow in their order. */
static void a_depot_comes_first(void **state) {
  (void)state;
  const double moved[] = {0.0, 10.0, 12.0, 1.0, 0.0, 2.0, 21.0, 20.0, 0.0};
  const double loads[] = {0.0, 2.0, 3.0};
  edgefw_instances given = usual();
  given.depot = 1;
  given.demands = demands;
  given.capacities = &capacity;
  edgefw__batch *batch = read("acvrp", &given, 0);
  const edgefw_instance instance = edgefw__batch_instance(batch, 0);
  check_close_f64(edgefw_instance_field(&instance, "cost"), moved, 9, 0.0, 0.0, "costs");
  check_close_f64(edgefw_instance_field(&instance, "demand"), loads, 3, 0.0, 0.0, "demands");
  check_close(*edgefw_instance_field(&instance, "capacity"), 4.0, 0.0, 0.0, "capacity");
  edgefw__batch_destroy(tiny.ctx, batch);
}

/* The second of two instances, in every type. */
static void all_types_are_read(void **state) {
  (void)state;
  double f64[8] = {0, 0, 0, 0, 9, 1, 2, 9};
  float f32[8] = {0, 0, 0, 0, 9, 1, 2, 9};
  int32_t i32[8] = {0, 0, 0, 0, 9, 1, 2, 9};
  int64_t i64[8] = {0, 0, 0, 0, 9, 1, 2, 9};
  const void *arrays[] = {f64, f32, i32, i64};
  const double expected[] = {0.0, 1.0, 2.0, 0.0};
  for (int type = EDGEFW_NUMBER_F64; type <= EDGEFW_NUMBER_I64; ++type) {
    edgefw_instances given = {.size = sizeof given,
                              .count = 2,
                              .nodes = 2,
                              .costs = arrays[type],
                              .type = (edgefw_number)type};
    edgefw__batch *batch = read("atsp", &given, 1);
    check_close_f64(batch->data[0], expected, 4, 0.0, 0.0, "costs");
    edgefw__batch_destroy(tiny.ctx, batch);
  }
}

static int set_up(void **state) {
  (void)state;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  tiny_close(&tiny);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_are_looked_at),   cmocka_unit_test(parts_are_looked_at),
      cmocka_unit_test(numbers_are_looked_at), cmocka_unit_test(demands_are_looked_at),
      cmocka_unit_test(a_depot_comes_first),   cmocka_unit_test(all_types_are_read),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, set_up, tear_down);
}
