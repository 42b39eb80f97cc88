/* The files of a run. Folders are opened once and their entries named relative to them, so that
 * what was examined is what is removed. */
#include "experiment/run_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "experiment/run_lock.h"
#include "experiment/run_tours.h"
#include "files/checkpoint.h"
#include "report/diagnostic_rows.h"
#include "report/event_file.h"
#include "report/instance_tables.h"
#include "report/run_record.h"

/* --- Names --- */

static const char *const top_names[] = {
    "config.ini",        "results.csv",         "results.json",           "table.md",
    "log.txt",           EDGEFW__RUN_LOCK_NAME, EDGEFW__DIAGNOSTICS_FILE, "report.html",
    EDGEFW__MACHINE_FILE};
static const char *const plot_names[] = {"training.csv",   "training.gp",     "training.svg",
                                         "training.png",   "gap.csv",         "gap.gp",
                                         "gap.svg",        "gap.png",         "diagnostics.csv",
                                         "diagnostics.gp", "diagnostics.svg", "diagnostics.png"};

static bool is_listed(const char *name, size_t length, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (strlen(list[i]) == length && strncmp(list[i], name, length) == 0) return true;
  return false;
}

static bool is_table(const char *name, edgefw__run_names variants) {
  for (size_t v = 0; v < variants.count; ++v)
    if (edgefw__instance_table_owns(name, variants.items[v])) return true;
  return false;
}

static bool is_tour(const char *name, edgefw__run_names variants) {
  for (size_t v = 0; v < variants.count; ++v)
    if (edgefw__run_tours_owns(name, variants.items[v])) return true;
  return false;
}

/* Is the text of `length` bytes the name of a file that stays? */
static bool is_final(edgefw__run_part part, const char *name, size_t length,
                     edgefw__run_names variants) {
  char text[NAME_MAX + 1];
  switch (part) {
  case EDGEFW__RUN_TOP:
    return is_listed(name, length, top_names, sizeof top_names / sizeof *top_names);
  case EDGEFW__RUN_PLOTS:
    if (is_listed(name, length, plot_names, sizeof plot_names / sizeof *plot_names)) return true;
    break;
  case EDGEFW__RUN_TABLES:
  case EDGEFW__RUN_VARIANT: break;
  }
  if (length >= sizeof text) return false;
  memcpy(text, name, length);
  text[length] = '\0';
  if (part == EDGEFW__RUN_TABLES) return is_table(text, variants);
  if (part == EDGEFW__RUN_PLOTS) return is_tour(text, variants);
  return strcmp(text, "metrics.csv") == 0 || strcmp(text, EDGEFW__EVENT_FILE_NAME) == 0 ||
         strcmp(text, EDGEFW__CHECKPOINT_BEST) == 0 || edgefw__checkpoint_epoch(text) >= 0;
}

bool edgefw__run_file_is_temporary(edgefw__run_part part, const char *name,
                                   edgefw__run_names variants) {
  const size_t length = edgefw__temporary_stem(name);
  return length > 0 && is_final(part, name, length, variants);
}

bool edgefw__run_file_is_own(edgefw__run_part part, const char *name, edgefw__run_names variants) {
  return is_final(part, name, strlen(name), variants) ||
         edgefw__run_file_is_temporary(part, name, variants);
}

/* --- Actions --- */

/* A folder of the run directory while it is worked on. */
typedef struct place {
  edgefw_context *ctx;
  edgefw__run_part part;
  const char *folder, *name; /* the run directory, and the folder in it; "" for itself */
  edgefw__run_names variants;
} place;

static edgefw_status refuse_link(const place *p, const char *entry) {
  return edgefw_fail(p->ctx, EDGEFW_CONFIG,
                     "%s%s%s%s%s is a symbolic link, and a run follows none out of its directory; "
                     "put what it points to in its place, or choose another folder with --out",
                     p->folder, *p->name ? "/" : "", p->name, *entry ? "/" : "", entry);
}

static bool is_link(int directory, const char *name) {
  struct stat information;
  return fstatat(directory, name, &information, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(information.st_mode);
}

static bool stays(const place *p, const char *name) {
  return p->part == EDGEFW__RUN_TOP &&
         (strcmp(name, "config.ini") == 0 || strcmp(name, EDGEFW__RUN_LOCK_NAME) == 0);
}

static edgefw_status do_entry(const place *p, edgefw__run_action action, int directory,
                              const char *name) {
  if (!edgefw__run_file_is_own(p->part, name, p->variants)) return EDGEFW_OK;
  if (action == EDGEFW__RUN_CHECK)
    return is_link(directory, name) ? refuse_link(p, name) : EDGEFW_OK;
  const bool removed = edgefw__run_file_is_temporary(p->part, name, p->variants) ||
                       (action == EDGEFW__RUN_CLEAR && !stays(p, name));
  if (!removed || unlinkat(directory, name, 0) == 0 || errno == ENOENT) return EDGEFW_OK;
  return edgefw_fail(p->ctx, EDGEFW_IO, "%s%s%s/%s: cannot remove: %s", p->folder,
                     *p->name ? "/" : "", p->name, name, strerror(errno));
}

/* `directory` belongs to this function. */
static edgefw_status do_entries(const place *p, edgefw__run_action action, int directory) {
  DIR *entries = fdopendir(directory);
  if (!entries) {
    const int error = errno;
    (void)close(directory);
    return edgefw_fail(p->ctx, EDGEFW_IO, "cannot read the folder '%s/%s': %s", p->folder, p->name,
                       strerror(error));
  }
  edgefw_status status = EDGEFW_OK;
  for (const struct dirent *entry; status == EDGEFW_OK && (entry = readdir(entries)) != NULL;)
    status = do_entry(p, action, directory, entry->d_name);
  (void)closedir(entries);
  return status;
}

static edgefw_status do_part(const place *p, edgefw__run_action action, int top) {
  const char *name = *p->name ? p->name : ".";
  if (is_link(top, name)) return refuse_link(p, "");
  const int directory = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return EDGEFW_OK; /* nothing of a run */
    return edgefw_fail(p->ctx, EDGEFW_IO, "cannot read the folder '%s/%s': %s", p->folder, p->name,
                       strerror(errno));
  }
  const edgefw_status status = do_entries(p, action, directory);
  /* A folder with something else in it stays. */
  if (status == EDGEFW_OK && action == EDGEFW__RUN_CLEAR && *p->name)
    (void)unlinkat(top, p->name, AT_REMOVEDIR);
  return status;
}

edgefw_status edgefw__run_files_apply(edgefw_context *ctx, edgefw__run_action action,
                                      const char *folder, const char *const *variants,
                                      size_t count) {
  const int top = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (top < 0)
    return edgefw_fail(ctx, EDGEFW_IO, "cannot read the folder '%s': %s", folder, strerror(errno));
  place p = {
      .ctx = ctx, .part = EDGEFW__RUN_VARIANT, .folder = folder, .variants = {variants, count}};
  edgefw_status status = EDGEFW_OK;
  for (size_t v = 0; status == EDGEFW_OK && v < count; ++v) {
    p.name = variants[v];
    status = do_part(&p, action, top);
  }
  p.part = EDGEFW__RUN_TABLES;
  p.name = EDGEFW__INSTANCE_TABLES_FOLDER;
  if (status == EDGEFW_OK) status = do_part(&p, action, top);
  p.part = EDGEFW__RUN_PLOTS;
  p.name = "plots";
  if (status == EDGEFW_OK) status = do_part(&p, action, top);
  p.part = EDGEFW__RUN_TOP;
  p.name = "";
  if (status == EDGEFW_OK) status = do_part(&p, action, top);
  (void)close(top);
  return status;
}
