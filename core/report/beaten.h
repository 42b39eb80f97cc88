/* References of a publication that cost more than those of the sets measured here: gaps to them say
 * little, and a reader has to know. */
#ifndef EDGEFW__BEATEN_H
#define EDGEFW__BEATEN_H

#include "report/report_published.h"
#include "report/report_table.h"

/* Append a sentence with figures for each generated set whose mean reference cost (optima or best
 * costs found, no bounds) is below that of the reported rows of the same problem and size with a
 * gap of 0, by more than 1 % and by more than 3 standard errors of the set's own mean: less may be
 * due to other instances. Nothing where there is none, for sets of a dataset or of fewer than 10
 * instances, and where [problem] has other keys than the publication's instances, or the file does
 * not say which these are. `arena` takes the tables of instances in the report's folder. FORMAT for
 * a cell that is no number. */
EDGEFW_NODISCARD edgefw_status edgefw__beaten_references(const edgefw__report *report,
                                                         const edgefw__published *published,
                                                         edgefw_arena *arena, edgefw__text *text);

#endif
