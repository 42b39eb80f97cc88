/* What ranks do together, and what one process does alone.
 * labels: threads */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/toy_ranks.h"

static edgefw_status fault(edgefw__group *group, const char *what) {
  return edgefw_fail(group->ctx, EDGEFW_INTERNAL, "%s", what);
}

static edgefw_status gather(edgefw__group *group, void *user) {
  const int64_t mine = 10 * group->rank;
  int64_t all[4] = {0};
  (void)user;
  const edgefw_status status = edgefw__group_gather(group, &mine, sizeof mine, all);
  for (int r = 0; r < group->ranks; ++r)
    if (all[r] != 10 * r) return fault(group, "gathered numbers differ");
  return status;
}

static edgefw_status call(edgefw__group *group, void *user) {
  edgefw__call call = {.kind = 0};
  (void)user;
  if (group->rank == 0) {
    call = (edgefw__call){.kind = EDGEFW__CALL_STEP, .numbers = {1, 2, 3}};
    snprintf(call.name, sizeof call.name, "ours");
  }
  edgefw_status status = edgefw__group_call(group, &call);
  if (call.kind != EDGEFW__CALL_STEP || call.numbers[2] != 3 || strcmp(call.name, "ours") != 0)
    return fault(group, "the call differs");
  if (group->rank == 0) edgefw__group_dismiss(group);
  if (group->rank != 0) status = edgefw__group_call(group, &call);
  if (group->rank != 0 && call.kind != EDGEFW__CALL_QUIT) return fault(group, "it is not over");
  return status;
}

static void all_get_what_all_have(void **state) {
  (void)state;
  for (int ranks = 2; ranks <= 4; ++ranks) {
    toy_ranks_run(ranks, gather, NULL, 0);
    toy_ranks_run(ranks, call, NULL, 0);
  }
}

/* Ranks 1 and 2 fail; a second time nobody does. */
static edgefw_status agree(edgefw__group *group, void *user) {
  (void)user;
  edgefw_status status = EDGEFW_OK;
  if (group->rank == 1) status = edgefw_fail(group->ctx, EDGEFW_NUMERIC, "a number is none");
  if (group->rank == 2) status = edgefw_fail(group->ctx, EDGEFW_IO, "a file is gone");
  status = edgefw__group_agree(group, status);
  if (status != EDGEFW_NUMERIC) return fault(group, "not the first failure");
  if (strcmp(edgefw_message(group->ctx), "rank 1 on host1: a number is none") != 0)
    return fault(group, edgefw_message(group->ctx));
  edgefw_clear(group->ctx);
  return edgefw__group_agree(group, EDGEFW_OK);
}

static void the_first_failure_is_everybodys(void **state) {
  (void)state;
  toy_ranks_run(3, agree, NULL, 0);
}

/* Rank 2 has another one, then nobody. */
static edgefw_status compare(edgefw__group *group, void *user) {
  (void)user;
  edgefw_status status = edgefw__group_compare(group, group->rank == 2 ? 8 : 7, "configuration");
  if (status != EDGEFW_MISMATCH) return fault(group, "not noticed");
  if (strcmp(edgefw_message(group->ctx),
             "rank 2 on host2: it has another configuration than rank 0") != 0)
    return fault(group, edgefw_message(group->ctx));
  edgefw_clear(group->ctx);
  return edgefw__group_compare(group, 7, "configuration");
}

static void a_stranger_is_named(void **state) {
  (void)state;
  toy_ranks_run(4, compare, NULL, 0);
  assert_int_equal(edgefw__group_compare(NULL, 7, "configuration"), EDGEFW_OK);
}

static edgefw_status count(edgefw__group *group, void *user) {
  int64_t *sum = user;
  for (int i = 0; i < 100; ++i) {
    int64_t before = -1;
    const edgefw_status status = edgefw__group_next(group, 2, &before);
    if (status != EDGEFW_OK) return status;
    *sum += before;
  }
  return EDGEFW_OK;
}

/* Every number is given out once. */
static void the_counter_is_shared(void **state) {
  (void)state;
  int64_t sums[3] = {0};
  toy_ranks_run(3, count, sums, sizeof *sums);
  assert_int_equal(sums[0] + sums[1] + sums[2], 2 * (299 * 300 / 2));
}

static void alone_nothing_is_sent(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  int64_t one = 7, all = 0;
  const size_t zero = 0, bytes = sizeof one;
  assert_true(edgefw__group_leads(NULL));
  assert_false(edgefw__group_is_shared(NULL));
  assert_int_equal(edgefw__group_broadcast(NULL, &one, sizeof one), EDGEFW_OK);
  assert_int_equal(edgefw__group_gather(NULL, &one, sizeof one, &all), EDGEFW_OK);
  assert_int_equal(all, 7);
  one = 8;
  const edgefw_exchange parts = {&one, &zero, &bytes, &all, &zero, &bytes};
  assert_int_equal(edgefw__group_exchange(NULL, &parts), EDGEFW_OK);
  assert_int_equal(all, 8);
  assert_int_equal(edgefw__group_agree(NULL, EDGEFW_IO), EDGEFW_IO);
  assert_true(edgefw__group_share(NULL, 64, 16) == 1.0);
  const edgefw__group three = {.ranks = 3};
  assert_true(edgefw__group_share(&three, 64, 16) == 0.5); /* two turns of 16, of 64 */
  assert_true(edgefw__group_share(&three, 64, 64) == 1.0);
  edgefw__group_set_threads(NULL, ctx, 3);
  assert_int_equal(edgefw_threads(ctx), 3);
  edgefw__group_dismiss(NULL);
  edgefw__group_tell(NULL);
  edgefw__group_close(NULL, 0);
  edgefw_context_destroy(ctx);
}

/* A launcher without a communicator: nobody trains four times by himself. */
static void a_missing_communicator_is_named(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  edgefw__registry *registry = NULL;
  edgefw__group *group = NULL;
  const char *const folders[] = {EDGEFW_BUILD_DIR "/nowhere"};
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  assert_int_equal(edgefw__registry_create_from(ctx, folders, 1, &registry), EDGEFW_OK);
  setenv("PMI_RANK", "1", 1);
  setenv("PMI_SIZE", "4", 1);
  assert_int_equal(edgefw__group_open(ctx, registry, &group), EDGEFW_PLUGIN_FIND);
  assert_non_null(strstr(edgefw_message(ctx), "mpiexec started 4 processes"));
  assert_non_null(strstr(edgefw_message(ctx), "EDGEFW_MPI=ON"));
  edgefw__group_close(group, 0);
  unsetenv("PMI_RANK");
  unsetenv("PMI_SIZE");
  edgefw_clear(ctx);
  assert_int_equal(edgefw__group_open(ctx, registry, &group), EDGEFW_OK);
  assert_null(group);
  edgefw__registry_destroy(registry);
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_get_what_all_have), cmocka_unit_test(the_first_failure_is_everybodys),
      cmocka_unit_test(a_stranger_is_named),   cmocka_unit_test(the_counter_is_shared),
      cmocka_unit_test(alone_nothing_is_sent), cmocka_unit_test(a_missing_communicator_is_named)};
  for (size_t v = 0; v < 4; ++v)
    unsetenv((const char *[]){"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "SLURM_PROCID",
                              "WORLD_SIZE"}[v]);
  return test_run(tests, NULL, NULL);
}
