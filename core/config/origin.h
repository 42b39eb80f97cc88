/* Was a checkpoint written by this configuration? It keeps the resolved text of the one that wrote
 * it. */
#ifndef EDGEFW__ORIGIN_H
#define EDGEFW__ORIGIN_H

#include "config/compose.h"

/* MISMATCH, with the first key that differs and both values, unless training would have come to the
 * same state with both: equal seed, problem, backbone, decoder with the terms' keys, and training.
 * Keys that the text lacks (an older program did not know them) count as their defaults. [train]
 * epochs, patience and checkpoint_every may differ: no state depends on how long training goes on
 * and when it is saved; data may lie elsewhere, for its fingerprint is compared (train/feed.h).
 * Plugins' names are not compared, since checkpoints know them better (policy/model_file.h). `path`
 * names the checkpoint in messages; CONFIG if its text is no configuration, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__origin_check(edgefw_context *ctx, edgefw_arena *scratch,
                                                    const edgefw__composition *composition,
                                                    const char *text, const char *path);

#endif
