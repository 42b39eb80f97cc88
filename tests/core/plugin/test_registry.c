/* Finding plugins in folders.
 * labels: oom */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/registry.h"
#include "support/expect.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"
#include "support/sandbox.h"
#include "support/toy_plugins.h"

typedef struct fixture {
  edgefw_context *ctx;
  sandbox box;
  char log[4096]; /* all lines */
} fixture;

static void keep_line(void *user, edgefw_log_level level, const char *line) {
  fixture *f = user;
  (void)level;
  strncat(f->log, line, sizeof f->log - strlen(f->log) - 1);
}

static int set_up(void **state) {
  static fixture f;
  f.log[0] = '\0';
  assert_int_equal(edgefw_context_create(&f.ctx, NULL), EDGEFW_OK);
  edgefw_set_log(f.ctx, keep_line, &f);
  sandbox_create(&f.box);
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  sandbox_remove(&f->box);
  edgefw_context_destroy(f->ctx);
  unsetenv("EDGEFW_PLUGIN_PATH");
  return 0;
}

static void link_fixture(fixture *f, const char *name, const char *fixture_name) {
  sandbox_link(&f->box, name, toy_fixture(fixture_name));
}

static edgefw__registry *scan(fixture *f, const char *first, const char *second) {
  const char *const folders[] = {sandbox_path(&f->box, first),
                                 second ? sandbox_path(&f->box, second) : NULL};
  edgefw__registry *registry;
  expect_ok(f->ctx, edgefw__registry_create_from(f->ctx, folders, second ? 2 : 1, &registry));
  return registry;
}

static void plugins_are_found_and_sorted(void **state) {
  fixture *f = *state;
  edgefw__registry *registry = toy_registry(f->ctx, &f->box);
  static const char *const names[] = {"toy", "deep", "plain", "picky", "progress", "inorder"};
  assert_int_equal(edgefw__registry_count(registry), 6);
  for (size_t i = 0; i < 6; ++i)
    assert_string_equal(edgefw__registry_at(registry, i)->descriptor->name, names[i]);
  assert_int_equal(edgefw__registry_skipped_count(registry), 0);
  const edgefw__plugin *plugin;
  expect_ok(f->ctx, edgefw__registry_find(registry, EDGEFW_KIND_TERM, "progress", &plugin));
  assert_string_equal(plugin->descriptor->name, "progress");
  edgefw__registry_destroy(registry);
  edgefw__registry_destroy(NULL);
}

static void bad_plugins_are_passed_over(void **state) {
  fixture *f = *state;
  link_fixture(f, "a/edgefw_newer_major.so", "newer_major");
  link_fixture(f, "a/edgefw_good.so", "good_term");
  link_fixture(f, "a/other_name.so", "good_problem"); /* not called like a plugin */
  link_fixture(f, "a/edgefw_x.txt", "good_problem");
  sandbox_write(&f->box, "a/edgefw_text.so", "no shared object");
  edgefw__registry *registry = scan(f, "a", NULL);
  assert_int_equal(edgefw__registry_count(registry), 1);
  assert_int_equal(edgefw__registry_skipped_count(registry), 2);
  const edgefw__skipped *skipped = edgefw__registry_skipped_at(registry, 0);
  assert_int_equal(skipped->status, EDGEFW_PLUGIN_ABI);
  assert_non_null(strstr(skipped->path, "a/edgefw_newer_major.so"));
  assert_non_null(strstr(skipped->message, "stage abi"));
  assert_int_equal(edgefw__registry_skipped_at(registry, 1)->status, EDGEFW_PLUGIN_OPEN);
  /* Whoever asks for the skipped one hears why it is not there. */
  const edgefw__plugin *plugin;
  expect_failure(f->ctx, edgefw__registry_find(registry, EDGEFW_KIND_TERM, "newer_major", &plugin),
                 EDGEFW_PLUGIN_FIND, "skipped:", "stage abi", "ABI 3.0", "searched: ", "/a");
  edgefw__registry_destroy(registry);
}

/* One broken file among good ones, each of a kind that used to end the process. */
static void broken_files_end_nothing(void **state) {
  fixture *f = *state;
  link_fixture(f, "a/edgefw_good.so", "good_term");
  link_fixture(f, "a/edgefw_stride.so", "huge_option");
  link_fixture(f, "a/edgefw_endless.so", "endless_options");
  size_t length = 0;
  char *bytes = io_read(toy_fixture("good_problem"), &length);
  sandbox_write_bytes(&f->box, "a/edgefw_cut.so", bytes, length / 2);
  free(bytes);
  assert_int_equal(mkfifo(sandbox_path(&f->box, "a/edgefw_pipe.so"), 0600), 0);
  sandbox_link(&f->box, "a/edgefw_link.so", sandbox_path(&f->box, "a/edgefw_pipe.so"));
  assert_int_equal(mkdir(sandbox_path(&f->box, "a/edgefw_folder.so"), 0700), 0);
  alarm(60); /* whoever opens the pipe waits for ever */
  edgefw__registry *registry = scan(f, "a", NULL);
  alarm(0);
  static const struct {
    const char *name, *message;
  } skipped[] = {
      {"cut", "the file is cut short"},       {"endless", "does it end with an empty one"},
      {"folder", "it is not a regular file"}, {"link", "it is not a regular file"},
      {"pipe", "it is not a regular file"},   {"stride", "an option has 1099511627776 bytes"}};
  assert_int_equal(edgefw__registry_count(registry), 1);
  assert_int_equal(edgefw__registry_skipped_count(registry), sizeof skipped / sizeof *skipped);
  for (size_t i = 0; i < sizeof skipped / sizeof *skipped; ++i) {
    const edgefw__skipped *file = edgefw__registry_skipped_as(registry, skipped[i].name);
    assert_non_null(file);
    if (!strstr(file->message, skipped[i].message)) print_error("%s\n", file->message);
    assert_non_null(strstr(file->message, skipped[i].message));
  }
  edgefw__registry_destroy(registry);
}

static void equal_names_in_a_folder_clash(void **state) {
  fixture *f = *state;
  link_fixture(f, "a/edgefw_twin_a.so", "twin_a");
  link_fixture(f, "a/edgefw_twin_b.so", "twin_b");
  edgefw__registry *registry = scan(f, "a", NULL);
  assert_int_equal(edgefw__registry_count(registry), 1);
  assert_non_null(strstr(edgefw__registry_at(registry, 0)->path, "twin_a"));
  assert_int_equal(edgefw__registry_skipped_count(registry), 1);
  const edgefw__skipped *skipped = edgefw__registry_skipped_at(registry, 0);
  assert_int_equal(skipped->status, EDGEFW_PLUGIN_CLASH);
  assert_non_null(strstr(skipped->message, "stage clash"));
  assert_non_null(strstr(skipped->message, "a/edgefw_twin_b.so"));
  assert_non_null(strstr(skipped->message, "twin_a.so"));
  edgefw__registry_destroy(registry);
}

static void an_earlier_folder_wins(void **state) {
  fixture *f = *state;
  link_fixture(f, "a/edgefw_one.so", "twin_b");
  link_fixture(f, "b/edgefw_one.so", "twin_a");
  link_fixture(f, "b/edgefw_two.so", "good_term");
  edgefw__registry *registry = scan(f, "a", "b");
  assert_int_equal(edgefw__registry_count(registry), 2);
  assert_int_equal(edgefw__registry_skipped_count(registry), 0);
  assert_non_null(strstr(edgefw__registry_at(registry, 1)->path, "twin_b"));
  assert_non_null(strstr(f->log, "b/edgefw_one.so is shadowed by"));
  edgefw__registry_destroy(registry);
}

static void a_folder_or_file_counts_once(void **state) {
  fixture *f = *state;
  link_fixture(f, "a/edgefw_one.so", "good_term");
  link_fixture(f, "a/edgefw_two.so", "good_term"); /* the same real file */
  sandbox_link(&f->box, "b", sandbox_path(&f->box, "a"));
  edgefw__registry *registry = scan(f, "a", "b");
  assert_int_equal(edgefw__registry_count(registry), 1);
  assert_int_equal(edgefw__registry_skipped_count(registry), 0);
  assert_int_equal(edgefw__registry_folder_count(registry), 1);
  edgefw__registry_destroy(registry);
}

static void unknown_names_are_explained(void **state) {
  fixture *f = *state;
  edgefw__registry *registry = toy_registry(f->ctx, &f->box);
  const edgefw__plugin *plugin;
  expect_failure(f->ctx, edgefw__registry_find(registry, EDGEFW_KIND_BACKBONE, "plian", &plugin),
                 EDGEFW_PLUGIN_FIND, "no backbone plugin is called 'plian'",
                 "did you mean 'plain'?", "known: deep, plain", "searched: ", "plugins");
  assert_null(plugin);
  expect_failure(f->ctx, edgefw__registry_find(registry, EDGEFW_KIND_TERM, "plain", &plugin),
                 EDGEFW_PLUGIN_FIND, "'plain' is a backbone");
  expect_failure(f->ctx, edgefw__registry_find(registry, EDGEFW_KIND_DEVICE, "gpu", &plugin),
                 EDGEFW_PLUGIN_FIND, "known: none");
  edgefw__registry_destroy(registry);
}

static void aliases_are_looked_up(void **state) {
  fixture *f = *state;
  edgefw__registry *registry = toy_registry(f->ctx, &f->box);
  const edgefw__plugin *plugin;
  expect_ok(f->ctx, edgefw__registry_find(registry, EDGEFW_KIND_BACKBONE, "simple", &plugin));
  assert_string_equal(plugin->descriptor->name, "plain");
  assert_null(edgefw__registry_lookup(registry, EDGEFW_KIND_TERM, "simple"));
  expect_failure(f->ctx, edgefw__registry_find(registry, EDGEFW_KIND_BACKBONE, "simpel", &plugin),
                 EDGEFW_PLUGIN_FIND, "did you mean 'simple'?", "known: deep, plain, simple");
  expect_failure(f->ctx, edgefw__registry_find(registry, EDGEFW_KIND_TERM, "simple", &plugin),
                 EDGEFW_PLUGIN_FIND, "'simple' is a backbone");
  edgefw__registry_destroy(registry);
}

/* In one folder nobody knows which of the two is meant, whichever is found first. */
static void an_alias_clashes_with_a_name(void **state) {
  fixture *f = *state;
  link_fixture(f, "a/edgefw_1.so", "alias_clash");
  link_fixture(f, "a/edgefw_2.so", "twin_a");
  link_fixture(f, "b/edgefw_1.so", "twin_a");
  link_fixture(f, "b/edgefw_2.so", "alias_clash");
  static const char *const folders[] = {"a", "b"}, *const kept[] = {"alias_clash", "twin"};
  for (int i = 0; i < 2; ++i) {
    edgefw__registry *registry = scan(f, folders[i], NULL);
    assert_int_equal(edgefw__registry_count(registry), 1);
    assert_string_equal(edgefw__registry_at(registry, 0)->descriptor->name, kept[i]);
    assert_int_equal(edgefw__registry_skipped_count(registry), 1);
    const edgefw__skipped *skipped = edgefw__registry_skipped_at(registry, 0);
    assert_int_equal(skipped->status, EDGEFW_PLUGIN_CLASH);
    assert_string_equal(skipped->name, "2");
    assert_non_null(strstr(skipped->message, "the term 'twin' is also in"));
    edgefw__registry_destroy(registry);
  }
}

/* From different folders both are taken, and the name means the plugin that has it. */
static void a_name_comes_before_an_alias(void **state) {
  fixture *f = *state;
  link_fixture(f, "a/edgefw_1.so", "alias_clash");
  link_fixture(f, "b/edgefw_1.so", "twin_a");
  static const char *const orders[2][2] = {{"a", "b"}, {"b", "a"}};
  for (int i = 0; i < 2; ++i) {
    edgefw__registry *registry = scan(f, orders[i][0], orders[i][1]);
    assert_int_equal(edgefw__registry_count(registry), 2);
    assert_int_equal(edgefw__registry_skipped_count(registry), 0);
    const edgefw__plugin *twin = edgefw__registry_lookup(registry, EDGEFW_KIND_TERM, "twin");
    assert_string_equal(twin->descriptor->name, "twin");
    edgefw__registry_destroy(registry);
  }
}

static void folders_are_searched_in_order(void **state) {
  fixture *f = *state;
  link_fixture(f, "a/edgefw_one.so", "twin_a");
  link_fixture(f, "b/edgefw_one.so", "twin_b");
  link_fixture(f, "b/edgefw_two.so", "good_term");
  char path[256];
  strcpy(path, "/no/such/folder::");
  strcat(path, sandbox_path(&f->box, "a"));
  assert_int_equal(setenv("EDGEFW_PLUGIN_PATH", sandbox_path(&f->box, "b"), 1), 0);
  edgefw__registry *registry;
  expect_ok(f->ctx, edgefw__registry_create(f->ctx, path, &registry));
  assert_string_equal(edgefw__registry_folder_at(registry, 0), "/no/such/folder");
  assert_string_equal(edgefw__registry_folder_at(registry, 1), sandbox_path(&f->box, "a"));
  assert_string_equal(edgefw__registry_folder_at(registry, 2), sandbox_path(&f->box, "b"));
  assert_true(edgefw__registry_folder_count(registry) >= 4); /* beside the program */
  const edgefw__plugin *plugin;
  expect_ok(f->ctx, edgefw__registry_find(registry, EDGEFW_KIND_TERM, "twin", &plugin));
  assert_non_null(strstr(plugin->path, "twin_a"));
  expect_ok(f->ctx, edgefw__registry_find(registry, EDGEFW_KIND_TERM, "progress", &plugin));
  edgefw__registry_destroy(registry);
}

static edgefw_status scan_folder(edgefw_context *ctx, void *user) {
  const char *folder = user;
  edgefw__registry *registry;
  const edgefw_status status = edgefw__registry_create_from(ctx, &folder, 1, &registry);
  edgefw__registry_destroy(registry);
  return status;
}

static void running_out_of_memory_leaks_nothing(void **state) {
  fixture *f = *state;
  char folder[256];
  snprintf(folder, sizeof folder, "%s", toy_plugins_link(&f->box));
  link_fixture(f, "plugins/edgefw_newer_major.so", "newer_major");
  link_fixture(f, "plugins/edgefw_twin_a.so", "twin_a");
  link_fixture(f, "plugins/edgefw_twin_b.so", "twin_b");
  out_of_memory_sweep(scan_folder, folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(plugins_are_found_and_sorted, set_up, tear_down),
      cmocka_unit_test_setup_teardown(bad_plugins_are_passed_over, set_up, tear_down),
      cmocka_unit_test_setup_teardown(broken_files_end_nothing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(equal_names_in_a_folder_clash, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_earlier_folder_wins, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_folder_or_file_counts_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(unknown_names_are_explained, set_up, tear_down),
      cmocka_unit_test_setup_teardown(aliases_are_looked_up, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_alias_clashes_with_a_name, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_name_comes_before_an_alias, set_up, tear_down),
      cmocka_unit_test_setup_teardown(folders_are_searched_in_order, set_up, tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaks_nothing, set_up, tear_down),
  };
  return test_run(tests, NULL, NULL);
}
