/* Rows of results. */
#include "report/result_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/units.h"

/* What is done beside the tours that are made, and what goes on from them. */
static void add_searches(const edgefw__instance_set *set, const edgefw__eval_settings *settings,
                         char *out, size_t size) {
  const bool limited = settings->time_limit > 0.0;
  const bool kicks = settings->kicks > 0 || (limited && settings->reconstruct == 0);
  snprintf(out, size, "%s%s%s%s%s%s", settings->beam > 0 ? "+beam" : "",
           settings->fixed_count > 0 ? "+fixed" : "", set && set->start ? "+start" : "",
           settings->improve ? "+local" : "", settings->reconstruct > 0 ? "+reconstruct" : "",
           kicks ? "+kicks" : "");
}

const char *edgefw__decoding_text(const edgefw__composition *composition,
                                  const edgefw__instance_set *set,
                                  const edgefw__eval_settings *settings,
                                  char out[EDGEFW__DECODING_TEXT]) {
  const edgefw__heuristic_list *heuristics = &composition->heuristics;
  const char *chosen = settings->select == EDGEFW_SELECT_SAMPLE ? "sample" : "greedy";
  size_t length = 0;
  if (!edgefw__constructs(composition))
    length = (size_t)snprintf(out, EDGEFW__DECODING_TEXT, "%s", chosen);
  for (int h = 0; h < heuristics->count && length < EDGEFW__DECODING_TEXT; ++h)
    length += (size_t)snprintf(out + length, EDGEFW__DECODING_TEXT - length, "%s%s", h ? "/" : "",
                               heuristics->names[h]);
  if (length < EDGEFW__DECODING_TEXT)
    add_searches(set, settings, out + length, EDGEFW__DECODING_TEXT - length);
  return out;
}

edgefw__result edgefw__result_of(const edgefw__model *model, const edgefw__instance_set *set,
                                 const edgefw__eval_settings *settings,
                                 const edgefw__eval_result *result, uint64_t fingerprint,
                                 char select[EDGEFW__DECODING_TEXT]) {
  const double none = (double)NAN;
  const int64_t starts = edgefw__constructs(model->composition)
                             ? result->starts
                             : edgefw__policy_rollouts(model, set->n, settings->starts);
  return (edgefw__result){
      .variant = model->composition->variant,
      .set = set->name,
      .n = set->size,
      .instances = result->instances,
      .select = edgefw__decoding_text(model->composition, set, settings, select),
      .logit_clip = settings->clip,
      .starts = starts,
      .augment = settings->augment,
      .model = fingerprint,
      .objective = result->objective,
      .plain_objective = result->plain_objective,
      .length = result->length,
      .reference = result->has_reference ? result->reference : none,
      .gap_percent = result->has_reference ? result->gap_percent : none,
      .mean_gap_percent = result->has_reference ? result->mean_gap_percent : none,
      .reference_kind = result->reference_kind,
      .seconds = result->seconds,
      .constructed = result->constructed,
      .construction_seconds = result->seconds - result->search_seconds,
      .search_seconds = result->search_seconds};
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
  edgefw__text_add(text, ", %s", edgefw__duration_text(row->seconds, duration, sizeof duration));
  if (row->search_seconds > 0.0) {
    edgefw__text_add(text, ", %s of them search",
                     edgefw__duration_text(row->search_seconds, duration, sizeof duration));
    add_cost(text, "constructed", row->instances, row->constructed);
  }
  edgefw__text_add(text, "\n");
}
