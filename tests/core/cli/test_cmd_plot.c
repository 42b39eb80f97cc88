/* edgefw plot tour.
 * labels: e2e
 * needs plugins: atsp tsp cvrp radar */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cli.h"

#define SQUARE                                                                                     \
  "NAME: square\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n"          \
  "1 0 0\n2 10 10\n3 10 0\n4 0 10\nEOF\n"
#define TOUR "TOUR_SECTION\n1 3 2 4 -1\nEOF\n"

static void expect_file(const sandbox *box, const char *name, const char *part) {
  char *text = cli_read(box, name);
  assert_non_null(text);
  if (!strstr(text, part)) fail_msg("%s lacks: %s\n%s", name, part, text);
  free(text);
}

static bool has_gnuplot(void) {
  return system("command -v gnuplot >/dev/null 2>&1") == 0;
}

static void a_square_lies_where_it_is(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "square.tsp", SQUARE);
  sandbox_write(box, "mine.tour", TOUR);
  cli_expect(box, "plot tour mine.tour --instance square.tsp", 0, ": square: n = 4, cost 40\n",
             NULL);
  expect_file(box, "mine.csv",
              "1,0,2,10,0,0,10,0\n1,2,1,10,10,0,10,10\n1,1,3,10,10,10,0,10\n1,3,0,10,0,10,0,0\n");
  expect_file(box, "mine.gp", "'./mine.svg'");
  assert_true(cli_exists(box, "mine.svg") == has_gnuplot());
  assert_false(cli_exists(box, "mine.png"));
  cli_expect(box, "plot tour mine.tour --instance square.tsp -o f/it's.png", 0, NULL, NULL);
  expect_file(box, "f/it's.gp", "set output './it''s.png'");
  assert_true(cli_exists(box, "f/it's.png") == has_gnuplot());
  assert_false(cli_exists(box, "f/it's.svg"));
}

/* The gap is to the best solution that is known besides the drawn one. */
static void the_title_has_the_gap(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "square.tsp", SQUARE);
  sandbox_write(box, "mine.tour", "TOUR_SECTION\n1 2 3 4 -1\nEOF\n");
  sandbox_write(box, "best.csv", "set,name,n,optimum\nx,square,4,32\n");
  cli_expect(box, "plot tour mine.tour --instance square.tsp --reference best.csv", 0,
             "square: n = 4, cost 48, gap 50.00 %\n", NULL);
  sandbox_write(box, "other.csv", "set,name,n,optimum\nx,square,5,32\n");
  cli_expect(box, "plot tour mine.tour --instance square.tsp --reference other.csv", 1, "",
             "the cost of another instance");
  sandbox_write(box, "square.tour", TOUR);
  cli_expect(box, "plot tour mine.tour --instance square.tsp", 0,
             "square: n = 4, cost 48, gap to best known 20.00 %\n", NULL);
  expect_file(box, "mine.gp",
              "set title 'square: n = 4, cost 48, gap to best known 20.00 %' noenhanced");
  cli_expect(box, "plot tour square.tour --instance square.tsp", 0, "square: n = 4, cost 40\n",
             NULL);
}

static void matrices_are_scaled_and_directed(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "three.atsp",
                "NAME: three\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 2 5\n4 0 4\n3 4 0\n");
  sandbox_write(box, "three.tour", "TOUR_SECTION\n1 2 3 -1\nEOF\n");
  cli_expect(box, "plot tour three.tour --instance three.atsp", 0, "three: n = 3, cost 9\n", NULL);
  expect_file(box, "three.gp", "positions by classical scaling of the costs");
  expect_file(box, "three.gp", " head ");
}

static void routes_have_a_depot(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "r.vrp",
                "NAME: r\nTYPE: CVRP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nCAPACITY: 2\n"
                "NODE_COORD_SECTION\n1 0 9\n2 3 4\n3 0 0\n4 6 8\nDEMAND_SECTION\n1 1\n2 1\n3 0\n"
                "4 1\nDEPOT_SECTION\n3\n-1\nEOF\n");
  sandbox_write(box, "r.sol", "Route #1: 2 3\nRoute #2: 1\n");
  cli_expect(box, "plot tour r.sol --instance r.vrp -o out.svg", 0, "r: n = 4, 2 routes, cost 38\n",
             NULL);
  expect_file(box, "out.csv",
              "1,0,2,5,0,0,3,4\n1,2,3,5,3,4,6,8\n1,3,0,10,6,8,0,0\n2,0,1,9,0,0,0,9\n"
              "2,1,0,9,0,9,0,0\n");
}

static void instances_of_datasets_are_drawn(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "three.tour", "TOUR_SECTION\n1 2 3 -1\nEOF\n");
  cli_expect(box, "data generate --problem tsp --size 3 --count 2 -o d.h5", 0, NULL, NULL);
  cli_expect(box, "plot tour three.tour --instance d.h5 --number 1", 0, "d 1: n = 3, cost ", NULL);
  cli_expect(box, "plot tour three.tour --instance d.h5 --number 2", 2, "", "has no instance 2");
}

/* What is no solution is not drawn, and nothing is written. */
static void what_is_wrong_is_refused(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "square.tsp", SQUARE);
  sandbox_write(box, "mine.tour", TOUR);
  sandbox_write(box, "twice.tour", "TOUR_SECTION\n1 2 2 4 -1\n");
  cli_expect(box, "plot tour twice.tour --instance square.tsp", 1, "", "visits node 2 twice");
  cli_expect(box, "plot tour none.tour --instance square.tsp", 1, "", "none.tour");
  cli_expect(box, "plot tour mine.tour --instance none.tsp", 1, "", "none.tsp");
  cli_expect(box, "plot tour mine.tour", 2, "", "--instance is missing");
  cli_expect(box, "plot tour --instance square.tsp", 2, "", "SOLUTION is missing");
  cli_expect(box, "plot tour mine.tour --instance square.tsp --number 1", 2, "",
             "--number needs a dataset");
  cli_expect(box, "plot tour mine.tour --instance square.tsp -o x.pdf", 2, "",
             "expected a name that ends in .svg or .png");
  cli_expect(box, "plot tour mine.tour --instance square.tsp -o .svg", 2, "", "expected a name");
  cli_expect(box, "plot tour mine.tour --instance square.tsp -o a\x01.svg", 2, "",
             "control character");
  cli_expect(box, "plot", 2, "", "needs a second word");
  assert_false(cli_exists(box, "mine.csv") || cli_exists(box, "twice.csv"));
}

/* Data beside the picture takes the place of data of a picture only. */
static void files_of_others_stay(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "square.tsp", SQUARE);
  sandbox_write(box, "mine.tour", TOUR);
  sandbox_write(box, "mine.csv", "my,numbers\n");
  cli_expect(box, "plot tour mine.tour --instance square.tsp", 2, "", "mine.csv is there");
  expect_file(box, "mine.csv", "my,numbers\n");
  sandbox_write(box, "mine.csv", "route,from,to,cost,from_x,from_y,to_x,to_y\n");
  cli_expect(box, "plot tour mine.tour --instance square.tsp", 0, NULL, NULL);
  sandbox_write(box, "mine.gp", "plot 'mine'\n");
  cli_expect(box, "plot tour mine.tour --instance square.tsp", 2, "", "mine.gp is there");
}

static void without_gnuplot_data_and_commands_are_written(void **state) {
  const sandbox *box = *state;
  char path[4096];
  snprintf(path, sizeof path, "%s", getenv("PATH"));
  sandbox_write(box, "square.tsp", SQUARE);
  sandbox_write(box, "mine.tour", TOUR);
  setenv("PATH", box->folder, 1);
  cli_result result = cli_do(box, "plot tour mine.tour --instance square.tsp -o new.svg");
  setenv("PATH", path, 1);
  assert_int_equal(result.status, 0);
  assert_non_null(strstr(result.err, "gnuplot is not installed, so there is no new.svg"));
  assert_true(strchr(result.err, '\n') == result.err + strlen(result.err) - 1); /* one line */
  cli_free(&result);
  assert_true(cli_exists(box, "new.csv") && cli_exists(box, "new.gp"));
  assert_false(cli_exists(box, "new.svg"));
}

int main(void) {
#define PLOT_TEST(name) cmocka_unit_test_setup_teardown(name, sandbox_set_up, sandbox_tear_down)
  const struct CMUnitTest tests[] = {
      PLOT_TEST(a_square_lies_where_it_is),
      PLOT_TEST(the_title_has_the_gap),
      PLOT_TEST(matrices_are_scaled_and_directed),
      PLOT_TEST(routes_have_a_depot),
      PLOT_TEST(instances_of_datasets_are_drawn),
      PLOT_TEST(what_is_wrong_is_refused),
      PLOT_TEST(files_of_others_stay),
      PLOT_TEST(without_gnuplot_data_and_commands_are_written),
  };
  return test_run(tests, NULL, NULL);
}
