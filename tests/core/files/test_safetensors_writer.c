/* Writing safetensors: the bytes of the format, and that they read back.
 * labels: oom */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "files/safetensors.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"

static int setup(void **state) {
  return io_file_set_up(state, "file.safetensors");
}

static const int64_t square[] = {2, 2}, three[] = {3};
static const float numbers[] = {1.0F, -2.0F, 0x1.fffffep-3F, 3.0F};
static const edgefw__safetensors_entry entries[] = {{"a.weight", 2, square, numbers},
                                                    {"b \"q\"", 1, three, numbers}};
static const edgefw__safetensors_pair pairs[] = {{"format", "pt"}, {"text", "a\nb"}, {NULL, NULL}};

static void what_is_written_reads_back(void **state) {
  io_file *f = *state;
  edgefw__safetensors *file = NULL;
  float values[4];
  int64_t rounded = 0;
  assert_ok(f->ctx, edgefw__safetensors_write(f->ctx, f->path, entries, 2, pairs));
  assert_ok(f->ctx, edgefw__safetensors_open(f->ctx, f->path, &file));
  assert_int_equal(edgefw__safetensors_count(file), 2);
  assert_string_equal(edgefw__safetensors_at(file, 1)->name, "b \"q\"");
  assert_string_equal(edgefw__safetensors_metadata(file, "text"), "a\nb");
  assert_ok(f->ctx, edgefw__safetensors_read(file, 0, values, &rounded));
  assert_memory_equal(values, numbers, sizeof numbers);
  assert_ok(f->ctx, edgefw__safetensors_read(file, 1, values, &rounded));
  assert_memory_equal(values, numbers, 3 * sizeof *numbers);
  edgefw__safetensors_close(file);
  /* Other programs map the numbers: they begin at a multiple of 8 bytes. */
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  assert_int_equal(length % 4, 0);
  assert_int_equal((length - 7 * sizeof(float)) % 8, 0);
  assert_memory_equal(bytes + 8, "{\"__metadata__\":{", 17);
  assert_memory_equal(bytes + length - 4, "\xff\xff\x7f\x3e", 4); /* little endian */
  free(bytes);
}

static void what_cannot_be_written_leaves_nothing(void **state) {
  io_file *f = *state;
  static const edgefw__safetensors_entry bad[] = {{"a\xff", 1, three, numbers}};
  assert_fails(f->ctx, edgefw__safetensors_write(f->ctx, f->path, bad, 1, pairs),
               EDGEFW_INVALID_ARGUMENT, "is no UTF-8");
  assert_int_equal(io_count_entries(f->folder), 0);
  assert_fails(f->ctx, edgefw__safetensors_write(f->ctx, "/none/x", entries, 2, pairs), EDGEFW_IO,
               "/none/x");
}

static edgefw_status write_all(edgefw_context *ctx, void *user) {
  return edgefw__safetensors_write(ctx, user, entries, 2, pairs);
}

static void running_out_of_memory_is_reported(void **state) {
  io_file *f = *state;
  out_of_memory_sweep(write_all, f->path);
  assert_int_equal(io_count_entries(f->folder), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_is_written_reads_back, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(what_cannot_be_written_leaves_nothing, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_is_reported, setup, io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
