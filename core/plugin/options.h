/* Options: the values of one section, read and checked against the table that declares them. */
#ifndef EDGEFW__OPTIONS_H
#define EDGEFW__OPTIONS_H

#include "edgefw/arena.h"
#include "edgefw/options.h"
#include "plugin/value.h"

/* A key that is given a value, with where that was. */
typedef struct edgefw__setting {
  const char *key, *value;
  const char *where;  /* "file.ini:12" or "--set": starts the messages about it */
  const char *folder; /* that relative paths start from; NULL: the working directory */
  int rank;           /* of its layer (config/layers.h); a higher one comes later and wins */
} edgefw__setting;

/* Build options for `table` (NULL: no keys). A key that is set twice takes the last value; keys
 * that are not set take their defaults. `section` ("train", "term.edge") is named in messages.
 * CONFIG for unknown keys and bad values. The result lives in `arena`; table and settings must
 * outlive it. */
EDGEFW_NODISCARD edgefw_status edgefw__options_create(edgefw_context *ctx, edgefw_arena *arena,
                                                      const char *section,
                                                      const edgefw_option *table,
                                                      const edgefw__setting *settings, size_t count,
                                                      edgefw_options **out);

/* All defaults: a shorthand for tests and for asking a plugin about itself. */
EDGEFW_NODISCARD edgefw_status edgefw__options_defaults(edgefw_context *ctx, edgefw_arena *arena,
                                                        const edgefw_option *table,
                                                        edgefw_options **out);

/* The keys in the order of the table; a wildcard entry stands for those of its keys that are set.
 */
size_t edgefw__options_size(const edgefw_options *options);
const char *edgefw__options_key(const edgefw_options *options, size_t index);
const edgefw__value *edgefw__options_value(const edgefw_options *options, size_t index);
const edgefw_option *edgefw__options_declared(const edgefw_options *options, size_t index);

/* All items of a list of whole numbers; how many edgefw_options_count tells. */
const int64_t *edgefw__options_ints(const edgefw_options *options, const char *key);

/* Where a key was set; NULL when it has its default. */
const char *edgefw__options_where(const edgefw_options *options, const char *key);

/* The rank of the layer that set it; 0 when it has its default. */
int edgefw__options_rank(const edgefw_options *options, const char *key);

/* The entry of `table` (may be NULL) that `key` belongs to, wildcards included; NULL if unknown. */
const edgefw_option *edgefw__option_find(const edgefw_option *table, const char *key);

/* Is this entry a wildcard ("test.*")? */
bool edgefw__option_is_wildcard(const edgefw_option *option);

/* Is the table itself sane: keys well formed and unique, types known, defaults present and within
 * bounds? CONFIG: `why` says what is not. `scratch` takes the values. */
EDGEFW_NODISCARD edgefw_status edgefw__option_table_check(edgefw_arena *scratch,
                                                          const edgefw_option *table, char *why,
                                                          size_t why_size);

#endif
