/* Rounds of rollouts that begin with what is kept of the incumbent. */
#include "search/reconstruct.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/deadline.h"
#include "edgefw/rng.h"
#include "files/tour.h"
#include "plugin/problem_shape.h"
#include "search/improve.h"

/* Nodes that a rollout takes out. */
#define FEWEST 5
#define MOST   50

/* What becomes of a node in a rollout. */
typedef enum fate {
  FREE = 0,
  TAKEN, /* decoded again */
  STAYS  /* where it is, for it is fixed, or in a route that begins so */
} fate;

typedef struct reconstruction {
  edgefw_context *ctx;
  edgefw__policy *policy;
  const edgefw__batch *batch;
  const edgefw__reconstruction *how;
  const edgefw_problem *problem;
  edgefw__incumbents *best;
  int64_t round;
  int32_t *given; /* (B,S) entries that are kept */
  fate *fates;    /* (threads,n) */
} reconstruction;

/* One rollout of a round: where it begins. */
typedef struct stretch {
  const reconstruction *job;
  int64_t b; /* the instance */
  const edgefw_route_plan *plan;
  const int32_t *tour; /* the incumbent */
  int64_t steps;
  int64_t fixed; /* entries of it that stay */
  int64_t free;  /* nodes that do not */
  fate *fates;   /* (n) */
  int32_t *to;   /* (steps) what is kept, as the beginning of a tour */
  int64_t entries;
} stretch;

/* --- Which nodes --- */

/* Entries `first` and on of the tour are a route's customers: the place behind them. */
static int64_t route_end(const stretch *s, int64_t first) {
  while (first < s->steps && s->tour[first] != 0) ++first;
  return first;
}

/* What is fixed stays, and of the route that goes on from there all of it. */
static void mark_fixed(stretch *s) {
  int64_t end = s->fixed;
  if (s->plan->depot && end > 0 && s->tour[end - 1] != 0) end = route_end(s, end);
  s->free = s->plan->n - s->plan->depot;
  for (int64_t k = 0; k < end; ++k) {
    if (s->plan->depot && s->tour[k] == 0) continue;
    s->fates[s->tour[k]] = STAYS;
    --s->free;
  }
}

static double distance(const edgefw_route_plan *plan, int32_t a, int32_t b) {
  const double there = edgefw__route_cost(plan, a, b), back = edgefw__route_cost(plan, b, a);
  return there < back ? there : back;
}

/* The `most` free nodes nearest to `center`, itself and the depot apart, the nearest first, of
 * equals the lower one. Returns their number. */
static int64_t find_nearest(const stretch *s, int32_t center, int64_t most, int32_t *out) {
  double far[MOST];
  int64_t count = 0;
  if (most == 0) return 0;
  for (int32_t node = s->plan->depot; node < s->plan->n; ++node) {
    const double here = distance(s->plan, center, node);
    if (node == center || s->fates[node] != FREE || (count == most && !(here < far[count - 1])))
      continue;
    int64_t at = count < most ? count++ : count - 1;
    for (; at > 0 && here < far[at - 1]; --at) {
      far[at] = far[at - 1];
      out[at] = out[at - 1];
    }
    far[at] = here;
    out[at] = node;
  }
  return count;
}

/* --- Closed tours --- */

/* Take out a free node, the `number`-th of the tour, and those nearest to it, `most` in all. The
 * path that is kept begins behind it: a node of it must stay. */
static void cut_tour(stretch *s, int64_t number, int64_t most) {
  const int64_t place = s->fixed + number, spared = s->fixed == 0;
  int32_t near[MOST];
  if (most > s->free - spared) most = s->free - spared;
  const int64_t count = find_nearest(s, s->tour[place], most - 1, near);
  s->fates[s->tour[place]] = TAKEN;
  for (int64_t k = 0; k < count; ++k) s->fates[near[k]] = TAKEN;
  for (int64_t k = 1; k < s->steps; ++k) {
    const int32_t node = s->tour[(place + k) % s->steps];
    if (s->fates[node] != TAKEN) s->to[s->entries++] = node;
  }
}

/* --- Routes --- */

/* Take the whole route out that `node` is in. Returns the customers of it. */
static int64_t take_route(stretch *s, int32_t node) {
  int64_t first = 0, count = 0;
  if (s->fates[node] == TAKEN) return 0;
  while (s->tour[first] != node) ++first;
  while (s->tour[first - 1] != 0) --first;
  for (; first < s->steps && s->tour[first] != 0; ++first, ++count)
    s->fates[s->tour[first]] = TAKEN;
  return count;
}

/* Keep the routes that are not taken out, each with the depot behind it. One whose loads the
 * decoder adds up to too much is decoded anew, and if it is fixed in part, so is all that is not.
 */
static void keep_routes(stretch *s) {
  const reconstruction *r = s->job;
  s->to[s->entries++] = 0;
  for (int64_t first = 1, last; first < s->steps; first = last + 1) {
    last = route_end(s, first);
    if (last == first || s->fates[s->tour[first]] == TAKEN) continue;
    if (edgefw__route_can_follow(r->problem, r->batch, s->b, s->tour + first, last - first, NULL)) {
      memcpy(s->to + s->entries, s->tour + first, (size_t)(last - first) * sizeof *s->to);
      s->entries += last - first;
      s->to[s->entries++] = 0;
    } else if (s->fates[s->tour[first]] == STAYS) {
      memcpy(s->to, s->tour, (size_t)s->fixed * sizeof *s->to);
      s->entries = s->fixed;
      return;
    }
  }
}

/* Take out the route of the `number`-th free customer and those of the customers nearest to it,
 * until `most` are out; the customer begins the first new route. */
static void cut_routes(stretch *s, int64_t number, int64_t most) {
  int32_t center = 0, near[MOST];
  while (number >= 0) number -= s->fates[++center] == FREE;
  const int64_t count = find_nearest(s, center, most - 1, near);
  int64_t out = take_route(s, center);
  for (int64_t k = 0; k < count && out < most; ++k) out += take_route(s, near[k]);
  keep_routes(s);
  if (s->to[s->entries - 1] == 0) s->to[s->entries++] = center;
}

/* --- A round --- */

/* The beginning of rollout index % S of instance index / S. */
static edgefw_status begin_rollout(void *user, int64_t index, int thread) {
  reconstruction *r = user;
  const int64_t b = index / r->policy->rollouts, steps = r->policy->steps;
  const edgefw_route_plan plan = edgefw__route_plan_of(r->problem, r->batch, b);
  stretch s = {.job = r,
               .b = b,
               .plan = &plan,
               .tour = r->best->tours + b * steps,
               .steps = steps,
               .fixed = r->best->fixed ? r->best->fixed->count : 0,
               .fates = r->fates + thread * plan.n,
               .to = r->policy->tours + index * steps};
  uint32_t words[4];
  edgefw_random_block(r->how->seed, EDGEFW_STREAM_RECONSTRUCT, r->batch->ids[b],
                      (uint32_t)(r->round * r->policy->rollouts + index % r->policy->rollouts),
                      words);
  memset(s.fates, 0, (size_t)plan.n * sizeof *s.fates);
  mark_fixed(&s);
  if (s.free == 0) { /* nothing is left to search */
    memcpy(s.to, s.tour, (size_t)steps * sizeof *s.to);
    r->given[index] = (int32_t)steps;
    return EDGEFW_OK;
  }
  const int64_t least = s.free < FEWEST ? s.free : FEWEST, most = s.free < MOST ? s.free : MOST;
  const int64_t wanted = least + edgefw_random_below(words[0], (uint32_t)(most - least + 1));
  const int64_t number = edgefw_random_below(words[1], (uint32_t)s.free);
  if (plan.depot)
    cut_routes(&s, number, wanted);
  else
    cut_tour(&s, number, wanted);
  r->given[index] = (int32_t)s.entries;
  return EDGEFW_OK;
}

/* The shortest rollout of each instance, unless the incumbent is shorter. */
static void keep(const reconstruction *r) {
  const edgefw__policy *policy = r->policy;
  for (int64_t b = 0; b < r->batch->count; ++b) {
    const double *lengths = policy->lengths + b * policy->rollouts;
    int64_t least = 0;
    for (int64_t s = 1; s < policy->rollouts; ++s)
      if (lengths[s] < lengths[least]) least = s;
    if (!(lengths[least] <= r->best->lengths[b])) continue;
    if (r->how->better && lengths[least] < r->best->lengths[b])
      r->how->better(r->how->user, lengths[least]);
    r->best->lengths[b] = lengths[least];
    memcpy(r->best->tours + b * policy->steps,
           policy->tours + (b * policy->rollouts + least) * policy->steps,
           (size_t)policy->steps * sizeof *policy->tours);
  }
}

/* Closed tours begin with what is fixed again. */
static void turn_to_fixed(const reconstruction *r) {
  const edgefw__policy *policy = r->policy;
  if (edgefw__problem_has_depot(r->problem)) return;
  for (int64_t k = 0; k < r->batch->count * policy->rollouts; ++k)
    edgefw__tour_turn_to(policy->tours + k * policy->steps, policy->steps,
                         r->best->fixed->nodes[0]);
}

static edgefw_status run_round(reconstruction *r) {
  edgefw__policy *policy = r->policy;
  const edgefw__fixed *fixed = r->best->fixed;
  const edgefw__rollout_request request = {.clip = r->how->clip,
                                           .select = EDGEFW_SELECT_GREEDY,
                                           .tours = policy->tours,
                                           .given = r->given,
                                           .lengths_only = true};
  edgefw_status status =
      edgefw_parallel(r->ctx, r->batch->count * policy->rollouts, begin_rollout, r);
  if (status == EDGEFW_OK)
    status = r->round == 0 ? edgefw__policy_run(policy, r->batch, &request)
                           : edgefw__policy_decode(policy, r->batch, &request);
  if (status != EDGEFW_OK) return status;
  if (fixed) turn_to_fixed(r);
  status = edgefw__search_improve(r->ctx, r->problem, r->batch, 0,
                                  &(edgefw__tours){.each = policy->rollouts,
                                                   .steps = policy->steps,
                                                   .tours = policy->tours,
                                                   .lengths = policy->lengths,
                                                   .fixed = fixed});
  /* Of a round that is broken off some tours are improved: all are tours. */
  if (status == EDGEFW_OK || status == EDGEFW_INTERRUPTED) keep(r);
  return status;
}

static edgefw_status run_rounds(reconstruction *r) {
  edgefw_status status = EDGEFW_OK;
  while (status == EDGEFW_OK && r->round < r->how->rounds) {
    if (edgefw_interrupted(r->ctx))
      return edgefw_fail(r->ctx, EDGEFW_INTERRUPTED, "interrupted while evaluating set %s",
                         r->how->name);
    status = run_round(r);
    r->round += status == EDGEFW_OK;
  }
  return status;
}

/* The same until the time is over, which ends a round, too, but for its decoding. */
static edgefw_status run_in_time(reconstruction *r) {
  const double outer = edgefw__deadline(r->ctx), until = edgefw__seconds() + r->how->seconds;
  if (r->how->seconds <= 0.0 || (outer > 0.0 && outer < until)) return run_rounds(r);
  edgefw__set_deadline(r->ctx, until);
  edgefw_status status = run_rounds(r);
  edgefw__set_deadline(r->ctx, outer);
  if (status == EDGEFW_INTERRUPTED && !edgefw_interrupted(r->ctx)) {
    edgefw_clear(r->ctx); /* nobody wished it */
    status = EDGEFW_OK;
  }
  return status;
}

edgefw_status edgefw__search_reconstruct(edgefw__policy *policy, const edgefw__batch *batch,
                                         const edgefw__reconstruction *how,
                                         edgefw__incumbents *best) {
  edgefw_context *ctx = policy->model->engine->ctx;
  reconstruction r = {.ctx = ctx,
                      .policy = policy,
                      .batch = batch,
                      .how = how,
                      .problem = &policy->model->composition->problem->vtable.problem,
                      .best = best};
  static const char what[] = "the reconstruction of tours";
  if (how->made) *how->made = how->rounds;
  if (batch->n < 3) return EDGEFW_OK; /* there is one tour */
  r.given = edgefw_allocate(ctx, (size_t)(batch->count * policy->rollouts), sizeof *r.given, what);
  r.fates =
      edgefw_allocate(ctx, (size_t)edgefw_threads(ctx) * (size_t)batch->n, sizeof *r.fates, what);
  const edgefw_status status = r.given && r.fates ? run_in_time(&r) : edgefw_failure(ctx);
  if (how->made) *how->made = r.round;
  edgefw_release(ctx, r.fates);
  edgefw_release(ctx, r.given);
  return status;
}
