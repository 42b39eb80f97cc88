/* What a test of the core stands on: a context, an arena that grows, and a folder for files. */
#ifndef EDGEFW_TESTS_SUPPORT_WORKSPACE_H
#define EDGEFW_TESTS_SUPPORT_WORKSPACE_H

#include "edgefw/arena.h"
#include "support/sandbox.h"

typedef struct workspace {
  edgefw_context *ctx;
  edgefw_arena *arena;
  sandbox box;
} workspace;

/* CMocka's set-up and tear-down; the state is a workspace. */
int workspace_set_up(void **state);
int workspace_tear_down(void **state);

#endif
