/* The frame around the commands: which one is meant, where text goes, exit statuses. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/cli.h"

static void commands_are_found(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "", 2, "", "no command given");
  cli_expect(box, "slove x", 2, "", "unknown command 'slove' (did you mean 'solve'?)");
  cli_expect(box, "model", 2, "", "'model' needs a second word");
  cli_expect(box, "--log debug --plugin-path /none plugins list", 0, "device", NULL);
}

/* Messages are one line on stderr, and stdout is empty. */
static void failures_leave_stdout_alone(void **state) {
  const sandbox *box = *state;
  cli_result result = cli_do(box, "data info none.h5");
  assert_int_equal(result.status, 1);
  assert_string_equal(result.out, "");
  assert_int_equal(strncmp(result.err, "edgefw: ", strlen("edgefw: ")), 0);
  assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1);
  cli_free(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(commands_are_found, sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(failures_leave_stdout_alone, sandbox_set_up,
                                      sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
