/* What goes on from the best tours, and how its time is shared. */
#include "eval/search_on.h"

#include "base/clock.h"
#include "plugin/problem_shape.h"
#include "search/improve.h"
#include "search/reconstruct.h"

static void add_seconds(edgefw__incumbents *best, double seconds) {
  best->seconds += seconds;
  best->search_seconds += seconds;
}

static edgefw_status reconstruct(edgefw__policy *policy, const edgefw__batch *batch,
                                 const edgefw__eval_settings *settings,
                                 const edgefw__search_watch *watch, double seconds,
                                 edgefw__incumbents *best, bool *cut) {
  int64_t made = 0;
  const edgefw__reconstruction how = {.rounds = settings->reconstruct,
                                      .seconds = seconds,
                                      .made = &made,
                                      .seed = settings->seed,
                                      .clip = settings->clip,
                                      .name = watch->set,
                                      .better = watch->better,
                                      .user = watch->user};
  const edgefw_status status = edgefw__search_reconstruct(policy, batch, &how, best);
  *cut |= made < settings->reconstruct;
  return status;
}

/* Iterated local search on the best tours. */
static edgefw_status kick(const edgefw__model *model, const edgefw__batch *batch,
                          const edgefw__eval_settings *settings, const edgefw__search_watch *watch,
                          double seconds, edgefw__incumbents *best, bool *cut) {
  edgefw_context *ctx = model->engine->ctx;
  const bool until = settings->kicks == 0 && settings->reconstruct == 0 && seconds > 0.0;
  edgefw__kicks kicks = {.count = until ? INT64_MAX : settings->kicks,
                         .seconds = seconds,
                         .seed = settings->seed,
                         .better = watch->better,
                         .user = watch->user};
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  const edgefw__tours tours = {.each = 1,
                               .steps = edgefw__problem_steps(problem, batch->n),
                               .tours = best->tours,
                               .lengths = best->lengths,
                               .fixed = best->fixed};
  if (kicks.count == 0) return EDGEFW_OK;
  kicks.made = edgefw_allocate(ctx, (size_t)batch->count, sizeof *kicks.made, "numbers of kicks");
  if (!kicks.made) return edgefw_failure(ctx);
  const double begin = edgefw__seconds();
  const edgefw_status status = edgefw__search_kick(ctx, problem, batch, &kicks, &tours);
  add_seconds(best, edgefw__seconds() - begin);
  for (int64_t b = 0; b < batch->count; ++b) *cut |= kicks.made[b] < settings->kicks;
  edgefw_release(ctx, kicks.made);
  return status;
}

double edgefw__eval_turns(const edgefw_context *ctx, int64_t count) {
  const int64_t threads = edgefw_threads(ctx);
  const int64_t turns = (count + threads - 1) / threads;
  return (double)turns;
}

edgefw_status edgefw__eval_search_on(const edgefw__model *model, edgefw__policy *policy,
                                     const edgefw__batch *batch,
                                     const edgefw__eval_settings *settings,
                                     const edgefw__search_watch *watch, edgefw__incumbents *best,
                                     bool *cut) {
  edgefw_context *ctx = model->engine->ctx;
  const double turns = edgefw__eval_turns(ctx, batch->count);
  const bool limited = settings->time_limit > 0.0;
  double left = settings->time_limit;
  edgefw_status status = EDGEFW_OK;
  *cut = false;
  if (settings->reconstruct > 0 && policy) {
    const double begin = edgefw__seconds();
    status = reconstruct(policy, batch, settings, watch, left * turns, best, cut);
    const double seconds = edgefw__seconds() - begin;
    add_seconds(best, seconds);
    left -= seconds / turns;
  }
  if (status == EDGEFW_OK && limited && left <= 0.0)
    *cut |= settings->kicks > 0;
  else if (status == EDGEFW_OK)
    status = kick(model, batch, settings, watch, limited ? left : 0.0, best, cut);
  return edgefw_note(ctx, status, "set %s", watch->set);
}
