/* See bf16_case.h. */
#include "support/test.h"

#include "support/bf16_case.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The device in BF16 with what the environment says; false if this processor has it not. */
static bool start(const ks_device *from, ks_device *d) {
  *d = *from;
  const edgefw_status status = d->k->create(d->ctx, &d->device);
  if (status != EDGEFW_OK) {
    assert_int_equal(status, EDGEFW_CONFIG);
    assert_non_null(strstr(edgefw_message(d->ctx), "EDGEFW_CPU_"));
    edgefw_clear(d->ctx);
    return false;
  }
  ks_ok(d, d->k->set_precision(d->device, EDGEFW_PRECISION_BF16));
  return true;
}

void bf16_each_unit(void **state, bf16_visit visit, void *user) {
  static const char *const settings[][2] = {
      {"", "plain"}, {"v2", "plain"}, {"v3", "plain"}, {"", "avx512"}, {"", "amx"}};
  const ks_device *from = ks_named(state, "cpu");
  for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
    ks_device d;
    setenv("EDGEFW_CPU_VARIANT", settings[i][0], 1);
    setenv("EDGEFW_CPU_BF16", settings[i][1], 1);
    const bool there = start(from, &d);
    unsetenv("EDGEFW_CPU_VARIANT");
    unsetenv("EDGEFW_CPU_BF16");
    if (i == 0) assert_true(there);
    if (!there) continue;
    visit(&d, settings[i][1], user);
    d.k->destroy(d.device);
    edgefw_set_threads(d.ctx, 1);
  }
}

typedef struct outcome {
  double *out, *grad[KS_MAX_TENSORS];
} outcome;

static void run(const ks_case *c, const ks_device *d, outcome *o) {
  memset(o, 0, sizeof *o);
  o->out = ks_zeros(c->out_count);
  ks_forward(c, d, o->out);
  for (int t = 0; t < c->tensor_count; ++t)
    if (c->tensor[t].has_gradient) o->grad[t] = ks_zeros(c->tensor[t].count);
  ks_backward(c, d, 1, o->grad);
}

static void release(outcome *o) {
  free(o->out);
  for (int t = 0; t < KS_MAX_TENSORS; ++t) free(o->grad[t]);
}

typedef struct expectation {
  const ks_case *c;
  outcome exact, full; /* the oracle's, and that of FP32 */
  double forward, backward;
} expectation;

static void check_bits(const ks_case *c, const outcome *a, const outcome *b, const char *unit) {
  check_same_bits(a->out, b->out, (size_t)c->out_count * sizeof(double), unit);
  for (int t = 0; t < c->tensor_count; ++t)
    if (a->grad[t])
      check_same_bits(a->grad[t], b->grad[t], (size_t)c->tensor[t].count * sizeof(double),
                      c->tensor[t].name);
}

/* The difference's norm is at most `share` of what is expected. */
static void check_norm(const double *actual, const double *expected, int64_t count, double share,
                       const char *what, const char *unit) {
  double difference = 0.0, norm = 0.0;
  check_finite_f64(actual, count, what);
  for (int64_t i = 0; i < count; ++i) {
    difference += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  if (sqrt(difference) > share * sqrt(norm))
    fail_msg("%s, %s: differs by %g of %g, more than the share %g", what, unit, sqrt(difference),
             sqrt(norm), share);
}

static void check_unit(const ks_device *d, const char *unit, void *user) {
  const expectation *e = user;
  const ks_case *c = e->c;
  outcome first, again;
  run(c, d, &first);
  check_norm(first.out, e->exact.out, c->out_count, e->forward, c->op, unit);
  assert_true(memcmp(first.out, e->full.out, (size_t)c->out_count * sizeof(double)) != 0);
  for (int t = 0; t < c->tensor_count; ++t)
    if (first.grad[t])
      check_norm(first.grad[t], e->exact.grad[t], c->tensor[t].count, e->backward,
                 c->tensor[t].name, unit);
  for (int threads = 2; threads <= 3; ++threads) {
    edgefw_set_threads(d->ctx, threads);
    run(c, d, &again);
    check_bits(c, &first, &again, unit);
    release(&again);
  }
  release(&first);
}

void bf16_check(void **state, const ks_case *c, double forward, double backward) {
  const ks_devices *devices = *state;
  expectation e = {.c = c, .forward = forward, .backward = backward};
  run(c, devices->oracle, &e.exact);
  run(c, ks_named(state, "cpu"), &e.full);
  bf16_each_unit(state, check_unit, &e);
  release(&e.exact);
  release(&e.full);
}
