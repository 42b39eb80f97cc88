/* The fixture of most tests of the core. */
#include "support/workspace.h"
#include "support/test.h"

#include <stdlib.h>

#include "support/expect.h"

int workspace_set_up(void **state) {
  workspace *w = calloc(1, sizeof *w);
  assert_non_null(w);
  assert_int_equal(edgefw_context_create(&w->ctx, NULL), EDGEFW_OK);
  expect_ok(w->ctx, edgefw_arena_create(w->ctx, &w->arena, "test", 1 << 12, true));
  sandbox_create(&w->box);
  *state = w;
  return 0;
}

int workspace_tear_down(void **state) {
  workspace *w = *state;
  sandbox_remove(&w->box);
  edgefw_arena_destroy(w->arena);
  edgefw_context_destroy(w->ctx);
  free(w);
  return 0;
}
