/* Tours when time is short. */
#include "eval/short_time.h"

#include <math.h>

#include "base/clock.h"
#include "base/deadline.h"
#include "plugin/problem_shape.h"
#include "search/construct.h"

static edgefw_context *context_of(const edgefw__tour_makers *m) {
  return m->model->engine->ctx;
}

static const edgefw_problem *problem_of(const edgefw__tour_makers *m) {
  return &m->model->composition->problem->vtable.problem;
}

static bool lacks_tours(const edgefw__batch *batch, const edgefw__incumbents *best) {
  bool lacks = false;
  for (int64_t b = 0; b < batch->count; ++b) lacks |= isinf(best->lengths[b]) != 0;
  return lacks;
}

/* One tour of each instance by the first heuristic: heuristics are in the order of their names or
 * of the configuration, and whatever it is, one start is less work than all were. */
static edgefw_status construct_one(const edgefw__tour_makers *m, const edgefw__batch *batch,
                                   edgefw__incumbents *best) {
  const edgefw__heuristic_list *heuristics = &m->constructing->heuristics;
  const edgefw__constructor constructor = {.plugin = heuristics->plugins[0],
                                           .options = heuristics->options[0],
                                           .problem = problem_of(m),
                                           .fixed = best->fixed};
  edgefw__tours tours;
  const double begin = edgefw__seconds();
  const edgefw_status status = edgefw__construct(context_of(m), &constructor, batch, 1, &tours);
  best->seconds += edgefw__seconds() - begin;
  if (status == EDGEFW_OK) {
    edgefw__incumbents_note(&tours, batch->count, false, best);
    edgefw__incumbents_take(&tours, batch->count, 0, false, best);
  }
  edgefw__construct_release(context_of(m), &tours);
  return status;
}

static edgefw_status decode_once(const edgefw__tour_makers *m, const edgefw__batch *batch,
                                 edgefw__incumbents *best) {
  const edgefw__search search = {.clip = m->settings->clip,
                                 .select = m->settings->select,
                                 .samples = 1,
                                 .seed = m->settings->seed,
                                 .name = m->set->name};
  return edgefw__search_rollouts(m->policy, batch, &search, false, best);
}

static edgefw_status improve(const edgefw__tour_makers *m, const edgefw__batch *batch,
                             edgefw__incumbents *best) {
  edgefw_context *ctx = context_of(m);
  const edgefw__tours tours = {.each = 1,
                               .steps = edgefw__problem_steps(problem_of(m), batch->n),
                               .tours = best->tours,
                               .lengths = best->lengths,
                               .fixed = best->fixed};
  if (!m->settings->improve || edgefw_interrupted(ctx)) return EDGEFW_OK;
  return edgefw__incumbents_improve(ctx, problem_of(m), batch, &(edgefw__search){0}, &tours, best);
}

edgefw_status edgefw__short_of_time(const edgefw__tour_makers *m, const edgefw__batch *batch,
                                    edgefw__incumbents *best, edgefw__repair_end *ends) {
  edgefw_context *ctx = context_of(m);
  const double deadline = edgefw__deadline(ctx);
  edgefw_status status = EDGEFW_OK;
  edgefw__set_deadline(ctx, 0.0);
  if (lacks_tours(batch, best))
    status = m->constructing ? construct_one(m, batch, best) : decode_once(m, batch, best);
  edgefw__set_deadline(ctx, deadline);
  if (status == EDGEFW_OK) status = improve(m, batch, best);
  edgefw__set_deadline(ctx, 0.0);
  if (status == EDGEFW_INTERRUPTED && !edgefw_interrupted(ctx)) {
    edgefw_clear(ctx); /* only the time is over */
    status = EDGEFW_OK;
  }
  if (status == EDGEFW_OK) status = edgefw__search_repair(ctx, problem_of(m), batch, best, ends);
  return status;
}
