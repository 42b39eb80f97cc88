/* Stage member: a default out of its own bounds. */
#include <edgefw/edgefw.h>

static const edgefw_option options[] = {{"size", EDGEFW_OPTION_INT, "11", NULL, "a key", 1, 10},
                                        {0}};

static void declare(edgefw_term_builder *builder, const edgefw_options *options_) {
  (void)options_;
  edgefw_term_state(builder, EDGEFW_STATE_PROGRESS);
}

static const edgefw_term term = {.size = sizeof term, .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "bad_default", "1.0", "a fixture", &term, options);
