/* Versions of libraries. */
#include "support/test.h"

#include <string.h>

#include "files/library_versions.h"
#include "support/workspace.h"

static void every_library_is_named(void **state) {
  const workspace *w = *state;
  edgefw__text text = {.ctx = w->ctx};
  edgefw__library_versions(&text, "; ");
  const char *all = edgefw__text_get(&text);
  assert_int_equal(strncmp(all, "HDF5 ", 5), 0);
  assert_non_null(strstr(all, "; libzip "));
  assert_non_null(strstr(all, "; jansson "));
  assert_null(strchr(all, '\n'));
  assert_true(all[strlen(all) - 1] >= '0' && all[strlen(all) - 1] <= '9');
  edgefw__text_release(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_library_is_named, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
