/* The parameters with which a variant's training begins, where [train] init or init_from says so:
 * where they are, and whether they fit. */
#ifndef EDGEFW__INITIAL_H
#define EDGEFW__INITIAL_H

#include "base/text.h"
#include "policy/model.h"

/* The checkpoint of the variant that init_from names, for edgefw__train: its own in the run
 * directory `folder`, or the one that the configuration names for it. *path is NULL without
 * init_from, and "" where the variant itself has checkpoints there, from which it goes on. CONFIG
 * if the one to begin with is not trained to its end. */
EDGEFW_NODISCARD edgefw_status edgefw__initial_path(edgefw_context *ctx, edgefw_arena *arena,
                                                    const char *folder,
                                                    const edgefw__composition *composition,
                                                    const char **path);

/* Check that the file of `init` can be read and fits the declared model as policy/model_init.h
 * wants it, or that the model of the variant that init_from names does. What fits is written to
 * `text` as a line of the dry run (NULL: nowhere). Nothing is checked of a variant that begins with
 * new parameters or does not train. */
EDGEFW_NODISCARD edgefw_status edgefw__initial_check(const edgefw__model *model,
                                                     edgefw__text *text);

#endif
