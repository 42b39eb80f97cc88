/* How much memory this process has taken at most. */
#ifndef EDGEFW__HIGH_WATER_H
#define EDGEFW__HIGH_WATER_H

#include <stddef.h>

/* Start over, where the system can (Linux); elsewhere the mark stays that of the whole run. */
void edgefw__high_water_reset(void);

/* Most bytes in physical memory since then. */
size_t edgefw__high_water(void);

#endif
