/* How large costs may be. */
#ifndef EDGEFW_COST_H
#define EDGEFW_COST_H

/* Largest cost: networks calculate with 32-bit numbers, which end at 3e38, and add some of them up.
 */
#define EDGEFW_MAX_COST 1e30

#endif
