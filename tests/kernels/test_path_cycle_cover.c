/* A cycle cover that follows the path (kernels/cpu/path_cycle_cover.c): its numbers on reference64,
 * read back through the network and worked out here in another way, and every device against
 * reference64. labels: threads */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/decode_support.h"

enum { MOST = 48 };

typedef enum { TRIPLES, PAIRS, ONE_CYCLE, NO_COST, COVERS } cover_kind;

/* Successors 1 2 0, 4 5 3, ...; the last one or two nodes join the cycle before them. */
static int64_t next_of(cover_kind kind, int64_t n, int64_t i) {
  const int64_t size = kind == ONE_CYCLE ? n : kind == PAIRS ? 2 : 3;
  const int64_t begin = i / size * size, last = n - n % size - size;
  if (n < 2 * size || begin >= last) { /* the last cycle */
    const int64_t from = n < 2 * size ? 0 : last;
    return from + (i - from + 1) % (n - from);
  }
  return begin + (i - begin + 1) % size;
}

/* The numbers of one cover; table 1 holds the permutation, table 0 any exchanges. */
static void create_some(ds_problem *p, cover_kind kind, int64_t n, int64_t rollouts,
                        const edgefw_cover_number *numbers, int count) {
  const ds_shape shape = {2, n, rollouts, 1, 4, 5, true, 10, &edgefw__reinforce};
  ds_create(p, &shape, "decode", 0.7);
  for (int64_t e = 0; e < 2 * n; ++e)
    p->c.tensor[DS_NODE].value[e] = (double)next_of(kind, n, e % n);
  for (int64_t e = 0; e < 2 * n * n; ++e) {
    p->c.tensor[DS_PAIR].value[e] = fabs(p->c.tensor[DS_PAIR].value[e]);
    if (kind == NO_COST) p->cost[e] = 0.0;
  }
  for (int64_t u = 0; u < p->plan.hidden; ++u) /* tanh then tells scores apart in float */
    p->c.tensor[DS_W2].value[u] *= 0.25;
  for (int f = 0; f < count; ++f)
    p->plan.features[f] = (edgefw_feature){.kind = EDGEFW_FEATURE_PATH,
                                           .path = EDGEFW_PATH_CYCLE_COVER,
                                           .table = 0,
                                           .permutation = 1,
                                           .number = numbers[f],
                                           .row = EDGEFW_CURRENT,
                                           .column = EDGEFW_CANDIDATE};
  p->plan.feature_count = count;
}

static const edgefw_cover_number all_numbers[EDGEFW_COVER_NUMBERS] = {
    EDGEFW_COVER_LATER_EXIT, EDGEFW_COVER_RISE, EDGEFW_COVER_SUCCESSOR, EDGEFW_COVER_SAME_CYCLE,
    EDGEFW_COVER_CYCLES};

static void create(ds_problem *p, cover_kind kind, int64_t n, int64_t rollouts) {
  create_some(p, kind, n, rollouts, all_numbers, EDGEFW_COVER_NUMBERS);
}

/* --- Numbers --- */

/* The permutation after tour[0 .. t). */
static void follow(const ds_problem *p, int64_t b, const int32_t *tour, int64_t t, int64_t *next) {
  const int64_t n = p->shape.nodes;
  for (int64_t i = 0; i < n; ++i) next[i] = (int64_t)p->c.tensor[DS_NODE].value[b * n + i];
  for (int64_t k = 1; k < t; ++k) {
    int64_t before = 0;
    while (next[before] != tour[k]) ++before;
    next[before] = next[tour[k - 1]];
    next[tour[k - 1]] = tour[k];
  }
}

static double sum_of(const ds_problem *p, int64_t b, const int64_t *next) {
  const int64_t n = p->shape.nodes;
  double sum = 0.0;
  for (int64_t i = 0; i < n; ++i) sum += p->cost[(b * n + i) * n + next[i]]; /* 0 for a loop */
  return sum;
}

/* Can j be reached from i? */
static bool together(const int64_t *next, int64_t i, int64_t j) {
  int64_t k = i;
  do {
    if (k == j) return true;
    k = next[k];
  } while (k != i);
  return false;
}

static double rise(const ds_problem *p, int64_t b, const int32_t *tour, int64_t t, int64_t j) {
  int64_t first[MOST], now[MOST], then[MOST];
  int32_t longer[MOST];
  follow(p, b, tour, 1, first);
  follow(p, b, tour, t, now);
  memcpy(longer, tour, (size_t)t * sizeof *longer);
  longer[t] = (int32_t)j;
  follow(p, b, longer, t + 1, then);
  const int64_t i = tour[t - 1], n = p->shape.nodes;
  double rises = sum_of(p, b, then) - sum_of(p, b, now);
  if (now[i] != j && now[now[i]] == j) rises = 2.0 * p->cost[(b * n + i) * n + j];
  return log1p(fmax(rises, 0.0) / fmax(sum_of(p, b, first) / (double)n, 1e-9));
}

static double later_exit(const ds_problem *p, int64_t b, const int32_t *tour, int64_t t) {
  const int64_t n = p->shape.nodes;
  int64_t first[MOST], now[MOST];
  bool open[MOST];
  double least = log1p((double)n);
  follow(p, b, tour, 1, first);
  follow(p, b, tour, t, now);
  ds_open(p, b, tour, t, open);
  for (int64_t k = 0; k < n; ++k)
    for (int64_t l = 0; l < n; ++l)
      if (open[k] && together(now, tour[t - 1], k) && !together(first, k, l))
        least = fmin(least, p->c.tensor[DS_PAIR].value[(b * n + k) * n + l]);
  return least;
}

static double number_of(const ds_problem *p, edgefw_cover_number number, int64_t b,
                        const int32_t *tour, int64_t t, int64_t j) {
  const int64_t n = p->shape.nodes, i = tour[t - 1];
  int64_t now[MOST];
  double cycles = 0.0;
  follow(p, b, tour, t, now);
  switch (number) {
  case EDGEFW_COVER_RISE: return rise(p, b, tour, t, j);
  case EDGEFW_COVER_SUCCESSOR: return now[i] == j ? 1.0 : 0.0;
  case EDGEFW_COVER_SAME_CYCLE: return together(now, i, j) ? 1.0 : 0.0;
  case EDGEFW_COVER_CYCLES:
    for (int64_t k = 0; k < n; ++k) { /* count the least node of each */
      int64_t least = 0;
      while (!together(now, k, least)) ++least;
      cycles += least == k ? 1.0 : 0.0;
    }
    return log(cycles);
  case EDGEFW_COVER_LATER_EXIT: return later_exit(p, b, tour, t);
  case EDGEFW_COVER_NUMBERS: break;
  }
  return NAN;
}

/* A network that hands out its one feature: logit = clip tanh(phi / 16), as phi >= 0. */
static void read_back(ds_problem *p) {
  const int zero[] = {DS_FOLD, DS_FOLD_BIAS, DS_W1, DS_B1, DS_W2, DS_B2};
  for (int k = 0; k < 6; ++k)
    memset(p->c.tensor[zero[k]].value, 0, (size_t)p->c.tensor[zero[k]].count * sizeof(double));
  p->c.tensor[DS_W1].value[0] = 1.0;
  p->c.tensor[DS_W2].value[0] = 1.0 / 16.0;
}

static void check_numbers(const ks_device *d, cover_kind kind, int64_t n,
                          edgefw_cover_number number) {
  ds_problem p;
  ds_rollouts r;
  create_some(&p, kind, n, n, &number, 1);
  read_back(&p);
  ds_decode(&p, d, EDGEFW_SELECT_FORCED, 0, 0, n, p.tours, &r);
  for (int64_t run = 0; run < 2 * n; ++run)
    for (int64_t t = 1; t < n; ++t) {
      const int32_t *tour = p.tours + run * n;
      bool open[MOST];
      ds_open(&p, run / n, tour, t, open);
      for (int64_t j = 0; j < n; ++j)
        if (open[j])
          check_close(16.0 * atanh(r.logits[(run * n + t) * n + j] / p.shape.clip),
                      number_of(&p, number, run / n, tour, t, j), 1e-9, 1e-9, "number");
    }
  ds_rollouts_destroy(&r);
  ds_destroy(&p);
}

static void numbers_are_what_they_say(void **state) {
  const ks_devices *devices = *state;
  for (cover_kind kind = 0; kind < COVERS; ++kind)
    for (int64_t n = 2; n <= 11; n += 3)
      for (int k = 0; k < EDGEFW_COVER_NUMBERS; ++k)
        check_numbers(devices->oracle, kind, n, all_numbers[k]);
}

/* --- Devices --- */

static void every_size(void **state) {
  for (cover_kind kind = 0; kind < COVERS; ++kind)
    for (int64_t n = 1; n <= (kind == TRIPLES ? 40 : 8); n += n < 8 ? 1 : 16) {
      ds_problem p;
      create(&p, kind, n, n < 7 ? n : 7);
      ks_check_parity(*state, &p.c);
      if (n == 8) ks_check_rules(*state, &p.c);
      ds_destroy(&p);
    }
}

static void each_number_alone(void **state) {
  for (int k = 0; k < EDGEFW_COVER_NUMBERS; ++k) {
    ds_problem p;
    create_some(&p, TRIPLES, 19, 6, &all_numbers[k], 1);
    ks_check_parity(*state, &p.c);
    ds_destroy(&p);
  }
}

static void gradients(void **state) {
  for (int64_t n = 2; n <= 6; n += 2) {
    ds_problem p;
    create(&p, n == 6 ? TRIPLES : PAIRS, n, n);
    ks_check_gradient(*state, &p.c);
    ds_destroy(&p);
  }
}

/* Another cover in the same plan has its own state, and so have minima over remaining nodes. */
static void paths_stand_side_by_side(void **state) {
  ds_problem p;
  create(&p, PAIRS, 21, 9);
  for (int k = 0; k < 2; ++k) {
    edgefw_feature *feature = &p.plan.features[EDGEFW_COVER_NUMBERS + 2 * k];
    feature[0] = p.plan.features[1 + 3 * k];
    feature[0].table = 2;
    feature[1] = (edgefw_feature){.kind = EDGEFW_FEATURE_PATH,
                                  .path = EDGEFW_PATH_REMAINING_MIN,
                                  .table = 0,
                                  .row = k ? EDGEFW_CURRENT : EDGEFW_CANDIDATE,
                                  .column = k ? EDGEFW_CANDIDATE : EDGEFW_CLOSING};
  }
  p.plan.feature_count = EDGEFW_COVER_NUMBERS + 4;
  ks_check_parity(*state, &p.c);
  ds_destroy(&p);
}

/* Sampled tours forced upon it, in other chunks, have the same log-probabilities; a rollout alone
 * is the same in every bit. */
static void check_undisturbed(const ks_device *d, int64_t n) {
  ds_problem p;
  ds_rollouts whole, part;
  create(&p, TRIPLES, n, n);
  ds_decode(&p, d, EDGEFW_SELECT_SAMPLE, 3, 0, n, NULL, &whole);
  ds_decode(&p, d, EDGEFW_SELECT_FORCED, 0, 0, n, whole.tours, &part);
  check_close_f64(part.log_probability, whole.log_probability, 2 * n, 1e-9, 1e-9,
                  "log-probabilities of the same tours");
  ds_rollouts_destroy(&part);
  ds_decode(&p, d, EDGEFW_SELECT_SAMPLE, 3, n - 9, 1, NULL, &part);
  check_same_bits(part.tours, whole.tours + (n - 9) * n, (size_t)n * sizeof(int32_t),
                  "a rollout alone");
  ds_rollouts_destroy(&whole);
  ds_rollouts_destroy(&part);
  ds_destroy(&p);
}

static void rollouts_do_not_disturb_each_other(void **state) {
  const ks_devices *devices = *state;
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    if (strncmp(d->name, "reference", 9) == 0) continue; /* slow, and in one piece */
    check_undisturbed(d, strncmp(d->name, "cpu", 3) == 0 ? 140 : 40);
  }
}

/* --- Given beginnings --- */

static void decode_from(const ds_problem *p, const ks_device *d, int64_t given, int64_t decisions,
                        int32_t *tours, double *log_probability) {
  const int64_t n = p->shape.nodes, runs = 2 * p->shape.rollouts;
  void *in[KS_MAX_TENSORS] = {NULL};
  int32_t *entries = calloc((size_t)runs, sizeof *entries);
  double *lengths = ks_zeros(runs);
  assert_non_null(entries);
  ds_upload(p, d, in);
  edgefw_decode_args a = ds_args(p, d, in);
  for (int64_t r = 0; r < runs; ++r) entries[r] = (int32_t)given;
  a.selection.select = EDGEFW_SELECT_GREEDY;
  a.tours = tours;
  a.lengths = lengths;
  a.log_probability = log_probability;
  a.given = given > 0 ? entries : NULL;
  a.stop.early = given + decisions < n;
  a.stop.decisions = decisions;
  ks_ok(d, d->k->decode(d->device, &a));
  ds_release(p, d, in);
  free(entries);
  free(lengths);
}

/* Any beginning of a tour goes on to the same tour, in one call or node by node. */
static void beginnings_go_on_alike(void **state) {
  const ks_devices *devices = *state;
  enum { N = 11, RUNS = 2 * N };
  ds_problem p;
  create(&p, PAIRS, N, N);
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    int32_t whole[RUNS * N], part[RUNS * N], stepped[RUNS * N];
    double total[RUNS], sum[RUNS] = {0.0}, step[RUNS];
    decode_from(&p, d, 0, N, whole, total);
    for (int64_t given = 1; given < N; ++given) {
      double rest[RUNS];
      memcpy(part, whole, sizeof part);
      for (int64_t e = 0; e < RUNS * N; ++e)
        if (e % N >= given) part[e] = -7;
      decode_from(&p, d, given, N, part, rest);
      check_same_bits(part, whole, sizeof part, "a beginning that went on");
      memcpy(stepped, part, sizeof stepped);
      for (int64_t e = 0; e < RUNS * N; ++e)
        if (e % N >= given) stepped[e] = -7;
      decode_from(&p, d, given, 1, stepped, step);
      for (int r = 0; r < RUNS; ++r) {
        assert_int_equal(stepped[r * N + given], whole[r * N + given]);
        sum[r] += step[r];
      }
    }
    check_close_f64(sum, total, RUNS, 1e-9, 1e-9, "log-probabilities node by node");
  }
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_what_they_say),
      cmocka_unit_test(every_size),
      cmocka_unit_test(each_number_alone),
      cmocka_unit_test(gradients),
      cmocka_unit_test(paths_stand_side_by_side),
      cmocka_unit_test(rollouts_do_not_disturb_each_other),
      cmocka_unit_test(beginnings_go_on_alike),
  };
  return test_run(tests, ks_setup_long, ks_teardown);
}
