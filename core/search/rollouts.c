/* Rollouts of all starts, sample by sample. */
#include "search/rollouts.h"

#include <string.h>

#include "base/clock.h"

/* Odd, so that seeds of different samples never meet (2^64 divided by the golden ratio). */
#define SAMPLE_SEED_STEP 0x9E3779B97F4A7C15u

/* Number of the least of an instance's lengths. */
static int64_t least_of(const edgefw__tours *tours, int64_t b) {
  const double *lengths = tours->lengths + b * tours->each;
  int64_t least = 0;
  for (int64_t s = 1; s < edgefw__tours_count(tours, b); ++s)
    if (lengths[s] < lengths[least]) least = s;
  return least;
}

void edgefw__incumbents_note(const edgefw__tours *tours, int64_t count, bool first,
                             edgefw__incumbents *best) {
  for (int64_t b = 0; best->constructed && b < count; ++b) {
    const double length = tours->lengths[b * tours->each + least_of(tours, b)];
    if (first || length < best->constructed[b]) best->constructed[b] = length;
  }
}

edgefw_status edgefw__incumbents_improve(edgefw_context *ctx, const edgefw_problem *problem,
                                         const edgefw__batch *batch, const edgefw__search *search,
                                         const edgefw__tours *tours, edgefw__incumbents *best) {
  const double begin = edgefw__seconds();
  const edgefw_status status =
      edgefw__search_improve(ctx, problem, batch, search->improve_rollouts, tours);
  const double seconds = edgefw__seconds() - begin;
  best->seconds += seconds;
  best->search_seconds += seconds;
  return status;
}

void edgefw__incumbents_take(const edgefw__tours *tours, int64_t count, int maker, bool first,
                             edgefw__incumbents *best) {
  const int64_t steps = tours->steps;
  for (int64_t b = 0; b < count; ++b) {
    const int64_t at = b * tours->each + least_of(tours, b);
    if (!first && !(tours->lengths[at] < best->lengths[b])) continue;
    best->lengths[b] = tours->lengths[at];
    if (best->makers) best->makers[b] = maker;
    memcpy(best->tours + b * steps, tours->tours + at * steps, (size_t)steps * sizeof *best->tours);
  }
}

edgefw_status edgefw__search_rollouts(edgefw__policy *policy, const edgefw__batch *batch,
                                      const edgefw__search *search, bool first,
                                      edgefw__incumbents *best) {
  edgefw_context *ctx = policy->model->engine->ctx;
  for (int64_t sample = 0; sample < search->samples; ++sample) {
    if (edgefw_interrupted(ctx))
      return edgefw_fail(ctx, EDGEFW_INTERRUPTED, "interrupted while evaluating set %s",
                         search->name);
    const edgefw__rollout_request request = {.clip = search->clip,
                                             .select = search->select,
                                             .lengths_only = true,
                                             .sample_seed = search->seed +
                                                            (uint64_t)sample * SAMPLE_SEED_STEP};
    const double begin = edgefw__seconds();
    /* What is encoded is the same for every sample. */
    edgefw_status status = sample == 0 ? edgefw__policy_run(policy, batch, &request)
                                       : edgefw__policy_decode(policy, batch, &request);
    best->seconds += edgefw__seconds() - begin;
    if (status != EDGEFW_OK) return status;
    const edgefw__tours tours = {policy->rollouts, policy->steps, policy->tours, policy->lengths,
                                 NULL};
    const bool anew = first && sample == 0;
    edgefw__incumbents_note(&tours, batch->count, anew, best);
    if (search->improve)
      status = edgefw__incumbents_improve(ctx, &policy->model->composition->problem->vtable.problem,
                                          batch, search, &tours, best);
    /* What was reached before an interruption is kept. */
    if (status == EDGEFW_OK || status == EDGEFW_INTERRUPTED)
      edgefw__incumbents_take(&tours, batch->count, 0, anew, best);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}
