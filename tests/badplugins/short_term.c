/* Loads: a term whose settings of local attention end before `from_step`, as those of an older
 * minor ABI might. Memory ends there, too. */
#define _XOPEN_SOURCE 700 /* for guarded.h */
#include <edgefw/edgefw.h>

#include "badplugins/guarded.h"

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_graph *graph = edgefw_term_graph(builder);
  const edgefw_local_attention whole = {.near = 7};
  guarded memory;
  edgefw_term_local_attention(
      builder, edgefw_graph_input(graph, "cost", EDGEFW_INPUT_RAW, NULL),
      edgefw_graph_input(graph, "coords", EDGEFW_INPUT_RAW, NULL),
      guarded_copy(&memory, &whole, offsetof(edgefw_local_attention, from_step)), "short");
  guarded_release(&memory);
}

static const edgefw_term term = {.size = sizeof term, .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "short_term", "1.0", "a fixture", &term, NULL);
