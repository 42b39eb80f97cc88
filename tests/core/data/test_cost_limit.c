/* Costs that the networks' numbers have room for: whoever made the instance. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "data/cost_limit.h"
#include "data/forbidden.h"
#include "data/generate.h"
#include "kernels.h"
#include "support/tiny_model.h"

enum { N = 3 };

static double drawn; /* what the generator below makes of its last arc */

static const edgefw_field fields[] = {
    {.name = "length", .shape = EDGEFW_FIELD_PAIR, .storage = EDGEFW_STORE_FLOAT}, {.name = NULL}};

static edgefw_status generate(edgefw_generator *generator, const edgefw_options *options,
                              edgefw_instance *out) {
  (void)generator;
  (void)options;
  double *length = edgefw_instance_field(out, "length");
  for (int e = 0; e < N * N; ++e) length[e] = e % (N + 1) == 0 ? 0.0 : 1.0;
  length[2 * N + 1] = drawn;
  return EDGEFW_OK;
}

/* A problem that looks at nothing itself. */
static edgefw_status accept(edgefw_context *ctx, const edgefw_options *options,
                            edgefw_instance *instance) {
  (void)ctx;
  (void)options;
  (void)instance;
  return EDGEFW_OK;
}

static const edgefw_problem problem = {.size = sizeof problem,
                                       .fields = fields,
                                       .objective = "length",
                                       .start = EDGEFW_START_EACH_NODE,
                                       .closing = EDGEFW_CLOSE_AT_START,
                                       .generate = generate,
                                       .accept = accept};

static edgefw_context *ctx;
static edgefw__batch *batch;

static int set_up(void **state) {
  (void)state;
  if (edgefw_context_create(&ctx, NULL) != EDGEFW_OK) return -1;
  return edgefw__batch_create(ctx, fields, 1, N, &batch) == EDGEFW_OK ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  edgefw__batch_destroy(ctx, batch);
  edgefw_context_destroy(ctx);
  return 0;
}

static edgefw_status make(double cost) {
  edgefw__generator_pool *pool = NULL;
  drawn = cost;
  edgefw_status status = edgefw__generator_pool_create(ctx, &pool);
  if (status == EDGEFW_OK)
    status = edgefw__generate_batch(
        ctx, pool,
        &(edgefw__generate_request){.problem = &problem, .seed = 1, .first_id = 7, .count = 1},
        batch);
  edgefw__generator_pool_destroy(ctx, pool);
  return status;
}

static void expect_refused(edgefw_status status, const char *part) {
  assert_int_equal(status, EDGEFW_INFEASIBLE);
  assert_non_null(strstr(edgefw_message(ctx), part));
  assert_non_null(strstr(edgefw_message(ctx), "expected at most 1e+30: divide all costs by a "));
  edgefw_clear(ctx);
}

static void generated_costs_are_bounded(void **state) {
  (void)state;
  assert_int_equal(make(EDGEFW_MAX_COST), EDGEFW_OK);
  expect_refused(make(1.1 * EDGEFW_MAX_COST),
                 "instance generated (number 7): cost from node 3 to node 2 is 1.1e+30");
  expect_refused(make((double)INFINITY), "is inf");
}

/* Also where the problem lets them pass. */
static void costs_from_outside_are_bounded(void **state) {
  (void)state;
  const edgefw__forbidden_rule rule = {.given = false};
  assert_int_equal(make(1.0), EDGEFW_OK);
  batch->count = 1;
  edgefw_instance instance = edgefw__batch_instance(batch, 0);
  double limit = 0.0;
  int64_t arcs = 0;
  instance.name = "mine";
  assert_int_equal(edgefw__forbidden_accept(ctx, &problem, NULL, &rule, &instance, &limit, &arcs),
                   EDGEFW_OK);
  edgefw_instance_field(&instance, "length")[1] = 1e38;
  expect_refused(edgefw__forbidden_accept(ctx, &problem, NULL, &rule, &instance, &limit, &arcs),
                 "instance mine (number 7): cost from node 1 to node 2 is 1e+38");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(generated_costs_are_bounded),
      cmocka_unit_test(costs_from_outside_are_bounded),
  };
  return test_run(tests, set_up, tear_down);
}
