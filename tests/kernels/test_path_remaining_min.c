/* Minima over the remaining nodes (kernels/cpu/path_remaining_min.c): every device against
 * reference64, on tables in which cursors move as seldom and as often as they can. */
#include "support/test.h"

#include <string.h>

#include "support/check.h"
#include "support/decode_support.h"

static const edgefw_feature both[2] = {{.kind = EDGEFW_FEATURE_PATH,
                                        .path = EDGEFW_PATH_REMAINING_MIN,
                                        .table = 0,
                                        .row = EDGEFW_CANDIDATE,
                                        .column = EDGEFW_CLOSING},
                                       {.kind = EDGEFW_FEATURE_PATH,
                                        .path = EDGEFW_PATH_REMAINING_MIN,
                                        .table = 0,
                                        .row = EDGEFW_CURRENT,
                                        .column = EDGEFW_CANDIDATE}};

static void create(ds_problem *p, int64_t n, int64_t rollouts) {
  const ds_shape shape = {.batch = 2,
                          .nodes = n,
                          .rollouts = rollouts,
                          .heads = 1,
                          .head_width = 4,
                          .hidden = 5,
                          .first = true,
                          .clip = 10,
                          .objective = &edgefw__reinforce};
  ds_create(p, &shape, "decode", 0.7);
  memcpy(p->plan.features, both, sizeof both);
  p->plan.feature_count = 2;
}

static void every_size(void **state) {
  for (int64_t n = 1; n <= 40; n += n < 8 ? 1 : 5) {
    ds_problem p;
    create(&p, n, n < 7 ? n : 7);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

static void gradients(void **state) {
  for (int64_t n = 2; n <= 6; n += 2) {
    ds_problem p;
    create(&p, n, n);
    ks_check_gradient(*state, &p.c);
    ds_destroy(&p);
  }
}

/* All arcs equal; one order of nodes for all candidates; and the same order backwards. */
static void fill_table(double *table, int64_t count, int64_t n, int kind) {
  for (int64_t e = 0; e < count; ++e) {
    const int64_t to = e % n, from = e / n % n;
    const double values[4] = {0.5, 0.01 * (double)(to + from), -0.01 * (double)(to + from),
                              to % 2 ? -1e3 : 1e-3 * (double)to};
    table[e] = (double)(float)values[kind]; /* inputs are the same numbers in both precisions */
  }
}

static void one_order_for_all(void **state) {
  for (int kind = 0; kind < 4; ++kind) {
    ds_problem p;
    create(&p, 33, 33);
    fill_table(p.c.tensor[DS_PAIR].value, p.c.tensor[DS_PAIR].count, 33, kind);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

/* Chunks of rollouts, and the state that the cursors keep, do not change with the device's choice.
 */
static void check_sampled(const ks_device *d, int64_t n) {
  ds_problem p;
  ds_rollouts whole, part;
  create(&p, n, n);
  ds_decode(&p, d, EDGEFW_SELECT_SAMPLE, 3, 0, n, NULL, &whole);
  ds_decode(&p, d, EDGEFW_SELECT_FORCED, 0, 0, n, whole.tours, &part);
  check_close_f64(part.log_probability, whole.log_probability, 2 * n, 1e-9, 1e-9,
                  "log-probabilities of the same tours");
  ds_rollouts_destroy(&whole);
  ds_rollouts_destroy(&part);
  ds_destroy(&p);
}

static void sampled_tours_agree(void **state) {
  const ks_devices *devices = *state;
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    if (strncmp(d->name, "reference", 9) == 0) continue; /* slow, and in one piece */
    check_sampled(d, strncmp(d->name, "cpu", 3) == 0 ? 140 : 40);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_size), cmocka_unit_test(gradients),
                                     cmocka_unit_test(one_order_for_all),
                                     cmocka_unit_test(sampled_tours_agree)};
  return test_run(tests, ks_setup_long, ks_teardown);
}
