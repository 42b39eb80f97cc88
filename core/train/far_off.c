/* Judging an epoch's figures. */
#include "train/far_off.h"

#include <math.h>
#include <stddef.h>

#define LARGE_LOSS     1e4
#define LARGE_GRADIENT 1e6
#define NO_GRADIENT    1e-9

const char *edgefw__far_off(const edgefw__epoch_figures *figures) {
  const double scale = fabs(figures->score), unit = scale > 1.0 ? scale : 1.0;
  if (fabs(figures->loss) > LARGE_LOSS * unit) return "the loss is absurdly large";
  if (figures->gradient > LARGE_GRADIENT * unit) return "the gradient is absurdly large";
  if (figures->loss != 0.0 && figures->gradient < NO_GRADIENT * scale)
    return "the gradient has vanished, so that nothing is learned any more";
  return NULL;
}
