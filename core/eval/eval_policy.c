/* The batch and the policy of an evaluation: planned, opened or kept from an earlier one. */
#include <inttypes.h>

#include "eval/evaluation.h"

/* What an earlier evaluation has left for as many instances need not be planned again. */
static bool take_warm(edgefw__evaluation *e) {
  const edgefw__eval_settings *settings = e->settings;
  const bool decodes = !edgefw__constructs(e->model->composition);
  const int64_t n = e->set->n;
  edgefw__warm_size *warm = NULL;
  if (settings->warm)
    warm = edgefw__warm_find(settings->warm, n,
                             decodes ? edgefw__policy_rollouts(e->model, n, settings->starts) : 0,
                             edgefw__eval_batch_asked(e->model, e->set, settings));
  if (!warm) return false;
  e->is_kept = true;
  e->batch = warm->batch;
  e->policy = warm->policy;
  e->capacity = warm->capacity;
  e->decodes = decodes;
  return true;
}

edgefw__warm_size *edgefw__evaluation_warm(const edgefw__evaluation *e) {
  if (!e->is_kept) return NULL;
  return edgefw__warm_find(e->settings->warm, e->set->n, e->policy ? e->policy->rollouts : 0, 1);
}

edgefw_status edgefw__evaluation_plan(edgefw__evaluation *e) {
  if (take_warm(e)) return EDGEFW_OK;
  return edgefw__eval_plan(e->model, e->set, e->settings, &e->capacity, &e->decodes);
}

edgefw_status edgefw__evaluation_open_policy(edgefw__evaluation *e) {
  const edgefw_problem *problem = &e->model->composition->problem->vtable.problem;
  const int64_t n = e->set->n, rollouts = edgefw__policy_rollouts(e->model, n, e->settings->starts);
  edgefw_status status = edgefw__batch_create(e->ctx, problem->fields, e->capacity, n, &e->batch);
  if (status == EDGEFW_OK && e->decodes)
    status = edgefw__policy_create(e->model, e->capacity, n, rollouts, false, &e->policy);
  e->is_kept = status == EDGEFW_OK && e->settings->warm && edgefw__warm_takes(e->batch);
  if (e->is_kept) edgefw__warm_keep(e->ctx, e->settings->warm, e->batch, e->policy);
  return status;
}

void edgefw__evaluation_close_policy(edgefw__evaluation *e) {
  if (e->is_kept) {
    edgefw__warm_drop(e->ctx, e->settings->warm, e->batch);
  } else {
    edgefw__policy_destroy(e->policy);
    edgefw__batch_destroy(e->ctx, e->batch);
  }
  e->is_kept = false;
  e->policy = NULL;
  e->batch = NULL;
}

/* A device with memory of its own had no room: half as many instances from now on. */
edgefw_status edgefw__evaluation_shrink(edgefw__evaluation *e, edgefw_status status) {
  if (status != EDGEFW_OUT_OF_MEMORY || !edgefw__engine_has_memory(e->model->engine)) return status;
  if (e->capacity == 1 && e->decodes && e->settings->beside && e->settings->beside->optional) {
    edgefw__eval_leave_out(e->ctx, e->set);
    e->decodes = false;
    edgefw__evaluation_close_policy(e);
    return EDGEFW_OK;
  }
  if (e->capacity == 1)
    return edgefw_note(e->ctx, status, "set %s: one instance is too many; lower [eval] starts",
                       e->set->name);
  edgefw_log(e->ctx, EDGEFW_LOG_INFO,
             "set %s: %" PRId64
             " instances at once from here on, for lack of memory ([eval] batch)",
             e->set->name, e->capacity / 2);
  edgefw_clear(e->ctx);
  edgefw__evaluation_close_policy(e);
  e->capacity /= 2;
  return EDGEFW_OK;
}
