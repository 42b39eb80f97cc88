/* What a run would trip over after hours of training is found before it begins. */
#ifndef EDGEFW__PREFLIGHT_H
#define EDGEFW__PREFLIGHT_H

#include "eval/evaluate.h"

/* Check what a variant reads: the checkpoint that it names fits its model; with `trains`, the
 * dataset that it trains on has its problem and a first instance that the problem accepts; the
 * files of its test sets can be opened, have the sizes and the reference costs that are asked for,
 * and hold a first instance that the problem accepts; there is memory to decode the sets. Fails as
 * training or evaluation would, with a note that names the set. */
EDGEFW_NODISCARD edgefw_status edgefw__preflight(const edgefw__engine *engine,
                                                 const edgefw__composition *composition,
                                                 const edgefw__instance_set *sets, int set_count,
                                                 bool trains);

#endif
