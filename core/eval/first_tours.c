/* Construction and decoding of a batch. */
#include "eval/first_tours.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/units.h"
#include "eval/policy_time.h"
#include "eval/search_on.h"
#include "eval/start_tour.h"
#include "search/construct.h"
#include "search/reflections.h"

/* Nodes of instances that are decoded in far less than a second. */
#define SMALL 50

/* Part of a time limit that a policy beside heuristics may take. */
#define SHARE 0.5

/* One side of the work: its best tours, and how they stand with forbidden arcs. */
typedef struct side {
  edgefw__incumbents *best;
  edgefw__repair_end *ends;
} side;

static edgefw_context *context_of(const edgefw__tour_makers *m) {
  return m->model->engine->ctx;
}

static edgefw__search search_of(const edgefw__tour_makers *m) {
  const edgefw__eval_settings *settings = m->settings;
  return (edgefw__search){.clip = settings->clip,
                          .select = settings->select,
                          .samples = m->samples,
                          .seed = settings->seed,
                          .improve = settings->improve,
                          .improve_rollouts = settings->improve_rollouts,
                          .beam = settings->beam,
                          .name = m->set->name};
}

static edgefw_status repair(const edgefw__tour_makers *m, const edgefw__batch *batch,
                            const side *s) {
  const edgefw_problem *problem = &m->model->composition->problem->vtable.problem;
  return edgefw__search_repair(context_of(m), problem, batch, s->best, s->ends);
}

/* --- Each side alone --- */

static edgefw_status construct(const edgefw__tour_makers *m, const edgefw__batch *batch,
                               const edgefw__tours *start, const side *s) {
  const edgefw__eval_beside *beside = m->settings->beside;
  edgefw__search search = search_of(m);
  if (beside) search.improve_rollouts = beside->improve_rollouts;
  edgefw_status status =
      edgefw__search_heuristics(context_of(m), m->constructing, batch,
                                beside ? beside->starts : m->settings->starts, &search, s->best);
  if (status == EDGEFW_OK || status == EDGEFW_INTERRUPTED) edgefw__start_take(start, s->best);
  return status == EDGEFW_OK ? repair(m, batch, s) : status;
}

static edgefw_status roll_out(const edgefw__tour_makers *m, const edgefw__batch *batch,
                              const edgefw__tours *start, const side *s) {
  const edgefw__search search = search_of(m);
  const edgefw_status status = edgefw__search_rollouts(m->policy, batch, &search, true, s->best);
  if (start && (status == EDGEFW_OK || status == EDGEFW_INTERRUPTED))
    edgefw__start_take(start, s->best);
  return status == EDGEFW_OK ? repair(m, batch, s) : status;
}

static edgefw_status reflect(const edgefw__tour_makers *m, edgefw__batch *batch, const side *s) {
  const edgefw__search search = search_of(m);
  if (m->settings->augment <= 1) return EDGEFW_OK;
  const edgefw_status status =
      edgefw__search_reflections(m->policy, batch, &search, m->points, s->best);
  return status == EDGEFW_OK ? repair(m, batch, s) : status;
}

static void note_plain(const edgefw__incumbents *best, int64_t count, edgefw__first_tours *out) {
  for (int64_t b = 0; b < count; ++b) out->plain[b] = best->lengths[b];
}

/* --- Both sides --- */

/* Take over the other side's tour of an instance where it is better. */
static void merge(const side *from, const side *to, int64_t count, int64_t steps) {
  for (int64_t b = 0; b < count; ++b) {
    if (from->best->constructed[b] < to->best->constructed[b])
      to->best->constructed[b] = from->best->constructed[b];
    if (!(from->best->lengths[b] < to->best->lengths[b])) continue;
    to->best->lengths[b] = from->best->lengths[b];
    to->best->makers[b] = EDGEFW__MAKER_POLICY;
    to->ends[b] = from->ends[b];
    memcpy(to->best->tours + b * steps, from->best->tours + b * steps,
           (size_t)steps * sizeof *to->best->tours);
  }
  to->best->seconds += from->best->seconds;
  to->best->search_seconds += from->best->search_seconds;
}

/* The time limit that counts what the policy takes; 0: there is none. */
static double limit_of(const edgefw__tour_makers *m) {
  const edgefw__eval_settings *settings = m->settings;
  if (settings->deadline > 0.0) return settings->deadline;
  return settings->beside->optional ? settings->time_limit : 0.0;
}

static bool is_limited(const edgefw__tour_makers *m) {
  return limit_of(m) > 0.0;
}

/* Would decoding take more of the time limit than the policy may? The log says so once. */
static edgefw_status look_at_time(edgefw__tour_makers *m, const edgefw__batch *batch,
                                  bool *left_out) {
  char needed[EDGEFW__UNIT_TEXT], share[EDGEFW__UNIT_TEXT];
  const double most = SHARE * limit_of(m);
  const bool first = m->policy_time <= 0.0;
  edgefw_status status = EDGEFW_OK;
  if (batch->n <= SMALL && most >= 1.0) return EDGEFW_OK; /* to measure would take as long */
  if (first) status = edgefw__policy_time(m->model, batch, m->settings, &m->policy_time);
  if (status != EDGEFW_OK) return status;
  const double all = m->policy_time * edgefw__policy_runs(m->settings);
  *left_out = all > most;
  if (*left_out && first)
    edgefw_log(context_of(m), EDGEFW_LOG_INFO,
               "set %s: heuristics alone: the model would decode for about %s, and half of "
               "the time limit is %s",
               m->set->name, edgefw__duration_text(all, needed, sizeof needed),
               edgefw__duration_text(most, share, sizeof share));
  return EDGEFW_OK;
}

/* The policy's side. With a time limit it ends when its share is over, and has what it has. */
static edgefw_status decode_beside(const edgefw__tour_makers *m, edgefw__batch *batch,
                                   const side *heuristics, const side *s,
                                   edgefw__first_tours *out) {
  edgefw_context *ctx = context_of(m);
  const double turns = edgefw__eval_turns(ctx, batch->count), begin = edgefw__seconds();
  const double outer = edgefw__deadline(ctx);
  double deadline = outer;
  if (is_limited(m)) {
    deadline = begin + SHARE * limit_of(m) * turns;
    if (outer > 0.0 && outer < deadline) deadline = outer;
  }
  edgefw__set_deadline(ctx, deadline);
  edgefw_status status = roll_out(m, batch, NULL, s);
  for (int64_t b = 0; b < batch->count; ++b)
    out->plain[b] = fmin(heuristics->best->lengths[b], s->best->lengths[b]);
  if (status == EDGEFW_OK) status = reflect(m, batch, s);
  edgefw__set_deadline(ctx, 0.0);
  const bool wished = edgefw_interrupted(ctx);
  edgefw__set_deadline(ctx, outer);
  if (status == EDGEFW_INTERRUPTED && !wished && deadline != outer) {
    edgefw_clear(ctx); /* only its time is over */
    out->cut = true;
    status = isinf(s->best->lengths[0]) ? EDGEFW_OK : repair(m, batch, s);
  }
  if (is_limited(m)) out->spent = (edgefw__seconds() - begin) / turns;
  return status;
}

/* Room for the best tours of one side. */
static edgefw_status take_side(const edgefw__tour_makers *m, const edgefw__batch *batch,
                               const side *like, int64_t steps, side *out) {
  edgefw_context *ctx = context_of(m);
  const size_t count = (size_t)batch->count;
  edgefw__incumbents *best = out->best;
  *best = (edgefw__incumbents){.fixed = like->best->fixed};
  best->tours = edgefw_allocate(ctx, count, (size_t)steps * sizeof *best->tours, "tours");
  best->lengths = edgefw_allocate(ctx, count, sizeof *best->lengths, "tour lengths");
  best->constructed = edgefw_allocate(ctx, count, sizeof *best->constructed, "tour lengths");
  out->ends = edgefw_allocate(ctx, count, sizeof *out->ends, "repairs of tours");
  if (!best->tours || !best->lengths || !best->constructed || !out->ends)
    return edgefw_failure(ctx);
  for (size_t b = 0; b < count; ++b) {
    best->lengths[b] = (double)INFINITY;
    best->constructed[b] = (double)INFINITY;
    out->ends[b] = EDGEFW__REPAIR_NONE_FOUND;
  }
  return EDGEFW_OK;
}

static void release_side(edgefw_context *ctx, side *s) {
  edgefw_release(ctx, s->ends);
  edgefw_release(ctx, s->best->constructed);
  edgefw_release(ctx, s->best->lengths);
  edgefw_release(ctx, s->best->tours);
}

/* Heuristics have done their part, which is in `heuristics`: let the policy do its own. */
static edgefw_status add_policy(edgefw__tour_makers *m, edgefw__batch *batch,
                                const side *heuristics, edgefw__first_tours *out) {
  const edgefw_problem *problem = &m->model->composition->problem->vtable.problem;
  const int64_t steps = edgefw__problem_steps(problem, batch->n);
  edgefw__incumbents best;
  side policy = {.best = &best};
  edgefw_status status = EDGEFW_OK;
  if (is_limited(m) && m->settings->beside->optional)
    status = look_at_time(m, batch, &out->left_out);
  if (status != EDGEFW_OK) return status;
  if (out->left_out) return EDGEFW_OK;
  status = take_side(m, batch, heuristics, steps, &policy);
  if (status == EDGEFW_OK) status = decode_beside(m, batch, heuristics, &policy, out);
  if (status == EDGEFW_OK || status == EDGEFW_INTERRUPTED)
    merge(&policy, heuristics, batch->count, steps);
  release_side(context_of(m), &policy);
  return status;
}

edgefw_status edgefw__make_first_tours(edgefw__tour_makers *m, edgefw__batch *batch,
                                       edgefw__incumbents *best, edgefw__repair_end *ends,
                                       edgefw__first_tours *out) {
  const side s = {best, ends};
  const edgefw__search search = search_of(m);
  edgefw_context *ctx = context_of(m);
  edgefw__tours start;
  *out = (edgefw__first_tours){.plain = out->plain};
  /* A solution to begin with is read first, so that a wrong one is told at once. */
  edgefw_status status =
      edgefw__start_read(ctx, m->model->composition, m->set, m->name, batch, &search, best, &start);
  if (status == EDGEFW_OK)
    status = m->constructing ? construct(m, batch, &start, &s) : roll_out(m, batch, &start, &s);
  else if (status == EDGEFW_INTERRUPTED)
    edgefw__start_take(&start, best); /* what was there before is there now */
  edgefw__start_release(ctx, &start);
  note_plain(best, batch->count, out);
  if (m->constructing && m->policy)
    return status == EDGEFW_OK ? add_policy(m, batch, &s, out) : status;
  return status == EDGEFW_OK && m->policy ? reflect(m, batch, &s) : status;
}
