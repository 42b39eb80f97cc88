/* A term with one key. */
#include <edgefw/edgefw.h>

static const edgefw_option options[] = {
    {"mode", EDGEFW_OPTION_CHOICE, "static", "static|moving", "what it looks at", 0, 0}, {0}};

static void declare(edgefw_term_builder *builder, const edgefw_options *options_) {
  (void)options_;
  edgefw_term_state(builder, EDGEFW_STATE_PROGRESS);
}

static const edgefw_term term = {.size = sizeof term, .declare = declare};

EDGEFW_PLUGIN_ALIASED(EDGEFW_KIND_TERM, "progress", "share_visited", "1.0", "a term for tests",
                      &term, options);
