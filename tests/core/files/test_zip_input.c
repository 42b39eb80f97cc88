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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(entries_are_streams, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(no_archives_are_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(a_wrong_checksum_is_found, setup, io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
