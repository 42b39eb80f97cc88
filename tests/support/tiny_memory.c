/* See tiny_memory.h. */
#include "support/tiny_memory.h"

#include "support/failing_allocator.h"
#include "support/test.h"

/* Returns whether the task had memory enough. */
static bool attempt(const char *text, int64_t allowed, tiny_memory_task task, void *user) {
  failing_allocator memory;
  tiny_model tiny;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  tiny_begin(&tiny, &allocator, text, "reference");
  tiny_ok(&tiny, edgefw__model_create(&tiny.engine, tiny.composition, 1, false, &tiny.model));
  failing_allocator_arm(&memory, allowed);
  const edgefw_status status = task(&tiny, user);
  failing_allocator_disarm(&memory);
  const bool failed = failing_allocator_failed(&memory);
  if (failed)
    tiny_fails(&tiny, status, EDGEFW_OUT_OF_MEMORY, "out of memory");
  else
    tiny_ok(&tiny, status);
  tiny_close(&tiny);
  assert_int_equal(failing_allocator_live(&memory), 0);
  return !failed;
}

void tiny_memory_sweep(const char *text, int64_t least, tiny_memory_task task, void *user) {
  int64_t allowed = 0;
  while (!attempt(text, allowed, task, user)) ++allowed;
  assert_true(allowed > least);
}
