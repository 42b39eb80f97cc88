/* A number that tells states of a model apart. */
#ifndef EDGEFW__FINGERPRINT_H
#define EDGEFW__FINGERPRINT_H

#include "policy/model.h"

/* FNV-1a (64 bit) over names and values of all parameters; where heuristics construct, over their
 * names, versions and keys. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__fingerprint(const edgefw__model *model, uint64_t *out);

#endif
