/* The answer to each line.
 * needs plugins: atsp radar nearest */
#include "support/test.h"

#include <string.h>

#include "serve/worker.h"
#include "support/solver_case.h"

static edgefw_model *models[1];

static void expect(edgefw__worker *worker, const char *text, const char *begin) {
  char copy[512] = "";
  if (text) memcpy(copy, text, strlen(text) + 1);
  const edgefw__line line = {.text = text ? copy : NULL, .length = text ? strlen(text) : 9999};
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__text answer = {.ctx = ctx};
  edgefw__worker_answer(worker, &line, 5, &answer);
  assert_memory_equal(edgefw__text_get(&answer), begin, strlen(begin));
  assert_true((*begin != '\0') == (answer.length > 0));
  edgefw__text_release(&answer);
  edgefw_context_destroy(ctx);
}

static void every_line_has_its_answer(void **state) {
  solver_case *c = *state;
  models[0] = c->model;
  const edgefw__server_settings settings = {.threads = 1,
                                            .most_bytes = 100,
                                            .most_nodes = 4,
                                            .most_seconds = 5.0,
                                            .solve = {.size = sizeof settings.solve, .starts = 1},
                                            .models = models,
                                            .model_count = 1};
  edgefw__worker *worker = NULL;
  solver_case_ok(c->ctx, edgefw__worker_create(c->ctx, &settings, NULL, &worker));
  for (int round = 0; round < 2; ++round) {
    expect(worker, "{\"id\":1,\"matrix\":[[0,1,9],[9,0,1],[1,9,0]]}",
           "{\"id\":1,\"status\":\"OK\",\"problem\":\"atsp\",\"cost\":3,\"tour\":[0,1,2],");
    expect(worker, " \r", "");
    expect(worker, "{\"id\":2}", "{\"id\":2,\"status\":\"FORMAT\",\"line\":5,");
    expect(worker, NULL,
           "{\"id\":null,\"status\":\"UNSUPPORTED\",\"line\":5,\"message\":\"the "
           "request has more than 100 bytes");
    expect(worker, "{\"id\":3,\"points\":[[0,1],[2,3]]}",
           "{\"id\":3,\"status\":\"UNSUPPORTED\",\"line\":5,\"message\":\"no problem that is "
           "served here takes points without demands");
    expect(worker, "{\"id\":4,\"problem\":\"tsp\",\"matrix\":[[0,1],[1,0]]}",
           "{\"id\":4,\"status\":\"UNSUPPORTED\",\"line\":5,\"message\":\"the problem 'tsp' is "
           "not served here");
    expect(worker, "{\"id\":5,\"time_limit\":6,\"matrix\":[[0,1],[1,0]]}",
           "{\"id\":5,\"status\":\"UNSUPPORTED\",\"line\":5,\"message\":\"a time_limit of 6 s");
    expect(worker,
           "{\"id\":6,\"matrix\":[[0,1,1,1,1],[1,0,1,1,1],[1,1,0,1,1],[1,1,1,0,1],[1,1,1,1,0]]}",
           "{\"id\":6,\"status\":\"UNSUPPORTED\",\"line\":5,\"message\":\"5 nodes");
  }
  edgefw__worker_destroy(worker);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
      every_line_has_its_answer, solver_case_set_up, solver_case_tear_down)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
