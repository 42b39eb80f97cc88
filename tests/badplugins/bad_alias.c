/* Stage member: an alias that is no name. */
#include <edgefw/edgefw.h>

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_term_state(builder, EDGEFW_STATE_PROGRESS);
}

static const edgefw_term term = {.size = sizeof term, .declare = declare};

EDGEFW_PLUGIN_ALIASED(EDGEFW_KIND_TERM, "bad_alias", "good, Not Good", "1.0", "a fixture", &term,
                      NULL);
