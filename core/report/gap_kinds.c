/* What the gaps of a report are to. */
#include "report/gap_kinds.h"

#include <math.h>

static const edgefw__result *row_with_gap(const edgefw__report *report,
                                          const edgefw__instance_set *set) {
  for (int v = 0; v < report->variant_count; ++v) {
    const edgefw__result *row =
        edgefw__results_find(report->results, report->variants[v], set->name);
    if (row && isfinite(row->gap_percent)) return row;
  }
  return NULL;
}

const char *edgefw__gap_axis(edgefw__reference_kind kind) {
  static const char *const axes[] = {[EDGEFW__REFERENCE_UNKNOWN] = "gap to the reference costs (%)",
                                     [EDGEFW__REFERENCE_OPTIMUM] = "gap (%)",
                                     [EDGEFW__REFERENCE_BEST_KNOWN] = "gap to best known (%)",
                                     [EDGEFW__REFERENCE_BOUND] = "gap to bound (%)"};
  return axes[kind];
}

edgefw__reference_kind edgefw__gap_kind_of(const edgefw__report *report,
                                           const edgefw__instance_set *set) {
  const edgefw__result *row = row_with_gap(report, set);
  return row ? row->reference_kind : EDGEFW__REFERENCE_UNKNOWN;
}

edgefw__gap_kinds edgefw__gap_kinds_of(const edgefw__report *report, edgefw__gap_sets which) {
  edgefw__gap_kinds all = {EDGEFW__REFERENCE_UNKNOWN, false};
  bool any = false;
  for (int s = 0; s < report->set_count; ++s) {
    const edgefw__instance_set *set = &report->sets[s];
    const edgefw__gap_sets of = set->file ? EDGEFW__GAP_SETS_FILES : EDGEFW__GAP_SETS_INSTANCES;
    if (!(which & of) || !row_with_gap(report, set)) continue;
    const edgefw__reference_kind kind = edgefw__gap_kind_of(report, set);
    all.mixed |= any && kind != all.kind;
    all.kind = kind;
    any = true;
  }
  if (all.mixed) all.kind = EDGEFW__REFERENCE_UNKNOWN;
  return all;
}
