/* One step with a depot and resources on every device: the query by hand, gradients, and
 * agreement. Features: test_decode_features.c.
 * labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARED &edgefw__reinforce
#define MAX    &edgefw__reinforce_max

static double sigmoid(double x) {
  return 1.0 / (1.0 + exp(-x));
}

/* From customer 1 of 2: to the depot or to customer 2, with what is left in the query. */
static void query_sees_what_is_left(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {1, 3, 1, 1, 1, 0, false, 10, SHARED};
  const ds_extras both = {.depot = true, .resources = 2};
  const double weight[3] = {0, 3, 1}, volume[3] = {0, 8, 1};
  const int32_t tour[6] = {0, 1, 2};
  ds_problem p;
  ds_create_with(&p, &shape, &both, "decode", 1.5);
  memcpy(p.demand[0], weight, sizeof weight);
  memcpy(p.demand[1], volume, sizeof volume);
  p.capacity[0][0] = 4.0;
  p.capacity[1][0] = 10.0;
  const double *key = p.c.tensor[DS_KEYS].value, *value = p.c.tensor[DS_VALUES].value;
  const double *fold = p.c.tensor[DS_FOLD].value, *bias = p.c.tensor[DS_FOLD_BIAS].value;
  const double *w_left = p.c.tensor[DS_LEFT].value + DS_LEFT_STRIDE - 2;
  const double query = p.c.tensor[DS_Q_LAST].value[1] + 0.25 * w_left[0] + 0.2 * w_left[1];
  const double share = sigmoid(query * (key[0] - key[2])); /* of the depot */
  const double glimpse = share * value[0] + (1.0 - share) * value[2];
  const double logit[3] = {10.0 * tanh(glimpse * fold[0] + bias[0]), 0.0,
                           10.0 * tanh(glimpse * fold[2] + bias[2])};
  for (int i = 0; i < devices->count; ++i) {
    ds_rollouts r;
    ds_decode(&p, &devices->item[i], EDGEFW_SELECT_FORCED, 0, 0, 1, tour, &r);
    check_close_f64(r.logits + 2 * 3, logit, 3, 1e-5, 0.0, "logits of the first choice");
    check_close(r.log_probability[0], log(sigmoid(logit[2] - logit[0])), 1e-5, 0.0,
                "log-probability");
    ds_rollouts_destroy(&r);
  }
  ds_destroy(&p);
}

static const ds_extras extras[] = {
    {.depot = true},
    {.depot = true, .resources = 1},
    {.depot = true, .resources = 2, .fractional = true},
};
enum { EXTRAS = sizeof extras / sizeof extras[0] };

static void gradients(void **state) {
  const ds_shape shapes[] = {
      {1, 2, 1, 1, 2, 3, false, 10, SHARED}, {2, 3, 2, 2, 1, 0, false, 10, SHARED},
      {2, 4, 3, 1, 3, 3, false, 10, MAX},    {1, 6, 5, 2, 2, 4, false, 10, SHARED},
      {2, 5, 3, 2, 2, 5, true, 5, SHARED},
  };
  for (size_t i = 0; i < EXTRAS * sizeof shapes / sizeof shapes[0]; ++i) {
    ds_problem p;
    ds_create_with(&p, &shapes[i / EXTRAS], &extras[i % EXTRAS], "decode", 0.8);
    ks_check_gradient(*state, &p.c);
    ks_check_parity(*state, &p.c);
    ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

static void devices_agree(void **state) {
  const ds_shape shapes[] = {
      {2, 20, 11, 2, 8, 32, false, 10, SHARED}, {1, 40, 13, 4, 4, 8, false, 10, MAX},
      {2, 17, 16, 1, 16, 5, true, 10, SHARED},  {1, 97, 3, 2, 16, 32, false, 10, SHARED},
      {1, 101, 5, 8, 8, 0, false, 10, SHARED},  {3, 16, 15, 2, 5, 9, false, 50, SHARED},
      {2, 33, 32, 2, 8, 0, false, 10, SHARED},
  };
  for (size_t i = 0; i < EXTRAS * sizeof shapes / sizeof shapes[0];
       i += 2) { /* half of the pairs */
    ds_problem p;
    ds_create_with(&p, &shapes[i / EXTRAS], &extras[i % EXTRAS], "decode", 0.5);
    ks_check_parity(*state, &p.c);
    if (p.shape.nodes < 20) ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(query_sees_what_is_left),
      cmocka_unit_test(gradients),
      cmocka_unit_test(devices_agree),
  };
  return test_run(tests, ks_setup_long, ks_teardown);
}
