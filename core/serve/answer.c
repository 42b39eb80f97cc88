/* Writing answers. */
#include "serve/answer.h"

#include <inttypes.h>

#include "base/json.h"

static void add_nodes(const int32_t *nodes, int64_t count, edgefw__text *text) {
  edgefw__text_add(text, "[");
  for (int64_t i = 0; i < count; ++i) edgefw__text_add(text, "%s%" PRId32, i ? "," : "", nodes[i]);
  edgefw__text_add(text, "]");
}

/* Customers of each route, without the depot that parts them. */
static void add_routes(const edgefw_solution *s, int32_t depot, edgefw__text *text) {
  const char *comma = "";
  edgefw__text_add(text, "[");
  for (int64_t begin = 1, end; begin < s->count; begin = end + 1) {
    for (end = begin; end < s->count && s->nodes[end] != depot;) ++end;
    edgefw__text_add(text, "%s", comma);
    add_nodes(s->nodes + begin, end - begin, text);
    comma = ",";
  }
  edgefw__text_add(text, "]");
}

void edgefw__answer_solution(const edgefw__request *request, const edgefw_model_info *model,
                             const edgefw_solutions *solutions, edgefw__text *text) {
  edgefw_solution s = {.size = sizeof s};
  if (edgefw_solutions_get(solutions, 0, &s) != EDGEFW_OK) return;
  edgefw__text_add(text, "{\"id\":%s,\"status\":\"OK\",\"problem\":", request->id);
  edgefw__json_string(text, model->problem);
  edgefw__text_add(text, ",\"cost\":");
  edgefw__json_number(text, s.cost);
  if (request->settings.bound) {
    edgefw__text_add(text, ",\"bound\":");
    edgefw__json_number(text, s.bound);
  }
  edgefw__text_add(text, model->demands ? ",\"routes\":" : ",\"tour\":");
  if (model->demands)
    add_routes(&s, (int32_t)request->instances.depot, text);
  else
    add_nodes(s.nodes, s.count, text);
  edgefw__text_add(text, ",\"maker\":");
  edgefw__json_string(text, s.maker);
  edgefw__text_add(text, ",\"stopped\":%s,\"seconds\":%.6f}\n",
                   edgefw_solutions_stopped(solutions) ? "true" : "false",
                   edgefw_solutions_seconds(solutions));
}

void edgefw__answer_failure(const char *id, int64_t number, edgefw_status status,
                            const char *message, edgefw__text *text) {
  edgefw__text_add(text, "{\"id\":%s,\"status\":\"%s\",\"line\":%" PRId64 ",\"message\":", id,
                   edgefw_status_name(status), number);
  edgefw__json_string(text, message);
  edgefw__text_add(text, "}\n");
}
