/* Rollouts of all starts, sample by sample. */
#include "search/rollouts.h"

#include <string.h>

#include "base/clock.h"
#include "search/improve.h"

/* Odd, so that seeds of different samples never meet (2^64 divided by the golden ratio). */
#define SAMPLE_SEED_STEP 0x9E3779B97F4A7C15u

/* Keep the best rollout of each instance if it beats what there is. */
static void keep_best(const edgefw__policy *policy, int64_t count, bool first,
                      edgefw__incumbents *best) {
  const int64_t steps = policy->steps, rollouts = policy->rollouts;
  for (int64_t b = 0; b < count; ++b) {
    const double *lengths = policy->lengths + b * rollouts;
    int64_t least = 0;
    for (int64_t s = 1; s < rollouts; ++s)
      if (lengths[s] < lengths[least]) least = s;
    if (!first && !(lengths[least] < best->lengths[b])) continue;
    best->lengths[b] = lengths[least];
    memcpy(best->tours + b * steps, policy->tours + (b * rollouts + least) * steps,
           (size_t)steps * sizeof *best->tours);
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
    if (status == EDGEFW_OK && search->improve)
      status = edgefw__search_improve(
          ctx, &policy->model->composition->problem->vtable.problem, batch,
          search->improve_rollouts,
          &(edgefw__tours){policy->rollouts, policy->steps, policy->tours, policy->lengths});
    best->seconds += edgefw__seconds() - begin;
    if (status != EDGEFW_OK) return status;
    keep_best(policy, batch->count, first && sample == 0, best);
  }
  return EDGEFW_OK;
}
