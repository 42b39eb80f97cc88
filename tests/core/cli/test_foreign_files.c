/* Library files as people have them: solved where they can be, refused in one line where not; and
 * whatever they are called, what is printed is UTF-8 without control characters.
 * labels: e2e
 * needs plugins: atsp acvrp radar */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/utf8.h"
#include "support/cli.h"
#include "support/tiny_model.h"

#define MODEL   "--model runs/tiny/plain/checkpoint-1.h5"
#define VEHICLE "--model runs/vehicle/plain/checkpoint-1.h5"

/* Both tours cost 6. */
#define MATRIX                                                                                     \
  "TYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_SECTION\n"                    \
  "0 1 3\n1 0 2\n3 2 0\n"
#define FLEET                                                                                      \
  "TYPE: CVRP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 0 4\n"  \
  "DEMAND_SECTION\n1 0\n2 1\n3 1\nDEPOT_SECTION\n1\n-1\n"

static sandbox box;

static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  cli_write_config(&box, CLI_SHORT_TRAINING);
  cli_expect(&box, "run tiny.ini --only train", 0, NULL, NULL);
  cli_expect(&box, "run tiny.ini --only train --set problem.name=acvrp --out runs/vehicle", 0, NULL,
             NULL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&box);
  return 0;
}

static void write_packed(const char *name, const char *text) {
  gzFile stream = gzopen(sandbox_path(&box, name), "wb");
  assert_non_null(stream);
  assert_true(gzputs(stream, text) > 0);
  assert_int_equal(gzclose(stream), Z_OK);
}

static void packed_files_in_any_case_are_solved(void **state) {
  (void)state;
  write_packed("three.atsp.gz", MATRIX);
  cli_expect(&box, "solve three.atsp.gz " MODEL, 0, "three: n = 3, cost 6,", NULL);
  sandbox_write(&box, "lib/UPPER.ATSP", MATRIX);
  write_packed("lib/packed.tsp.gz", MATRIX);
  cli_result result = cli_do(&box, "solve lib " MODEL);
  assert_int_equal(result.status, 0);
  assert_non_null(strstr(result.out, "UPPER: n = 3, cost 6,"));
  assert_non_null(strstr(result.out, "packed: n = 3, cost 6,"));
  cli_free(&result);
  cli_expect(&box, "run tiny.ini --set eval.files=lib --out lib-run", 0, "UPPER", NULL);
}

/* A terminal's escape, a bell, a C1 control, a line end of old, and a byte of Latin-1. */
#define NAME                                                                                       \
  "\x1B[2J\x07"                                                                                    \
  "K\xF6ln\xC2\x9B"                                                                                \
  "5m\rx"
#define SHOWN "?[2J?K?ln??5m?x"

static void expect_clean(const char *text) {
  for (const char *at = text; *at;) {
    const size_t length = edgefw__utf8_length(at);
    if (length == 0 || (edgefw__utf8_is_control(at, length) && *at != '\n' && *at != '\t'))
      fail_msg("byte %d is not clean in:\n%s", (int)(at - text), text);
    at += length;
  }
}

static void names_in_any_bytes_are_shown_clean(void **state) {
  (void)state;
  static const char *const words[] = {
      "solve " NAME ".atsp " MODEL,     "solve " NAME ".atsp --json " MODEL,
      "solve named.atsp --json " MODEL, "solve " NAME "none.atsp " MODEL,
      "solve bad.atsp " MODEL,          "data import " NAME ".atsp --problem atsp -o out.h5"};
  sandbox_write(&box, NAME ".atsp", MATRIX);
  sandbox_write(&box, "named.atsp", "NAME: " NAME "\n" MATRIX);
  sandbox_write(&box, "bad.atsp", "NAME: bad\nDIMENSION: " NAME "\n");
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    cli_result result = cli_do(&box, words[i]);
    expect_clean(result.out);
    expect_clean(result.err);
    assert_int_equal(result.status, i == 3 || i == 4);
    if (i < 3) assert_non_null(strstr(result.out, SHOWN));
    cli_free(&result);
  }
  cli_expect(&box, "run tiny.ini --set eval.files=named.atsp --out named", 0, SHOWN, NULL);
  static const char *const files[] = {"named/results.csv", "named/results.json", "named/table.md",
                                      "named/log.txt"};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    char *text = cli_read(&box, files[i]);
    assert_non_null(text);
    expect_clean(text);
    free(text);
  }
}

static void what_changes_the_problem_is_refused(void **state) {
  (void)state;
  sandbox_write(&box, "good.vrp", "CAPACITY: 2\nCOLOUR: red\nSHAPE: round\n" FLEET);
  cli_expect(&box, "solve good.vrp " VEHICLE, 0, "good: 2 customers",
             "good.vrp': unknown keywords: 'COLOUR' in line 2, 'SHAPE' in line 3");
  sandbox_write(&box, "limit.vrp", "CAPACITY: 2\nCOLOUR: red\nVEHICLES_MAX_DISTANCE: 45\n" FLEET);
  cli_expect(&box, "solve limit.vrp " VEHICLE, 1, "",
             "limit.vrp' line 3: VEHICLES_MAX_DISTANCE (a limit to the routes of the fleet)");
  sandbox_write(&box, "prize.vrp", "CAPACITY: 2\n" FLEET "PRIZE_SECTION\n1 0\n2 5\n3 5\nEOF\n");
  cli_expect(&box, "solve prize.vrp " VEHICLE, 1, "", "prize.vrp' line 16: PRIZE_SECTION (prizes");
  sandbox_write(&box, "fleets.vrp", "CAPACITY: 10 20\n" FLEET);
  cli_expect(&box, "solve fleets.vrp " VEHICLE, 1, "",
             "fleets.vrp' line 1: found '20' behind the number of CAPACITY");
}

static void numbers_too_large_are_named(void **state) {
  (void)state;
  sandbox_write(&box, "huge.atsp",
                "TYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_SECTION\n"
                "0 1 1.7976931348623157e308\n1 0 2\n3 2 0\n");
  cli_expect(&box, "solve huge.atsp " MODEL, 1, "",
             "cost from node 1 to node 3 is 1.79769e+308, too large for the networks' 32-bit "
             "numbers; expected at most 1e+30: divide all costs by a common number (while reading "
             "huge.atsp)");
}

int main(void) {
  if (tiny_missing()) return 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packed_files_in_any_case_are_solved),
      cmocka_unit_test(names_in_any_bytes_are_shown_clean),
      cmocka_unit_test(what_changes_the_problem_is_refused),
      cmocka_unit_test(numbers_too_large_are_named),
  };
  return test_run(tests, set_up, tear_down);
}
