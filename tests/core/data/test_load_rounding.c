/* Demands that were stored as float32 fractions: full loads fit, in the decoder and for the
 * checker, and a warning says so.
 * labels: e2e
 * needs plugins: acvrp radar */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "data/load_rounding.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/io_support.h"
#include "support/tiny_model.h"

enum { N = 5, COUNT = 40, MORE_ROUTES = 42 };

static const edgefw_field fields[] = {
    {.name = "cost", .shape = EDGEFW_FIELD_PAIR, .storage = EDGEFW_STORE_SCALED, .scale = 1e-6},
    {.name = "demand", .shape = EDGEFW_FIELD_NODE, .storage = EDGEFW_STORE_FLOAT},
    {.name = "capacity", .shape = EDGEFW_FIELD_SCALAR, .storage = EDGEFW_STORE_FLOAT},
    {.name = NULL}};

static const edgefw_resource resources[] = {
    {.name = "load", .demand = "demand", .capacity = "capacity"}, {.name = NULL}};

static const edgefw_problem problem = {
    .size = sizeof problem, .fields = fields, .resources = resources};

/* Equal instances whose customers fill a vehicle exactly, 3 + 3 + 3 + 1 of 10; all of it `times` as
 * large. To and from the depot costs 10, between customers 1: one route costs 23, more routes at
 * least MORE_ROUTES, in whatever order. */
static edgefw__batch *full_load(edgefw_context *ctx, float times) {
  static const float demand[N] = {0, 3, 3, 3, 1};
  edgefw__batch *batch = NULL;
  expect_ok(ctx, edgefw__batch_create(ctx, fields, COUNT, N, &batch));
  for (int b = 0; b < COUNT; ++b) {
    for (int k = 0; k < N * N; ++k)
      batch->data[0][b * N * N + k] = k % (N + 1) == 0 ? 0.0 : k < N || k % N == 0 ? 10.0 : 1.0;
    for (int i = 0; i < N; ++i) batch->data[1][b * N + i] = (double)(demand[i] * times);
    batch->data[2][b] = (double)(10.0F * times);
  }
  batch->count = COUNT;
  return batch;
}

static void write_set(const sandbox *box, const char *name, float times) {
  edgefw_context *ctx = NULL;
  edgefw__dataset_writer *writer = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__batch *batch = full_load(ctx, times);
  expect_ok(ctx, edgefw__dataset_create(ctx, sandbox_path(box, name), "acvrp", "",
                                        EDGEFW__DATASET_NO_SEED, fields, COUNT, N, &writer));
  expect_ok(ctx, edgefw__dataset_append(writer, batch));
  expect_ok(ctx, edgefw__dataset_finish(writer));
  edgefw__batch_destroy(ctx, batch);
  edgefw_context_destroy(ctx);
}

/* Samples of many equal instances are of all kinds: logits are small. */
#define RUN                                                                                        \
  "run tiny.ini --set problem.name=acvrp --set train.epochs=0 --set eval.sizes=4 "                 \
  "--set eval.select=sample --set eval.logit_clip=1 --set eval.instances=40 --set data.test.4="

static double objective_of(const sandbox *box, const char *file) {
  char *results = cli_read(box, file);
  assert_non_null(results);
  const char *at = strstr(results, "\"objective\": ");
  assert_non_null(at);
  const double objective = strtod(at + strlen("\"objective\": "), NULL);
  free(results);
  return objective;
}

static void float32_loads_have_the_routes_of_whole_ones(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, "");
  write_set(box, "whole.h5", 1.0F);
  write_set(box, "single.h5", 0.1F); /* the sum of the stored numbers is above the capacity's */
  cli_result result = cli_do(box, RUN "whole.h5 --out whole");
  assert_int_equal(result.status, 0);
  assert_null(strstr(result.err, "float32"));
  cli_free(&result);
  cli_expect(box, RUN "single.h5 --out single", 0, NULL,
             "single.h5: 'demand' holds fractions that were rounded to float32");
  const double whole = objective_of(box, "whole/results.json");
  assert_true(whole < MORE_ROUTES); /* single routes are among them */
  assert_true(objective_of(box, "single/results.json") == whole);
}

static int warnings_of(edgefw_context *ctx, const edgefw__batch *batch, const char *part) {
  io_log log = {0};
  bool said = false;
  edgefw_set_log(ctx, io_collect, &log);
  for (int k = 0; k < 2; ++k) edgefw__warn_of_rounded_loads(ctx, &problem, batch, "x.h5", &said);
  edgefw_set_log(ctx, NULL, NULL);
  assert_int_equal(said, log.warnings > 0);
  if (part) assert_non_null(strstr(log.text, part));
  return log.warnings;
}

static void the_rounded_field_is_named_once(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__batch *batch = full_load(ctx, 1.0F);
  batch->count = 1;
  assert_int_equal(warnings_of(ctx, batch, NULL), 0);
  batch->data[2][0] = (double)10.7F;
  assert_int_equal(warnings_of(ctx, batch, "x.h5: 'capacity' holds fractions"), 1);
  batch->data[1][2] = (double)0.3F;
  assert_int_equal(warnings_of(ctx, batch, "x.h5: 'demand' holds fractions"), 1);
  batch->data[1][2] = 0.3;
  batch->data[2][0] = 10.7;
  assert_int_equal(warnings_of(ctx, batch, NULL), 0);
  edgefw__batch_destroy(ctx, batch);
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(float32_loads_have_the_routes_of_whole_ones, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test(the_rounded_field_is_named_once),
  };
  return test_run(tests, NULL, NULL);
}
