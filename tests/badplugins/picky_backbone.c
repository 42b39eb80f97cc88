/* A backbone that fits no problem. */
#include <edgefw/edgefw.h>
#include <stdio.h>

static bool supports(const edgefw_problem *problem, const edgefw_options *options, char *why,
                     size_t why_size) {
  (void)problem, (void)options;
  snprintf(why, why_size, "there is no depot");
  return false;
}

static void encode(edgefw_graph *graph, const edgefw_options *options, edgefw_encoding *out) {
  (void)options;
  out->query = out->key = edgefw_graph_row_min(graph, edgefw_graph_field(graph, "cost"));
}

static const edgefw_backbone backbone = {
    .size = sizeof backbone, .supports = supports, .encode = encode};

EDGEFW_PLUGIN(EDGEFW_KIND_BACKBONE, "lonely", "1.0", "fits nothing", &backbone, NULL);
