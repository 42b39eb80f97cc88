/* Library files that trip other readers, from the text to the priced tour: direction of the matrix,
 * place of the depot, order of the sections, geographical distances. */
/* needs plugins: atsp tsp acvrp */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "edgefw/rng.h"
#include "support/check.h"
#include "support/problem_support.h"
#include "support/tiny_model.h"

#define CASES EDGEFW_TEST_DATA "/fuzz/tsplib/"

/* --- Direction --- */

/* The least price so far, the tour that has it, and how many have it. */
typedef struct search {
  const problem_fixture *f;
  const edgefw_instance *instance;
  double least;
  int32_t best[8];
  int count;
} search;

/* Price all tours that begin with tour[0 .. placed). */
static void search_from(search *s, int32_t *tour, int placed) {
  const int n = (int)s->instance->n;
  for (int k = placed; k < n; ++k) {
    const int32_t next = tour[k];
    tour[k] = tour[placed];
    tour[placed] = next;
    search_from(s, tour, placed + 1);
    tour[placed] = tour[k];
    tour[k] = next;
  }
  if (placed < n) return;
  double cost = 0.0;
  tiny_ok(s->f, problem_check(s->f, s->instance, tour, n, &cost));
  if (cost < s->least) s->count = 0;
  if (cost > s->least) return;
  s->least = cost;
  memcpy(s->best, tour, (size_t)n * sizeof *tour);
  ++s->count;
}

/* The file's only best tour is this, from node 1; backwards it costs `backwards`. */
static void expect_best(const problem_fixture *f, const char *path, const int32_t *expected,
                        double cost, double backwards) {
  edgefw_instance instance;
  int32_t tour[8], reverse[8];
  tiny_ok(f, problem_read_file(f, path, &instance));
  const int n = (int)instance.n;
  search s = {.f = f, .instance = &instance, .least = HUGE_VAL};
  for (int t = 0; t < n; ++t) tour[t] = t;
  search_from(&s, tour, 1);
  assert_int_equal(s.count, 1);
  assert_true(s.least == cost);
  for (int t = 0; t < n; ++t) {
    assert_int_equal(s.best[t] + 1, expected[t]);
    reverse[t] = s.best[n - 1 - t];
  }
  double other = 0.0;
  tiny_ok(f, problem_check(f, &instance, reverse, n, &other));
  assert_true(other == backwards);
  problem_release(f, &instance);
}

static void the_best_tour_is_so_in_one_direction(void **state) {
  (void)state;
  problem_fixture f;
  problem_open(&f, "atsp");
  expect_best(&f, CASES "four_nodes_trailing_blanks.atsp", (const int32_t[]){1, 3, 2, 4}, 5359,
              6371);
  expect_best(&f, CASES "specifications_last_crlf.atsp", (const int32_t[]){1, 2, 4, 3, 5}, 6183,
              6346);
  problem_close(&f);
}

/* --- Order of the sections --- */

enum { PIECES = 5, ORDERS = 120 };

static const char *const pieces[PIECES] = {
    "DIMENSION : 3\n", "TYPE: ATSP\n", "EDGE_WEIGHT_TYPE : EXPLICIT\n",
    "EDGE_WEIGHT_FORMAT: FULL_MATRIX\n", "EDGE_WEIGHT_SECTION\n9 1  2\n 3 9\t4\n5 6 9\n"};

/* The pieces in the order number `order`, with the line ends of `form`. */
static void write_pieces(int order, int form, char *out) {
  int left[PIECES] = {0, 1, 2, 3, 4};
  for (int p = PIECES; p > 0; order /= p--) {
    const int chosen = order % p;
    for (const char *from = pieces[left[chosen]]; *from; ++from) {
      if (form % 2 && *from == '\n') *out++ = '\r';
      *out++ = *from;
    }
    memmove(left + chosen, left + chosen + 1, (size_t)(p - 1 - chosen) * sizeof *left);
  }
  strcpy(out, form / 2 ? "EOF\n" : "");
}

static void any_order_of_the_sections_is_read(void **state) {
  (void)state;
  static const double expected[9] = {0, 1, 2, 3, 0, 4, 5, 6, 0};
  problem_fixture f;
  problem_open(&f, "atsp");
  for (int k = 0; k < 4 * ORDERS; ++k) {
    char text[512];
    edgefw_instance instance;
    write_pieces(k / 4, k % 4, text);
    tiny_ok(&f, problem_read(&f, text, &instance));
    assert_int_equal(instance.n, 3);
    check_same_bits(problem_field(&instance, "cost"), expected, sizeof expected, "costs");
    problem_release(&f, &instance);
  }
  problem_close(&f);
}

/* --- Place of the depot --- */

enum { NODES = 5 };

static double arc(int i, int j) {
  return i == j
             ? 0.0
             : (double)(edgefw_random_word(1, EDGEFW_STREAM_COST, 0, (uint64_t)(8 * i + j)) % 97);
}

/* The same instance in a file whose node number `depot` is the depot; the others follow in their
 * order. */
static void write_depot_at(int depot, char *out, size_t size) {
  int node[NODES]; /* node of the instance by number in the file */
  for (int p = 0; p < NODES; ++p) node[p] = p == depot ? 0 : p < depot ? p + 1 : p;
  int used = snprintf(out, size,
                      "TYPE : ACVRP\nEDGE_WEIGHT_TYPE : EXPLICIT\n"
                      "EDGE_WEIGHT_FORMAT : FULL_MATRIX\nDIMENSION : %d\nCAPACITY : 9\n"
                      "EDGE_WEIGHT_SECTION\n",
                      NODES);
  for (int p = 0; p < NODES * NODES; ++p)
    used += snprintf(out + used, size - (size_t)used, "%g ", arc(node[p / NODES], node[p % NODES]));
  used += snprintf(out + used, size - (size_t)used, "\nDEMAND_SECTION\n");
  for (int p = 0; p < NODES; ++p)
    used += snprintf(out + used, size - (size_t)used, "%d %d\n", p + 1, node[p]);
  snprintf(out + used, size - (size_t)used, "DEPOT_SECTION\n%d\n%s", depot + 1,
           depot % 2 ? "-1\nEOF\n" : "");
}

static void any_node_may_be_the_depot(void **state) {
  (void)state;
  problem_fixture f;
  problem_open(&f, "acvrp");
  for (int depot = 0; depot < NODES; ++depot) {
    char text[1024];
    edgefw_instance instance;
    write_depot_at(depot, text, sizeof text);
    tiny_ok(&f, problem_read(&f, text, &instance));
    assert_int_equal(instance.n, NODES);
    for (int i = 0; i < NODES; ++i) {
      assert_true(problem_field(&instance, "demand")[i] == i);
      for (int j = 0; j < NODES; ++j)
        assert_true(problem_field(&instance, "cost")[i * NODES + j] == arc(i, j));
    }
    problem_release(&f, &instance);
  }
  problem_close(&f);
}

/* Of all solutions the only best one is depot - 2 - 1 - depot: the order tells a matrix that was
 * read transposed, or with another depot. */
static void the_depot_may_be_the_last_node(void **state) {
  (void)state;
  static const int32_t solutions[4][4] = {{0, 2, 1, 0}, {0, 1, 2, 0}, {0, 1, 0, 2}, {0, 2, 0, 1}};
  static const double expected[4] = {100, 1002, 1000, 1000};
  problem_fixture f;
  edgefw_instance three;
  problem_open(&f, "acvrp");
  tiny_ok(&f, problem_read_file(&f, CASES "three_nodes_depot_last.vrp", &three));
  for (int k = 0; k < 4; ++k) {
    double cost = 0.0;
    tiny_ok(&f, problem_check(&f, &three, solutions[k], 4, &cost));
    assert_true(cost == expected[k]);
  }
  problem_release(&f, &three);
  problem_close(&f);
}

/* --- Geography --- */

/* Degrees that are rounded give 6917, distances that are rounded 6867, plain ones 74.1. */
static void the_odyssey_has_6859_km(void **state) {
  (void)state;
  static const int32_t numbers[16] = {1, 14, 13, 12, 7, 6, 15, 5, 11, 9, 10, 16, 3, 2, 4, 8};
  problem_fixture f;
  edgefw_instance odyssey;
  int32_t tour[16];
  double cost = 0.0;
  problem_open(&f, "tsp");
  tiny_ok(&f, problem_read_file(&f, CASES "ulysses16.tsp", &odyssey));
  for (int t = 0; t < 16; ++t) tour[t] = numbers[t] - 1;
  tiny_ok(&f, problem_check(&f, &odyssey, tour, 16, &cost));
  assert_true(cost == 6859.0);
  for (int i = 0; i < 16; ++i) assert_true(problem_field(&odyssey, "cost")[17 * i] == 0.0);
  problem_release(&f, &odyssey);
  problem_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_tour_is_so_in_one_direction),
      cmocka_unit_test(any_order_of_the_sections_is_read),
      cmocka_unit_test(any_node_may_be_the_depot),
      cmocka_unit_test(the_depot_may_be_the_last_node),
      cmocka_unit_test(the_odyssey_has_6859_km),
  };
  return test_run(tests, NULL, NULL);
}
