/* Calls of a training, and answers. */
#include "train/team.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/units.h"
#include "train/ema.h"

static edgefw__group *group_of(const edgefw__stepper *stepper) {
  return stepper->model->engine->group;
}

/* --- Rank 0 --- */

/* Ranks without a slice have nothing to do but Adam. */
static void warn_of_idle_ranks(const edgefw__stepper *stepper) {
  const edgefw__group *group = group_of(stepper);
  const int64_t slices = (stepper->batch + stepper->slice - 1) / stepper->slice;
  const int64_t each = (stepper->batch + group->ranks - 1) / group->ranks;
  if (slices >= group->ranks) return;
  edgefw_log(group->ctx, EDGEFW_LOG_WARNING,
             "%s: a batch of %" PRId64 " instances has %" PRId64 " slice%s for %d ranks, of which "
             "the others are idle in training; [train] slice = %" PRId64
             " has work for all (its last bits are others)",
             stepper->model->composition->variant, stepper->batch, slices, slices == 1 ? "" : "s",
             group->ranks, each);
}

/* What the ranks' talk took. */
static void tell_traffic(const edgefw__stepper *stepper) {
  const edgefw__group *group = group_of(stepper);
  char bytes[EDGEFW__UNIT_TEXT];
  if (stepper->led == 0) return;
  const double sent = (double)(group->sent - stepper->sent_before) / (double)stepper->led;
  edgefw_log(group->ctx, EDGEFW_LOG_INFO,
             "%s: rank 0 sent %s in each step; exchanges, with the wait for other ranks in them, "
             "took %.1f %% of the time of %" PRId64 " steps",
             stepper->model->composition->variant, edgefw__bytes_text(sent, bytes, sizeof bytes),
             100.0 * (group->waited - stepper->waited_before) / stepper->led_seconds, stepper->led);
}

edgefw_status edgefw__team_begin(edgefw__stepper *stepper) {
  edgefw__group *group = group_of(stepper);
  if (!edgefw__group_is_shared(group)) return EDGEFW_OK;
  edgefw__call call = {.kind = EDGEFW__CALL_TRAIN, .numbers = {(int64_t)stepper->feed.digest}};
  snprintf(call.name, sizeof call.name, "%s", stepper->model->composition->variant);
  edgefw_status status = edgefw__group_call(group, &call);
  if (status == EDGEFW_OK) status = edgefw__group_agree(group, EDGEFW_OK);
  if (status == EDGEFW_OK) status = edgefw__share_spread(&stepper->share);
  stepper->leads = status == EDGEFW_OK;
  stepper->waited_before = group->waited;
  stepper->sent_before = group->sent;
  if (stepper->leads) warn_of_idle_ranks(stepper);
  return status;
}

edgefw_status edgefw__team_step(edgefw__stepper *stepper, const edgefw__step_order *order) {
  const double begin = edgefw__seconds();
  if (!stepper->leads) return edgefw__stepper_run(stepper, order);
  edgefw__call call = {.kind = EDGEFW__CALL_STEP,
                       .numbers = {order->step, order->epoch, (int64_t)order->first, order->count}};
  edgefw_status status = edgefw__group_call(group_of(stepper), &call);
  if (status == EDGEFW_OK) status = edgefw__stepper_run(stepper, order);
  stepper->led_seconds += edgefw__seconds() - begin;
  ++stepper->led;
  return status;
}

edgefw_status edgefw__team_collect(edgefw__stepper *stepper) {
  edgefw__call call = {.kind = EDGEFW__CALL_COLLECT};
  if (!stepper->leads) return EDGEFW_OK;
  const edgefw_status status = edgefw__group_call(group_of(stepper), &call);
  return status == EDGEFW_OK ? edgefw__share_collect(&stepper->share) : status;
}

void edgefw__team_end(edgefw__stepper *stepper) {
  edgefw__call call = {.kind = EDGEFW__CALL_END};
  if (!stepper->leads) return;
  stepper->leads = false;
  tell_traffic(stepper);
  edgefw__group *group = group_of(stepper);
  /* Where this rank is out of step it says so when it closes the group. */
  if (!group->out_of_step && edgefw__group_call(group, &call) != EDGEFW_OK)
    group->out_of_step = true;
}

/* --- The others --- */

/* Model and stepper, as rank 0 has them. */
static edgefw_status prepare(const edgefw__engine *engine, const edgefw__composition *composition,
                             const edgefw__call *call, edgefw__model **model,
                             edgefw__stepper *stepper) {
  if (!composition)
    return edgefw_fail(engine->ctx, EDGEFW_MISMATCH,
                       "it knows no variant '%s': its configuration is another one", call->name);
  edgefw_status status = edgefw__model_create(engine, composition, 0, true, model);
  if (status == EDGEFW_OK) status = edgefw__ema_begin(*model);
  if (status != EDGEFW_OK) return status;
  edgefw__stepper_begin(*model, stepper);
  status = edgefw__stepper_open(stepper);
  if (status == EDGEFW_OK && stepper->feed.digest != (uint64_t)call->numbers[0])
    status = edgefw_fail(engine->ctx, EDGEFW_MISMATCH,
                         "[train] data = %s has another content here (fingerprint %016" PRIx64
                         ", on rank 0 %016" PRIx64 "): expected the same file",
                         edgefw_options_text(composition->train, "data"), stepper->feed.digest,
                         (uint64_t)call->numbers[0]);
  return status == EDGEFW_OK ? edgefw__stepper_allocate(stepper) : status;
}

/* One call after another. A step that failed was none: the next call is waited for. */
static edgefw_status answer(edgefw__stepper *stepper) {
  edgefw__group *group = group_of(stepper);
  edgefw__call call = {.kind = 0};
  edgefw_status status = EDGEFW_OK;
  while (status == EDGEFW_OK) {
    status = edgefw__group_call(group, &call);
    if (status != EDGEFW_OK || call.kind == EDGEFW__CALL_END) return status;
    if (call.kind == EDGEFW__CALL_COLLECT) {
      status = edgefw__share_collect(&stepper->share);
      continue;
    }
    status = edgefw__stepper_run(stepper, &(edgefw__step_order){.step = call.numbers[0],
                                                                .epoch = call.numbers[1],
                                                                .first = (uint64_t)call.numbers[2],
                                                                .count = call.numbers[3]});
    if (status == EDGEFW_OK || group->out_of_step) continue;
    edgefw_clear(stepper->model->engine->ctx);
    status = EDGEFW_OK;
  }
  return status;
}

edgefw_status edgefw__team_serve(const edgefw__engine *engine,
                                 const edgefw__composition *composition, const edgefw__call *call) {
  edgefw__group *group = engine->group;
  edgefw__model *model = NULL;
  edgefw__stepper stepper = {.model = NULL};
  edgefw_status status =
      edgefw__group_agree(group, prepare(engine, composition, call, &model, &stepper));
  if (status == EDGEFW_OK) status = edgefw__share_spread(&stepper.share);
  if (status == EDGEFW_OK) status = answer(&stepper);
  edgefw__stepper_end(&stepper);
  edgefw__model_destroy(model);
  if (status == EDGEFW_OK || group->out_of_step) return status;
  edgefw_clear(engine->ctx);
  return EDGEFW_OK;
}
