/* A term whose table is not finite. */
#include <math.h>

#include <edgefw/edgefw.h>

static edgefw_status fill(edgefw_context *ctx, const edgefw_instance *instance,
                          const edgefw_options *options, double *out) {
  (void)ctx;
  (void)options;
  for (int64_t i = 0; i < instance->n; ++i) out[i] = i == 1 ? (double)NAN : 1.0;
  return EDGEFW_OK;
}

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  edgefw_term_node(builder,
                   edgefw_graph_host_table(edgefw_term_graph(builder), false, fill, options),
                   EDGEFW_CANDIDATE);
}

static const edgefw_term term = {.size = sizeof term, .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "broken", "1.0", "a term for tests", &term, NULL);
