/* edgefw data label.
 * labels: e2e
 * needs plugins: atsp patching */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "data/dataset_labels.h"
#include "support/check.h"
#include "support/cli.h"

enum { COUNT = 3, N = 6 };

static void generate(const sandbox *box) {
  cli_expect(box, "data generate --problem atsp --size 6 --count 3 -o d.h5", 0, NULL, NULL);
}

/* Labels of the box's d.h5. */
static void read_labels(const sandbox *box, int32_t tours[COUNT * N]) {
  const edgefw__label_shape shape = {COUNT, N, N, {0}};
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  assert_int_equal(edgefw__dataset_labels(ctx, sandbox_path(box, "d.h5"), &shape, tours),
                   EDGEFW_OK);
  edgefw_context_destroy(ctx);
}

static void a_dataset_gets_labels(void **state) {
  const sandbox *box = *state;
  int32_t one[COUNT * N], two[COUNT * N];
  generate(box);
  cli_expect(box, "data info d.h5 --json", 0, "\"labels\": false", NULL);
  cli_expect(box, "data label d.h5 --threads 1", 0, "d.h5: labels of 3 instances, mean cost ",
             NULL);
  cli_expect(box, "data info d.h5", 0, "labels        yes", NULL);
  read_labels(box, one);
  cli_expect(box, "data label d.h5 --threads 2 --json", 0,
             "\"path\": \"d.h5\", \"instances\": 3, \"mean_cost\": ", NULL);
  read_labels(box, two);
  check_same_bits(two, one, sizeof one, "labels on two threads");
  cli_expect(box, "data label d.h5 --construct patching --starts 0 --kicks 0 --seed 5", 0, "",
             NULL);
}

static void mistakes_are_named(void **state) {
  const sandbox *box = *state;
  generate(box);
  cli_expect(box, "data label", 2, "", "DATASET.h5 is missing");
  cli_expect(box, "data label gone.h5", 1, "", "gone.h5");
  cli_expect(box, "data label d.h5 --construct patchin", 2, "", "did you mean 'patching'");
  cli_expect(box, "data label d.h5 --construct=", 2, "", "--construct: expected the name");
  cli_expect(box, "data label d.h5 --kicks -1", 2, "", "--kicks");
  cli_expect(box, "data label d.h5 --set train.size=3", 2, "", "expected problem.KEY=VALUE");
  cli_expect(box, "data info d.h5 --json", 0, "\"labels\": false", NULL); /* nothing was written */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_dataset_gets_labels, sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(mistakes_are_named, sandbox_set_up, sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
