/* Near sets by hand. */
#include "support/near_support.h"

#include <math.h>

#include "support/check.h"

double ns_distance(const ns_step *s, int64_t j) {
  return s->p->c.tensor[DS_DISTANCE].value[s->tour[s->t - 1] * s->p->shape.nodes + j];
}

double ns_nearness(const ns_step *s, int64_t j) {
  const double scale = s->scale + s->p->plan.logits[0].epsilon;
  return (s->p->extras.depot && j == 0) || scale == 0.0 ? 0.0 : ns_distance(s, j) / scale;
}

/* Sorts the open customers by insertion, stable in the index, and keeps `most` of them. */
static ns_step step_at(const ds_problem *p, const int32_t *tour, int64_t t, int64_t most) {
  ns_step s = {.p = p, .tour = tour, .t = t};
  const int64_t first = p->extras.depot ? 1 : 0;
  ds_open(p, 0, tour, t, s.open);
  s.count = first; /* member 0 is the depot */
  for (int64_t j = first; j < p->shape.nodes; ++j) {
    if (!s.open[j]) continue;
    int64_t at = s.count++;
    for (; at > first && ns_distance(&s, s.member[at - 1]) > ns_distance(&s, j); --at)
      s.member[at] = s.member[at - 1];
    s.member[at] = j;
  }
  if (s.count > first + most) s.count = first + most;
  s.scale = s.count > first ? ns_distance(&s, s.member[s.count - 1]) : 0.0;
  return s;
}

void ns_check(const ds_problem *p, const ks_device *d, ns_score score) {
  const edgefw_logit *logit = &p->plan.logits[0];
  const int64_t n = p->shape.nodes;
  ds_rollouts r;
  ds_decode(p, d, EDGEFW_SELECT_FORCED, 0, 0, p->shape.rollouts, p->tours, &r);
  for (int64_t row = 0; row < r.rollouts; ++row) {
    const int32_t *tour = r.tours + row * p->steps;
    for (int64_t t = p->extras.depot ? 2 : 1; t <= ds_last(p, tour); ++t) {
      const ns_step s = step_at(p, tour, t, logit->near);
      for (int64_t j = 0; j < n; ++j)
        check_close(r.logits[(row * p->steps + t) * n + j],
                    s.open[j] ? p->shape.clip * tanh(score(&s, j)) : 0.0, 5e-5, 0.0, d->name);
    }
  }
  ds_rollouts_destroy(&r);
}

void ns_create(ds_problem *p, const ds_shape *shape, const ds_extras *extras) {
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

void ns_check_all(const ks_devices *devices, bool local, ns_score score) {
  const int64_t near[3] = {1, 4, 40};
  const ds_shape shape = {1, 11, 10, 1, 2, 0, false, 10, &edgefw__reinforce};
  for (int k = 0; k < 3 * 3 * 3; ++k) {
    const int kind = k / 9;
    ds_extras extras = {.depot = k / 3 % 3 > 0, .resources = k / 3 % 3 == 2};
    *(local ? &extras.attention : &extras.penalty) = near[k % 3];
    ds_problem p;
    ns_create(&p, &shape, &extras);
    if (kind > 0) vary_table(&p, kind);
    for (int i = 0; i < devices->count; ++i) ns_check(&p, &devices->item[i], score);
    ds_destroy(&p);
  }
}
