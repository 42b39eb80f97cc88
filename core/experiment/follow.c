/* Answering the calls of rank 0. */
#include "experiment/follow.h"

#include <string.h>

#include "eval/team.h"
#include "train/team.h"

static const edgefw__composition *find(const edgefw__config *config, const char *variant) {
  for (int v = 0; v < config->variant_count; ++v)
    if (strcmp(config->variants[v].variant, variant) == 0) return &config->variants[v];
  return NULL;
}

static edgefw_status serve(const edgefw__engine *engine, const edgefw__config *config) {
  edgefw_status status = EDGEFW_OK;
  while (status == EDGEFW_OK) {
    edgefw__call call = {.kind = 0};
    status = edgefw__group_call(engine->group, &call);
    if (status != EDGEFW_OK || call.kind == EDGEFW__CALL_QUIT) break;
    const edgefw__composition *composition = find(config, call.name);
    if (call.kind == EDGEFW__CALL_EVALUATE)
      status = edgefw__eval_team_serve(engine, composition, &call);
    if (call.kind == EDGEFW__CALL_TRAIN) status = edgefw__team_serve(engine, composition, &call);
  }
  return status;
}

edgefw_status edgefw__experiment_follow(edgefw_context *ctx, const edgefw__registry *registry,
                                        const edgefw__config *config, edgefw__group *group) {
  const edgefw_options *experiment = config->variants[0].experiment;
  edgefw__engine engine = {.ctx = ctx};
  edgefw__group_set_threads(group, ctx, (int)edgefw_options_int(experiment, "threads"));
  edgefw_status status = edgefw__engine_open_for(ctx, registry, experiment, &engine);
  engine.group = group;
  status = edgefw__group_agree(group, status);
  if (!group->out_of_step) {
    edgefw_clear(ctx); /* rank 0 says what failed, and has one call left: that it is over */
    status = serve(&engine, config);
  }
  edgefw__engine_close(&engine);
  return status;
}
