/* Writing solutions into a file or a folder. */
#include "report/solution_files.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/path.h"
#include "eval/names.h"

/* --- Names in a folder --- */

static int64_t count_instances(const edgefw__inputs *inputs) {
  int64_t instances = 0;
  for (int64_t i = 0; i < inputs->count; ++i) /* one that cannot be read counts as one */
    instances += inputs->items[i].fault ? 1 : inputs->items[i].set.count;
  return instances;
}

/* Cut the last ending off, unless nothing would be left. */
static void cut_ending(char *name) {
  char *dot = strrchr(name, '.');
  if (dot && dot > name && dot[-1] != '/' && !strchr(dot, '/')) *dot = '\0';
}

/* "a_b" for "x/a/b.tsp" and 2 parts, "a_b.tsp" with `whole`: a name for a file. */
static char *flat_name(edgefw_arena *arena, const char *path, int parts, bool whole) {
  char *name = edgefw_arena_text(arena, edgefw__names_path_end(path, parts));
  if (!name) return NULL;
  const size_t length = strlen(name);
  if (!whole && length > 3 && strcasecmp(name + length - 3, ".gz") == 0) cut_ending(name);
  if (!whole) cut_ending(name);
  for (char *c = name; *c; ++c)
    if (*c == '/') *c = '_';
  return name;
}

static bool is_taken(const char *const *names, int64_t count, int64_t own) {
  for (int64_t i = 0; i < count; ++i)
    if (i != own && names[i] && strcmp(names[i], names[own]) == 0) return true;
  return false;
}

static int depth_of(const char *path) {
  int parts = 1;
  for (; *path; ++path) parts += *path == '/';
  return parts;
}

/* Those that share their name with another input take the one made of so many parts. */
static edgefw_status rename_taken(edgefw_context *ctx, edgefw_arena *arena,
                                  const edgefw__inputs *inputs, int parts, bool whole,
                                  const char **names) {
  bool *taken = edgefw_arena_take(arena, (size_t)inputs->count, sizeof *taken);
  if (!taken) return edgefw_failure(ctx);
  for (int64_t i = 0; i < inputs->count; ++i) taken[i] = is_taken(names, inputs->count, i);
  for (int64_t i = 0; i < inputs->count; ++i) {
    if (taken[i]) names[i] = flat_name(arena, inputs->items[i].path, parts, whole);
    if (!names[i]) return edgefw_failure(ctx);
  }
  return EDGEFW_OK;
}

/* Give every input a name that no other one has: its base name without the ending, then with more
 * and more of its folders before it, and where that is not enough the same with the ending. */
static edgefw_status choose_names(edgefw_context *ctx, edgefw_arena *arena,
                                  const edgefw__inputs *inputs, const char **names) {
  int most = 1;
  for (int64_t i = 0; i < inputs->count; ++i) {
    const int depth = depth_of(inputs->items[i].path);
    if (depth > most) most = depth;
    names[i] = flat_name(arena, inputs->items[i].path, 1, false);
    if (!names[i]) return edgefw_failure(ctx);
  }
  edgefw_status status = EDGEFW_OK;
  for (int parts = 2; status == EDGEFW_OK && parts <= most; ++parts)
    status = rename_taken(ctx, arena, inputs, parts, false, names);
  for (int parts = 1; status == EDGEFW_OK && parts <= most; ++parts)
    status = rename_taken(ctx, arena, inputs, parts, true, names);
  for (int64_t i = 0; status == EDGEFW_OK && i < inputs->count; ++i)
    if (is_taken(names, inputs->count, i))
      status = edgefw_fail(ctx, EDGEFW_CONFIG,
                           "%s: its solution would be called %s as that of another input; give "
                           "each input once, or write to different folders",
                           inputs->items[i].path, names[i]);
  return status;
}

/* --- Planning --- */

static bool is_folder(const char *path) {
  struct stat information;
  return stat(path, &information) == 0 && S_ISDIR(information.st_mode);
}

static bool exists(const char *path) {
  struct stat information;
  return stat(path, &information) == 0;
}

edgefw_status edgefw__solution_files_plan(edgefw_context *ctx, edgefw_arena *arena,
                                          const char *target, const edgefw_problem *problem,
                                          const edgefw__inputs *inputs,
                                          edgefw__solution_files *out) {
  *out = (edgefw__solution_files){.problem = problem,
                                  .inputs = inputs,
                                  .target = target,
                                  .form = edgefw__solution_form_of(problem)};
  if (!target) return EDGEFW_OK;
  const int64_t instances = count_instances(inputs);
  const size_t length = strlen(target);
  const bool folder = is_folder(target), slash = length > 0 && target[length - 1] == '/';
  if (instances == 1 && !folder && !slash) return EDGEFW_OK;
  if (!folder && exists(target))
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "--output %s is a file; the solutions of %" PRId64
                       " instances need a folder: name one (it is made where it is missing)",
                       target, instances);
  out->names = edgefw_arena_take(arena, (size_t)inputs->count, sizeof *out->names);
  if (!out->names) return edgefw_failure(ctx);
  const edgefw_status status = choose_names(ctx, arena, inputs, out->names);
  return status == EDGEFW_OK ? edgefw__make_folders(ctx, target) : status;
}

/* --- Writing --- */

/* Where the instance's solution goes; its folder is made. NULL: a failure is recorded. */
static const char *path_of(edgefw_context *ctx, edgefw_arena *scratch,
                           const edgefw__solution_files *files, const edgefw__input *input,
                           int64_t instance) {
  const char *ending = edgefw__solution_form_name(files->form);
  if (!files->names) return files->target;
  const char *name = files->names[input - files->inputs->items];
  if (!input->set.dataset && input->set.count == 1)
    return edgefw_arena_format(scratch, "%s/%s.%s", files->target, name, ending);
  const char *folder = edgefw_arena_format(scratch, "%s/%s", files->target, name);
  if (!folder || edgefw__make_folders(ctx, folder) != EDGEFW_OK) return NULL;
  return edgefw_arena_format(scratch, "%s/%" PRId64 ".%s", folder, instance, ending);
}

edgefw_status edgefw__solution_files_write(edgefw_context *ctx, edgefw_arena *scratch,
                                           const edgefw__solution_files *files,
                                           const edgefw__input *input,
                                           const edgefw__eval_answer *answer) {
  if (!files->target) return EDGEFW_OK;
  const char *path = path_of(ctx, scratch, files, input, answer->instance);
  if (!path) return edgefw_failure(ctx);
  edgefw__text text = {.ctx = ctx};
  edgefw__solution_text_header(files->form, &text);
  edgefw__solution_text_add(files->problem, &input->set, answer, files->form, &text);
  const edgefw_status status =
      text.failed ? edgefw_failure(ctx)
                  : edgefw__write_file(ctx, path, edgefw__text_get(&text), text.length);
  edgefw__text_release(&text);
  return status;
}
