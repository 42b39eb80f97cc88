/* One decoding step on every device: known answers, gradients of the loss under forced tours, and
 * agreement of logits, log-probabilities and gradients. */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#include <math.h>
#include <stdlib.h>

#define SHARED &edgefw__reinforce
#define MAX    &edgefw__reinforce_max

static void gradients(void **state) {
  const ds_shape shapes[] = {
      {1, 2, 2, 1, 2, 3, true, 10, SHARED}, {2, 3, 3, 2, 1, 0, true, 10, SHARED},
      {2, 3, 2, 1, 3, 3, false, 10, MAX},   {1, 5, 5, 2, 2, 4, true, 10, SHARED},
      {2, 5, 4, 2, 3, 5, true, 5, MAX},     {1, 7, 3, 1, 4, 3, false, 10, SHARED},
      {1, 5, 5, 1, 4, 0, false, 10, MAX},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ds_problem p;
    ds_create(&p, &shapes[i], "decode", 1.0);
    ks_check_gradient(*state, &p.c);
    ks_check_parity(*state, &p.c);
    ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

static void devices_agree(void **state) {
  const ds_shape shapes[] = {
      {1, 1, 1, 1, 2, 3, true, 10, SHARED},    {1, 1, 1, 1, 2, 0, true, 10, MAX},
      {2, 20, 11, 2, 8, 32, true, 10, SHARED}, {1, 40, 13, 4, 4, 8, true, 10, MAX},
      {2, 33, 7, 1, 16, 5, false, 10, SHARED}, {1, 97, 3, 2, 16, 32, true, 10, SHARED},
      {1, 101, 5, 8, 8, 0, true, 10, SHARED},  {2, 17, 17, 2, 5, 32, true, 50, SHARED},
      {5, 9, 8, 4, 8, 16, true, 10, SHARED},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ds_problem p;
    ds_create(&p, &shapes[i], "decode", 0.5);
    ks_check_parity(*state, &p.c);
    if (shapes[i].nodes < 10) ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

/* Attention next to one-hot, saturated tanh, probabilities that underflow. */
static void extreme_scores(void **state) {
  const ds_shape shapes[] = {{2, 20, 20, 2, 8, 32, true, 50, SHARED},
                             {1, 13, 13, 1, 8, 0, true, 50, SHARED}};
  const double scales[] = {3.0, 30.0};
  const ks_devices *devices = *state;
  for (int i = 0; i < 4; ++i) {
    ds_problem p;
    ds_create(&p, &shapes[i / 2], "decode_extreme", scales[i % 2]);
    double *out = ks_zeros(p.c.out_count), *grad[KS_MAX_TENSORS] = {NULL};
    for (int k = 0; k < devices->count; ++k) { /* finite */
      ks_forward(&p.c, &devices->item[k], out);
      ks_backward(&p.c, &devices->item[k], 1, grad);
    }
    if (scales[i % 2] < 10.0) ks_check_parity(devices, &p.c);
    free(out);
    ds_destroy(&p);
  }
}

static double sigmoid(double x) {
  return 1.0 / (1.0 + exp(-x));
}

/* Three nodes, two heads of width 1: the first step (from node 0 to 1 or 2) by hand. */
static void attention_by_hand(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {1, 3, 1, 2, 1, 0, true, 10, SHARED};
  ds_problem p;
  ds_create(&p, &shape, "decode", 1.0);
  const double *key = p.c.tensor[DS_KEYS].value, *value = p.c.tensor[DS_VALUES].value;
  const double *last = p.c.tensor[DS_Q_LAST].value, *first = p.c.tensor[DS_Q_FIRST].value;
  const double *fold = p.c.tensor[DS_FOLD].value, *bias = p.c.tensor[DS_FOLD_BIAS].value;
  double glimpse[2], logit[3] = {0.0};
  for (int h = 0; h < 2; ++h) {
    const double query = last[h] + first[h]; /* node 0 is current and first */
    const double weight = sigmoid(query * (key[2 + h] - key[4 + h]));
    glimpse[h] = weight * value[2 + h] + (1.0 - weight) * value[4 + h];
  }
  for (int j = 1; j < 3; ++j)
    logit[j] = 10.0 * tanh((glimpse[0] * fold[2 * j] + glimpse[1] * fold[2 * j + 1] + bias[j]) /
                           sqrt(2.0));
  for (int i = 0; i < devices->count; ++i) {
    ds_rollouts r;
    ds_decode(&p, &devices->item[i], EDGEFW_SELECT_FORCED, 0, 0, 1, p.tours, &r);
    check_close_f64(r.logits + 3, logit, 3, 1e-5, 0.0, "logits of the first step");
    const int chosen = r.tours[1];
    check_close(r.log_probability[0], log(sigmoid(logit[chosen] - logit[3 - chosen])), 1e-5, 0.0,
                "log-probability");
    ds_rollouts_destroy(&r);
  }
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attention_by_hand),
      cmocka_unit_test(gradients),
      cmocka_unit_test(devices_agree),
      cmocka_unit_test(extreme_scores),
  };
  return test_run(tests, ks_setup_long, ks_teardown);
}
