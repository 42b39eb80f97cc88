/* edgefw solve: the printed cost is the tour's by hand.
 * labels: e2e */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cli.h"
#include "support/tiny_model.h"

#define N     6
#define MODEL "--model runs/tiny/terms/checkpoint-1.h5"

/* No two tours of different order cost the same; the diagonal must not matter. */
static const int matrix[N][N] = {{9999, 3, 41, 17, 5, 29},  {7, 9999, 13, 31, 23, 2},
                                 {11, 43, 9999, 1, 37, 19}, {53, 4, 47, 9999, 8, 59},
                                 {6, 61, 21, 14, 9999, 10}, {25, 33, 12, 67, 71, 9999}};

static sandbox box;

static void write_matrix(const char *name, int n, int diagonal) {
  char text[2048];
  int length = snprintf(text, sizeof text,
                        "NAME: hand\nTYPE: ATSP\nDIMENSION: %d\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                        "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n",
                        n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      length += snprintf(text + length, sizeof text - (size_t)length, " %d",
                         i == j ? diagonal : matrix[i][j]);
  snprintf(text + length, sizeof text - (size_t)length, "\nEOF\n");
  sandbox_write(&box, name, text);
}

static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  cli_write_config(&box, "[train]\nsize = 6\nepochs = 1\ninstances_per_epoch = 4\nbatch = 4\n"
                         "milestones = 1\n[eval]\nsizes =\ninstances = 1\n");
  write_matrix("hand.atsp", N, 9999);
  cli_expect(&box, "run tiny.ini --only train", 0, NULL, NULL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&box);
  return 0;
}

/* What the nodes behind TOUR_SECTION cost. */
static int price(const char *text) {
  const char *at = strstr(text, "TOUR_SECTION\n");
  assert_non_null(at);
  at += strlen("TOUR_SECTION\n");
  int tour[N], cost = 0;
  bool seen[N] = {false};
  for (int i = 0; i < N; ++i) {
    char *end = NULL;
    tour[i] = (int)strtol(at, &end, 10) - 1;
    assert_true(end != at && tour[i] >= 0 && tour[i] < N && !seen[tour[i]]);
    seen[tour[i]] = true;
    at = end;
  }
  assert_string_equal(at, "\n-1\nEOF\n");
  for (int i = 0; i < N; ++i) cost += matrix[tour[i]][tour[(i + 1) % N]];
  return cost;
}

static void the_cost_is_the_tours(void **state) {
  (void)state;
  char expected[64];
  cli_result result = cli_do(&box, "solve hand.atsp " MODEL " -o hand.tour");
  assert_int_equal(result.status, 0);
  char *tour = cli_read(&box, "hand.tour");
  assert_non_null(tour);
  snprintf(expected, sizeof expected, "hand: n = 6, cost %d, ", price(tour));
  assert_non_null(strstr(result.out, expected));
  snprintf(expected, sizeof expected, "\"cost\": %d, ", price(tour));
  cli_expect(&box, "solve hand.atsp --json " MODEL, 0, expected, NULL);
  free(tour);
  cli_free(&result);
}

static void the_diagonal_changes_nothing(void **state) {
  (void)state;
  write_matrix("zero.atsp", N, 0);
  write_matrix("huge.atsp", N, 100000000);
  cli_expect(&box, "solve zero.atsp " MODEL " -o zero.tour", 0, NULL, NULL);
  cli_expect(&box, "solve huge.atsp " MODEL " -o huge.tour", 0, NULL, NULL);
  char *zero = cli_read(&box, "zero.tour"), *huge = cli_read(&box, "huge.tour");
  assert_non_null(zero);
  assert_non_null(huge);
  assert_string_equal(zero, huge);
  free(zero);
  free(huge);
}

static void sampling_repeats_with_its_seed(void **state) {
  (void)state;
  cli_expect(&box, "solve hand.atsp " MODEL " --sample 2 --seed 5 --starts 2 -o a.tour", 0, NULL,
             NULL);
  cli_expect(&box, "solve hand.atsp " MODEL " --sample 2 --seed 5 --starts 2 -o b.tour", 0, NULL,
             NULL);
  char *a = cli_read(&box, "a.tour"), *b = cli_read(&box, "b.tour");
  assert_non_null(a);
  assert_non_null(b);
  assert_string_equal(a, b);
  free(a);
  free(b);
}

static void small_instances_are_solved_or_refused(void **state) {
  (void)state;
  write_matrix("one.atsp", 1, 0);
  write_matrix("two.atsp", 2, 0);
  write_matrix("three.atsp", 3, 0);
  cli_expect(&box, "solve one.atsp " MODEL, 1, "", "at least 2");
  cli_expect(&box, "solve two.atsp " MODEL, 0, "n = 2, cost 10", NULL);
  cli_expect(&box, "solve three.atsp " MODEL, 0, "n = 3, cost 27", NULL); /* 0-1-2: 3 + 13 + 11 */
}

static void failures_are_one_line(void **state) {
  (void)state;
  cli_expect(&box, "solve hand.atsp", 2, "", "--model is missing");
  cli_expect(&box, "solve " MODEL, 2, "", "FILE is missing");
  cli_expect(&box, "solve none.atsp " MODEL, 1, "", "none.atsp");
  cli_expect(&box, "solve hand.atsp --model none.h5", 1, "", "none.h5");
  cli_expect(&box, "solve hand.atsp " MODEL " --starts 0", 2, "", "--starts '0'");
  cli_expect(&box, "solve hand.atsp " MODEL " --device fast", 2, "", "device = fast");
  char *model = cli_read(&box, "runs/tiny/terms/checkpoint-1.h5");
  assert_non_null(model);
  sandbox_write_bytes(&box, "cut.h5", model, 8); /* its signature */
  free(model);
  cli_result result = cli_do(&box, "solve hand.atsp --model cut.h5");
  assert_int_equal(result.status, 1);
  assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1);
  cli_free(&result);
}

int main(void) {
  if (tiny_missing()) return 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cost_is_the_tours),
      cmocka_unit_test(the_diagonal_changes_nothing),
      cmocka_unit_test(sampling_repeats_with_its_seed),
      cmocka_unit_test(small_instances_are_solved_or_refused),
      cmocka_unit_test(failures_are_one_line),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
