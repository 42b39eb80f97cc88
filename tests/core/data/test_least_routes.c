/* How many routes the demands of customers take at least. */
#include "support/test.h"

#include "data/least_routes.h"

static void loads_are_carried_in_whole_routes(void **state) {
  (void)state;
  const double demand[] = {0, 3, 4}, nothing[] = {0, 0, 0};
  assert_int_equal(edgefw__least_routes(demand, 3, 7.0), 1);
  assert_int_equal(edgefw__least_routes(demand, 3, 6.0), 2);
  assert_int_equal(edgefw__least_routes(nothing, 3, 7.0), 1);
  assert_int_equal(edgefw__least_routes(nothing, 1, 7.0), 0);
  assert_int_equal(edgefw__least_routes(demand, 3, 0.1), 2); /* one for each customer */
}

/* Full routes whose demands are fractions: 0.1 ten times is one route of capacity 1. */
static void fractions_fill_a_route(void **state) {
  (void)state;
  double demand[11] = {0};
  for (int i = 1; i < 11; ++i) demand[i] = 0.1;
  assert_int_equal(edgefw__least_routes(demand, 11, 1.0), 1);
  demand[1] = 0.11;
  assert_int_equal(edgefw__least_routes(demand, 11, 1.0), 2);
}

static void the_scarcest_resource_counts(void **state) {
  (void)state;
  static const edgefw_field fields[] = {{.name = "weight", .shape = EDGEFW_FIELD_NODE},
                                        {.name = "volume", .shape = EDGEFW_FIELD_NODE},
                                        {.name = "lift", .shape = EDGEFW_FIELD_SCALAR},
                                        {.name = "room", .shape = EDGEFW_FIELD_SCALAR},
                                        {.name = NULL}};
  static const edgefw_resource resources[] = {
      {.name = "load", .demand = "weight", .capacity = "lift"},
      {.name = "space", .demand = "volume", .capacity = "room"},
      {.name = NULL}};
  edgefw_problem problem = {.size = sizeof problem, .fields = fields, .resources = resources};
  double weight[] = {0, 3, 4, 1}, volume[] = {0, 1, 1, 1}, lift = 4, room = 1;
  edgefw_instance instance = {.n = 4, .fields = fields, .data = {weight, volume, &lift, &room}};
  assert_int_equal(edgefw__least_routes_of(&problem, &instance), 3);
  room = 3;
  assert_int_equal(edgefw__least_routes_of(&problem, &instance), 2);
  instance.n = 1;
  assert_int_equal(edgefw__least_routes_of(&problem, &instance), 1);
  instance.n = 4;
  problem.resources = NULL;
  assert_int_equal(edgefw__least_routes_of(&problem, &instance), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_are_carried_in_whole_routes),
      cmocka_unit_test(fractions_fill_a_route),
      cmocka_unit_test(the_scarcest_resource_counts),
  };
  return test_run(tests, NULL, NULL);
}
