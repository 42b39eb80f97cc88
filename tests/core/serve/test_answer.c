/* Answers: tours, routes, failures. */
#include "support/test.h"

#include <string.h>

#include "serve/answer.h"
#include "solver/solutions.h"

static edgefw_context *ctx;
static edgefw_solutions *solutions;

static void give(const int32_t *nodes, int64_t count, double bound) {
  memcpy(solutions->nodes, nodes, (size_t)count * sizeof *nodes);
  solutions->lengths[0] = count;
  solutions->costs[0] = 12.5;
  solutions->bounds[0] = bound;
  solutions->makers[0] = edgefw__solutions_maker(solutions, "policy");
}

static void expect(const edgefw__request *request, const edgefw_model_info *model,
                   const char *begin) {
  edgefw__text text = {.ctx = ctx};
  edgefw__answer_solution(request, model, solutions, &text);
  assert_memory_equal(edgefw__text_get(&text), begin, strlen(begin));
  assert_string_equal(text.data + text.length - 2, "}\n");
  edgefw__text_release(&text);
}

static void a_tour_is_one_array(void **state) {
  (void)state;
  const edgefw__request request = {.id = "7"};
  give((const int32_t[]){2, 0, 1}, 3, 1.0);
  expect(&request, &(edgefw_model_info){.problem = "atsp"},
         "{\"id\":7,\"status\":\"OK\",\"problem\":\"atsp\",\"cost\":12.5,\"tour\":[2,0,1],"
         "\"maker\":\"policy\",\"stopped\":false,\"seconds\":0.0");
}

static void routes_are_one_each(void **state) {
  (void)state;
  const edgefw__request request = {
      .id = "\"x\"", .instances = {.depot = 2}, .settings = {.bound = true}};
  give((const int32_t[]){2, 0, 1, 2, 3}, 5, 3.0);
  solutions->stopped = true;
  expect(&request, &(edgefw_model_info){.problem = "acvrp", .demands = true},
         "{\"id\":\"x\",\"status\":\"OK\",\"problem\":\"acvrp\",\"cost\":12.5,\"bound\":3,"
         "\"routes\":[[0,1],[3]],\"maker\":\"policy\",\"stopped\":true,");
  solutions->stopped = false;
}

static void failures_say_where(void **state) {
  (void)state;
  edgefw__text text = {.ctx = ctx};
  edgefw__answer_failure("7", 12, EDGEFW_FORMAT, "not \"good\"", &text);
  assert_string_equal(edgefw__text_get(&text), "{\"id\":7,\"status\":\"FORMAT\",\"line\":12,"
                                               "\"message\":\"not \\\"good\\\"\"}\n");
  edgefw__text_release(&text);
}

static int set_up(void **state) {
  (void)state;
  if (edgefw_context_create(&ctx, NULL) != EDGEFW_OK) return 1;
  return (int)edgefw__solutions_create(ctx, 1, 8, &solutions);
}

static int tear_down(void **state) {
  (void)state;
  edgefw_solutions_destroy(solutions);
  edgefw_context_destroy(ctx);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tour_is_one_array),
      cmocka_unit_test(routes_are_one_each),
      cmocka_unit_test(failures_say_where),
  };
  return test_run(tests, set_up, tear_down);
}
