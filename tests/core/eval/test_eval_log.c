/* What ranks have found of a set, put together.
 * labels: threads */
#include "support/test.h"

#include <string.h>

#include "eval/eval_log.h"
#include "support/toy_ranks.h"

enum { COUNT = 9, EACH = 2 };

/* What a reader has seen. */
typedef struct seen {
  int64_t instances, batches, next;
  bool in_order;
} seen;

static void see_batch(void *user, const edgefw__eval_entry *entry) {
  seen *s = user;
  s->in_order &= entry->first == s->next && entry->starts == entry->first;
  ++s->batches;
}

static edgefw_status see_instance(void *user, edgefw__eval_found *found) {
  seen *s = user;
  const edgefw__eval_answer *answer = &found->answer;
  s->in_order &= answer->instance == s->next && answer->tour[0] == (int32_t)s->next &&
                 answer->count == 1 + s->next % 3 && answer->constructed == 0.5;
  ++s->next;
  ++s->instances;
  return EDGEFW_OK;
}

/* Instances first, first + 1 of a set of COUNT, whose tours differ in their length. */
static void add(edgefw__eval_log *log, int64_t first) {
  const int64_t left = COUNT - first, count = left < EACH ? left : EACH;
  edgefw__eval_log_batch(log,
                         &(edgefw__eval_entry){.first = first, .count = count, .starts = first});
  for (int64_t i = first; i < first + count; ++i) {
    const int32_t tour[3] = {(int32_t)i, 1, 2};
    const edgefw__eval_found found = {
        .answer = {.instance = i, .tour = tour, .count = 1 + i % 3, .constructed = 0.5}};
    edgefw__eval_log_add(log, &found);
  }
}

/* The later ranks have the earlier instances. */
static edgefw_status collect(edgefw__group *group, void *user) {
  edgefw__eval_log log = {.bytes = {.ctx = group->ctx}};
  seen s = {.in_order = true};
  const bool misses = user != NULL;
  for (int64_t first = 0; first < COUNT; first += EACH)
    if (first / EACH % group->ranks == group->ranks - 1 - group->rank && !(misses && first == 4))
      add(&log, first);
  edgefw_status status = edgefw__eval_log_collect(&log, group);
  if (status == EDGEFW_OK && group->rank == 0) {
    status =
        edgefw__eval_log_read(&log, COUNT, &(edgefw__eval_reader){see_batch, see_instance, &s});
    if (status == EDGEFW_OK && (!s.in_order || s.instances != COUNT || s.batches != 5))
      status = edgefw_fail(group->ctx, EDGEFW_INTERNAL, "not what was added");
  }
  edgefw__eval_log_release(&log);
  return status;
}

static void rank_0_reads_all_in_order(void **state) {
  (void)state;
  for (int ranks = 2; ranks <= 6; ++ranks) toy_ranks_run(ranks, collect, NULL, 0);
}

static void a_gap_is_found(void **state) {
  (void)state;
  edgefw_status statuses[2];
  char messages[2][512];
  toy_ranks_try(2, collect, messages, 0, statuses, messages);
  assert_int_equal(statuses[0], EDGEFW_INTERNAL);
  assert_non_null(strstr(messages[0], "no rank has evaluated instance 4"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rank_0_reads_all_in_order),
                                     cmocka_unit_test(a_gap_is_found)};
  return test_run(tests, NULL, NULL);
}
