/* Writing solutions as text. */
#include "report/solution_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/csv.h"
#include "files/tour.h"
#include "files/vrp_solution.h"
#include "plugin/problem_shape.h"
#include "report/answers.h"

/* In the order of the enumeration. */
static const char *const names[] = {"tour", "sol", "json", "csv"};

const char *edgefw__solution_form_name(edgefw__solution_form form) {
  return names[form];
}

edgefw__solution_form edgefw__solution_form_of(const edgefw_problem *problem) {
  return problem->solution == EDGEFW_SOLUTION_ROUTES ? EDGEFW__SOLUTION_SOL : EDGEFW__SOLUTION_TOUR;
}

edgefw_status edgefw__solution_form_parse(edgefw_context *ctx, const char *name,
                                          const edgefw_problem *problem,
                                          edgefw__solution_form *out) {
  const edgefw__solution_form own = edgefw__solution_form_of(problem);
  size_t form = 0;
  while (form < sizeof names / sizeof *names && strcmp(names[form], name) != 0) ++form;
  *out = (edgefw__solution_form)form;
  if (*out == own || *out == EDGEFW__SOLUTION_JSON || *out == EDGEFW__SOLUTION_CSV)
    return EDGEFW_OK;
  if (form == sizeof names / sizeof *names)
    return edgefw_fail(ctx, EDGEFW_CONFIG, "--format '%s': expected tour, sol, json or csv", name);
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "--format %s: solutions of the model's problem are %s; expected %s, json or "
                     "csv",
                     name, own == EDGEFW__SOLUTION_SOL ? "routes" : "closed tours", names[own]);
}

void edgefw__solution_text_header(edgefw__solution_form form, edgefw__text *text) {
  if (form == EDGEFW__SOLUTION_CSV)
    edgefw__text_add(text, "set,instance,route,position,stop,name\n");
}

static void add_rows(const edgefw_problem *problem, const edgefw__instance_set *set,
                     const edgefw__eval_answer *answer, edgefw__text *text) {
  const edgefw__stops *stops = set->stops;
  const bool depot = edgefw__problem_has_depot(problem);
  int64_t route = !depot, position = 0;
  for (int64_t t = 0; t < answer->count; ++t) {
    const int64_t node = answer->tour[t];
    if (depot && node == 0) { /* a route begins */
      position = 0;
      continue;
    }
    route += depot && position == 0;
    const int64_t stop = stops ? edgefw__stops_of_node(stops, problem, node) : node;
    edgefw__csv_add(text, set->name);
    edgefw__text_add(text, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", answer->instance,
                     route, ++position, stop + (stops || !depot));
    if (stops && stops->names) edgefw__csv_add(text, stops->names[stop]);
    edgefw__text_add(text, "\n");
  }
}

static void add_tour(const edgefw__instance_set *set, const edgefw__eval_answer *answer,
                     edgefw__text *text) {
  edgefw__text name = {.ctx = text->ctx};
  edgefw__text_add(&name, "%s", set->name);
  if (set->dataset || set->count > 1) edgefw__text_add(&name, "-%" PRId64, answer->instance);
  edgefw__tour_add(text, edgefw__text_get(&name), answer->tour, answer->count, answer->cost);
  text->failed |= name.failed;
  edgefw__text_release(&name);
}

void edgefw__solution_text_add(const edgefw_problem *problem, const edgefw__instance_set *set,
                               const edgefw__eval_answer *answer, edgefw__solution_form form,
                               edgefw__text *text) {
  switch (form) {
  case EDGEFW__SOLUTION_TOUR: add_tour(set, answer, text); break;
  case EDGEFW__SOLUTION_SOL:
    edgefw__vrp_solution_add(text, answer->tour, answer->count, answer->cost);
    break;
  case EDGEFW__SOLUTION_JSON:
    edgefw__answers_add(problem, set, answer, EDGEFW__ANSWER_JSON, text);
    break;
  case EDGEFW__SOLUTION_CSV: add_rows(problem, set, answer, text); break;
  }
}
