/* Calls to evaluate a set, and answers. */
#include "eval/team.h"

#include <stdio.h>
#include <string.h>

#include "eval/evaluation.h"

enum { CHUNK, BASE, STEP }; /* numbers of the call */

/* The parameters of rank 0, of all numbers that a device has; on both sides. */
static edgefw_status spread(const edgefw__model *model) {
  const edgefw__parameters *parameters = model->parameters;
  const edgefw__engine *engine = model->engine;
  const size_t total = (size_t)parameters->total;
  if (total == 0) return EDGEFW_OK;
  double *host = edgefw_allocate(engine->ctx, total, sizeof *host, "parameters");
  if (host && engine->group->rank == 0)
    engine->kernels->download(engine->device, host, parameters->values, parameters->total);
  edgefw_status status =
      edgefw__group_agree(engine->group, host ? EDGEFW_OK : edgefw_failure(engine->ctx));
  if (status == EDGEFW_OK)
    status = edgefw__group_broadcast(engine->group, host, total * sizeof *host);
  if (status == EDGEFW_OK && engine->group->rank != 0)
    engine->kernels->upload(engine->device, parameters->values, host, parameters->total);
  edgefw_release(engine->ctx, host);
  return status;
}

edgefw_status edgefw__eval_team(edgefw__model *model, const edgefw__instance_set *set,
                                const edgefw__eval_settings *settings,
                                edgefw__eval_observer observer, void *user,
                                edgefw__eval_result *out, edgefw__eval_receiver receiver,
                                void *receiver_user) {
  edgefw__group *group = model->engine->group;
  edgefw__eval_settings shared = *settings;
  edgefw__call call = {.kind = EDGEFW__CALL_EVALUATE};
  edgefw_status status = EDGEFW_OK;
  if (edgefw__group_is_shared(group))
    status = edgefw__eval_batch(model, set, settings, &shared.chunk);
  if (status == EDGEFW_OK && shared.chunk > 0 && shared.chunk < set->count) {
    snprintf(call.name, sizeof call.name, "%s", model->composition->variant);
    snprintf(call.set, sizeof call.set, "%s", set->name);
    status = edgefw__group_next(group, 0, &shared.base);
    call.numbers[CHUNK] = shared.chunk;
    call.numbers[BASE] = shared.base;
    call.numbers[STEP] = model->step;
    if (status == EDGEFW_OK) status = edgefw__group_call(group, &call);
    if (status == EDGEFW_OK) status = edgefw__group_agree(group, EDGEFW_OK);
    if (status == EDGEFW_OK) status = spread(model);
  } else {
    shared.chunk = 0;
  }
  if (status != EDGEFW_OK) return status;
  return edgefw__evaluate(model, set, &shared, observer, user, out, receiver, receiver_user);
}

/* --- All ranks --- */

static void read_batch(void *user, const edgefw__eval_entry *entry) {
  edgefw__evaluation *e = user;
  if (entry->starts > e->best.starts) e->best.starts = entry->starts;
}

static edgefw_status read_instance(void *user, edgefw__eval_found *found) {
  edgefw__evaluation *e = user;
  edgefw__eval_answer *answer = &found->answer;
  e->costs[answer->instance] = answer->cost;
  e->sums.plain += answer->plain;
  e->sums.constructed += answer->constructed;
  answer->origin = edgefw__evaluation_origin(e, found->maker);
  e->forbidden.arcs += answer->forbidden_arcs;
  e->forbidden.tours += answer->forbidden_arcs > 0;
  if (answer->forbidden_arcs > 0) e->forbidden.price = answer->forbidden_price;
  return e->receiver ? e->receiver(e->receiver_user, answer) : EDGEFW_OK;
}

/* The time that counts is that of the slowest rank. `all` has room for two numbers of each. */
static edgefw_status find_slowest(edgefw__evaluation *e, double *all) {
  edgefw__group *group = e->model->engine->group;
  const double own[2] = {e->best.seconds, e->best.search_seconds};
  const edgefw_status status = edgefw__group_gather(group, own, sizeof own, all);
  for (int r = 0; status == EDGEFW_OK && r < group->ranks; ++r)
    if (all[2 * r] > e->best.seconds) {
      e->best.seconds = all[2 * r];
      e->best.search_seconds = all[2 * r + 1];
    }
  return status;
}

/* Chunks from the counter until there are none; a rank that fails takes all that are left. Then
 * rank 0 hears of all, and adds up as if it had been alone. */
edgefw_status edgefw__evaluation_share(edgefw__evaluation *e, edgefw_status status,
                                       edgefw__eval_observer observer, void *user) {
  edgefw__group *group = e->model->engine->group;
  const int64_t count = e->set->count, chunk = e->settings->chunk;
  int64_t first = 0, taken = 0;
  double *times =
      edgefw_allocate(e->ctx, 2 * (size_t)group->ranks, sizeof *times, "times of all ranks");
  if (!times && status == EDGEFW_OK) status = edgefw_failure(e->ctx);
  while (status == EDGEFW_OK) {
    status = edgefw__group_next(group, chunk, &taken);
    first = taken - e->settings->base;
    if (status != EDGEFW_OK || first >= count) break;
    status = edgefw__evaluation_range(e, first, first + chunk < count ? first + chunk : count,
                                      observer, user);
  }
  if (status != EDGEFW_OK && !group->out_of_step)
    group->out_of_step = edgefw__group_next(group, count, &taken) != EDGEFW_OK;
  status = edgefw__group_agree(group, status);
  if (status == EDGEFW_OK) status = find_slowest(e, times);
  edgefw_release(e->ctx, times);
  if (status == EDGEFW_OK) status = edgefw__eval_log_collect(&e->log, group);
  if (status != EDGEFW_OK || group->rank != 0) return status;
  e->sums = (edgefw__eval_sums){0};
  e->forbidden = (edgefw__eval_forbidden){0};
  return edgefw__eval_log_read(&e->log, count,
                               &(edgefw__eval_reader){read_batch, read_instance, e});
}

/* --- The others --- */

static edgefw_status find_set(const edgefw__engine *engine, edgefw_arena *arena,
                              const edgefw__composition *composition, const edgefw__call *call,
                              const edgefw__instance_set **out) {
  edgefw__instance_set *sets = NULL;
  int count = 0;
  const edgefw_status status =
      composition ? edgefw__eval_sets(engine->ctx, arena, composition, &sets, &count) : EDGEFW_OK;
  for (int s = 0; status == EDGEFW_OK && s < count; ++s)
    if (strcmp(sets[s].name, call->set) == 0) {
      *out = &sets[s];
      return EDGEFW_OK;
    }
  if (status != EDGEFW_OK) return status;
  return edgefw_fail(engine->ctx, EDGEFW_MISMATCH,
                     "it knows no variant '%s' with a set %s: its configuration is another one",
                     call->name, call->set);
}

/* A model without parameters of its own yet. */
static edgefw_status make_model(const edgefw__engine *engine,
                                const edgefw__composition *composition, const edgefw__call *call,
                                edgefw__model **out) {
  if (edgefw__constructs(composition)) return edgefw__model_constructing(engine, composition, out);
  const edgefw_status status = edgefw__model_create(engine, composition, 0, false, out);
  if (status == EDGEFW_OK) (*out)->step = call->numbers[STEP];
  return status;
}

edgefw_status edgefw__eval_team_serve(const edgefw__engine *engine,
                                      const edgefw__composition *composition,
                                      const edgefw__call *call) {
  edgefw_arena *arena = NULL;
  edgefw__model *model = NULL;
  const edgefw__instance_set *set = NULL;
  edgefw__eval_result result;
  edgefw_status status = edgefw_arena_create(engine->ctx, &arena, "test sets", 0, true);
  if (status == EDGEFW_OK) status = find_set(engine, arena, composition, call, &set);
  if (status == EDGEFW_OK) status = make_model(engine, composition, call, &model);
  status = edgefw__group_agree(engine->group, status);
  if (status == EDGEFW_OK) status = spread(model);
  if (status == EDGEFW_OK) {
    edgefw__eval_settings settings = edgefw__eval_settings_from(composition);
    settings.chunk = call->numbers[CHUNK];
    settings.base = call->numbers[BASE];
    status = edgefw__evaluate(model, set, &settings, NULL, NULL, &result, NULL, NULL);
  }
  edgefw__model_destroy(model);
  edgefw_arena_destroy(arena);
  if (status == EDGEFW_OK || engine->group->out_of_step) return status;
  edgefw_clear(engine->ctx);
  return EDGEFW_OK;
}
