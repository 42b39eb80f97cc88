/* edgefw report merge: its words; what it joins is in tests/core/experiment/test_run_merge.c. */
#include "support/test.h"

#include "support/cli.h"

static void words_are_checked(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "help report merge", 0, "usage: edgefw report merge RUN...", NULL);
  cli_expect(box, "report merge", 2, "", "RUN is missing; see 'edgefw help report merge'");
  cli_expect(box, "report merge nowhere", 2, "", "nowhere/shards: No such file or directory");
  cli_expect(box, "report merge --output x", 2, "", "--output");
  /* A run directory of that name is named otherwise. */
  cli_expect(box, "report ./merge", 2, "", "./merge is no run directory");
}

static void a_folder_without_shards_is_none(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "run/shards/config.ini", "; somebody's\n");
  cli_expect(box, "report merge run", 2, "", "run has no shards: 'edgefw run CONFIG.ini --out run");
}

int main(void) {
#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, sandbox_set_up, sandbox_tear_down)
  const struct CMUnitTest tests[] = {RUN_TEST(words_are_checked),
                                     RUN_TEST(a_folder_without_shards_is_none)};
  return test_run(tests, NULL, NULL);
}
