/* Variants that evaluate what another variant of the same run trains, or begin with it. */
#ifndef EDGEFW__TRAINER_H
#define EDGEFW__TRAINER_H

#include "config/compose.h"

/* Look up the variant that the key `trained` of [variant NAME] (`own`) names among those before
 * variants[index], and take it as variants[index].trainer, with its checkpoint if it has one. An
 * empty key leaves everything as it is. CONFIG: no such variant, one that trains nothing itself, a
 * checkpoint beside it, one that differs in anything that training depends on, or a variant that
 * constructs beside any of them. */
EDGEFW_NODISCARD edgefw_status edgefw__trainer_find(edgefw_context *ctx,
                                                    edgefw__composition *variants, int index,
                                                    const edgefw_options *own);

/* Look up the variant that [train] init_from of variants[index] names among those before it, and
 * take it as variants[index].initial: the one that trains, where it shares another's training. An
 * empty key leaves everything as it is, and so does one of a variant that trains nothing. CONFIG:
 * no such variant (none is needed in the text that a checkpoint keeps, `stored`), one of
 * heuristics, or `init` beside it. */
EDGEFW_NODISCARD edgefw_status edgefw__initial_find(edgefw_context *ctx,
                                                    edgefw__composition *variants, int index,
                                                    bool stored);

/* Do the solutions of two variants of a configuration begin with the same tours, whatever search
 * makes of them: those of one training, or of the same heuristics from as many starts? */
bool edgefw__begin_alike(const edgefw__composition *a, const edgefw__composition *b);

#endif
