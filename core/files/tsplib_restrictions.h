/* What a TSPLIB file asks of a solution that no problem here can keep: refused, never ignored. */
#ifndef EDGEFW__TSPLIB_RESTRICTIONS_H
#define EDGEFW__TSPLIB_RESTRICTIONS_H

#include "files/tsplib_scan.h"

/* UNSUPPORTED, with keyword and line, for files that are no routing instance (TYPE HCP, SOP, TOUR)
 * and for route limits, times, pickups, fixed edges and their like, and any section that nobody
 * knows, unless they are empty (no content, 0, or -1 alone). A number of vehicles gives one warning
 * that it is not limited. `type` is the first word of TYPE, upper case. */
EDGEFW_NODISCARD edgefw_status
edgefw__tsplib_refuse_restrictions(const edgefw__tsplib_document *document, const char *type);

#endif
