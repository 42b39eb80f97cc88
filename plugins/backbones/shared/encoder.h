/* What encoders of stacked attention blocks have in common: the options of their size. */
#ifndef EDGEFW_BACKBONES_ENCODER_H
#define EDGEFW_BACKBONES_ENCODER_H

#include "edgefw/edgefw.h"

/* Rows of an option table; each encoder has its own defaults, given as texts. */
/* clang-format off */
#define ENCODER_OPTIONS(embedding_dim_, layers_, heads_, ff_hidden_)                               \
    {.key = "embedding_dim",                                                                       \
     .type = EDGEFW_OPTION_INT,                                                                    \
     .fallback = (embedding_dim_),                                                                 \
     .min = 1,                                                                                     \
     .max = 8192,                                                                                  \
     .help = "width d of the node embeddings; a multiple of heads"},                               \
    {.key = "layers",                                                                              \
     .type = EDGEFW_OPTION_INT,                                                                    \
     .fallback = (layers_),                                                                        \
     .min = 1,                                                                                     \
     .max = 128,                                                                                   \
     .help = "number of encoder blocks"},                                                          \
    {.key = "heads",                                                                               \
     .type = EDGEFW_OPTION_INT,                                                                    \
     .fallback = (heads_),                                                                         \
     .min = 1,                                                                                     \
     .max = 1024,                                                                                  \
     .help = "attention heads of the encoder"},                                                    \
    {.key = "ff_hidden",                                                                           \
     .type = EDGEFW_OPTION_INT,                                                                    \
     .fallback = (ff_hidden_),                                                                     \
     .min = 1,                                                                                     \
     .max = 65536,                                                                                 \
     .help = "hidden width of the feed-forward layers"}
/* clang-format on */

/* Do the heads divide the width? If not, `why` says so; for edgefw_backbone.supports. */
bool encoder_supports(const edgefw_options *options, char *why, size_t why_size);

#endif
