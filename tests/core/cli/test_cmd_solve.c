/* edgefw solve: the printed cost is the solution's by hand, for one file and for many.
 * labels: e2e */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/tsplib.h"
#include "files/vrp_solution.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/io_support.h"
#include "support/tiny_model.h"

#define N       6
#define MODEL   "--model runs/tiny/terms/checkpoint-1.h5"
#define VEHICLE "--model runs/vehicle/plain/checkpoint-1.h5"

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
  cli_write_config(&box, CLI_SHORT_TRAINING);
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

/* Where `text` says `what`; the test fails if it does not. */
static const char *find(const char *text, const char *what) {
  const char *at = strstr(text, what);
  if (!at) fail_msg("no '%s' in:\n%s", what, text);
  return at;
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
  cli_expect(&box, "solve " MODEL, 2, "", "FILE is missing");
  cli_expect(&box, "solve none.atsp " MODEL, 1, "", "none.atsp");
  cli_expect(&box, "solve hand.atsp --model none.h5", 1, "", "none.h5");
  cli_expect(&box, "solve hand.atsp " MODEL " --starts 0", 2, "", "--starts '0'");
  cli_expect(&box, "solve hand.atsp " MODEL " --device fast", 2, "", "device = fast");
}

/* Cut anywhere, empty, or no HDF5 at all: one line that names the file and the reason. */
static void damaged_models_are_refused(void **state) {
  (void)state;
  char path[256];
  size_t length = 0;
  snprintf(path, sizeof path, "%s", sandbox_path(&box, "runs/tiny/terms/checkpoint-1.h5"));
  char *model = io_read(path, &length);
  const struct {
    size_t size;
    const char *reason;
  } cuts[] = {{0, "is empty"},
              {8, "cut short"},
              {96, "cut short"},
              {length / 2, "cut short"},
              {length - 1, "cut short"}};
  for (size_t i = 0; i <= sizeof cuts / sizeof *cuts; ++i) {
    const bool text = i == sizeof cuts / sizeof *cuts;
    if (text)
      sandbox_write(&box, "bad.h5", "epoch,loss\n1,0.5\n");
    else
      sandbox_write_bytes(&box, "bad.h5", model, cuts[i].size);
    cli_result result = cli_do(&box, "solve hand.atsp -o bad.tour --model bad.h5");
    assert_int_equal(result.status, 1);
    assert_string_equal(result.out, "");
    find(find(result.err, "bad.h5"), text ? "is not an HDF5 file" : cuts[i].reason);
    assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1);
    assert_null(cli_read(&box, "bad.tour"));
    cli_free(&result);
  }
  free(model);
}

/* --- Many files --- */

static void files_are_answered_in_their_order(void **state) {
  (void)state;
  write_matrix("two.atsp", 2, 0);
  /* All are called "hand": their paths tell them apart. */
  cli_result result = cli_do(&box, "solve two.atsp hand.atsp two.atsp " MODEL);
  assert_int_equal(result.status, 0);
  const char *first = find(result.out, "hand (two.atsp): n = 2, cost 10, ");
  const char *second = find(first, "hand (hand.atsp): n = 6, cost ");
  find(second, "hand (two.atsp): n = 2, cost 10, ");
  cli_free(&result);
}

/* One that is not there, one that is damaged: the rest is solved, and the end lists both. */
static void what_fails_is_listed_at_the_end(void **state) {
  (void)state;
  write_matrix("two.atsp", 2, 0);
  sandbox_write(&box, "cut.atsp", "TYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_SECTION\n0 1 2\n");
  cli_result result = cli_do(&box, "solve cut.atsp hand.atsp none.atsp two.atsp " MODEL);
  assert_int_equal(result.status, 1);
  find(find(result.out, "n = 6, cost "), "n = 2, cost 10, ");
  const char *list = find(result.err, "not solved: 'cut.atsp'");
  find(find(list, "not solved: "), "none.atsp");
  find(list, "edgefw: 2 of 4 inputs were not solved");
  cli_free(&result);
}

static void a_folder_stands_for_its_files(void **state) {
  (void)state;
  write_matrix("lib/b.atsp", 2, 0);
  write_matrix("lib/a.atsp", 3, 0);
  sandbox_write(&box, "lib/readme.txt", "no instance");
  cli_result result = cli_do(&box, "solve lib --json " MODEL);
  assert_int_equal(result.status, 0);
  find(find(result.out, "\"n\": 3, \"cost\": 27,"), "\"n\": 2, \"cost\": 10,");
  cli_free(&result);
  cli_expect(&box, "solve lib hand.atsp " MODEL, 0, "n = 6", NULL);
  sandbox_write(&box, "none/readme.txt", "no instance");
  cli_expect(&box, "solve none " MODEL, 2, "", "none");
}

static void several_solutions_go_into_a_folder(void **state) {
  (void)state;
  write_matrix("lib/b.atsp", 2, 0);
  write_matrix("lib/a.atsp", 3, 0);
  write_matrix("single/a.atsp", 3, 0);
  sandbox_write(&box, "taken", "mine\n");
  cli_expect(&box, "solve lib " MODEL " -o taken", 2, "", "taken is a file");
  cli_expect(&box, "solve lib hand.atsp " MODEL " -o out/tours", 0, "n = 6", NULL);
  static const char *const written[] = {"out/tours/a.tour", "out/tours/b.tour",
                                        "out/tours/hand.tour"};
  for (int t = 0; t < 3; ++t) {
    char *tour = cli_read(&box, written[t]);
    assert_non_null(tour);
    find(tour, "TOUR_SECTION\n1\n");
    free(tour);
  }
  cli_expect(&box, "solve single " MODEL " -o one.tour", 0, "n = 3", NULL);
  char *tour = cli_read(&box, "one.tour");
  find(tour, "TOUR_SECTION\n1\n");
  free(tour);
}

/* A solution beside its instance is the best known one, if it is one. */
static void a_solution_beside_the_file_is_the_reference(void **state) {
  (void)state;
  write_matrix("known/three.atsp", 3, 0);
  sandbox_write(&box, "known/three.opt.tour", "TOUR_SECTION\n1\n3\n2\n-1\n"); /* 41 + 43 + 7 */
  cli_expect(&box, "solve known/three.atsp " MODEL, 0,
             "cost 27, reference 91, gap to best known -70.33 %, ", NULL);
  sandbox_write(&box, "known/three.opt.tour", "COMMENT: cost 80\nTOUR_SECTION\n1\n3\n2\n-1\n");
  cli_result result = cli_do(&box, "solve known/three.atsp " MODEL);
  assert_int_equal(result.status, 0);
  find(result.err, "three.opt.tour");
  assert_null(strstr(result.out, "reference"));
  cli_free(&result);
  /* A table comes first. */
  sandbox_write(&box, "known/three.opt.tour", "TOUR_SECTION\n1\n3\n2\n-1\n");
  sandbox_write(&box, "optima.csv", "set,name,n,optimum\nmine,hand,3,27\n");
  cli_expect(&box, "solve known/three.atsp --reference optima.csv " MODEL, 0,
             "cost 27, reference 27, gap to best known 0.00 %, ", NULL);
}

/* --- Datasets --- */

/* Number of times that `part` comes in `text`. */
static int count_of(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)) != NULL; text += strlen(part)) ++count;
  return count;
}

static void a_dataset_is_solved_instance_by_instance(void **state) {
  (void)state;
  cli_expect(&box, "data generate --problem atsp --size 6 --count 3 --seed 8 -o set.h5", 0, NULL,
             NULL);
  sandbox_write(&box, "ref.csv", "instance,cost\n0,1\n1,1\n2,1\n");
  cli_result plain = cli_do(&box, "solve set.h5 " MODEL);
  assert_int_equal(plain.status, 0);
  find(find(find(plain.out, "set 0: n = 6, cost "), "set 1: "), "set 2: ");
  cli_free(&plain);
  cli_result csv = cli_do(&box, "solve set.h5 --csv --reference ref.csv " MODEL);
  assert_int_equal(csv.status, 0);
  find(csv.out, "set,instance,n,cost,length,reference,gap_percent,seconds,forbidden_arcs,"
                "reference_kind,origin\nset,0,6,");
  assert_int_equal(count_of(csv.out, "\nset,"), 3);
  assert_int_equal(count_of(csv.out, ",,1,"), 3); /* no length, the reference */
  cli_free(&csv);
  cli_result json = cli_do(&box, "solve set.h5 --json -o sets " MODEL);
  assert_int_equal(json.status, 0);
  find(json.out, "{\"name\": \"set\", \"file\": \"set.h5\", \"instance\": 0, \"n\": 6, ");
  assert_int_equal(count_of(json.out, "\"tour\": [1, "), 3);
  cli_free(&json);
  char *tour = cli_read(&box, "sets/set/2.tour");
  find(tour, "NAME : set-2.tour\n");
  find(tour, "TOUR_SECTION\n1\n");
  free(tour);
  cli_expect(&box, "solve set.h5 --json --csv " MODEL, 2, "", "exclude each other");
}

static void augmenting_a_matrix_says_why_not(void **state) {
  (void)state;
  cli_expect(&box, "solve hand.atsp --augment 8 " MODEL, 2, "",
             "--augment 8: the model's problem atsp has no coordinates to reflect");
  cli_expect(&box, "solve hand.atsp --augment 4 " MODEL, 2, "", "--augment 4: expected 1 or 8");
}

/* --- Routes --- */

/* A model of a problem with a depot, whose samples are of all kinds: its logits are small. */
static void train_vehicle(void) {
  if (access(sandbox_path(&box, "runs/vehicle"), F_OK) == 0) return;
  cli_expect(&box,
             "run tiny.ini --only train --set problem.name=acvrp --set eval.logit_clip=1 "
             "--out runs/vehicle",
             0, NULL, NULL);
}

/* Cost of the routes in `solution` by the weights of the library file `path`: customers are its
 * nodes in order, the depot left out. */
static double price_routes(const char *path, const char *solution) {
  edgefw_context *ctx = NULL;
  edgefw_arena *arena = NULL;
  edgefw_tsplib file;
  edgefw__vrp_solution routes;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  expect_ok(ctx, edgefw_arena_create(ctx, &arena, "test", 0, true));
  expect_ok(ctx, edgefw__tsplib_read(ctx, arena, path, &file));
  expect_ok(ctx, edgefw__vrp_solution_read(ctx, arena, solution, file.dimension - 1, &routes));
  double cost = 0.0, load = 0.0;
  for (int64_t t = 0; t < routes.count; ++t) {
    int64_t arc[2] = {routes.tour[t], t + 1 < routes.count ? routes.tour[t + 1] : 0};
    for (int k = 0; k < 2; ++k) /* node 0 is the depot, node i the i-th of the others */
      arc[k] = arc[k] == 0 ? file.depot : arc[k] - (arc[k] <= file.depot);
    cost += file.weights[arc[0] * file.dimension + arc[1]];
    load = arc[0] == file.depot ? 0.0 : load + file.demand[arc[0]];
    assert_true(load <= file.capacity);
  }
  assert_true(routes.has_cost && routes.cost == cost);
  edgefw_arena_destroy(arena);
  edgefw_context_destroy(ctx);
  return cost;
}

/* A file of the library: what is printed is what the routes of the solution file cost. */
static void routes_are_written_and_cost_what_is_said(void **state) {
  (void)state;
  char expected[64];
  const char *file = EDGEFW_SOURCE_DIR "/data/vrplib-x/X-n101-k25.vrp";
  train_vehicle();
  cli_result result = cli_do(&box, "solve " EDGEFW_SOURCE_DIR
                                   "/data/vrplib-x/X-n101-k25.vrp --starts 3 -o x.sol " VEHICLE);
  assert_int_equal(result.status, 0);
  find(result.out, "X-n101-k25: 100 customers (101 nodes), ");
  const double cost = price_routes(file, sandbox_path(&box, "x.sol"));
  snprintf(expected, sizeof expected, " routes, cost %.0f (unrounded ", cost);
  find(result.out, expected);
  cli_free(&result);
}

/* The depot is the file's last node. Its best route is depot - 2 - 1 - depot: backwards it costs
 * 1002, two routes cost 1000; a matrix read transposed would give 100 for the other order. */
static void the_depot_may_come_last(void **state) {
  (void)state;
  train_vehicle();
  sandbox_write(&box, "three.vrp",
                "NAME : three\nTYPE : ACVRP\nEDGE_WEIGHT_TYPE : EXPLICIT\n"
                "EDGE_WEIGHT_FORMAT : FULL_MATRIX\nDIMENSION : 3\nVEHICLES : 2\nCAPACITY : 2\n"
                "EDGE_WEIGHT_SECTION\n0 2 0 100 0 1000 0 0 0\nDEMAND_SECTION\n1 1\n2 1\n3 0\n"
                "DEPOT_SECTION\n3\nEOF\n");
  cli_expect(&box, "solve three.vrp --sample 40 --seed 1 -o three.sol " VEHICLE, 0,
             "three: 2 customers (3 nodes), 1 route, cost 100, ", NULL);
  cli_expect(&box, "solve three.vrp --sample 40 --seed 1 --json " VEHICLE, 0,
             "\"cost\": 100, \"length\": null", NULL);
  char *solution = cli_read(&box, "three.sol");
  find(solution, "Route #1: 2 1\n");
  find(solution, "Cost 100\n");
  free(solution);
  char path[256];
  snprintf(path, sizeof path, "%s", sandbox_path(&box, "three.vrp"));
  assert_true(price_routes(path, sandbox_path(&box, "three.sol")) == 100.0);
}

/* The ring 1 2 ... 6 and a few more arcs; `word` stands for all others. */
static void write_sparse(const char *name, const char *word) {
  char text[2048];
  int length = snprintf(text, sizeof text,
                        "NAME: sparse\nTYPE: ATSP\nDIMENSION: %d\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                        "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n",
                        N);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      char number[16];
      const bool kept = i == j || j == (i + 1) % N || (i + j) % 4 == 0;
      snprintf(number, sizeof number, "%d", matrix[i][j]);
      length += snprintf(text + length, sizeof text - (size_t)length, " %s", kept ? number : word);
    }
  snprintf(text + length, sizeof text - (size_t)length, "\nEOF\n");
  sandbox_write(&box, name, text);
}

/* Forbidden arcs are named by a value, or by words that are no numbers; with the one the answer is
 * the same as with the others, and costs what its arcs cost. */
static void forbidden_arcs_are_not_used(void **state) {
  (void)state;
  static const char *const words[] = {"100000", "inf", "NaN", "null"};
  char *first = NULL, expected[64];
  for (size_t w = 0; w < sizeof words / sizeof *words; ++w) {
    write_sparse("sparse.atsp", words[w]);
    cli_result result = cli_do(&box, "solve sparse.atsp --forbidden 100000 -o sparse.tour " MODEL);
    assert_int_equal(result.status, 0);
    assert_null(strstr(result.out, "forbidden"));
    char *tour = cli_read(&box, "sparse.tour");
    assert_non_null(tour);
    snprintf(expected, sizeof expected, "cost %d, ", price(tour));
    find(result.out, expected);
    if (!first) first = tour;
    assert_string_equal(tour, first);
    if (tour != first) free(tour);
    cli_free(&result);
  }
  free(first);
}

static void large_numbers_are_pointed_out(void **state) {
  (void)state;
  write_sparse("sparse.atsp", "100000");
  cli_expect(&box, "solve sparse.atsp " MODEL, 0, NULL, "arcs are 100000 or more");
  cli_result result = cli_do(&box, "solve sparse.atsp --forbidden 100000 " MODEL);
  assert_int_equal(result.status, 0);
  assert_null(strstr(result.err, "or more"));
  cli_free(&result);
  cli_expect(&box, "solve sparse.atsp --forbidden much " MODEL, 2, NULL,
             "--forbidden 'much': expected the cost of forbidden arcs");
  cli_expect(&box,
             "run tiny.ini --out runs/forbidden --set eval.files=sparse.atsp "
             "--set problem.forbidden=100000",
             0, NULL, "sparse.atsp: 18 of 30 arcs are forbidden");
  cli_expect(&box, "run tiny.ini --set problem.forbidden=much", 2, NULL,
             "problem.forbidden = 'much'; expected the cost of forbidden arcs");
}

/* Node 3 has no arc into it: the tour says what it pays for one. */
static void a_tour_that_uses_one_says_so(void **state) {
  (void)state;
  sandbox_write(&box, "dead.atsp",
                "NAME: dead\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
                "0 2 inf 3 0 inf 4 5 0\nEOF\n");
  /* (2 n + 1) times the largest cost is 35; 1 2 3 costs 2 + 35 + 4, 2 1 3 costs 3 + 35 + 5. */
  cli_expect(&box, "solve dead.atsp " MODEL, 0,
             "dead: n = 3, cost 41 with 1 forbidden arc at 35 each, ",
             "its tour uses 1 forbidden arc, the first from node 2 to node 3; each is priced at "
             "35, more than a tour without any costs; every tour of the instance uses some");
  cli_expect(&box, "solve dead.atsp --json " MODEL, 0, "\"forbidden_arcs\": 1, ", NULL);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cost_is_the_tours),
      cmocka_unit_test(the_diagonal_changes_nothing),
      cmocka_unit_test(sampling_repeats_with_its_seed),
      cmocka_unit_test(small_instances_are_solved_or_refused),
      cmocka_unit_test(failures_are_one_line),
      cmocka_unit_test(damaged_models_are_refused),
      cmocka_unit_test(files_are_answered_in_their_order),
      cmocka_unit_test(what_fails_is_listed_at_the_end),
      cmocka_unit_test(a_folder_stands_for_its_files),
      cmocka_unit_test(several_solutions_go_into_a_folder),
      cmocka_unit_test(a_solution_beside_the_file_is_the_reference),
      cmocka_unit_test(a_dataset_is_solved_instance_by_instance),
      cmocka_unit_test(augmenting_a_matrix_says_why_not),
      cmocka_unit_test(routes_are_written_and_cost_what_is_said),
      cmocka_unit_test(the_depot_may_come_last),
      cmocka_unit_test(forbidden_arcs_are_not_used),
      cmocka_unit_test(large_numbers_are_pointed_out),
      cmocka_unit_test(a_tour_that_uses_one_says_so),
  };
  return test_run(tests, set_up, tear_down);
}
