/* .npy files: NumPy's own, and damaged ones. */
#include "support/test.h"

#include <math.h>

#include "files/npy.h"
#include "support/expect.h"
#include "support/npz_support.h"
#include "support/stops_case.h"

static void numpys_own_file_is_read(void **state) {
  workspace *w = *state;
  edgefw__npy_array array;
  double *numbers = NULL;
  expect_ok(w->ctx, edgefw__npy_read(w->ctx, w->arena, STOPS_DATA "stops.npy", &array, &numbers));
  assert_true(array.rank == 2 && array.shape[0] == STOPS && array.shape[1] == STOPS);
  assert_true(numbers[1] == 31.5 && isnan(numbers[STOPS + 3]));
  expect_ok(w->ctx,
            edgefw__npy_read(w->ctx, w->arena, STOPS_DATA "stops-two.npy", &array, &numbers));
  assert_true(array.rank == 3 && array.shape[0] == 2 && array.width == 4);
  assert_true(numbers[1] == 31.5 && numbers[STOPS * STOPS + STOPS] == 31.5);
}

static void damaged_files_are_refused(void **state) {
  workspace *w = *state;
  static const double numbers[] = {0, 1, 2, 0};
  static const int64_t beyond[] = {0, INT64_C(1) << 60};
  static const struct {
    npz_entry entry;
    edgefw_status status;
    const char *word;
  } cases[] = {
      {{.type = "<f8", .shape = "(2, 2)", .bytes = numbers, .count = 24},
       EDGEFW_FORMAT,
       "24 bytes of numbers, its shape says 32"},
      {{.type = "<f8", .shape = "(50000, 50000)", .bytes = numbers, .count = 32},
       EDGEFW_FORMAT,
       "its shape says 20000000000"},
      {{.type = "<i8", .shape = "(2,)", .bytes = beyond, .count = 16}, EDGEFW_FORMAT, "number 1"},
      {{.type = "|O", .shape = "(2,)", .bytes = beyond, .count = 16}, EDGEFW_UNSUPPORTED, "|O"},
      {{.bytes = "\x93NUM", .count = 4}, EDGEFW_FORMAT, "cut short"},
      {{.bytes = "no array here", .count = 13}, EDGEFW_FORMAT, "no NumPy array"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    edgefw__npy_array array;
    double *out = NULL;
    const char *path = sandbox_path(&w->box, "t.npy");
    npy_write(path, &cases[k].entry);
    expect_failure(w->ctx, edgefw__npy_read(w->ctx, w->arena, path, &array, &out), cases[k].status,
                   "t.npy", cases[k].word);
  }
  edgefw__npy_array array;
  double *out = NULL;
  expect_failure(w->ctx, edgefw__npy_read(w->ctx, w->arena, "/none.npy", &array, &out), EDGEFW_IO,
                 "/none.npy");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(numpys_own_file_is_read, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(damaged_files_are_refused, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
