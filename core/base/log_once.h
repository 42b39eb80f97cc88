/* Log lines that are worth being told once: what is read again and again says the same each time.
 */
#ifndef EDGEFW__LOG_ONCE_H
#define EDGEFW__LOG_ONCE_H

#include "edgefw/context.h"

/* As edgefw_log, unless the sink has had this very line by this function before. Of very many lines
 * the first ones are forgotten and may come again; a new sink has had none. */
void edgefw__log_once(edgefw_context *ctx, edgefw_log_level level, const char *format, ...)
    EDGEFW_PRINTF(3, 4);

#endif
