/* edgefw check.
 * labels: e2e
 * needs plugins: atsp radar */
#include "support/test.h"

#include "support/cli.h"

#define BR17 EDGEFW_SOURCE_DIR "/data/atsplib/br17.atsp"

static void a_solution_has_its_price(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "three.atsp",
                "NAME: three\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n9 1 5\n7 9 2\n4 8 9\n");
  sandbox_write(box, "three.tour", "TOUR_SECTION\n2\n3\n1\n-1\nEOF\n");
  cli_expect(box, "check three.atsp three.tour", 0, "three: n = 3, cost 7 (atsp)\n", NULL);
  cli_expect(
      box, "check three.atsp three.tour --json --problem atsp", 0,
      "{\"name\": \"three\", \"problem\": \"atsp\", \"n\": 3, \"routes\": null, \"cost\": 7, "
      "\"stated\": null}\n",
      NULL);
}

static void instances_of_datasets_have_numbers(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "three.tour", "TOUR_SECTION\n2\n3\n1\n-1\nEOF\n");
  cli_expect(box, "data generate --problem atsp --size 3 --count 2 -o d.h5", 0, NULL, NULL);
  cli_expect(box, "check d.h5 three.tour --instance 1", 0, "d 1: n = 3, cost ", NULL);
  cli_expect(box, "check d.h5 three.tour", 0, "d 0: n = 3, cost ", NULL);
  cli_expect(box, "check d.h5 three.tour --instance 2", 2, "", "d.h5 has no instance 2");
  cli_expect(box, "check " BR17 " three.tour --instance 2", 2, "", "--instance needs a dataset");
}

static void what_is_none_says_where(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "short.tour", "TOUR_SECTION\n2\n3\n1\n-1\nEOF\n");
  sandbox_write(box, "twice.tour", "TOUR_SECTION\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n4\n-1\n");
  cli_expect(box, "check " BR17 " short.tour", 1, "", "does not visit node 4");
  cli_expect(box, "check " BR17 " twice.tour", 1, "", "line 3: the tour visits node 4 twice");
  cli_expect(box, "check " BR17 " none.tour", 1, "", "none.tour");
  cli_expect(box, "check " BR17, 2, "", "SOLUTION is missing");
  cli_expect(box, "check " BR17 " short.tour --problem asp", 2, "", "did you mean 'atsp'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_solution_has_its_price, sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(instances_of_datasets_have_numbers, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(what_is_none_says_where, sandbox_set_up, sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
