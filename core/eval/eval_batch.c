/* How many instances are evaluated at once. */
#include "eval/evaluate.h"

#include <inttypes.h>

#include "policy/batch_size.h"
#include "search/construct.h"

/* A policy may take the machine's memory divided by this. */
#define MEMORY_SHARE 2

/* Instances at once unless a number is asked for: on the host; on a device with memory of its own,
 * at most, and as many entries of cost matrices. */
#define HOST_BATCH     64
#define DEVICE_BATCH   1024
#define DEVICE_ENTRIES ((int64_t)1 << 26)

/* Bytes of the instances of a batch, and of their tours, where heuristics construct. */
#define INSTANCE_BYTES ((int64_t)256 << 20)
#define TOUR_BYTES     ((int64_t)64 << 20)

/* What suits if nothing is asked for: two cores are busy with 64; a device with memory of its own
 * wants more, up to where batches would be felt as steps. */
static int64_t suitable_batch(const edgefw__engine *engine, int64_t n) {
  if (!edgefw__engine_has_memory(engine)) return HOST_BATCH;
  const int64_t most = DEVICE_ENTRIES / (n * n) + 1;
  return most < DEVICE_BATCH ? most : DEVICE_BATCH;
}

int64_t edgefw__eval_batch_asked(const edgefw__model *model, const edgefw__instance_set *set,
                                 const edgefw__eval_settings *settings) {
  const int64_t batch =
      settings->batch > 0 ? settings->batch : suitable_batch(model->engine, set->n);
  return batch < set->count ? batch : set->count;
}

static int64_t bytes_of_instance(const edgefw_problem *problem, int64_t n) {
  int64_t numbers = 1;
  for (const edgefw_field *field = problem->fields; field->name; ++field)
    numbers += edgefw_field_count(field->shape, n);
  return numbers * (int64_t)sizeof(double);
}

static int64_t bytes_of_tours(const edgefw_problem *problem, int64_t n, int64_t starts) {
  return edgefw__construct_starts(problem, n, starts) * edgefw__problem_steps(problem, n) *
         (int64_t)sizeof(int32_t);
}

size_t edgefw__eval_constructing_bytes(const edgefw__composition *composition, int64_t n,
                                       int64_t starts, int64_t batch) {
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  return (size_t)(batch * (bytes_of_instance(problem, n) + bytes_of_tours(problem, n, starts)));
}

int64_t edgefw__eval_constructing_batch(const edgefw__composition *composition, int64_t n,
                                        int64_t starts, int64_t asked) {
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  int64_t most = INSTANCE_BYTES / bytes_of_instance(problem, n);
  if (most > TOUR_BYTES / bytes_of_tours(problem, n, starts))
    most = TOUR_BYTES / bytes_of_tours(problem, n, starts);
  if (most > asked) most = asked;
  return most > 1 ? most : 1;
}

edgefw_status edgefw__eval_batch(edgefw__model *model, const edgefw__instance_set *set,
                                 const edgefw__eval_settings *settings, int64_t *batch) {
  edgefw__batch_request request = {.n = set->n,
                                   .rollouts =
                                       edgefw__policy_rollouts(model, set->n, settings->starts),
                                   .most = edgefw__eval_batch_asked(model, set, settings),
                                   .settings = "[eval] starts"};
  if (edgefw__constructs(model->composition)) {
    *batch =
        edgefw__eval_constructing_batch(model->composition, set->n, settings->starts, request.most);
    return EDGEFW_OK;
  }
  const edgefw__eval_beside *beside = settings->beside;
  if (beside)
    request.most =
        edgefw__eval_constructing_batch(beside->composition, set->n, beside->starts, request.most);
  const edgefw_status status = edgefw__memory_budget(model->engine, MEMORY_SHARE, &request.budget);
  return status == EDGEFW_OK ? edgefw__batch_size(model, &request, batch) : status;
}

void edgefw__eval_leave_out(edgefw_context *ctx, const edgefw__instance_set *set) {
  edgefw_log(ctx, EDGEFW_LOG_INFO, "set %s: heuristics alone: %s", set->name, edgefw_message(ctx));
  edgefw_clear(ctx);
}

edgefw_status edgefw__eval_plan(edgefw__model *model, const edgefw__instance_set *set,
                                const edgefw__eval_settings *settings, int64_t *batch,
                                bool *decodes) {
  edgefw_context *ctx = model->engine->ctx;
  const edgefw__eval_beside *beside = settings->beside;
  const int64_t asked = edgefw__eval_batch_asked(model, set, settings);
  edgefw_status status = EDGEFW_OK;
  *decodes = !edgefw__constructs(model->composition);
  const bool optional = *decodes && beside && beside->optional;
  const bool large = optional && set->n > EDGEFW__BESIDE_NODES;
  if (large)
    status = edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                         "a shipped model decodes at most %d nodes (--model takes it all the same)",
                         EDGEFW__BESIDE_NODES);
  else
    status = edgefw__eval_batch(model, set, settings, batch);
  if (large || (optional && status == EDGEFW_OUT_OF_MEMORY)) {
    edgefw__eval_leave_out(ctx, set);
    *decodes = false;
    *batch = edgefw__eval_constructing_batch(beside->composition, set->n, beside->starts, asked);
    return EDGEFW_OK;
  }
  if (status == EDGEFW_OK && *batch < asked && settings->batch > 0)
    edgefw_log(ctx, EDGEFW_LOG_INFO,
               "set %s: %" PRId64 " instances at once instead of %" PRId64 ", for lack of memory",
               set->name, *batch, asked);
  return status;
}
