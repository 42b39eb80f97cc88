/* Beams as rollouts that begin with what is known of them: a step is one call of the decoder, which
 * stops at once and hands out its best candidates. */
#include "search/beam.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "plugin/problem_shape.h"

/* What is known of all beams of a group of starts. Beam r of instance b lies in one of the blocks
 * that the decoder takes, (passes,B,S), see slot_of. */
typedef struct state {
  int32_t *tours;   /* (slots,T) */
  int32_t *entries; /* (slots) that the tour has; T: nothing is left to decode */
  double *score;    /* (slots) sum of log-probabilities; -INFINITY: there is no such beam */
} state;

/* One way to go on. */
typedef struct choice {
  double score;
  int32_t beam, node; /* of the start; node -1: the beam is finished and stays as it is */
} choice;

typedef struct beams {
  edgefw_context *ctx;
  edgefw__policy *policy;
  const edgefw__batch *batch;
  const edgefw__search *search;
  const edgefw_problem *problem;
  const edgefw__fixed *fixed; /* NULL: nothing is */
  bool depot;
  int64_t width;         /* W beams of a start */
  int64_t starts;        /* of a group */
  int64_t first, count;  /* starts of the group at hand */
  int64_t passes, slots; /* calls of the decoder for a step; passes B S */
  state now, next;
  int32_t *reached;    /* (slots): as edgefw_decode_stop.entries */
  int32_t *candidates; /* (slots,W) */
  double *gains;       /* (slots,W): their log-probabilities */
  int32_t *filler;     /* (T) a whole tour, for slots without a beam: nothing is decoded there */
  choice *choices;     /* (threads,W) */
} beams;

static int64_t slot_of(const beams *s, int64_t b, int64_t beam) {
  const int64_t rollouts = s->policy->rollouts;
  return (beam / rollouts * s->batch->count + b) * rollouts + beam % rollouts;
}

/* --- Memory --- */

static edgefw_status take_state(const beams *s, state *out) {
  static const char what[] = "beam search";
  const size_t slots = (size_t)s->slots;
  out->tours = edgefw_allocate(s->ctx, slots * (size_t)s->policy->steps, sizeof *out->tours, what);
  out->entries = edgefw_allocate(s->ctx, slots, sizeof *out->entries, what);
  out->score = edgefw_allocate(s->ctx, slots, sizeof *out->score, what);
  return out->tours && out->entries && out->score ? EDGEFW_OK : edgefw_failure(s->ctx);
}

static edgefw_status take(beams *s) {
  static const char what[] = "beam search";
  const size_t slots = (size_t)s->slots, width = (size_t)s->width;
  s->reached = edgefw_allocate(s->ctx, slots, sizeof *s->reached, what);
  s->candidates = edgefw_allocate(s->ctx, slots * width, sizeof *s->candidates, what);
  s->gains = edgefw_allocate(s->ctx, slots * width, sizeof *s->gains, what);
  s->filler = edgefw_allocate(s->ctx, (size_t)s->policy->steps, sizeof *s->filler, what);
  s->choices =
      edgefw_allocate(s->ctx, (size_t)edgefw_threads(s->ctx) * width, sizeof *s->choices, what);
  if (!s->reached || !s->candidates || !s->gains || !s->filler || !s->choices)
    return edgefw_failure(s->ctx);
  const edgefw_status status = take_state(s, &s->now);
  return status == EDGEFW_OK ? take_state(s, &s->next) : status;
}

static void release_state(const beams *s, const state *old) {
  edgefw_release(s->ctx, old->score);
  edgefw_release(s->ctx, old->entries);
  edgefw_release(s->ctx, old->tours);
}

static void release(const beams *s) {
  release_state(s, &s->next);
  release_state(s, &s->now);
  edgefw_release(s->ctx, s->choices);
  edgefw_release(s->ctx, s->filler);
  edgefw_release(s->ctx, s->gains);
  edgefw_release(s->ctx, s->candidates);
  edgefw_release(s->ctx, s->reached);
}

/* --- Beginnings --- */

static void fill_slot(const beams *s, state *to, int64_t slot) {
  const int64_t steps = s->policy->steps;
  memcpy(to->tours + slot * steps, s->filler, (size_t)steps * sizeof *to->tours);
  to->entries[slot] = (int32_t)steps;
  to->score[slot] = -(double)INFINITY;
}

/* The node that a start rule gives, behind the depot where there is one, or what is fixed. */
static void begin_start(const beams *s, int64_t b, int64_t start) {
  const int64_t slot = slot_of(s, b, start * s->width), steps = s->policy->steps;
  int32_t *tour = s->now.tours + slot * steps;
  int64_t entries = 1 + s->depot;
  tour[0] = 0;
  if (s->fixed)
    entries = edgefw__fixed_begin(s->problem, s->batch, b, s->fixed, s->first + start, tour);
  else
    tour[entries - 1] = (int32_t)(s->first + start + s->depot);
  memset(tour + entries, 0, (size_t)(steps - entries) * sizeof *tour);
  s->now.entries[slot] = (int32_t)entries;
  s->now.score[slot] = 0.0;
}

static void begin_group(beams *s) {
  for (int64_t slot = 0; slot < s->slots; ++slot) {
    fill_slot(s, &s->now, slot);
    fill_slot(s, &s->next, slot);
  }
  for (int64_t b = 0; b < s->batch->count; ++b)
    for (int64_t start = 0; start < s->count; ++start) begin_start(s, b, start);
}

/* --- A step --- */

/* Have the decoder look at block `pass`: how far its beams are, and how they may go on. */
static edgefw_status decode(const beams *s, int64_t pass, int64_t best) {
  const int64_t first = pass * s->batch->count * s->policy->rollouts;
  const edgefw__rollout_request request = {
      .clip = s->search->clip,
      .select = EDGEFW_SELECT_GREEDY,
      .tours = s->now.tours + first * s->policy->steps,
      .given = s->now.entries + first,
      .stop = {.early = true,
               .best = best,
               .candidates = s->candidates + first * s->width,
               .candidate_log_probability = s->gains + first * s->width,
               .entries = s->reached + first},
      .lengths_only = true};
  return edgefw__policy_decode(s->policy, s->batch, &request);
}

/* Put a choice into the list of the W best, of which *count are there. False if it is none. */
static bool insert(choice *list, int64_t width, int64_t *count, choice new) {
  if (*count == width && !(new.score > list[width - 1].score)) return false;
  int64_t at = *count < width ? (*count)++ : width - 1;
  for (; at > 0 && new.score > list[at - 1].score; --at) list[at] = list[at - 1];
  list[at] = new;
  return true;
}

static int64_t choose(const beams *s, int64_t b, int64_t start, choice *list) {
  int64_t count = 0;
  for (int32_t i = 0; i < s->width; ++i) {
    const int64_t slot = slot_of(s, b, start * s->width + i);
    const double score = s->now.score[slot];
    if (!(score > -(double)INFINITY)) continue;
    if (s->reached[slot] == s->policy->steps) {
      (void)insert(list, s->width, &count, (choice){score, i, -1});
      continue;
    }
    for (int64_t k = slot * s->width; k < (slot + 1) * s->width; ++k)
      if (s->candidates[k] < 0 ||
          !insert(list, s->width, &count, (choice){score + s->gains[k], i, s->candidates[k]}))
        break; /* what follows is less likely still */
  }
  return count;
}

/* The chosen beams of a start, one after another, in the place of the old ones. */
static edgefw_status go_on(void *user, int64_t index, int thread) {
  beams *s = user;
  const int64_t b = index / s->count, start = index % s->count, steps = s->policy->steps;
  choice *list = s->choices + thread * s->width;
  const int64_t count = choose(s, b, start, list);
  for (int64_t i = 0; i < s->width; ++i) {
    const int64_t to = slot_of(s, b, start * s->width + i);
    if (i >= count) {
      fill_slot(s, &s->next, to);
      continue;
    }
    const int64_t from = slot_of(s, b, start * s->width + list[i].beam);
    int32_t entries = list[i].node < 0 ? (int32_t)steps : s->now.entries[from];
    memcpy(s->next.tours + to * steps, s->now.tours + from * steps,
           (size_t)steps * sizeof(int32_t));
    if (list[i].node >= 0) s->next.tours[to * steps + entries++] = list[i].node;
    s->next.entries[to] = entries;
    s->next.score[to] = list[i].score;
  }
  return EDGEFW_OK;
}

static bool all_finished(const beams *s) {
  for (int64_t slot = 0; slot < s->slots; ++slot)
    if (s->reached[slot] < s->policy->steps) return false;
  return true;
}

static edgefw_status follow(beams *s) {
  edgefw_status status = EDGEFW_OK;
  while (status == EDGEFW_OK) {
    if (edgefw_interrupted(s->ctx))
      return edgefw_fail(s->ctx, EDGEFW_INTERRUPTED, "interrupted while evaluating set %s",
                         s->search->name);
    for (int64_t pass = 0; status == EDGEFW_OK && pass < s->passes; ++pass)
      status = decode(s, pass, s->width);
    if (status != EDGEFW_OK || all_finished(s)) break;
    status = edgefw_parallel(s->ctx, s->batch->count * s->count, go_on, s);
    const state old = s->now;
    s->now = s->next;
    s->next = old;
  }
  return status;
}

/* --- Tours --- */

/* Price the finished tours, improve them, and keep the best. A slot without a beam repeats the
 * instance's first one, so that nothing but beams is seen. */
static edgefw_status conclude(beams *s, edgefw__incumbents *best) {
  edgefw__policy *policy = s->policy;
  const int64_t steps = policy->steps, each = s->batch->count * policy->rollouts;
  edgefw_status status = EDGEFW_OK;
  for (int64_t slot = 0; slot < s->slots; ++slot) {
    const int64_t from = slot_of(s, slot % each / policy->rollouts, 0);
    if (!(s->now.score[slot] > -(double)INFINITY))
      memcpy(s->now.tours + slot * steps, s->now.tours + from * steps,
             (size_t)steps * sizeof(int32_t));
    s->now.entries[slot] = (int32_t)steps;
  }
  for (int64_t pass = 0; status == EDGEFW_OK && pass < s->passes; ++pass) {
    const double begin = edgefw__seconds();
    status = decode(s, pass, 0);
    best->seconds += edgefw__seconds() - begin;
    if (status == EDGEFW_OK)
      status = edgefw__rollouts_keep(policy, s->batch, s->search, false, best);
  }
  return status;
}

/* A tour of all nodes, or of a route for each customer. */
static void write_filler(const beams *s) {
  memset(s->filler, 0, (size_t)s->policy->steps * sizeof *s->filler);
  for (int64_t node = s->depot; node < s->policy->n; ++node)
    s->filler[s->depot ? 2 * node - 1 : node] = (int32_t)node;
}

edgefw_status edgefw__search_beam(edgefw__policy *policy, const edgefw__batch *batch,
                                  const edgefw__search *search, edgefw__incumbents *best) {
  const int64_t rollouts = policy->rollouts, width = search->beam;
  const edgefw_problem *problem = &policy->model->composition->problem->vtable.problem;
  beams s = {.ctx = policy->model->engine->ctx,
             .policy = policy,
             .batch = batch,
             .search = search,
             .problem = problem,
             .fixed = best->fixed,
             .depot = edgefw__problem_has_depot(problem),
             .width = width,
             .starts = width < rollouts ? rollouts / width : 1};
  s.passes = (s.starts * width + rollouts - 1) / rollouts;
  s.slots = s.passes * batch->count * rollouts;
  edgefw_status status = take(&s);
  if (status == EDGEFW_OK) write_filler(&s);
  for (; status == EDGEFW_OK && s.first < rollouts; s.first += s.starts) {
    const int64_t left = rollouts - s.first;
    s.count = left < s.starts ? left : s.starts;
    const double begin = edgefw__seconds();
    begin_group(&s);
    status = follow(&s);
    best->seconds += edgefw__seconds() - begin;
    if (status == EDGEFW_OK) status = conclude(&s, best);
  }
  release(&s);
  return status;
}
