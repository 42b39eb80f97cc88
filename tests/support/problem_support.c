/* See problem_support.h. */
#include "support/test.h"

#include "support/problem_support.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "data/generate.h"
#include "files/tsplib.h"
#include "support/io_support.h"
#include "support/tiny_model.h"

void problem_open(problem_fixture *f, const char *name) {
  const char *folder = EDGEFW_BUILD_DIR "/lib/edgefw";
  const edgefw__plugin *plugin = NULL;
  *f = (problem_fixture){0};
  assert_int_equal(edgefw_context_create(&f->ctx, NULL), EDGEFW_OK);
  edgefw_set_threads(f->ctx, 1);
  tiny_ok(f, edgefw__registry_create_from(f->ctx, &folder, 1, &f->registry));
  tiny_ok(f, edgefw__registry_find(f->registry, EDGEFW_KIND_PROBLEM, name, &plugin));
  tiny_ok(f, edgefw__engine_open(f->ctx, f->registry, "reference", &f->engine));
  tiny_ok(f, edgefw_arena_create(f->ctx, &f->arena, "test", 0, true));
  f->problem = &plugin->vtable.problem;
  f->option_table = plugin->descriptor->options;
  tiny_ok(f, edgefw__options_defaults(f->ctx, f->arena, f->option_table, &f->options));
}

void problem_close(problem_fixture *f) {
  edgefw_arena_destroy(f->arena);
  edgefw__engine_close(&f->engine);
  edgefw__registry_destroy(f->registry);
  edgefw_context_destroy(f->ctx);
}

void problem_set(problem_fixture *f, const char *key, const char *value) {
  const edgefw__setting setting = {
      .key = edgefw_arena_text(f->arena, key),
      .value = edgefw_arena_text(f->arena, value),
      .where = "test",
  };
  tiny_ok(f, edgefw__options_create(f->ctx, f->arena, "problem", f->option_table, &setting, 1,
                                    &f->options));
}

edgefw_instance problem_instance(const problem_fixture *f, int64_t n) {
  edgefw_instance instance = {.n = n, .id = 7, .name = "mine", .fields = f->problem->fields};
  for (int i = 0; f->problem->fields[i].name; ++i) {
    const int64_t count = edgefw_field_count(f->problem->fields[i].shape, n);
    instance.data[i] = edgefw_allocate(f->ctx, (size_t)count, sizeof(double), "a field");
    assert_non_null(instance.data[i]);
  }
  return instance;
}

void problem_release(const problem_fixture *f, edgefw_instance *instance) {
  for (int i = 0; i < EDGEFW_MAX_FIELDS; ++i) edgefw_release(f->ctx, instance->data[i]);
}

double *problem_field(const edgefw_instance *instance, const char *name) {
  double *data = edgefw_instance_field(instance, name);
  assert_non_null(data);
  return data;
}

/* One generator is enough for one instance. */
static edgefw_status generate(const problem_fixture *f, edgefw_instance *out) {
  edgefw_generator generator = {.ctx = f->ctx,
                                .seed = 2026,
                                .instance = out->id,
                                .shortest_paths = f->engine.kernels->shortest_paths};
  const edgefw_status status = f->problem->generate(&generator, f->options, out);
  edgefw_release(f->ctx, generator.scratch);
  return status;
}

edgefw_instance problem_generate(const problem_fixture *f, int64_t n, uint64_t id) {
  edgefw_instance instance = problem_instance(f, n);
  instance.id = id;
  instance.name = NULL;
  tiny_ok(f, generate(f, &instance));
  return instance;
}

void problem_generates_nothing(const problem_fixture *f, int64_t n, const char *part) {
  edgefw_instance instance = problem_instance(f, n);
  tiny_fails(f, generate(f, &instance), EDGEFW_CONFIG, part);
  problem_release(f, &instance);
}

edgefw_status problem_accept(const problem_fixture *f, edgefw_instance *instance) {
  return f->problem->accept(f->ctx, f->options, instance);
}

edgefw_status problem_check(const problem_fixture *f, const edgefw_instance *instance,
                            const int32_t *tour, int64_t count, double *cost) {
  return f->problem->check(f->ctx, f->options, instance, tour, count, cost);
}

/* From the parsed file to an accepted instance. */
static edgefw_status take(const problem_fixture *f, const edgefw_tsplib *file,
                          edgefw_instance *out) {
  int64_t nodes = 0;
  edgefw_status status = f->problem->file_nodes(f->ctx, f->options, file, &nodes);
  if (status != EDGEFW_OK) return status;
  edgefw_instance instance = problem_instance(f, nodes);
  status = f->problem->read(f->ctx, f->options, file, &instance);
  if (status == EDGEFW_OK) status = problem_accept(f, &instance);
  if (status == EDGEFW_OK)
    *out = instance;
  else
    problem_release(f, &instance);
  return status;
}

edgefw_status problem_read_file(const problem_fixture *f, const char *path, edgefw_instance *out) {
  edgefw_tsplib file;
  const edgefw_status status = edgefw__tsplib_read(f->ctx, f->arena, path, &file);
  return status == EDGEFW_OK ? take(f, &file, out) : status;
}

edgefw_status problem_read(const problem_fixture *f, const char *text, edgefw_instance *out) {
  char folder[256], path[512];
  io_write(io_path(path, io_folder_create(folder, sizeof folder), "x.vrp"), text, strlen(text));
  const edgefw_status status = problem_read_file(f, path, out);
  io_folder_remove(folder);
  return status;
}

void problem_read_folder(const problem_fixture *f, const char *folder, const char *suffix,
                         void (*visit)(const problem_fixture *, const edgefw_instance *,
                                       const char *stem)) {
  char pattern[1024];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/data/%s/*%s", EDGEFW_SOURCE_DIR, folder, suffix);
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; ++i) {
    char *path = found.gl_pathv[i];
    edgefw_instance instance;
    tiny_ok(f, problem_read_file(f, path, &instance));
    path[strlen(path) - strlen(suffix)] = '\0';
    visit(f, &instance, path);
    problem_release(f, &instance);
  }
  globfree(&found);
}
