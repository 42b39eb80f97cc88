/* Problems as solvers see them: by their declarations alone. */
#include "support/test.h"

#include "costs/routing.h"
#include "support/io_support.h"

static const edgefw_field fields[] = {
    {.name = "room", .shape = EDGEFW_FIELD_SCALAR, .storage = EDGEFW_STORE_FLOAT},
    {.name = "length", .shape = EDGEFW_FIELD_PAIR, .storage = EDGEFW_STORE_FLOAT},
    {.name = "need", .shape = EDGEFW_FIELD_NODE, .storage = EDGEFW_STORE_FLOAT},
    {.name = NULL}};

static void declarations_say_what_it_is(void **state) {
  (void)state;
  static const edgefw_resource load[] = {{"load", "need", "room"}, {.name = NULL}};
  static const edgefw_resource both[] = {
      {"load", "need", "room"}, {"time", "need", "room"}, {.name = NULL}};
  double room = 7.0, length[4] = {0, 1, 2, 0}, need[2] = {0, 3};
  const edgefw_instance instance = {.n = 2, .fields = fields, .data = {&room, length, need}};
  edgefw_problem problem = {.size = sizeof problem,
                            .fields = fields,
                            .objective = "length",
                            .start = EDGEFW_START_EACH_NODE,
                            .closing = EDGEFW_CLOSE_AT_START};
  edgefw__routing routing;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  assert_ok(ctx, edgefw__routing_of(ctx, "x", &problem, &instance, &routing));
  assert_true(routing.n == 2 && routing.cost == length && !routing.demand);
  assert_int_equal(edgefw__routing_steps(&routing), 2);
  problem.resources = load; /* a tour has no use for it */
  assert_fails(ctx, edgefw__routing_of(ctx, "x", &problem, &instance, &routing), EDGEFW_UNSUPPORTED,
               "the problem x is neither");
  problem.start = EDGEFW_START_EACH_CUSTOMER;
  problem.closing = EDGEFW_CLOSE_AT_DEPOT;
  assert_ok(ctx, edgefw__routing_of(ctx, "x", &problem, &instance, &routing));
  assert_true(routing.demand == need && routing.capacity == 7.0);
  assert_int_equal(edgefw__routing_steps(&routing), 4);
  problem.resources = both;
  assert_fails(ctx, edgefw__routing_of(ctx, "x", &problem, &instance, &routing), EDGEFW_UNSUPPORTED,
               "no solver is known");
  problem.resources = NULL;
  assert_fails(ctx, edgefw__routing_of(ctx, "x", &problem, &instance, &routing), EDGEFW_UNSUPPORTED,
               "no solver is known");
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(declarations_say_what_it_is)};
  return test_run(tests, NULL, NULL);
}
