/* Opening models: by file and by name, with what is wrong told.
 * needs plugins: atsp acvrp tsp radar nearest */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/solver_case.h"

static edgefw_model_request request_of(const solver_case *c) {
  return (edgefw_model_request){
      .size = sizeof(edgefw_model_request), .device = c->device, .model = c->path};
}

static edgefw_model_info
open_and_describe(const solver_case *c, const edgefw_model_request *request, edgefw_model **model) {
  edgefw_model_info info = {.size = sizeof info};
  solver_case_ok(c->ctx, edgefw_model_open(c->ctx, request, model));
  edgefw_model_describe(*model, &info);
  return info;
}

static void a_file_says_what_it_is(void **state) {
  const solver_case *c = *state;
  edgefw_model_info info = {.size = sizeof info};
  edgefw_model_describe(c->model, &info);
  assert_string_equal(info.problem, "atsp");
  assert_string_equal(info.path, c->path);
  assert_string_equal(info.heuristics, "nearest");
  assert_string_equal(info.device, c->device);
  assert_false(info.points || info.demands);
  assert_true(info.parameters > 100);
}

static void heuristics_may_be_alone(void **state) {
  const solver_case *c = *state;
  edgefw_model *model = NULL;
  edgefw_model_request request = request_of(c);
  request.model = "none";
  request.points = true;
  const edgefw_model_info info = open_and_describe(c, &request, &model);
  assert_null(info.path);
  assert_non_null(strstr(info.heuristics, "nearest"));
  assert_string_equal(info.problem, "tsp");
  assert_true(info.points);
  assert_int_equal(info.parameters, 0);
  edgefw_model_destroy(model);
}

/* Models of a folder go by their names, and by their problems. */
static void shipped_ones_have_names(void **state) {
  const solver_case *c = *state;
  edgefw_model *model = NULL;
  edgefw_model_request request = request_of(c);
  request.model = "tiny";
  request.model_path = c->box.folder;
  request.heuristics = "none";
  edgefw_model_info info = open_and_describe(c, &request, &model);
  assert_string_equal(info.path, c->path);
  assert_string_equal(info.heuristics, "");
  edgefw_model_destroy(model);
  request.model = NULL;
  info = open_and_describe(c, &request, &model);
  assert_string_equal(info.path, c->path);
  edgefw_model_destroy(model);
}

static void expect(const solver_case *c, const edgefw_model_request *request, edgefw_status status,
                   const char *part) {
  edgefw_model *model = NULL;
  solver_case_fails(c->ctx, edgefw_model_open(c->ctx, request, &model), status, part);
  assert_null(model);
}

static void what_is_wrong_is_told(void **state) {
  const solver_case *c = *state;
  edgefw_model_request request = request_of(c);
  request.problem = "acvrp";
  expect(c, &request, EDGEFW_MISMATCH, "is a model of the problem atsp, not of acvrp");
  request.problem = "nobody";
  expect(c, &request, EDGEFW_PLUGIN_FIND, "nobody");
  request = request_of(c);
  request.heuristics = "nearest, nobody";
  expect(c, &request, EDGEFW_PLUGIN_FIND, "nobody");
  request.heuristics = NULL;
  request.device = "abacus";
  expect(c, &request, EDGEFW_PLUGIN_FIND, "abacus");
  request = request_of(c);
  request.precision = "fp13";
  expect(c, &request, EDGEFW_CONFIG, "precision 'fp13'");
  request = request_of(c);
  request.model = request.heuristics = "none";
  expect(c, &request, EDGEFW_CONFIG, "nothing is left that makes tours");
  request.model = "/nowhere/model.h5";
  expect(c, &request, EDGEFW_IO, "/nowhere/model.h5");
  request.model = "nobody";
  expect(c, &request, EDGEFW_CONFIG, "no model is called 'nobody'");
  request.size = 3;
  expect(c, &request, EDGEFW_INVALID_ARGUMENT, "edgefw_model_request");
}

#define MODEL_TEST(name)                                                                           \
  cmocka_unit_test_setup_teardown(name, solver_case_set_up, solver_case_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      MODEL_TEST(a_file_says_what_it_is),
      MODEL_TEST(heuristics_may_be_alone),
      MODEL_TEST(shipped_ones_have_names),
      MODEL_TEST(what_is_wrong_is_told),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
