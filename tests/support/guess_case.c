/* See guess_case.h. */
#include "support/guess_case.h"

#include <stdio.h>

#include "support/io_support.h"
#include "support/test.h"

void guess_case_open(guess_case *c, const char *text, const char *const *sets, int set_count,
                     const char *renamed) {
  char path[128];
  c->arena = NULL;
  io_folder_create(c->folder, sizeof c->folder);
  snprintf(path, sizeof path, "%s/x.safetensors", c->folder);
  tiny_open(&c->tiny, text, "reference", 1, false);
  weights_list_of(c->tiny.model->parameters, &c->list);
  if (renamed) weights_list_at(&c->list, renamed)->name = "unknown";
  c->weights = weights_list_open(c->tiny.ctx, &c->list, path);
  tiny_ok(&c->tiny, edgefw_arena_create(c->tiny.ctx, &c->arena, "guess", 0, true));
  c->frame = (edgefw__guess_frame){.ctx = c->tiny.ctx,
                                   .arena = c->arena,
                                   .registry = c->tiny.registry,
                                   .engine = &c->tiny.engine,
                                   .weights = c->weights,
                                   .sets = sets,
                                   .set_count = set_count};
}

void guess_case_close(guess_case *c) {
  edgefw__weights_close(c->weights);
  edgefw_arena_destroy(c->arena);
  tiny_close(&c->tiny);
  io_folder_remove(c->folder);
}
