/* TSPLIB TOUR files. */
#include "support/test.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/tour.h"
#include "base/text.h"
#include "support/io_support.h"

static void a_tour_is_written_from_1(void **state) {
  io_file *f = *state;
  const int32_t tour[] = {0, 2, 1, 3};
  edgefw__text text = {.ctx = f->ctx};
  edgefw__tour_add(&text, "case\n3", tour, 4, 5359.0);
  assert_string_equal(edgefw__text_get(&text),
                      "NAME : case_3.tour\nCOMMENT : cost 5359\nTYPE : TOUR\nDIMENSION : 4\n"
                      "TOUR_SECTION\n1\n3\n2\n4\n-1\nEOF\n");
  edgefw__text_release(&text);
}

/* Write a tour of the instance x to the fixture's file. */
static void write_tour(const io_file *f, const int32_t *tour, int64_t n, double cost) {
  edgefw__text text = {.ctx = f->ctx};
  edgefw__tour_add(&text, "x", tour, n, cost);
  io_write(f->path, edgefw__text_get(&text), text.length);
  edgefw__text_release(&text);
}

static void a_tour_is_turned_to_its_first_node(void **state) {
  (void)state;
  static const int32_t turned[4] = {0, 3, 1, 2};
  for (int shift = 0; shift < 4; ++shift) {
    int32_t tour[4];
    for (int t = 0; t < 4; ++t) tour[(t + shift) % 4] = turned[t];
    edgefw__tour_turn_to(tour, 4, 0);
    assert_memory_equal(tour, turned, sizeof turned);
  }
  int32_t one[] = {0}, none[] = {2, 1};
  edgefw__tour_turn_to(one, 1, 0);
  edgefw__tour_turn_to(none, 2, 0); /* no node 0: it stays as it is */
  assert_int_equal(one[0], 0);
  assert_int_equal(none[0], 2);
}

static void a_tour_reads_back(void **state) {
  io_file *f = *state;
  const int32_t tour[] = {3, 0, 2, 1};
  int32_t read[4] = {-1, -1, -1, -1};
  write_tour(f, tour, 4, 1.5);
  assert_ok(f->ctx, edgefw__tour_read(f->ctx, f->path, 4, read));
  assert_memory_equal(read, tour, sizeof tour);
}

static edgefw_status read_text(io_file *f, const char *text, int32_t *tour) {
  io_write(f->path, text, strlen(text));
  return edgefw__tour_read(f->ctx, f->path, 3, tour);
}

static void forms_that_mean_the_same(void **state) {
  io_file *f = *state;
  static const char *const forms[] = {
      "TOUR_SECTION\n3 1 2 -1\nEOF\n",
      "NAME: x.opt.tour\r\nTYPE: TOUR (best)\r\nDIMENSION : 3\r\nTOUR_SECTION\r\n3\r\n1\r\n2\r\n",
      "TOUR_SECTION :\n3\n1 2\n-1\n-1\nEOF",
      "TOUR_SECTION\n3\t1\n# a remark\n2\nTYPE TOUR\nDIMENSION 3",
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    int32_t tour[3] = {-1, -1, -1};
    assert_ok(f->ctx, read_text(f, forms[i], tour));
    assert_memory_equal(tour, ((int32_t[]){2, 0, 1}), sizeof tour);
  }
}

/* What COMMENT says the tour costs, in the words of those who write such files. */
static void the_stated_cost_is_read(void **state) {
  io_file *f = *state;
  static const struct {
    const char *comment;
    double cost; /* -1: none */
  } cases[] = {
      {"cost 39", 39},
      {"Length = 2085", 2085},
      {"Found by LKH, Length = 12.5, in 3 s", 12.5},
      {"Length 6110,", 6110},
      {"Cost: 1e3", 1000},
      {"Optimum tour for eil51.tsp (426)", 426},
      {"Optimum tour (1991) for eil51.tsp", -1},
      {"Optimum tour (best) ", -1},
      {"Cost = 0_27591", -1}, /* LKH: penalty 0 */
      {"a tour of low costs 7 and lengths 8", -1},
      {"at no cost", -1},
      {"()", -1},
      {"(", -1},
      {")", -1},
      {"", -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[128];
    int32_t tour[3];
    double cost = -1.0;
    bool stated = true;
    snprintf(text, sizeof text, "COMMENT : %s\nTOUR_SECTION\n1 2 3 -1\n", cases[i].comment);
    io_write(f->path, text, strlen(text));
    assert_ok(f->ctx, edgefw__tour_read_stated(f->ctx, f->path, 3, tour, &cost, &stated));
    assert_int_equal(stated, cases[i].cost >= 0.0);
    assert_true(cost == cases[i].cost);
  }
  int32_t tour[3] = {0, 1, 2};
  double cost = 0.0;
  bool stated = false;
  write_tour(f, tour, 3, 0.1);
  assert_ok(f->ctx, edgefw__tour_read_stated(f->ctx, f->path, 3, tour, &cost, &stated));
  assert_true(stated && cost == 0.1);
}

static void bad_tours_are_refused(void **state) {
  io_file *f = *state;
  static const struct {
    const char *text;
    edgefw_status status;
    const char *message;
  } bad[] = {
      {"", EDGEFW_FORMAT, "has no TOUR_SECTION"},
      {"TYPE : TSP\nTOUR_SECTION\n1 2 3 -1\n", EDGEFW_FORMAT, "line 1: TYPE is 'TSP'"},
      {"DIMENSION : 4\nTOUR_SECTION\n1 2 3 4 -1\n", EDGEFW_MISMATCH,
       "line 1: DIMENSION is 4, expected 3"},
      {"DIMENSION : 3 000\nTOUR_SECTION\n1 2 3 -1\n", EDGEFW_FORMAT,
       "line 1: found '000' behind the number of DIMENSION"},
      {"TOUR_SECTION\n1\n2\n-1\n", EDGEFW_MISMATCH,
       "has 2 nodes, expected 3; it does not visit node 3"},
      {"TOUR_SECTION\n1\n2\n3\n2\n", EDGEFW_MISMATCH,
       "has 4 nodes, expected 3; node 2 comes again in line 5"},
      {"TOUR_SECTION\n1\n2\n1\n-1\n", EDGEFW_FORMAT, "line 4: the tour visits node 1 twice"},
      {"TOUR_SECTION\n1\n2\n4\n-1\n", EDGEFW_FORMAT, "line 4: found '4' in TOUR_SECTION"},
      {"TOUR_SECTION\n1 2 x -1\n", EDGEFW_FORMAT, "found 'x' in TOUR_SECTION"},
      {"TOUR_SECTION\n1 2 3 -1\n3 2 1 -1\n", EDGEFW_FORMAT, "line 3: found '3' behind the end"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    int32_t tour[3];
    assert_fails(f->ctx, read_text(f, bad[i].text, tour), bad[i].status, bad[i].message);
  }
  assert_fails(f->ctx, edgefw__tour_read(f->ctx, "/no/t.tour", 3, NULL), EDGEFW_IO, "'/no/t.tour'");
}

static int set_up(void **state) {
  return io_file_set_up(state, "x.tour");
}

static void numbers_read_back_the_same(void **state) {
  (void)state;
  char text[32];
  assert_string_equal(edgefw__number_text(1286.0, text, sizeof text), "1286");
  assert_string_equal(edgefw__number_text(1.546828, text, sizeof text), "1.546828");
  assert_string_equal(edgefw__number_text(0.1, text, sizeof text), "0.1");
  const double hard[] = {1.0 / 3.0, DBL_MAX, -DBL_MIN, DBL_TRUE_MIN, 1e22 + 2e6, 0.1 + 0.2};
  for (size_t i = 0; i < sizeof hard / sizeof *hard; ++i) {
    assert_true(strtod(edgefw__number_text(hard[i], text, sizeof text), NULL) == hard[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_tour_is_written_from_1, set_up, io_file_tear_down),
      cmocka_unit_test(a_tour_is_turned_to_its_first_node),
      cmocka_unit_test_setup_teardown(a_tour_reads_back, set_up, io_file_tear_down),
      cmocka_unit_test_setup_teardown(forms_that_mean_the_same, set_up, io_file_tear_down),
      cmocka_unit_test_setup_teardown(the_stated_cost_is_read, set_up, io_file_tear_down),
      cmocka_unit_test_setup_teardown(bad_tours_are_refused, set_up, io_file_tear_down),
      cmocka_unit_test(numbers_read_back_the_same),
  };
  return test_run(tests, NULL, NULL);
}
