/* The model fixture; see tiny_model.h. */
#include "support/test.h"

#include "support/tiny_model.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/dataset.h"
#include "data/generate.h"
#include "policy/model_file.h"
#include "support/toy_gpu.h"
#include "support/toy_plugins.h"

#define PLUGIN_FOLDER      EDGEFW_BUILD_DIR "/lib/edgefw"
#define TEST_DEVICE_FOLDER EDGEFW_BUILD_DIR "/tests/devices" /* may be missing */

/* Is `folder`/`name``suffix` in the source tree? */
static bool has_source(const char *folder, const char *name, const char *suffix) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s/%s%s", EDGEFW_SOURCE_DIR, folder, name, suffix);
  return access(path, R_OK) == 0;
}

static bool has_term(const char *term) {
  return has_source("plugins/decoders", term, ".c");
}

bool tiny_has_device(const char *device) {
  char path[1024];
  snprintf(path, sizeof path, TEST_DEVICE_FOLDER "/edgefw_%s.so", device);
  return strncmp(device, "reference", 9) == 0 || has_source("kernels", device, "/device.c") ||
         access(path, R_OK) == 0;
}

void tiny_require_term(const char *term) {
  if (!has_term(term)) test_skip_missing();
}

bool tiny_missing(void) {
  const bool missing = !has_source("plugins/problems", "atsp", ".c") ||
                       !has_source("plugins/backbones", "radar", ".c");
  if (missing) print_message("nothing to test: the plugin atsp or radar is not in the tree\n");
  return missing;
}

/* `text` with the terms of its "terms = ..." line that are in the tree; free(). */
static char *present_terms(const char *text) {
  char *out = calloc(1, strlen(text) + 1), *copy = strdup(text);
  char *line = copy ? strstr(copy, "\nterms =") : NULL;
  assert_true(out && copy);
  if (!line) {
    strcpy(out, text);
    free(copy);
    return out;
  }
  char *names = line + sizeof "\nterms =" - 1, *end = strchr(names, '\n');
  const char *rest = text + (end ? end - copy : (ptrdiff_t)strlen(copy));
  if (end) *end = '\0';
  strncat(out, text, (size_t)(names - copy));
  const char *separator = " ";
  char *at = NULL;
  for (char *name = strtok_r(names, ", ", &at); name; name = strtok_r(NULL, ", ", &at)) {
    if (!has_term(name)) continue;
    strcat(out, separator);
    strcat(out, name);
    separator = ", ";
  }
  strcat(out, rest);
  free(copy);
  return out;
}

void tiny_ok_at(edgefw_context *ctx, edgefw_status status, const char *file, int line) {
  if (status == EDGEFW_OK) return;
  print_error("%s: %s\n", edgefw_status_name(status), edgefw_message(ctx));
  _fail(file, line);
}

void tiny_fails_at(edgefw_context *ctx, edgefw_status status, edgefw_status expected,
                   const char *part, const char *file, int line) {
  if (status != expected || !strstr(edgefw_message(ctx), part)) {
    print_error("found %s: %s\nexpected %s: ...%s...\n", edgefw_status_name(status),
                edgefw_message(ctx), edgefw_status_name(expected), part);
    _fail(file, line);
  }
  edgefw_clear(ctx);
}

static void begin(tiny_model *tiny, const edgefw_allocator *allocator, const char *const folders[2],
                  const char *text, const char *device) {
  *tiny = (tiny_model){0};
  assert_int_equal(edgefw_context_create(&tiny->ctx, allocator), EDGEFW_OK);
  edgefw_set_threads(tiny->ctx, 1);
  tiny_ok(tiny, edgefw__registry_create_from(tiny->ctx, folders, 2, &tiny->registry));
  char *present = present_terms(text);
  tiny_ok(tiny, edgefw__compose_text(tiny->ctx, tiny->registry, present, "test", &tiny->config));
  free(present);
  tiny->composition = &tiny->config->variants[0];
  tiny_ok(tiny, edgefw__engine_open(tiny->ctx, tiny->registry, device, &tiny->engine));
}

void tiny_begin(tiny_model *tiny, const edgefw_allocator *allocator, const char *text,
                const char *device) {
  static const char *const folders[] = {PLUGIN_FOLDER, TEST_DEVICE_FOLDER};
  begin(tiny, allocator, folders, text, device);
}

void tiny_open_gpu(tiny_model *tiny, const sandbox *box, const char *text, uint64_t seed,
                   bool training) {
  const char *folders[] = {toy_gpu_link(box, "toy_gpu"), TEST_DEVICE_FOLDER};
  begin(tiny, NULL, folders, text, "cuda");
  tiny_ok(tiny,
          edgefw__model_create(&tiny->engine, tiny->composition, seed, training, &tiny->model));
}

void tiny_open_heuristic(tiny_model *tiny, const sandbox *box, const char *text) {
  const char *folders[] = {toy_gpu_link(box, NULL), TEST_DEVICE_FOLDER};
  sandbox_link(box, "plugins/edgefw_inorder.so", toy_fixture("good_heuristic"));
  begin(tiny, NULL, folders, text, "reference");
  tiny_ok(tiny,
          edgefw__constructs(tiny->composition)
              ? edgefw__model_constructing(&tiny->engine, tiny->composition, &tiny->model)
              : edgefw__model_create(&tiny->engine, tiny->composition, 5, false, &tiny->model));
}

void tiny_open(tiny_model *tiny, const char *text, const char *device, uint64_t seed,
               bool training) {
  tiny_begin(tiny, NULL, text, device);
  tiny_ok(tiny,
          edgefw__model_create(&tiny->engine, tiny->composition, seed, training, &tiny->model));
}

void tiny_close(tiny_model *tiny) {
  edgefw__model_destroy(tiny->model);
  edgefw__engine_close(&tiny->engine);
  edgefw__config_destroy(tiny->config);
  edgefw__registry_destroy(tiny->registry);
  edgefw_context_destroy(tiny->ctx);
  *tiny = (tiny_model){0};
}

edgefw__batch *tiny_batch(const tiny_model *tiny, int64_t n, uint64_t seed, uint64_t first,
                          int64_t count) {
  const edgefw_problem *problem = &tiny->composition->problem->vtable.problem;
  edgefw__generator_pool *pool = NULL;
  edgefw__batch *batch = NULL;
  tiny_ok(tiny, edgefw__batch_create(tiny->ctx, problem->fields, count, n, &batch));
  tiny_ok(tiny, edgefw__generator_pool_create(tiny->ctx, &pool));
  tiny_ok(tiny, edgefw__generate_batch(tiny->ctx, pool,
                                       &(edgefw__generate_request){
                                           .problem = problem,
                                           .options = tiny->composition->problem_options,
                                           .shortest_paths = tiny->engine.kernels->shortest_paths,
                                           .seed = seed,
                                           .first_id = first,
                                           .count = count},
                                       batch));
  edgefw__generator_pool_destroy(tiny->ctx, pool);
  return batch;
}

void tiny_dataset(const tiny_model *tiny, const char *path, const edgefw__batch *batch) {
  const edgefw__plugin *problem = tiny->composition->problem;
  edgefw__dataset_writer *writer = NULL;
  tiny_ok(tiny, edgefw__dataset_create(tiny->ctx, path, problem->descriptor->name, "",
                                       EDGEFW__DATASET_NO_SEED, batch->fields, batch->count,
                                       batch->n, &writer));
  tiny_ok(tiny, edgefw__dataset_append(writer, batch));
  tiny_ok(tiny, edgefw__dataset_finish(writer));
}

void tiny_checkpoint(const tiny_model *tiny, const char *path, const char *config) {
  edgefw_arena *arena = NULL;
  tiny_ok(tiny, edgefw_arena_create(tiny->ctx, &arena, "test", 0, true));
  const edgefw__composition *c = tiny->composition;
  const edgefw__checkpoint_content content = {
      .meta = {.problem = c->problem->descriptor->name,
               .backbone = c->backbone->descriptor->name,
               .terms = edgefw__model_plugins(c, arena, true),
               .plugins = edgefw__model_plugins(c, arena, false),
               .config = config,
               .epoch = 1},
      .tensors = edgefw__model_tensors(tiny->model, arena),
      .tensor_count = tiny->model->parameters->item_count};
  assert_non_null(content.tensors);
  tiny_ok(tiny, edgefw__checkpoint_write(tiny->ctx, path, &content));
  edgefw_arena_destroy(arena);
}

edgefw__policy *tiny_policy(const tiny_model *tiny, int64_t capacity, int64_t n, bool training) {
  edgefw__policy *policy = NULL;
  tiny_ok(tiny, edgefw__policy_create(tiny->model, capacity, n, 0, training, &policy));
  return policy;
}

double *tiny_download(const tiny_model *tiny, const void *array, int64_t count) {
  double *values = malloc((size_t)count * sizeof *values);
  assert_non_null(values);
  tiny->engine.kernels->download(tiny->engine.device, values, array, count);
  return values;
}

void tiny_upload(const tiny_model *tiny, void *array, const double *values, int64_t count) {
  tiny->engine.kernels->upload(tiny->engine.device, array, values, count);
}
