/* How the command line is read. */
#include "support/test.h"

#include "support/cli.h"

static void options_are_checked(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "run --dryrun x.ini", 2, "",
             "unknown option --dryrun (did you mean '--dry-run'?)");
  cli_expect(box, "run x.ini --out", 2, "", "--out needs a value");
  cli_expect(box, "run x.ini --fresh=yes", 2, "", "--fresh takes no value");
  cli_expect(box, "run x.ini y.ini", 2, "", "'y.ini' is one argument too many");
  cli_expect(box, "run", 2, "", "CONFIG.ini is missing");
  cli_expect(box, "data generate --size five", 2, "", "expected a whole number in [1, ");
  cli_expect(box, "data generate --size=-3", 2, "", "expected a whole number in [1, ");
}

static void values_may_stand_behind_an_equals_sign(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "--log=debug run x.ini", 2, "", "x.ini");
  cli_expect(box, "--log=loud run x.ini", 2, "", "--log 'loud'");
  cli_expect(box, "run x.ini --log loud", 2, "", "--log 'loud'");
}

static void two_dashes_end_the_options(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "run -- --fresh", 2, "", "--fresh: No such file");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(options_are_checked, sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(values_may_stand_behind_an_equals_sign, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(two_dashes_end_the_options, sandbox_set_up,
                                      sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
