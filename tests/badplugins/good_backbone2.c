/* A second backbone, whose keys differ. */
#include <edgefw/edgefw.h>

static const edgefw_option options[] = {
    {"depth", EDGEFW_OPTION_INT, "2", NULL, "number of layers", 1, 16}, {0}};

static void encode(edgefw_graph *graph, const edgefw_options *options_, edgefw_encoding *out) {
  (void)options_;
  out->query = out->key = edgefw_graph_row_min(graph, edgefw_graph_field(graph, "cost"));
}

static const edgefw_backbone backbone = {.size = sizeof backbone, .encode = encode};

EDGEFW_PLUGIN(EDGEFW_KIND_BACKBONE, "deep", "1.0", "another backbone", &backbone, options);
