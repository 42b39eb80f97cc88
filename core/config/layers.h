/* Layers: which of the entries of a configuration are in force for one section of one variant.
 * Later ones win: included files < the file < the variant's section < --set. */
#ifndef EDGEFW__LAYERS_H
#define EDGEFW__LAYERS_H

#include "config/ini.h"
#include "plugin/options.h"

typedef struct edgefw__settings {
  edgefw__setting *items; /* in the order in which they override one another */
  size_t count;
} edgefw__settings;

/* The NAME of a section "variant NAME"; NULL for other sections. */
const char *edgefw__layers_variant_name(const char *section);

/* Is this a name that a variant may have? Only then may a folder be called so. */
bool edgefw__layers_variant_is_named(const char *name);

/* Are all sections known, and does every key of a variant name a section that variants may change?
 * CONFIG with file, line and the nearest name. Keys themselves are checked with their tables. */
EDGEFW_NODISCARD edgefw_status edgefw__layers_check(const edgefw__ini *ini);

/* Names of the variants in the order of their first appearance. */
EDGEFW_NODISCARD edgefw_status edgefw__layers_variants(const edgefw__ini *ini,
                                                       const char *const **names, size_t *count);

/* Names of the folders of the variants in a run directory: [variant NAME], or the backbone's name
 * without any. In `arena`. CONFIG if one is no name that a configuration may give: it could lead
 * anywhere. */
EDGEFW_NODISCARD edgefw_status edgefw__layers_folders(const edgefw__ini *ini, edgefw_arena *arena,
                                                      const char *const **names, size_t *count);

/* Settings of `section` ("train", "term.edge") for a variant (NULL: without any variant's). Section
 * "variant" gives the variant's own keys. In [problem] and [backbone] a name that differs from the
 * one in force before discards the keys of the layers below: they belong to another plugin. */
EDGEFW_NODISCARD edgefw_status edgefw__layers_gather(const edgefw__ini *ini, const char *section,
                                                     const char *variant, edgefw__settings *out);

#endif
