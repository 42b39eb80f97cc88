/* TSPLIB files: the library's own, those that trip other readers, and damaged ones. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edgefw/rng.h"
#include "files/reference_file.h"
#include "files/tsplib.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"

#define CASES EDGEFW_TEST_DATA "/fuzz/tsplib/"

typedef struct fixture {
  edgefw_context *ctx;
  edgefw_arena *arena;
  char folder[256], path[512];
  io_log log;
} fixture;

static int setup(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  if (edgefw_context_create(&f.ctx, NULL) != EDGEFW_OK) return -1;
  if (edgefw_arena_create(f.ctx, &f.arena, "test", 1 << 20, true) != EDGEFW_OK) return -1;
  edgefw_set_log(f.ctx, io_collect, &f.log);
  io_path(f.path, io_folder_create(f.folder, sizeof f.folder), "some.file.atsp");
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  io_folder_remove(f->folder);
  edgefw_arena_destroy(f->arena);
  edgefw_context_destroy(f->ctx);
  return 0;
}

static edgefw_status read_text(fixture *f, const char *text, edgefw_tsplib *out) {
  io_write(f->path, text, strlen(text));
  return edgefw__tsplib_read(f->ctx, f->arena, f->path, out);
}

static double tour_cost(const edgefw_tsplib *file, const int *tour) {
  const int64_t n = file->dimension;
  double cost = 0.0;
  for (int64_t k = 0; k < n; ++k) {
    cost += file->weights[(tour[k] - 1) * n + tour[(k + 1) % n] - 1];
  }
  return cost;
}

/* The direction counts: read transposed, the same tour has another cost. */
static void no_name_no_type_trailing_blanks(void **state) {
  fixture *f = *state;
  edgefw_tsplib file;
  assert_ok(f->ctx,
            edgefw__tsplib_read(f->ctx, f->arena, CASES "four_nodes_trailing_blanks.atsp", &file));
  assert_int_equal(file.dimension, 4);
  assert_string_equal(file.name, "four_nodes_trailing_blanks");
  assert_string_equal(file.type, "");
  assert_string_equal(file.edge_weight_type, "EXPLICIT");
  assert_true(tour_cost(&file, (const int[]){1, 3, 2, 4}) == 5359.0);
  assert_true(tour_cost(&file, (const int[]){4, 2, 3, 1}) == 6371.0);
  assert_int_equal(f->log.warnings, 0);
}

static void specifications_behind_the_data_with_crlf(void **state) {
  fixture *f = *state;
  edgefw_tsplib file;
  assert_ok(f->ctx,
            edgefw__tsplib_read(f->ctx, f->arena, CASES "specifications_last_crlf.atsp", &file));
  assert_int_equal(file.dimension, 5);
  assert_string_equal(file.type, "ATSP");
  assert_true(tour_cost(&file, (const int[]){1, 2, 4, 3, 5}) == 6183.0);
}

static void weights_come_from_coordinates(void **state) {
  fixture *f = *state;
  edgefw_tsplib file;
  assert_ok(f->ctx, edgefw__tsplib_read(f->ctx, f->arena, CASES "coordinates.tsp", &file));
  assert_int_equal(file.dimension, 3);
  assert_string_equal(file.name, "planar");
  assert_string_equal(file.edge_weight_type, "EUC_2D");
  static const double coordinates[6] = {0, 0, 1.5, 2, 4, 4};
  static const double weights[9] = {0, 3, 6, 3, 0, 3, 6, 3, 0}; /* 2.5, 5.66, 3.20 */
  for (int k = 0; k < 6; ++k) assert_true(file.coordinates[k] == coordinates[k]);
  for (int k = 0; k < 9; ++k) assert_true(file.weights[k] == weights[k]);
  assert_true(file.lengths[1] == 2.5);
  assert_null(file.demand);
  assert_false(file.has_capacity);
  assert_true(file.capacity == 0.0);
  assert_int_equal(file.depot, -1);
}

static void a_matrix_may_come_with_coordinates(void **state) {
  fixture *f = *state;
  edgefw_tsplib file;
  assert_ok(f->ctx, read_text(f,
                              "DIMENSION 2\nEDGE_WEIGHT_TYPE EXPLICIT\nEDGE_WEIGHT_SECTION\n"
                              "9 1\n2 9\nNODE_COORD_SECTION\n2 5 6\n1 3 4\n",
                              &file));
  assert_true(file.weights[1] == 1.0 && file.coordinates[2] == 5.0);
  assert_null(file.lengths);
}

/* A file that is written in all ways that mean the same. */
static void wraps_tabs_and_blanks_mean_nothing(void **state) {
  fixture *f = *state;
  enum { N = 7 };
  static const char *const separators[] = {" ",    "\t",       "\n",   "\r\n",  "  \t ",
                                           "\n\n", "\n#c 1\n", " \n ", "\r\n\t"};
  uint32_t random = 0;
  for (uint64_t trial = 0; trial < 120; ++trial) {
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "DIMENSION%s7\nEDGE_WEIGHT_SECTION%s",
                                   trial % 2 ? " : " : ":", trial % 3 ? "\n" : " : ");
    for (int k = 0; k < N * N; ++k) {
      random = edgefw_random_word(1, EDGEFW_STREAM_COST, trial, (uint64_t)k);
      used += (size_t)snprintf(text + used, sizeof text - used, random & 1 ? "%d%s" : "%d.0e0%s", k,
                               separators[edgefw_random_below(random, 9)]);
    }
    snprintf(text + used, sizeof text - used, "%s", trial % 5 ? "" : "\nEOF\t\n 1 2 3");
    edgefw_tsplib file;
    assert_ok(f->ctx, read_text(f, text, &file));
    for (int k = 0; k < N * N; ++k) assert_true(file.weights[k] == k);
    assert_string_equal(file.name, "some.file");
    edgefw_arena_reset(f->arena);
  }
}

static void values_are_the_first_word_and_names_the_line(void **state) {
  fixture *f = *state;
  edgefw_tsplib file;
  assert_ok(f->ctx, read_text(f,
                              "NAME:  my  file \t\r\nTYPE: atsp (M.~Fischetti)\r\nDIMENSION: 1\r\n"
                              "EDGE_WEIGHT_TYPE: explicit x\r\nEDGE_WEIGHT_SECTION\r\n9999\r\n",
                              &file));
  assert_string_equal(file.name, "my  file");
  assert_string_equal(file.type, "ATSP");
  assert_string_equal(file.edge_weight_type, "EXPLICIT");
  assert_string_equal(file.path, f->path);
  assert_true(file.weights[0] == 9999.0); /* the diagonal is the problem's business */
  assert_ok(f->ctx, read_text(f, "NAME:\nDIMENSION: 3\n", &file));
  assert_string_equal(file.name, "some.file");
  assert_null(file.weights);
}

static void bad_files_are_refused(void **state) {
  fixture *f = *state;
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"", "has no DIMENSION"},
      {"NAME: x\nTYPE: ATSP\n", "has no DIMENSION"},
      {"DIMENSION: 0\n", "line 1: DIMENSION is '0', expected a number from 1 to 50000"},
      {"\nDIMENSION: -3\n", "line 2: DIMENSION is '-3'"},
      {"DIMENSION: 50001\n", "DIMENSION is '50001'"},
      {"DIMENSION: 99999999999999999999\n", "DIMENSION is '9999"},
      {"DIMENSION: many\n", "DIMENSION is 'many'"},
      {"DIMENSION: 3.5\n", "DIMENSION is '3.5'"},
      {"DIMENSION:\nTYPE: ATSP\n", "DIMENSION is ''"},
      {"DIMENSION: 3 x 4\n", "line 1: found 'x' behind the number of DIMENSION"},
      {"DIMENSION: 3\n000\n", "line 2: found '000' behind the number of DIMENSION"},
      {"DIMENSION: 1\nCAPACITY: 10 000\n", "line 2: found '000' behind the number of CAPACITY"},
      {"DIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\n", "no EDGE_WEIGHT_SECTION"},
      {"DIMENSION: 2\nEDGE_WEIGHT_SECTION\n0 1 2\n", "has 3 numbers, expected 4"},
      {"DIMENSION: 2\nEDGE_WEIGHT_SECTION\n0 1\nTWO 0 0\n0 0\n", "has 2 numbers, expected 4"},
      {"0 1 2\n", "expected a keyword"},
      {"DIMENSION: 2\nEDGE_WEIGHT_TYPE: GEO\n", "GEO, but there is no NODE_COORD_SECTION"},
      {"DIMENSION: 1\nEDGE_WEIGHT_TYPE: ATT\nNODE_COORD_SECTION\n1 2 3\nEDGE_WEIGHT_SECTION\n0\n",
       "line 5: EDGE_WEIGHT_SECTION, but EDGE_WEIGHT_TYPE is ATT"},
      {"DIMENSION: 1\nNODE_COORD_SECTION\n1 2\n", "has 2 numbers, expected 3"},
      {"DIMENSION: 1\nDEMAND_SECTION\n1 -2\n", "gives node 1 the demand -2, expected at least 0"},
      {"DIMENSION: 1\nDEMAND_SECTION\n1 1 2 1\n", "DEMAND_SECTION has 4 numbers, expected 2"},
      {"DIMENSION: 1\nCAPACITY: -2\n", "line 2: CAPACITY is -2, expected at least 0"},
      {"DIMENSION: 1\nCAPACITY:\n", "line 2: found '' in CAPACITY"},
      {"DIMENSION: 1\nDEPOT_SECTION\n2\n-1\n", "line 3: found '2' in DEPOT_SECTION"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    edgefw_tsplib file = {.dimension = -7};
    assert_fails(f->ctx, read_text(f, bad[i].text, &file), EDGEFW_FORMAT, bad[i].message);
    assert_int_equal(file.dimension, -7); /* untouched */
  }
  edgefw_tsplib file;
  assert_fails(
      f->ctx,
      edgefw__tsplib_read(f->ctx, f->arena, CASES "wrapped_no_eof_dimension_missing.atsp", &file),
      EDGEFW_FORMAT, "has no DIMENSION");
  /* Refused by its count, before 20 GB are asked for. */
  assert_fails(f->ctx, edgefw__tsplib_read(f->ctx, f->arena, CASES "huge_dimension.atsp", &file),
               EDGEFW_FORMAT, "has 3 numbers, expected 2500000000");
  assert_fails(f->ctx, edgefw__tsplib_read(f->ctx, f->arena, f->folder, &file), EDGEFW_IO,
               "folder");
  assert_fails(f->ctx, edgefw__tsplib_read(f->ctx, f->arena, "/no/file", &file), EDGEFW_IO,
               "No such file");
}

static void what_cannot_be_kept_is_refused(void **state) {
  fixture *f = *state;
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_3D\n", "line 2: EDGE_WEIGHT_TYPE is EUC_3D, expected "
                                                   "EXPLICIT, EUC_2D, CEIL_2D, FLOOR_2D, EXACT_2D, "
                                                   "MAX_2D, MAN_2D, ATT or GEO"},
      {"DIMENSION: 2\nNODE_COORD_TYPE: THREED_COORDS\nNODE_COORD_SECTION\n1 1 1 1\n",
       "line 2: NODE_COORD_TYPE is 'THREED_COORDS'"},
      {"DIMENSION: 2\nDEPOT_SECTION\n1\n2\n-1\n", "line 4: DEPOT_SECTION names a second depot"},
      {"DIMENSION: 2\nDISTANCE: 200\n", "line 2: DISTANCE"},
      {"DIMENSION: 2\nVEHICLES_MAX_DISTANCE: 45\n", "line 2: VEHICLES_MAX_DISTANCE"},
      {"TYPE: TOUR\nDIMENSION: 2\n", "line 1: TYPE is TOUR"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    edgefw_tsplib file = {.dimension = -7};
    assert_fails(f->ctx, read_text(f, bad[i].text, &file), EDGEFW_UNSUPPORTED, bad[i].message);
    assert_int_equal(file.dimension, -7);
  }
}

static void the_library_is_read_whole(void **state) {
  fixture *f = *state;
  static const struct {
    const char *name;
    int64_t n;
  } library[] = {
      {"br17", 17},    {"ft53", 53},    {"ft70", 70},     {"ftv170", 171}, {"ftv33", 34},
      {"ftv35", 36},   {"ftv38", 39},   {"ftv44", 45},    {"ftv47", 48},   {"ftv55", 56},
      {"ftv64", 65},   {"ftv70", 71},   {"kro124p", 100}, {"p43", 43},     {"rbg323", 323},
      {"rbg358", 358}, {"rbg403", 403}, {"rbg443", 443},  {"ry48p", 48},
  };
  for (size_t i = 0; i < sizeof library / sizeof *library; ++i) {
    char path[512];
    snprintf(path, sizeof path, "%s/data/atsplib/%s.atsp", EDGEFW_SOURCE_DIR, library[i].name);
    edgefw_tsplib file;
    assert_ok(f->ctx, edgefw__tsplib_read(f->ctx, f->arena, path, &file));
    assert_string_equal(file.name, library[i].name);
    assert_string_equal(file.type, "ATSP");
    assert_int_equal(file.dimension, library[i].n);
    double optimum = 0.0;
    bool found = false;
    assert_ok(f->ctx, edgefw__reference_file_find(f->ctx, EDGEFW_SOURCE_DIR "/data/optima.csv",
                                                  file.name, &optimum, NULL, &found));
    assert_true(found);
    /* The cheapest arc out of each node bounds the optimum from below, if rows are rows. */
    double bound = 0.0;
    for (int64_t a = 0; a < file.dimension; ++a) {
      double least = 1e300;
      for (int64_t b = 0; b < file.dimension; ++b) {
        const double cost = file.weights[a * file.dimension + b];
        if (a != b && cost < least) least = cost;
      }
      bound += least;
    }
    assert_true(bound <= optimum && optimum > 0.0);
    edgefw_arena_reset(f->arena);
  }
  assert_int_equal(f->log.warnings, 0);
}

/* Bytes changed, left out and cut off: an answer or a message, never a crash. */
static void damaged_files_never_crash(void **state) {
  fixture *f = *state;
  size_t length = 0;
  char *good = io_read(CASES "specifications_last_crlf.atsp", &length);
  char *bad = malloc(length + 1);
  static const char bytes[] = "\n\r\t :#-+.eE0159ANXY_\x01\xff";
  for (uint64_t trial = 0; trial < 400; ++trial) {
    size_t size = length;
    memcpy(bad, good, length + 1);
    for (uint64_t change = 0; change < 1 + trial % 4; ++change) {
      const uint32_t where = edgefw_random_word(2, EDGEFW_STREAM_COST, trial, 3 * change);
      const uint32_t what = edgefw_random_word(2, EDGEFW_STREAM_COST, trial, 3 * change + 1);
      const uint32_t at = edgefw_random_below(where, (uint32_t)size);
      if (what % 8 == 0) {
        size = at + 1;
      } else if (what % 8 == 1) {
        memmove(bad + at, bad + at + 1, size - at - 1);
        --size;
      } else {
        bad[at] = bytes[edgefw_random_below(what, sizeof bytes - 1)];
      }
    }
    io_write(f->path, bad, size);
    edgefw_tsplib file;
    const edgefw_status status = edgefw__tsplib_read(f->ctx, f->arena, f->path, &file);
    if (status != EDGEFW_OK) assert_true(io_message_has(f->ctx, "some.file.atsp"));
    edgefw_clear(f->ctx);
    edgefw_arena_reset(f->arena);
  }
  free(bad);
  free(good);
}

static edgefw_status read_file(edgefw_context *ctx, void *user) {
  const char *path = user;
  edgefw_arena *arena = NULL;
  edgefw_tsplib file;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "test", 64, true);
  if (status == EDGEFW_OK) status = edgefw__tsplib_read(ctx, arena, path, &file);
  edgefw_arena_destroy(arena);
  return status;
}

static void run_out_of_memory(char *path) {
  out_of_memory_sweep(read_file, path);
}

static void running_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  run_out_of_memory(EDGEFW_SOURCE_DIR "/data/atsplib/br17.atsp");
  run_out_of_memory(CASES "crlf_tabs.vrp");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(no_name_no_type_trailing_blanks, setup, teardown),
      cmocka_unit_test_setup_teardown(specifications_behind_the_data_with_crlf, setup, teardown),
      cmocka_unit_test_setup_teardown(weights_come_from_coordinates, setup, teardown),
      cmocka_unit_test_setup_teardown(a_matrix_may_come_with_coordinates, setup, teardown),
      cmocka_unit_test_setup_teardown(wraps_tabs_and_blanks_mean_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(values_are_the_first_word_and_names_the_line, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(bad_files_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(what_cannot_be_kept_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(the_library_is_read_whole, setup, teardown),
      cmocka_unit_test_setup_teardown(damaged_files_never_crash, setup, teardown),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
  };
  return test_run(tests, NULL, NULL);
}
