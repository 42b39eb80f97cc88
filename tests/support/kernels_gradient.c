/* ks_check_gradient: gradients of the oracle against finite differences; see kernels_support.h. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of a tensor, so many numbers at most are moved one by one. */
enum { SINGLE = 16 };

/* A tensor of a case, and where to move it: by `direction`, whose norm is 1, from `at`. */
typedef struct probe {
  const ks_case *c;
  const ks_device *d;
  const ks_tensor *tensor;
  double *at, *direction;
  double *plus, *minus; /* outputs */
} probe;

static void move(const probe *p, double step) {
  for (int64_t i = 0; i < p->tensor->count; ++i)
    p->tensor->value[i] = p->at[i] + step * p->direction[i];
}

/* dout . (out(x + h) - out(x - h)) */
static double loss_difference(const probe *p, double h) {
  move(p, h);
  ks_forward(p->c, p->d, p->plus);
  move(p, -h);
  ks_forward(p->c, p->d, p->minus);
  move(p, 0.0);
  double sum = 0.0;
  for (int64_t i = 0; i < p->c->out_count; ++i) sum += p->c->dout[i] * (p->plus[i] - p->minus[i]);
  return sum;
}

/* Four-point derivative. A ReLU kink inside the wide step is avoided by the narrow one: a gradient
 * passes if either agrees. */
static void check_derivative(const probe *p, double gradient, double scale, const char *where) {
  const double steps[3] = {1e-4, 3e-6, 1e-7};
  const double loose[3] = {1e-8, 1e-7, 1e-6};
  double numeric = 0.0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const double h = steps[attempt];
    numeric = (8.0 * loss_difference(p, h) - loss_difference(p, 2.0 * h)) / (12.0 * h);
    if (check_within(gradient, numeric, loose[attempt] * (scale + 1e-3), loose[attempt])) return;
  }
  fail_msg("%s: d%s %s is %.12g, finite differences say %.12g", p->c->op, p->tensor->name, where,
           gradient, numeric);
}

static void check_single_numbers(const probe *p, const double *grad, double scale) {
  const int64_t count = p->tensor->count;
  for (int64_t i = 0; i < count; i += (count + SINGLE - 1) / SINGLE) {
    char where[32];
    snprintf(where, sizeof where, "[%lld]", (long long)i);
    for (int64_t k = 0; k < count; ++k) p->direction[k] = k == i ? 1.0 : 0.0;
    check_derivative(p, grad[i], scale, where);
  }
}

/* In a random direction in which each number has its part: one that is wrong shows, and two make up
 * for each other in no more than one direction of very many. */
static void check_all_numbers(const probe *p, const double *grad, double scale) {
  const int64_t count = p->tensor->count;
  double square = 0.0, slope = 0.0;
  ks_fill(p->direction, count, 0.5, 55);
  for (int64_t i = 0; i < count; ++i) {
    p->direction[i] += copysign(0.5, p->direction[i]);
    square += p->direction[i] * p->direction[i];
  }
  for (int64_t i = 0; i < count; ++i) {
    p->direction[i] /= sqrt(square);
    slope += grad[i] * p->direction[i];
  }
  check_derivative(p, slope, scale, "in a direction");
}

static void check_tensor(const ks_case *c, const ks_device *d, const ks_tensor *tensor,
                         const double *grad, double scale) {
  probe p = {c,
             d,
             tensor,
             ks_zeros(tensor->count),
             ks_zeros(tensor->count),
             ks_zeros(c->out_count),
             ks_zeros(c->out_count)};
  for (int64_t i = 0; i < tensor->count; ++i) p.at[i] = tensor->value[i];
  check_single_numbers(&p, grad, scale);
  if (tensor->count > SINGLE) check_all_numbers(&p, grad, scale);
  free(p.at);
  free(p.direction);
  free(p.plus);
  free(p.minus);
}

void ks_check_gradient(const ks_devices *devices, const ks_case *c) {
  double *grad[KS_MAX_TENSORS];
  ks_gradients_create(c, grad);
  ks_backward(c, devices->oracle, 1, grad);
  const double scale = ks_gradients_largest(c, grad);
  for (int t = 0; t < c->tensor_count; ++t)
    if (grad[t] != NULL) check_tensor(c, devices->oracle, &c->tensor[t], grad[t], scale);
  ks_gradients_destroy(grad);
}
