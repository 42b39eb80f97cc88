/* Zip archives: entries as streams, and damaged files. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/zip_input.h"
#include "support/io_support.h"
#include "support/npz_support.h"

static int setup(void **state) {
  return io_file_set_up(state, "file.zip");
}

static const npz_entry two[] = {{.name = "a.txt", .bytes = "hello", .count = 5},
                                {.name = "b.bin", .bytes = "\1\2\3", .count = 3},
                                {.name = NULL}};

static void entries_are_streams(void **state) {
  io_file *f = *state;
  for (int packed = 0; packed < 2; ++packed) {
    npz_write(f->path, two, packed);
    edgefw__zip_input zip;
    edgefw__zip_entry a, b;
    char text[8] = "";
    assert_ok(f->ctx, edgefw__zip_open(f->ctx, f->path, &zip));
    assert_int_equal(edgefw__zip_count(&zip), 2);
    assert_string_equal(edgefw__zip_name(&zip, 1), "b.bin");
    assert_null(edgefw__zip_name(&zip, 2));
    assert_int_equal(edgefw__zip_find(&zip, "b.bin"), 1);
    assert_int_equal(edgefw__zip_find(&zip, "B.bin"), -1);
    assert_int_equal(edgefw__zip_find(&zip, "bin"), -1);
    assert_ok(f->ctx, edgefw__zip_entry_open(&zip, 0, &a));
    assert_ok(f->ctx, edgefw__zip_entry_open(&zip, 1, &b));
    assert_int_equal(a.size, 5);
    assert_ok(f->ctx, edgefw__zip_entry_read(&a, text, 2));
    assert_ok(f->ctx, edgefw__zip_entry_read(&b, text + 5, 1)); /* both at once */
    assert_ok(f->ctx, edgefw__zip_entry_read(&a, text + 2, 3));
    assert_string_equal(text, "hello\1");
    assert_ok(f->ctx, edgefw__zip_entry_finish(&a));
    assert_fails(f->ctx, edgefw__zip_entry_finish(&b), EDGEFW_FORMAT, "goes on behind its 3 bytes");
    assert_fails(f->ctx, edgefw__zip_entry_read(&b, text, 3), EDGEFW_FORMAT,
                 "ends 2 bytes too early");
    edgefw__zip_entry_close(&a);
    edgefw__zip_entry_close(&b);
    assert_fails(f->ctx, edgefw__zip_entry_open(&zip, 2, &a), EDGEFW_FORMAT, "no name or no size");
    edgefw__zip_close(&zip);
    edgefw__zip_close(&zip);
  }
}

static void no_archives_are_refused(void **state) {
  io_file *f = *state;
  edgefw__zip_input zip;
  assert_fails(f->ctx, edgefw__zip_open(f->ctx, f->path, &zip), EDGEFW_IO, "No such file");
  assert_fails(f->ctx, edgefw__zip_open(f->ctx, f->folder, &zip), EDGEFW_IO, "it is a folder");
  io_write(f->path, "no archive", 10);
  assert_fails(f->ctx, edgefw__zip_open(f->ctx, f->path, &zip), EDGEFW_FORMAT, "as a zip archive");
  npz_write(f->path, two, false);
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  io_write(f->path, bytes, length - 30); /* the list of entries stands at the end */
  assert_fails(f->ctx, edgefw__zip_open(f->ctx, f->path, &zip), EDGEFW_FORMAT, "as a zip archive");
  free(bytes);
}

static void a_wrong_checksum_is_found(void **state) {
  io_file *f = *state;
  npz_write(f->path, two, false);
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  assert_memory_equal(bytes + 35, "hello", 5); /* behind 30 bytes and the name */
  bytes[35] = 'j';
  io_write(f->path, bytes, length);
  free(bytes);
  edgefw__zip_input zip;
  edgefw__zip_entry a;
  char text[8];
  assert_ok(f->ctx, edgefw__zip_open(f->ctx, f->path, &zip));
  assert_ok(f->ctx, edgefw__zip_entry_open(&zip, 0, &a));
  edgefw_status status = edgefw__zip_entry_read(&a, text, 5);
  if (status == EDGEFW_OK) status = edgefw__zip_entry_finish(&a);
  assert_fails(f->ctx, status, EDGEFW_FORMAT, "the data of 'a.txt' are damaged: CRC error");
  edgefw__zip_entry_close(&a);
  edgefw__zip_close(&zip);
}

/* --- Archives that claim more than they hold --- */

static void put_number(char *bytes, uint32_t value) {
  for (int b = 0; b < 4; ++b) bytes[b] = (char)(value >> 8 * b);
}

/* Change the packed and the unpacked size of the first entry, where it stands and in the list. */
static void claim(const io_file *f, uint32_t packed, uint32_t size) {
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  char *list = bytes;
  while (memcmp(list, "PK\1\2", 4) != 0) ++list;
  put_number(bytes + 18, packed);
  put_number(bytes + 22, size);
  put_number(list + 20, packed);
  put_number(list + 24, size);
  io_write(f->path, bytes, length);
  free(bytes);
}

static void expect_bomb(const io_file *f, uint32_t packed, uint32_t size, const char *message) {
  edgefw__zip_input zip;
  edgefw__zip_entry a;
  npz_write(f->path, two, false);
  claim(f, packed, size);
  edgefw_status status = edgefw__zip_open(f->ctx, f->path, &zip);
  if (status == EDGEFW_OK) {
    status = edgefw__zip_entry_open(&zip, 0, &a);
    edgefw__zip_entry_close(&a);
  }
  edgefw__zip_close(&zip);
  assert_fails(f->ctx, status, EDGEFW_FORMAT, message);
}

static void sizes_are_bounded_by_the_archive(void **state) {
  const io_file *f = *state;
  expect_bomb(f, 5, 6606, "'a.txt' claims to unpack to 6606 bytes from 5");
  expect_bomb(f, 5, UINT32_C(0xfffffffe), "claims to unpack to 4294967294 bytes from 5, in an");
  expect_bomb(f, UINT32_C(0xfffffffe), UINT32_C(0xfffffffe), "'");
}

/* What deflate makes of zeros is no lie. */
static void the_best_that_deflate_does_is_read(void **state) {
  const io_file *f = *state;
  enum { ZEROS = 4 << 20 };
  char *zeros = calloc(1, ZEROS);
  const npz_entry entries[] = {{.name = "zeros", .bytes = zeros, .count = ZEROS}, {.name = NULL}};
  npz_write(f->path, entries, true);
  edgefw__zip_input zip;
  edgefw__zip_entry a;
  assert_ok(f->ctx, edgefw__zip_open(f->ctx, f->path, &zip));
  assert_ok(f->ctx, edgefw__zip_entry_open(&zip, 0, &a));
  assert_true(a.size == ZEROS && a.packed < ZEROS / 900);
  assert_ok(f->ctx, edgefw__zip_entry_read(&a, zeros, ZEROS));
  assert_ok(f->ctx, edgefw__zip_entry_finish(&a));
  edgefw__zip_entry_close(&a);
  edgefw__zip_close(&zip);
  free(zeros);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(entries_are_streams, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(no_archives_are_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(a_wrong_checksum_is_found, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(sizes_are_bounded_by_the_archive, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(the_best_that_deflate_does_is_read, setup, io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
