/* Number by number: a x + b y, log(1 + x). */
#pragma once

#include "reference.h"

#include <math.h>

static edgefw_status weighted_sum(edgefw_device *device, const edgefw_weighted_sum_args *args) {
  (void)device;
  for (int64_t e = 0; e < args->count; ++e)
    set(args->out, e, args->a * get(args->x, e) + args->b * get(args->y, e));
  return EDGEFW_OK;
}

static edgefw_status log1p_table(edgefw_device *device, const edgefw_log1p_table_args *args) {
  (void)device;
  for (int64_t e = 0; e < args->count; ++e) set(args->out, e, log1p(get(args->x, e)));
  return EDGEFW_OK;
}
