/* Why a rollout cannot go on, in words: where it stands, and what keeps its node closed. */
#include "support/test.h"

#include <string.h>

#include "edgefw/edgefw.h"
#include "edgefw/kernels.h"

enum { NODES = 4 };

static const double demand[2][NODES] = {{0, 1, 1, 1}, {0, 3, 2, 4}}; /* of two instances */
static const double capacity[2] = {9, 5}, slack[2] = {0, 0};

static edgefw_decode_plan plan_of(bool depot) {
  edgefw_decode_plan plan = {.start = EDGEFW_START_EACH_NODE};
  if (depot) {
    plan.start = EDGEFW_START_EACH_CUSTOMER;
    plan.resource_count = 1;
  }
  return plan;
}

/* The message about rollout 3 of the second instance at entry `step` of a tour. */
static void expect(bool depot, edgefw_refusal why, const int32_t *tour, int64_t step,
                   edgefw_status status, const char *message) {
  const edgefw_decode_plan plan = plan_of(depot);
  edgefw_decode_args args = {.plan = &plan, .batch = 2, .nodes = NODES};
  edgefw_context *ctx = NULL;
  args.selection.first_start = 1;
  args.resources.demand[0] = demand[0];
  args.resources.capacity[0] = capacity;
  args.resources.slack[0] = slack;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  assert_int_equal(edgefw_refuse_rollout(ctx, &args, 1, 2, why, tour, step), status);
  assert_string_equal(edgefw_message(ctx), message);
  edgefw_context_destroy(ctx);
}

static void a_rollout_without_an_open_node(void **state) {
  (void)state;
  const int32_t tour[] = {0, 1, 0};
  expect(true, EDGEFW_REFUSAL_NO_NODE, tour, 3, EDGEFW_INFEASIBLE,
         "instance 1 of the batch, rollout 3: no node is open at step 3, with 2 of 4 nodes "
         "visited; a demand above the capacity is the usual reason");
  expect(true, EDGEFW_REFUSAL_NOT_FINITE, tour, 2, EDGEFW_INFEASIBLE,
         "instance 1 of the batch, rollout 3, step 2: the logits are not finite");
}

static void a_given_node_that_is_closed(void **state) {
  (void)state;
  const char *const where = "given tour of instance 1, rollout 3: node ";
  const struct {
    bool depot;
    int32_t tour[3];
    int64_t step;
    const char *why;
  } rows[] = {
      {false, {2, 1, 2}, 2, "2 at step 2 was visited before"},
      {false, {2, 1, 4}, 2, "4 at step 2 is out of range"},
      {false, {-1}, 0, "-1 at step 0 is out of range"},
      {false, {2, 1, 3}, 2, "3 at step 2 is behind a forbidden arc, and others are open"},
      {true, {1}, 0, "1 at step 0 is not the depot, where every tour begins"},
      {true, {0, 0}, 1, "0 at step 1 is the depot, on which the vehicle stands already"},
      {true, {0, 1, 3}, 2, "3 at step 2 demands 4 of resource 0, of which 2 is left"},
      {true, {0, 1, 2}, 2, "2 at step 2 is behind a forbidden arc, and others are open"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char message[160];
    strcpy(message, where);
    strcat(message, rows[i].why);
    expect(rows[i].depot, EDGEFW_REFUSAL_NOT_OPEN, rows[i].tour, rows[i].step,
           EDGEFW_INVALID_ARGUMENT, message);
  }
}

static void tours_of_another_length(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  for (int depot = 0; depot < 2; ++depot) {
    const edgefw_decode_plan plan = plan_of(depot);
    edgefw_decode_args args = {.plan = &plan, .nodes = NODES, .steps = depot ? 8 : 4};
    assert_int_equal(edgefw_check_steps(ctx, &args), EDGEFW_OK);
    ++args.steps;
    assert_int_equal(edgefw_check_steps(ctx, &args), EDGEFW_INVALID_ARGUMENT);
    assert_string_equal(edgefw_message(ctx), depot ? "tours of 4 nodes have 8 entries, not 9"
                                                   : "tours of 4 nodes have 4 entries, not 5");
    edgefw_clear(ctx);
  }
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rollout_without_an_open_node),
      cmocka_unit_test(a_given_node_that_is_closed),
      cmocka_unit_test(tours_of_another_length),
  };
  return test_run(tests, NULL, NULL);
}
