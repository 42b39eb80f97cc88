/* edgefw data generate and info.
 * labels: e2e */
#include "support/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "device/memory.h"
#include "support/cli.h"
#include "support/tiny_model.h"

static void a_generated_set_can_be_described_and_evaluated(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "data generate --problem atsp --size 5 --count 3 --seed 7 -o d.h5", 0, "",
             "3 instances of 5 nodes");
  cli_expect(box, "data info d.h5", 0, "problem       atsp", NULL);
  cli_expect(box, "data info d.h5", 0, "instances     3", NULL);
  cli_expect(box, "data info d.h5 --json", 0, "\"seed\": 7, \"instances\": 3, \"nodes\": 5", NULL);
  /* The dataset is the generated set of that seed. */
  cli_write_config(box,
                   "[train]\nsize = 6\nepochs = 0\n[eval]\nsizes = 5\ninstances = 3\nseed = 7\n");
  cli_expect(box, "run tiny.ini --out generated", 0, NULL, NULL);
  cli_expect(box, "run tiny.ini --out stored --set data.test.5=d.h5", 0, NULL, NULL);
  char *generated = cli_results(box, "generated"), *stored = cli_results(box, "stored");
  assert_string_equal(generated, stored);
  free(generated);
  free(stored);
}

static void bad_requests_are_refused(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "data generate --size 5 -o d.h5", 2, "", "--problem is missing");
  cli_expect(box, "data generate --problem atsp -o d.h5", 2, "", "--size is missing");
  cli_expect(box, "data generate --problem atsp --size 5", 2, "", "--output is missing");
  cli_expect(box, "data generate --problem atsp --size 1 -o d.h5", 2, "", "needs at least 2 nodes");
  if (edgefw__physical_memory() < (size_t)32 << 30) /* 60 GB are needed */
    cli_expect(box, "data generate --problem atsp --size 50000 --count 1 -o d.h5", 1, "",
               "--size 50000: ");
  cli_expect(box, "data generate --problem atps --size 5 -o d.h5", 2, "", "did you mean 'atsp'");
  cli_expect(box, "data generate --problem atsp --size 5 --set distribution=x -o d.h5", 2, "",
             "problem.KEY=VALUE");
  cli_expect(box, "data generate --problem atsp --size 5 --set problem.distribution=x -o d.h5", 2,
             "", "distribution");
  assert_int_not_equal(access(sandbox_path(box, "d.h5"), F_OK), 0);
  sandbox_write(box, "text.h5", "no dataset");
  cli_expect(box, "data info text.h5", 1, "", "text.h5");
  cli_expect(box, "data", 2, "", "needs a second word");
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_generated_set_can_be_described_and_evaluated,
                                      sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(bad_requests_are_refused, sandbox_set_up, sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
