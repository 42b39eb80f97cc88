/* Event files, byte by byte, against one that the tensorboard package wrote
 * (tests/golden/read_tensorboard.py --write). */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "report/event_file.h"
#include "support/io_support.h"
#include "support/workspace.h"

static void bytes_are_those_of_the_package(void **state) {
  workspace *w = *state;
  edgefw__text file = {.ctx = w->ctx};
  edgefw__event_file_begin(&file, 1700000000.25);
  edgefw__event_file_scalar(&file, 1700000001.5, 1, "train/score", 3.25);
  edgefw__event_file_scalar(&file, 1700000002.0, 300, "lr", 1e-4);
  edgefw__event_file_scalar(&file, 1700000003.0, 0, "val/gap/100", 0.0);
  edgefw__event_file_scalar(&file, 1700000004.0, 2, "val/gap/\xc3\xa9", -1.5);
  size_t length = 0;
  char *expected = io_read(EDGEFW_TEST_DATA "/core/report/tensorboard.tfevents", &length);
  assert_false(file.failed);
  assert_int_equal(file.length, length);
  assert_memory_equal(file.data, expected, length);
  free(expected);
  edgefw__text_release(&file);
}

static void the_beginning_is_found_again(void **state) {
  workspace *w = *state;
  edgefw__text file = {.ctx = w->ctx};
  double time = 0.0;
  edgefw__event_file_begin(&file, 1700000000.25);
  assert_int_equal(file.length, EDGEFW__EVENT_FILE_HEAD);
  assert_true(edgefw__event_file_began(file.data, file.length, &time));
  assert_true(time == 1700000000.25);
  assert_false(edgefw__event_file_began(file.data, file.length - 1, &time));
  for (size_t b = 0; b < file.length; ++b) {
    if (b >= 1 && b < 12) continue; /* the length's other bytes and its sum are not looked at */
    file.data[b] ^= 4;
    assert_false(edgefw__event_file_began(file.data, file.length, &time));
    file.data[b] ^= 4;
  }
  edgefw__text_release(&file);
}

/* Protocol buffers refuse a string that is no UTF-8, and with it the whole record. */
static void tags_are_made_clean(void **state) {
  workspace *w = *state;
  edgefw__text file = {.ctx = w->ctx}, clean = {.ctx = w->ctx};
  edgefw__event_file_scalar(&file, 1.0, 1, "a\xff\nb", 2.0);
  edgefw__event_file_scalar(&clean, 1.0, 1, "a??b", 2.0);
  assert_int_equal(file.length, clean.length);
  assert_memory_equal(file.data, clean.data, clean.length);
  edgefw__text_release(&file);
  edgefw__text_release(&clean);
}

int main(void) {
#define EVENT_TEST(name)                                                                           \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      EVENT_TEST(bytes_are_those_of_the_package),
      EVENT_TEST(the_beginning_is_found_again),
      EVENT_TEST(tags_are_made_clean),
  };
  return test_run(tests, NULL, NULL);
}
