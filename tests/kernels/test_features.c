/* The feature MLP of the decoder: every kind of feature at every place, alone, doubled, and as many
 * as there may be. Losses, log-probabilities, logits and gradients against reference64. */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#include <stdlib.h>
#include <string.h>

static const ds_shape small = {2, 5, 5, 1, 3, 4, true, 10, &edgefw__reinforce};
static const ds_shape ragged = {2, 19, 7, 2, 4, 20, true, 10, &edgefw__reinforce};

static const edgefw_at places[3] = {EDGEFW_CURRENT, EDGEFW_CANDIDATE, EDGEFW_CLOSING};

/* All features that there are of two pair tables (0 and 2) and one node table (1). */
static int list_all(edgefw_feature *out) {
  int count = 0;
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) {
      if (row == column) continue;
      for (int antisymmetric = 0; antisymmetric < 2; ++antisymmetric)
        out[count++] = (edgefw_feature){.kind = antisymmetric ? EDGEFW_FEATURE_ANTISYMMETRIC
                                                              : EDGEFW_FEATURE_PAIR,
                                        .table = (row + column) % 2 ? 0 : 2,
                                        .row = places[row],
                                        .column = places[column]};
    }
  for (int at = 0; at < 3; ++at)
    out[count++] = (edgefw_feature){.kind = EDGEFW_FEATURE_NODE, .table = 1, .row = places[at]};
  out[count++] = (edgefw_feature){.kind = EDGEFW_FEATURE_STATE, .state = EDGEFW_STATE_PROGRESS};
  for (int table = 0; table <= 2; table += 2)
    for (int into = 0; into < 2; ++into)
      out[count++] = (edgefw_feature){.kind = EDGEFW_FEATURE_PATH,
                                      .path = EDGEFW_PATH_REMAINING_MIN,
                                      .table = table,
                                      .row = into ? EDGEFW_CURRENT : EDGEFW_CANDIDATE,
                                      .column = into ? EDGEFW_CANDIDATE : EDGEFW_CLOSING};
  return count;
}

/* Replace the features of a problem. The first layer keeps its numbers, of which (hidden, count)
 * are used; the rest have no gradient. */
static void set_features(ds_problem *p, const edgefw_feature *features, int count) {
  memcpy(p->plan.features, features, (size_t)count * sizeof *features);
  p->plan.feature_count = count;
  assert_true(p->plan.hidden * count <= p->c.tensor[DS_W1].count);
}

static void each_feature_alone(void **state) {
  edgefw_feature all[EDGEFW_MAX_FEATURES];
  const int count = list_all(all);
  assert_int_equal(count, 20);
  for (int f = 0; f < count; ++f) {
    ds_problem p;
    ds_create(&p, &small, "decode", 0.8);
    set_features(&p, &all[f], 1);
    ks_check_gradient(*state, &p.c);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

/* Growing lists: every number of vectors that has its own inner loop, and more. */
static void lists_of_every_length(void **state) {
  edgefw_feature all[EDGEFW_MAX_FEATURES];
  list_all(all);
  for (int count = 1; count <= 13; ++count) {
    ds_problem p;
    ds_create(&p, &ragged, "decode", 0.8);
    set_features(&p, all + 3 - count % 4, count);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

static void as_many_as_there_may_be(void **state) {
  edgefw_feature all[EDGEFW_MAX_FEATURES];
  const int count = list_all(all);
  memcpy(all + count, all, (size_t)(EDGEFW_MAX_FEATURES - count) * sizeof *all);
  ds_problem p;
  ds_create(&p, &ragged, "decode", 0.8);
  p.plan.hidden = 8; /* 8 * 32 numbers of the 20 * 13 that are there */
  set_features(&p, all, EDGEFW_MAX_FEATURES);
  ks_check_parity(*state, &p.c);
  ks_check_rules(*state, &p.c);
  ds_destroy(&p);
}

/* Logits with the features and the first layer given; free() them. */
static double *logits_of(const ds_problem *p, const ks_device *d, int64_t *count) {
  ds_rollouts r;
  ds_decode(p, d, EDGEFW_SELECT_FORCED, 0, 0, p->shape.rollouts, p->tours, &r);
  *count = p->shape.batch * r.rollouts * p->shape.nodes * p->shape.nodes;
  double *logits = r.logits;
  r.logits = NULL;
  ds_rollouts_destroy(&r);
  return logits;
}

/* Compare two descriptions of the same thing: features `a` with weights per hidden unit `wa`
 * against `b` with `wb`. */
static void check_same(const ks_devices *devices, const edgefw_feature *a, const double *wa,
                       int count_a, const edgefw_feature *b, const double *wb, int count_b) {
  ds_problem p;
  ds_create(&p, &small, "decode", 0.8);
  double *w1 = p.c.tensor[DS_W1].value;
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    int64_t count = 0;
    set_features(&p, a, count_a);
    for (int k = 0; k < p.plan.hidden * count_a; ++k) w1[k] = wa[k % count_a] * (1 + k / count_a);
    double *first = logits_of(&p, d, &count);
    set_features(&p, b, count_b);
    for (int k = 0; k < p.plan.hidden * count_b; ++k) w1[k] = wb[k % count_b] * (1 + k / count_b);
    double *second = logits_of(&p, d, &count);
    check_scaled_f64(second, first, count, 2e-6, d->name);
    free(first);
    free(second);
  }
  ds_destroy(&p);
}

static void doubled_features_share_their_weights(void **state) {
  const edgefw_feature pair = {
      .kind = EDGEFW_FEATURE_PAIR, .table = 0, .row = EDGEFW_CURRENT, .column = EDGEFW_CANDIDATE};
  const edgefw_feature twice[2] = {pair, pair};
  check_same(*state, twice, (double[]){0.25, 0.5}, 2, &pair, (double[]){0.75}, 1);
}

static void antisymmetric_is_the_difference_of_two_pairs(void **state) {
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) {
      if (row == column) continue;
      const edgefw_feature difference = {.kind = EDGEFW_FEATURE_ANTISYMMETRIC,
                                         .table = 2,
                                         .row = places[row],
                                         .column = places[column]};
      edgefw_feature pairs[2] = {difference, difference};
      pairs[0].kind = pairs[1].kind = EDGEFW_FEATURE_PAIR;
      pairs[1].row = places[column];
      pairs[1].column = places[row];
      check_same(*state, &difference, (double[]){0.5}, 1, pairs, (double[]){0.5, -0.5}, 2);
    }
}

/* What no candidate differs in shifts all scores alike only through the ReLU; with the last layer
 * at zero no feature changes anything. */
static void a_silent_mlp_changes_nothing(void **state) {
  const ks_devices *devices = *state;
  ds_problem p;
  ds_create(&p, &small, "decode", 0.8);
  for (int64_t k = 0; k < p.c.tensor[DS_W2].count; ++k) p.c.tensor[DS_W2].value[k] = 0.0;
  p.c.tensor[DS_B2].value[0] = 0.0;
  const int features = p.plan.feature_count;
  for (int i = 0; i < devices->count; ++i) {
    int64_t count = 0;
    double *with = logits_of(&p, &devices->item[i], &count);
    p.plan.feature_count = 0;
    double *without = logits_of(&p, &devices->item[i], &count);
    p.plan.feature_count = features;
    check_close_f64(with, without, count, 0.0, 0.0, devices->item[i].name);
    free(with);
    free(without);
  }
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_feature_alone),
      cmocka_unit_test(lists_of_every_length),
      cmocka_unit_test(as_many_as_there_may_be),
      cmocka_unit_test(doubled_features_share_their_weights),
      cmocka_unit_test(antisymmetric_is_the_difference_of_two_pairs),
      cmocka_unit_test(a_silent_mlp_changes_nothing),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
