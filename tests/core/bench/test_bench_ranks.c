/* A training step that ranks share, which are threads here: what of it is talk.
 * labels: threads */
#include "support/test.h"

#include <string.h>

#include "support/bench_tiny.h"
#include "support/check.h"
#include "support/toy_ranks.h"

typedef struct job {
  uint32_t sections;
  double seconds[3], share, sent, parameters;
  int64_t rollouts;
  int ranks;
} job;

static void keep(job *j, const edgefw__bench_report *report) {
  const edgefw__bench_group *group = &report->groups[0];
  static const char *const names[] = {"work", "exchange", "step"};
  for (int r = 0; r < 3 && r < group->row_count; ++r)
    if (strcmp(group->rows[r].name, names[r]) == 0)
      j->seconds[r] = group->rows[r].timing.seconds[0];
  j->share = group->rows[1].ratio;
  j->sent = group->sent;
  j->rollouts = group->rollouts;
  j->ranks = report->ranks;
  j->parameters = (double)report->parameters;
}

static edgefw_status measure(edgefw__group *group, void *user) {
  job *j = user;
  tiny_model tiny;
  edgefw_context *own = group->ctx;
  edgefw__bench_report *report = NULL;
  edgefw__bench_settings settings = bench_tiny_settings(j->sections);
  tiny_begin(&tiny, NULL, TINY_PLAIN, "cpu");
  edgefw_set_threads(tiny.ctx, 1);
  group->ctx = tiny.ctx;
  settings.group = group;
  const char *sets[16] = {"train.batch=9", "train.slice = 1"};
  for (int s = 0; s < settings.set_count; ++s) sets[2 + s] = settings.sets[s];
  settings.sets = sets;
  settings.set_count += 2;
  edgefw_status status = edgefw__bench(tiny.ctx, tiny.registry, &settings, &report);
  if (status == EDGEFW_OK) keep(j, report);
  if (status != EDGEFW_OK) status = edgefw_fail(own, status, "%s", edgefw_message(tiny.ctx));
  edgefw__bench_report_destroy(report);
  tiny_close(&tiny);
  group->ctx = own;
  return status;
}

static void a_step_is_work_and_exchange(void **state) {
  (void)state;
  job jobs[2] = {{.sections = EDGEFW__BENCH_TRAIN}, {.sections = EDGEFW__BENCH_TRAIN}};
  toy_ranks_run(2, measure, jobs, sizeof *jobs);
  const job *j = &jobs[0];
  assert_true(j->seconds[0] > 0.0 && j->seconds[1] > 0.0);
  check_close(j->seconds[0] + j->seconds[1], j->seconds[2], 0, 1e-12, "the step");
  check_close(j->share, j->seconds[1] / j->seconds[2], 0, 1e-12, "the exchange's share");
  assert_int_equal(j->rollouts, 6);
  assert_int_equal(j->ranks, 2);
  /* Half of the gradient and half of the parameters, and a few numbers beside them. */
  assert_true(j->sent > 3.5 * j->parameters && j->sent < 4.5 * j->parameters + 1024.0);
}

static void training_alone_is_measured(void **state) {
  (void)state;
  job jobs[2] = {{.sections = 0}, {.sections = 0}};
  edgefw_status statuses[2];
  char messages[2][512];
  toy_ranks_try(2, measure, jobs, sizeof *jobs, statuses, messages);
  assert_int_equal(statuses[0], EDGEFW_CONFIG);
  assert_int_equal(statuses[1], EDGEFW_CONFIG);
  assert_non_null(strstr(messages[0], "add --only train"));
}

int main(void) {
  if (bench_tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_is_work_and_exchange),
                                     cmocka_unit_test(training_alone_is_measured)};
  return test_run(tests, NULL, NULL);
}
