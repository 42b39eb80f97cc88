/* What the gaps of a report are to: optima, best known costs, bounds, or some of each. */
#ifndef EDGEFW__GAP_KINDS_H
#define EDGEFW__GAP_KINDS_H

#include "report/report_table.h"

/* The sets that are looked at. */
typedef enum edgefw__gap_sets {
  EDGEFW__GAP_SETS_INSTANCES = 1, /* generated sets and datasets */
  EDGEFW__GAP_SETS_FILES = 2,     /* library files */
  EDGEFW__GAP_SETS_ALL = 3
} edgefw__gap_sets;

typedef struct edgefw__gap_kinds {
  edgefw__reference_kind kind; /* of all; UNKNOWN where there is no gap, or no row says */
  bool mixed;                  /* they differ: then `kind` is UNKNOWN */
} edgefw__gap_kinds;

/* What an axis of such gaps is called. */
const char *edgefw__gap_axis(edgefw__reference_kind kind);

/* What the gaps of one set are to, as its first row with a gap says; UNKNOWN without any. */
edgefw__reference_kind edgefw__gap_kind_of(const edgefw__report *report,
                                           const edgefw__instance_set *set);

/* The same of all those sets that have gaps. */
edgefw__gap_kinds edgefw__gap_kinds_of(const edgefw__report *report, edgefw__gap_sets which);

#endif
