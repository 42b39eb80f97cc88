/* The options of commands that take a trained model.
 * labels: e2e */
#include "support/test.h"

#include <string.h>

#include "support/cli.h"
#include "support/tiny_model.h"

#define MODEL "--model runs/tiny/plain/checkpoint-1.h5"

static sandbox box;

static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  cli_write_config(&box, "[train]\nsize = 6\nepochs = 1\ninstances_per_epoch = 4\nbatch = 4\n"
                         "[eval]\nsizes = 6\ninstances = 3\n");
  cli_expect(&box, "run tiny.ini --only train", 0, NULL, NULL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&box);
  return 0;
}

static void values_are_checked(void **state) {
  (void)state;
  static const struct {
    const char *arguments, *message;
  } bad[] = {{"eval 6", "--model is missing: name a checkpoint"},
             {"eval 6 --starts 0 " MODEL, "--starts '0'"},
             {"eval 6 --sample many " MODEL, "--sample 'many'"},
             {"eval 6 --batch 0 " MODEL, "--batch '0'"},
             {"eval 6 --threads 2000 " MODEL, "--threads '2000'"},
             {"eval 6 --precision fp8 " MODEL, "--precision 'fp8': expected one of auto"},
             {"eval 6 --device fast " MODEL, "device = fast"},
             {"eval 6 --augment 3 " MODEL, "--augment 3: expected 1 or 8"},
             {"eval 6 --augment 8 " MODEL, "has no coordinates to reflect"},
             {"eval 6 --kicks 0 " MODEL, "--kicks '0'"},
             {"eval 6 --time-limit soon " MODEL, "--time-limit 'soon'"},
             {"eval 6 --improve often " MODEL, "--improve 'often': expected none or local"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    cli_expect(&box, bad[i].arguments, 2, "", bad[i].message);
}

static void settings_have_their_effect(void **state) {
  (void)state;
  cli_expect(&box, "eval 6 --json " MODEL, 0,
             "\"select\": \"greedy\", \"logit_clip\": 50, \"starts\": 6", NULL);
  cli_expect(&box, "eval 6 --json --sample 2 --starts 2 --batch 1 --seed 1 " MODEL, 0,
             "\"select\": \"sample\", \"logit_clip\": 50, \"starts\": 2", NULL);
}

int main(void) {
  if (tiny_missing()) return 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_checked),
      cmocka_unit_test(settings_have_their_effect),
  };
  return test_run(tests, set_up, tear_down);
}
