/* What all tasks of a call share (kernels/cpu/decode_shared.c): gradients of shared weights are
 * sums over the instances, on every device. labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#include <stdlib.h>
#include <string.h>

/* Tensors with numbers of each instance; all others are shared. */
static bool is_of_instances(int tensor) {
  switch (tensor) {
  case DS_KEYS:
  case DS_VALUES:
  case DS_Q_LAST:
  case DS_Q_FIRST:
  case DS_FOLD:
  case DS_FOLD_BIAS:
  case DS_PAIR:
  case DS_NODE:
  case DS_OTHER:
  case DS_DISTANCE:
  case DS_POINTS: return true;
  default: return false;
  }
}

/* Move one of `batch` equal parts of an array to its front. */
static void to_front(void *array, size_t bytes, int64_t batch, int64_t part) {
  memmove(array, (char *)array + bytes / (size_t)batch * (size_t)part, bytes / (size_t)batch);
}

/* A problem of which instance `b` alone is left. */
static void create_alone(ds_problem *p, const ds_shape *shape, const ds_extras *extras, int64_t b) {
  const int64_t batch = shape->batch, n = shape->nodes;
  ds_create_with(p, shape, extras, "decode", 0.6);
  for (int t = 0; t < p->c.tensor_count; ++t)
    if (is_of_instances(t))
      to_front(p->c.tensor[t].value, (size_t)p->c.tensor[t].count * sizeof(double), batch, b);
  to_front(p->cost, (size_t)(batch * n * n) * sizeof(double), batch, b);
  to_front(p->ids, (size_t)batch * sizeof *p->ids, batch, b);
  to_front(p->tours, (size_t)(batch * shape->rollouts * p->steps) * sizeof *p->tours, batch, b);
  for (int r = 0; r < extras->resources; ++r) {
    to_front(p->demand[r], (size_t)(batch * n) * sizeof(double), batch, b);
    to_front(p->capacity[r], (size_t)batch * sizeof(double), batch, b);
    to_front(p->slack[r], (size_t)batch * sizeof(double), batch, b);
  }
  p->shape.batch = 1;
}

/* Gradients of the shared tensors; ks_zeros arrays to be freed. */
static void shared_gradients(const ds_problem *p, const ks_device *d, double **grad) {
  for (int t = 0; t < KS_MAX_TENSORS; ++t)
    grad[t] = t < p->c.tensor_count && p->c.tensor[t].has_gradient && !is_of_instances(t)
                  ? ks_zeros(p->c.tensor[t].count)
                  : NULL;
  ks_backward(&p->c, d, 1, grad);
}

static void free_all(double **grad) {
  for (int t = 0; t < KS_MAX_TENSORS; ++t) free(grad[t]);
}

static void check_sums(const ks_device *d, const ds_shape *shape, const ds_extras *extras) {
  double *together[KS_MAX_TENSORS], *alone[KS_MAX_TENSORS];
  ds_problem p;
  ds_create_with(&p, shape, extras, "decode", 0.6);
  shared_gradients(&p, d, together);
  ds_destroy(&p);
  for (int64_t b = 0; b < shape->batch; ++b) {
    create_alone(&p, shape, extras, b);
    shared_gradients(&p, d, alone);
    for (int t = 0; t < p.c.tensor_count; ++t)
      for (int64_t i = 0; alone[t] && i < p.c.tensor[t].count; ++i)
        together[t][i] -= alone[t][i] / (double)shape->batch;
    free_all(alone);
    if (b + 1 < shape->batch) ds_destroy(&p);
  }
  for (int t = 0; t < p.c.tensor_count; ++t)
    for (int64_t i = 0; together[t] && i < p.c.tensor[t].count; ++i)
      check_close(together[t][i], 0.0, 2e-5, 0.0, p.c.tensor[t].name);
  free_all(together);
  ds_destroy(&p);
}

/* The loss is the mean over the instances, so each one's share of a gradient is its own over B. */
static void gradients_are_sums_over_instances(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {3, 7, 5, 2, 3, 5, false, 10, &edgefw__reinforce};
  const ds_extras kinds[] = {
      {.depot = false},
      {.depot = true, .resources = 2},
      {.depot = true, .resources = 1, .penalty = 2, .attention = 3},
  };
  for (int k = 0; k < 3 * devices->count; ++k)
    check_sums(&devices->item[k / 3], &shape, &kinds[k % 3]);
}

/* The first columns of the matrix whose last ones are w_left belong to somebody else. */
static void other_columns_get_no_gradient(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {2, 6, 5, 1, 4, 0, false, 10, &edgefw__reinforce};
  const ds_extras extras = {.depot = true, .resources = 2};
  for (int i = 0; i < devices->count; ++i) {
    double *grad[KS_MAX_TENSORS];
    ds_problem p;
    ds_create_with(&p, &shape, &extras, "decode", 0.6);
    shared_gradients(&p, &devices->item[i], grad);
    for (int64_t e = 0; e < p.c.tensor[DS_LEFT].count; ++e) {
      const bool own = e % DS_LEFT_STRIDE >= DS_LEFT_STRIDE - extras.resources;
      assert_true((grad[DS_LEFT][e] != 0.0) == own);
    }
    free_all(grad);
    ds_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_are_sums_over_instances),
      cmocka_unit_test(other_columns_get_no_gradient),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
