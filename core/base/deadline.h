/* A moment at which long work of a context is to stop, as if it were interrupted. */
#ifndef EDGEFW__DEADLINE_H
#define EDGEFW__DEADLINE_H

#include "edgefw/context.h"

/* From `at` on (as edgefw__seconds counts, base/clock.h) edgefw_interrupted says yes, and work ends
 * as INTERRUPTED with what it has; 0: no such moment. Whoever sets one removes it, and asks then
 * whether the interruption was somebody's wish. Not while work is in progress. */
void edgefw__set_deadline(edgefw_context *ctx, double at);

/* The moment that is set; 0: none. */
double edgefw__deadline(const edgefw_context *ctx);

#endif
