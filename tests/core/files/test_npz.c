/* NumPy .npz files: what NumPy wrote, every type and version, and hostile files.
 * labels: oom */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/npz.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"
#include "support/npz_support.h"

#define DATA EDGEFW_TEST_DATA "/core/files/"

static int setup(void **state) {
  return io_file_set_up(state, "file.npz");
}

/* Read a whole array by its name, `step` numbers at a time. */
static void read_all(io_file *f, edgefw__npz *npz, const char *name, int64_t step, double *out) {
  const int index = edgefw__npz_find(npz, name);
  assert_true(index >= 0);
  const int64_t count = edgefw__npz_at(npz, index)->count;
  assert_ok(f->ctx, edgefw__npz_rewind(npz, index));
  for (int64_t k = 0; k < count; k += step)
    assert_ok(f->ctx, edgefw__npz_read(npz, index, k + step > count ? count - k : step, out + k));
  assert_fails(f->ctx, edgefw__npz_read(npz, index, 1, out), EDGEFW_INVALID_ARGUMENT,
               "has 0 more numbers");
}

/* numpy_packed.npz: savez_compressed(data = (1000 k + 7) as <i8 (2,3,3), half = <f4 (2),
 * capacity = <f8 ()); numpy_stored.npz: savez(dist = data / 1e6, demand = <i4 (2,3)). NumPy 1.24.
 */
static void numpys_own_files_are_read(void **state) {
  io_file *f = *state;
  edgefw__npz *npz = NULL;
  double data[18], half[2], capacity = 0.0, dist[18], demand[6];
  assert_ok(f->ctx, edgefw__npz_open(f->ctx, DATA "numpy_packed.npz", &npz));
  assert_int_equal(edgefw__npz_count(npz), 3);
  const edgefw__npz_array *array = edgefw__npz_at(npz, edgefw__npz_find(npz, "data"));
  assert_int_equal(array->rank, 3);
  assert_int_equal(array->shape[0] * 100 + array->shape[1] * 10 + array->shape[2], 233);
  assert_true(array->kind == 'i' && array->width == 8);
  read_all(f, npz, "half", 1, half);
  read_all(f, npz, "data", 5, data); /* interleaved with others, and again */
  read_all(f, npz, "capacity", 1, &capacity);
  read_all(f, npz, "data", 18, data);
  for (int k = 0; k < 18; ++k) assert_true(data[k] == 1000.0 * k + 7.0);
  assert_true(half[0] == 0.5 && half[1] == -1.25 && capacity == 30.0);
  assert_int_equal(edgefw__npz_find(npz, "dat"), -1);
  edgefw__npz_close(npz);
  assert_ok(f->ctx, edgefw__npz_open(f->ctx, DATA "numpy_stored.npz", &npz));
  read_all(f, npz, "dist", 7, dist);
  read_all(f, npz, "demand", 6, demand);
  for (int k = 0; k < 18; ++k) assert_true(dist[k] == (1000.0 * k + 7.0) / 1e6);
  assert_true(demand[1] == 1.0 && demand[5] == 4.0);
  edgefw__npz_close(npz);
}

static edgefw_status open_one(io_file *f, npz_entry entry) {
  edgefw__npz *npz = NULL;
  const npz_entry entries[] = {entry, {.name = NULL}};
  npz_write(f->path, entries, false);
  const edgefw_status status = edgefw__npz_open(f->ctx, f->path, &npz);
  edgefw__npz_close(npz);
  return status;
}

static void all_versions_of_the_head_are_read(void **state) {
  io_file *f = *state;
  const double numbers[] = {1.5, INFINITY};
  for (int version = 1; version <= 3; ++version)
    assert_ok(f->ctx, open_one(f, (npz_entry){"x.npy", "<f8", "(2,)", numbers, 16, version, NULL}));
  assert_ok(f->ctx, open_one(f, (npz_entry){"x.npy", "<f8", "(0, 5)", NULL, 0, 1, NULL}));
  assert_fails(f->ctx, open_one(f, (npz_entry){"x.npy", "<f8", "(2,)", numbers, 16, 4, NULL}),
               EDGEFW_UNSUPPORTED, "NumPy format 4.0");
}

static void what_cannot_be_read_is_refused(void **state) {
  io_file *f = *state;
  static const struct {
    npz_entry entry;
    edgefw_status status;
    const char *message;
  } bad[] = {
      {{"x.npy", ">f8", "(1,)", "12345678", 8, 1, NULL}, EDGEFW_UNSUPPORTED, "of type '>f8'; exp"},
      {{"x.npy", "<f2", "(4,)", "12345678", 8, 1, NULL}, EDGEFW_UNSUPPORTED, "of type '<f2'; exp"},
      {{"x.npy", "|b1", "(8,)", "12345678", 8, 1, NULL}, EDGEFW_UNSUPPORTED, "of type '|b1'"},
      {{"x.npy", "<f80", "(1,)", "12345678", 8, 1, NULL}, EDGEFW_UNSUPPORTED, "of type '<f80'"},
      {{"x.npy", "[('a', '<f8')]", "(1,)", "12345678", 8, 1, NULL},
       EDGEFW_UNSUPPORTED,
       "of type [('a'"},
      {{"x.npy", "<f8", "(1,)", "12345678", 8, 1, "True"}, EDGEFW_UNSUPPORTED, "in Fortran order"},
      {{"x.npy", "<f8", "(1,)", "12345678", 8, 1, "Maybe"}, EDGEFW_FORMAT, "fortran_order"},
      {{"x.npy", "<f8", "(1,1,1,1)", "12345678", 8, 1, NULL}, EDGEFW_UNSUPPORTED, "more than 3"},
      {{"x.npy", "<f8", "(1, -1)", "12345678", 8, 1, NULL}, EDGEFW_FORMAT, "'shape' is (1, -1)"},
      {{"x.npy", "<f8", "(1 1)", "12345678", 8, 1, NULL}, EDGEFW_FORMAT, "'shape' is (1 1)"},
      {{"x.npy", "<f8", "(1,", "12345678", 8, 1, NULL}, EDGEFW_FORMAT, "'shape' is (1,"},
      {{"x.npy", "<f8", "1", "12345678", 8, 1, NULL}, EDGEFW_FORMAT, "'shape' is 1"},
      {{"x.npy", "<f8", "(2,)", "12345678", 8, 1, NULL},
       EDGEFW_FORMAT,
       "holds 8 bytes of numbers, its shape says 16"},
      {{"x.npy", "<i4", "(1,)", "12345678", 8, 1, NULL}, EDGEFW_FORMAT, "its shape says 4"},
      {{"x.npy", "<f8", "(9999999999, 9999999999)", "12345678", 8, 1, NULL},
       EDGEFW_FORMAT,
       "expected fewer numbers"},
      {{"x.npy", "<f8", "(99999999999999999999999999,)", "12345678", 8, 1, NULL},
       EDGEFW_FORMAT,
       "expected fewer numbers"},
      {{"x.npy", NULL, NULL, "no array at all", 15, 1, NULL}, EDGEFW_FORMAT, "is no NumPy array"},
      {{"x.npy", NULL, NULL, "\x93NUMPY\1\0\xff", 9, 1, NULL}, EDGEFW_FORMAT, "too early"},
      {{"x.npy", NULL, NULL, "\x93NUMPY\1\0\4\0{}  ", 14, 1, NULL}, EDGEFW_FORMAT, "'descr'"},
      {{"x.npy", NULL, NULL, "\x93NUMPY\2\0\xff\xff\xff\xff{}", 14, 1, NULL},
       EDGEFW_FORMAT,
       "has 4294967295 bytes"},
      {{"x.npy", NULL, NULL, "", 0, 1, NULL}, EDGEFW_FORMAT, "too early"},
      {{"readme.txt", NULL, NULL, "hello", 5, 1, NULL}, EDGEFW_FORMAT, "holds no NumPy array"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    assert_fails(f->ctx, open_one(f, bad[i].entry), bad[i].status, bad[i].message);
}

static void whole_numbers_beyond_a_double_are_refused(void **state) {
  io_file *f = *state;
  const int64_t numbers[] = {-(INT64_C(1) << 53), (INT64_C(1) << 53) + 1};
  const npz_entry entries[] = {{"x.npy", "<i8", "(2,)", numbers, 16, 1, NULL}, {.name = NULL}};
  npz_write(f->path, entries, true);
  edgefw__npz *npz = NULL;
  double out[2];
  assert_ok(f->ctx, edgefw__npz_open(f->ctx, f->path, &npz));
  assert_fails(f->ctx, edgefw__npz_read(npz, 0, 1, out), EDGEFW_INVALID_ARGUMENT, "0 more");
  assert_ok(f->ctx, edgefw__npz_rewind(npz, 0));
  assert_ok(f->ctx, edgefw__npz_read(npz, 0, 1, out));
  assert_true(out[0] == -9007199254740992.0);
  assert_fails(f->ctx, edgefw__npz_read(npz, 0, 1, out), EDGEFW_FORMAT, "number 1 of the array");
  edgefw__npz_close(npz);
}

/* Open and read all of it, whatever comes out. */
static void try_all(edgefw_context *ctx, const char *path) {
  edgefw__npz *npz = NULL;
  if (edgefw__npz_open(ctx, path, &npz) == EDGEFW_OK)
    for (int i = 0; i < edgefw__npz_count(npz); ++i) {
      const int64_t count = edgefw__npz_at(npz, i)->count;
      double numbers[32];
      edgefw_status status = edgefw__npz_rewind(npz, i);
      for (int64_t k = 0; k < count && status == EDGEFW_OK; k += 32)
        status = edgefw__npz_read(npz, i, count - k < 32 ? count - k : 32, numbers);
    }
  assert_true(npz != NULL || edgefw_message(ctx)[0] != '\0');
  edgefw__npz_close(npz);
  edgefw_clear(ctx);
}

static void damaged_files_do_no_harm(void **state) {
  io_file *f = *state;
  static const char *const files[] = {DATA "numpy_packed.npz", DATA "numpy_stored.npz"};
  for (int k = 0; k < 2; ++k) {
    size_t length = 0;
    char *bytes = io_read(files[k], &length), *damaged = malloc(length);
    assert_non_null(damaged);
    for (uint64_t trial = 0; trial < 1500; ++trial) {
      io_damage(bytes, length, trial, damaged);
      io_write(f->path, damaged, length);
      try_all(f->ctx, f->path);
    }
    for (size_t cut = 0; cut < length; cut += 3) {
      io_write(f->path, bytes, cut);
      try_all(f->ctx, f->path);
    }
    free(damaged);
    free(bytes);
  }
}

/* Let the second entry of the list stand where the first does: the same bytes count twice. */
static void arrays_that_overlap_are_refused(void **state) {
  io_file *f = *state;
  static const double numbers[64] = {1.0};
  const npz_entry entries[] = {
      {.name = "a.npy", .type = "<f8", .shape = "(64,)", .bytes = numbers, .count = sizeof numbers},
      {.name = "b.npy", .type = "<f8", .shape = "(64,)", .bytes = numbers, .count = sizeof numbers},
      {.name = NULL}};
  npz_write(f->path, entries, false);
  edgefw__npz *npz = NULL;
  assert_ok(f->ctx, edgefw__npz_open(f->ctx, f->path, &npz));
  edgefw__npz_close(npz);
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  size_t second = 1, list = 0;
  while (memcmp(bytes + second, "PK\3\4", 4) != 0) ++second;
  while (memcmp(bytes + list, "PK\1\2", 4) != 0) ++list;
  size_t later = list + 4;
  while (memcmp(bytes + later, "PK\1\2", 4) != 0) ++later;
  /* Leave out the second entry's bytes; both rows of the list name the first. */
  char *short_file = malloc(length);
  const size_t left_out = list - second;
  memcpy(short_file, bytes, second);
  memcpy(short_file + second, bytes + list, length - list);
  memset(short_file + later - left_out + 42, 0, 4);                 /* place of the entry */
  memcpy(short_file + later - left_out + 46, bytes + list + 46, 5); /* and its name */
  const uint32_t place = (uint32_t)second; /* of the list, as the file's end says */
  for (int b = 0; b < 4; ++b)
    short_file[length - left_out - 6 + (size_t)b] = (char)(place >> 8 * b);
  io_write(f->path, short_file, length - left_out);
  assert_fails(f->ctx, edgefw__npz_open(f->ctx, f->path, &npz), EDGEFW_FORMAT, "they overlap");
  free(short_file);
  free(bytes);
}

static void running_out_of_memory_is_reported(void **state) {
  (void)state;
  for (int64_t n = 0;; ++n) {
    failing_allocator memory;
    edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx = NULL;
    edgefw__npz *npz = NULL;
    edgefw_status status = edgefw_context_create(&ctx, &allocator);
    if (status == EDGEFW_OK) {
      status = edgefw__npz_open(ctx, DATA "numpy_packed.npz", &npz);
      if (status == EDGEFW_OK) status = edgefw__npz_rewind(npz, 1);
      edgefw__npz_close(npz);
      edgefw_context_destroy(ctx);
    }
    assert_int_equal(failing_allocator_live(&memory), 0);
    assert_int_equal(status, failing_allocator_failed(&memory) ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    if (!failing_allocator_failed(&memory)) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(numpys_own_files_are_read, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(all_versions_of_the_head_are_read, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(what_cannot_be_read_is_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(whole_numbers_beyond_a_double_are_refused, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(damaged_files_do_no_harm, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(arrays_that_overlap_are_refused, setup, io_file_tear_down),
      cmocka_unit_test(running_out_of_memory_is_reported),
  };
  return test_run(tests, NULL, NULL);
}
