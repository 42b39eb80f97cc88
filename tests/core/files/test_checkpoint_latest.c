/* Finding the checkpoint from which a run goes on. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/checkpoint_sample.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"

typedef struct fixture {
  edgefw_context *ctx;
  edgefw_arena *arena;
  char folder[256];
  io_log log;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (edgefw_context_create(&f->ctx, NULL) != EDGEFW_OK) return -1;
  if (edgefw_arena_create(f->ctx, &f->arena, "test", 1 << 12, true) != EDGEFW_OK) return -1;
  edgefw_set_log(f->ctx, io_collect, &f->log);
  io_folder_create(f->folder, sizeof f->folder);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  io_folder_remove(f->folder);
  edgefw_arena_destroy(f->arena);
  edgefw_context_destroy(f->ctx);
  free(f);
  return 0;
}

static void put_good(fixture *f, const char *name, int64_t epoch) {
  char path[512];
  assert_ok(f->ctx, checkpoint_sample_write(f->ctx, io_path(path, f->folder, name), epoch));
}

static void put_cut(fixture *f, const char *name) {
  char path[512];
  size_t length = 0;
  put_good(f, name, 1);
  io_path(path, f->folder, name);
  char *bytes = io_read(path, &length);
  io_write(path, bytes, length / 2);
  free(bytes);
}

static void assert_latest(fixture *f, const char *expected) {
  char *path = NULL;
  assert_ok(f->ctx, edgefw__checkpoint_latest(f->ctx, f->arena, f->folder, &path));
  if (!expected) {
    assert_null(path);
    return;
  }
  char full[512];
  assert_non_null(path);
  assert_string_equal(path, io_path(full, f->folder, expected));
}

static bool exists(fixture *f) {
  bool found = false;
  assert_ok(f->ctx, edgefw__checkpoint_exists(f->ctx, f->arena, f->folder, &found));
  return found;
}

static void nothing_to_find_is_no_failure(void **state) {
  fixture *f = *state;
  char *path = NULL;
  assert_latest(f, NULL);
  assert_ok(f->ctx, edgefw__checkpoint_latest(f->ctx, f->arena, "/no/folder", &path));
  assert_null(path);
  put_cut(f, "checkpoint-7.h5.tmp-1-0"); /* left by a crash */
  put_cut(f, "checkpoint-.h5");
  put_cut(f, "checkpoint--1.h5");
  put_cut(f, "checkpoint-1x.h5");
  put_cut(f, "xcheckpoint-1.h5");
  put_cut(f, "checkpoint-99999999999999999999999.h5");
  assert_latest(f, NULL);
  assert_int_equal(f->log.warnings, 0);
  assert_false(exists(f));
  put_cut(f, "checkpoint-7.h5"); /* it need not be readable */
  assert_true(exists(f));
}

static void epochs_are_compared_as_numbers(void **state) {
  fixture *f = *state;
  put_good(f, "checkpoint-9.h5", 9);
  put_good(f, "checkpoint-10.h5", 10);
  put_good(f, "checkpoint-2.h5", 2);
  assert_latest(f, "checkpoint-10.h5");
  put_good(f, "checkpoint-0011.h5", 11);
  assert_latest(f, "checkpoint-0011.h5");
  assert_int_equal(f->log.warnings, 0);
}

static void damaged_ones_are_passed_over_and_it_is_said(void **state) {
  fixture *f = *state;
  char path[512];
  put_good(f, "checkpoint-1.h5", 1);
  put_good(f, "checkpoint-2.h5", 2);
  put_cut(f, "checkpoint-3.h5");
  assert_int_equal(mkdir(io_path(path, f->folder, "checkpoint-4.h5"), 0777), 0);
  assert_latest(f, "checkpoint-2.h5");
  assert_int_equal(f->log.warnings, 3);
  assert_non_null(strstr(f->log.text, "checkpoint-4.h5': it is a folder"));
  assert_non_null(strstr(f->log.text, "checkpoint-3.h5': the file is cut short"));
  assert_non_null(strstr(f->log.text, "going on from the previous checkpoint"));
}

/* Beginning anew would throw away what may be saved by hand. */
static void if_all_are_damaged_it_fails(void **state) {
  fixture *f = *state;
  char *path = NULL;
  put_cut(f, "checkpoint-1.h5");
  put_cut(f, "checkpoint-2.h5");
  assert_fails(f->ctx, edgefw__checkpoint_latest(f->ctx, f->arena, f->folder, &path), EDGEFW_FORMAT,
               "checkpoint-2.h5': the file is cut short");
  assert_null(path);
}

static edgefw_status find_latest(edgefw_context *ctx, void *user) {
  const char *folder = user;
  edgefw_arena *arena = NULL;
  char *path = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "test", 64, true);
  if (status == EDGEFW_OK) status = edgefw__checkpoint_latest(ctx, arena, folder, &path);
  edgefw_arena_destroy(arena);
  return status;
}

static void running_out_of_memory_is_not_damage(void **state) {
  fixture *f = *state;
  put_good(f, "checkpoint-1.h5", 1);
  put_cut(f, "checkpoint-2.h5");
  out_of_memory_sweep(find_latest, f->folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(nothing_to_find_is_no_failure, setup, teardown),
      cmocka_unit_test_setup_teardown(epochs_are_compared_as_numbers, setup, teardown),
      cmocka_unit_test_setup_teardown(damaged_ones_are_passed_over_and_it_is_said, setup, teardown),
      cmocka_unit_test_setup_teardown(if_all_are_damaged_it_fails, setup, teardown),
      cmocka_unit_test_setup_teardown(running_out_of_memory_is_not_damage, setup, teardown),
  };
  return test_run(tests, NULL, NULL);
}
