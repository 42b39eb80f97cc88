/* Whole experiments on the device cuda, emulated: trained, evaluated and solved like on any other
 * device, with checkpoints that move between devices. labels: e2e */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cli.h"
#include "support/tiny_model.h"

#define EMULATED "--plugin-path " EDGEFW_BUILD_DIR "/tests/devices "
#define ON_CUDA  " --set experiment.device=cuda_emulated"
#define SMALL                                                                                      \
  "[train]\nsize = 6\nepochs = 2\ninstances_per_epoch = 8\nbatch = 4\nmilestones = 2\n"            \
  "checkpoint_every = 1\nema = 0.5\nvalidate_every = 2\nvalidation_instances = 3\n"                \
  "[eval]\nsizes = 6, 5\ninstances = 4, 3\n"

static void assert_same_text(char *a, char *b) {
  assert_string_equal(a, b);
  free(a);
  free(b);
}

/* The piece before the next `end`, cut off from *rest; NULL at the end of the text. */
static char *next(char **rest, char end) {
  char *piece = *rest, *stop = piece ? strchr(piece, end) : NULL;
  if (stop) *stop = '\0';
  *rest = stop ? stop + 1 : NULL;
  return piece;
}

/* metrics.csv of a variant without its last column, the seconds; to be freed. */
static char *metrics(const sandbox *box, const char *name) {
  char *text = cli_read(box, name), *rest = text, *end = text;
  assert_non_null(text);
  for (char *row = next(&rest, '\n'); row && *row; row = next(&rest, '\n')) {
    const size_t length = (size_t)(strrchr(row, ',') - row);
    memmove(end, row, length); /* never behind the row */
    end += length;
    *end++ = '\n';
  }
  *end = '\0';
  return text;
}

/* Mean objectives of results.csv, in its order; returns how many. */
static int objectives(const sandbox *box, const char *folder, double out[8]) {
  char name[64];
  snprintf(name, sizeof name, "%s/results.csv", folder);
  char *text = cli_read(box, name), *rest = text;
  assert_non_null(text);
  int column = 0, count = 0, line = 0;
  for (char *row = next(&rest, '\n'); row && *row; row = next(&rest, '\n'), ++line) {
    int at = 0;
    for (char *cell = next(&row, ','); cell; cell = next(&row, ','), ++at) {
      if (line == 0 && strcmp(cell, "objective") == 0) column = at;
      if (line > 0 && at == column && count < 8) out[count++] = strtod(cell, NULL);
    }
  }
  free(text);
  assert_true(column > 0);
  return count;
}

static void an_experiment_gives_the_numbers_of_the_cpu(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --out host", 0, NULL, NULL);
  cli_expect(box, EMULATED "run tiny.ini --out gpu" ON_CUDA, 0, NULL, NULL);
  double host[8], gpu[8];
  const int count = objectives(box, "host", host);
  assert_true(count >= 4);
  assert_int_equal(objectives(box, "gpu", gpu), count);
  for (int i = 0; i < count; ++i)
    if (!(fabs(gpu[i] - host[i]) <= 1e-4 * host[i])) /* two steps of training leave them close */
      fail_msg("objective %d is %.9g, on the cpu %.9g", i, gpu[i], host[i]);
}

static void the_same_run_twice_gives_the_same_bits(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, EMULATED "run tiny.ini --out a" ON_CUDA, 0, NULL, NULL);
  setenv("EDGEFW_EMULATOR_ORDER", "shuffle", 1); /* nor does it matter who comes first */
  cli_expect(box, EMULATED "run tiny.ini --out b" ON_CUDA, 0, NULL, NULL);
  unsetenv("EDGEFW_EMULATOR_ORDER");
  assert_same_text(cli_results(box, "a"), cli_results(box, "b"));
  assert_same_text(metrics(box, "a/terms/metrics.csv"), metrics(box, "b/terms/metrics.csv"));
}

/* A run that began on one device ends on another. */
static void checkpoints_move_between_devices(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "hand.atsp",
                "NAME: hand\nTYPE: ATSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
                "0 3 41 17\n7 0 13 31\n11 43 0 1\n53 4 47 0\nEOF\n");
  cli_write_config(box, SMALL);
  cli_expect(box, EMULATED "run tiny.ini --only train --out g" ON_CUDA, 0, NULL, NULL);
  cli_expect(box, "run tiny.ini --out g", 0, NULL, NULL);
  cli_expect(
      box, "solve hand.atsp --construct none --device cpu -o host --model g/terms/checkpoint-2.h5",
      0, NULL, NULL);
  cli_expect(box,
             EMULATED "solve hand.atsp --construct none --device cuda_emulated -o gpu "
                      "--model g/terms/checkpoint-2.h5",
             0, NULL, NULL);
  assert_same_text(cli_read(box, "host"), cli_read(box, "gpu"));
}

/* A message and an exit status, no crash. */
static void too_little_memory_is_said(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  setenv("EDGEFW_EMULATOR_MEMORY", "40000", 1);
  cli_expect(box, EMULATED "run tiny.ini --out few" ON_CUDA, 1, NULL, "memory");
  unsetenv("EDGEFW_EMULATOR_MEMORY");
}

int main(void) {
  if (tiny_missing() || !tiny_has_device("cuda_emulated") || !tiny_has_device("cpu"))
    return TEST_SKIPPED;
#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, sandbox_set_up, sandbox_tear_down)
  const struct CMUnitTest tests[] = {
      RUN_TEST(an_experiment_gives_the_numbers_of_the_cpu),
      RUN_TEST(the_same_run_twice_gives_the_same_bits),
      RUN_TEST(checkpoints_move_between_devices),
      RUN_TEST(too_little_memory_is_said),
  };
  return test_run(tests, NULL, NULL);
}
