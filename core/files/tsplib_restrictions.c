/* What a TSPLIB file asks of a solution that no problem here can keep. */
#include "files/tsplib_restrictions.h"

#include <inttypes.h>
#include <string.h>

#include "base/text_file.h"

typedef struct restriction {
  edgefw__tsplib_keyword keyword;
  const char *meaning;
} restriction;

static const restriction restrictions[] = {
    {EDGEFW__TSPLIB_DISTANCE, "a limit to the length of a route"},
    {EDGEFW__TSPLIB_SERVICE_TIME, "times of service"},
    {EDGEFW__TSPLIB_SERVICE_TIME_SECTION, "times of service"},
    {EDGEFW__TSPLIB_TIME_WINDOW_SECTION, "time windows"},
    {EDGEFW__TSPLIB_PICKUP_AND_DELIVERY_SECTION, "pickups and deliveries"},
    {EDGEFW__TSPLIB_BACKHAUL_SECTION, "backhauls"},
    {EDGEFW__TSPLIB_DRAFT_LIMIT_SECTION, "draft limits"},
    {EDGEFW__TSPLIB_CAPACITY_VOL, "a second capacity"},
    {EDGEFW__TSPLIB_FIXED_EDGES_SECTION, "edges that each tour must use"},
    {EDGEFW__TSPLIB_EDGE_DATA_SECTION, "a graph that lacks edges"},
    {EDGEFW__TSPLIB_REQUIRED_NODES_SECTION, "nodes that need no visit"},
    {EDGEFW__TSPLIB_CTSP_SET_SECTION, "nodes bound to a salesman"},
    {EDGEFW__TSPLIB_GVRP_SET_SECTION, "sets of nodes"},
};

/* Does a keyword restrict nothing? -1 ends an empty list, 0 is no limit and no time. */
static bool is_empty(edgefw__tsplib_span span) {
  edgefw__tsplib_word word;
  while (edgefw__tsplib_next_word(&span, &word)) {
    double value = 1.0;
    if (strcmp(word.text, "-1") == 0) continue;
    if (!edgefw__parse_number(word.text, &value) || value != 0.0) return false;
  }
  return true;
}

static void warn_of_vehicles(const edgefw__tsplib_document *document) {
  static const edgefw__tsplib_keyword fleets[] = {EDGEFW__TSPLIB_VEHICLES, EDGEFW__TSPLIB_SALESMEN};
  for (size_t f = 0; f < sizeof fleets / sizeof *fleets; ++f) {
    const edgefw__tsplib_span *span = &document->spans[fleets[f]];
    if (!span->begin) continue;
    edgefw_log(document->ctx, EDGEFW_LOG_WARNING,
               "'%s' line %" PRId64 ": %s is passed over: the number of vehicles is not limited",
               document->path, span->line, edgefw__tsplib_keyword_name(fleets[f]));
    return;
  }
}

edgefw_status edgefw__tsplib_refuse_restrictions(const edgefw__tsplib_document *document,
                                                 const char *type) {
  static const char *const other_types[] = {"HCP", "SOP", "TOUR"};
  for (size_t t = 0; t < sizeof other_types / sizeof *other_types; ++t) {
    if (strcmp(type, other_types[t]) != 0) continue;
    return edgefw_fail(document->ctx, EDGEFW_UNSUPPORTED,
                       "'%s' line %" PRId64
                       ": TYPE is %s, expected an instance such as TSP, ATSP, CVRP or ACVRP",
                       document->path, document->spans[EDGEFW__TSPLIB_TYPE].line, type);
  }
  for (size_t r = 0; r < sizeof restrictions / sizeof *restrictions; ++r) {
    const edgefw__tsplib_span *span = &document->spans[restrictions[r].keyword];
    if (is_empty(*span)) continue;
    return edgefw_fail(document->ctx, EDGEFW_UNSUPPORTED,
                       "'%s' line %" PRId64 ": %s (%s) is not supported; without it the file would "
                       "be another problem",
                       document->path, span->line,
                       edgefw__tsplib_keyword_name(restrictions[r].keyword),
                       restrictions[r].meaning);
  }
  warn_of_vehicles(document);
  return EDGEFW_OK;
}
