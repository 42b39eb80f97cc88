/* Whether runs belong together. */
#ifndef EDGEFW__JOINED_CHECK_H
#define EDGEFW__JOINED_CHECK_H

#include "report/run_record.h"

/* Are two runs the same experiment with different seeds? CONFIG says what differs, and
 * where, or that they are the same run. */
EDGEFW_NODISCARD edgefw_status edgefw__joined_check(edgefw_context *ctx,
                                                    const edgefw__run_record *a,
                                                    const edgefw__run_record *b);

#endif
