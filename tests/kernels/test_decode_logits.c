/* Logit terms of a step on every device: near sets, the penalty and the local attention by hand,
 * gradients of all their tensors, and agreement.
 * labels: threads */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/decode_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARED EDGEFW_ADVANTAGE_SHARED
#define MAX    EDGEFW_ADVANTAGE_MAX

enum { MOST = 32, WIDTH = EDGEFW_LOCAL_WIDTH, HEADS = EDGEFW_LOCAL_HEADS, HEAD = WIDTH / HEADS };

/* --- By hand -----------------------------------------------------------------------------------
 */

/* A step: the view of a rollout that stands on tour[t - 1] and chooses tour[t]. */
typedef struct step {
  const ds_problem *p;
  const int32_t *tour;
  int64_t t;
  bool open[MOST];
  int64_t member[MOST], count; /* near set */
  double scale;
} step;

static double distance(const step *s, int64_t j) {
  return s->p->c.tensor[DS_DISTANCE].value[s->tour[s->t - 1] * s->p->shape.nodes + j];
}

/* Sorts the open customers by insertion, stable in the index, and keeps `most` of them. */
static step step_by_hand(const ds_problem *p, const int32_t *tour, int64_t t, int64_t most) {
  step s = {.p = p, .tour = tour, .t = t};
  const int64_t first = p->extras.depot ? 1 : 0;
  ds_open(p, 0, tour, t, s.open);
  s.count = first; /* member 0 is the depot */
  for (int64_t j = first; j < p->shape.nodes; ++j) {
    if (!s.open[j]) continue;
    int64_t at = s.count++;
    for (; at > first && distance(&s, s.member[at - 1]) > distance(&s, j); --at)
      s.member[at] = s.member[at - 1];
    s.member[at] = j;
  }
  if (s.count > first + most) s.count = first + most;
  s.scale = distance(&s, s.member[s.count - 1]);
  return s;
}

static double penalty_by_hand(const step *s, int64_t j) {
  for (int64_t r = 0; r < s->count; ++r)
    if (s->member[r] == j) return -distance(s, j) / (s->scale + 1e-6);
  return s->p->plan.logits[0].far;
}

/* What is left of the first resource. */
static double left_by_hand(const step *s) {
  double left = s->p->capacity[0][0];
  for (int64_t k = 0; k < s->t; ++k)
    left = s->tour[k] == 0 ? s->p->capacity[0][0] : left - s->p->demand[0][s->tour[k]];
  return left;
}

static const double *local(const step *s, int tensor) {
  return s->p->c.tensor[DS_LOCAL + tensor].value;
}

/* y = M x + b, M (WIDTH,width); b may be NULL. */
static void affine(const double *m, const double *b, int64_t width, const double *x, double *y) {
  for (int64_t i = 0; i < WIDTH; ++i) {
    y[i] = b == NULL ? 0.0 : b[i];
    for (int64_t c = 0; c < width; ++c) y[i] += m[i * width + c] * x[c];
  }
}

/* The embedding of the member of rank r. */
static void embed_by_hand(const step *s, int64_t r, double *e) {
  const int64_t i = s->tour[s->t - 1], j = s->member[r];
  const double *point = s->p->c.tensor[DS_POINTS].value;
  const bool loaded = s->p->extras.resources > 0;
  const double left = loaded ? left_by_hand(s) : 0.0;
  const double x[3] = {s->scale == 0.0 ? 0.0 : distance(s, j) / s->scale,
                       atan2(point[2 * j + 1] - point[2 * i + 1], point[2 * j] - point[2 * i]),
                       left == 0.0 ? 0.0 : s->p->demand[0][j] / left};
  affine(local(s, EDGEFW_LOCAL_EMBED), local(s, EDGEFW_LOCAL_EMBED_BIAS), loaded ? 3 : 2, x, e);
  for (int64_t t = 0; t < 16; ++t) {
    e[t] += sin((double)r * pow(10000.0, -(double)t / 15.0));
    e[16 + t] += cos((double)r * pow(10000.0, -(double)t / 15.0));
  }
}

/* What the local attention adds to node j. */
static double local_by_hand(const step *s, int64_t j) {
  double e[MOST][WIDTH], key[MOST][WIDTH], value[MOST][WIDTH];
  double query[WIDTH], attended[WIDTH] = {0.0}, z[WIDTH], result = 0.0;
  affine(local(s, EDGEFW_LOCAL_QUERY), NULL, WIDTH, local(s, EDGEFW_LOCAL_TOKEN), query);
  for (int64_t r = 0; r < s->count; ++r) {
    embed_by_hand(s, r, e[r]);
    affine(local(s, EDGEFW_LOCAL_KEY), NULL, WIDTH, e[r], key[r]);
    affine(local(s, EDGEFW_LOCAL_VALUE), NULL, WIDTH, e[r], value[r]);
  }
  for (int h = 0; h < HEADS; ++h) {
    double sum = 0.0;
    for (int64_t r = 0; r < s->count; ++r) {
      double dot = 0.0;
      for (int c = h * HEAD; c < (h + 1) * HEAD; ++c) dot += query[c] * key[r][c];
      const double weight = s->open[s->member[r]] ? exp(dot / sqrt(8.0)) : 0.0;
      sum += weight;
      for (int c = h * HEAD; c < (h + 1) * HEAD; ++c) attended[c] += weight * value[r][c];
    }
    for (int c = h * HEAD; c < (h + 1) * HEAD; ++c) attended[c] /= sum;
  }
  affine(local(s, EDGEFW_LOCAL_COMBINE), local(s, EDGEFW_LOCAL_COMBINE_BIAS), WIDTH, attended, z);
  for (int64_t r = 0; r < s->count; ++r)
    for (int c = 0; s->member[r] == j && c < WIDTH; ++c) result += z[c] * e[r][c] / sqrt(32.0);
  return result;
}

/* All steps of the rollouts of `p`, whose only source of scores is its one logit. */
static void check_logits(const ds_problem *p, const ks_device *d) {
  const edgefw_logit *logit = &p->plan.logits[0];
  const int64_t n = p->shape.nodes;
  ds_rollouts r;
  ds_decode(p, d, EDGEFW_SELECT_FORCED, 0, 0, p->shape.rollouts, p->tours, &r);
  for (int64_t row = 0; row < r.rollouts; ++row) {
    const int32_t *tour = r.tours + row * p->steps;
    for (int64_t t = p->extras.depot ? 2 : 1; t <= ds_last(p, tour); ++t) {
      const step s = step_by_hand(p, tour, t, logit->near);
      for (int64_t j = 0; j < n; ++j) {
        const bool penalty = logit->kind == EDGEFW_LOGIT_NEAR_PENALTY;
        const double score = penalty ? penalty_by_hand(&s, j) : local_by_hand(&s, j);
        check_close(r.logits[(row * p->steps + t) * n + j],
                    s.open[j] ? p->shape.clip * tanh(score) : 0.0, 5e-5, 0.0, d->name);
      }
    }
  }
  ds_rollouts_destroy(&r);
}

static void create_bare(ds_problem *p, const ds_shape *shape, const ds_extras *extras) {
  ds_create_with(p, shape, extras, "decode", 1.0);
  for (int t = DS_FOLD; t <= DS_FOLD_BIAS; ++t)
    for (int64_t i = 0; i < p->c.tensor[t].count; ++i) p->c.tensor[t].value[i] = 0.0;
}

/* Tables as they come, with entries of which many are equal, and all 0. */
static void vary_table(ds_problem *p, int kind) {
  ks_tensor *table = &p->c.tensor[DS_DISTANCE];
  for (int64_t i = 0; i < table->count; ++i)
    table->value[i] = kind == 1 ? floor(4.0 * table->value[i]) * 0.25 : 0.0;
}

/* Near sets of one customer, of fewer than are open, and of more than there are. */
static void logits_by_hand(void **state) {
  const ks_devices *devices = *state;
  const int64_t near[3] = {1, 4, 40};
  const ds_shape shape = {1, 11, 10, 1, 2, 0, false, 10, SHARED};
  for (int k = 0; k < 3 * 2 * 3 * 3; ++k) {
    const int kind = k / 18;
    ds_extras extras = {.depot = k / 6 % 3 > 0, .resources = k / 6 % 3 == 2};
    *(k / 3 % 2 == 0 ? &extras.penalty : &extras.attention) = near[k % 3];
    ds_problem p;
    create_bare(&p, &shape, &extras);
    if (kind > 0) vary_table(&p, kind);
    for (int i = 0; i < devices->count; ++i) check_logits(&p, &devices->item[i]);
    ds_destroy(&p);
  }
}

/* The last customer fits exactly: nothing is left for the step that stands before the depot alone,
 * with another customer still to come. */
static void nothing_left(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {1, 4, 1, 1, 2, 0, false, 10, SHARED};
  const ds_extras extras = {.depot = true, .resources = 1, .attention = 3};
  const double demand[4] = {0, 2, 3, 1};
  const int32_t tour[8] = {0, 1, 2, 0, 3};
  ds_problem p;
  create_bare(&p, &shape, &extras);
  memcpy(p.demand[0], demand, sizeof demand);
  memcpy(p.tours, tour, sizeof tour);
  p.capacity[0][0] = 5.0;
  for (int i = 0; i < devices->count; ++i) check_logits(&p, &devices->item[i]);
  ds_destroy(&p);
}

/* --- Gradients and agreement -------------------------------------------------------------------
 */

static const ds_extras extras[] = {
    {.penalty = 2, .attention = 3},
    {.depot = true, .attention = 2},
    {.depot = true, .resources = 1, .penalty = 3},
    {.depot = true, .resources = 2, .fractional = true, .penalty = 2, .attention = 3},
};
enum { EXTRAS = sizeof extras / sizeof extras[0] };

static void gradients(void **state) {
  const ds_shape shapes[] = {{1, 4, 2, 1, 2, 2, false, 10, SHARED},
                             {1, 2, 1, 2, 1, 0, true, 10, MAX}};
  for (size_t i = 0; i < EXTRAS * sizeof shapes / sizeof shapes[0]; ++i) {
    ds_problem p;
    ds_create_with(&p, &shapes[i / EXTRAS], &extras[i % EXTRAS], "decode", 0.7);
    ks_check_gradient(*state, &p.c);
    ks_check_parity(*state, &p.c);
    ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

/* Two penalties with a local attention between them; and, on the oracle alone, two attentions of
 * different near sets over the same tensors, whose gradients add up. */
static void two_of_a_kind(void **state) {
  const ds_shape shape = {2, 5, 4, 1, 2, 0, false, 10, SHARED},
                 small = {1, 4, 2, 1, 2, 0, false, 10, SHARED};
  const ds_extras both = {.depot = true, .resources = 1, .penalty = 2, .attention = 3};
  const ds_extras attention = {.depot = true, .attention = 3};
  ds_problem p;
  ds_create_with(&p, &shape, &both, "decode", 0.7);
  p.plan.logits[p.plan.logit_count++] = p.plan.logits[0];
  p.plan.logits[0].far = 0.5;
  p.plan.logits[0].near = 1;
  ks_check_parity(*state, &p.c);
  ds_destroy(&p);
  ds_create_with(&p, &small, &attention, "decode", 0.7);
  p.plan.logits[p.plan.logit_count++] = p.plan.logits[0];
  p.plan.logits[0].near = 1;
  ks_check_gradient(*state, &p.c);
  ds_destroy(&p);
}

static void devices_agree(void **state) {
  const ds_shape shapes[] = {
      {2, 20, 5, 2, 8, 32, false, 10, SHARED},
      {1, 40, 4, 4, 4, 8, false, 50, MAX},
      {1, 17, 16, 1, 16, 5, true, 10, SHARED},
      {1, 101, 1, 8, 8, 0, false, 50, SHARED},
  };
  const int64_t near[] = {1, 15, 16, 40};
  for (size_t i = 0; i < EXTRAS * sizeof shapes / sizeof shapes[0]; ++i) {
    ds_extras wider = extras[i % EXTRAS];
    if (wider.penalty > 0) wider.penalty = near[i / EXTRAS];
    if (wider.attention > 0) wider.attention = near[3 - i / EXTRAS];
    ds_problem p;
    ds_create_with(&p, &shapes[i / EXTRAS], &wider, "decode", 0.5);
    ks_check_parity(*state, &p.c);
    if (p.shape.nodes < 18) ks_check_rules(*state, &p.c);
    ds_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(logits_by_hand), cmocka_unit_test(nothing_left),
      cmocka_unit_test(gradients),      cmocka_unit_test(two_of_a_kind),
      cmocka_unit_test(devices_agree),
  };
  return cmocka_run_group_tests(tests, ks_setup, ks_teardown);
}
