/* Shipped models: which file of a folder is taken, and that a bad one is passed over.
 * needs plugins: atsp acvrp radar */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/shipped.h"
#include "policy/fingerprint.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

static sandbox box;
static tiny_model tiny; /* a model of atsp */
static edgefw_arena *arena;
static char warnings[4096];

static void listen(void *user, edgefw_log_level level, const char *line) {
  (void)user;
  if (level < EDGEFW_LOG_WARNING) return;
  strncat(warnings, line, sizeof warnings - strlen(warnings) - 2);
  strcat(warnings, "\n");
}

static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, true);
  tiny_ok(&tiny, edgefw_arena_create(tiny.ctx, &arena, "test", 0, true));
  edgefw_set_log(tiny.ctx, listen, NULL);
  warnings[0] = '\0';
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unsetenv("EDGEFW_MODEL_PATH");
  edgefw_arena_destroy(arena);
  tiny_close(&tiny);
  sandbox_remove(&box);
  return 0;
}

/* Write the model of a seed to a file in the box. */
static void write_model(const char *name, uint64_t seed) {
  char path[128];
  sandbox_write(&box, name, ""); /* makes the folders */
  snprintf(path, sizeof path, "%s", sandbox_path(&box, name));
  edgefw__model_destroy(tiny.model);
  tiny_ok(&tiny, edgefw__model_create(&tiny.engine, tiny.composition, seed, true, &tiny.model));
  tiny_checkpoint(&tiny, path, tiny.composition->text);
}

static edgefw_status open_from(const char *folders, const char *problem, const char *device,
                               const char **path, edgefw__trained *out) {
  const edgefw__shipped_request request = {
      .model_path = folders,
      .problem = edgefw__registry_lookup(tiny.registry, EDGEFW_KIND_PROBLEM, problem),
      .device = device};
  return edgefw__shipped_open(tiny.ctx, arena, tiny.registry, &request, path, out);
}

/* What is found in these folders for the problem is the box's file `name` (NULL: none of them). */
static void expect_found(const char *folders, const char *problem, const char *name) {
  const char *path = NULL;
  edgefw__trained trained;
  tiny_ok(&tiny, open_from(folders, problem, "reference", &path, &trained));
  assert_true((path != NULL) == (trained.model != NULL));
  if (name)
    assert_string_equal(path, sandbox_path(&box, name));
  else
    assert_true(!path || !strstr(path, box.folder));
  edgefw__trained_close(&trained);
}

static void the_first_of_the_problem_is_taken(void **state) {
  (void)state;
  char two[256];
  write_model("a/m.h5", 1);
  write_model("a/b.h5", 2);
  write_model("b/a.h5", 3);
  sandbox_write(&box, "a/README.md", "no model");
  sandbox_write(&box, "a/.a.h5", "hidden");
  expect_found(sandbox_path(&box, "a"), "atsp", "a/b.h5");
  expect_found(sandbox_path(&box, "a"), "acvrp", NULL);
  snprintf(two, sizeof two, "%s:%s", sandbox_path(&box, "none"), sandbox_path(&box, "b"));
  setenv("EDGEFW_MODEL_PATH", two, 1);
  expect_found(NULL, "atsp", "b/a.h5");
  expect_found(sandbox_path(&box, "a"), "atsp", "a/b.h5"); /* it comes before the variable */
  assert_string_equal(warnings, "");
}

/* It is the model of the file, not just any of the problem. */
static void the_model_is_that_of_the_file(void **state) {
  (void)state;
  const char *path = NULL;
  uint64_t written = 0, found = 1;
  edgefw__trained trained;
  write_model("a/m.h5", 7);
  tiny_ok(&tiny, edgefw__fingerprint(tiny.model, &written));
  tiny_ok(&tiny, open_from(sandbox_path(&box, "a"), "atsp", "reference", &path, &trained));
  tiny_ok(&tiny, edgefw__fingerprint(trained.model, &found));
  assert_int_equal(written, found);
  edgefw__trained_close(&trained);
}

static void bad_files_are_passed_over(void **state) {
  (void)state;
  sandbox_write(&box, "a/1.h5", "no HDF5 at all");
  write_model("a/2.h5", 1);
  tiny_checkpoint(&tiny, sandbox_path(&box, "a/2.h5"),
                  "[problem]\nname = atsp\n[backbone]\nname = nobody\n");
  write_model("a/3.h5", 1);
  tiny_checkpoint(&tiny, sandbox_path(&box, "a/3.h5"), TINY_PLAIN "[backbone]\nff_hidden = 16\n");
  expect_found(sandbox_path(&box, "a"), "atsp", NULL);
  assert_non_null(strstr(warnings, "a/1.h5 is left out: "));
  assert_non_null(strstr(warnings, "a/2.h5 is left out: "));
  assert_non_null(strstr(warnings, "nobody"));
  assert_non_null(strstr(warnings, "a/3.h5 is left out: "));
  write_model("a/4.h5", 1);
  expect_found(sandbox_path(&box, "a"), "atsp", "a/4.h5");
}

/* A device that cannot be had is the user's mistake, not the file's. */
static void a_device_must_be_there(void **state) {
  (void)state;
  const char *path = NULL;
  edgefw__trained trained;
  write_model("a/m.h5", 1);
  tiny_fails(&tiny, open_from(sandbox_path(&box, "a"), "atsp", "none", &path, &trained),
             EDGEFW_PLUGIN_FIND, "device = none");
  edgefw__trained_close(&trained);
}

static void a_model_is_found_by_its_name(void **state) {
  (void)state;
  const char *path = NULL;
  write_model("a/m.h5", 1);
  tiny_ok(&tiny, edgefw__shipped_find(tiny.ctx, arena, sandbox_path(&box, "a"), "m", &path));
  assert_string_equal(path, sandbox_path(&box, "a/m.h5"));
  tiny_fails(&tiny, edgefw__shipped_find(tiny.ctx, arena, sandbox_path(&box, "a"), "nobody", &path),
             EDGEFW_CONFIG, "no model is called 'nobody' in the folders");
  assert_null(path);
}

#define SHIPPED_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      SHIPPED_TEST(the_first_of_the_problem_is_taken), SHIPPED_TEST(the_model_is_that_of_the_file),
      SHIPPED_TEST(bad_files_are_passed_over),         SHIPPED_TEST(a_device_must_be_there),
      SHIPPED_TEST(a_model_is_found_by_its_name),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
