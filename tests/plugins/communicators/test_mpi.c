/* The communicator as the loader sees it. What it does between processes is tested where mpirun can
 * start some (tests/core/group/test_mpirun.sh). */
#include "support/test.h"

#include <stdio.h>
#include <unistd.h>

#include "plugin/loader.h"

#define FOLDER    EDGEFW_BUILD_DIR "/lib/edgefw"
#define FILE_NAME "edgefw_mpi.so"

static void it_is_a_whole_communicator(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  edgefw__plugin *plugin = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  const edgefw_status status =
      edgefw__plugin_open(ctx, FOLDER "/communicators/" FILE_NAME, &plugin);
  if (status != EDGEFW_OK) fail_msg("%s", edgefw_message(ctx));
  assert_int_equal(plugin->kind, EDGEFW_KIND_COMMUNICATOR);
  assert_string_equal(plugin->descriptor->name, "mpi");
  assert_null(plugin->vtable.communicator.exchange_on_device);
  edgefw__plugin_close(ctx, plugin);
  edgefw_context_destroy(ctx);
}

/* No ordinary command opens it, and with it a library that it does not need. */
static void it_lies_apart(void **state) {
  (void)state;
  assert_int_not_equal(access(FOLDER "/" FILE_NAME, F_OK), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_a_whole_communicator),
                                     cmocka_unit_test(it_lies_apart)};
  if (access(FOLDER "/communicators/" FILE_NAME, F_OK) != 0) {
    puts("SKIPPED: built without MPI (libopenmpi-dev, EDGEFW_MPI)");
    return TEST_SKIPPED;
  }
  return test_run(tests, NULL, NULL);
}
