/* The decode loop of the device cuda, on a GPU or emulated, against the device cpu: the same tours
 * in FP32, tours as long in lower precisions, the same bits from run to run and for any memory. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/decode_support.h"

#define SHARED &edgefw__reinforce

/* Three terms: the arc there, the arc back, and what remains afterwards. */
static void create(ds_problem *p, int64_t n, bool routes) {
  const edgefw_feature three[3] = {
      {.kind = EDGEFW_FEATURE_PAIR, .table = 0, .row = EDGEFW_CURRENT, .column = EDGEFW_CANDIDATE},
      {.kind = EDGEFW_FEATURE_PAIR, .table = 2, .row = EDGEFW_CANDIDATE, .column = EDGEFW_CLOSING},
      {.kind = EDGEFW_FEATURE_PATH,
       .path = EDGEFW_PATH_REMAINING_MIN,
       .table = 0,
       .row = EDGEFW_CANDIDATE,
       .column = EDGEFW_CLOSING}};
  const int64_t all = routes ? n - 1 : n; /* two blocks are enough */
  const ds_shape shape = {3, n, all < 18 ? all : 18, 2, 12, 8, !routes, 10, SHARED};
  const ds_extras extras = {.depot = routes, .resources = routes ? 1 : 0};
  ds_create_with(p, &shape, &extras, "decode", 0.3);
  memcpy(p->plan.features, three, sizeof three);
  p->plan.feature_count = 3;
}

static double mean_length(const ds_problem *p, const ds_rollouts *r) {
  const int64_t runs = p->shape.batch * r->rollouts;
  double sum = 0.0;
  for (int64_t i = 0; i < runs; ++i) sum += r->lengths[i];
  return sum / (double)runs;
}

static void decode(const ds_problem *p, const ks_device *d, edgefw_precision precision,
                   edgefw_select select, ds_rollouts *out) {
  if (d->k->set_precision) ks_ok(d, d->k->set_precision(d->device, precision));
  ds_decode(p, d, select, 6, 0, p->shape.rollouts, NULL, out);
  if (d->k->set_precision) ks_ok(d, d->k->set_precision(d->device, EDGEFW_PRECISION_FP32));
}

static void greedy_tours_are_the_cpu_s(void **state) {
  const ks_device *cuda = ks_cuda(state), *cpu = ks_named(state, "cpu");
  const int64_t sizes[3] = {5, 20, 50};
  for (int k = 0; k < 6; ++k) {
    ds_problem p;
    ds_rollouts expected, actual;
    create(&p, sizes[k / 2], k % 2 == 1);
    const size_t entries = (size_t)(3 * p.shape.rollouts * p.steps);
    decode(&p, cpu, EDGEFW_PRECISION_FP32, EDGEFW_SELECT_GREEDY, &expected);
    decode(&p, cuda, EDGEFW_PRECISION_FP32, EDGEFW_SELECT_GREEDY, &actual);
    check_same_bits(actual.tours, expected.tours, entries * sizeof(int32_t), "greedy tours");
    check_close_f64(actual.lengths, expected.lengths, 3 * p.shape.rollouts, 0.0, 1e-13, "lengths");
    ds_rollouts_destroy(&actual);
    for (int precision = EDGEFW_PRECISION_TF32; precision <= EDGEFW_PRECISION_BF16; ++precision) {
      decode(&p, cuda, (edgefw_precision)precision, EDGEFW_SELECT_GREEDY, &actual);
      const double mean = mean_length(&p, &expected);
      check_close(mean_length(&p, &actual), mean, 2e-2 * mean, 0.0, "mean length");
      ds_rollouts_destroy(&actual);
    }
    ds_rollouts_destroy(&expected);
    ds_destroy(&p);
  }
}

/* Logits of forced tours, so that a close choice cannot hide a wrong product. */
static void lower_precisions_stay_close(void **state) {
  const ks_device *cuda = ks_cuda(state);
  const ks_devices *devices = *state;
  const double tolerance[3] = {2e-5, 3e-3, 2e-2};
  ds_problem p;
  create(&p, 37, false);
  const int64_t s = p.shape.rollouts;
  ds_rollouts expected, actual;
  ds_decode(&p, devices->oracle, EDGEFW_SELECT_FORCED, 0, 0, s, p.tours, &expected);
  for (int precision = 0; precision < 3; ++precision) {
    ks_ok(cuda, cuda->k->set_precision(cuda->device, (edgefw_precision)precision));
    ds_decode(&p, cuda, EDGEFW_SELECT_FORCED, 0, 0, s, p.tours, &actual);
    check_scaled_f64(actual.logits, expected.logits, 3 * s * p.steps * 37, tolerance[precision],
                     "logits");
    ds_rollouts_destroy(&actual);
  }
  ks_ok(cuda, cuda->k->set_precision(cuda->device, EDGEFW_PRECISION_FP32));
  ds_rollouts_destroy(&expected);
  ds_destroy(&p);
}

static void check_same_rollouts(const ds_problem *p, const ds_rollouts *x, const ds_rollouts *y) {
  const size_t runs = (size_t)(p->shape.batch * x->rollouts), entries = runs * (size_t)p->steps;
  check_same_bits(x->tours, y->tours, entries * sizeof(int32_t), "tours");
  check_same_bits(x->lengths, y->lengths, runs * sizeof(double), "lengths");
  check_same_bits(x->log_probability, y->log_probability, runs * sizeof(double), "log p");
  check_same_bits(x->logits, y->logits, entries * (size_t)p->shape.nodes * sizeof(double),
                  "logits");
}

static void a_second_run_is_the_same(void **state) {
  const ks_device *cuda = ks_cuda(state);
  for (int routes = 0; routes < 2; ++routes) {
    ds_problem p;
    ds_rollouts first, second;
    create(&p, 20, routes == 1);
    decode(&p, cuda, EDGEFW_PRECISION_FP32, EDGEFW_SELECT_SAMPLE, &first);
    decode(&p, cuda, EDGEFW_PRECISION_FP32, EDGEFW_SELECT_SAMPLE, &second);
    check_same_rollouts(&p, &second, &first);
    ds_rollouts_destroy(&first);
    ds_rollouts_destroy(&second);
    ds_destroy(&p);
  }
}

/* A device of its own whose memory holds one instance at a time. */
static void chunks_of_instances_change_nothing(void **state) {
  const ks_device *cuda = ks_emulated(state);
  for (int routes = 0; routes < 2; ++routes) {
    ds_problem p;
    ds_rollouts first, small;
    create(&p, 20, routes == 1);
    decode(&p, cuda, EDGEFW_PRECISION_FP32, EDGEFW_SELECT_SAMPLE, &first);
    ks_device tight = *cuda;
    size_t free_bytes, total;
    char limit[32];
    ks_ok(cuda, cuda->k->create(cuda->ctx, &tight.device));
    ks_ok(cuda, cuda->k->memory(cuda->device, &free_bytes, &total));
    const edgefw_decode_args one = {.plan = &p.plan,
                                    .batch = 1,
                                    .nodes = 20,
                                    .rollouts = p.shape.rollouts,
                                    .steps = p.steps,
                                    .logits = first.logits};
    const size_t inputs = 3 * (5 * 20 * 24 + 3 * 20 * 20 + 100) * sizeof(float) + 16384;
    snprintf(limit, sizeof limit, "%zu",
             total - free_bytes + inputs + cuda->k->decode_scratch(&one));
    setenv("EDGEFW_EMULATOR_MEMORY", limit, 1);
    ds_decode(&p, &tight, EDGEFW_SELECT_SAMPLE, 6, 0, p.shape.rollouts, NULL, &small);
    unsetenv("EDGEFW_EMULATOR_MEMORY");
    check_same_rollouts(&p, &small, &first);
    cuda->k->destroy(tight.device);
    ds_rollouts_destroy(&first);
    ds_rollouts_destroy(&small);
    ds_destroy(&p);
  }
}

/* Bytes of device memory that ks_backward takes besides what the operation does; the costs are
 * doubles. */
static size_t bytes_of_problem(const ds_problem *p) {
  const ks_case *c = &p->c;
  int64_t numbers = c->out_count + 2 * p->shape.batch * p->shape.nodes * p->shape.nodes;
  for (int t = 0; t < c->tensor_count; ++t)
    numbers += c->tensor[t].count * (c->tensor[t].has_gradient ? 2 : 1);
  return (size_t)numbers * sizeof(float);
}

/* What decode_scratch says is enough for one instance, two or three: with so much memory and no
 * more, a batch of four is trained on and its gradients have the same bits. */
static void training_takes_the_memory_it_says(void **state) {
  const ks_device *cuda = ks_emulated(state);
  const ds_shape shape = {4, 12, 10, 2, 8, 40, false, 10, SHARED};
  const ds_extras extras = {.depot = true, .resources = 1, .attention = 5};
  ds_problem p;
  ds_create_with(&p, &shape, &extras, "decode", 0.3);
  double *expected[KS_MAX_TENSORS] = {NULL}, *actual[KS_MAX_TENSORS] = {NULL};
  for (int t = 0; t < p.c.tensor_count; ++t) {
    if (!p.c.tensor[t].has_gradient) continue;
    expected[t] = ks_zeros(p.c.tensor[t].count);
    actual[t] = ks_zeros(p.c.tensor[t].count);
  }
  ks_backward(&p.c, cuda, 1, expected);
  for (int64_t instances = 1; instances <= 3; ++instances) {
    ks_device tight = *cuda;
    size_t free_bytes, total;
    char limit[32];
    const edgefw_decode_args args = {.plan = &p.plan,
                                     .batch = instances,
                                     .nodes = shape.nodes,
                                     .rollouts = shape.rollouts,
                                     .steps = p.steps,
                                     .train = true};
    ks_ok(cuda, cuda->k->create(cuda->ctx, &tight.device));
    ks_ok(cuda, cuda->k->memory(cuda->device, &free_bytes, &total));
    snprintf(limit, sizeof limit, "%zu",
             total - free_bytes + bytes_of_problem(&p) + cuda->k->decode_scratch(&args));
    setenv("EDGEFW_EMULATOR_MEMORY", limit, 1);
    ks_backward(&p.c, &tight, 1, actual);
    unsetenv("EDGEFW_EMULATOR_MEMORY");
    for (int t = 0; t < p.c.tensor_count; ++t)
      if (expected[t])
        check_same_bits(actual[t], expected[t], (size_t)p.c.tensor[t].count * sizeof *actual[t],
                        p.c.tensor[t].name);
    cuda->k->destroy(tight.device);
  }
  for (int t = 0; t < KS_MAX_TENSORS; ++t) {
    free(expected[t]);
    free(actual[t]);
  }
  ds_destroy(&p);
}

/* Matrices that stay in shared memory, that are brought in pieces, and that are read where they
 * are: a head wider than a piece, one of whole pieces, and one whose rows are not aligned. */
static void places_of_matrices_agree(void **state) {
  const ks_device *cuda = ks_cuda(state);
  const ks_devices *devices = *state;
  const char *const limits[3] = {"232448", "120000", "45000"};
  const int64_t widths[5] = {36, 36, 36, 33, 32};
  const int limit[5] = {0, 1, 2, 1, 1};
  for (int k = 0; k < 5; ++k) {
    const ds_shape shape = {1, 150, 1, 2, widths[k], 0, true, 10, SHARED};
    ds_problem p;
    ds_rollouts expected, actual;
    ks_device other = *cuda;
    setenv("EDGEFW_EMULATOR_SHARED", limits[limit[k]], 1);
    ks_ok(cuda, cuda->k->create(cuda->ctx, &other.device));
    unsetenv("EDGEFW_EMULATOR_SHARED");
    ds_create(&p, &shape, "decode", 0.3);
    ds_decode(&p, devices->oracle, EDGEFW_SELECT_FORCED, 0, 0, 1, p.tours, &expected);
    ds_decode(&p, &other, EDGEFW_SELECT_FORCED, 0, 0, 1, p.tours, &actual);
    check_scaled_f64(actual.logits, expected.logits, 150 * 150, 2e-5, "logits");
    cuda->k->destroy(other.device);
    ds_rollouts_destroy(&expected);
    ds_rollouts_destroy(&actual);
    ds_destroy(&p);
  }
}

/* Logits of one forced rollout in BF16, on a GPU of so much shared memory. */
static void decode_in_pairs(const ks_device *cuda, const ds_problem *p, const char *shared,
                            ds_rollouts *out) {
  ks_device other = *cuda;
  setenv("EDGEFW_EMULATOR_SHARED", shared, 1);
  ks_ok(cuda, cuda->k->create(cuda->ctx, &other.device));
  unsetenv("EDGEFW_EMULATOR_SHARED");
  ks_ok(cuda, other.k->set_precision(other.device, EDGEFW_PRECISION_BF16));
  ds_decode(p, &other, EDGEFW_SELECT_FORCED, 0, 0, 1, p->tours, out);
  cuda->k->destroy(other.device);
}

/* In BF16, what stays in shared memory is of bf16: the same bits as from floats that are rounded
 * when they are read. Heads of a piece and a bit, of one piece, and odd ones, which stay floats;
 * even and odd numbers of nodes. All matrices fit in the larger memory, none in the smaller. */
static void pairs_of_bf16_are_the_same(void **state) {
  const ks_device *cuda = ks_cuda(state);
  const ks_devices *devices = *state;
  const int64_t widths[3] = {36, 32, 33};
  for (int k = 0; k < 6; ++k) {
    const int64_t n = 69 + k % 2;
    const ds_shape shape = {1, n, 1, 2, widths[k / 2], 0, true, 10, SHARED};
    ds_problem p;
    ds_rollouts expected, resident, direct;
    ds_create(&p, &shape, "decode", 0.3);
    ds_decode(&p, devices->oracle, EDGEFW_SELECT_FORCED, 0, 0, 1, p.tours, &expected);
    decode_in_pairs(cuda, &p, "232448", &resident);
    decode_in_pairs(cuda, &p, "32768", &direct);
    check_scaled_f64(resident.logits, expected.logits, n * n, 2e-2, "logits");
    check_same_bits(resident.logits, direct.logits, (size_t)(n * n) * sizeof(double), "logits");
    ds_rollouts_destroy(&expected);
    ds_rollouts_destroy(&resident);
    ds_rollouts_destroy(&direct);
    ds_destroy(&p);
  }
}

/* Gradients of keys and values are sums over all decisions. Tensor cores round them toward zero, so
 * that a sum over thousands of rows in their accumulators would lose digits that FP32 has. */
static void sums_over_many_decisions_keep_their_digits(void **state) {
  const ks_device *cuda = ks_cuda(state);
  const ks_devices *devices = *state;
  const ds_shape shape = {1, 60, 60, 1, 8, 0, true, 10, SHARED};
  ds_problem p;
  ds_create(&p, &shape, "decode", 0.3);
  double *expected[KS_MAX_TENSORS] = {NULL}, *actual[KS_MAX_TENSORS] = {NULL};
  for (int t = 0; t < p.c.tensor_count; ++t) {
    const char *name = p.c.tensor[t].name;
    if (strcmp(name, "keys") != 0 && strcmp(name, "values") != 0) continue;
    expected[t] = ks_zeros(p.c.tensor[t].count);
    actual[t] = ks_zeros(p.c.tensor[t].count);
  }
  ks_backward(&p.c, devices->oracle, 1, expected);
  ks_backward(&p.c, cuda, 1, actual);
  for (int t = 0; t < p.c.tensor_count; ++t)
    if (expected[t])
      check_scaled_f64(actual[t], expected[t], p.c.tensor[t].count, 2e-6, p.c.tensor[t].name);
  for (int t = 0; t < KS_MAX_TENSORS; ++t) {
    free(expected[t]);
    free(actual[t]);
  }
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_over_many_decisions_keep_their_digits),
      cmocka_unit_test(greedy_tours_are_the_cpu_s),
      cmocka_unit_test(lower_precisions_stay_close),
      cmocka_unit_test(places_of_matrices_agree),
      cmocka_unit_test(pairs_of_bf16_are_the_same),
      cmocka_unit_test(a_second_run_is_the_same),
      cmocka_unit_test(chunks_of_instances_change_nothing),
      cmocka_unit_test(training_takes_the_memory_it_says),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
