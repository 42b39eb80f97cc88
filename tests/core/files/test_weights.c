/* Files of weights of either kind, and what is neither.
 * labels: oom */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/safetensors.h"
#include "files/weights.h"
#include "support/io_support.h"
#include "support/npz_support.h"
#include "support/out_of_memory.h"
#include "support/pickle_support.h"

static int setup(void **state) {
  return io_file_set_up(state, "file");
}

static const int64_t two[] = {2};
static const float numbers[] = {1.5F, -2.0F}, bad[] = {1.0F, NAN};

static edgefw__weights *open_names(io_file *f, const char *first, const char *second,
                                   const float *values) {
  const edgefw__safetensors_entry entries[] = {{first, 1, two, values}, {second, 1, two, numbers}};
  const edgefw__safetensors_pair pairs[] = {{"epoch", "12"}, {"text", "a"}, {NULL, NULL}};
  edgefw__weights *weights = NULL;
  assert_ok(f->ctx, edgefw__safetensors_write(f->ctx, f->path, entries, 2, pairs));
  assert_ok(f->ctx, edgefw__weights_open(f->ctx, f->path, &weights));
  return weights;
}

static void prefixes_of_wrappers_are_left_out(void **state) {
  io_file *f = *state;
  int64_t epoch = 0;
  edgefw__weights *w = open_names(f, "module._orig_mod.a", "module._orig_mod.module", numbers);
  assert_string_equal(edgefw__weights_at(w, 0)->name, "a");
  assert_int_equal(edgefw__weights_find(w, "module"), 1);
  assert_int_equal(edgefw__weights_find(w, "module.a"), -1);
  assert_string_equal(edgefw__weights_prefix(w), "module._orig_mod.");
  assert_string_equal(edgefw__weights_format(w), "safetensors");
  assert_string_equal(edgefw__weights_place(w), "");
  assert_string_equal(edgefw__weights_passed_over(w), "");
  assert_string_equal(edgefw__weights_path(w), f->path);
  assert_true(edgefw__weights_integer(w, "epoch", &epoch) && epoch == 12);
  assert_false(edgefw__weights_integer(w, "text", &epoch));
  assert_string_equal(edgefw__weights_text(w, "text"), "a");
  edgefw__weights_close(w);
  w = open_names(f, "module.a", "b", numbers); /* only what all of them have */
  assert_string_equal(edgefw__weights_prefix(w), "");
  assert_int_equal(edgefw__weights_find(w, "module.a"), 0);
  edgefw__weights_close(w);
  w = open_names(f, "module.a", "module.", numbers); /* nothing would be left */
  assert_string_equal(edgefw__weights_prefix(w), "");
  edgefw__weights_close(w);
}

static void numbers_that_are_not_finite_are_refused(void **state) {
  io_file *f = *state;
  float values[2];
  int64_t rounded = 0;
  edgefw__weights *w = open_names(f, "a", "b", bad);
  assert_fails(f->ctx, edgefw__weights_read(w, 0, values, &rounded), EDGEFW_FORMAT,
               "number 1 of 'a' is nan as float32");
  assert_ok(f->ctx, edgefw__weights_read(w, 1, values, &rounded));
  assert_memory_equal(values, numbers, sizeof numbers);
  edgefw__weights_close(w);
}

/* Doubles that float32 rounds, and whole numbers, which no parameter is. */
static void pytorchs_files_are_read(void **state) {
  io_file *f = *state;
#define OF(type, key, count) TENSOR_OF(STORAGE_OF(type, key, count), "K\0", "K\2\x85", "K\1\x85")
  static const double doubles[] = {0.1, 1e300};
  static const int64_t whole[] = {1, 2};
  const unsigned char pickle[] = PROTOCOL "}(" TEXT("\1", "d") OF("DoubleStorage", "0", "K\2")
      TEXT("\1", "n") OF("LongStorage", "1", "K\2") TEXT("\1", "e")
          TENSOR_OF(STORAGE_OF("DoubleStorage", "0", "K\2"), "K\0", "K\1\x85", "K\1\x85") "u.";
  const npz_entry entries[] = {{.name = "x/data.pkl", .bytes = pickle, .count = sizeof pickle - 1},
                               {.name = "x/data/0", .bytes = doubles, .count = sizeof doubles},
                               {.name = "x/data/1", .bytes = whole, .count = sizeof whole},
                               {.name = NULL}};
  edgefw__weights *w = NULL;
  float values[2];
  int64_t rounded = 0;
  npz_write(f->path, entries, false);
  assert_ok(f->ctx, edgefw__weights_open(f->ctx, f->path, &w));
  assert_string_equal(edgefw__weights_format(w), "PyTorch");
  assert_int_equal(edgefw__weights_count(w), 3);
  assert_null(edgefw__weights_text(w, "epoch"));
  assert_fails(f->ctx, edgefw__weights_read(w, 0, values, &rounded), EDGEFW_FORMAT,
               "number 1 of 'd' is inf as float32");
  assert_fails(f->ctx, edgefw__weights_read(w, 1, values, &rounded), EDGEFW_UNSUPPORTED,
               "'n' is of type LongStorage");
  rounded = 0;
  assert_ok(f->ctx, edgefw__weights_read(w, 2, values, &rounded));
  assert_true(values[0] == 0.1F && rounded == 1);
  edgefw__weights_close(w);
}

static void what_is_neither_is_refused(void **state) {
  io_file *f = *state;
  static const struct {
    const char *bytes;
    size_t length;
    edgefw_status status;
    const char *message;
  } cases[] = {
      {"", 0, EDGEFW_FORMAT, "is neither a safetensors file nor one of torch.save"},
      {"hello, this is text", 19, EDGEFW_FORMAT, "is neither"},
      {"\x89HDF\r\n\x1a\n", 8, EDGEFW_UNSUPPORTED, "need no import"},
      {"\x80\x02}q.", 5, EDGEFW_UNSUPPORTED, "is a bare pickle"},
      {"\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.", 15, EDGEFW_UNSUPPORTED,
       "PyTorch before 1.6: load it with a newer one and save it again"},
      {"\2\0\0\0\0\0\0\0{", 9, EDGEFW_FORMAT, "is neither"},
  };
  edgefw__weights *w = NULL;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    io_write(f->path, cases[c].bytes, cases[c].length);
    assert_fails(f->ctx, edgefw__weights_open(f->ctx, f->path, &w), cases[c].status,
                 cases[c].message);
    assert_null(w);
  }
  assert_fails(f->ctx, edgefw__weights_open(f->ctx, f->folder, &w), EDGEFW_IO, "folder");
  assert_fails(f->ctx, edgefw__weights_open(f->ctx, "/none.pt", &w), EDGEFW_IO, "/none.pt");
}

static edgefw_status read_first(edgefw_context *ctx, void *user) {
  edgefw__weights *w = NULL;
  float values[2];
  int64_t rounded = 0;
  edgefw_status status = edgefw__weights_open(ctx, user, &w);
  if (status == EDGEFW_OK) status = edgefw__weights_read(w, 0, values, &rounded);
  edgefw__weights_close(w);
  return status;
}

static void running_out_of_memory_is_reported(void **state) {
  io_file *f = *state;
  edgefw__weights_close(open_names(f, "module.a", "module.b", numbers));
  out_of_memory_sweep(read_first, f->path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(prefixes_of_wrappers_are_left_out, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(numbers_that_are_not_finite_are_refused, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(pytorchs_files_are_read, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(what_is_neither_is_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_is_reported, setup, io_file_tear_down)};
  return test_run(tests, NULL, NULL);
}
