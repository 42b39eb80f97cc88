/* Decoding that starts anywhere and stops anywhere, on every device: what follows a given beginning
 * is what the whole decode has there, in every bit; the candidates of a step are those of its
 * logits; and a tour made node by node is the tour made at once.
 * labels: threads */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#include "edgefw/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 9, S = 5, B = 2, BEST = 4, MANY = 35 /* > N */ };
static const ds_shape shape = {B, N, S, 2, 4, 6, true, 10, &edgefw__reinforce};

/* More rollouts than a device scores together. */
enum { MOST_N = 45, MOST_S = 40, MOST = B * MOST_S };
static const ds_shape large = {B, MOST_N, MOST_S, 2, 4, 6, true, 10, &edgefw__reinforce};

static const ds_extras kinds[] = {
    {.depot = false},
    {.penalty = 3, .attention = 4},
    {.depot = true, .resources = 1},
    {.depot = true, .resources = 2, .fractional = true, .penalty = 3, .attention = 3},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };
static const edgefw_select selects[] = {EDGEFW_SELECT_GREEDY, EDGEFW_SELECT_SAMPLE};

/* Results of one call, with room for all rollouts; `rollouts` of each instance, 0: as many as the
 * problem's shape has. */
typedef struct results {
  int64_t rollouts;
  int32_t tours[MOST * 2 * MOST_N], given[MOST], entries[MOST], candidates[MOST * BEST];
  double lengths[MOST], log_probability[MOST], candidate_log_probability[MOST * BEST];
  double stop_logits[MOST * MOST_N];
} results;

/* Decode from what `r` has: with `given` NULL from the starts. `stop` may be NULL. */
static edgefw_status decode(const ds_problem *p, const ks_device *d, edgefw_select select,
                            bool given, const edgefw_decode_stop *stop, results *r) {
  void *in[KS_MAX_TENSORS] = {NULL};
  ds_upload(p, d, in);
  edgefw_decode_args a = ds_args(p, d, in);
  a.selection.select = select;
  a.selection.seed = 17;
  if (r->rollouts > 0) a.rollouts = r->rollouts;
  a.tours = r->tours;
  a.given = given ? r->given : NULL;
  a.lengths = r->lengths;
  a.log_probability = r->log_probability;
  if (stop) {
    a.stop = *stop;
    a.stop.entries = r->entries;
    a.stop.candidates = r->candidates;
    a.stop.candidate_log_probability = r->candidate_log_probability;
    a.stop.logits = r->stop_logits;
  }
  const edgefw_status status = d->k->decode(d->device, &a);
  ds_release(p, d, in);
  return status;
}

/* B S */
static int rollouts_of(const ds_problem *p) {
  return (int)(p->shape.batch * p->shape.rollouts);
}

static int32_t least_given(const ds_problem *p) {
  return p->extras.depot ? 2 : 1;
}

/* Every kind of problem, on every device, chosen in both ways. */
static void for_each(const ks_devices *devices, const ds_shape *sizes,
                     void (*check)(const ds_problem *, const ks_device *, edgefw_select)) {
  for (int k = 0; k < KINDS; ++k) {
    ds_problem p;
    ds_create_with(&p, sizes, &kinds[k], "decode", 0.7);
    for (int i = 0; i < devices->count; ++i)
      for (int s = 0; s < 2; ++s) check(&p, &devices->item[i], selects[s]);
    ds_destroy(&p);
  }
}

/* --- Starting anywhere --- */

static void check_prefixes(const ds_problem *p, const ks_device *d, edgefw_select select) {
  static results whole, part;
  ks_ok(d, decode(p, d, select, false, NULL, &whole));
  const int turns = p->shape.nodes == N ? 4 : 1;
  for (int turn = 0; turn < turns; ++turn) {
    part = whole;
    for (int r = 0; r < rollouts_of(p);
         ++r) { /* another length for each rollout; all of it in one turn */
      const uint32_t word = edgefw_random_word(8, EDGEFW_STREAM_ROLLOUT, (uint64_t)turn, r);
      const uint32_t more = (uint32_t)(p->steps - least_given(p)) + 1;
      part.given[r] = least_given(p) + (int32_t)edgefw_random_below(word, more);
      if (turn == 3) part.given[r] = (int32_t)p->steps;
      for (int64_t t = part.given[r]; t < p->steps; ++t) part.tours[r * p->steps + t] = -7;
    }
    ks_ok(d, decode(p, d, select, true, NULL, &part));
    check_same_bits(part.tours, whole.tours, (size_t)(rollouts_of(p) * p->steps) * sizeof(int32_t),
                    "tours");
    check_same_bits(part.lengths, whole.lengths, (size_t)rollouts_of(p) * sizeof(double),
                    "lengths");
  }
}

static void what_follows_a_prefix_is_the_same(void **state) {
  for_each(*state, &shape, check_prefixes);
  for_each(*state, &large, check_prefixes);
}

/* More rollouts than there are nodes to start with: each goes on from the beginning of one of the
 * tours that a greedy decode has, at another place, and so ends as that tour. */
static void check_many(const ds_problem *p, const ks_device *d, edgefw_select select) {
  static results whole, many;
  const int64_t steps = p->steps, of = p->shape.rollouts;
  if (select != EDGEFW_SELECT_GREEDY) return; /* a sample is another one in every rollout */
  ks_ok(d, decode(p, d, select, false, NULL, &whole));
  memset(&many, 0, sizeof many);
  many.rollouts = MANY;
  for (int64_t r = 0; r < B * MANY; ++r) {
    const int64_t from = r / MANY * of + r % of;
    many.given[r] = (int32_t)(least_given(p) + r % (steps - least_given(p) + 1));
    memcpy(many.tours + r * steps, whole.tours + from * steps,
           (size_t)many.given[r] * sizeof *many.tours);
  }
  ks_ok(d, decode(p, d, select, true, NULL, &many));
  for (int64_t r = 0; r < B * MANY; ++r) {
    const int64_t from = r / MANY * of + r % of;
    check_same_bits(many.tours + r * steps, whole.tours + from * steps,
                    (size_t)steps * sizeof *many.tours, "tour");
    check_same_bits(many.lengths + r, whole.lengths + from, sizeof *many.lengths, "length");
  }
}

static void there_may_be_more_rollouts_than_nodes(void **state) {
  for_each(*state, &shape, check_many);
}

static void check_refusals(const ds_problem *p, const ks_device *d, edgefw_select select) {
  static results r;
  ks_ok(d, decode(p, d, select, false, NULL, &r));
  for (int k = 0; k < B * S; ++k) r.given[k] = least_given(p) + 1;
  int32_t *wrong = &r.tours[(S + 1) * p->steps + least_given(p)]; /* instance 1, rollout 1 */
  *wrong = wrong[-1];
  assert_int_equal(decode(p, d, select, true, NULL, &r), EDGEFW_INVALID_ARGUMENT);
  edgefw_clear(d->ctx);
  *wrong = N;
  assert_int_equal(decode(p, d, select, true, NULL, &r), EDGEFW_INVALID_ARGUMENT);
  assert_non_null(strstr(edgefw_message(d->ctx), "instance 1"));
  assert_non_null(strstr(edgefw_message(d->ctx), "rollout 1"));
  edgefw_clear(d->ctx);
}

static void nodes_that_are_not_open_are_refused(void **state) {
  for_each(*state, &shape, check_refusals);
}

/* --- Stopping anywhere --- */

/* The k best of the logits (n) of a step, 0 where closed, are what was handed out. */
static void check_candidates(const double *logits, const bool *open, const results *r,
                             int rollout) {
  double most = -INFINITY, sum = 0.0;
  bool left[N];
  memcpy(left, open, sizeof left);
  for (int j = 0; j < N; ++j)
    if (open[j]) most = fmax(most, logits[j]);
  for (int j = 0; j < N; ++j)
    if (open[j]) sum += exp(logits[j] - most);
  for (int k = 0; k < BEST; ++k) {
    int best = -1;
    for (int j = 0; j < N; ++j)
      if (left[j] && (best < 0 || logits[j] > logits[best])) best = j;
    const double p = r->candidate_log_probability[rollout * BEST + k];
    const int32_t node = r->candidates[rollout * BEST + k];
    if (best < 0) {
      assert_true(node == -1 && isinf(p) && p < 0.0);
      continue;
    }
    /* Logits are told as floats, so nearly equal ones may be in either order. */
    assert_true(node >= 0 && node < N && left[node]);
    check_close(logits[node], logits[best], 1e-6, 0.0, "logit of a candidate");
    check_close(p, logits[node] - most - log(sum), 2e-5, 0.0, "log-probability of a candidate");
    left[node] = false;
  }
}

/* The logits of the step where a rollout stands are those that a whole decode has there. */
static void check_stop_logits(const double *logits, const bool *open, const results *r,
                              int rollout) {
  const double *found = r->stop_logits + rollout * N;
  for (int j = 0; j < N; ++j)
    if (open[j])
      check_close(found[j], logits[j], 1e-6, 0.0, "logit where a rollout stops");
    else
      assert_true(isnan(found[j]));
}

static void check_stops(const ds_problem *p, const ks_device *d, edgefw_select select) {
  static results r;
  ds_rollouts whole;
  ds_decode(p, d, select, 17, 0, S, NULL, &whole);
  for (int decisions = 0; decisions < N + 2; ++decisions) {
    const edgefw_decode_stop stop = {.early = true, .decisions = decisions, .best = BEST};
    memset(&r, 0x55, sizeof r);
    r.rollouts = 0;
    ks_ok(d, decode(p, d, select, false, &stop, &r));
    for (int k = 0; k < B * S; ++k) {
      const int32_t *tour = r.tours + k * p->steps, *full = whole.tours + k * p->steps;
      const int64_t last = ds_last(p, full), at = least_given(p) + decisions;
      const bool finished = at > last;
      assert_int_equal(r.entries[k], finished ? p->steps : at);
      check_same_bits(tour, full, (size_t)(finished ? p->steps : at) * sizeof *tour, "tour");
      double length = 0.0;
      for (int64_t t = 1; t < at && !finished; ++t)
        length += p->cost[(k / S * N + tour[t - 1]) * N + tour[t]];
      for (int64_t t = finished ? p->steps : at; t < p->steps; ++t) assert_int_equal(tour[t], 0);
      check_close(r.lengths[k], finished ? whole.lengths[k] : length, 1e-12, 0.0, "length");
      bool open[N] = {false};
      if (!finished) ds_open(p, k / S, tour, at, open);
      const double *logits = whole.logits + (k * p->steps + (finished ? 0 : at)) * N;
      check_candidates(logits, open, &r, k);
      check_stop_logits(logits, open, &r, k);
    }
  }
  ds_rollouts_destroy(&whole);
}

/* Logits are handed out without candidates, too. */
static void check_logits_alone(const ds_problem *p, const ks_device *d, edgefw_select select) {
  static results both, alone;
  const edgefw_decode_stop ranked = {.early = true, .decisions = 2, .best = BEST},
                           bare = {.early = true, .decisions = 2};
  memset(&both, 0, sizeof both);
  memset(&alone, 0, sizeof alone);
  ks_ok(d, decode(p, d, select, false, &ranked, &both));
  ks_ok(d, decode(p, d, select, false, &bare, &alone));
  int open = 0;
  for (int k = 0; k < B * S * N; ++k) {
    open += isfinite(alone.stop_logits[k]);
    assert_true(alone.stop_logits[k] == both.stop_logits[k] ||
                (isnan(alone.stop_logits[k]) && isnan(both.stop_logits[k])));
  }
  assert_true(open >= B * S);
}

static void logits_need_no_candidates(void **state) {
  for_each(*state, &shape, check_logits_alone);
}

static void candidates_are_those_of_the_logits(void **state) {
  for_each(*state, &shape, check_stops);
}

/* One decision a call, each call from where the one before stopped. */
static void check_stepping(const ds_problem *p, const ks_device *d, edgefw_select select) {
  static results whole, step;
  const edgefw_decode_stop one = {.early = true, .decisions = 1};
  double log_probability[B * S] = {0.0};
  ks_ok(d, decode(p, d, select, false, NULL, &whole));
  for (int calls = 0; calls < 2 * N; ++calls) {
    ks_ok(d, decode(p, d, select, calls > 0, &one, &step));
    for (int r = 0; r < B * S; ++r) log_probability[r] += step.log_probability[r];
    memcpy(step.given, step.entries, sizeof step.given);
  }
  check_same_bits(step.tours, whole.tours, (size_t)(B * S * p->steps) * sizeof(int32_t), "tours");
  check_same_bits(step.lengths, whole.lengths, B * S * sizeof(double), "lengths");
  check_close_f64(log_probability, whole.log_probability, B * S, 0.0, 1e-14, "log-probability");
}

static void node_by_node_is_all_at_once(void **state) {
  for_each(*state, &shape, check_stepping);
}

/* --- Gradients of what is chosen behind a prefix --- */

/* Log-probabilities of MANY rollouts, and gradients of each tensor t that has a `gradient[t]`. */
static void learn_behind(const ds_problem *p, const ks_device *d, results *r, double **gradient) {
  void *in[KS_MAX_TENSORS] = {NULL}, *grad[KS_MAX_TENSORS] = {NULL};
  double losses[B];
  ds_weighing weighing = {p, losses};
  ds_upload(p, d, in);
  for (int t = 0; t < p->c.tensor_count; ++t)
    if (gradient[t]) grad[t] = ks_reals(d, p->c.tensor[t].count);
  edgefw_decode_args a = ds_args(p, d, in);
  a.selection.select = EDGEFW_SELECT_FORCED;
  a.rollouts = MANY;
  a.tours = r->tours;
  a.given = r->given;
  a.stop = (edgefw_decode_stop){.early = true, .decisions = 4};
  a.lengths = r->lengths;
  a.log_probability = r->log_probability;
  a.train = true;
  a.weigh = ds_weigh;
  a.weigh_user = &weighing;
  a.gradients = ds_weights(p, d, grad);
  ks_ok(d, d->k->decode(d->device, &a));
  for (int t = 0; t < p->c.tensor_count; ++t)
    if (gradient[t]) {
      d->k->download(d->device, gradient[t], grad[t], p->c.tensor[t].count);
      ks_release(d, grad[t]);
    }
  ds_release(p, d, in);
}

/* Random tours, each given as far as another place. */
static void begin_many(const ds_problem *p, results *r) {
  memset(r, 0, sizeof *r);
  for (int k = 0; k < B * MANY; ++k) {
    const int64_t from = k / MANY * S + k % S;
    memcpy(r->tours + k * p->steps, p->tours + from * p->steps,
           (size_t)p->steps * sizeof *r->tours);
    r->given[k] = least_given(p) + k % 4;
  }
}

static void gradients_are_of_the_chosen_nodes(void **state) {
  const ks_devices *devices = *state;
  for (int k = 0; k < KINDS; ++k) {
    ds_problem p;
    static results expected, r;
    double *oracle[KS_MAX_TENSORS] = {NULL}, *gradient[KS_MAX_TENSORS] = {NULL};
    ds_create_with(&p, &shape, &kinds[k], "decode", 0.7);
    for (int t = 0; t < p.c.tensor_count; ++t) {
      if (!p.c.tensor[t].has_gradient || p.c.tensor[t].count == 0) continue;
      oracle[t] = ks_zeros(p.c.tensor[t].count);
      gradient[t] = ks_zeros(p.c.tensor[t].count);
    }
    begin_many(&p, &expected);
    r = expected;
    learn_behind(&p, devices->oracle, &expected, oracle);
    for (int i = 0; i < devices->count; ++i) {
      learn_behind(&p, &devices->item[i], &r, gradient);
      check_close_f64(r.log_probability, expected.log_probability, B * MANY, 2e-5, 2e-5, "log p");
      for (int t = 0; t < p.c.tensor_count; ++t)
        if (gradient[t])
          check_close_f64(gradient[t], oracle[t], p.c.tensor[t].count, 5e-5, 5e-4,
                          p.c.tensor[t].name);
    }
    for (int t = 0; t < p.c.tensor_count; ++t) {
      free(oracle[t]);
      free(gradient[t]);
    }
    ds_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_follows_a_prefix_is_the_same),
      cmocka_unit_test(there_may_be_more_rollouts_than_nodes),
      cmocka_unit_test(nodes_that_are_not_open_are_refused),
      cmocka_unit_test(candidates_are_those_of_the_logits),
      cmocka_unit_test(logits_need_no_candidates),
      cmocka_unit_test(node_by_node_is_all_at_once),
      cmocka_unit_test(gradients_are_of_the_chosen_nodes),
  };
  return test_run(tests, ks_setup_long, ks_teardown);
}
