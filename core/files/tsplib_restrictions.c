/* What a TSPLIB file asks of a solution that no problem here can keep. */
#include "files/tsplib_restrictions.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/log_once.h"

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

/* What keywords that the scanner does not know ask for, by how their names begin. They come from
 * PyVRP, LKH-3 and their like; the first row that fits counts. */
static const struct foreign {
  const char *prefix;
  const char *meaning;
  const char *harmless; /* a value that changes nothing, beside 0; NULL: there is none */
} foreign[] = {
    {"VEHICLES_MAX_", "a limit to the routes of the fleet", NULL},
    {"VEHICLES_FIXED_COST", "costs of vehicles", NULL},
    {"VEHICLES_UNIT_DISTANCE_COST", "costs of vehicles", "1"},
    {"VEHICLES_UNIT_DURATION_COST", "costs of vehicles", NULL},
    {"VEHICLES_", "vehicles that differ", NULL},
    {"CAPACITY_", "several capacities", NULL},
    {"DEMAND_DIMENSION", "several demands of a customer", "1"},
    {"PRIZE", "prizes of customers that need no visit", NULL},
    {"RELEASE_TIME", "times of release", NULL},
    {"TIME_WINDOW", "time windows", NULL},
    {"DURATION", "a limit to the duration of a route", NULL},
    {"MAX_DURATION", "a limit to the duration of a route", NULL},
    {"MAX_DISTANCE", "a limit to the length of a route", NULL},
    {"DISTANCE_", "a limit to the length of a route", NULL},
    {"ROUTE_", "a limit to the routes", NULL},
    {"MUTUALLY_EXCLUSIVE_GROUP", "groups of which one customer is visited", NULL},
    {"LINEHAUL", "linehauls and backhauls", NULL},
    {"BACKHAUL", "linehauls and backhauls", NULL},
    {"PICKUP", "pickups", NULL},
    {"GTSP_SET", "sets of nodes", NULL},
    {"GVRP_SET", "sets of nodes", NULL},
    {"CTSP_SET", "nodes bound to a salesman", NULL},
    {"MTSP_", "limits to the tours of several salesmen", NULL},
    {"RISK_THRESHOLD", "a limit to the risk of a route", NULL},
    {"SCALE", "a factor of the costs", "1"},
};

static bool ends_in(const char *name, const char *ending) {
  const size_t length = strlen(name), tail = strlen(ending);
  return length >= tail && strcasecmp(name + length - tail, ending) == 0;
}

/* Is the value nothing but `text`? */
static bool says(edgefw__tsplib_span span, const char *text) {
  edgefw__tsplib_word word;
  return edgefw__tsplib_count_words(span) == 1 && edgefw__tsplib_next_word(&span, &word) &&
         strcmp(word.text, text) == 0;
}

/* What an unknown keyword may change; NULL if nothing. A section says something of the nodes or the
 * fleet, so each that nobody knows may. */
static const char *meaning_of(const edgefw__tsplib_unknown *unknown) {
  if (edgefw__tsplib_is_empty(unknown->span)) return NULL;
  for (size_t f = 0; f < sizeof foreign / sizeof *foreign; ++f) {
    if (strncasecmp(unknown->name, foreign[f].prefix, strlen(foreign[f].prefix)) != 0) continue;
    if (foreign[f].harmless && says(unknown->span, foreign[f].harmless)) return NULL;
    return foreign[f].meaning;
  }
  const bool section = ends_in(unknown->name, "_SECTION") || ends_in(unknown->name, "-SECTION");
  return section ? "an unknown section" : NULL;
}

static edgefw_status refuse(const edgefw__tsplib_document *document, int64_t line, const char *name,
                            const char *meaning) {
  return edgefw_fail(document->ctx, EDGEFW_UNSUPPORTED,
                     "'%s' line %" PRId64 ": %s (%s) is not supported; without it the file would "
                     "be another problem",
                     document->path, line, name, meaning);
}

static void warn_of_vehicles(const edgefw__tsplib_document *document) {
  static const edgefw__tsplib_keyword fleets[] = {EDGEFW__TSPLIB_VEHICLES, EDGEFW__TSPLIB_SALESMEN};
  for (size_t f = 0; f < sizeof fleets / sizeof *fleets; ++f) {
    const edgefw__tsplib_span *span = &document->spans[fleets[f]];
    if (!span->begin) continue;
    edgefw__log_once(document->ctx, EDGEFW_LOG_WARNING,
                     "'%s' line %" PRId64
                     ": %s is passed over: the number of vehicles is not limited",
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
    if (edgefw__tsplib_is_empty(*span)) continue;
    return refuse(document, span->line, edgefw__tsplib_keyword_name(restrictions[r].keyword),
                  restrictions[r].meaning);
  }
  for (int u = 0; u < document->unknown_count; ++u) {
    const edgefw__tsplib_unknown *unknown = &document->unknown[u];
    const char *meaning = meaning_of(unknown);
    if (meaning) return refuse(document, unknown->span.line, unknown->name, meaning);
  }
  warn_of_vehicles(document);
  return EDGEFW_OK;
}
