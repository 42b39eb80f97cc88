/* Measuring a policy on a part of an instance. */
#include "eval/policy_time.h"

#include <string.h>

#include "base/clock.h"

#define MEASURED_NODES 100 /* at most */
#define REPEATS        2   /* the first run also makes threads and fills caches */

/* The first nodes of the first instance of `from`, as many as `to` has. */
static void take_part(const edgefw__batch *from, edgefw__batch *to) {
  const int64_t n = to->n;
  for (int f = 0; f < to->field_count; ++f) {
    const edgefw_field_shape shape = to->fields[f].shape;
    const int64_t rows = shape == EDGEFW_FIELD_PAIR ? n : 1;
    const int64_t length = edgefw_field_count(shape, n) / rows;
    for (int64_t r = 0; r < rows; ++r)
      memcpy(to->data[f] + r * length, from->data[f] + r * from->n,
             (size_t)length * sizeof **to->data);
  }
  to->ids[0] = from->ids[0];
  to->count = 1;
}

static edgefw_status run(edgefw__model *model, const edgefw__batch *part, edgefw__policy *policy,
                         const edgefw__eval_settings *settings, double *seconds) {
  const edgefw__rollout_request request = {.clip = settings->clip,
                                           .select = settings->select,
                                           .sample_seed = settings->seed,
                                           .lengths_only = true};
  edgefw_status status = EDGEFW_OK;
  for (int r = 0; status == EDGEFW_OK && r < REPEATS; ++r) {
    const double begin = edgefw__seconds();
    status = edgefw__policy_run(policy, part, &request);
    if (status == EDGEFW_OK) status = edgefw__engine_finish(model->engine);
    *seconds = edgefw__seconds() - begin;
  }
  return status;
}

/* How much more work a run with `to` nodes is than one of `from` nodes. */
static double growth(const edgefw__model *model, int64_t starts, int64_t from, int64_t to) {
  const double size = (double)to / (double)from;
  const double rollouts = (double)edgefw__policy_rollouts(model, to, starts) /
                          (double)edgefw__policy_rollouts(model, from, starts);
  return size * size * rollouts;
}

double edgefw__policy_runs(const edgefw__eval_settings *settings) {
  const int64_t samples = settings->select == EDGEFW_SELECT_SAMPLE ? settings->samples : 1;
  return (double)samples * (double)settings->augment + (double)settings->beam;
}

edgefw_status edgefw__policy_time(edgefw__model *model, const edgefw__batch *batch,
                                  const edgefw__eval_settings *settings, double *seconds) {
  edgefw_context *ctx = model->engine->ctx;
  const int64_t n = batch->n < MEASURED_NODES ? batch->n : MEASURED_NODES;
  edgefw__batch *part = NULL;
  edgefw__policy *policy = NULL;
  *seconds = 0.0;
  edgefw_status status = edgefw__batch_create(ctx, batch->fields, 1, n, &part);
  if (status == EDGEFW_OK) {
    take_part(batch, part);
    status = edgefw__policy_create(model, 1, n, edgefw__policy_rollouts(model, n, settings->starts),
                                   false, &policy);
  }
  if (status == EDGEFW_OK) status = run(model, part, policy, settings, seconds);
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(ctx, part);
  *seconds *= growth(model, settings->starts, n, batch->n);
  return status;
}
