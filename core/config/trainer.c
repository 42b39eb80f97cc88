/* Finding the variant whose training is shared, and seeing to it that sharing it is right. */
#include "config/trainer.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

/* A key of which two variants have different values. */
typedef struct difference {
  bool found;
  char key[128]; /* "section.key" */
  const char *value, *other;
} difference;

static void compare_texts(difference *d, const char *section, const char *key, const char *value,
                          const char *other) {
  if (d->found || strcmp(value, other) == 0) return;
  *d = (difference){.found = true, .value = value, .other = other};
  snprintf(d->key, sizeof d->key, "%s.%s", section, key);
}

static const char *key_at(const edgefw_options *options, size_t i) {
  return i < edgefw__options_size(options) ? edgefw__options_key(options, i) : "";
}

static const char *text_at(const edgefw_options *options, size_t i) {
  return i < edgefw__options_size(options) ? edgefw__options_value(options, i)->text : "";
}

/* Find the first key whose values differ. Both sets of options belong to the same table, so their
 * keys stand in the same order. Only keys under a wildcard ("test.20") may be set in one and not in
 * the other; the missing value counts as empty then. */
static void compare_options(difference *d, const char *section, const edgefw_options *a,
                            const edgefw_options *b) {
  for (size_t i = 0; !d->found && (*key_at(a, i) || *key_at(b, i)); ++i) {
    const char *key = *key_at(a, i) ? key_at(a, i) : key_at(b, i);
    const bool both = strcmp(key, key_at(b, i)) == 0;
    compare_texts(d, section, key, text_at(a, i), both ? text_at(b, i) : "");
  }
}

static void compare_plugins(difference *d, const char *section, const edgefw__plugin *a,
                            const edgefw__plugin *b, const edgefw_options *a_options,
                            const edgefw_options *b_options) {
  compare_texts(d, section, "name", a->descriptor->name, b->descriptor->name);
  if (!d->found) compare_options(d, section, a_options, b_options);
}

/* Everything but [eval] and [search]: whatever a trained parameter may depend on. */
static difference compare(const edgefw__composition *a, const edgefw__composition *b) {
  difference d = {0};
  compare_plugins(&d, "problem", a->problem, b->problem, a->problem_options, b->problem_options);
  compare_plugins(&d, "backbone", a->backbone, b->backbone, a->backbone_options,
                  b->backbone_options);
  compare_options(&d, "decoder", a->decoder, b->decoder); /* with the list of terms */
  for (int i = 0; !d.found && i < a->terms.count; ++i) {
    char section[64];
    snprintf(section, sizeof section, "term.%s", a->terms.plugins[i]->descriptor->name);
    compare_options(&d, section, a->terms.options[i], b->terms.options[i]);
  }
  compare_options(&d, "train", a->train, b->train);
  return d;
}

static const edgefw__composition *find(const edgefw__composition *variants, int count,
                                       const char *name, edgefw__nearest *nearest) {
  for (int v = 0; v < count; ++v) {
    if (strcmp(variants[v].variant, name) == 0) return &variants[v];
    edgefw__nearest_try(nearest, variants[v].variant);
  }
  return NULL;
}

/* Heuristics and a model in one variant. */
static edgefw_status refuse_both(edgefw_context *ctx, const edgefw__composition *variant,
                                 const edgefw_options *own) {
  const char *trained = edgefw_options_text(own, "trained");
  const char *key = *trained ? "trained" : "checkpoint";
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "%s: construct = %s beside %s = %s: solutions come from heuristics or from a "
                     "model, in one variant not from both",
                     edgefw__options_where(own, "construct"), variant->heuristics.names[0], key,
                     *trained ? trained : variant->checkpoint);
}

edgefw_status edgefw__trainer_find(edgefw_context *ctx, edgefw__composition *variants, int index,
                                   const edgefw_options *own) {
  edgefw__composition *variant = &variants[index];
  const char *name = edgefw_options_text(own, "trained");
  const char *where = edgefw__options_where(own, "trained");
  if (edgefw__constructs(variant) && (*name || *variant->checkpoint))
    return refuse_both(ctx, variant, own);
  if (!*name) return EDGEFW_OK;
  if (*variant->checkpoint)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: trained = %s beside checkpoint = %s: the parameters can come from one "
                       "of them only",
                       where, name, variant->checkpoint);
  char hint[128];
  edgefw__nearest nearest = {.name = name};
  const edgefw__composition *trainer = find(variants, index, name, &nearest);
  if (!trainer)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: trained = %s: no variant of that name stands before this one%s", where,
                       name, edgefw__nearest_hint(&nearest, hint, sizeof hint));
  if (trainer->trainer)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: trained = %s: that variant is trained by '%s': name it instead", where,
                       name, trainer->trainer->variant);
  if (edgefw__constructs(trainer))
    return edgefw_fail(
        ctx, EDGEFW_CONFIG,
        "%s: trained = %s: that variant trains nothing, for heuristics construct its "
        "solutions",
        where, name);
  const difference d = compare(trainer, variant);
  if (d.found)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: trained = %s: the two differ in %s ('%s' there, '%s' here), on which "
                       "training depends; they may differ in [eval] and [search] only",
                       where, name, d.key, d.value, d.other);
  variant->trainer = trainer;
  variant->checkpoint = trainer->checkpoint;
  return EDGEFW_OK;
}

edgefw_status edgefw__initial_find(edgefw_context *ctx, edgefw__composition *variants, int index,
                                   bool stored) {
  edgefw__composition *variant = &variants[index];
  const char *name = edgefw_options_text(variant->train, "init_from");
  const char *where = edgefw__options_where(variant->train, "init_from");
  const char *init = edgefw_options_text(variant->train, "init");
  if (!*name || edgefw__constructs(variant) || variant->trainer || *variant->checkpoint)
    return EDGEFW_OK;
  if (*init)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: train.init_from = %s beside train.init = %s: training can begin with "
                       "one of them only",
                       where, name, init);
  char hint[128];
  edgefw__nearest nearest = {.name = name};
  const edgefw__composition *initial = find(variants, index, name, &nearest);
  if (!initial && stored) return EDGEFW_OK; /* of one variant alone */
  if (!initial)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: train.init_from = %s: no variant of that name stands before this one%s",
                       where, name, edgefw__nearest_hint(&nearest, hint, sizeof hint));
  if (edgefw__constructs(initial))
    return edgefw_fail(
        ctx, EDGEFW_CONFIG,
        "%s: train.init_from = %s: that variant has no parameters, for heuristics construct its "
        "solutions",
        where, name);
  variant->initial = initial->trainer ? initial->trainer : initial;
  return EDGEFW_OK;
}

bool edgefw__begin_alike(const edgefw__composition *a, const edgefw__composition *b) {
  difference d = {0};
  static const char *const counts[] = {"starts", "augment"};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
    if (edgefw_options_int(a->eval, counts[i]) != edgefw_options_int(b->eval, counts[i]))
      return false;
  if (!edgefw__constructs(a) || !edgefw__constructs(b))
    return (a->trainer ? a->trainer : a) == (b->trainer ? b->trainer : b) &&
           edgefw_options_choice(a->eval, "select") == edgefw_options_choice(b->eval, "select");
  if (a->heuristics.count != b->heuristics.count) return false;
  for (int h = 0; h < a->heuristics.count; ++h)
    compare_plugins(&d, "heuristic", a->heuristics.plugins[h], b->heuristics.plugins[h],
                    a->heuristics.options[h], b->heuristics.options[h]);
  return !d.found;
}
