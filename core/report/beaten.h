/* References of a publication that cost more than those of the sets measured here: gaps to them say
 * little, and a reader has to know. */
#ifndef EDGEFW__BEATEN_H
#define EDGEFW__BEATEN_H

#include "report/report_published.h"
#include "report/report_table.h"

/* Append a sentence with figures for each generated set whose mean reference cost (optima or best
 * costs found, no bounds) is more than 1 % below that of the reported rows of the same problem and
 * size with a gap of 0; nothing where there is none. Less may be due to other instances. FORMAT for
 * a cell that is no number. */
EDGEFW_NODISCARD edgefw_status edgefw__beaten_references(const edgefw__report *report,
                                                         const edgefw__published *published,
                                                         edgefw__text *text);

#endif
