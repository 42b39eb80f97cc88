/* Composition: from a configuration to the plugins and options of each variant, all checked. */
#ifndef EDGEFW__COMPOSE_H
#define EDGEFW__COMPOSE_H

#include "plugin/options.h"
#include "plugin/registry.h"

#define EDGEFW__MAX_TERMS 16

/* Plugins of one kind with their options, in the order of the configuration. */
typedef struct edgefw__plugin_list {
  int count;
  const char *names[EDGEFW__MAX_TERMS]; /* as the configuration calls them: names or aliases */
  const edgefw__plugin *plugins[EDGEFW__MAX_TERMS];
  const edgefw_options *options[EDGEFW__MAX_TERMS];
} edgefw__plugin_list;

typedef edgefw__plugin_list edgefw__term_list;      /* score terms: the order of their features */
typedef edgefw__plugin_list edgefw__heuristic_list; /* of whose tours the best counts */

/* One line of the result table: everything that a model and its evaluation are made of. Where
 * heuristics construct there is no model: no backbone and no terms, and [decoder] and [train] say
 * nothing. */
typedef struct edgefw__composition {
  const char *variant; /* its name; the backbone's when the file has no variants */
  const char *problem_name, *backbone_name; /* as the configuration calls them */
  const edgefw__plugin *problem, *backbone; /* the latter is NULL where heuristics construct */
  const edgefw_options *problem_options, *backbone_options; /* without the key "name" */
  const edgefw_options *train_problem_options; /* of the problem, as training generates instances */
  edgefw__heuristic_list heuristics;           /* in place of a model; none where there is one */
  edgefw__heuristic_list label_heuristics;     /* that make labels, with their defaults; none where
                                                  training needs none */
  edgefw__term_list terms;
  edgefw__term_list eval_terms; /* those in force in evaluation: [eval] terms, or the same ones */
  const edgefw_options *decoder, *train, *eval, *search; /* this variant's */
  const edgefw_options *experiment, *data, *report;      /* shared by all variants */
  const edgefw_options *diagnostics;                     /* shared, too */
  const char *checkpoint; /* evaluate this file in place of training; "" for none */
  const struct edgefw__composition *trainer; /* the earlier variant whose trained parameters are
                                                evaluated in place of training; NULL for none */
  const struct edgefw__composition *initial; /* the earlier variant with whose trained parameters
                                                training begins; NULL for none */
  const char *origin; /* the configuration's file, or the origin of its text */
  const char *text;   /* the resolved configuration of this variant alone, for checkpoints */
} edgefw__composition;

/* Do heuristics make its solutions, and no model? */
static inline bool edgefw__constructs(const edgefw__composition *composition) {
  return composition->heuristics.count > 0;
}

/* Is the key one of models, which mean nothing to heuristics? `section` may have more behind a dot:
 * "term.NAME". */
bool edgefw__is_model_key(const char *section, const char *key);

typedef struct edgefw__config {
  edgefw_arena *arena; /* everything lives here */
  const char *path;    /* of the file, or the origin of the text */
  const char *name;    /* [experiment] name */
  edgefw__composition *variants;
  int variant_count; /* at least 1 */
  const char *text;  /* the resolved configuration: every key with its value, paths absolute */
} edgefw__config;

/* Read, resolve and check a configuration. Precedence: defaults < included files < the file < the
 * variant < `sets` ("section.key=value", for all variants). Files named by PATH keys must exist.
 * Failures: CONFIG (file, line, nearest name), IO, PLUGIN_FIND, UNSUPPORTED when a plugin refuses
 * the problem. The registry must outlive the result. */
EDGEFW_NODISCARD edgefw_status edgefw__config_load(edgefw_context *ctx,
                                                   const edgefw__registry *registry,
                                                   const char *path, const char *const *sets,
                                                   int set_count, edgefw__config **out);

/* The same from the text that a checkpoint keeps; `origin` names it in messages. Files and the
 * device that it names need not exist here. */
EDGEFW_NODISCARD edgefw_status edgefw__compose_text(edgefw_context *ctx,
                                                    const edgefw__registry *registry,
                                                    const char *text, const char *origin,
                                                    edgefw__config **out);

/* The same with overrides "section.key=value" on top. */
EDGEFW_NODISCARD edgefw_status edgefw__compose_text_with(edgefw_context *ctx,
                                                         const edgefw__registry *registry,
                                                         const char *text, const char *origin,
                                                         const char *const *sets, int set_count,
                                                         edgefw__config **out);

void edgefw__config_destroy(edgefw__config *config); /* NULL is allowed */

#endif
