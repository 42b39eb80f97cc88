/* The penalty on what is not near (kernels/reference/decode_near.c) by hand, on every device.
 * labels: threads */
#include "support/test.h"

#include <math.h>

#include "support/check.h"
#include "support/near_support.h"

static double penalty_by_hand(const ns_step *s, int64_t j) {
  for (int64_t r = 0; r < s->count; ++r)
    if (s->member[r] == j) return -ns_nearness(s, j);
  return s->p->plan.logits[0].far;
}

static void penalties_by_hand(void **state) {
  ns_check_all(*state, false, penalty_by_hand);
}

/* Logits of the first step after the given ones, on one customer of four: the depot costs nothing
 * although it is the farthest node, and the farthest of the near customers costs 1. */
static void the_depot_is_no_distance_away(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {1, 5, 4, 1, 2, 0, false, 10, &edgefw__reinforce};
  const ds_extras extras = {.depot = true, .penalty = 2};
  const double distance[5] = {9, 0, 1, 4, 2}; /* from node 1: 2 and 4 are near */
  const double expected[5] = {0, 0, -0.5, -0.75, -1};
  ds_problem p;
  ns_create(&p, &shape, &extras);
  for (int j = 0; j < 5; ++j) p.c.tensor[DS_DISTANCE].value[5 + j] = distance[j];
  for (int i = 0; i < devices->count; ++i) {
    ds_rollouts r;
    ds_decode(&p, &devices->item[i], EDGEFW_SELECT_GREEDY, 0, 0, 1, NULL, &r);
    for (int j = 0; j < 5; ++j)
      check_close(r.logits[2 * 5 + j], j == 1 ? 0.0 : 10.0 * tanh(expected[j]), 5e-5, 0.0,
                  devices->item[i].name);
    ds_rollouts_destroy(&r);
  }
  ds_destroy(&p);
}

/* The depot is a member, but its distance, here the largest, is not the scale of customers. */
static void the_depot_sets_no_scale(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {1, 5, 4, 1, 2, 0, false, 10, &edgefw__reinforce};
  const ds_extras extras = {.depot = true, .penalty = 2};
  ds_problem p;
  ns_create(&p, &shape, &extras);
  for (int i = 0; i < 5; ++i) p.c.tensor[DS_DISTANCE].value[5 * i] = 1.5;
  for (int i = 0; i < devices->count; ++i) ns_check(&p, &devices->item[i], penalty_by_hand);
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(penalties_by_hand),
      cmocka_unit_test(the_depot_is_no_distance_away),
      cmocka_unit_test(the_depot_sets_no_scale),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
