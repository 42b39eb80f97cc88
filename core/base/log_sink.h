/* Where a context's log lines go, for whoever puts another sink in front for a while. */
#ifndef EDGEFW__LOG_SINK_H
#define EDGEFW__LOG_SINK_H

#include "edgefw/context.h"

/* What edgefw_set_log has set last. */
void edgefw__log_sink_of(edgefw_context *ctx, edgefw_log_sink *sink, void **user);

#endif
