/* edgefw model info.
 * labels: e2e */
#include "support/test.h"

#include <string.h>

#include "support/cli.h"
#include "support/tiny_model.h"

static void a_checkpoint_is_described(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, "[train]\nsize = 6\nepochs = 1\ninstances_per_epoch = 4\nbatch = 2\n");
  cli_expect(box, "run tiny.ini --only train", 0, NULL, NULL);
  const char *info = "model info runs/tiny/plain/checkpoint-1.h5";
  cli_expect(box, info, 0, "terms       (none)", NULL);
  cli_expect(box, info, 0, "1 epochs, 2 steps, 4 instances", NULL);
  cli_expect(box, info, 0, "decoder.Wk.weight", NULL);
  cli_expect(box, "model info --json runs/tiny/plain/checkpoint-1.h5", 0, "\"shape\": [8, 8]",
             NULL);
  /* The configuration that it keeps is one. */
  cli_result config = cli_do(box, "model info --config runs/tiny/plain/checkpoint-1.h5");
  assert_int_equal(config.status, 0);
  assert_non_null(strstr(config.out, "embedding_dim = 8"));
  sandbox_write(box, "kept.ini", config.out);
  cli_expect(box, "run kept.ini --dry-run", 0, "parameters", NULL);
  cli_free(&config);
}

static void what_is_no_checkpoint_is_refused(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "text.h5", "no checkpoint");
  cli_expect(box, "model info text.h5", 1, "", "text.h5");
  cli_expect(box, "model info none.h5", 1, "", "none.h5");
  cli_expect(box, "model info", 2, "", "CHECKPOINT.h5 is missing");
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_checkpoint_is_described, sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(what_is_no_checkpoint_is_refused, sandbox_set_up,
                                      sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
