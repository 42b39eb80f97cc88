/* Numbers that follow the path (kernels/cpu/paths.c), several at once, on every device: what each
 * keeps stays with its rollout while others finish and give up their places.
 * labels: threads */
#include "support/test.h"

#include <string.h>

#include "support/check.h"
#include "support/decode_support.h"

static const edgefw_feature four[4] = {{.kind = EDGEFW_FEATURE_PATH,
                                        .path = EDGEFW_PATH_REMAINING_MIN,
                                        .table = 0,
                                        .row = EDGEFW_CANDIDATE,
                                        .column = EDGEFW_CLOSING},
                                       {.kind = EDGEFW_FEATURE_PATH,
                                        .path = EDGEFW_PATH_REMAINING_MIN,
                                        .table = 2,
                                        .row = EDGEFW_CANDIDATE,
                                        .column = EDGEFW_CLOSING},
                                       {.kind = EDGEFW_FEATURE_PATH,
                                        .path = EDGEFW_PATH_REMAINING_MIN,
                                        .table = 2,
                                        .row = EDGEFW_CURRENT,
                                        .column = EDGEFW_CANDIDATE},
                                       {.kind = EDGEFW_FEATURE_PATH,
                                        .path = EDGEFW_PATH_REMAINING_MIN,
                                        .table = 0,
                                        .row = EDGEFW_CURRENT,
                                        .column = EDGEFW_CANDIDATE}};

/* Routes of different numbers, so that rollouts finish at different steps. */
static void create(ds_problem *p, int64_t n, int64_t rollouts) {
  const ds_shape shape = {2, n, rollouts, 1, 4, 5, false, 10, &edgefw__reinforce};
  const ds_extras extras = {.depot = true, .resources = 1};
  ds_create_with(p, &shape, &extras, "decode", 0.5);
  memcpy(p->plan.features, four, sizeof four);
  p->plan.feature_count = 4;
}

static void rollouts_that_finish_apart_agree(void **state) {
  static const int64_t sizes[][2] = {{2, 1}, {3, 2}, {9, 8}, {23, 22}};
  for (int k = 0; k < 4; ++k) {
    ds_problem p;
    create(&p, sizes[k][0], sizes[k][1]);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

static void each_rollout_is_the_same_alone(void **state) {
  const ks_devices *devices = *state;
  enum { N = 23, S = 22 };
  ds_problem p;
  create(&p, N, S);
  for (int i = 0; i < devices->count; ++i) {
    ds_rollouts all, alone;
    ds_decode(&p, &devices->item[i], EDGEFW_SELECT_SAMPLE, 3, 0, S, NULL, &all);
    for (int s = 0; s < S; s += 7) {
      ds_decode(&p, &devices->item[i], EDGEFW_SELECT_SAMPLE, 3, s, 1, NULL, &alone);
      for (int b = 0; b < 2; ++b)
        check_same_bits(alone.tours + b * p.steps, all.tours + (b * S + s) * p.steps,
                        (size_t)p.steps * sizeof(int32_t), "tour");
      ds_rollouts_destroy(&alone);
    }
    ds_rollouts_destroy(&all);
  }
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rollouts_that_finish_apart_agree),
                                     cmocka_unit_test(each_rollout_is_the_same_alone)};
  return test_run(tests, ks_setup, ks_teardown);
}
