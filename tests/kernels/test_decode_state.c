/* What is open to a rollout with a depot and resources (kernels/reference/decode_state.c), on every
 * device: routes worked out by hand, and visits that are refused.
 * labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"
#include "support/expect.h"

#include <string.h>

#define SHARED &edgefw__reinforce

static const ds_extras one_load = {.depot = true, .resources = 1};

/* --- Routes by hand ----------------------------------------------------------------------------
 */

/* A problem in which the logit falls from node to node in the order `wish`, whatever else. */
static void create_wish(ds_problem *p, const ds_extras *extras, int64_t n, int64_t rollouts,
                        const int *wish) {
  const ds_shape shape = {1, n, rollouts, 1, 2, 0, false, 10, SHARED};
  ds_create_with(p, &shape, extras, "decode", 1.0);
  for (int64_t i = 0; i < p->c.tensor[DS_FOLD].count; ++i) p->c.tensor[DS_FOLD].value[i] = 0.0;
  for (int64_t i = 0; i < n; ++i)
    p->c.tensor[DS_FOLD_BIAS].value[wish[i]] = 0.5 - 0.0625 * (double)i;
}

static void check_greedy(const ks_devices *devices, const ds_problem *p, const int32_t *expected) {
  const int64_t steps = p->steps;
  for (int i = 0; i < devices->count; ++i) {
    ds_rollouts r;
    ds_decode(p, &devices->item[i], EDGEFW_SELECT_GREEDY, 0, 0, p->shape.rollouts, NULL, &r);
    for (int64_t s = 0; s < r.rollouts; ++s) {
      const int32_t *tour = r.tours + s * steps;
      for (int64_t t = 0; t < steps; ++t) assert_int_equal(tour[t], expected[s * steps + t]);
      check_close(r.lengths[s], ds_length(p, 0, tour), 1e-12, 0.0, "length");
    }
    ds_rollouts_destroy(&r);
  }
}

/* 3 + 3 + 3 + 1 of 10 is one route, from wherever it starts. */
static void a_full_load_is_one_route(void **state) {
  const int wish[5] = {4, 3, 2, 1, 0};
  const double demand[5] = {0, 3, 3, 3, 1};
  const int32_t expected[4][10] = {
      {0, 1, 4, 3, 2}, {0, 2, 4, 3, 1}, {0, 3, 4, 2, 1}, {0, 4, 3, 2, 1}};
  ds_problem p;
  create_wish(&p, &one_load, 5, 4, wish);
  memcpy(p.demand[0], demand, sizeof demand);
  p.capacity[0][0] = 10.0;
  check_greedy(*state, &p, expected[0]);
  ds_destroy(&p);
}

/* 500005 + 500000 of 1000000 are two, however close. */
static void an_overloaded_route_is_two(void **state) {
  const int wish[3] = {1, 2, 0};
  const double demand[3] = {0, 500005, 500000};
  const int32_t expected[2][6] = {{0, 1, 0, 2}, {0, 2, 0, 1}};
  ds_problem p;
  create_wish(&p, &one_load, 3, 2, wish);
  memcpy(p.demand[0], demand, sizeof demand);
  p.capacity[0][0] = 1e6;
  check_greedy(*state, &p, expected[0]);
  ds_destroy(&p);
}

/* What rounding takes from a fractional load, the slack gives back: 1 - 0.3 - 0.3 - 0.3 < 0.1. */
static void fractions_fit_by_their_slack(void **state) {
  const int wish[11] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0};
  const double thirds[5] = {0, 0.3, 0.3, 0.3, 0.1};
  const ds_extras extras = {.depot = true, .resources = 1, .fractional = true};
  const int32_t one[22] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, whole[10] = {0, 1, 2, 3, 4};
  const int32_t cut[10] = {0, 1, 2, 3, 0, 4};
  ds_problem p;
  create_wish(&p, &extras, 11, 1, wish);
  for (int j = 1; j < 11; ++j) p.demand[0][j] = 0.1;
  p.capacity[0][0] = 1.0;
  p.slack[0][0] = 1e-9;
  check_greedy(*state, &p, one);
  ds_destroy(&p);
  const int wish_of_five[5] = {1, 2, 3, 4, 0};
  create_wish(&p, &extras, 5, 1, wish_of_five);
  memcpy(p.demand[0], thirds, sizeof thirds);
  p.capacity[0][0] = 1.0;
  p.slack[0][0] = 1e-9;
  check_greedy(*state, &p, whole);
  p.slack[0][0] = 0.0;
  check_greedy(*state, &p, cut);
  ds_destroy(&p);
}

/* Either of two resources ends a route; the depot refills both. */
static void two_resources_bind(void **state) {
  const int wish[5] = {1, 2, 3, 4, 0};
  const double weight[5] = {0, 5, 5, 1, 1}, volume[5] = {0, 1, 1, 9, 9};
  const ds_extras extras = {.depot = true, .resources = 2};
  /* 1 and 2 fill the weight; 3 and 4 do not fit the volume together. */
  const int32_t expected[10] = {0, 1, 2, 0, 3, 0, 4};
  ds_problem p;
  create_wish(&p, &extras, 5, 1, wish);
  memcpy(p.demand[0], weight, sizeof weight);
  memcpy(p.demand[1], volume, sizeof volume);
  p.capacity[0][0] = 10.0;
  p.capacity[1][0] = 12.0;
  check_greedy(*state, &p, expected);
  ds_destroy(&p);
}

/* The depot whenever it may be: the longest tour that there is. And one customer alone. */
static void a_depot_between_all_customers(void **state) {
  const int wish[4] = {0, 3, 2, 1};
  const int32_t expected[3][8] = {{0, 1, 0, 3, 0, 2}, {0, 2, 0, 3, 0, 1}, {0, 3, 0, 2, 0, 1}};
  const int32_t alone[4] = {0, 1};
  const ds_extras depot_alone = {.depot = true};
  ds_problem p;
  for (int resources = 0; resources < 2; ++resources) {
    create_wish(&p, resources ? &one_load : &depot_alone, 4, 3, wish);
    check_greedy(*state, &p, expected[0]);
    ds_destroy(&p);
    const int wish_of_two[2] = {0, 1};
    create_wish(&p, resources ? &one_load : &depot_alone, 2, 1, wish_of_two);
    check_greedy(*state, &p, alone);
    ds_destroy(&p);
  }
}

/* --- What is refused ---------------------------------------------------------------------------
 */

/* Decodes the only rollout of `p` as given; the status. */
static edgefw_status decode_tour(const ds_problem *p, const ks_device *d, edgefw_select select,
                                 const int32_t *given) {
  void *in[KS_MAX_TENSORS] = {NULL};
  int32_t tour[16];
  double length;
  memcpy(tour, given, (size_t)p->steps * sizeof *tour);
  ds_upload(p, d, in);
  edgefw_decode_args a = ds_args(p, d, in);
  a.selection.select = select;
  a.tours = tour;
  a.lengths = &length;
  const edgefw_status status = d->k->decode(d->device, &a);
  ds_release(p, d, in);
  return status;
}

/* Customers 1, 2, 3 ask for 4, 4, 3 of 8. */
static void create_small(ds_problem *p) {
  const ds_shape shape = {1, 4, 1, 1, 2, 0, false, 10, SHARED};
  const double demand[4] = {0, 4, 4, 3};
  ds_create_with(p, &shape, &one_load, "decode", 1.0);
  memcpy(p->demand[0], demand, sizeof demand);
  p->capacity[0][0] = 8.0;
}

static void forced_visits_of_closed_nodes(void **state) {
  const ks_devices *devices = *state;
  static const struct {
    int32_t tour[8];
    const char *node, *why; /* what the references say */
  } wrong[] = {
      {{0, 1, 2, 3}, "node 3 at step 3", "demands 3"},
      {{0, 1, 2, 1}, "node 1 at step 3", "visited before"},
      {{0, 1, 0, 0, 2, 3}, "node 0 at step 3", "depot"},
      {{0, 0, 1, 0, 2, 3}, "node 0 at step 1", "depot"},
      {{1, 0, 2, 3}, "node 1 at step 0", "depot"},
      {{0, 1, 4, 0, 2, 3}, "node 4 at step 2", "out of range"},
      {{0, 1, -1, 0, 2, 3}, "node -1 at step 2", "out of range"},
      {{0, 1, 3, 0, 2, 0, 1}, "node 1 at step 6", "visited before"}, /* in the padding */
      {{0, 1, 3, 0, 2, 0, 0, 9}, "node 9 at step 7", "out of range"},
  };
  ds_problem p;
  create_small(&p);
  for (size_t k = 0; k < (size_t)devices->count * sizeof wrong / sizeof wrong[0]; ++k) {
    const ks_device *d = &devices->item[k % (size_t)devices->count];
    const size_t w = k / (size_t)devices->count;
    const bool reference = strncmp(d->name, "reference", 9) == 0;
    expect_failure(d->ctx, decode_tour(&p, d, EDGEFW_SELECT_FORCED, wrong[w].tour),
                   EDGEFW_INVALID_ARGUMENT, "instance 0", reference ? wrong[w].node : "",
                   reference ? wrong[w].why : "", reference ? "rollout 0" : "");
  }
  const int32_t right[8] = {0, 1, 3, 0, 2};
  for (int i = 0; i < devices->count; ++i)
    ks_ok(&devices->item[i], decode_tour(&p, &devices->item[i], EDGEFW_SELECT_FORCED, right));
  ds_destroy(&p);
}

/* A demand that no vehicle can carry: nothing is open once it alone is left, or at the start. */
static void nothing_open_is_infeasible(void **state) {
  const ks_devices *devices = *state;
  const int32_t unused[8] = {0};
  ds_problem p;
  create_small(&p);
  for (int k = 0; k < 2 * devices->count; ++k) {
    const ks_device *d = &devices->item[k / 2];
    p.demand[0][2] = k % 2 == 0 ? 9.0 : 4.0;
    p.demand[0][1] = k % 2 == 1 ? 9.0 : 4.0; /* the first customer of the only rollout */
    expect_failure(d->ctx, decode_tour(&p, d, EDGEFW_SELECT_GREEDY, unused), EDGEFW_INFEASIBLE,
                   "instance 0", "rollout 0", "step");
  }
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_full_load_is_one_route),
      cmocka_unit_test(an_overloaded_route_is_two),
      cmocka_unit_test(fractions_fit_by_their_slack),
      cmocka_unit_test(two_resources_bind),
      cmocka_unit_test(a_depot_between_all_customers),
      cmocka_unit_test(forced_visits_of_closed_nodes),
      cmocka_unit_test(nothing_open_is_infeasible),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
