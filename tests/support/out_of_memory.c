/* See out_of_memory.h. */
#include "support/test.h"

#include "support/out_of_memory.h"

#include <string.h>

#include "support/failing_allocator.h"

void out_of_memory_sweep(out_of_memory_task task, void *user) {
  for (int64_t n = 1;; ++n) { /* request 0 is the context's own */
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx = NULL;
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    const edgefw_status status = task(ctx, user);
    const bool failed = failing_allocator_failed(&memory);
    assert_int_equal(status, failed ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    assert_int_equal(edgefw_failure(ctx), status);
    if (failed) assert_non_null(strstr(edgefw_message(ctx), "memory"));
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
    if (!failed) break;
  }
}
