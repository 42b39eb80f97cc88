/* Which tensor of another program's file is which parameter of a model. */
#ifndef EDGEFW__WEIGHTS_FIT_H
#define EDGEFW__WEIGHTS_FIT_H

#include "base/text.h"
#include "files/weights.h"
#include "nn/parameters.h"

typedef enum edgefw__weight_use {
  EDGEFW__WEIGHT_LEFT_OVER = 0, /* no parameter has its name */
  EDGEFW__WEIGHT_TAKEN,
  EDGEFW__WEIGHT_MISSHAPED, /* its parameter has another shape */
  EDGEFW__WEIGHT_FOREIGN    /* nothing uses it, though published models have it; or whole numbers */
} edgefw__weight_use;

typedef struct edgefw__weights_fit {
  int *tensor;             /* of each parameter: its tensor in the file; -1: missing */
  edgefw__weight_use *use; /* of each tensor of the file */
  int missing, misshaped, left_over, foreign;
} edgefw__weights_fit;

/* Find the tensor of each parameter by its name, or by the one it had in older versions. Lives in
 * `arena`. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__weights_fit_find(const edgefw__weights *weights,
                                                        const edgefw__parameters *parameters,
                                                        edgefw_arena *arena,
                                                        edgefw__weights_fit *out);

/* Has every parameter its tensor, and every tensor its use? */
bool edgefw__weights_fit_is_whole(const edgefw__weights_fit *fit);

/* Write every tensor that is missing, of another shape, or left over: a line for each, with the
 * name among those left over that is nearest to a missing one. Nothing if the fit is whole. */
void edgefw__weights_fit_tell(const edgefw__weights_fit *fit, const edgefw__weights *weights,
                              const edgefw__parameters *parameters, edgefw__text *text);

#endif
