/* A term that fits no problem. */
#include <edgefw/edgefw.h>
#include <stdio.h>

static bool supports(const edgefw_problem *problem, const edgefw_options *options, char *why,
                     size_t why_size) {
  (void)problem, (void)options;
  snprintf(why, why_size, "there are no coordinates");
  return false;
}

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_term_state(builder, EDGEFW_STATE_PROGRESS);
}

static const edgefw_term term = {.size = sizeof term, .supports = supports, .declare = declare};

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "picky", "1.0", "fits nothing", &term, NULL);
