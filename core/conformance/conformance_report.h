/* What the parts of the conformance suite share: a way to tell, and the parts to compose with. */
#ifndef EDGEFW__CONFORMANCE_REPORT_H
#define EDGEFW__CONFORMANCE_REPORT_H

#include "config/compose.h"
#include "conformance/conformance.h"

/* The device that everything is measured against. */
#define EDGEFW__CONFORMANCE_ORACLE "reference64"

typedef struct edgefw__conformance_report {
  edgefw_context *ctx;
  edgefw_arena *arena; /* growable */
  const edgefw__registry *registry;
  const edgefw__plugin *plugin; /* under test */
  edgefw__conformance_sink sink;
  void *user;
  int failures;
} edgefw__conformance_report;

/* Tell the outcome of a check; returns `passed`. */
bool edgefw__conformance_tell(edgefw__conformance_report *report, bool passed, const char *format,
                              ...) EDGEFW_PRINTF(3, 4);

/* The same of a call: passed if it was OK; otherwise the recorded message follows `what`, and is
 * forgotten. */
bool edgefw__conformance_call(edgefw__conformance_report *report, edgefw_status status,
                              const char *what);

/* A composition with default options of the plugin under test and the first problem and backbone
 * that fit it; tells what they are, or why there are none. A device gets all terms that fit. */
bool edgefw__conformance_compose(edgefw__conformance_report *report, edgefw__composition *out);

/* Checks of a problem by itself: generator, accept, checker. */
void edgefw__conformance_problem(edgefw__conformance_report *report,
                                 const edgefw__composition *composition);

/* Checks of a heuristic with these options, on every registered problem that it fits. */
void edgefw__conformance_heuristic(edgefw__conformance_report *report,
                                   const edgefw_options *options);

#endif
