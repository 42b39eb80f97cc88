/* Files as they really are: published costs of published tours, oddities of public files rebuilt by
 * hand, all of data/, and, where EDGEFW_TEST_SETS names a folder with tsplib/, atsplib/ and
 * vrplib-x/, all files there. */
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edgefw/rng.h"
#include "files/reference_file.h"
#include "base/path.h"
#include "files/tsplib.h"
#include "files/vrp_solution.h"
#include "support/io_support.h"
#include "support/workspace.h"

#define CASES EDGEFW_TEST_DATA "/fuzz/tsplib/"

typedef struct fixture {
  workspace *space;
  edgefw_context *ctx;
  edgefw_arena *arena;
  io_log log;
} fixture;

static int set_up(void **state) {
  static fixture f;
  f = (fixture){0};
  if (workspace_set_up((void **)&f.space) != 0) return -1;
  f.ctx = f.space->ctx;
  f.arena = f.space->arena;
  edgefw_set_log(f.ctx, io_collect, &f.log);
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  return workspace_tear_down((void **)&f->space);
}

static edgefw_tsplib read_file(fixture *f, const char *path) {
  edgefw_tsplib file = {0};
  assert_ok(f->ctx, edgefw__tsplib_read(f->ctx, f->arena, path, &file));
  return file;
}

/* Cost of the closed tour through nodes from 1. */
static double price(const edgefw_tsplib *file, const int *tour, int64_t count) {
  double cost = 0.0;
  for (int64_t k = 0; k < count; ++k) {
    cost += file->weights[(tour[k] - 1) * file->dimension + tour[(k + 1) % count] - 1];
  }
  return cost;
}

/* --- Published costs --- */

static void the_odyssey_has_6859_km(void **state) {
  fixture *f = *state;
  const edgefw_tsplib file = read_file(f, CASES "ulysses16.tsp");
  static const int tour[16] = {1, 14, 13, 12, 7, 6, 15, 5, 11, 9, 10, 16, 3, 2, 4, 8};
  assert_true(price(&file, tour, 16) == 6859.0);
  for (int i = 0; i < 16; ++i) assert_true(file.weights[i * 17] == 0.0);
  double real = 0.0; /* before truncation each arc is shorter, by less than 1 */
  for (int k = 0; k < 16; ++k) real += file.lengths[(tour[k] - 1) * 16 + tour[(k + 1) % 16] - 1];
  assert_true(real < 6859.0 && real > 6859.0 - 16.0);
  assert_int_equal(f->log.warnings, 0);
}

/* The tour 1, 2, ... n of TSPLIB's own documentation. */
static void the_canonical_tour_has_its_cost(void **state) {
  fixture *f = *state;
  const edgefw_tsplib file = read_file(f, EDGEFW_SOURCE_DIR "/data/tsplib/pcb442.tsp");
  int tour[442];
  for (int k = 0; k < 442; ++k) tour[k] = k + 1;
  assert_true(price(&file, tour, 442) == 221440.0);
}

/* --- Oddities --- */

/* The order counts: transposed, or with node 1 as the depot, 100 comes from another tour. */
static void a_depot_that_is_the_last_node(void **state) {
  fixture *f = *state;
  const edgefw_tsplib file = read_file(f, CASES "three_nodes_depot_last.vrp");
  assert_string_equal(file.type, "ACVRP");
  assert_int_equal(file.dimension, 3);
  assert_int_equal(file.depot, 2);
  assert_true(file.has_capacity && file.capacity == 2.0);
  assert_true(file.demand[0] == 1.0 && file.demand[1] == 1.0 && file.demand[2] == 0.0);
  assert_null(file.coordinates);
  assert_null(file.lengths);
  assert_true(price(&file, (const int[]){3, 2, 1}, 3) == 100.0);
  assert_true(price(&file, (const int[]){3, 1, 2}, 3) == 1002.0);
  assert_true(price(&file, (const int[]){3, 1}, 2) + price(&file, (const int[]){3, 2}, 2) ==
              1000.0);
  assert_int_equal(f->log.warnings, 1);
  assert_non_null(strstr(f->log.text, "line 6: VEHICLES is passed over"));
}

static void tabs_and_crlf_as_in_set_x(void **state) {
  fixture *f = *state;
  const edgefw_tsplib file = read_file(f, CASES "crlf_tabs.vrp");
  assert_string_equal(file.name, "small-k2");
  assert_string_equal(file.type, "CVRP");
  assert_int_equal(file.depot, 0);
  assert_true(file.capacity == 10.0);
  static const double demand[5] = {0, 4, 6, 7, 3};
  for (int k = 0; k < 5; ++k) assert_true(file.demand[k] == demand[k]);
  assert_true(file.weights[4] == 3.0); /* 2.5: halves go up */
  edgefw__vrp_solution solution;
  assert_ok(f->ctx,
            edgefw__vrp_solution_read(f->ctx, f->arena, CASES "crlf_tabs.sol", 4, &solution));
  assert_true(price(&file, (const int[]){1, 2, 3}, 3) + price(&file, (const int[]){1, 4, 5}, 3) ==
              solution.cost);
  assert_int_equal(f->log.warnings, 0);
}

static void sections_before_specifications(void **state) {
  fixture *f = *state;
  const edgefw_tsplib file = read_file(f, CASES "disorder.vrp");
  assert_string_equal(file.name, "disorder");
  assert_string_equal(file.type, "CVRP");
  assert_string_equal(file.edge_weight_type, "EUC_2D");
  static const double coordinates[8] = {0, 0, 3, 4, 0, -5, 12, 5}, demand[4] = {0, 4, 1, 2.5};
  for (int k = 0; k < 8; ++k) assert_true(file.coordinates[k] == coordinates[k]);
  for (int k = 0; k < 4; ++k) assert_true(file.demand[k] == demand[k]);
  assert_true(file.capacity == 6.5);
  assert_int_equal(file.depot, 0);
  assert_true(file.weights[3] == 13.0 && file.weights[12] == 13.0);
  assert_int_equal(f->log.warnings, 0);
}

static void mixed_colons_without_eof_or_line_end(void **state) {
  fixture *f = *state;
  const edgefw_tsplib file = read_file(f, CASES "mixed_colons_no_eof.atsp");
  static const double weights[9] = {9999999, 1, 2, 3, 9999999, 4, 5, 6, 9999999};
  for (int k = 0; k < 9; ++k) assert_true(file.weights[k] == weights[k]);
  assert_int_equal(f->log.warnings, 0);
}

/* What the diagonal says is the problem's business; nothing else of the file may depend on it. */
static void the_diagonal_changes_no_other_weight(void **state) {
  fixture *f = *state;
  static const char *const diagonals[] = {"0", "9999", "9999999", "100000000"};
  double first[16] = {0};
  for (int d = 0; d < 4; ++d) {
    char text[256];
    const char *x = diagonals[d];
    snprintf(text, sizeof text,
             "DIMENSION: 4\nEDGE_WEIGHT_SECTION\n%s 2609 2564 2622\n2750 %s 461 13\n"
             "2795 45 %s 58\n2737 493 448 %s\nEOF \n",
             x, x, x, x);
    const edgefw_tsplib file = read_file(f, sandbox_write(&f->space->box, "d.atsp", text));
    if (d == 0) memcpy(first, file.weights, sizeof first);
    for (int k = 0; k < 16; ++k) {
      assert_true(file.weights[k] == (k % 5 == 0 ? strtod(x, NULL) : first[k]));
    }
  }
}

/* --- Every form of one file --- */

static const char *const pieces[][2] = {
    {"TYPE", "CVRP"},
    {"DIMENSION", "5"},
    {"EDGE_WEIGHT_TYPE", "EUC_2D"},
    {"CAPACITY", "10"},
    {"NODE_COORD_SECTION", "1 0 0 2 3 4 3 6 8 4 0 5 5 2.5 0"},
    {"DEMAND_SECTION", "1 0 2 4 3 6 4 7 5 3"},
    {"DEPOT_SECTION", "1 -1"},
};
enum { PIECES = sizeof pieces / sizeof *pieces };

static uint32_t draw(uint64_t trial, uint64_t *word, uint32_t bound) {
  return edgefw_random_below(edgefw_random_word(3, EDGEFW_STREAM_COST, trial, (*word)++), bound);
}

/* The pieces in a random order with random case, colons, blanks and line ends. */
static void write_variant(uint64_t trial, char *out, size_t size) {
  static const char *const blanks[] = {" ", "\t", "\n", "\r\n", " \t ", "\n# 1 x\n", "\r\n\r\n"};
  static const char *const colons[] = {" : ", ":", ": ", " ", "\t:\t", " :"};
  uint64_t word = 0;
  int order[PIECES];
  for (int p = 0; p < PIECES; ++p) {
    const int q = (int)draw(trial, &word, (uint32_t)p + 1);
    order[p] = order[q];
    order[q] = p;
  }
  size_t used = 0;
  for (int p = 0; p < PIECES; ++p) {
    const char *name = pieces[order[p]][0], *value = pieces[order[p]][1];
    const bool lower = draw(trial, &word, 3) == 0;
    for (; *name; ++name) out[used++] = (char)(lower && *name != '_' ? *name | 0x20 : *name);
    used += (size_t)snprintf(out + used, size - used, "%s", colons[draw(trial, &word, 6)]);
    for (; *value; ++value) {
      if (*value != ' ') {
        out[used++] = *value;
      } else {
        used += (size_t)snprintf(out + used, size - used, "%s", blanks[draw(trial, &word, 7)]);
      }
    }
    const bool last = p == PIECES - 1;
    static const char *const ends[] = {"\n", "\r\n", "\t \r\n", "\n\n"};
    static const char *const closings[] = {"", "\n", "\r\nEOF", "\nEOF\t\n1 2"};
    used += (size_t)snprintf(out + used, size - used, "%s",
                             last ? closings[trial % 4] : ends[draw(trial, &word, 4)]);
  }
  out[used] = '\0';
}

static void every_form_gives_the_same(void **state) {
  fixture *f = *state;
  const edgefw_tsplib good = read_file(f, CASES "crlf_tabs.vrp");
  for (uint64_t trial = 0; trial < 200; ++trial) {
    char text[2048];
    write_variant(trial, text, sizeof text);
    const edgefw_tsplib file = read_file(f, sandbox_write(&f->space->box, "form.vrp", text));
    assert_string_equal(file.type, good.type);
    assert_int_equal(file.dimension, good.dimension);
    assert_memory_equal(file.coordinates, good.coordinates, 10 * sizeof(double));
    assert_memory_equal(file.weights, good.weights, 25 * sizeof(double));
    assert_memory_equal(file.lengths, good.lengths, 25 * sizeof(double));
    assert_memory_equal(file.demand, good.demand, 5 * sizeof(double));
    assert_true(file.has_capacity && file.capacity == good.capacity);
    assert_int_equal(file.depot, good.depot);
  }
  assert_int_equal(f->log.warnings, 0);
}

/* An answer or a message that names the file, wherever it is cut. */
static void cut_files_never_crash(void **state) {
  fixture *f = *state;
  static const char *const names[] = {"crlf_tabs.vrp", "disorder.vrp", "ulysses16.tsp",
                                      "three_nodes_depot_last.vrp", "mixed_colons_no_eof.atsp"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    char path[512];
    size_t length = 0;
    char *good = io_read(io_path(path, CASES, names[i]), &length);
    for (size_t cut = 0; cut < length; ++cut) {
      edgefw_tsplib file;
      const char *bad = sandbox_write_bytes(&f->space->box, "cut.vrp", good, cut);
      const edgefw_status status = edgefw__tsplib_read(f->ctx, f->arena, bad, &file);
      if (status != EDGEFW_OK) assert_true(io_message_has(f->ctx, "cut.vrp'"));
      edgefw_clear(f->ctx);
      edgefw_arena_reset(f->arena);
      f->log = (io_log){0};
    }
    free(good);
  }
}

/* --- Whole sets --- */

/* Every customer once, no route above the capacity, and the cost as stated. */
static void check_solution(fixture *f, const edgefw_tsplib *file, const char *path,
                           double optimum) {
  edgefw__vrp_solution solution;
  const int64_t n = file->dimension;
  assert_ok(f->ctx, edgefw__vrp_solution_read(f->ctx, f->arena, path, n - 1, &solution));
  assert_int_equal(file->depot, 0); /* so that nodes are numbered as in the solution */
  assert_int_equal(solution.count, n - 1 + solution.routes);
  double cost = 0.0, load = 0.0;
  for (int64_t t = 0; t < solution.count; ++t) {
    const int32_t node = solution.tour[t];
    const int32_t next = t + 1 < solution.count ? solution.tour[t + 1] : 0;
    load = node == 0 ? 0.0 : load + file->demand[node];
    assert_true(load <= file->capacity);
    cost += file->weights[node * n + next];
  }
  assert_true(solution.has_cost && cost == solution.cost && cost == optimum);
}

/* Half of the two cheapest edges at each node bounds a symmetric tour from below. */
static double lower_bound(const edgefw_tsplib *file) {
  const int64_t n = file->dimension;
  double bound = 0.0;
  for (int64_t i = 0; i < n; ++i) {
    double least = 1e300, second = 1e300;
    for (int64_t j = 0; j < n; ++j) {
      const double weight = file->weights[i * n + j];
      if (j == i || weight >= second) continue;
      second = weight < least ? least : weight;
      least = weight < least ? weight : least;
    }
    bound += (least + second) / 2.0;
  }
  return bound;
}

static void check_file(fixture *f, const char *folder, const char *set, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s/%s", folder, set, name);
  const edgefw_tsplib file = read_file(f, path);
  assert_non_null(file.weights);
  char *stem = edgefw__path_stem(f->arena, path);
  assert_string_equal(file.name, stem);
  double optimum = 0.0;
  bool found = false;
  assert_ok(f->ctx, edgefw__reference_file_find(f->ctx, EDGEFW_SOURCE_DIR "/data/optima.csv",
                                                file.name, &optimum, NULL, &found));
  assert_true(found);
  if (strcmp(set, "tsplib") == 0) assert_true(lower_bound(&file) <= optimum);
  if (strcmp(set, "vrplib-x") == 0) {
    snprintf(path, sizeof path, "%s/%s/%s.sol", folder, set, stem);
    check_solution(f, &file, path, optimum);
  }
  edgefw_arena_reset(f->arena);
}

/* Check all files of a set that end in `extension`; returns how many there are. */
static int check_set(fixture *f, const char *folder, const char *set, const char *extension) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, set);
  DIR *entries = opendir(path);
  assert_non_null(entries);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(entries));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, extension) != 0) continue;
    check_file(f, folder, set, entry->d_name);
    ++count;
  }
  closedir(entries);
  return count;
}

static void all_files_that_come_along(void **state) {
  fixture *f = *state;
  const char *folder = EDGEFW_SOURCE_DIR "/data";
  assert_int_equal(check_set(f, folder, "tsplib", ".tsp"), 49);
  assert_int_equal(check_set(f, folder, "atsplib", ".atsp"), 19);
  assert_int_equal(check_set(f, folder, "vrplib-x", ".vrp"), 22);
  assert_int_equal(f->log.warnings, 0);
}

static void all_files_of_the_test_sets(void **state) {
  fixture *f = *state;
  const char *folder = getenv("EDGEFW_TEST_SETS");
  if (!folder || !folder[0]) skip();
  const int tsp = check_set(f, folder, "tsplib", ".tsp");
  const int asymmetric = check_set(f, folder, "atsplib", ".atsp");
  const int vrp = check_set(f, folder, "vrplib-x", ".vrp");
  print_message("%s: %d .tsp, %d .atsp, %d .vrp with their .sol\n", folder, tsp, asymmetric, vrp);
  assert_true(tsp >= 49 && asymmetric >= 19 && vrp >= 100);
  assert_int_equal(f->log.warnings, 0);
}

#define real_test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      real_test(the_odyssey_has_6859_km),
      real_test(the_canonical_tour_has_its_cost),
      real_test(a_depot_that_is_the_last_node),
      real_test(tabs_and_crlf_as_in_set_x),
      real_test(sections_before_specifications),
      real_test(mixed_colons_without_eof_or_line_end),
      real_test(the_diagonal_changes_no_other_weight),
      real_test(every_form_gives_the_same),
      real_test(cut_files_never_crash),
      real_test(all_files_that_come_along),
      real_test(all_files_of_the_test_sets),
  };
  return test_run(tests, NULL, NULL);
}
