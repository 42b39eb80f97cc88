/* Problem acvrp: its declarations, its generator, what it accepts, files, and a checker that
 * catches what is no solution. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/reference_file.h"
#include "support/check.h"
#include "support/problem_support.h"
#include "support/tiny_model.h"

enum { N = 4 };

/* cost[i][j] = 10 i + j: every arc has its own. Capacity 10, demands 6, 4, 5. */
static void fill(edgefw_instance *instance) {
  static const double demand[N] = {0, 6, 4, 5};
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      problem_field(instance, "cost")[i * N + j] = i == j ? 0 : 10 * i + j;
  memcpy(problem_field(instance, "demand"), demand, sizeof demand);
  *problem_field(instance, "capacity") = 10;
}

typedef struct fixture {
  problem_fixture base;
  edgefw_instance mine; /* as fill says */
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  problem_open(&f->base, "acvrp");
  f->mine = problem_instance(&f->base, N);
  fill(&f->mine);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  problem_release(&f->base, &f->mine);
  problem_close(&f->base);
  free(f);
  return 0;
}

static void it_declares_a_matrix_and_a_load(void **state) {
  const fixture *f = *state;
  const edgefw_problem *problem = f->base.problem;
  assert_string_equal(problem->fields[0].name, "cost");
  assert_int_equal(problem->fields[0].shape, EDGEFW_FIELD_PAIR);
  assert_int_equal(problem->fields[0].storage, EDGEFW_STORE_SCALED);
  assert_string_equal(problem->fields[1].name, "demand");
  assert_int_equal(problem->fields[1].shape, EDGEFW_FIELD_NODE);
  assert_string_equal(problem->fields[2].name, "capacity");
  assert_int_equal(problem->fields[2].shape, EDGEFW_FIELD_SCALAR);
  assert_null(problem->fields[3].name);
  assert_string_equal(problem->objective, "cost");
  assert_int_equal(problem->start, EDGEFW_START_EACH_CUSTOMER);
  assert_int_equal(problem->closing, EDGEFW_CLOSE_AT_DEPOT);
  assert_int_equal(problem->query, 0);
  assert_int_equal(problem->solution, EDGEFW_SOLUTION_ROUTES);
  assert_int_equal(problem->min_nodes, 2);
  assert_string_equal(problem->resources[0].name, "load");
  assert_string_equal(problem->resources[0].demand, "demand");
  assert_string_equal(problem->resources[0].capacity, "capacity");
  assert_null(problem->resources[1].name);
  assert_null(problem->coordinates);
}

/* --- Generator --- */

typedef struct known_answer {
  int64_t n, sum; /* of the matrix, in millionths */
  uint64_t id;
  int32_t row[5]; /* the first of row 0 */
  int32_t demand[21];
  double demand_sum;
} known_answer;

static const known_answer answers[] = {
    {21,
     75531262,
     0,
     {0, 307843, 266716, 296535, 228903},
     {0, 3, 8, 1, 7, 4, 9, 2, 7, 9, 2, 2, 7, 2, 1, 5, 8, 7, 1, 9, 5},
     99},
    {21,
     69448846,
     1,
     {0, 89786, 185654, 186121, 150835},
     {0, 2, 1, 9, 1, 6, 5, 1, 3, 6, 6, 3, 5, 6, 2, 8, 4, 9, 5, 9, 3},
     94},
    {21,
     69810509,
     2,
     {0, 226625, 113777, 243098, 168671},
     {0, 7, 9, 7, 7, 2, 8, 6, 1, 1, 1, 1, 3, 4, 9, 9, 4, 1, 9, 7, 3},
     99},
};

static void the_generator_has_the_known_answers(void **state) {
  const fixture *f = *state;
  for (size_t a = 0; a < sizeof answers / sizeof *answers; ++a) {
    const known_answer *answer = &answers[a];
    edgefw_instance instance = problem_generate(&f->base, answer->n, answer->id);
    const double *cost = problem_field(&instance, "cost");
    int64_t sum = 0;
    for (int64_t e = 0; e < answer->n * answer->n; ++e) sum += llround(cost[e] * 1e6);
    assert_int_equal(sum, answer->sum);
    for (int j = 0; j < 5; ++j) assert_true(cost[j] == answer->row[j] / 1e6);
    for (int64_t i = 0; i < answer->n; ++i)
      assert_true(problem_field(&instance, "demand")[i] == answer->demand[i]);
    assert_true(*problem_field(&instance, "capacity") == 30);
    tiny_ok(&f->base, problem_accept(&f->base, &instance));
    problem_release(&f->base, &instance);
  }
}

static double sum_of_demands(const edgefw_instance *instance) {
  double sum = 0.0;
  for (int64_t i = 0; i < instance->n; ++i) sum += problem_field(instance, "demand")[i];
  return sum;
}

static void larger_instances_have_the_known_sums(void **state) {
  const fixture *f = *state;
  static const struct {
    int64_t n, sum;
    double demands, capacity;
  } known[] = {{51, 211234412, 264, 40}, {101, 460249772, 491, 50}};
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
    edgefw_instance instance = problem_generate(&f->base, known[k].n, 0);
    int64_t sum = 0;
    for (int64_t e = 0; e < instance.n * instance.n; ++e)
      sum += llround(problem_field(&instance, "cost")[e] * 1e6);
    assert_int_equal(sum, known[k].sum);
    assert_true(sum_of_demands(&instance) == known[k].demands);
    assert_true(*problem_field(&instance, "capacity") == known[k].capacity);
    problem_release(&f->base, &instance);
  }
}

static void demands_and_capacity_are_options(void **state) {
  fixture *f = *state;
  problem_set(&f->base, "capacity", "1234");
  edgefw_instance instance = problem_generate(&f->base, 6, 0);
  assert_true(*problem_field(&instance, "capacity") == 1234);
  problem_release(&f->base, &instance);

  problem_set(&f->base, "demand_high", "1");
  instance = problem_generate(&f->base, 6, 0);
  assert_true(sum_of_demands(&instance) == 5);
  problem_release(&f->base, &instance);

  problem_set(&f->base, "demand_low", "10");
  problem_generates_nothing(&f->base, 6, "demand_low = 10 is above demand_high = 9");
  problem_set(&f->base, "capacity", "8");
  problem_generates_nothing(&f->base, 6,
                            "demand_high = 9 is above the capacity, which is 8 for 5 customers");
  problem_set(&f->base, "demand_high", "31");
  problem_generates_nothing(&f->base, 6, "the capacity, which is 30 for 5 customers");
}

/* --- What it accepts --- */

static void accepting_clears_the_diagonal(void **state) {
  fixture *f = *state;
  double *cost = problem_field(&f->mine, "cost");
  cost[0] = 1e9;
  cost[5] = -3.0;
  cost[15] = (double)NAN;
  tiny_ok(&f->base, problem_accept(&f->base, &f->mine));
  for (int i = 0; i < N; ++i) assert_true(cost[i * N + i] == 0.0);
  assert_true(cost[6] == 12.0);
}

/* With one number changed the instance is refused. */
static void refuse(fixture *f, const char *field, int index, double value, const char *part) {
  double *number = &problem_field(&f->mine, field)[index];
  const double kept = *number;
  *number = value;
  tiny_fails(&f->base, problem_accept(&f->base, &f->mine), EDGEFW_INFEASIBLE, part);
  *number = kept;
}

static void bad_numbers_are_refused(void **state) {
  fixture *f = *state;
  refuse(f, "cost", 2 * N + 1, -1e-9,
         "instance mine (number 7): cost from customer 2 to customer 1 is -1e-09");
  refuse(f, "cost", 3, (double)NAN, "cost from the depot to customer 3 is");
  refuse(f, "cost", 3 * N, HUGE_VAL, "cost from customer 3 to the depot is inf");
  refuse(f, "demand", 0, 1, "the depot has the demand 1; expected 0");
  refuse(f, "demand", 3, -0.5, "customer 3 has the demand -0.5; expected");
  refuse(f, "demand", 2, (double)NAN, "customer 2 has the demand");
  refuse(f, "demand", 2, HUGE_VAL, "customer 2 has the demand inf");
  refuse(f, "demand", 1, 11, "customer 1 has the demand 11, more than the capacity 10");
  refuse(f, "demand", 1, 10.5, "customer 1 has the demand 10.5, more than the capacity 10");
  static const double capacities[] = {0.0, -1.0, NAN, HUGE_VAL};
  for (int i = 0; i < 4; ++i)
    refuse(f, "capacity", 0, capacities[i], "expected a finite number above 0");
  tiny_ok(&f->base, problem_accept(&f->base, &f->mine));
}

static void unusual_demands_are_accepted(void **state) {
  fixture *f = *state;
  double *demand = problem_field(&f->mine, "demand");
  demand[1] = 0.0;
  tiny_ok(&f->base, problem_accept(&f->base, &f->mine));
  demand[1] = 10.0; /* all of it */
  tiny_ok(&f->base, problem_accept(&f->base, &f->mine));
  demand[1] = 0.25;
  tiny_ok(&f->base, problem_accept(&f->base, &f->mine));
  *problem_field(&f->mine, "capacity") = 0.1 + 0.2;
  demand[1] = demand[2] = demand[3] = 0.3; /* a little more than nothing apart */
  tiny_ok(&f->base, problem_accept(&f->base, &f->mine));
}

static void one_customer_is_enough_and_none_is_not(void **state) {
  fixture *f = *state;
  edgefw_instance instance = problem_instance(&f->base, 2);
  double cost = 0.0;
  problem_field(&instance, "cost")[1] = 3;
  problem_field(&instance, "cost")[2] = 4;
  problem_field(&instance, "demand")[1] = 1;
  *problem_field(&instance, "capacity") = 1;
  tiny_ok(&f->base, problem_accept(&f->base, &instance));
  tiny_ok(&f->base, problem_check(&f->base, &instance, (int32_t[]){0, 1, 0, 0}, 4, &cost));
  assert_true(cost == 7.0);
  instance.n = 1;
  tiny_fails(&f->base, problem_accept(&f->base, &instance), EDGEFW_INFEASIBLE, "no customer");
  instance.n = 2;
  problem_release(&f->base, &instance);
}

/* --- The checker --- */

static void routes_are_priced_along_their_arcs(void **state) {
  fixture *f = *state;
  double cost = 0.0;
  static const int32_t tour[2 * N] = {0, 1, 2, 0, 3, 0, 0, 0};
  /* With the return as the last entry, without it, and padded to any length. */
  for (int64_t count = 5; count <= 2 * N; ++count) {
    tiny_ok(&f->base, problem_check(&f->base, &f->mine, tour, count, &cost));
    assert_true(cost == 1.0 + 12.0 + 20.0 + 3.0 + 30.0);
  }
  tiny_ok(&f->base, problem_check(&f->base, &f->mine, (int32_t[]){0, 3, 2, 0, 1}, 5, &cost));
  assert_true(cost == 3.0 + 32.0 + 20.0 + 1.0 + 10.0);
}

static void refuse_tour(fixture *f, const int32_t *tour, int64_t count, const char *part) {
  double cost = 0.0;
  tiny_fails(&f->base, problem_check(&f->base, &f->mine, tour, count, &cost), EDGEFW_CHECK_FAILED,
             part);
}

static void faults_are_named(void **state) {
  fixture *f = *state;
  refuse_tour(f, (int32_t[]){0, 3, 0, 1, 2, 0, 0, 0, 0}, 9, "has 9 entries; expected 4 to 8");
  refuse_tour(f, (int32_t[]){0}, 0, "has 0 entries");
  refuse_tour(f, (int32_t[]){0, 3, 1, 2}, 4,
              "instance mine (number 7): route 1 carries 11 when it has served customer 1; the "
              "capacity is 10");
  refuse_tour(f, (int32_t[]){0, 2, 0, 1, 3}, 5, "route 2 carries 11 when it has served customer 3");
  refuse_tour(f, (int32_t[]){1, 2, 0, 3, 0}, 5, "begins at node 1; expected the depot, 0");
  refuse_tour(f, (int32_t[]){0, 0, 1, 2, 0, 3}, 6, "positions 0 and 1 of the tour are both the");
  refuse_tour(f, (int32_t[]){0, 1, 2, 0, 0, 3}, 6, "positions 3 and 4 of the tour are both the");
  refuse_tour(f, (int32_t[]){0, 1, 2, 0, 0, 0}, 6, "does not visit customer 3");
  refuse_tour(f, (int32_t[]){0, 0, 0, 0}, 4, "does not visit customer 1");
  refuse_tour(f, (int32_t[]){0, 1, 2, 0, 3, 0, 2, 0}, 8, "visits customer 2 twice");
  refuse_tour(f, (int32_t[]){0, 1, 4, 0, 3}, 5,
              "position 2 of the tour is node 4; expected 0 to 3");
  refuse_tour(f, (int32_t[]){0, -1, 2, 0, 3}, 5, "position 1 of the tour is node -1");
}

/* What a solution is, once more and in another way: cut at the depots. */
static bool is_solution(const double *demand, double capacity, const int32_t *tour, int count) {
  int seen[N] = {0};
  double load = 0.0;
  bool open = false; /* is there a customer on this route? */
  while (count > 1 && tour[count - 1] == 0) --count;
  if (tour[0] != 0) return false;
  for (int t = 1; t <= count; ++t) {
    const int32_t node = t < count ? tour[t] : 0;
    if (node < 0 || node >= N) return false;
    if (node == 0) {
      if (!open || load > capacity) return false;
      open = false;
      load = 0.0;
    } else {
      ++seen[node];
      open = true;
      load += demand[node];
    }
  }
  return seen[1] == 1 && seen[2] == 1 && seen[3] == 1;
}

/* Of all lists of up to seven nodes, the checker takes the solutions and nothing else. */
static void every_list_is_judged_right(void **state) {
  fixture *f = *state;
  const double *demand = problem_field(&f->mine, "demand");
  enum { VALUES = N + 2, LONGEST = 7 };
  int solutions = 0;
  for (int count = 1, lists = VALUES; count <= LONGEST; ++count, lists *= VALUES)
    for (int number = 0; number < lists; ++number) {
      int32_t tour[LONGEST];
      double cost = 0.0;
      for (int t = 0, rest = number; t < count; ++t, rest /= VALUES) tour[t] = rest % VALUES - 1;
      const bool right = is_solution(demand, 10.0, tour, count);
      const edgefw_status status = problem_check(&f->base, &f->mine, tour, count, &cost);
      assert_int_equal(status, right ? EDGEFW_OK : EDGEFW_CHECK_FAILED);
      edgefw_clear(f->base.ctx);
      solutions += right;
    }
  assert_true(solutions > 0);
}

/* Loads of whole units are exact, whatever their size. */
static void whole_loads_are_exact(void **state) {
  fixture *f = *state;
  edgefw_instance instance = problem_instance(&f->base, 5);
  double *demand = problem_field(&instance, "demand"), cost = 0.0;
  *problem_field(&instance, "capacity") = 10;
  demand[1] = demand[2] = demand[3] = 3;
  demand[4] = 1;
  const int32_t one_route[] = {0, 1, 2, 3, 4};
  tiny_ok(&f->base, problem_check(&f->base, &instance, one_route, 5, &cost));
  *problem_field(&instance, "capacity") = 1000000;
  demand[1] = 500005;
  demand[2] = 500000;
  tiny_fails(&f->base, problem_check(&f->base, &instance, one_route, 5, &cost), EDGEFW_CHECK_FAILED,
             "route 1 carries 1000005 when it has served customer 2; the capacity is 1000000");
  *problem_field(&instance, "capacity") = 2e9;
  demand[1] = 1e9;
  demand[2] = 1e9 - 3.0; /* three short, and four more to come */
  tiny_fails(&f->base, problem_check(&f->base, &instance, one_route, 5, &cost), EDGEFW_CHECK_FAILED,
             "route 1 carries 2000000001 when it has served customer 4");
  problem_release(&f->base, &instance);
}

/* Ten tenths are one, but a millionth more is not. */
static void fractional_loads_have_a_tolerance(void **state) {
  fixture *f = *state;
  edgefw_instance instance = problem_instance(&f->base, 11);
  double *demand = problem_field(&instance, "demand"), cost = 0.0;
  int32_t one_route[11];
  *problem_field(&instance, "capacity") = 0.3;
  for (int i = 0; i < 11; ++i) one_route[i] = i;
  for (int i = 1; i < 11; ++i) demand[i] = i < 4 ? 0.1 : 0.0; /* 0.1 + 0.1 + 0.1 > 0.3 */
  tiny_ok(&f->base, problem_check(&f->base, &instance, one_route, 11, &cost));
  demand[4] = 1e-6;
  tiny_fails(&f->base, problem_check(&f->base, &instance, one_route, 11, &cost),
             EDGEFW_CHECK_FAILED, "served customer 4");
  problem_release(&f->base, &instance);
}

/* --- Files --- */

#define HEAD  "NAME: three\nTYPE: ACVRP\nDIMENSION: 3\n"
#define LOADS "CAPACITY: 2\nDEMAND_SECTION\n1 1\n2 1\n3 0\n"
#define MATRIX                                                                                     \
  "EDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"                                  \
  "EDGE_WEIGHT_SECTION\n0 2 0\n100 0 1000\n0 0 0\n"
#define DEPOT "DEPOT_SECTION\n3\n-1\n"

/* The depot is the last node of the file and the first of the instance. From there to the file's
 * node 2, to node 1 and back is 0 + 100 + 0. */
static void a_depot_may_come_last(void **state) {
  fixture *f = *state;
  static const double expected[9] = {0, 0, 0, 0, 0, 2, 1000, 100, 0};
  static const double demand[3] = {0, 1, 1};
  edgefw_instance three;
  double cost = 0.0;
  tiny_ok(&f->base, problem_read(&f->base, HEAD LOADS MATRIX DEPOT "EOF\n", &three));
  assert_int_equal(three.n, 3);
  check_same_bits(problem_field(&three, "cost"), expected, sizeof expected, "costs");
  check_same_bits(problem_field(&three, "demand"), demand, sizeof demand, "demands");
  assert_true(*problem_field(&three, "capacity") == 2);
  tiny_ok(&f->base, problem_check(&f->base, &three, (int32_t[]){0, 2, 1, 0, 0, 0}, 6, &cost));
  assert_true(cost == 100.0);
  tiny_ok(&f->base, problem_check(&f->base, &three, (int32_t[]){0, 1, 2, 0, 0, 0}, 6, &cost));
  assert_true(cost == 1002.0);
  problem_release(&f->base, &three);
}

/* Points on a line at 0, 3, 7 and 12; the depot is the one at 7. */
static void costs_come_from_coordinates_where_those_are_given(void **state) {
  fixture *f = *state;
  static const double expected[16] = {0, 7, 4, 5, 7, 0, 3, 12, 4, 3, 0, 9, 5, 12, 9, 0};
  static const double demand[4] = {0, 3, 1, 2};
  edgefw_instance four;
  tiny_ok(&f->base, problem_read(&f->base,
                                 "TYPE: CVRP\nDIMENSION: 4\nCAPACITY: 5\nEDGE_WEIGHT_TYPE: EUC_2D\n"
                                 "NODE_COORD_SECTION\n1 0 0\n2 3 0\n3 7 0\n4 12 0\n"
                                 "DEMAND_SECTION\n1 3\n2 1\n3 0\n4 2\nDEPOT_SECTION\n3\n-1\nEOF\n",
                                 &four));
  check_same_bits(problem_field(&four, "cost"), expected, sizeof expected, "costs");
  check_same_bits(problem_field(&four, "demand"), demand, sizeof demand, "demands");
  problem_release(&f->base, &four);
}

static void other_files_are_refused(void **state) {
  fixture *f = *state;
  edgefw_instance none;
  static const struct {
    const char *text, *part;
    edgefw_status status;
  } files[] = {
      {"TYPE: TSP\nDIMENSION: 3\n" MATRIX, "TYPE is TSP; the problem acvrp reads ACVRP and CVRP",
       EDGEFW_UNSUPPORTED},
      {HEAD LOADS DEPOT, "EDGE_WEIGHT_TYPE is missing; the problem acvrp needs a matrix",
       EDGEFW_UNSUPPORTED},
      {HEAD MATRIX DEPOT "CAPACITY: 2\n", "there is no DEMAND_SECTION", EDGEFW_UNSUPPORTED},
      {HEAD MATRIX DEPOT "DEMAND_SECTION\n1 1\n2 1\n3 0\n", "there is no CAPACITY",
       EDGEFW_UNSUPPORTED},
      {HEAD MATRIX LOADS, "there is no depot in a DEPOT_SECTION", EDGEFW_UNSUPPORTED},
      {HEAD MATRIX LOADS "DEPOT_SECTION\n2\n-1\n", "the depot has the demand 1", EDGEFW_INFEASIBLE},
      {"DIMENSION: 1\nCAPACITY: 1\nDEMAND_SECTION\n1 0\nDEPOT_SECTION\n1\n-1\n"
       "EDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0\n",
       "DIMENSION is 1: a depot and no customer", EDGEFW_INFEASIBLE},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
    tiny_fails(&f->base, problem_read(&f->base, files[i].text, &none), files[i].status,
               files[i].part);
}

/* The library's files have the depot last and fix a number of vehicles, which is passed over. */
static void expect_library_file(const problem_fixture *f, const edgefw_instance *instance,
                                const char *stem) {
  const int64_t n = instance->n;
  const char *name = strrchr(stem, '/') + 1;
  double best = 0.0;
  int64_t customers = 0;
  bool found = false;
  tiny_ok(f, edgefw__reference_file_find(f->ctx, EDGEFW_SOURCE_DIR "/data/acvrplib/best.csv", name,
                                         &best, &customers, &found));
  assert_true(found);
  assert_int_equal(customers, n - 1);
  assert_int_equal(n, atoi(name + 1));
  assert_true(problem_field(instance, "demand")[0] == 0.0);
  if (strcmp(name, "A034-02f") != 0) return;
  assert_true(*problem_field(instance, "capacity") == 1000.0);
  const double *cost = problem_field(instance, "cost");
  assert_true(cost[1] == 81.0 && cost[2] == 95.0 && cost[n] == 66.0 && cost[n + 2] == 26.0);
  assert_true(problem_field(instance, "demand")[1] == 94.0);
}

static void library_files_have_their_depot_last(void **state) {
  const fixture *f = *state;
  problem_read_folder(&f->base, "acvrplib", ".vrp", expect_library_file);
}

#define acvrp_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void roads_keep_the_demands(void **state) {
  problem_fixture *f = &((fixture *)*state)->base;
  edgefw_instance tmat = problem_generate(f, 6, 1);
  problem_set(f, "distribution", "road");
  edgefw_instance road = problem_generate(f, 6, 1);
  check_same_bits(problem_field(&road, "demand"), problem_field(&tmat, "demand"),
                  6 * sizeof(double), "demands");
  assert_true(problem_field(&road, "cost")[1] != problem_field(&tmat, "cost")[1]);
  problem_release(f, &road);
  problem_release(f, &tmat);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      acvrp_test(it_declares_a_matrix_and_a_load),
      acvrp_test(the_generator_has_the_known_answers),
      acvrp_test(larger_instances_have_the_known_sums),
      acvrp_test(demands_and_capacity_are_options),
      acvrp_test(roads_keep_the_demands),
      acvrp_test(accepting_clears_the_diagonal),
      acvrp_test(bad_numbers_are_refused),
      acvrp_test(unusual_demands_are_accepted),
      acvrp_test(one_customer_is_enough_and_none_is_not),
      acvrp_test(routes_are_priced_along_their_arcs),
      acvrp_test(faults_are_named),
      acvrp_test(every_list_is_judged_right),
      acvrp_test(whole_loads_are_exact),
      acvrp_test(fractional_loads_have_a_tolerance),
      acvrp_test(a_depot_may_come_last),
      acvrp_test(costs_come_from_coordinates_where_those_are_given),
      acvrp_test(other_files_are_refused),
      acvrp_test(library_files_have_their_depot_last),
  };
  return test_run(tests, NULL, NULL);
}
