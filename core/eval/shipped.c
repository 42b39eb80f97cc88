/* Finding the model of a problem in folders. */
#include "eval/shipped.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/search_path.h"
#include "base/text.h"
#include "policy/model_file.h"

#define SUFFIX ".h5"
#define PLACE  "share/edgefw/models" /* beside the program */

/* Beside the library, whose folder may be lib or lib/ARCHITECTURE. */
static const char *const beside_library[] = {"../" PLACE, "../../" PLACE, NULL};

typedef struct search {
  edgefw_context *ctx;
  edgefw_arena *arena;
  const edgefw__registry *registry;
  const edgefw__shipped_request *request;
  edgefw__trained *out; /* its model is NULL until one was found */
} search;

/* --- One file --- */

/* What is wrong with a model that nobody asked for is told, and the search goes on. */
static edgefw_status pass_over(const search *s, const char *path, edgefw_status status) {
  edgefw__trained_close(s->out);
  if (status == EDGEFW_OUT_OF_MEMORY) return status; /* says nothing about the file */
  edgefw_log(s->ctx, EDGEFW_LOG_WARNING, "the model %s is left out: %s", path,
             edgefw_message(s->ctx));
  edgefw_clear(s->ctx);
  return EDGEFW_OK;
}

/* Is the checkpoint one of the problem? */
static edgefw_status ask(const search *s, const char *path, bool *fits) {
  edgefw__checkpoint *checkpoint = NULL;
  const edgefw_status status = edgefw__checkpoint_open(s->ctx, path, &checkpoint);
  *fits = status == EDGEFW_OK &&
          edgefw__registry_lookup(s->registry, EDGEFW_KIND_PROBLEM,
                                  edgefw__checkpoint_content_of(checkpoint)->meta.problem) ==
              s->request->problem;
  edgefw__checkpoint_close(checkpoint);
  return status;
}

/* A device that cannot be had is no fault of the file, and fails. */
static edgefw_status try_file(const search *s, const char *path) {
  edgefw__trained *out = s->out;
  bool fits = false;
  edgefw_status status = ask(s, path, &fits);
  if (status == EDGEFW_OK && !fits) return EDGEFW_OK;
  if (status == EDGEFW_OK) status = edgefw__trained_read(s->ctx, s->registry, path, out);
  if (status != EDGEFW_OK) return pass_over(s, path, status);
  status = edgefw__engine_open_with(s->ctx, s->registry, s->request->device, s->request->precision,
                                    &out->engine);
  if (status != EDGEFW_OK) return status;
  edgefw__engine_tell(&out->engine, EDGEFW_LOG_DEBUG);
  status = edgefw__model_open(&out->engine, &out->config->variants[0], path, &out->model);
  return status == EDGEFW_OK ? EDGEFW_OK : pass_over(s, path, status);
}

/* --- Folders --- */

static bool is_model_file(const char *name) {
  const size_t length = strlen(name), suffix = sizeof SUFFIX - 1;
  return *name != '.' && length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;
}

/* The first file of the folder whose name comes behind `last` (NULL: the first of all); *name is
 * NULL if there is none, or no such folder. */
static edgefw_status next_file(const search *s, const char *folder, const char *last,
                               const char **name) {
  DIR *entries = opendir(folder);
  edgefw_status status = EDGEFW_OK;
  *name = NULL;
  if (!entries) return EDGEFW_OK; /* most of the folders need not exist */
  for (struct dirent *entry; status == EDGEFW_OK && (entry = readdir(entries));) {
    const char *here = entry->d_name;
    if (!is_model_file(here) || (last && strcmp(here, last) <= 0)) continue;
    if (*name && strcmp(here, *name) >= 0) continue;
    *name = edgefw_arena_text(s->arena, here);
    if (!*name) status = edgefw_failure(s->ctx);
  }
  (void)closedir(entries);
  return status;
}

static edgefw_status search_folder(const search *s, const char *folder, const char **found) {
  const char *name = NULL;
  while (!*found) {
    edgefw_status status = next_file(s, folder, name, &name);
    if (status != EDGEFW_OK || !name) return status;
    const char *path = edgefw__path_join(s->arena, folder, name);
    status = path ? try_file(s, path) : edgefw_failure(s->ctx);
    if (status != EDGEFW_OK) return status;
    if (s->out->model) *found = path;
  }
  return EDGEFW_OK;
}

static edgefw_status list_folders(const search *s, edgefw__search_path *folders) {
  edgefw_status status =
      edgefw__search_path_add_list(s->ctx, s->arena, s->request->model_path, folders);
  if (status == EDGEFW_OK)
    status = edgefw__search_path_add_list(s->ctx, s->arena, getenv("EDGEFW_MODEL_PATH"), folders);
  if (status == EDGEFW_OK)
    status = edgefw__search_path_add_program(s->ctx, s->arena, PLACE, folders);
  if (status == EDGEFW_OK)
    status = edgefw__search_path_add_library(s->ctx, s->arena, beside_library, folders);
#ifdef EDGEFW_DATADIR
  if (status == EDGEFW_OK)
    status = edgefw__search_path_add(s->ctx, s->arena, EDGEFW_DATADIR "/edgefw/models", folders);
#endif
  return status;
}

edgefw_status edgefw__shipped_open(edgefw_context *ctx, edgefw_arena *arena,
                                   const edgefw__registry *registry,
                                   const edgefw__shipped_request *request, const char **path,
                                   edgefw__trained *out) {
  const search s = {
      .ctx = ctx, .arena = arena, .registry = registry, .request = request, .out = out};
  edgefw__search_path folders = {0};
  *out = (edgefw__trained){0};
  *path = NULL;
  edgefw_status status = list_folders(&s, &folders);
  for (size_t f = 0; status == EDGEFW_OK && !*path && f < folders.count; ++f)
    status = search_folder(&s, folders.folders[f], path);
  return status;
}

edgefw_status edgefw__shipped_find(edgefw_context *ctx, edgefw_arena *arena, const char *model_path,
                                   const char *name, const char **path) {
  const edgefw__shipped_request request = {.model_path = model_path};
  const search s = {.ctx = ctx, .arena = arena, .request = &request};
  edgefw__search_path folders = {0};
  edgefw__text list = {.ctx = ctx};
  edgefw_status status = list_folders(&s, &folders);
  *path = NULL;
  for (size_t f = 0; status == EDGEFW_OK && !*path && f < folders.count; ++f) {
    const char *file = edgefw_arena_format(arena, "%s/%s" SUFFIX, folders.folders[f], name);
    if (!file) status = edgefw_failure(ctx);
    if (file && access(file, F_OK) == 0) *path = file;
    edgefw__text_add(&list, "%s%s", f ? ", " : "", folders.folders[f]);
  }
  if (status == EDGEFW_OK && !*path)
    status = edgefw_fail(ctx, EDGEFW_CONFIG, "no model is called '%s' in the folders %s", name,
                         edgefw__text_get(&list));
  edgefw__text_release(&list);
  return status;
}
