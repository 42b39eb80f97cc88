/* Stage clash, beside twin_a: its alias is that one's name. */
#include <edgefw/edgefw.h>

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_term_state(builder, EDGEFW_STATE_PROGRESS);
}

static const edgefw_term term = {.size = sizeof term, .declare = declare};

EDGEFW_PLUGIN_ALIASED(EDGEFW_KIND_TERM, "alias_clash", "twin", "1.0", "a fixture", &term, NULL);
