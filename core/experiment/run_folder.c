/* Run directories. Only files of known names are ever removed. */
#include "experiment/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/path.h"
#include "base/text_file.h"
#include "config/ini.h"
#include "config/layers.h"
#include "files/checkpoint.h"

/* What a run writes beside the folders of its variants. config.ini goes last: as long as it is
 * there the folder is known to be a run directory. */
static const char *const own_files[] = {
    "results.csv",       "results.json",       "table.md",           "plots/training.csv",
    "plots/training.gp", "plots/training.svg", "plots/training.png", "plots/gap.csv",
    "plots/gap.gp",      "plots/gap.svg",      "plots/gap.png",      "log.txt",
    "config.ini"};

/* First line of a run's config.ini. One without it is somebody's own and must not be cleared. */
static const char mark[] =
    "; Written by edgefw run, every key resolved. It marks a run directory.\n";

/* --- Comparing configurations --- */

/* Keys that may differ between a run and its resumption: where and how the work is done. */
static bool is_free(const edgefw__ini_entry *entry) {
  static const char *const keys[][2] = {{"experiment", "device"},
                                        {"experiment", "precision"},
                                        {"experiment", "threads"},
                                        {"eval", "batch"}};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k)
    if (strcmp(entry->section, keys[k][0]) == 0 && strcmp(entry->key, keys[k][1]) == 0) return true;
  return false;
}

static const edgefw__ini_entry *find(const edgefw__ini *ini, const edgefw__ini_entry *like) {
  for (size_t e = 0; e < ini->entry_count; ++e)
    if (strcmp(ini->entries[e].section, like->section) == 0 &&
        strcmp(ini->entries[e].key, like->key) == 0)
      return &ini->entries[e];
  return NULL;
}

static edgefw_status refuse(edgefw_context *ctx, const char *folder, const edgefw__ini_entry *entry,
                            const char *there, const char *here) {
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "%s holds a run of another configuration: [%s] %s is %s there and %s here; "
                     "choose another folder with --out, or discard that run with --fresh",
                     folder, entry->section, entry->key, there, here);
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

static edgefw_status compare_sections(edgefw_context *ctx, const char *folder, const edgefw__ini *a,
                                      const edgefw__ini *b, const char *where) {
  for (size_t s = 0; s < a->section_count; ++s)
    if (!has_section(b, a->sections[s].name))
      return edgefw_fail(ctx, EDGEFW_CONFIG,
                         "%s holds a run of another configuration: only the one %s has [%s]; "
                         "choose another folder with --out, or discard that run with --fresh",
                         folder, where, a->sections[s].name);
  return EDGEFW_OK;
}

static edgefw_status compare(edgefw_context *ctx, edgefw_arena *scratch, const char *folder,
                             const edgefw__ini *old, const edgefw__ini *new) {
  edgefw_status status = compare_sections(ctx, folder, new, old, "here");
  if (status == EDGEFW_OK) status = compare_sections(ctx, folder, old, new, "there");
  if (status != EDGEFW_OK) return status;
  for (size_t e = 0; e < new->entry_count; ++e) {
    const edgefw__ini_entry *entry = &new->entries[e], *other = find(old, entry);
    if (is_free(entry) || (other && strcmp(other->value, entry->value) == 0)) continue;
    return refuse(ctx, folder, entry, shown(scratch, other), shown(scratch, entry));
  }
  for (size_t e = 0; e < old->entry_count; ++e) {
    const edgefw__ini_entry *entry = &old->entries[e];
    if (!is_free(entry) && !find(new, entry))
      return refuse(ctx, folder, entry, shown(scratch, entry), "not set");
  }
  return EDGEFW_OK;
}

/* --- Clearing --- */

static edgefw_status remove_file(edgefw_context *ctx, edgefw_arena *scratch, const char *folder,
                                 const char *name) {
  const char *path = edgefw__path_join(scratch, folder, name);
  if (!path) return edgefw_failure(ctx);
  if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_IO, "%s: cannot remove: %s", path, strerror(errno));
}

static bool is_training_file(const char *name) {
  return strcmp(name, "metrics.csv") == 0 || edgefw__checkpoint_epoch(name) >= 0;
}

static edgefw_status clear_variant(edgefw_context *ctx, edgefw_arena *scratch, const char *folder,
                                   const char *variant) {
  const char *path = edgefw__path_join(scratch, folder, variant);
  if (!path) return edgefw_failure(ctx);
  DIR *directory = opendir(path);
  if (!directory) return EDGEFW_OK; /* never trained */
  edgefw_status status = EDGEFW_OK;
  for (const struct dirent *entry; status == EDGEFW_OK && (entry = readdir(directory)) != NULL;)
    if (is_training_file(entry->d_name)) status = remove_file(ctx, scratch, path, entry->d_name);
  closedir(directory);
  rmdir(path); /* stays if something else is in it */
  return status;
}

/* Variants of the run that is in the folder: [variant NAME], or the backbone's name without any. */
static edgefw_status clear(edgefw_context *ctx, edgefw_arena *scratch, const char *folder,
                           const edgefw__ini *old) {
  edgefw_status status = EDGEFW_OK;
  bool any = false;
  for (size_t s = 0; status == EDGEFW_OK && s < old->section_count; ++s) {
    const char *name = edgefw__layers_variant_name(old->sections[s].name);
    if (!name) continue;
    any = true;
    status = clear_variant(ctx, scratch, folder, name);
  }
  for (size_t e = 0; status == EDGEFW_OK && !any && e < old->entry_count; ++e)
    if (strcmp(old->entries[e].section, "backbone") == 0 &&
        strcmp(old->entries[e].key, "name") == 0)
      status = clear_variant(ctx, scratch, folder, old->entries[e].value);
  for (size_t f = 0; status == EDGEFW_OK && f < sizeof own_files / sizeof *own_files; ++f)
    status = remove_file(ctx, scratch, folder, own_files[f]);
  const char *plots = edgefw__path_join(scratch, folder, "plots");
  if (!plots) return edgefw_failure(ctx);
  rmdir(plots);
  return status;
}

/* --- Preparing --- */

/* Is it missing, or a folder with nothing in it? */
static bool is_empty(const char *folder) {
  DIR *directory = opendir(folder);
  if (!directory) return errno == ENOENT;
  bool empty = true;
  for (const struct dirent *entry; empty && (entry = readdir(directory)) != NULL;)
    empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
  closedir(directory);
  return empty;
}

static edgefw_status refuse_folder(edgefw_context *ctx, const char *folder, const char *why) {
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "%s exists and is no run directory (%s); choose another folder with --out",
                     folder, why);
}

static edgefw_status read_old(edgefw_context *ctx, edgefw_arena *scratch, const char *folder,
                              const char *path, edgefw__ini **out) {
  char *text = NULL;
  size_t length = 0;
  edgefw_status status = edgefw__text_read(ctx, path, &text, &length);
  if (status != EDGEFW_OK) return status;
  if (strncmp(text, mark, sizeof mark - 1) == 0)
    status = edgefw__ini_read_text(ctx, scratch, text, path, out);
  else
    status = refuse_folder(ctx, folder, "no run wrote its config.ini");
  edgefw_release(ctx, text);
  return status;
}

edgefw_status edgefw__run_folder_prepare(edgefw_context *ctx, edgefw_arena *scratch,
                                         const char *folder, const edgefw__config *config,
                                         bool fresh) {
  const char *path = edgefw__path_join(scratch, folder, "config.ini");
  if (!path) return edgefw_failure(ctx);
  struct stat information;
  edgefw_status status = EDGEFW_OK;
  if (stat(path, &information) == 0) {
    edgefw__ini *old = NULL, *new = NULL;
    status = read_old(ctx, scratch, folder, path, &old);
    if (status != EDGEFW_OK) return status;
    if (!fresh) {
      status = edgefw__ini_read_text(ctx, scratch, config->text, config->path, &new);
      return status == EDGEFW_OK ? compare(ctx, scratch, folder, old, new) : status;
    }
    status = clear(ctx, scratch, folder, old);
  } else if (!is_empty(folder)) {
    return refuse_folder(ctx, folder, "it has no config.ini");
  }
  if (status == EDGEFW_OK) status = edgefw__make_folders(ctx, folder);
  if (status != EDGEFW_OK) return status;
  const char *text = edgefw_arena_format(scratch, "%s\n%s", mark, config->text);
  return text ? edgefw__write_file(ctx, path, text, strlen(text)) : edgefw_failure(ctx);
}
