/* Rollouts of all starts, sample by sample. */
#include "search/rollouts.h"

#include <string.h>

#include "base/clock.h"
#include "search/beam.h"

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

/* Let all rollouts begin with what is fixed. given (B,S) gets their entries. */
static void begin_fixed(const edgefw__policy *policy, const edgefw__batch *batch,
                        const edgefw__fixed *fixed, int32_t *given) {
  const edgefw_problem *problem = &policy->model->composition->problem->vtable.problem;
  for (int64_t r = 0; r < batch->count * policy->rollouts; ++r)
    given[r] =
        (int32_t)edgefw__fixed_begin(problem, batch, r / policy->rollouts, fixed,
                                     r % policy->rollouts, policy->tours + r * policy->steps);
}

/* One run of all rollouts. What is encoded is the same for every sample. */
static edgefw_status roll_out(edgefw__policy *policy, const edgefw__batch *batch,
                              const edgefw__search *search, int64_t sample, int32_t *given,
                              edgefw__incumbents *best) {
  const edgefw__rollout_request request = {.clip = search->clip,
                                           .select = search->select,
                                           .tours = best->fixed ? policy->tours : NULL,
                                           .given = given,
                                           .lengths_only = true,
                                           .sample_seed =
                                               search->seed + (uint64_t)sample * SAMPLE_SEED_STEP};
  const double begin = edgefw__seconds();
  if (best->fixed) begin_fixed(policy, batch, best->fixed, given);
  const edgefw_status status = sample == 0 ? edgefw__policy_run(policy, batch, &request)
                                           : edgefw__policy_decode(policy, batch, &request);
  best->seconds += edgefw__seconds() - begin;
  return status;
}

edgefw_status edgefw__rollouts_keep(const edgefw__policy *policy, const edgefw__batch *batch,
                                    const edgefw__search *search, bool first,
                                    edgefw__incumbents *best) {
  const edgefw__tours tours = {.each = policy->rollouts,
                               .steps = policy->steps,
                               .tours = policy->tours,
                               .lengths = policy->lengths,
                               .fixed = best->fixed};
  edgefw_status status = EDGEFW_OK;
  edgefw__incumbents_note(&tours, batch->count, first, best);
  if (search->improve)
    status = edgefw__incumbents_improve(policy->model->engine->ctx,
                                        &policy->model->composition->problem->vtable.problem, batch,
                                        search, &tours, best);
  /* What was reached before an interruption is kept. */
  if (status == EDGEFW_OK || status == EDGEFW_INTERRUPTED)
    edgefw__incumbents_take(&tours, batch->count, EDGEFW__MAKER_POLICY, first, best);
  return status;
}

static edgefw_status run_samples(edgefw__policy *policy, const edgefw__batch *batch,
                                 const edgefw__search *search, bool first, int32_t *given,
                                 edgefw__incumbents *best) {
  edgefw_context *ctx = policy->model->engine->ctx;
  edgefw_status status = EDGEFW_OK;
  for (int64_t sample = 0; status == EDGEFW_OK && sample < search->samples; ++sample) {
    if (edgefw_interrupted(ctx))
      return edgefw_fail(ctx, EDGEFW_INTERRUPTED, "interrupted while evaluating set %s",
                         search->name);
    status = roll_out(policy, batch, search, sample, given, best);
    if (status == EDGEFW_OK)
      status = edgefw__rollouts_keep(policy, batch, search, first && sample == 0, best);
  }
  return status;
}

edgefw_status edgefw__search_rollouts(edgefw__policy *policy, const edgefw__batch *batch,
                                      const edgefw__search *search, bool first,
                                      edgefw__incumbents *best) {
  edgefw_context *ctx = policy->model->engine->ctx;
  int32_t *given = NULL;
  if (best->fixed) {
    given = edgefw_allocate(ctx, (size_t)(batch->count * policy->rollouts), sizeof *given,
                            "the beginnings of tours");
    if (!given) return edgefw_failure(ctx);
  }
  const edgefw_status status = run_samples(policy, batch, search, first, given, best);
  edgefw_release(ctx, given);
  if (status != EDGEFW_OK || search->beam == 0) return status;
  return edgefw__search_beam(policy, batch, search, best);
}
