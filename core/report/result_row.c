/* Rows of results. */
#include "report/result_row.h"

#include <inttypes.h>
#include <math.h>

#include "base/units.h"

/* How a rollout chooses, and what is made of rollouts. */
static const char *decoding_of(const edgefw__eval_settings *settings) {
  static const char *const names[2][2][2] = {
      {{"greedy", "greedy+kicks"}, {"greedy+local", "greedy+local+kicks"}},
      {{"sample", "sample+kicks"}, {"sample+local", "sample+local+kicks"}}};
  return names[settings->select == EDGEFW_SELECT_SAMPLE][settings->improve]
              [settings->kicks > 0 || settings->time_limit > 0.0];
}

edgefw__result edgefw__result_of(const edgefw__model *model, const edgefw__instance_set *set,
                                 const edgefw__eval_settings *settings,
                                 const edgefw__eval_result *result, uint64_t fingerprint) {
  const double none = (double)NAN;
  return (edgefw__result){.variant = model->composition->variant,
                          .set = set->name,
                          .n = set->size,
                          .instances = result->instances,
                          .select = decoding_of(settings),
                          .logit_clip = settings->clip,
                          .starts = edgefw__policy_rollouts(model, set->n, settings->starts),
                          .augment = settings->augment,
                          .model = fingerprint,
                          .objective = result->objective,
                          .plain_objective = result->plain_objective,
                          .length = result->length,
                          .reference = result->has_reference ? result->reference : none,
                          .gap_percent = result->has_reference ? result->gap_percent : none,
                          .mean_gap_percent =
                              result->has_reference ? result->mean_gap_percent : none,
                          .reference_kind = result->reference_kind,
                          .seconds = result->seconds};
}

/* The cost of one instance in full, a mean as people read it. */
static void add_cost(edgefw__text *text, const char *what, int64_t instances, double value) {
  char number[32];
  if (instances == 1)
    edgefw__text_add(text, ", %s %s", what, edgefw__number_text(value, number, sizeof number));
  else
    edgefw__text_add(text, ", %s %.6g", what, value);
}

void edgefw__result_plain(edgefw__text *text, const edgefw__result *row) {
  char duration[EDGEFW__UNIT_TEXT];
  edgefw__text_add(text, "%s: %" PRId64 " instance%s, n = %" PRId64, row->set, row->instances,
                   row->instances == 1 ? "" : "s", row->n);
  add_cost(text, "cost", row->instances, row->objective);
  if (isfinite(row->reference)) add_cost(text, "reference", row->instances, row->reference);
  if (isfinite(row->gap_percent))
    edgefw__text_add(text, ", %s %.2f %%", edgefw__reference_kind_gap(row->reference_kind),
                     row->gap_percent);
  edgefw__text_add(text, ", %s\n", edgefw__duration_text(row->seconds, duration, sizeof duration));
}
