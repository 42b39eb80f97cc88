/* --problem and --set problem.KEY=VALUE.
 * labels: e2e */
#include "support/test.h"

#include "support/cli.h"
#include "support/tiny_model.h"

static void problems_and_their_keys_are_checked(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "data generate --problem atps --size 5 -o d.h5", 2, "", "did you mean 'atsp'");
  cli_expect(box, "data generate --problem atsp --size 5 --set size=5 -o d.h5", 2, "",
             "--set 'size=5': expected problem.KEY=VALUE");
  cli_expect(box, "data generate --problem atsp --size 5 --set problem.distribution -o d.h5", 2, "",
             "expected problem.KEY=VALUE");
  cli_expect(box, "data generate --problem atsp --size 5 --set problem.none=1 -o d.h5", 2, "",
             "none");
}

static void a_set_key_is_in_the_file(void **state) {
  const sandbox *box = *state;
  cli_expect(box,
             "data generate --problem atsp --size 3 --count 1 --set problem.distribution=tmat "
             "-o d.h5",
             0, "", NULL);
  cli_expect(box, "data info d.h5", 0, "distribution  tmat", NULL);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(problems_and_their_keys_are_checked, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(a_set_key_is_in_the_file, sandbox_set_up, sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
