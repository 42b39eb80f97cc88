/* Comparing a composition with the configuration that a checkpoint keeps. */
#include "config/origin.h"

#include <string.h>

#include "config/fit_feed.h"
#include "config/ini.h"

typedef struct comparison {
  edgefw_context *ctx;
  edgefw_arena *scratch;
  const edgefw__ini *kept;
  const char *path;
} comparison;

/* What training does not depend on, or what is compared elsewhere. */
static bool is_free(const char *section, const char *key) {
  static const char *const keys[][2] = {{"problem", "name"},   {"problem", "forbidden"},
                                        {"backbone", "name"},  {"decoder", "terms"},
                                        {"train", "epochs"},   {"train", "checkpoint_every"},
                                        {"train", "patience"}, {"train", "data"}};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k)
    if (strcmp(section, keys[k][0]) == 0 && strcmp(key, keys[k][1]) == 0) return true;
  return false;
}

static const char *find(const edgefw__ini *ini, const char *section, const char *key) {
  for (size_t e = 0; e < ini->entry_count; ++e)
    if (strcmp(ini->entries[e].section, section) == 0 && strcmp(ini->entries[e].key, key) == 0)
      return ini->entries[e].value;
  return NULL;
}

static edgefw_status refuse(const comparison *c, const char *section, const char *key,
                            const char *there, const char *here) {
  return edgefw_fail(c->ctx, EDGEFW_MISMATCH,
                     "'%s' was written by another configuration: [%s] %s is '%s' there and '%s' "
                     "here; remove it, or use a folder of its own",
                     c->path, section, key, there, here);
}

/* A text as options keep it ("4e-4" is 0.0004), or as it is where it could not be read. */
static const char *canonical(const comparison *c, const edgefw_option *option, const char *text) {
  edgefw__value value;
  char why[256];
  if (option->type == EDGEFW_OPTION_PATH || option->type == EDGEFW_OPTION_PATH_LIST) return text;
  const edgefw_status status =
      edgefw__value_parse(c->scratch, option, text, NULL, &value, why, sizeof why);
  if (status == EDGEFW_OUT_OF_MEMORY) return NULL;
  return status == EDGEFW_OK ? value.text : text;
}

/* [train] size says nothing where several sizes, or data, take its place. */
static bool says_nothing(const char *section, const char *key, const edgefw_options *options) {
  return strcmp(section, "train") == 0 && strcmp(key, "size") == 0 &&
         !edgefw__train_has_size(options);
}

static edgefw_status compare_options(const comparison *c, const char *section,
                                     const edgefw_options *options) {
  for (size_t i = 0; i < edgefw__options_size(options); ++i) {
    const char *key = edgefw__options_key(options, i);
    const edgefw_option *option = edgefw__options_declared(options, i);
    if (is_free(section, key) || says_nothing(section, key, options)) continue;
    const char *kept = find(c->kept, section, key);
    if (!kept) kept = option->fallback ? option->fallback : "";
    const char *there = canonical(c, option, kept), *here = edgefw__options_value(options, i)->text;
    if (!there) return edgefw_failure(c->ctx);
    if (strcmp(there, here) != 0) return refuse(c, section, key, there, here);
  }
  return EDGEFW_OK;
}

/* A term's section has the name by which the configuration called the term. */
static edgefw_status compare_terms(const comparison *c, const edgefw__term_list *terms) {
  edgefw_status status = EDGEFW_OK;
  for (int t = 0; status == EDGEFW_OK && t < terms->count; ++t) {
    const char *section = edgefw_arena_format(c->scratch, "term.%s", terms->names[t]);
    if (!section) return edgefw_failure(c->ctx);
    status = compare_options(c, section, terms->options[t]);
  }
  return status;
}

static edgefw_status compare_seed(const comparison *c, const edgefw__composition *composition) {
  const char *kept = find(c->kept, "experiment", "seed");
  const int64_t seed = edgefw_options_int(composition->experiment, "seed");
  const char *here = edgefw_arena_format(c->scratch, "%lld", (long long)seed);
  if (!here) return edgefw_failure(c->ctx);
  if (kept && strcmp(kept, here) == 0) return EDGEFW_OK;
  return refuse(c, "experiment", "seed", kept ? kept : "not set", here);
}

edgefw_status edgefw__origin_check(edgefw_context *ctx, edgefw_arena *scratch,
                                   const edgefw__composition *composition, const char *text,
                                   const char *path) {
  edgefw__ini *kept = NULL;
  edgefw_status status = edgefw__ini_read_text(ctx, scratch, text, path, &kept);
  if (status == EDGEFW_OUT_OF_MEMORY) return status;
  if (status != EDGEFW_OK) return edgefw_note(ctx, status, "the configuration kept in '%s'", path);
  const comparison c = {.ctx = ctx, .scratch = scratch, .kept = kept, .path = path};
  status = compare_seed(&c, composition);
  if (status == EDGEFW_OK) status = compare_options(&c, "problem", composition->problem_options);
  if (status == EDGEFW_OK) status = compare_options(&c, "backbone", composition->backbone_options);
  if (status == EDGEFW_OK) status = compare_options(&c, "decoder", composition->decoder);
  if (status == EDGEFW_OK) status = compare_terms(&c, &composition->terms);
  if (status == EDGEFW_OK) status = compare_options(&c, "train", composition->train);
  return status;
}
