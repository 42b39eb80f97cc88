/* A backbone with keys of every type. */
#include <edgefw/edgefw.h>

static const edgefw_option options[] = {
    {"width", EDGEFW_OPTION_INT, "16", NULL, "embedding width", 1, 1024},
    {"rate", EDGEFW_OPTION_REAL, "0.1", NULL, "a rate", 0, 1},
    {"norm", EDGEFW_OPTION_BOOL, "yes", NULL, "normalise", 0, 0},
    {"mode", EDGEFW_OPTION_CHOICE, "fast", "fast|slow", "a mode", 0, 0},
    {"label", EDGEFW_OPTION_TEXT, "", NULL, "a text", 0, 0},
    {"file", EDGEFW_OPTION_PATH, NULL, NULL, "a file", 0, 0},
    {"steps", EDGEFW_OPTION_INT_LIST, "1, 2", NULL, "steps", 0, 10},
    {0}};

static void encode(edgefw_graph *graph, const edgefw_options *options_, edgefw_encoding *out) {
  (void)options_;
  out->query = out->key =
      edgefw_graph_linear(graph, edgefw_graph_row_min(graph, edgefw_graph_field(graph, "cost")), 16,
                          EDGEFW_LINEAR_BIAS, "toy");
}

static const edgefw_backbone backbone = {.size = sizeof backbone, .encode = encode};

EDGEFW_PLUGIN_ALIASED(EDGEFW_KIND_BACKBONE, "plain", "simple", "1.0", "a backbone for tests",
                      &backbone, options);
