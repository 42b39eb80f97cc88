/* Files that appear whole or not at all. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>

#include "base/atomic_file.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"

static int setup(void **state) {
  return io_file_set_up(state, "file.txt");
}

static void assert_content(const io_file *f, const char *expected) {
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  assert_string_equal(bytes, expected);
  free(bytes);
  assert_int_equal(io_count_entries(f->folder), 1); /* no temporary file is left */
}

static void the_old_file_stays_until_commit(void **state) {
  io_file *f = *state;
  assert_ok(f->ctx, edgefw__write_file(f->ctx, f->path, "old", 3));
  edgefw__atomic_file *file = NULL;
  FILE *stream = NULL;
  assert_ok(f->ctx, edgefw__atomic_begin(f->ctx, f->path, &file, &stream));
  fputs("new text", stream);
  fflush(stream);
  assert_int_equal(io_count_entries(f->folder), 2);
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  assert_string_equal(bytes, "old");
  free(bytes);
  assert_ok(f->ctx, edgefw__atomic_commit(file));
  assert_content(f, "new text");
  struct stat info;
  assert_int_equal(stat(f->path, &info), 0);
  assert_true(info.st_mode & S_IRUSR);
}

static void abandoning_leaves_the_old_file(void **state) {
  io_file *f = *state;
  assert_ok(f->ctx, edgefw__write_file(f->ctx, f->path, "old", 3));
  edgefw__atomic_file *file = NULL;
  FILE *stream = NULL;
  assert_ok(f->ctx, edgefw__atomic_begin(f->ctx, f->path, &file, &stream));
  fputs("new", stream);
  edgefw__atomic_abandon(file);
  edgefw__atomic_abandon(NULL);
  assert_content(f, "old");
}

static void a_stale_temporary_file_is_no_obstacle(void **state) {
  io_file *f = *state;
  char *first = NULL, *second = NULL;
  assert_ok(f->ctx, edgefw__temporary_create(f->ctx, f->path, &first));
  assert_ok(f->ctx, edgefw__temporary_create(f->ctx, f->path, &second));
  assert_string_not_equal(first, second);
  io_write(first, "1", 1);
  assert_ok(f->ctx, edgefw__temporary_commit(f->ctx, first, f->path));
  edgefw__temporary_abandon(f->ctx, second);
  assert_content(f, "1");
}

static void temporary_names_are_recognised(void **state) {
  io_file *f = *state;
  char *name = NULL;
  assert_ok(f->ctx, edgefw__temporary_create(f->ctx, f->path, &name));
  assert_int_equal(edgefw__temporary_stem(name), strlen(f->path));
  edgefw__temporary_abandon(f->ctx, name);
  assert_int_equal(edgefw__temporary_stem("a.tmp-b.tmp-1-2"), 7);
  static const char *const others[] = {"a",        "a.tmp-",    "a.tmp-1",   "a.tmp-1-",
                                       "a.tmp--1", "a.tmp-x-1", "a.tmp-1-x", "a.tmp-1-2.csv"};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    assert_int_equal(edgefw__temporary_stem(others[i]), 0);
}

static void failures_say_what_and_why(void **state) {
  io_file *f = *state;
  char path[512];
  io_path(path, f->folder, "no/such/file");
  assert_fails(f->ctx, edgefw__write_file(f->ctx, path, "x", 1), EDGEFW_IO, "No such file");
  io_path(path, f->folder, "folder");
  assert_int_equal(mkdir(path, 0777), 0);
  assert_fails(f->ctx, edgefw__write_file(f->ctx, path, "x", 1), EDGEFW_IO, "it is a folder");
  assert_int_equal(io_count_entries(f->folder), 1);
  io_path(path, f->folder, "pipe"); /* as /dev/null: must not become a plain file */
  assert_int_equal(mkfifo(path, 0666), 0);
  assert_fails(f->ctx, edgefw__write_file(f->ctx, path, "x", 1), EDGEFW_IO, "not a regular file");
}

/* A full disk, played by the process's limit on file sizes. */
static void a_failed_write_leaves_the_old_file(void **state) {
  io_file *f = *state;
  assert_ok(f->ctx, edgefw__write_file(f->ctx, f->path, "old", 3));
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small = {1000, before.rlim_max};
  static const char text[100000] = {'x'};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  const edgefw_status status = edgefw__write_file(f->ctx, f->path, text, sizeof text);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  assert_fails(f->ctx, status, EDGEFW_IO, "cannot write");
  assert_content(f, "old");
}

static edgefw_status write_text(edgefw_context *ctx, void *user) {
  const io_file *f = user;
  assert_int_equal(io_count_entries(f->folder), 0); /* what failed before left nothing */
  return edgefw__write_file(ctx, f->path, "text", 4);
}

static void running_out_of_memory_leaks_nothing(void **state) {
  io_file *f = *state;
  out_of_memory_sweep(write_text, f);
  assert_content(f, "text");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_old_file_stays_until_commit, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(abandoning_leaves_the_old_file, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(a_stale_temporary_file_is_no_obstacle, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(temporary_names_are_recognised, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(failures_say_what_and_why, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(a_failed_write_leaves_the_old_file, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaks_nothing, setup,
                                      io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
