/* INI files: what is read, and one hostile file per rule.
 * labels: oom */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/ini.h"
#include "support/workspace.h"
#include "support/expect.h"
#include "support/failing_allocator.h"

static edgefw__ini *read_good(workspace *f, const char *text) {
  edgefw__ini *ini;
  expect_ok(f->ctx,
            edgefw__ini_read(f->ctx, f->arena, sandbox_write(&f->box, "x.ini", text), &ini));
  return ini;
}

/* The last value of a key; NULL if it is not there. */
static const char *get(const edgefw__ini *ini, const char *section, const char *key) {
  const edgefw__ini_entry *entry = edgefw__ini_find(ini, section, key);
  return entry ? entry->value : NULL;
}

#define READ_BAD(f, text, ...)                                                                     \
  do {                                                                                             \
    edgefw__ini *ini_ = NULL;                                                                      \
    const char *path_ = sandbox_write(&(f)->box, "x.ini", text);                                   \
    expect_failure((f)->ctx, edgefw__ini_read((f)->ctx, (f)->arena, path_, &ini_), EDGEFW_CONFIG,  \
                   __VA_ARGS__);                                                                   \
    assert_null(ini_);                                                                             \
  } while (0)

static void entries_are_read_with_their_lines(void **state) {
  workspace *f = *state;
  const edgefw__ini *ini = read_good(f, "; comment\n"
                                        "# another\n"
                                        "[train]\n"
                                        "size = 20 ; of a training instance\n"
                                        "  \n"
                                        "batch=64\r\n"
                                        "empty =\n"
                                        "\n"
                                        "[variant a b]   ; comment\n"
                                        "train.size: 30\n"
                                        "[last]");
  assert_int_equal(ini->entry_count, 4);
  assert_string_equal(get(ini, "train", "size"), "20");
  assert_string_equal(get(ini, "train", "batch"), "64");
  assert_string_equal(get(ini, "train", "empty"), "");
  assert_string_equal(get(ini, "variant a b", "train.size"), "30");
  assert_int_equal(ini->entries[1].line, 6);
  assert_string_equal(strrchr(ini->entries[1].where, '/'), "/x.ini:6");
  assert_string_equal(ini->entries[1].folder, f->box.folder);
  /* Sections are seen even without keys. */
  assert_int_equal(ini->section_count, 3);
  assert_string_equal(ini->sections[2].name, "last");
}

static void a_byte_order_mark_and_no_last_line_end_are_fine(void **state) {
  const edgefw__ini *ini = read_good(*state, "\xEF\xBB\xBF[a]\nk = v");
  assert_string_equal(get(ini, "a", "k"), "v");
  assert_int_equal(read_good(*state, "")->entry_count, 0);
}

static void indented_lines_continue_a_value(void **state) {
  const edgefw__ini *ini = read_good(*state, "[a]\n"
                                             "list = 1,\n"
                                             "  2,\n"
                                             "  ; a comment between\n"
                                             "\t3 ; at the end\n"
                                             "path = /a/b\\\n"
                                             "  cd/e\n"
                                             "back = slash\\\n"
                                             "next = [x]\n"
                                             "  [y]\n"
                                             "[b]\n"
                                             "  k = 5\n"
                                             "[a2]\n"
                                             "empty =\n"
                                             "  filled\n");
  assert_string_equal(get(ini, "a", "list"), "1, 2, 3");
  assert_string_equal(get(ini, "a", "path"), "/a/bcd/e");
  assert_string_equal(get(ini, "a", "back"), "slash\\");
  assert_string_equal(get(ini, "a", "next"), "[x] [y]");
  assert_string_equal(get(ini, "b", "k"), "5"); /* indented, but the first of its section */
  assert_string_equal(get(ini, "a2", "empty"), "filled");
}

static void bad_lines_are_refused(void **state) {
  workspace *f = *state;
  READ_BAD(f, "[a]\nk = 1\njunk\nl = 2\n", "x.ini:3: not understood", "key = value");
  READ_BAD(f, "[a]\njunk\nk = 1\nk = 1\n", "x.ini:2: not understood"); /* the first error */
  READ_BAD(f, "[a]\nk = 1\njunk", "x.ini:3: not understood");
  READ_BAD(f, "[a\nk = 1\n", "x.ini:1: a section header needs its ']'");
  READ_BAD(f, "[a ; b]\n", "x.ini:1: a section header needs its ']'");
  READ_BAD(f, "[]\n", "x.ini:1: the section has no name");
  READ_BAD(f, "[a] k = 1\n", "x.ini:1: unexpected text after the section header");
  READ_BAD(f, "k = 1\n", "x.ini:1: key 'k' stands above the first [section]");
  READ_BAD(f, "[a]\n= 1\n", "x.ini:2: there is no key before the '='");
  READ_BAD(f, "[a]\nk = 1\nl = 2\nk = 3\n", "x.ini:4: key 'k' of [a] is set twice", "line 2");
  READ_BAD(f, "[a]\nk = 1\n[b]\n[a]\nk = 3\n", "x.ini:5: key 'k' of [a] is set twice", "line 2");
  READ_BAD(f, "[an_extremely_long_section_name_that_libinih_would_cut_somewhere]\n", "x.ini:1",
           "too long");
  READ_BAD(f, "[a]\nk = \x01\n", "x.ini:2: the line holds a control byte");
}

static void long_lines_are_refused(void **state) {
  workspace *f = *state;
  char text[512];
  memset(text, 'x', sizeof text);
  memcpy(text, "[a]\nk = ", 8);
  memcpy(text + 4 + 198, "\nl = 1\n", 8);
  const edgefw__ini *ini = read_good(f, text);
  assert_int_equal(strlen(get(ini, "a", "k")), 194);
  assert_int_equal(ini->entries[1].line, 3);
  memcpy(text + 4 + 198, "x\nl = 1\n", 9);
  READ_BAD(f, text, "x.ini:2: the line is longer than 198 bytes");
}

static void binary_files_are_refused(void **state) {
  workspace *f = *state;
  edgefw__ini *ini;
  const char *path = sandbox_write_bytes(&f->box, "nul.ini", "[a]\nk = 1\0 2\n", 13);
  expect_failure(f->ctx, edgefw__ini_read(f->ctx, f->arena, path, &ini), EDGEFW_CONFIG,
                 "nul.ini:2: the line holds a control byte");
  unsigned char garbage[4096];
  uint32_t random = 1;
  for (int round = 0; round < 300; ++round) {
    for (size_t i = 0; i < sizeof garbage; ++i) {
      random = random * 1664525u + 1013904223u;
      garbage[i] = (unsigned char)(random >> 24);
    }
    const size_t count = round * 13u;
    path = sandbox_write_bytes(&f->box, "garbage.ini", garbage, count);
    const edgefw_status status = edgefw__ini_read(f->ctx, f->arena, path, &ini);
    assert_true(status == EDGEFW_OK || status == EDGEFW_CONFIG);
    edgefw_clear(f->ctx);
  }
}

static void missing_files_are_named(void **state) {
  workspace *f = *state;
  edgefw__ini *ini;
  expect_failure(f->ctx, edgefw__ini_read(f->ctx, f->arena, sandbox_path(&f->box, "no.ini"), &ini),
                 EDGEFW_IO, "no.ini", "No such file");
  expect_failure(f->ctx, edgefw__ini_read(f->ctx, f->arena, f->box.folder, &ini), EDGEFW_IO,
                 f->box.folder, "directory");
}

static void included_files_come_first(void **state) {
  workspace *f = *state;
  sandbox_write(&f->box, "base/b.ini", "[train]\nsize = 1\nbatch = 1\n[data]\nk = p\n");
  sandbox_write(&f->box, "base/c.ini", "[experiment]\ninclude = b.ini\n[train]\nbatch = 2\n");
  sandbox_write(&f->box, "d.ini", "[train]\nepochs = 9\n");
  const edgefw__ini *ini = read_good(f, "[train]\nsize = 3\n"
                                        "[experiment]\ninclude = base/c.ini\ninclude = d.ini\n");
  assert_int_equal(ini->entry_count, 6); /* without the includes */
  assert_string_equal(get(ini, "train", "size"), "3");
  assert_string_equal(get(ini, "train", "batch"), "2");
  assert_string_equal(get(ini, "train", "epochs"), "9");
  assert_int_equal(ini->entries[0].layer, 1);
  assert_int_equal(ini->entries[5].layer, 4);
  assert_string_equal(ini->entries[2].folder, sandbox_path(&f->box, "base"));
  assert_non_null(strstr(ini->entries[0].where, "b.ini:2"));
}

static void bad_includes_are_refused(void **state) {
  workspace *f = *state;
  READ_BAD(f, "[experiment]\ninclude = x.ini\n", "x.ini includes itself", "included at");
  sandbox_write(&f->box, "a.ini", "[experiment]\ninclude = b.ini\n");
  sandbox_write(&f->box, "b.ini", "\n[experiment]\ninclude = a.ini\n");
  READ_BAD(f, "[experiment]\ninclude = a.ini\n", "a.ini includes itself", "b.ini:3");
  READ_BAD(f, "[experiment]\ninclude =\n", "x.ini:2: include names no file");
  for (int i = 0; i < 12; ++i) {
    char name[32], text[64];
    snprintf(name, sizeof name, "deep%d.ini", i);
    snprintf(text, sizeof text, "[experiment]\ninclude = deep%d.ini\n", i + 1);
    sandbox_write(&f->box, name, text);
  }
  READ_BAD(f, "[experiment]\ninclude = deep0.ini\n", "nested deeper than 8");
  edgefw__ini *ini;
  const char *path = sandbox_write(&f->box, "x.ini", "[experiment]\ninclude = none.ini\n");
  expect_failure(f->ctx, edgefw__ini_read(f->ctx, f->arena, path, &ini), EDGEFW_IO, "none.ini",
                 "included at", "x.ini:2");
}

/* Files that include one another in ever more ways end at a limit. */
static void includes_are_bounded(void **state) {
  workspace *f = *state;
  for (int i = 0; i < 7; ++i) {
    char name[32], text[512] = "[experiment]\n";
    snprintf(name, sizeof name, "bomb%d.ini", i);
    for (int k = 0; k < 10; ++k)
      snprintf(text + strlen(text), sizeof text - strlen(text), "include = bomb%d.ini\n", i + 1);
    sandbox_write(&f->box, name, i < 6 ? text : "");
  }
  READ_BAD(f, "[experiment]\ninclude = bomb0.ini\n", "more than 64 files");
}

static double seconds_to_read(workspace *f, const char *line, int count, edgefw_status expected) {
  const size_t length = strlen(line);
  char *text = malloc(length * (size_t)count + 16);
  assert_non_null(text);
  size_t used = (size_t)sprintf(text, "[a]\n");
  for (int i = 0; i < count; ++i, used += length) memcpy(text + used, line, length + 1);
  const char *path = sandbox_write(&f->box, "big.ini", text);
  free(text);
  edgefw__ini *ini;
  const clock_t start = clock();
  assert_int_equal(edgefw__ini_read(f->ctx, f->arena, path, &ini), expected);
  edgefw_clear(f->ctx);
  return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void large_files_are_quick(void **state) {
  workspace *f = *state;
  assert_true(seconds_to_read(f, "; nothing\n", 1000000, EDGEFW_OK) < 5.0);
  assert_true(seconds_to_read(f, "include = x\n", 1000000, EDGEFW_CONFIG) < 5.0);
  assert_true(seconds_to_read(f, "[s]\n", 1000000, EDGEFW_CONFIG) < 5.0);
  assert_true(seconds_to_read(f, "# twenty bytes here\n", 1000000, EDGEFW_CONFIG) < 5.0);
}

static void the_number_of_keys_is_bounded(void **state) {
  workspace *f = *state;
  enum { COUNT = 5000 };
  static char text[COUNT * 16];
  size_t used = (size_t)sprintf(text, "[a]\n");
  for (int i = 0; i < COUNT; ++i)
    used += (size_t)snprintf(text + used, sizeof text - used, "k%d = 1\n", i);
  READ_BAD(f, text, "x.ini:4098: more than 4096 keys");
}

static void overrides_are_entries(void **state) {
  workspace *f = *state;
  edgefw__ini *ini = read_good(f, "[train]\nsize = 3\n");
  expect_ok(f->ctx, edgefw__ini_set(ini, "train.size=5"));
  expect_ok(f->ctx, edgefw__ini_set(ini, " term.edge.mode = a=b "));
  expect_ok(f->ctx, edgefw__ini_set(ini, "data.test.100=x.h5"));
  expect_ok(f->ctx, edgefw__ini_set(ini, "decoder.terms="));
  assert_string_equal(get(ini, "train", "size"), "5");
  assert_string_equal(get(ini, "term.edge", "mode"), "a=b");
  assert_string_equal(get(ini, "data", "test.100"), "x.h5");
  assert_string_equal(get(ini, "decoder", "terms"), "");
  assert_string_equal(ini->entries[1].where, "--set train.size=5");
  assert_null(ini->entries[1].folder);
  const char *const bad[] = {"",         "train.size", "size=5",      ".size=5",
                             "train.=5", "=5",         "term.edge=3", NULL};
  for (const char *const *text = bad; *text; ++text)
    expect_failure(f->ctx, edgefw__ini_set(ini, *text), EDGEFW_CONFIG, "--set",
                   "expected section.key=value");
  expect_failure(f->ctx, edgefw__ini_set(ini, "experiment.include=x"), EDGEFW_CONFIG,
                 "only a file can include");
  expect_failure(f->ctx, edgefw__ini_set(ini, "a.b=x ;y"), EDGEFW_CONFIG, "no INI file can");
}

static void text_is_read_like_a_file(void **state) {
  workspace *f = *state;
  edgefw__ini *ini;
  expect_ok(f->ctx, edgefw__ini_read_text(f->ctx, f->arena, "[a]\nk = v\n", "m.h5", &ini));
  assert_string_equal(get(ini, "a", "k"), "v");
  assert_string_equal(ini->entries[0].where, "m.h5:2");
  assert_null(ini->entries[0].folder);
  expect_failure(f->ctx,
                 edgefw__ini_read_text(f->ctx, f->arena, "[experiment]\ninclude = /etc/passwd\n",
                                       "m.h5", &ini),
                 EDGEFW_CONFIG, "m.h5:2", "cannot include");
}

static void running_out_of_memory_leaks_nothing(void **state) {
  workspace *f = *state;
  sandbox_write(&f->box, "base.ini", "[train]\nsize = 1\n");
  const char *path = sandbox_write(&f->box, "x.ini",
                                   "[experiment]\ninclude = base.ini\n[a]\nk = 1,\n  2\nl = 3\n");
  for (int64_t n = 0;; ++n) {
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx;
    edgefw_arena *arena = NULL;
    edgefw__ini *ini = NULL;
    edgefw_status status = edgefw_context_create(&ctx, &allocator);
    if (status == EDGEFW_OK) {
      status = edgefw_arena_create(ctx, &arena, "small", 0, true);
      if (status == EDGEFW_OK) status = edgefw__ini_read(ctx, arena, path, &ini);
      if (status == EDGEFW_OK) status = edgefw__ini_set(ini, "a.b=c");
      assert_int_equal(status, edgefw_failure(ctx));
    }
    edgefw_arena_destroy(arena);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
    if (!failing_allocator_failed(&memory)) {
      assert_int_equal(status, EDGEFW_OK);
      break;
    }
    assert_int_equal(status, EDGEFW_OUT_OF_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(entries_are_read_with_their_lines, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_byte_order_mark_and_no_last_line_end_are_fine,
                                      workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(indented_lines_continue_a_value, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(bad_lines_are_refused, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(long_lines_are_refused, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(binary_files_are_refused, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(missing_files_are_named, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(included_files_come_first, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(bad_includes_are_refused, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(includes_are_bounded, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(large_files_are_quick, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(the_number_of_keys_is_bounded, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(overrides_are_entries, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(text_is_read_like_a_file, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaks_nothing, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
