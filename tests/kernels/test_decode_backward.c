/* Gradients of the policy loss: sizes at the edges, fewer rollouts than nodes, and instances so
 * large that rollouts are cut into chunks outside training.
 * labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"
#include "train/objectives/imitation.h"

#include <stdlib.h>
#include <string.h>

#define SHARED &edgefw__reinforce
#define MAX    &edgefw__reinforce_max

static void gradients_at_the_edges(void **state) {
  const ds_shape shapes[] = {
      {1, 1, 1, 1, 2, 3, true, 10, SHARED}, {2, 2, 2, 1, 2, 3, true, 10, SHARED},
      {2, 2, 1, 2, 1, 0, true, 10, SHARED}, {2, 3, 3, 1, 2, 3, false, 10, MAX},
      {1, 4, 2, 2, 2, 3, true, 50, SHARED}, {3, 5, 3, 1, 3, 2, true, 10, MAX},
      {1, 6, 1, 1, 2, 3, true, 10, SHARED}, /* one rollout: no advantage, no gradient */
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ds_problem p;
    ds_create(&p, &shapes[i], "decode", 0.6);
    ks_check_gradient(*state, &p.c);
    ks_check_parity(*state, &p.c);
    ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

/* Numbers of nodes around whole lanes of sixteen, with fewer rollouts than nodes. */
static void sizes_around_whole_lanes(void **state) {
  for (int64_t n = 15; n <= 33; n += n % 16 == 1 ? 14 : 1) {
    const ds_shape shape = {2, n, n / 3, 2, 5, 17, true, 10, SHARED};
    ds_problem p;
    ds_create(&p, &shape, "decode", 0.6);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

/* Heads of all widths that a device may have its own code for, more nodes than one block of keys
 * has, more hidden units than a block has threads for. */
static void wide_heads_and_many_nodes(void **state) {
  const ds_shape shapes[] = {
      {2, 9, 4, 2, 16, 65, true, 10, SHARED}, {1, 9, 4, 1, 17, 130, true, 10, SHARED},
      {1, 18, 3, 1, 33, 0, true, 10, SHARED}, {1, 7, 7, 2, 65, 0, false, 10, MAX},
      {1, 140, 2, 2, 4, 4, true, 10, SHARED}, {1, 6, 6, 1, 128, 0, true, 10, SHARED},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    ds_problem p;
    ds_create(&p, &shapes[i], "decode", 0.3);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

/* In lower precisions gradients differ by the rounding of factors and no more. */
static void lower_precisions_are_near(void **state) {
  const struct {
    edgefw_precision precision;
    double tolerance;
  } lower[] = {{EDGEFW_PRECISION_TF32, 5e-3}, {EDGEFW_PRECISION_BF16, 5e-2}};
  const int tensors[] = {DS_KEYS, DS_VALUES, DS_Q_LAST};
  const ks_devices *devices = *state;
  const ds_shape shape = {2, 20, 20, 2, 10, 4, true, 10, SHARED};
  ds_problem p;
  ds_create(&p, &shape, "decode", 0.6);
  for (int i = 0; i < 2 * devices->count; ++i) {
    const ks_device *d = &devices->item[i / 2];
    double *exact[KS_MAX_TENSORS] = {NULL}, *rounded[KS_MAX_TENSORS] = {NULL};
    if (strncmp(d->name, "cuda", 4) != 0) continue; /* others have one precision */
    for (int t = 0; t < 3; ++t) {
      exact[tensors[t]] = ks_zeros(p.c.tensor[tensors[t]].count);
      rounded[tensors[t]] = ks_zeros(p.c.tensor[tensors[t]].count);
    }
    ks_backward(&p.c, d, 1, exact);
    ks_ok(d, d->k->set_precision(d->device, lower[i % 2].precision));
    ks_backward(&p.c, d, 1, rounded);
    ks_ok(d, d->k->set_precision(d->device, EDGEFW_PRECISION_FP32));
    for (int t = 0; t < 3; ++t) {
      check_scaled_f64(rounded[tensors[t]], exact[tensors[t]], p.c.tensor[tensors[t]].count,
                       lower[i % 2].tolerance, p.c.tensor[tensors[t]].name);
      free(exact[tensors[t]]);
      free(rounded[tensors[t]]);
    }
  }
  ds_destroy(&p);
}

/* One instance's gradient does not depend on which others share its batch, but for the 1/B. */
static void instances_are_independent(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {2, 9, 9, 1, 4, 5, true, 10, SHARED};
  ds_problem p;
  ds_create(&p, &shape, "decode", 0.6);
  const int64_t half = p.c.tensor[DS_FOLD].count / 2;
  for (int i = 0; i < devices->count; ++i) {
    double *together[KS_MAX_TENSORS] = {NULL}, *alone[KS_MAX_TENSORS] = {NULL};
    together[DS_FOLD] = ks_zeros(2 * half);
    alone[DS_FOLD] = ks_zeros(2 * half);
    ks_backward(&p.c, &devices->item[i], 1, together);
    p.shape.batch = 1;
    ks_backward(&p.c, &devices->item[i], 1, alone);
    p.shape.batch = 2;
    for (int64_t e = 0; e < half; ++e) alone[DS_FOLD][e] *= 0.5;
    check_scaled_f64(alone[DS_FOLD], together[DS_FOLD], half, 1e-6, devices->item[i].name);
    free(together[DS_FOLD]);
    free(alone[DS_FOLD]);
  }
  ds_destroy(&p);
}

/* 130 rollouts are two tasks of the device `cpu` outside training and one in it. */
static void chunks_equal_training(void **state) {
  enum { N = 130, LOGITS = N * N * N };
  const ks_devices *devices = *state;
  const ds_shape shape = {1, N, N, 1, 8, 4, true, 10, SHARED};
  ds_problem p;
  ds_create(&p, &shape, "decode", 0.5);
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    if (strncmp(d->name, "cpu", 3) != 0) continue; /* others have no chunks */
    double *out = ks_zeros(p.c.out_count);
    ds_rollouts one, two;
    ks_forward(&p.c, d, out); /* trains on p.tours */
    ds_decode(&p, d, EDGEFW_SELECT_FORCED, 0, 0, N, p.tours, &one);
    edgefw_set_threads(d->ctx, 2);
    ds_decode(&p, d, EDGEFW_SELECT_FORCED, 0, 0, N, p.tours, &two);
    edgefw_set_threads(d->ctx, 1);
    check_same_bits(two.logits, one.logits, LOGITS * sizeof(double), "logits");
    check_scaled_f64(one.log_probability, out + 1, N, 1e-6, "log-probability");
    check_scaled_f64(one.logits, out + 1 + N, LOGITS, 1e-5, "logits");
    ds_rollouts_destroy(&one);
    ds_rollouts_destroy(&two);
    free(out);
  }
  ds_destroy(&p);
}

/* Labels of imitation: given tours, several of which may begin with one node, or all with another
 * one than their number says. */
static void labels_begin_anywhere(void **state) {
  enum { N = 7, S = 4 };
  static const int64_t choices[] = {N - 1, N - 1};
  const edgefw__objective imitation = edgefw__imitation(choices);
  const ds_shape shape = {2, N, S, 2, 3, 4, true, 10, &imitation};
  for (int depot = 0; depot < 2; ++depot) {
    const ds_extras extras = {.depot = depot == 1, .resources = depot};
    ds_problem p;
    ds_create_with(&p, &shape, &extras, "decode", 0.6);
    const int64_t row = S * p.steps;
    for (int64_t b = 0; b < 2; ++b) { /* 3 2 1 1 */
      int32_t *tours = p.tours + b * row, *moved = malloc((size_t)row * sizeof *moved);
      assert_non_null(moved);
      for (int64_t s = 0; s < S; ++s)
        memcpy(moved + s * p.steps, tours + (s == 3 ? 1 : S - 1 - s) * p.steps,
               (size_t)p.steps * sizeof *moved);
      memcpy(tours, moved, (size_t)row * sizeof *moved);
      free(moved);
    }
    ks_check_gradient(*state, &p.c);
    ks_check_parity(*state, &p.c);
    ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_at_the_edges),    cmocka_unit_test(sizes_around_whole_lanes),
      cmocka_unit_test(wide_heads_and_many_nodes), cmocka_unit_test(lower_precisions_are_near),
      cmocka_unit_test(instances_are_independent), cmocka_unit_test(chunks_equal_training),
      cmocka_unit_test(labels_begin_anywhere),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
