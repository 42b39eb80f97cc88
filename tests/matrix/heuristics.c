/* heuristics PROBLEM HEURISTIC: where the two go together, an evaluation gives the same checked
 * tours twice, and improving them makes none dearer; where not, composing says why. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "conformance/matrix.h"
#include "eval/evaluate.h"
#include "support/check.h"
#include "support/tiny_model.h"

enum { COUNT = 5, SIZE = 9 };

static const char *problem_name, *heuristic_name;

static edgefw_status keep(void *user, const edgefw__eval_answer *answer) {
  ((double *)user)[answer->instance] = answer->cost;
  return EDGEFW_OK;
}

static void evaluate(const tiny_model *tiny, bool improve, double costs[COUNT]) {
  const edgefw_problem *problem = &tiny->composition->problem->vtable.problem;
  const edgefw__instance_set set = {.name = "matrix",
                                    .n = edgefw__problem_nodes(problem, SIZE),
                                    .size = SIZE,
                                    .count = COUNT,
                                    .seed = 2026};
  edgefw__eval_settings settings = edgefw__eval_settings_from(tiny->composition);
  edgefw__eval_result result;
  settings.improve = improve;
  settings.batch = 2;
  tiny_ok(tiny, edgefw__evaluate(tiny->model, &set, &settings, NULL, NULL, &result, keep, costs));
}

static void run(const char *text) {
  tiny_model tiny;
  double costs[COUNT], again[COUNT], improved[COUNT];
  tiny_begin(&tiny, NULL, text, "reference");
  tiny_ok(&tiny, edgefw__model_constructing(&tiny.engine, tiny.composition, &tiny.model));
  evaluate(&tiny, false, costs);
  edgefw_set_threads(tiny.ctx, 3);
  evaluate(&tiny, false, again);
  check_same_bits(again, costs, sizeof costs, "costs");
  evaluate(&tiny, true, improved);
  for (int i = 0; i < COUNT; ++i) assert_true(improved[i] <= costs[i] * (1.0 + 1e-12));
  tiny_close(&tiny);
}

static void they_go_together_as_they_say(void **state) {
  (void)state;
  const char *folder = EDGEFW_BUILD_DIR "/lib/edgefw";
  edgefw_context *ctx = NULL;
  edgefw_arena *arena = NULL;
  edgefw__registry *registry = NULL;
  const edgefw__matrix_cell *cells = NULL;
  edgefw__config *config = NULL;
  size_t count = 0, c = 0;
  char text[256];
  snprintf(text, sizeof text, "[problem]\nname = %s\n[variant h]\nconstruct = %s\n", problem_name,
           heuristic_name);
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  assert_int_equal(edgefw__registry_create_from(ctx, &folder, 1, &registry), EDGEFW_OK);
  assert_int_equal(edgefw_arena_create(ctx, &arena, "matrix", 0, true), EDGEFW_OK);
  assert_int_equal(edgefw__matrix(ctx, arena, registry, &cells, &count), EDGEFW_OK);
  while (c < count &&
         (!cells[c].heuristic || strcmp(cells[c].problem->descriptor->name, problem_name) != 0 ||
          strcmp(cells[c].heuristic->descriptor->name, heuristic_name) != 0))
    ++c;
  if (c == count)
    fail_msg("there is no problem %s or no heuristic %s", problem_name, heuristic_name);
  if (cells[c].why) {
    assert_int_equal(edgefw__compose_text(ctx, registry, text, "test", &config),
                     EDGEFW_UNSUPPORTED);
    assert_non_null(strstr(edgefw_message(ctx), strchr(cells[c].why, ':') + 2));
  } else {
    run(text);
  }
  edgefw_arena_destroy(arena);
  edgefw__registry_destroy(registry);
  edgefw_context_destroy(ctx);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    print_error("usage: heuristics PROBLEM HEURISTIC\n");
    return 2;
  }
  problem_name = argv[1];
  heuristic_name = argv[2];
  const struct CMUnitTest tests[] = {cmocka_unit_test(they_go_together_as_they_say)};
  return test_run(tests, NULL, NULL);
}
