/* The core's own configuration keys: the one place of their names, types, defaults, bounds and
 * help. Problems, backbones and terms add the keys that they declare themselves. */
#ifndef EDGEFW__SCHEMA_H
#define EDGEFW__SCHEMA_H

#include "edgefw/options.h"

#define EDGEFW__TERMS_AS_TRAINED  "trained" /* [eval] terms: those of [decoder] */
#define EDGEFW__PRECISION_CHOICES "auto|fp32|tf32|bf16"

/* The values of [train] objective and labels. */
typedef enum edgefw__objective_kind {
  EDGEFW__OBJECTIVE_REINFORCE = 0,
  EDGEFW__OBJECTIVE_IMITATION,
  EDGEFW__OBJECTIVE_PREFERENCE
} edgefw__objective_kind;

typedef enum edgefw__label_source {
  EDGEFW__LABELS_NONE = 0,
  EDGEFW__LABELS_SEARCH, /* heuristics, local search and kicks */
  EDGEFW__LABELS_DATASET /* those of [train] data */
} edgefw__label_source;

/* What the options of [train] say. */
edgefw__objective_kind edgefw__objective_kind_of(const edgefw_options *options);
edgefw__label_source edgefw__label_source_of(const edgefw_options *options);

typedef struct edgefw__section {
  const char *name; /* "train"; "variant" stands for [variant NAME] */
  const char *help; /* one line */
  const edgefw_option *options;
} edgefw__section;

/* All sections, ended by a NULL name, in the order in which they are written out. */
const edgefw__section *edgefw__schema_sections(void);

/* The section's table; NULL if the core declares no such section. */
const edgefw_option *edgefw__schema_options(const char *section);

#endif
