/* edgefw bench: what it prints for a tiny model, and what it refuses.
 * labels: e2e */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "support/bench_tiny.h"
#include "support/cli.h"

#define TINY                                                                                       \
  " --problem atsp --backbone radar --width 8 --set backbone.layers=1 --set backbone.heads=2 "     \
  "--set backbone.ff_hidden=8 --set "                                                              \
  "backbone.svd_rank=3 --set decoder.heads=2 --sizes 5 --batch 2 --repeat 1 --threads 1"

static sandbox box;

static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&box);
  return 0;
}

static int count(const char *text, const char *part) {
  int found = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) ++found;
  return found;
}

static void json_has_every_section(void **state) {
  (void)state;
  cli_result result = cli_do(&box, "bench --json" TINY);
  if (result.status != 0) print_error("%s", result.err);
  assert_int_equal(result.status, 0);
  assert_true(strncmp(result.out, "{\"edgefw\": \"", 12) == 0);
  assert_int_equal(count(result.out, "\"nodes\": 5"), 3);
  assert_int_equal(count(result.out, "\"name\": \"evaluate\""), 1);
  assert_int_equal(count(result.out, "\"seconds\": 0,"), 0);
  assert_non_null(strstr(result.err, "eval n=5"));
  cli_free(&result);
}

static void tables_are_the_default(void **state) {
  (void)state;
  cli_expect(&box, "bench --only eval --terms none" TINY, 0, "Evaluation, n = 5: 2 instances",
             NULL);
  cli_expect(&box, "bench --only train" TINY " --sizes 5,6", 0, "Training, n = 6: 2 instances",
             "train n=5");
}

static void any_device_can_be_measured(void **state) {
  (void)state;
  cli_expect(&box, "bench --only train --device reference" TINY, 0, "P is not known", NULL);
  cli_expect(&box, "bench --only train --device reference --json" TINY, 0, "\"gflops_first\": null",
             NULL);
}

/* The device `reference` has no product, whose measurement would take the time. */
static void a_bench_is_compared_with_an_earlier_one(void **state) {
  (void)state;
  cli_result result = cli_do(&box, "bench --only train --device reference --json" TINY);
  assert_int_equal(result.status, 0);
  sandbox_write(&box, "earlier.json", result.out);
  cli_free(&result);
  cli_expect(&box, "bench --only train --device reference --compare earlier.json" TINY, 0,
             "\ntrain, n = 5: 2 at once then, 2 now\n", NULL);
  cli_expect(&box, "bench --only train --device reference --compare earlier.json --json" TINY, 0,
             "\"compared\": {\"file\": \"earlier.json\"", NULL);
}

/* Before anything is measured. */
static void what_is_no_bench_is_not_compared_with(void **state) {
  (void)state;
  sandbox_write(&box, "tour.json", "{\"tour\": [1, 2]}");
  cli_expect(&box, "bench --compare tour.json" TINY, 1, "", "'tour.json': edgefw is missing");
  cli_expect(&box, "bench --compare nowhere.json" TINY, 1, "", "nowhere.json");
}

static void nonsense_is_refused(void **state) {
  (void)state;
  cli_expect(&box, "bench --only speed", 2, "", "--only 'speed': expected a list of ops");
  cli_expect(&box, "bench --sizes 20,many", 2, "", "--sizes 'many'");
  cli_expect(&box, "bench --sizes 1", 2, "", "--sizes '1'");
  cli_expect(&box, "bench --sizes 20,", 2, "", "--sizes ''");
  cli_expect(&box, "bench --repeat 0", 2, "", "--repeat '0'");
  cli_expect(&box, "bench --set width", 2, "", "--set width");
  cli_expect(&box, "bench --terms sideways", 2, "", "sideways");
  cli_expect(&box, "bench --device cpu --precision tf32" TINY, 2, "", "in fp32 and bf16 only");
  cli_expect(&box, "bench --precision fp8" TINY, 2, "", "precision");
  cli_expect(&box, "bench atsp", 2, "", "'atsp' is one argument too many");
}

int main(void) {
  if (bench_tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_has_every_section),
      cmocka_unit_test(tables_are_the_default),
      cmocka_unit_test(any_device_can_be_measured),
      cmocka_unit_test(a_bench_is_compared_with_an_earlier_one),
      cmocka_unit_test(what_is_no_bench_is_not_compared_with),
      cmocka_unit_test(nonsense_is_refused),
  };
  return test_run(tests, set_up, tear_down);
}
