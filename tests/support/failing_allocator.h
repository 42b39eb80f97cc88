/* An allocator that fails on request and counts what is alive, for out-of-memory sweeps:
 *
 *   for (int64_t n = 0;; ++n) {
 *     failing_allocator memory;
 *     edgefw_allocator allocator = failing_allocator_begin(&memory, n);
 *     ... create a context with &allocator, do the work, destroy everything ...
 *     assert_int_equal(failing_allocator_live(&memory), 0);
 *     if (!failing_allocator_failed(&memory)) break;   // n requests were enough: it succeeded
 *   }
 */
#ifndef EDGEFW_TESTS_FAILING_ALLOCATOR_H
#define EDGEFW_TESTS_FAILING_ALLOCATOR_H

#include "edgefw/context.h"

#include <stdatomic.h>

/* fail_at value of an allocator that only counts. */
#define FAILING_ALLOCATOR_NEVER INT64_MAX

typedef struct failing_allocator {
  _Atomic int64_t fail_at;  /* number, from 0, of the request that fails; so do all after it */
  _Atomic int64_t requests; /* so far */
  _Atomic int64_t live;     /* blocks not yet released */
  _Atomic int64_t failures; /* requests refused */
} failing_allocator;

/* Reset `state` so that request `fail_at` (from 0) and all later ones fail, and give the allocator
 * for edgefw_context_create. `state` must outlive the context. */
edgefw_allocator failing_allocator_begin(failing_allocator *state, int64_t fail_at);

/* Let the request that is `further` requests from now (0: the next one), and all after it, fail. */
void failing_allocator_arm(failing_allocator *state, int64_t further);

/* Stop failing. */
void failing_allocator_disarm(failing_allocator *state);

/* Requests so far, blocks alive, and whether any request was refused. */
int64_t failing_allocator_requests(const failing_allocator *state);
int64_t failing_allocator_live(const failing_allocator *state);
bool failing_allocator_failed(const failing_allocator *state);

#endif
