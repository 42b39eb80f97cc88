/* Rollouts on every device: what is chosen, priced and forced, chunks, and the training loss. */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#include "edgefw/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARED &edgefw__reinforce
#define MAX    &edgefw__reinforce_max

static const ds_shape shapes[] = {
    {2, 1, 1, 1, 2, 3, true, 10, SHARED},    {2, 2, 2, 1, 2, 3, true, 10, SHARED},
    {3, 3, 3, 2, 2, 0, true, 10, SHARED},    {2, 7, 7, 2, 4, 8, true, 10, SHARED},
    {3, 20, 20, 2, 8, 32, true, 10, SHARED}, {1, 40, 40, 4, 4, 0, false, 50, SHARED},
    {1, 101, 9, 2, 16, 8, true, 50, SHARED},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Each tour visits every node once and begins where it must; its length is the sum of its edges. */
static void check_tours(const ds_problem *p, const ds_rollouts *r, int64_t first_start) {
  const int64_t n = p->shape.nodes;
  bool *seen = malloc((size_t)n);
  assert_non_null(seen);
  for (int64_t row = 0; row < p->shape.batch * r->rollouts; ++row) {
    const int32_t *tour = r->tours + row * n;
    const double *cost = p->cost + row / r->rollouts * n * n;
    double length = 0.0;
    memset(seen, 0, (size_t)n);
    assert_int_equal(tour[0], first_start + row % r->rollouts);
    for (int64_t t = 0; t < n; ++t) {
      assert_in_range(tour[t], 0, n - 1);
      assert_false(seen[tour[t]]);
      seen[tour[t]] = true;
      length += cost[tour[t] * n + tour[(t + 1) % n]];
    }
    check_close(r->lengths[row], length, 1e-12, 1e-12, "length");
  }
  free(seen);
}

/* A step's view for the checks below. */
typedef struct step {
  const double *logit; /* (n) */
  const int32_t *tour;
  int64_t n, t;
} step;

static step step_of(const ds_problem *p, const ds_rollouts *r, int64_t row, int64_t t) {
  const int64_t n = p->shape.nodes;
  return (step){r->logits + (row * n + t) * n, r->tours + row * n, n, t};
}

static bool is_open(const step *s, int64_t j) {
  for (int64_t t = 0; t < s->t; ++t)
    if (s->tour[t] == j) return false;
  return true;
}

static double largest_logit(const step *s) {
  double maximum = -(double)INFINITY;
  for (int64_t j = 0; j < s->n; ++j)
    if (is_open(s, j)) maximum = fmax(maximum, s->logit[j]);
  return maximum;
}

/* Sum over the open j < end of exp(logit_j - maximum). */
static double mass(const step *s, int64_t end) {
  const double maximum = largest_logit(s);
  double sum = 0.0;
  for (int64_t j = 0; j < end; ++j)
    if (is_open(s, j)) sum += exp(s->logit[j] - maximum);
  return sum;
}

/* The log-probability is the sum of the log-softmax of the chosen logits. */
static void check_log_probability(const ds_problem *p, const ds_rollouts *r) {
  const int64_t n = p->shape.nodes;
  for (int64_t row = 0; row < p->shape.batch * r->rollouts; ++row) {
    double expected = 0.0;
    for (int64_t t = 1; t < n; ++t) {
      const step s = step_of(p, r, row, t);
      expected += s.logit[s.tour[t]] - largest_logit(&s) - log(mass(&s, n));
    }
    check_close(r->log_probability[row], expected, 1e-5 * (double)n, 1e-4, "log-probability");
  }
}

static void greedy_takes_the_largest_logit(void **state) {
  const ks_devices *devices = *state;
  for (int k = 0; k < SHAPES * devices->count; ++k) {
    ds_problem p;
    ds_rollouts r;
    ds_create(&p, &shapes[k % SHAPES], "decode", 0.7);
    ds_decode(&p, &devices->item[k / SHAPES], EDGEFW_SELECT_GREEDY, 0, 0, p.shape.rollouts, NULL,
              &r);
    check_tours(&p, &r, 0);
    check_log_probability(&p, &r);
    for (int64_t row = 0; row < p.shape.batch * r.rollouts; ++row)
      for (int64_t t = 1; t < p.shape.nodes; ++t) {
        const step s = step_of(&p, &r, row, t);
        for (int64_t j = 0; j < s.n; ++j)
          if (is_open(&s, j)) assert_true(s.logit[j] <= s.logit[s.tour[t]] + 1e-5);
      }
    ds_rollouts_destroy(&r);
    ds_destroy(&p);
  }
}

/* Equal logits everywhere: nodes in their order. */
static void greedy_takes_the_first_of_equal_ones(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {1, 19, 19, 1, 4, 0, true, 10, SHARED};
  ds_problem p;
  ds_create(&p, &shape, "decode", 1.0);
  for (int64_t i = 0; i < p.c.tensor[DS_FOLD].count; ++i) p.c.tensor[DS_FOLD].value[i] = 0.0;
  for (int64_t i = 0; i < 19; ++i) p.c.tensor[DS_FOLD_BIAS].value[i] = 0.5;
  for (int i = 0; i < devices->count; ++i) {
    ds_rollouts r;
    ds_decode(&p, &devices->item[i], EDGEFW_SELECT_GREEDY, 0, 0, 19, NULL, &r);
    for (int32_t s = 0; s < 19; ++s)
      for (int32_t t = 1; t < 19; ++t) assert_int_equal(r.tours[s * 19 + t], t <= s ? t - 1 : t);
    ds_rollouts_destroy(&r);
  }
  ds_destroy(&p);
}

/* The chosen node is where the cumulative probability passes the documented random number. */
static void check_sampled_step(const step *s, double u) {
  const double sum = mass(s, s->n);
  const int64_t chosen = s->tour[s->t];
  assert_true(mass(s, chosen) <= (u + 1e-5) * sum);
  assert_true(mass(s, chosen + 1) >= (u - 1e-5) * sum);
}

static void samples_follow_the_documented_words(void **state) {
  const ks_devices *devices = *state;
  for (int k = 0; k < SHAPES * devices->count; ++k) {
    ds_problem p;
    ds_rollouts r;
    ds_create(&p, &shapes[k % SHAPES], "decode", 0.4);
    const int64_t n = p.shape.nodes, rollouts = p.shape.rollouts;
    ds_decode(&p, &devices->item[k / SHAPES], EDGEFW_SELECT_SAMPLE, 99, 0, rollouts, NULL, &r);
    check_tours(&p, &r, 0);
    check_log_probability(&p, &r);
    for (int64_t row = 0; row < p.shape.batch * rollouts; ++row)
      for (int64_t t = 1; t < n; ++t) {
        const step s = step_of(&p, &r, row, t);
        const uint32_t word = edgefw_random_word(99, EDGEFW_STREAM_ROLLOUT, p.ids[row / rollouts],
                                                 (uint64_t)(row % rollouts * n + t));
        check_sampled_step(&s, edgefw_random_unit(word));
      }
    ds_rollouts_destroy(&r);
    ds_destroy(&p);
  }
}

/* Logits of +-50 and almost everything closed: still only open nodes. */
static void samples_are_open_at_extremes(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {2, 24, 24, 2, 4, 16, true, 50, SHARED};
  const double scales[3] = {0.0, 50.0, 1e4};
  for (int k = 0; k < 3 * devices->count; ++k) {
    ds_problem p;
    ds_rollouts r;
    ds_create(&p, &shape, "decode", scales[k % 3]);
    for (uint64_t seed = 0; seed < 5; ++seed) {
      ds_decode(&p, &devices->item[k / 3], EDGEFW_SELECT_SAMPLE, seed, 0, 24, NULL, &r);
      check_tours(&p, &r, 0);
      check_finite_f64(r.log_probability, 48, "log-probability");
      ds_rollouts_destroy(&r);
    }
    ds_destroy(&p);
  }
}

static void seeds_matter(void **state) {
  const ks_devices *devices = *state;
  for (int i = 0; i < devices->count; ++i) {
    ds_problem p;
    ds_rollouts one, two;
    ds_create(&p, &shapes[4], "decode", 0.1);
    ds_decode(&p, &devices->item[i], EDGEFW_SELECT_SAMPLE, 1, 0, 20, NULL, &one);
    ds_decode(&p, &devices->item[i], EDGEFW_SELECT_SAMPLE, 1ull << 32 | 1, 0, 20, NULL, &two);
    assert_memory_not_equal(one.tours, two.tours, 3 * 20 * 20 * sizeof(int32_t));
    ds_rollouts_destroy(&one);
    ds_rollouts_destroy(&two);
    ds_destroy(&p);
  }
}

/* Sampled actions, forced: the same lengths and log-probabilities, also by the oracle. */
static void forced_actions_repeat_the_sampled_run(void **state) {
  const ks_devices *devices = *state;
  for (int k = 0; k < SHAPES * devices->count; ++k) {
    ds_problem p;
    ds_rollouts sampled, forced, oracle;
    ds_create(&p, &shapes[k % SHAPES], "decode", 0.5);
    const int64_t n = p.shape.nodes, s = p.shape.rollouts, rows = p.shape.batch * s;
    const ks_device *d = &devices->item[k / SHAPES];
    ds_decode(&p, d, EDGEFW_SELECT_SAMPLE, 5, 0, s, NULL, &sampled);
    ds_decode(&p, d, EDGEFW_SELECT_FORCED, 0, 0, s, sampled.tours, &forced);
    ds_decode(&p, devices->oracle, EDGEFW_SELECT_FORCED, 0, 0, s, sampled.tours, &oracle);
    check_same_bits(forced.tours, sampled.tours, (size_t)(rows * n) * sizeof(int32_t), "tours");
    check_close_f64(forced.lengths, sampled.lengths, rows, 0.0, 1e-15, "forced lengths");
    check_close_f64(oracle.lengths, sampled.lengths, rows, 0.0, 1e-13, "oracle's lengths");
    check_close_f64(forced.log_probability, sampled.log_probability, rows, 1e-5, 1e-6,
                    "forced log-probabilities");
    check_close_f64(oracle.log_probability, sampled.log_probability, rows, 1e-5 * (double)n, 1e-4,
                    "oracle's log-probabilities");
    check_scaled_f64(sampled.logits, oracle.logits, rows * n * n, ks_tolerance("decode", false),
                     "logits");
    ds_rollouts_destroy(&sampled);
    ds_rollouts_destroy(&forced);
    ds_rollouts_destroy(&oracle);
    ds_destroy(&p);
  }
}

/* Rollouts `first` .. of every instance of `all` are those of `chunk`. */
static void check_chunk(const ds_problem *p, const ds_rollouts *all, const ds_rollouts *chunk,
                        int64_t first) {
  const int64_t n = p->shape.nodes;
  for (int64_t b = 0; b < p->shape.batch; ++b) {
    const int64_t from = b * all->rollouts + first, to = b * chunk->rollouts;
    check_same_bits(chunk->tours + to * n, all->tours + from * n,
                    (size_t)(chunk->rollouts * n) * sizeof(int32_t), "tours of a chunk");
    check_close_f64(chunk->lengths + to, all->lengths + from, chunk->rollouts, 0.0, 1e-15,
                    "lengths of a chunk");
    check_close_f64(chunk->log_probability + to, all->log_probability + from, chunk->rollouts, 1e-5,
                    1e-6, "log-probabilities of a chunk");
  }
}

static void chunks_equal_the_whole(void **state) {
  const ks_devices *devices = *state;
  for (int k = 3 * devices->count; k < 5 * devices->count; ++k) {
    ds_problem p;
    ds_rollouts all, head, tail;
    ds_create(&p, &shapes[k / devices->count], "decode", 0.4);
    const int64_t s = p.shape.rollouts, cut = s / 3;
    const ks_device *d = &devices->item[k % devices->count];
    ds_decode(&p, d, EDGEFW_SELECT_SAMPLE, 8, 0, s, NULL, &all);
    ds_decode(&p, d, EDGEFW_SELECT_SAMPLE, 8, 0, cut, NULL, &head);
    ds_decode(&p, d, EDGEFW_SELECT_SAMPLE, 8, cut, s - cut, NULL, &tail);
    check_tours(&p, &tail, cut);
    check_chunk(&p, &all, &head, 0);
    check_chunk(&p, &all, &tail, cut);
    ds_rollouts_destroy(&all);
    ds_rollouts_destroy(&head);
    ds_rollouts_destroy(&tail);
    ds_destroy(&p);
  }
}

static void threads_change_nothing(void **state) {
  const ks_devices *devices = *state;
  const edgefw_select selects[2] = {EDGEFW_SELECT_SAMPLE, EDGEFW_SELECT_GREEDY};
  for (int k = 0; k < 2 * devices->count; ++k) {
    ds_problem p;
    ds_rollouts one, two;
    ds_create(&p, &shapes[4], "decode", 0.4);
    const ks_device *d = &devices->item[k / 2];
    ds_decode(&p, d, selects[k % 2], 8, 0, 20, NULL, &one);
    edgefw_set_threads(d->ctx, 2);
    ds_decode(&p, d, selects[k % 2], 8, 0, 20, NULL, &two);
    edgefw_set_threads(d->ctx, 1);
    check_same_bits(two.tours, one.tours, 1200 * sizeof(int32_t), "tours");
    check_same_bits(two.lengths, one.lengths, 60 * sizeof(double), "lengths");
    check_same_bits(two.log_probability, one.log_probability, 60 * sizeof(double), "log p");
    check_same_bits(two.logits, one.logits, 24000 * sizeof(double), "logits");
    ds_rollouts_destroy(&one);
    ds_rollouts_destroy(&two);
    ds_destroy(&p);
  }
}

/* What the objective is told is what the same call returns. */
static void check_losses(const ds_problem *p, const ks_device *d) {
  const int64_t s = p->shape.rollouts, b = p->shape.batch;
  double *out = ks_zeros(p->c.out_count), weights[32];
  ds_rollouts r;
  ks_forward(&p->c, d, out);
  ds_decode(p, d, EDGEFW_SELECT_FORCED, 0, 0, s, p->tours, &r);
  for (int64_t i = 0; i < b; ++i) {
    const edgefw__outcome outcome = {i, b, s, r.lengths + i * s, out + b + i * s};
    double loss = 0.0;
    edgefw__objective_weigh(p->shape.objective, &outcome, weights, &loss);
    check_close(out[i], loss, 1e-6, 1e-5, "loss");
  }
  ds_rollouts_destroy(&r);
  free(out);
}

static void the_objective_sees_the_results(void **state) {
  const ks_devices *devices = *state;
  const ds_shape cases[2] = {{3, 9, 7, 2, 4, 8, true, 10, SHARED},
                             {3, 9, 7, 2, 4, 8, true, 10, MAX}};
  for (int k = 0; k < 2 * devices->count; ++k) {
    ds_problem p;
    ds_create(&p, &cases[k % 2], "decode", 0.5);
    check_losses(&p, &devices->item[k / 2]);
    ds_destroy(&p);
  }
}

static void check_nothing_learnt(const ds_problem *p, const ks_device *d) {
  double *out = ks_zeros(p->c.out_count), *grad[KS_MAX_TENSORS] = {NULL};
  const int64_t count = p->c.tensor[DS_FOLD].count;
  grad[DS_FOLD] = ks_zeros(count);
  ks_forward(&p->c, d, out);
  ks_backward(&p->c, d, 1, grad);
  for (int64_t b = 0; b < p->shape.batch; ++b) check_close(out[b], 0.0, 1e-10, 0.0, "loss");
  for (int64_t i = 0; i < count; ++i) check_close(grad[DS_FOLD][i], 0.0, 1e-10, 0.0, "dfold");
  free(grad[DS_FOLD]);
  free(out);
}

/* All edges equally long: no advantage, so no loss and no gradient, and never 0 / 0. */
static void equal_edges_teach_nothing(void **state) {
  const ks_devices *devices = *state;
  const ds_shape cases[4] = {{2, 3, 3, 1, 4, 4, true, 10, SHARED},
                             {2, 7, 7, 1, 4, 4, true, 10, MAX},
                             {1, 1, 1, 1, 4, 4, true, 10, MAX},
                             {2, 2, 2, 1, 4, 0, true, 10, MAX}};
  for (int k = 0; k < 4 * devices->count; ++k) {
    ds_problem p;
    ds_create(&p, &cases[k % 4], "decode", 0.5);
    for (int64_t i = 0; i < p.shape.batch * p.shape.nodes * p.shape.nodes; ++i)
      p.cost[i] = p.cost[i] > 0.0 ? 0.1 : 0.0;
    check_nothing_learnt(&p, &devices->item[k / 4]);
    ds_destroy(&p);
  }
}

/* One tour, begun at every node: the lengths differ by rounding alone, which MAX must not blow up.
 */
static void one_tour_teaches_nothing(void **state) {
  const ks_devices *devices = *state;
  const ds_shape cases[2] = {{1, 3, 3, 1, 4, 4, true, 10, MAX}, {2, 9, 9, 1, 4, 0, true, 10, MAX}};
  for (int k = 0; k < 2 * devices->count; ++k) {
    ds_problem p;
    ds_create(&p, &cases[k % 2], "decode", 0.5);
    const int64_t n = p.shape.nodes;
    for (int64_t i = 0; i < p.shape.batch * n * n; ++i) {
      p.tours[i] = (int32_t)((i / n % n + i % n) % n);
      p.cost[i] *= 0.1; /* sums of these do round */
    }
    check_nothing_learnt(&p, &devices->item[k / 2]);
    ds_destroy(&p);
  }
}

/* What a caller does not want may be NULL; the scratch estimate is positive. */
static void optional_results(void **state) {
  const ks_devices *devices = *state;
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    ds_problem p;
    ds_rollouts r;
    ds_create(&p, &shapes[3], "decode", 0.5);
    ds_decode(&p, d, EDGEFW_SELECT_SAMPLE, 4, 0, 7, NULL, &r);
    void *in[KS_MAX_TENSORS] = {NULL};
    double lengths[14], losses[2];
    int32_t tours[98];
    ds_upload(&p, d, in);
    edgefw_decode_args a = ds_args(&p, d, in);
    a.selection.select = EDGEFW_SELECT_SAMPLE;
    a.selection.seed = 4;
    a.tours = tours;
    a.lengths = lengths;
    for (int train = 0; train < 2; ++train) {
      ds_weighing weighing = {&p, losses};
      a.train = train == 1;
      a.weigh = ds_weigh;
      a.weigh_user = &weighing;
      ks_ok(d, d->k->decode(d->device, &a));
      check_same_bits(tours, r.tours, sizeof tours, "tours");
      check_close_f64(lengths, r.lengths, 14, 0.0, 1e-15, "lengths");
      assert_true(d->k->decode_scratch(&a) > 0);
    }
    ds_release(&p, d, in);
    ds_rollouts_destroy(&r);
    ds_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(greedy_takes_the_largest_logit),
      cmocka_unit_test(greedy_takes_the_first_of_equal_ones),
      cmocka_unit_test(samples_follow_the_documented_words),
      cmocka_unit_test(samples_are_open_at_extremes),
      cmocka_unit_test(seeds_matter),
      cmocka_unit_test(forced_actions_repeat_the_sampled_run),
      cmocka_unit_test(chunks_equal_the_whole),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(the_objective_sees_the_results),
      cmocka_unit_test(equal_edges_teach_nothing),
      cmocka_unit_test(one_tour_teaches_nothing),
      cmocka_unit_test(optional_results),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
