/* What training begins with where [train] init or init_from says so. */
#ifndef EDGEFW__INITIALISE_H
#define EDGEFW__INITIALISE_H

#include "train/snapshot.h"

/* Begin with the parameters that the checkpoint `path` has ("" for none): they are taken by name
 * (policy/model_init.h), and what they were is kept as progress->init_digest. A training that goes
 * on from a state of its own (`resumed`) does not need the file: it is only looked at, and a
 * warning says if it holds other parameters than those that training began with. */
EDGEFW_NODISCARD edgefw_status edgefw__initialise(edgefw__model *model, const char *path,
                                                  bool resumed, edgefw__progress *progress);

#endif
