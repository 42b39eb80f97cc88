/* Routes and logits: every device agrees with the oracle at sizes around whole lanes, with near
 * sets smaller and larger than what is open; chosen tours, chunks and threads. labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#include <stdlib.h>
#include <string.h>

#define SHARED &edgefw__reinforce
#define MAX    &edgefw__reinforce_max

static int64_t most_rollouts(const ds_extras *e, int64_t n) {
  const int64_t all = e->depot ? n - 1 : n;
  return all < 4 ? all : 4;
}

static const ds_extras kinds[] = {
    {.depot = true},
    {.depot = true, .resources = 1},
    {.depot = true, .resources = 2, .fractional = true},
    {.depot = true, .resources = 1, .penalty = 3, .attention = 3},
    {.depot = true, .resources = 2, .penalty = 2, .attention = 20},
    {.depot = true, .attention = 1},
    {.penalty = 4},
    {.attention = 5},
    {.penalty = 30, .attention = 30},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Scores small enough that tanh tells them apart in float. */
static void create(ds_problem *p, const ds_shape *shape, const ds_extras *extras, double scale) {
  const int shrunk[] = {DS_W2, DS_LOCAL + EDGEFW_LOCAL_COMBINE,
                        DS_LOCAL + EDGEFW_LOCAL_COMBINE_BIAS};
  ds_create_with(p, shape, extras, "decode", scale);
  for (int k = 0; k < 3; ++k) {
    ks_tensor *tensor = &p->c.tensor[shrunk[k]];
    for (int64_t i = 0; i < tensor->count; ++i) tensor->value[i] *= 0.25;
  }
}

static void every_size(void **state) {
  const int64_t sizes[] = {2, 3, 4, 5, 9, 15, 16, 17, 18, 31, 32, 33, 40};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    for (int k = (int)i % 3; k < KINDS; k += 3) { /* each kind at four sizes at least */
      const int64_t n = sizes[i];
      const ds_shape shape = {2,          n,  most_rollouts(&kinds[k], n), 2, 5, n % 2 ? 6 : 0,
                              k % 2 == 0, 10, k % 2 ? MAX : SHARED};
      ds_problem p;
      create(&p, &shape, &kinds[k], 0.6);
      ks_check_parity(*state, &p.c);
      if (n < 6) ks_check_rules(*state, &p.c);
      ds_destroy(&p);
    }
}

static void larger_sizes(void **state) {
  for (int64_t n = 97; n <= 101; n += 4)
    for (int k = n == 97; k < KINDS; k += 3) {
      ds_extras extras = kinds[k];
      if (extras.penalty > 1) extras.penalty *= 10;
      if (extras.attention > 1) extras.attention *= 10;
      const ds_shape shape = {1, n, 2, 2, 8, 8, !extras.depot, 10, SHARED};
      ds_problem p;
      create(&p, &shape, &extras, 0.5);
      ks_check_parity(*state, &p.c);
      ds_destroy(&p);
    }
}

/* Greedy and sampled tours are those of the oracle; a chunk's those of the whole, and two threads
 * give the bits of one. */
static void check_chosen(const ds_problem *p, const ks_devices *devices, const ks_device *d,
                         edgefw_select select) {
  const int64_t s = p->shape.rollouts, rows = p->shape.batch * s;
  const int64_t logits = rows * p->steps * p->shape.nodes;
  ds_rollouts all, two, tail, oracle;
  ds_decode(p, devices->oracle, select, 8, 0, s, NULL, &oracle);
  ds_decode(p, d, select, 8, 0, s, NULL, &all);
  ds_decode(p, d, select, 8, s / 2, s - s / 2, NULL, &tail);
  edgefw_set_threads(d->ctx, 2);
  ds_decode(p, d, select, 8, 0, s, NULL, &two);
  edgefw_set_threads(d->ctx, 1);
  check_same_bits(all.tours, oracle.tours, (size_t)(rows * p->steps) * sizeof(int32_t), d->name);
  check_close_f64(all.lengths, oracle.lengths, rows, 0.0, 1e-13, "lengths");
  check_scaled_f64(all.logits, oracle.logits, logits, 2e-5, "logits");
  check_same_bits(two.tours, all.tours, (size_t)(rows * p->steps) * sizeof(int32_t), "threads");
  check_same_bits(two.logits, all.logits, (size_t)logits * sizeof(double), "logits, threads");
  for (int64_t b = 0; b < p->shape.batch; ++b)
    check_same_bits(tail.tours + b * tail.rollouts * p->steps,
                    all.tours + (b * s + s / 2) * p->steps,
                    (size_t)(tail.rollouts * p->steps) * sizeof(int32_t), "tours of a chunk");
  ds_rollouts_destroy(&all);
  ds_rollouts_destroy(&two);
  ds_rollouts_destroy(&tail);
  ds_rollouts_destroy(&oracle);
}

static void chosen_tours_agree(void **state) {
  const ks_devices *devices = *state;
  const int64_t sizes[] = {2, 3, 7, 20};
  for (int k = 0; k < KINDS * 4; ++k) {
    const ds_extras *extras = &kinds[k % KINDS];
    if (k / KINDS == 3 && k % 2 == 0) continue; /* 20 nodes are slow */
    const int64_t n = sizes[k / KINDS];
    const ds_shape shape = {2, n, extras->depot ? n - 1 : n, 2, 8, 8, !extras->depot, 10, SHARED};
    ds_problem p;
    create(&p, &shape, extras, 0.5);
    for (int i = 0; i < devices->count; ++i) {
      check_chosen(&p, devices, &devices->item[i], EDGEFW_SELECT_GREEDY);
      check_chosen(&p, devices, &devices->item[i], EDGEFW_SELECT_SAMPLE);
    }
    ds_destroy(&p);
  }
}

/* 133 rollouts are two chunks of the device `cpu`, of which the second one is smaller; training has
 * one. */
static void chunks_equal_training(void **state) {
  enum { N = 134, S = N - 1 };
  const ks_devices *devices = *state;
  const ds_extras extras = {.depot = true, .resources = 1, .penalty = 20, .attention = 20};
  const ds_shape shape = {1, N, S, 1, 8, 4, false, 10, SHARED};
  ds_problem p;
  create(&p, &shape, &extras, 0.5);
  const int64_t logits = (int64_t)S * p.steps * N;
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    if (strncmp(d->name, "cpu", 3) != 0) continue; /* others have no chunks */
    double *out = ks_zeros(p.c.out_count);
    ds_rollouts one, two;
    ks_forward(&p.c, d, out); /* trains on p.tours */
    ds_decode(&p, d, EDGEFW_SELECT_FORCED, 0, 0, S, p.tours, &one);
    edgefw_set_threads(d->ctx, 2);
    ds_decode(&p, d, EDGEFW_SELECT_FORCED, 0, 0, S, p.tours, &two);
    edgefw_set_threads(d->ctx, 1);
    check_same_bits(two.logits, one.logits, (size_t)logits * sizeof(double), "logits");
    check_scaled_f64(one.log_probability, out + 1, S, 1e-6, "log-probability");
    check_scaled_f64(one.logits, out + 1 + S, logits, 1e-5, "logits");
    ds_rollouts_destroy(&one);
    ds_rollouts_destroy(&two);
    free(out);
  }
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_size),
      cmocka_unit_test(larger_sizes),
      cmocka_unit_test(chosen_tours_agree),
      cmocka_unit_test(chunks_equal_training),
  };
  return test_run(tests, ks_setup_long, ks_teardown);
}
