/* The options that say of files of other programs what these do not say themselves. */
#ifndef EDGEFW__CLI_INSTANCE_OPTIONS_H
#define EDGEFW__CLI_INSTANCE_OPTIONS_H

#include "cli/cli.h"
#include "data/instance_file.h"

/* The entries for a command's table. */
/* clang-format off */
#define EDGEFW__INSTANCE_ARGUMENTS                                                                 \
    {"--depot", NULL, "STOP",                                                                      \
     "name of the stop or its number from 1 where routes begin, or a tour (default: the first)"},  \
    {"--demands", NULL, "FILE|LIST",                                                               \
     "what each stop takes: 0,3,5,... or a table of numbers, or of stops and numbers"},            \
    {"--capacity", NULL, "NUMBER", "what a vehicle carries"},                                      \
    {"--use", NULL, "TABLE", "durations (the default) or distances of a routing service's JSON"}
/* clang-format on */

/* Read them. CONFIG. */
EDGEFW_NODISCARD edgefw_status edgefw__cli_instance_options(const edgefw__arguments *arguments,
                                                            edgefw__instance_options *out);

/* CONFIG if one of them is given and any of the `count` files is no such one, which would leave it
 * out, or there is no file. */
EDGEFW_NODISCARD edgefw_status edgefw__cli_instance_refuse(const edgefw__arguments *arguments,
                                                           const char *const *files, int64_t count);

#endif
