/* Loads: a backbone whose settings of mixed attention end before the norm, as those of an older
 * minor ABI might. Memory ends there, too. */
#define _XOPEN_SOURCE 700 /* for guarded.h */
#include <edgefw/edgefw.h>

#include "badplugins/guarded.h"

static void encode(edgefw_graph *graph, const edgefw_options *options, edgefw_encoding *out) {
  (void)options;
  const edgefw_mixed_attention whole = {.heads = 2, .hidden = 3};
  guarded memory;
  const edgefw_value cost = edgefw_graph_zscore(graph, edgefw_graph_field(graph, "cost"));
  const edgefw_value h = edgefw_graph_linear(graph, edgefw_graph_row_min(graph, cost), 4, 0, "h");
  const edgefw_value mixed = edgefw_graph_mixed_attention(
      graph, h, h, h, cost, guarded_copy(&memory, &whole, offsetof(edgefw_mixed_attention, norm)),
      "short");
  guarded_release(&memory);
  out->query = out->key = mixed;
}

static const edgefw_backbone backbone = {.size = sizeof backbone, .encode = encode};

EDGEFW_PLUGIN(EDGEFW_KIND_BACKBONE, "short_backbone", "1.0", "a fixture", &backbone, NULL);
