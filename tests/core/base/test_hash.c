/* Fingerprints: the published values of FNV-1a, in one piece and in parts, of memory and of files.
 */
#include "support/test.h"

#include <string.h>

#include "base/hash.h"
#include "support/expect.h"
#include "support/sandbox.h"
#include "support/workspace.h"

static void published_values_come_out(void **state) {
  (void)state;
  assert_true(edgefw__hash_add(EDGEFW__HASH_EMPTY, "", 0) == 0xcbf29ce484222325u);
  assert_true(edgefw__hash_add(EDGEFW__HASH_EMPTY, "a", 1) == 0xaf63dc4c8601ec8cu);
  assert_true(edgefw__hash_add(EDGEFW__HASH_EMPTY, "foobar", 6) == 0x85944171f73967e8u);
}

static void parts_are_the_whole(void **state) {
  (void)state;
  const uint64_t part = edgefw__hash_add(EDGEFW__HASH_EMPTY, "foo", 3);
  assert_true(edgefw__hash_add(part, "bar", 3) == 0x85944171f73967e8u);
}

/* Longer than what is read at once. */
static void a_file_is_its_bytes(void **state) {
  workspace *w = *state;
  static char bytes[50000];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (char)(i * i);
  const char *path = sandbox_write_bytes(&w->box, "file", bytes, sizeof bytes);
  uint64_t hash = 7;
  expect_ok(w->ctx, edgefw__hash_file(w->ctx, path, &hash));
  assert_true(hash == edgefw__hash_add(7, bytes, sizeof bytes));
  bytes[sizeof bytes - 1] ^= 1;
  uint64_t other = 7;
  path = sandbox_write_bytes(&w->box, "file", bytes, sizeof bytes);
  expect_ok(w->ctx, edgefw__hash_file(w->ctx, path, &other));
  assert_true(hash != other);
}

static void what_is_no_file_is_refused(void **state) {
  workspace *w = *state;
  uint64_t hash = 7;
  expect_failure(w->ctx, edgefw__hash_file(w->ctx, w->box.folder, &hash), EDGEFW_IO,
                 "it is a folder");
  expect_failure(w->ctx, edgefw__hash_file(w->ctx, "/no/file", &hash), EDGEFW_IO, "/no/file");
  assert_true(hash == 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_values_come_out),
      cmocka_unit_test(parts_are_the_whole),
      cmocka_unit_test_setup_teardown(a_file_is_its_bytes, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(what_is_no_file_is_refused, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
