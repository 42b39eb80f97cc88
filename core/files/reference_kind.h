/* What reference costs are, and so what a gap to them says. */
#ifndef EDGEFW__REFERENCE_KIND_H
#define EDGEFW__REFERENCE_KIND_H

#include "edgefw/context.h"

/* The numbers are not stored; the words are. */
typedef enum edgefw__reference_kind {
  EDGEFW__REFERENCE_UNKNOWN = 0, /* there is none, or nothing says which */
  EDGEFW__REFERENCE_OPTIMUM,     /* a solution costs that, and none costs less */
  EDGEFW__REFERENCE_BEST_KNOWN,  /* a solution costs that; another one may cost less */
  EDGEFW__REFERENCE_BOUND        /* no solution costs less; perhaps none costs as little */
} edgefw__reference_kind;

/* How files of reference costs say it: "exact", "best found", "lower bound"; "" for UNKNOWN. */
const char *edgefw__reference_kind_remark(edgefw__reference_kind kind);

/* The kind that such a remark begins with. "optimum", "optimal" and "bound" are understood, too; a
 * text that says neither is of costs that somebody found, UNKNOWN if it is empty. */
edgefw__reference_kind edgefw__reference_kind_of_remark(const char *remark);

/* How results say it: "optimum", "best known", "bound"; "" for UNKNOWN. */
const char *edgefw__reference_kind_name(edgefw__reference_kind kind);

/* The kind of that name; false if it is none of them. */
bool edgefw__reference_kind_parse(const char *name, edgefw__reference_kind *out);

/* What a gap to such references is called: "gap" (to optima, and where nobody knows), "gap to best
 * known", "gap to bound". */
const char *edgefw__reference_kind_gap(edgefw__reference_kind kind);

#endif
