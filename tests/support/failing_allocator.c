/* Implementation of the failing allocator. Sanitizers see every block, since each is its own
 * aligned_alloc. */
#include "support/failing_allocator.h"

#include <stdlib.h>

enum { ALIGNMENT = 64 };

static void *counted_allocate(void *user, size_t bytes) {
  failing_allocator *state = user;
  const int64_t number = atomic_fetch_add(&state->requests, 1);
  if (number >= atomic_load(&state->fail_at) || bytes > SIZE_MAX - ALIGNMENT) {
    atomic_fetch_add(&state->failures, 1);
    return NULL;
  }
  const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *memory = aligned_alloc(ALIGNMENT, rounded > 0 ? rounded : ALIGNMENT);
  if (memory) atomic_fetch_add(&state->live, 1);
  return memory;
}

static void counted_release(void *user, void *memory) {
  failing_allocator *state = user;
  if (!memory) return;
  atomic_fetch_sub(&state->live, 1);
  free(memory);
}

edgefw_allocator failing_allocator_begin(failing_allocator *state, int64_t fail_at) {
  atomic_init(&state->fail_at, fail_at);
  atomic_init(&state->requests, 0);
  atomic_init(&state->live, 0);
  atomic_init(&state->failures, 0);
  return (edgefw_allocator){counted_allocate, counted_release, state};
}

void failing_allocator_arm(failing_allocator *state, int64_t further) {
  atomic_store(&state->fail_at, atomic_load(&state->requests) + further);
}

void failing_allocator_disarm(failing_allocator *state) {
  atomic_store(&state->fail_at, FAILING_ALLOCATOR_NEVER);
}

int64_t failing_allocator_requests(const failing_allocator *state) {
  return atomic_load(&state->requests);
}

int64_t failing_allocator_live(const failing_allocator *state) {
  return atomic_load(&state->live);
}

bool failing_allocator_failed(const failing_allocator *state) {
  return atomic_load(&state->failures) > 0;
}
