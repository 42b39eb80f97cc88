/* edgefw eval: a checkpoint alone gives the rows that the run that trained it gave.
 * labels: e2e */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/cli.h"
#include "support/tiny_model.h"

#define MODEL "--model runs/tiny/terms/checkpoint-1.h5"
#define BR17  EDGEFW_SOURCE_DIR "/data/atsplib/br17.atsp"

static sandbox box;

static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  cli_write_config(&box, "[train]\nsize = 6\nepochs = 1\ninstances_per_epoch = 4\nbatch = 4\n"
                         "[eval]\nsizes = 6, 5\ninstances = 3\n");
  cli_expect(&box, "run tiny.ini", 0, NULL, NULL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&box);
  return 0;
}

/* The rows of variant "terms" in results.csv, without the columns of seconds and `inputs`. */
static void keep_rows(const char *csv, char *out, size_t size) {
  enum { SECONDS = 14, INPUTS = 16, SEARCHED = 19 }; /* from there on more seconds */
  size_t used = 0;
  for (const char *line = csv; *line;) {
    const char *end = line + strcspn(line, "\n");
    const bool kept = strncmp(line, "terms,", 6) == 0;
    int column = 0;
    for (const char *at = line; kept && at <= end && used + 1 < size; ++at) {
      if (at == end || (column != SECONDS && column != INPUTS && column < SEARCHED))
        out[used++] = at < end ? *at : '\n';
      column += *at == ',';
    }
    line = *end ? end + 1 : end;
  }
  out[used] = '\0';
}

static void the_checkpoint_says_what_it_is(void **state) {
  (void)state;
  char run[2048] = "", evaluated[2048] = "", named[2048] = "";
  char *results = cli_read(&box, "runs/tiny/results.csv");
  assert_non_null(results);
  keep_rows(results, run, sizeof run);
  assert_non_null(strstr(run, "terms,6,6,3,greedy,"));
  cli_result own = cli_do(&box, "eval --csv " MODEL); /* its own sets */
  assert_int_equal(own.status, 0);
  keep_rows(own.out, evaluated, sizeof evaluated);
  assert_string_equal(evaluated, run);
  cli_result sizes = cli_do(&box, "eval 6 5 --csv " MODEL); /* the same ones by name */
  assert_int_equal(sizes.status, 0);
  keep_rows(sizes.out, named, sizeof named);
  assert_string_equal(named, run);
  free(results);
  cli_free(&own);
  cli_free(&sizes);
}

static void sets_are_sizes_datasets_and_files(void **state) {
  (void)state;
  cli_expect(&box, "data generate --problem atsp --size 7 --count 2 --seed 1 -o seven.h5", 0, NULL,
             NULL);
  cli_result result =
      cli_do(&box, "eval 4 seven.h5 " BR17 " --instances 2 --seed 9 --reference " EDGEFW_SOURCE_DIR
                   "/data/optima.csv " MODEL);
  assert_int_equal(result.status, 1); /* a table of optima is none of a set's references */
  assert_non_null(strstr(result.out, "br17: 1 instance, n = 17, cost "));
  assert_non_null(strstr(result.out, ", reference 39, gap to best known "));
  assert_non_null(strstr(result.err, "not evaluated: "));
  assert_null(strstr(result.err, "not solved"));
  assert_non_null(strstr(result.err, "2 of 3 inputs were not evaluated"));
  cli_free(&result);
  result = cli_do(&box, "eval 4 seven.h5 " BR17 " --instances 2 --seed 9 " MODEL);
  assert_int_equal(result.status, 0);
  assert_non_null(strstr(result.out, "4: 2 instances, n = 4, cost "));
  assert_non_null(strstr(result.out, "seven: 2 instances, n = 7, cost "));
  assert_non_null(strstr(result.out, "br17: 1 instance, n = 17, cost "));
  cli_free(&result);
}

static void options_without_effect_are_refused(void **state) {
  (void)state;
  cli_expect(&box, "eval --instances 5 " MODEL, 2, "", "--instances needs a SET");
  cli_expect(&box, "eval --seed 5 " MODEL, 2, "", "--seed needs a SET");
  cli_expect(&box, "eval " BR17 " --instances 5 " MODEL, 2, "",
             "--instances needs a generated set");
  cli_expect(&box, "eval 0 " MODEL, 2, "", "set '0': expected a size");
  cli_expect(&box, "eval 6 --json --csv " MODEL, 2, "", "exclude each other");
  cli_expect(&box, "eval none.h5 " MODEL, 1, "", "none.h5");
}

int main(void) {
  if (tiny_missing()) return 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_checkpoint_says_what_it_is),
      cmocka_unit_test(sets_are_sizes_datasets_and_files),
      cmocka_unit_test(options_without_effect_are_refused),
  };
  return test_run(tests, set_up, tear_down);
}
