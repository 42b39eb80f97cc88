/* Settings of a call. */
#include "solver/settings.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

#include "plugin/sized.h"

/* Most seconds of a limit: some thirty years, which no sum of clocks runs out of. */
#define MOST_SECONDS 1e9
#define MOST_BEAM    1000

typedef struct range {
  const char *name;
  int64_t value, least, most;
} range;

static edgefw_status check_ranges(edgefw_context *ctx, const edgefw_solve_settings *s) {
  const range ranges[] = {{"makers", s->makers, EDGEFW_MAKERS_ALL, EDGEFW_MAKERS_HEURISTICS},
                          {"starts", s->starts, 0, INT32_MAX},
                          {"samples", s->samples, 0, INT32_MAX},
                          {"augment", s->augment, 0, 8},
                          {"beam", s->beam, 0, MOST_BEAM},
                          {"reconstruct", s->reconstruct, 0, INT64_MAX},
                          {"kicks", s->kicks, -1, INT64_MAX},
                          {"batch", s->batch, 0, 1000000}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i)
    if (ranges[i].value < ranges[i].least || ranges[i].value > ranges[i].most)
      return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                         "%s = %" PRId64 ": expected %" PRId64 " to %" PRId64, ranges[i].name,
                         ranges[i].value, ranges[i].least, ranges[i].most);
  if (s->augment > 1 && s->augment != 8)
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT, "augment = %" PRId64 ": expected 1 or 8",
                       s->augment);
  if (!(s->time_limit >= 0.0 && s->time_limit <= MOST_SECONDS)) /* a NaN is refused, too */
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT, "time_limit = %g: expected 0 to %g seconds",
                       s->time_limit, MOST_SECONDS);
  return EDGEFW_OK;
}

/* What the model has: a policy, heuristics, or both. */
static edgefw_status choose_sides(edgefw_context *ctx, const edgefw_model *model,
                                  edgefw__call_settings *out) {
  const edgefw_makers makers = out->given.makers;
  if (makers == EDGEFW_MAKERS_POLICY && !model->policy)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED, "only heuristics were opened: no model decodes");
  if (makers == EDGEFW_MAKERS_HEURISTICS && !model->heuristics)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED, "the model was opened without heuristics");
  out->constructs = !model->policy || makers == EDGEFW_MAKERS_HEURISTICS;
  if (out->constructs || makers == EDGEFW_MAKERS_POLICY || !model->heuristics) return EDGEFW_OK;
  out->beside = (edgefw__eval_beside){
      .composition = model->heuristics, .starts = out->given.starts, .optional = model->optional};
  out->eval.beside = &out->beside;
  return EDGEFW_OK;
}

/* What only a policy can do, and only with coordinates. */
static edgefw_status check_decoding(edgefw_context *ctx, const edgefw_model *model,
                                    const edgefw__call_settings *c) {
  const edgefw_solve_settings *s = &c->given;
  const char *idle = s->samples > 0       ? "samples"
                     : s->augment > 1     ? "augment"
                     : s->beam > 0        ? "beam"
                     : s->reconstruct > 0 ? "reconstruct"
                                          : NULL;
  if (c->constructs && idle)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED, "%s needs a trained model, which decodes", idle);
  if (s->augment > 1 && !model->problem->vtable.problem.coordinates)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "augment = 8: the problem %s has no coordinates to reflect",
                       model->problem->descriptor->name);
  return EDGEFW_OK;
}

static void fill(edgefw__call_settings *c) {
  const edgefw_solve_settings *s = &c->given;
  edgefw__eval_settings *e = &c->eval;
  e->select = s->samples > 0 ? EDGEFW_SELECT_SAMPLE : EDGEFW_SELECT_GREEDY;
  e->samples = s->samples > 0 ? s->samples : 1;
  e->starts = s->starts;
  e->augment = s->augment > 1 ? s->augment : 1;
  e->batch = s->batch;
  e->seed = s->seed;
  e->improve = !s->unimproved;
  e->fixed_count = 0; /* those of the model's own evaluation are nodes of other instances */
  e->beam = s->beam;
  e->reconstruct = s->reconstruct;
  e->kicks = s->kicks > 0 ? s->kicks : 0;
  e->deadline = s->time_limit;
  e->time_limit = s->kicks < 0 ? 0.0 : s->time_limit;
  e->keep_interrupted = true;
}

edgefw_status edgefw__call_settings_take(edgefw_context *ctx, const edgefw_model *model,
                                         const edgefw_solve_settings *given,
                                         edgefw__call_settings *out) {
  char why[200];
  *out = (edgefw__call_settings){.given = {.size = sizeof out->given}};
  if (given && !edgefw__sized_check(given, offsetof(edgefw_solve_settings, seed), why, sizeof why))
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT, "edgefw_solve_settings: %s", why);
  if (given) edgefw__sized_take(&out->given, sizeof out->given, given);
  edgefw_status status = check_ranges(ctx, &out->given);
  if (status != EDGEFW_OK) return status;
  const bool constructs = !model->policy || out->given.makers == EDGEFW_MAKERS_HEURISTICS;
  const edgefw__composition *composition = constructs ? model->heuristics : model->policy;
  if (composition) out->eval = edgefw__eval_settings_from(composition);
  status = choose_sides(ctx, model, out);
  if (status == EDGEFW_OK) status = check_decoding(ctx, model, out);
  if (status == EDGEFW_OK) fill(out);
  return status;
}
