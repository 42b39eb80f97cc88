/* edgefw model export.
 * labels: e2e */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/cli.h"
#include "support/tiny_model.h"

#define CHECKPOINT "runs/tiny/plain/checkpoint-1.h5"

static void train(const sandbox *box) {
  cli_write_config(box, "[train]\nsize = 6\nepochs = 1\ninstances_per_epoch = 4\nbatch = 2\n");
  cli_expect(box, "run tiny.ini --only train", 0, NULL, NULL);
}

/* Out and in again: a checkpoint without state of training, of the same composition. */
static void a_trained_model_goes_out_and_comes_back(void **state) {
  const sandbox *box = *state;
  train(box);
  cli_expect(box, "model export " CHECKPOINT " -o out.safetensors", 0, "tensors written", NULL);
  cli_expect(box, "model import out.safetensors -o again.h5", 0, "again.h5: written", NULL);
  cli_expect(box, "model info again.h5", 0, "1 epochs, 0 steps, 0 instances", NULL);
  cli_result kept = cli_do(box, "model info --config " CHECKPOINT);
  cli_result again = cli_do(box, "model info --config again.h5");
  assert_string_equal(again.out, kept.out);
  cli_free(&kept);
  cli_free(&again);
  cli_result one = cli_do(box, "eval 7 --instances 3 --json --model " CHECKPOINT);
  cli_result two = cli_do(box, "eval 7 --instances 3 --json --model again.h5");
  const char *model = strstr(one.out, "\"model\"");
  assert_non_null(model);
  char fingerprint[40] = "";
  strncat(fingerprint, model, 30);
  assert_non_null(strstr(two.out, fingerprint));
  cli_free(&one);
  cli_free(&two);
  /* One change of the composition, on the way in. */
  cli_expect(box, "model import out.safetensors -o again.h5 --set backbone.layers=2", 1, "",
             "missing: encoder.layers.1.Wq.weight");
}

static void wrong_commands_write_nothing(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "text.h5", "no checkpoint");
  cli_expect(box, "model export text.h5 -o out.safetensors", 1, "", "text.h5");
  cli_expect(box, "model export text.h5", 2, "", "-o FILE is missing");
  cli_expect(box, "model export -o out.safetensors", 2, "", "CHECKPOINT.h5 is missing");
  cli_expect(box, "model export text.h5 -o out.onnx --format onnx", 2, "", "expected safetensors");
  assert_false(cli_exists(box, "out.safetensors"));
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_trained_model_goes_out_and_comes_back, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(wrong_commands_write_nothing, sandbox_set_up,
                                      sandbox_tear_down)};
  return test_run(tests, NULL, NULL);
}
