/* Generated cost matrices. */
#include "matrix.h"

#include "edgefw/rng.h"

/* In the order of the option's choices. */
enum { TMAT, ROAD, MIXED };

edgefw_status generate_costs(edgefw_generator *generator, const edgefw_options *options,
                             edgefw_instance *out) {
  double *cost = edgefw_instance_field(out, "cost");
  int64_t distribution = edgefw_options_choice(options, "distribution");
  if (distribution == MIXED)
    distribution = edgefw_generator_word(generator, EDGEFW_STREAM_ROAD, 0) >> 31 ? ROAD : TMAT;
  return distribution == ROAD ? edgefw_generate_road(generator, out->n, cost)
                              : edgefw_generate_tmat(generator, out->n, cost);
}

bool takes_tmat(const edgefw_options *options) {
  return edgefw_options_choice(options, "distribution") == TMAT;
}
