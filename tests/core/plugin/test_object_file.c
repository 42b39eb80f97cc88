/* Files that are given to dlopen, and those that are kept from it: cut short, and with one number
 * of the head or of a table changed. */
#include "support/test.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/object_file.h"
#include "support/io_support.h"
#include "support/sandbox.h"
#include "support/toy_plugins.h"

typedef ElfW(Ehdr) file_head;
typedef ElfW(Phdr) segment;
typedef ElfW(Dyn) dynamic;

static char why[256];

static bool passes(const char *path) {
  why[0] = '\0';
  return edgefw__object_file_check(path, why, sizeof why);
}

static void whole_files_pass(void **state) {
  (void)state;
  static const char *const names[] = {"good_problem", "good_term", "newer_minor", "no_symbol"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (!passes(toy_fixture(names[i]))) fail_msg("%s: %s", names[i], why);
}

static void what_is_no_object_is_left_to_the_system(void **state) {
  const sandbox *box = *state;
  assert_true(passes(sandbox_write(box, "text", "no shared object")));
  assert_true(passes(sandbox_write(box, "empty", "")));
  assert_true(passes(sandbox_write_bytes(box, "foreign", "\177ELF\1\1\1", 7)));
}

static void other_kinds_of_files_are_refused(void **state) {
  const sandbox *box = *state;
  assert_int_equal(mkfifo(sandbox_path(box, "pipe"), 0600), 0);
  alarm(20);
  assert_false(passes(sandbox_path(box, "pipe")));
  alarm(0);
  assert_string_equal(why, "it is not a regular file");
  assert_false(passes(box->folder));
  assert_string_equal(why, "it is not a regular file");
  assert_false(passes("/dev/zero"));
  assert_false(passes(sandbox_path(box, "none")));
  assert_string_equal(why, "No such file or directory");
}

/* Cut anywhere behind its head, a file is refused; before that, dlopen calls it too short. */
static void cut_files_are_refused(void **state) {
  const sandbox *box = *state;
  size_t length = 0;
  char *bytes = io_read(toy_fixture("good_problem"), &length);
  for (size_t cut = sizeof(file_head); cut < length; cut += 97) {
    const char *path = sandbox_write_bytes(box, "cut.so", bytes, cut);
    assert_false(passes(path));
    assert_non_null(strstr(why, "the file is cut short or damaged"));
  }
  assert_false(passes(sandbox_write_bytes(box, "cut.so", bytes, length - 1)));
  assert_true(passes(sandbox_write_bytes(box, "cut.so", bytes, length)));
  free(bytes);
}

/* --- One number changed --- */

static segment *find_segment(char *bytes, uint32_t type) {
  const file_head *head = (const file_head *)(const void *)bytes;
  segment *segments = (segment *)(void *)(bytes + head->e_phoff);
  for (int s = 0; s < head->e_phnum; ++s)
    if (segments[s].p_type == type) return &segments[s];
  return NULL;
}

static dynamic *find_dynamic(char *bytes, int64_t tag) {
  dynamic *entry = (dynamic *)(void *)(bytes + find_segment(bytes, PT_DYNAMIC)->p_offset);
  while (entry->d_tag != DT_NULL && entry->d_tag != tag) ++entry;
  return entry->d_tag == tag ? entry : NULL;
}

typedef void (*change)(char *bytes);

static void segment_beyond_the_end(char *bytes) {
  find_segment(bytes, PT_LOAD)->p_filesz = UINT64_C(1) << 40;
}
static void segment_from_nowhere(char *bytes) {
  find_segment(bytes, PT_LOAD)->p_offset = UINT64_MAX;
}
static void segment_of_no_memory(char *bytes) {
  find_segment(bytes, PT_LOAD)->p_memsz = 1;
}
static void no_segments(char *bytes) {
  ((file_head *)(void *)bytes)->e_phnum = 0;
}
static void odd_segments(char *bytes) {
  ((file_head *)(void *)bytes)->e_phentsize = 1;
}
static void list_beyond_the_end(char *bytes) {
  ((file_head *)(void *)bytes)->e_phoff = UINT64_C(1) << 50;
}
static void sections_beyond_the_end(char *bytes) {
  ((file_head *)(void *)bytes)->e_shoff = UINT64_MAX - 1;
}
static void no_dynamic_segment(char *bytes) {
  find_segment(bytes, PT_DYNAMIC)->p_type = PT_NOTE;
}
static void symbols_nowhere(char *bytes) {
  find_dynamic(bytes, DT_SYMTAB)->d_un.d_ptr = UINT64_C(1) << 44;
}
static void endless_texts(char *bytes) {
  find_dynamic(bytes, DT_STRSZ)->d_un.d_val = UINT64_C(1) << 44;
}
static void endless_relocations(char *bytes) {
  dynamic *entry = find_dynamic(bytes, DT_RELASZ);
  if (!entry) entry = find_dynamic(bytes, DT_RELSZ);
  entry->d_un.d_val = UINT64_C(1) << 44;
}

static void changed_heads_are_refused(void **state) {
  const sandbox *box = *state;
  static const struct {
    change change;
    const char *message;
  } cases[] = {{segment_beyond_the_end, "a segment ends at byte"},
               {segment_from_nowhere, "a segment ends at byte"},
               {segment_of_no_memory, "larger in the file than in memory"},
               {no_segments, "its head names no segments"},
               {odd_segments, "its head names no segments"},
               {list_beyond_the_end, "the list of segments ends at byte"},
               {sections_beyond_the_end, "the list of sections ends at byte"},
               {no_dynamic_segment, "it has no dynamic segment"},
               {symbols_nowhere, "its symbols are in no segment"},
               {endless_texts, "its texts are in no segment"},
               {endless_relocations, "its relocations are in no segment"}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    size_t length = 0;
    char *bytes = io_read(toy_fixture("good_problem"), &length);
    cases[c].change(bytes);
    const bool passed = passes(sandbox_write_bytes(box, "bad.so", bytes, length));
    if (passed || !strstr(why, cases[c].message)) fail_msg("case %zu: '%s'", c, why);
    free(bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_files_pass),
      cmocka_unit_test_setup_teardown(what_is_no_object_is_left_to_the_system, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(other_kinds_of_files_are_refused, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(cut_files_are_refused, sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(changed_heads_are_refused, sandbox_set_up, sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
