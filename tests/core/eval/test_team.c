/* Evaluation on several ranks, which are threads here: the results of one.
 * labels: rollout threads */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "eval/team.h"
#include "support/check.h"
#include "support/tiny_model.h"
#include "support/toy_ranks.h"

#define CONFIG(more)                                                                               \
  TINY_OURS "[eval]\nsizes = 6, 5\ninstances = 11, 2\nbatch = 2\nlogit_clip = 10\n" more
enum { SETS = 2, COUNT = 11 };

typedef struct job {
  const char *text;
  bool fails; /* the receiver does */
  int64_t answers;
  double costs[SETS][COUNT];
  int32_t first_nodes[SETS][COUNT];
  edgefw__eval_result results[SETS];
  int set;
} job;

static edgefw_status receive(void *user, const edgefw__eval_answer *answer) {
  job *j = user;
  if (j->fails || answer->instance != j->answers || answer->count < 5) return EDGEFW_INTERNAL;
  j->costs[j->set][j->answers] = answer->cost;
  j->first_nodes[j->set][j->answers] = answer->tour[1];
  ++j->answers;
  return strcmp(answer->origin, EDGEFW__ORIGIN_POLICY) == 0 ? EDGEFW_OK : EDGEFW_INTERNAL;
}

static edgefw_status lead(tiny_model *tiny, job *j) {
  const edgefw__eval_settings settings = edgefw__eval_settings_from(tiny->composition);
  edgefw__instance_set *sets = NULL;
  edgefw_arena *arena = NULL;
  int count = 0;
  edgefw_status status = edgefw_arena_create(tiny->ctx, &arena, "sets", 0, true);
  if (status == EDGEFW_OK)
    status = edgefw__model_create(&tiny->engine, tiny->composition, 5, false, &tiny->model);
  if (status == EDGEFW_OK)
    status = edgefw__eval_sets(tiny->ctx, arena, tiny->composition, &sets, &count);
  for (j->set = 0; status == EDGEFW_OK && j->set < count; ++j->set) {
    j->answers = 0;
    status = edgefw__eval_team(tiny->model, &sets[j->set], &settings, NULL, NULL,
                               &j->results[j->set], receive, j);
  }
  edgefw__group_dismiss(tiny->engine.group);
  edgefw_arena_destroy(arena);
  return status;
}

static edgefw_status help(tiny_model *tiny) {
  edgefw_status status = EDGEFW_OK;
  while (status == EDGEFW_OK) {
    edgefw__call call = {.kind = 0};
    status = edgefw__group_call(tiny->engine.group, &call);
    if (status != EDGEFW_OK || call.kind == EDGEFW__CALL_QUIT) break;
    status = edgefw__eval_team_serve(&tiny->engine, tiny->composition, &call);
  }
  return status;
}

static edgefw_status work(edgefw__group *group, void *user) {
  job *j = user;
  tiny_model tiny;
  edgefw_context *own = group->ctx;
  tiny_begin(&tiny, NULL, j->text, tiny_has_device("cpu") ? "cpu" : "reference");
  group->ctx = tiny.ctx;
  tiny.engine.group = group;
  edgefw_status status = group->rank == 0 ? lead(&tiny, j) : help(&tiny);
  if (status != EDGEFW_OK) status = edgefw_fail(own, status, "%s", edgefw_message(tiny.ctx));
  tiny_close(&tiny);
  group->ctx = own;
  return status;
}

static void evaluate(const char *text, int ranks, job jobs[4]) {
  for (int r = 0; r < ranks; ++r) jobs[r] = (job){.text = text};
  toy_ranks_run(ranks, work, jobs, sizeof *jobs);
}

static void ranks_find_what_one_finds(void **state) {
  (void)state;
  static const char *const texts[] = {CONFIG(""),
                                      CONFIG("select = sample\n[search]\nimprove = local\n")};
  for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) {
    job alone[4], jobs[4];
    evaluate(texts[t], 1, alone);
    for (int ranks = 2; ranks <= 4; ++ranks) {
      evaluate(texts[t], ranks, jobs);
      check_same_bits(jobs[0].costs, alone[0].costs, sizeof alone[0].costs, "costs");
      check_same_bits(jobs[0].first_nodes, alone[0].first_nodes, sizeof alone[0].first_nodes,
                      "tours");
      for (int s = 0; s < SETS; ++s) {
        const edgefw__eval_result *got = &jobs[0].results[s], *expected = &alone[0].results[s];
        assert_true(got->objective == expected->objective);
        assert_true(got->constructed == expected->constructed);
        assert_true(got->plain_objective == expected->plain_objective);
        assert_true(got->seconds > 0.0);
      }
    }
  }
}

/* The failure of one call is over with it. */
static void a_failure_leaves_nobody_waiting(void **state) {
  (void)state;
  edgefw_status statuses[3];
  job jobs[3];
  for (int r = 0; r < 3; ++r) jobs[r] = (job){.text = CONFIG(""), .fails = true};
  toy_ranks_try(3, work, jobs, sizeof *jobs, statuses, NULL);
  assert_int_equal(statuses[0], EDGEFW_INTERNAL);
  assert_int_equal(statuses[1], EDGEFW_OK);
  assert_int_equal(statuses[2], EDGEFW_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_find_what_one_finds),
                                     cmocka_unit_test(a_failure_leaves_nobody_waiting)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
