/* What encoders of stacked attention blocks have in common. */
#include "encoder.h"

#include <stdio.h>

bool encoder_supports(const edgefw_options *options, char *why, size_t why_size) {
  const long long d = edgefw_options_int(options, "embedding_dim");
  const long long heads = edgefw_options_int(options, "heads");
  if (d % heads == 0) return true;
  snprintf(why, why_size, "embedding_dim = %lld is no multiple of heads = %lld", d, heads);
  return false;
}
