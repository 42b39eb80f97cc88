/* Reading safetensors: right files, and every way in which a header can be wrong.
 * labels: oom */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/safetensors.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"

static int setup(void **state) {
  return io_file_set_up(state, "file.safetensors");
}

/* Write a header with `body` bytes of numbers behind it: 0, 1, 2, ... */
static void write_file(const char *path, const char *head, size_t body) {
  const size_t length = strlen(head);
  unsigned char *bytes = calloc(8 + length + body, 1);
  assert_non_null(bytes);
  for (int k = 0; k < 8; ++k) bytes[k] = (unsigned char)((uint64_t)length >> 8 * k);
  memcpy(bytes + 8, head, length);
  for (size_t k = 0; k < body; ++k) bytes[8 + length + k] = (unsigned char)k;
  io_write(path, bytes, 8 + length + body);
  free(bytes);
}

static edgefw_status open_head(io_file *f, const char *head, size_t body) {
  edgefw__safetensors *file = NULL;
  write_file(f->path, head, body);
  const edgefw_status status = edgefw__safetensors_open(f->ctx, f->path, &file);
  edgefw__safetensors_close(file);
  return status;
}

#define GOOD                                                                                       \
  "{\"__metadata__\":{\"format\":\"pt\",\"epoch\":\"3\"},"                                         \
  "\"b\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[8,12]},"                               \
  "\"a.weight\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]},"                       \
  "\"n\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[12,20]}}   "

static void tensors_are_read(void **state) {
  io_file *f = *state;
  edgefw__safetensors *file = NULL;
  float values[2];
  int64_t rounded = 0;
  write_file(f->path, GOOD, 20);
  assert_ok(f->ctx, edgefw__safetensors_open(f->ctx, f->path, &file));
  assert_int_equal(edgefw__safetensors_count(file), 3);
  const edgefw__weight *a = edgefw__safetensors_at(file, 0), *b = edgefw__safetensors_at(file, 1);
  assert_string_equal(a->name, "a.weight"); /* in the order of the numbers */
  assert_true(a->rank == 2 && a->shape[0] == 2 && a->shape[1] == 1 && a->count == 2);
  assert_true(b->type == EDGEFW__NUMBER_F16 && b->count == 2);
  assert_true(edgefw__safetensors_at(file, 2)->type == EDGEFW__NUMBER_OTHER);
  assert_string_equal(edgefw__safetensors_metadata(file, "epoch"), "3");
  assert_null(edgefw__safetensors_metadata(file, "none"));
  assert_ok(f->ctx, edgefw__safetensors_read(file, 1, values, &rounded)); /* in any order */
  assert_true(values[0] == 0x1.42p-13F);                                  /* 0x0908 */
  assert_ok(f->ctx, edgefw__safetensors_read(file, 0, values, &rounded));
  const uint32_t bits = 0x07060504;
  assert_memory_equal(&values[1], &bits, 4);
  assert_int_equal(rounded, 0);
  edgefw__safetensors_close(file);
}

#define ONE(dtype, shape, offsets)                                                                 \
  "{\"a\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

static void bad_headers_are_refused(void **state) {
  io_file *f = *state;
  static const struct {
    const char *head;
    size_t body;
    edgefw_status status;
    const char *message;
  } bad[] = {
      {"{", 0, EDGEFW_FORMAT, "of its header: "},
      {"[]", 0, EDGEFW_FORMAT, "no JSON object"},
      {"{\"a\":1}", 0, EDGEFW_FORMAT, "the description of the tensor 'a'"},
      {"{\"\":{}}", 0, EDGEFW_FORMAT, "name of a tensor has 0 bytes"},
      {"{\"__metadata__\":3}", 0, EDGEFW_FORMAT, "__metadata__ is no object"},
      {"{\"__metadata__\":{\"a\":3}}", 0, EDGEFW_FORMAT, "is no text"},
      {ONE("7", "[1]", "[0,4]"), 4, EDGEFW_FORMAT, "dtype of the tensor 'a'"},
      {ONE("\"C64\"", "[1]", "[0,8]"), 8, EDGEFW_UNSUPPORTED, "is of type C64, expected"},
      {ONE("\"F32\"", "4", "[0,4]"), 4, EDGEFW_FORMAT, "shape of the tensor 'a'"},
      {ONE("\"F32\"", "[1.0]", "[0,4]"), 4, EDGEFW_FORMAT, "shape of the tensor 'a'"},
      {ONE("\"F32\"", "[-1]", "[0,4]"), 4, EDGEFW_FORMAT, "shape of the tensor 'a'"},
      {ONE("\"F32\"", "[4294967296,4294967296]", "[0,4]"), 4, EDGEFW_FORMAT, "a file can hold"},
      {ONE("\"F32\"", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, EDGEFW_UNSUPPORTED, "has 9 axes"},
      {ONE("\"F32\"", "[1]", "[0]"), 4, EDGEFW_FORMAT, "data_offsets of the tensor 'a'"},
      {ONE("\"F32\"", "[1]", "[\"0\",4]"), 4, EDGEFW_FORMAT, "data_offsets"},
      {ONE("\"F32\"", "[1]", "[4,0]"), 4, EDGEFW_FORMAT, "lies at bytes 4 to 0 of 4"},
      {ONE("\"F32\"", "[1]", "[0,4]"), 3, EDGEFW_FORMAT, "is the file cut short?"},
      {ONE("\"F32\"", "[1]", "[-4,0]"), 4, EDGEFW_FORMAT, "lies at bytes -4"},
      {ONE("\"F32\"", "[2]", "[0,4]"), 4, EDGEFW_FORMAT, "its shape (2) of type F32 says 8"},
      {ONE("\"F32\"", "[1]", "[4,8]"), 8, EDGEFW_FORMAT, "the tensor 'a' begins at byte 4"},
      {ONE("\"F32\"", "[1]", "[0,4]"), 5, EDGEFW_FORMAT, "the end begins at byte 5"},
      {"{\"a\":{},\"a\":{}}", 0, EDGEFW_FORMAT, "duplicate"},
      {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
       "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[2,6]}}",
       6, EDGEFW_FORMAT, "'b' begins at byte 2 of the numbers, expected 4"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    assert_fails(f->ctx, open_head(f, bad[i].head, bad[i].body), bad[i].status, bad[i].message);
}

/* What the length of the header claims is looked at before memory is taken. */
static void bad_lengths_are_refused(void **state) {
  io_file *f = *state;
  edgefw__safetensors *file = NULL;
  io_write(f->path, "\0\0\0\0\0\0\0\x40{}", 10);
  assert_fails(f->ctx, edgefw__safetensors_open(f->ctx, f->path, &file), EDGEFW_FORMAT,
               "its header has 4611686018427387904 bytes, expected at most 2");
  io_write(f->path, "\2\0\0", 3);
  assert_fails(f->ctx, edgefw__safetensors_open(f->ctx, f->path, &file), EDGEFW_FORMAT, "3 bytes");
  assert_fails(f->ctx, edgefw__safetensors_open(f->ctx, f->folder, &file), EDGEFW_IO, "folder");
  assert_true(edgefw__safetensors_begins((const unsigned char *)"\2\0\0\0\0\0\0\0{}", 10));
  assert_false(edgefw__safetensors_begins((const unsigned char *)"\3\0\0\0\0\0\0\0{}", 10));
}

static void damaged_files_do_no_harm(void **state) {
  io_file *f = *state;
  size_t length = 0;
  write_file(f->path, GOOD, 20);
  char *bytes = io_read(f->path, &length), *damaged = malloc(length);
  assert_non_null(damaged);
  for (uint64_t trial = 0; trial < 900; ++trial) {
    edgefw__safetensors *file = NULL;
    if (trial < length)
      io_write(f->path, bytes, (size_t)trial); /* cut short at every byte */
    else
      io_damage(bytes, length, trial, damaged), io_write(f->path, damaged, length);
    const edgefw_status status = edgefw__safetensors_open(f->ctx, f->path, &file);
    assert_true(trial >= length || status != EDGEFW_OK);
    assert_true((status == EDGEFW_OK) == (file != NULL));
    edgefw__safetensors_close(file);
    edgefw_clear(f->ctx);
  }
  free(damaged);
  free(bytes);
}

static edgefw_status read_all(edgefw_context *ctx, void *user) {
  edgefw__safetensors *file = NULL;
  float values[2];
  int64_t rounded = 0;
  edgefw_status status = edgefw__safetensors_open(ctx, user, &file);
  if (status == EDGEFW_OK) status = edgefw__safetensors_read(file, 0, values, &rounded);
  edgefw__safetensors_close(file);
  return status;
}

static void running_out_of_memory_is_reported(void **state) {
  io_file *f = *state;
  write_file(f->path, GOOD, 20);
  out_of_memory_sweep(read_all, f->path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(tensors_are_read, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(bad_headers_are_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(bad_lengths_are_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(damaged_files_do_no_harm, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_is_reported, setup, io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
