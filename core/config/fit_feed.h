/* Which instances training takes: rules between [train] size, sizes and data. */
#ifndef EDGEFW__FIT_FEED_H
#define EDGEFW__FIT_FEED_H

#include "config/compose.h"

/* Does [train] size count, or do sizes or data take its place? */
bool edgefw__train_has_size(const edgefw_options *train);

/* The least and the largest size, as configurations count it; INT64_MAX and 0 where data take its
 * place, which tell themselves. */
int64_t edgefw__train_least_size(const edgefw_options *train);
int64_t edgefw__train_largest_size(const edgefw_options *train);

/* The place that messages about [train] size name, if the key is to hold whatever takes its place:
 * it is set in the configuration's own file or on the command line, and sizes or data are set
 * there, too, or in an earlier layer. NULL: it is a default, or what takes its place was set later,
 * as a variant's key is behind the section's. `key` is "sizes" or "data". */
const char *edgefw__train_size_insists(const edgefw_options *train, const char *key,
                                       const char *path);

/* Refuse sizes that the problem does not admit, and keys of which one would say nothing. CONFIG.
 * `path` is the configuration's. */
EDGEFW_NODISCARD edgefw_status edgefw__fit_feed(edgefw_context *ctx,
                                                const edgefw__composition *composition,
                                                const char *path);

#endif
