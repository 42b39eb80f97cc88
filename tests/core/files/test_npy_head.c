/* Heads of NumPy arrays from any bytes, and numbers of every type. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "files/npy_head.h"
#include "support/expect.h"
#include "support/workspace.h"

/* Bytes that are given out one after another. */
typedef struct memory {
  edgefw_context *ctx;
  const char *at;
  size_t left;
} memory;

static edgefw_status take(void *user, void *out, size_t bytes) {
  memory *m = user;
  if (bytes > m->left) return edgefw_fail(m->ctx, EDGEFW_FORMAT, "the bytes end");
  memcpy(out, m->at, bytes);
  m->at += bytes;
  m->left -= bytes;
  return EDGEFW_OK;
}

static edgefw_status read_head(workspace *w, const char *text, edgefw__npy_array *out,
                               int64_t *size) {
  char bytes[512];
  const size_t length = strlen(text);
  memcpy(bytes, "\x93NUMPY\1\0", 8);
  bytes[8] = (char)length;
  bytes[9] = 0;
  memcpy(bytes + 10, text, length);
  memory m = {w->ctx, bytes, 10 + length};
  *out = (edgefw__npy_array){.name = "a"};
  return edgefw__npy_head_read(w->ctx, "t.npy", take, &m, out, size);
}

static void a_head_says_type_and_shape(void **state) {
  workspace *w = *state;
  static const char text[] = "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 4), }\n";
  edgefw__npy_array array;
  char shape[80];
  int64_t size = 0;
  expect_ok(w->ctx, read_head(w, text, &array, &size));
  assert_int_equal(size, 10 + strlen(text));
  assert_true(array.kind == 'i' && array.width == 4 && array.rank == 2 && array.count == 12);
  assert_string_equal(edgefw__npy_shape_text(&array, shape), "(3,4)");
  array.rank = 0;
  assert_string_equal(edgefw__npy_shape_text(&array, shape), "()");
}

static void wrong_heads_are_refused(void **state) {
  workspace *w = *state;
  static const struct {
    const char *text;
    edgefw_status status;
    const char *word;
  } cases[] = {
      {"{'descr': '>f8', 'fortran_order': False, 'shape': (2,)}", EDGEFW_UNSUPPORTED, ">f8"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (2,2)}", EDGEFW_UNSUPPORTED, "Fortran"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1)}", EDGEFW_UNSUPPORTED, "axes"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999,9999999999)}", EDGEFW_FORMAT,
       "fewer numbers"},
      {"{'descr': '<f8', 'fortran_order': False}", EDGEFW_FORMAT, "'shape' is missing"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    edgefw__npy_array array;
    int64_t size = 0;
    expect_failure(w->ctx, read_head(w, cases[k].text, &array, &size), cases[k].status, "t.npy",
                   cases[k].word);
  }
}

static void numbers_become_doubles(void **state) {
  (void)state;
  const edgefw__npy_array f4 = {.kind = 'f', .width = 4}, f8 = {.kind = 'f', .width = 8};
  const edgefw__npy_array i4 = {.kind = 'i', .width = 4}, i8 = {.kind = 'i', .width = 8};
  const unsigned char single[] = {0, 0, 0xc0, 0x3f}, twice[] = {0, 0, 0, 0, 0, 0, 0xf8, 0xbf};
  const unsigned char minus[] = {0xff, 0xff, 0xff, 0xff}, large[] = {1, 0, 0, 0, 0, 0, 0x20, 0};
  double value = 0.0;
  assert_true(edgefw__npy_number(&f4, single, &value) && value == 1.5);
  assert_true(edgefw__npy_number(&f8, twice, &value) && value == -1.5);
  assert_true(edgefw__npy_number(&i4, minus, &value) && value == -1.0);
  assert_false(edgefw__npy_number(&i8, large, &value)); /* 2^53 + 1 */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_head_says_type_and_shape, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(wrong_heads_are_refused, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(numbers_become_doubles, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
