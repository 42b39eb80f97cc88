/* Writing the answers of instances. */
#include "report/answers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/units.h"
#include "plugin/problem_shape.h"

static int64_t count_routes(const edgefw__eval_answer *answer) {
  int64_t routes = 0;
  for (int64_t t = 0; t + 1 < answer->count; ++t)
    routes += answer->tour[t] == 0 && answer->tour[t + 1] != 0;
  return routes;
}

/* "from the policy", "from the start", but "from NAME". */
static bool is_plain_word(const char *origin) {
  return strcmp(origin, EDGEFW__ORIGIN_POLICY) == 0 || strcmp(origin, EDGEFW__ORIGIN_START) == 0;
}

static void add_plain(bool depot, const edgefw__instance_set *set,
                      const edgefw__eval_answer *answer, edgefw__text *text) {
  char number[32], duration[EDGEFW__UNIT_TEXT];
  const int64_t routes = count_routes(answer);
  edgefw__text_add(text, "%s", set->name);
  if (set->dataset || set->count > 1) edgefw__text_add(text, " %" PRId64, answer->instance);
  if (depot)
    edgefw__text_add(text,
                     ": %" PRId64 " customers (%" PRId64 " nodes), %" PRId64 " route%s, cost ",
                     set->size, set->n, routes, routes == 1 ? "" : "s");
  else
    edgefw__text_add(text, ": n = %" PRId64 ", cost ", set->n);
  edgefw__text_add(text, "%s", edgefw__number_text(answer->cost, number, sizeof number));
  if (isfinite(answer->length)) edgefw__text_add(text, " (unrounded %.2f)", answer->length);
  if (answer->forbidden_arcs > 0)
    edgefw__text_add(text, " with %" PRId64 " forbidden arc%s at %s each", answer->forbidden_arcs,
                     answer->forbidden_arcs == 1 ? "" : "s",
                     edgefw__number_text(answer->forbidden_price, number, sizeof number));
  if (isfinite(answer->reference))
    edgefw__text_add(text, ", reference %s",
                     edgefw__number_text(answer->reference, number, sizeof number));
  if (isfinite(answer->gap_percent))
    edgefw__text_add(text, ", %s %.2f %%", edgefw__reference_kind_gap(answer->reference_kind),
                     answer->gap_percent);
  edgefw__text_add(text, ", from %s%s", is_plain_word(answer->origin) ? "the " : "",
                   answer->origin);
  edgefw__text_add(text, ", %s\n",
                   edgefw__duration_text(answer->seconds, duration, sizeof duration));
}

static void add_member(edgefw__text *text, const char *name, double value) {
  edgefw__text_add(text, ", \"%s\": ", name);
  edgefw__json_number(text, value);
}

/* The stops of the tour by their names, or by their numbers from 1. */
static void add_stops(const edgefw_problem *problem, const edgefw__stops *stops,
                      const edgefw__eval_answer *answer, edgefw__text *text) {
  edgefw__text_add(text, ", \"stops\": [");
  for (int64_t t = 0; t < answer->count; ++t) {
    const int64_t stop = edgefw__stops_of_node(stops, problem, answer->tour[t]);
    if (t) edgefw__text_add(text, ", ");
    if (stops->names)
      edgefw__json_string(text, stops->names[stop]);
    else
      edgefw__text_add(text, "%" PRId64, stop + 1);
  }
  edgefw__text_add(text, "]");
}

static void add_json(const edgefw_problem *problem, const edgefw__instance_set *set,
                     const edgefw__eval_answer *answer, edgefw__text *text) {
  const int first = edgefw__problem_has_depot(problem) ? 0 : 1;
  edgefw__text_add(text, "{\"name\": ");
  edgefw__json_string(text, set->name);
  edgefw__text_add(text, ", \"file\": ");
  edgefw__json_string(text, set->file ? set->file : set->dataset);
  edgefw__text_add(text, ", \"instance\": %" PRId64 ", \"n\": %" PRId64, answer->instance, set->n);
  add_member(text, "cost", answer->cost);
  add_member(text, "length", answer->length);
  add_member(text, "reference", answer->reference);
  add_member(text, "gap_percent", answer->gap_percent);
  const char *kind = edgefw__reference_kind_name(answer->reference_kind);
  edgefw__text_add(text, ", \"reference_kind\": ");
  edgefw__json_string(text, *kind ? kind : NULL);
  add_member(text, "seconds", answer->seconds);
  edgefw__text_add(text, ", \"origin\": ");
  edgefw__json_string(text, answer->origin);
  if (answer->forbidden_arcs > 0)
    edgefw__text_add(text, ", \"forbidden_arcs\": %" PRId64, answer->forbidden_arcs);
  edgefw__text_add(text, ", \"tour\": [");
  for (int64_t t = 0; t < answer->count; ++t)
    edgefw__text_add(text, "%s%" PRId32, t ? ", " : "", answer->tour[t] + first);
  edgefw__text_add(text, "]");
  if (set->stops) add_stops(problem, set->stops, answer, text);
  edgefw__text_add(text, "}\n");
}

static void add_csv(const edgefw__instance_set *set, const edgefw__eval_answer *answer,
                    edgefw__text *text) {
  edgefw__csv_add(text, set->name);
  edgefw__text_add(text, ",%" PRId64 ",%" PRId64, answer->instance, set->n);
  edgefw__csv_add_number(text, answer->cost);
  edgefw__csv_add_number(text, answer->length);
  edgefw__csv_add_number(text, answer->reference);
  edgefw__csv_add_number(text, answer->gap_percent);
  edgefw__csv_add_number(text, answer->seconds);
  edgefw__text_add(text, ",%" PRId64 ",%s,", answer->forbidden_arcs,
                   edgefw__reference_kind_name(answer->reference_kind));
  edgefw__csv_add(text, answer->origin);
  edgefw__text_add(text, "\n");
}

void edgefw__answers_header(edgefw__answer_format format, edgefw__text *text) {
  if (format == EDGEFW__ANSWER_CSV)
    edgefw__text_add(text, "set,instance,n,cost,length,reference,gap_percent,seconds,"
                           "forbidden_arcs,reference_kind,origin\n");
}

void edgefw__answers_add(const edgefw_problem *problem, const edgefw__instance_set *set,
                         const edgefw__eval_answer *answer, edgefw__answer_format format,
                         edgefw__text *text) {
  const bool depot = edgefw__problem_has_depot(problem);
  switch (format) {
  case EDGEFW__ANSWER_PLAIN: add_plain(depot, set, answer, text); break;
  case EDGEFW__ANSWER_JSON: add_json(problem, set, answer, text); break;
  case EDGEFW__ANSWER_CSV: add_csv(set, answer, text); break;
  }
}
