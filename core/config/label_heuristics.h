/* The heuristics that make labels of imitation. */
#ifndef EDGEFW__LABEL_HEURISTICS_H
#define EDGEFW__LABEL_HEURISTICS_H

#include "config/compose.h"
#include "config/ini.h"

/* Where the variant `out`, of which problem and [train] are known, trains on labels of a search,
 * fill out->label_heuristics with those that [train] label_heuristics names. If it names none, all
 * that fit the problem are named there from now on: the resolved configuration says which they
 * were, and a resumed training has the same ones. CONFIG if none fits, PLUGIN_FIND for a name that
 * is not known. From a checkpoint's text (`stored`) those that are not installed are left out:
 * evaluation needs none of them. */
EDGEFW_NODISCARD edgefw_status edgefw__label_heuristics_find(edgefw_context *ctx,
                                                             const edgefw__registry *registry,
                                                             const edgefw__ini *ini,
                                                             const edgefw__config *config,
                                                             bool stored, edgefw__composition *out);

#endif
