/* Run directories. Only files of known names are ever removed. */
#include "experiment/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/path.h"
#include "base/text_file.h"
#include "config/ini.h"
#include "config/layers.h"
#include "config/schema.h"
#include "experiment/run_files.h"
#include "plugin/options.h"
#include "report/run_record.h"

/* --- Comparing configurations --- */

/* What may be asked of the models of a run at any time: every row says of which keys it is. */
static const char asked[] = "diagnostics";

/* Is the entry one of these keys, "SECTION.KEY", for all variants or for one? */
static bool is_one_of(const edgefw__ini_entry *entry, const char *const *names, size_t count) {
  const bool own = edgefw__layers_variant_name(entry->section) != NULL;
  const size_t length = own ? 0 : strlen(entry->section);
  for (size_t k = 0; k < count; ++k) {
    if (own && strcmp(entry->key, names[k]) == 0) return true;
    if (!own && strncmp(names[k], entry->section, length) == 0 && names[k][length] == '.' &&
        strcmp(names[k] + length + 1, entry->key) == 0)
      return true;
  }
  return false;
}

/* Keys that may differ between a run and its resumption, and that config.ini then says anew: how
 * long training goes on and how often it is saved, on which no state depends; and what is asked of
 * the models. */
static bool is_renewed(const edgefw__ini_entry *entry) {
  static const char *const names[] = {"train.epochs", "train.patience", "train.checkpoint_every"};
  return strcmp(entry->section, asked) == 0 ||
         is_one_of(entry, names, sizeof names / sizeof *names);
}

/* All keys that may differ: also where and how the work is done, and what is written of it. */
static bool is_free(const edgefw__ini_entry *entry) {
  static const char *const names[] = {"experiment.device", "experiment.precision",
                                      "experiment.threads", "eval.batch", "report.tensorboard"};
  return is_renewed(entry) || is_one_of(entry, names, sizeof names / sizeof *names);
}

/* Where the instances of training lie may differ, too, if they are a file's there and here: every
 * checkpoint has their fingerprint. */
static bool is_moved(const edgefw__ini_entry *entry, const edgefw__ini *other) {
  static const char *const name = "train.data";
  if (!is_one_of(entry, &name, 1) || !*entry->value) return false;
  for (size_t e = 0; e < other->entry_count; ++e)
    if (is_one_of(&other->entries[e], &name, 1) && *other->entries[e].value) return true;
  return false;
}

/* What is compared with a folder, and what to do if it differs. */
typedef struct comparison {
  edgefw_context *ctx;
  edgefw_arena *scratch;
  const char *folder;
  const edgefw__config *config;
  const char *advice;
} comparison;

static const char advice_of_runs[] =
    "choose another folder with --out, or discard that run with --fresh";

static edgefw_status refuse(const comparison *c, const edgefw__ini_entry *entry, const char *there,
                            const char *here) {
  return edgefw_fail(c->ctx, EDGEFW_CONFIG,
                     "%s holds a run of another configuration: [%s] %s is %s there and %s here; %s",
                     c->folder, entry->section, entry->key, there, here, c->advice);
}

/* "'value'", or "not set". */
static const char *shown(edgefw_arena *scratch, const edgefw__ini_entry *entry) {
  const char *text = entry ? edgefw_arena_format(scratch, "'%s'", entry->value) : "not set";
  return text ? text : "?";
}

static bool has_section(const edgefw__ini *ini, const char *name) {
  for (size_t s = 0; s < ini->section_count; ++s)
    if (strcmp(ini->sections[s].name, name) == 0) return true;
  return false;
}

/* Sections of the core have all their keys: those are compared, and an older program may have known
 * none of them. */
static edgefw_status compare_sections(const comparison *c, const edgefw__ini *a,
                                      const edgefw__ini *b, const char *where) {
  for (size_t s = 0; s < a->section_count; ++s)
    if (!has_section(b, a->sections[s].name) && !edgefw__schema_options(a->sections[s].name))
      return edgefw_fail(c->ctx, EDGEFW_CONFIG,
                         "%s holds a run of another configuration: only the one %s has [%s]; %s",
                         c->folder, where, a->sections[s].name, c->advice);
  return EDGEFW_OK;
}

/* Does the key say what an older program did, which did not know it? */
static bool is_default(const edgefw__config *config, const edgefw__ini_entry *entry) {
  const edgefw__composition *first = &config->variants[0]; /* with a model, if one has it */
  for (int v = config->variant_count - 1; v >= 0; --v)
    if (!edgefw__constructs(&config->variants[v])) first = &config->variants[v];
  const struct {
    const char *section;
    const edgefw_options *options;
  } known[] = {{"experiment", first->experiment},
               {"problem", first->problem_options},
               {"backbone", first->backbone_options},
               {"decoder", first->decoder},
               {"train", first->train},
               {"eval", first->eval},
               {"search", first->search},
               {"data", first->data},
               {"report", first->report}};
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
    if (strcmp(known[k].section, entry->section) != 0 || !known[k].options) continue;
    for (size_t i = 0; i < edgefw__options_size(known[k].options); ++i) {
      const char *fallback = edgefw__options_declared(known[k].options, i)->fallback;
      if (strcmp(edgefw__options_key(known[k].options, i), entry->key) == 0)
        return strcmp(fallback ? fallback : "", entry->value) == 0;
    }
  }
  return false;
}

static edgefw_status compare(const comparison *c, const edgefw__ini *old, const edgefw__ini *new) {
  edgefw_status status = compare_sections(c, new, old, "here");
  if (status == EDGEFW_OK) status = compare_sections(c, old, new, "there");
  if (status != EDGEFW_OK) return status;
  for (size_t e = 0; e < new->entry_count; ++e) {
    const edgefw__ini_entry *entry = &new->entries[e],
                            *other = edgefw__ini_find(old, entry->section, entry->key);
    if (is_free(entry) || is_moved(entry, old)) continue;
    if (other && strcmp(other->value, entry->value) == 0) continue;
    if (!other && is_default(c->config, entry)) continue;
    return refuse(c, entry, shown(c->scratch, other), shown(c->scratch, entry));
  }
  for (size_t e = 0; e < old->entry_count; ++e) {
    const edgefw__ini_entry *entry = &old->entries[e];
    if (is_free(entry) || is_moved(entry, new)) continue;
    if (!edgefw__ini_find(new, entry->section, entry->key))
      return refuse(c, entry, shown(c->scratch, entry), "not set");
  }
  return EDGEFW_OK;
}

/* Does `a` say something that config.ini says anew, and that `b` does not say? */
static bool says_more(const edgefw__ini *a, const edgefw__ini *b) {
  for (size_t e = 0; e < a->entry_count; ++e) {
    const edgefw__ini_entry *entry = &a->entries[e];
    if (!is_renewed(entry)) continue;
    const edgefw__ini_entry *other = edgefw__ini_find(b, entry->section, entry->key);
    if (!other || strcmp(other->value, entry->value) != 0) return true;
  }
  return false;
}

/* --- What is there --- */

/* A folder as it was found. */
typedef struct found {
  const char *mark; /* what its config.ini must begin with */
  const char *path; /* of config.ini */
  edgefw__ini *old; /* what it says; NULL: there is none */
  const char *const *variants;
  size_t variant_count;
} found;

/* Is it missing, or a folder that holds nothing but shards, or what a run leaves that was killed
 * while it began? */
static bool is_empty(const char *folder) {
  DIR *directory = opendir(folder);
  if (!directory) return errno == ENOENT;
  bool empty = true;
  for (const struct dirent *entry; empty && (entry = readdir(directory)) != NULL;)
    empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, EDGEFW__RUN_LOCK_NAME) == 0 ||
            strcmp(entry->d_name, EDGEFW__SHARDS_FOLDER) == 0 ||
            edgefw__run_file_is_temporary(EDGEFW__RUN_TOP, entry->d_name, (edgefw__run_names){0});
  closedir(directory);
  return empty;
}

static edgefw_status refuse_folder(edgefw_context *ctx, const char *folder, const char *why) {
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "%s exists and is no run directory (%s); choose another folder with --out",
                     folder, why);
}

static edgefw_status read_old(edgefw_context *ctx, edgefw_arena *scratch, const char *folder,
                              found *out) {
  char *text = NULL;
  size_t length = 0;
  edgefw_status status = edgefw__text_read(ctx, out->path, &text, &length);
  if (status != EDGEFW_OK) return status;
  if (strncmp(text, out->mark, strlen(out->mark)) == 0)
    status = edgefw__ini_read_text(ctx, scratch, text, out->path, &out->old);
  else
    status = refuse_folder(ctx, folder, "no run wrote its config.ini");
  edgefw_release(ctx, text);
  if (status == EDGEFW_OK && out->old)
    status = edgefw_note(
        ctx, edgefw__layers_folders(out->old, scratch, &out->variants, &out->variant_count),
        "%s is no run's: choose another folder with --out", out->path);
  return status;
}

/* Find out what is there; refuse what a run may not touch. Nothing is changed. */
static edgefw_status examine(edgefw_context *ctx, edgefw_arena *scratch, const char *folder,
                             const char *mark, found *out) {
  *out = (found){.mark = mark, .path = edgefw__path_join(scratch, folder, "config.ini")};
  if (!out->path) return edgefw_failure(ctx);
  struct stat information;
  if (stat(folder, &information) != 0 && errno == ENOENT) return EDGEFW_OK;
  if (lstat(out->path, &information) != 0)
    return is_empty(folder) ? EDGEFW_OK : refuse_folder(ctx, folder, "it has no config.ini");
  edgefw_status status = edgefw__run_files_apply(ctx, EDGEFW__RUN_CHECK, folder, NULL, 0);
  if (status == EDGEFW_OK) status = read_old(ctx, scratch, folder, out);
  if (status == EDGEFW_OK)
    status =
        edgefw__run_files_apply(ctx, EDGEFW__RUN_CHECK, folder, out->variants, out->variant_count);
  return status;
}

/* --- Preparing --- */

/* The new config.ini takes the place of the old one, which stays until then: a folder that is being
 * cleared is a run directory all the time. */
static edgefw_status write_config(edgefw_context *ctx, edgefw_arena *scratch, const found *there,
                                  const edgefw__config *config) {
  const char *text = edgefw_arena_format(scratch, "%s\n%s", there->mark, config->text);
  return text ? edgefw__write_file(ctx, there->path, text, strlen(text)) : edgefw_failure(ctx);
}

static edgefw_status prepare_locked(edgefw_context *ctx, edgefw_arena *scratch, const char *folder,
                                    const char *mark, const edgefw__config *config, bool fresh) {
  found there;
  edgefw__ini *new = NULL;
  const char *const *variants = NULL;
  size_t count = 0;
  edgefw_status status = examine(ctx, scratch, folder, mark, &there);
  if (status == EDGEFW_OK)
    status = edgefw__ini_read_text(ctx, scratch, config->text, config->path, &new);
  if (status == EDGEFW_OK) status = edgefw__layers_folders(new, scratch, &variants, &count);
  if (status == EDGEFW_OK && there.old && !fresh)
    status = compare(&(comparison){ctx, scratch, folder, config, advice_of_runs}, there.old, new);
  if (status == EDGEFW_OK)
    status = edgefw__run_files_apply(ctx, EDGEFW__RUN_CHECK, folder, variants, count);
  if (status == EDGEFW_OK)
    status = edgefw__run_files_apply(ctx, there.old && fresh ? EDGEFW__RUN_CLEAR : EDGEFW__RUN_TIDY,
                                     folder, there.variants, there.variant_count);
  if (status != EDGEFW_OK) return status;
  if (there.old && !fresh && !says_more(new, there.old) && !says_more(there.old, new))
    return EDGEFW_OK;
  return write_config(ctx, scratch, &there, config);
}

edgefw_status edgefw__run_folder_compare(edgefw_context *ctx, edgefw_arena *scratch,
                                         const char *folder, const char *mark,
                                         const edgefw__config *config, const char *advice) {
  found there;
  edgefw__ini *new = NULL;
  edgefw_status status = examine(ctx, scratch, folder, mark, &there);
  if (status == EDGEFW_OK)
    status = edgefw__ini_read_text(ctx, scratch, config->text, config->path, &new);
  if (status != EDGEFW_OK || !there.old) return status;
  return compare(&(comparison){ctx, scratch, folder, config, advice}, there.old, new);
}

edgefw_status edgefw__run_folder_prepare(edgefw_context *ctx, edgefw_arena *scratch,
                                         const char *folder, const char *mark,
                                         const edgefw__config *config, bool fresh,
                                         edgefw__run_lock *lock) {
  *lock = (edgefw__run_lock)EDGEFW__RUN_LOCK_NONE;
  found there; /* a stranger's folder gets no lock, either */
  edgefw_status status = examine(ctx, scratch, folder, mark, &there);
  if (status == EDGEFW_OK) status = edgefw__make_folders(ctx, folder);
  if (status == EDGEFW_OK) status = edgefw__run_lock_take(ctx, folder, lock);
  if (status == EDGEFW_OK) status = prepare_locked(ctx, scratch, folder, mark, config, fresh);
  if (status != EDGEFW_OK) edgefw__run_lock_release(lock);
  return status;
}
