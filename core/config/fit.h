/* Do the parts of a composition fit together? Asked once, before anything is computed. */
#ifndef EDGEFW__FIT_H
#define EDGEFW__FIT_H

#include "base/text.h"
#include "config/compose.h"

/* Ask backbone and terms, or heuristics, whether they fit the problem. UNSUPPORTED: the message
 * says who does not, why, and which plugins of that kind would. `scratch` takes options of the
 * others. */
EDGEFW_NODISCARD edgefw_status edgefw__fit_plugins(edgefw_context *ctx,
                                                   const edgefw__registry *registry,
                                                   const edgefw__composition *composition,
                                                   edgefw_arena *scratch);

/* Add the names of the plugins of a kind that fit the problem with their default options to
 * `names`: "nearest, patching". `scratch` takes their options. */
EDGEFW_NODISCARD edgefw_status edgefw__fit_names(edgefw_context *ctx,
                                                 const edgefw__registry *registry, edgefw_kind kind,
                                                 const edgefw_problem *problem,
                                                 edgefw_arena *scratch, edgefw__text *names);

/* Rules between keys: lists of equal length, sizes that the problem admits, rising milestones.
 * `path` is named where a value is a default. */
EDGEFW_NODISCARD edgefw_status edgefw__fit_options(edgefw_context *ctx,
                                                   const edgefw__composition *composition,
                                                   const char *path);

/* Every file that these options name can be read. */
EDGEFW_NODISCARD edgefw_status edgefw__fit_files(edgefw_context *ctx, const char *section,
                                                 const edgefw_options *options);

/* Warn of data files whose size no variant evaluates; those of included files are passed over. */
void edgefw__fit_warn(edgefw_context *ctx, const edgefw__config *config);

#endif
