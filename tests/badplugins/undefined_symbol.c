/* Stage open: calls a function that nobody provides. */
#include <edgefw/edgefw.h>

extern void edgefw_test_nobody_provides_this(edgefw_term_builder *builder);

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_test_nobody_provides_this(builder);
}

static const edgefw_term term = {.size = sizeof term, .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "undefined_symbol", "1.0", "a fixture", &term, NULL);
