/* Reference costs in CSV: the files of data/, and every kind of bad one. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/reference_file.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"

static int setup(void **state) {
  return io_file_set_up(state, "file.csv");
}

static edgefw_status reference(io_file *f, const char *text, int64_t count, double *out) {
  io_write(f->path, text, strlen(text));
  return edgefw__reference_file_read(f->ctx, f->path, count, out);
}

static void costs_are_read_in_any_order(void **state) {
  io_file *f = *state;
  double cost[3];
  assert_ok(f->ctx, reference(f,
                              "# solver\r\n\r\n instance , cost \r\n2,2.5\r\n0, 1e-1\r\n"
                              "# more\n1,-3\n7,9\n7,9\n",
                              3, cost));
  assert_true(cost[0] == 0.1 && cost[1] == -3.0 && cost[2] == 2.5);
  assert_ok(f->ctx, reference(f, "instance,cost\n0,1", 1, cost)); /* no last line end */
  assert_ok(f->ctx, reference(f, "instance,cost\n", 0, cost));
  assert_ok(f->ctx,
            reference(f, "\"instance\", \"cost\" \n\t0 ,\"7\"\n", 1, cost)); /* quotes, blanks */
  assert_true(cost[0] == 7.0);
}

static void bad_files_are_refused_with_their_line(void **state) {
  io_file *f = *state;
  double cost[3];
  static const struct {
    const char *text;
    edgefw_status status;
    const char *message;
  } bad[] = {
      {"", EDGEFW_FORMAT, "no header"},
      {"# only\n", EDGEFW_FORMAT, "no header"},
      {"0,1\n", EDGEFW_FORMAT, ":1: column 1 is called '0', expected 'instance'"},
      {"instance,price\n", EDGEFW_FORMAT, "expected 'cost'"},
      {"instance\n", EDGEFW_FORMAT, "found 1 fields, expected 2 in the header"},
      {"instance,cost\n0,1\n1,2,3\n", EDGEFW_FORMAT, ":3: found 3 fields, expected 2"},
      {"instance,cost\n0,1,,,,,,,,,,,,,,\n", EDGEFW_FORMAT, ":2: found 16 fields"},
      {"instance,cost\n#\n0,x\n", EDGEFW_FORMAT, ":3: found 'x'"},
      {"instance,cost\n0,nan\n", EDGEFW_FORMAT, "found 'nan'"},
      {"instance,cost\n0,inf\n", EDGEFW_FORMAT, "found 'inf'"},
      {"instance,cost\n0,\n", EDGEFW_FORMAT, "found ''"},
      {"instance,cost\n0,\"1\n", EDGEFW_FORMAT, ":2: a quoted field has no closing quote"},
      {"instance,cost\n-1,1\n", EDGEFW_FORMAT, "found instance '-1'"},
      {"instance,cost\n0.0,1\n", EDGEFW_FORMAT, "found instance '0.0'"},
      {"instance,cost\n99999999999999999999,1\n", EDGEFW_FORMAT, "found instance '9999"},
      {"instance,cost\n0,1\n1,1\n0,1\n", EDGEFW_FORMAT, ":4: instance 0 has a second row"},
      {"instance,cost\n0,1\n2,1\n", EDGEFW_MISMATCH, "no row for instance 1"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    assert_fails(f->ctx, reference(f, bad[i].text, 3, cost), bad[i].status, bad[i].message);
  }
  assert_fails(f->ctx, edgefw__reference_file_read(f->ctx, "/no/file", 1, cost), EDGEFW_IO,
               "/no/file");
}

static void written_costs_are_read_again(void **state) {
  io_file *f = *state;
  const double given[] = {1.0 / 3.0, NAN, -2.0};
  double cost[4];
  assert_ok(f->ctx, edgefw__reference_file_write(f->ctx, f->path, "# a\n# b\n", 3, given));
  size_t length = 0;
  char *text = io_read(f->path, &length);
  assert_string_equal(text, "# a\n# b\ninstance,cost\n0,0.3333333333333333\n2,-2\n");
  free(text);
  assert_ok(f->ctx, edgefw__reference_file_read_some(f->ctx, f->path, 4, cost));
  assert_true(cost[0] == given[0] && isnan(cost[1]) && cost[2] == -2.0 && isnan(cost[3]));
  assert_fails(f->ctx, edgefw__reference_file_read(f->ctx, f->path, 3, cost), EDGEFW_MISMATCH,
               "no row for instance 1");
  assert_fails(f->ctx, edgefw__reference_file_write(f->ctx, "/none/x.csv", "", 3, given), EDGEFW_IO,
               "/none/x.csv");
}

static void the_reference_sets_are_complete(void **state) {
  io_file *f = *state;
  static const struct {
    const char *file;
    int64_t count;
    double first;
  } sets[] = {
      {"atsp_n20_seed2026.csv", 1000, 1.546828},  {"atsp_n20_seed2026_exact.csv", 1000, 1.546828},
      {"atsp_n50_seed2026.csv", 1000, 1.375045},  {"atsp_n100_seed2026.csv", 1000, 1.381157},
      {"atsp_n200_seed2026.csv", 1000, 1.586804}, {"atsp_n500_seed2026.csv", 128, 1.517837},
      {"atsp_n1000_seed2026.csv", 64, 1.560110},
  };
  double *cost = calloc(1000, sizeof *cost);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; ++i) {
    char path[512];
    snprintf(path, sizeof path, "%s/data/reference/%s", EDGEFW_SOURCE_DIR, sets[i].file);
    assert_ok(f->ctx, edgefw__reference_file_read(f->ctx, path, sets[i].count, cost));
    assert_true(cost[0] == sets[i].first);
  }
  free(cost);
}

static edgefw_status head_of(io_file *f, edgefw_arena *arena, const char *text,
                             edgefw__reference_head *out) {
  io_write(f->path, text, strlen(text));
  return edgefw__reference_file_head(f->ctx, arena, f->path, out);
}

static void a_head_says_which_set_and_what_costs(void **state) {
  io_file *f = *state;
  edgefw_arena *arena = NULL;
  edgefw__reference_head head;
  assert_ok(f->ctx, edgefw_arena_create(f->ctx, &arena, "heads", 1 << 12, true));
  assert_ok(f->ctx, head_of(f, arena,
                            "# solver\n#set:  a = 1; b \t\r\n# costs: exact (dp)\n"
                            "instance,cost\n# set: too late\n",
                            &head));
  assert_string_equal(head.set, "a = 1; b");
  assert_int_equal(head.kind, EDGEFW__REFERENCE_OPTIMUM);
  assert_ok(f->ctx, head_of(f, arena, "# costs:  lower bound\r\n# x\ninstance,cost\n", &head));
  assert_int_equal(head.kind, EDGEFW__REFERENCE_BOUND);
  assert_ok(f->ctx, head_of(f, arena, "# set:\n# costs: best found, not exact\n#", &head));
  assert_string_equal(head.set, "");
  assert_int_equal(head.kind, EDGEFW__REFERENCE_BEST_KNOWN);
  assert_ok(f->ctx, head_of(f, arena, "#\n# the set: x\ninstance,cost\n", &head));
  assert_null(head.set);
  assert_int_equal(head.kind, EDGEFW__REFERENCE_UNKNOWN);
  assert_ok(f->ctx, head_of(f, arena, "", &head));
  assert_null(head.set);
  assert_fails(f->ctx, edgefw__reference_file_head(f->ctx, arena, "/no/file", &head), EDGEFW_IO,
               "/no/file");
  edgefw_arena_destroy(arena);
}

static void optima_are_found_by_name(void **state) {
  io_file *f = *state;
  const char *path = EDGEFW_SOURCE_DIR "/data/optima.csv";
  double optimum = 0.0;
  bool found = false;
  assert_ok(f->ctx, edgefw__reference_file_find(f->ctx, path, "ftv33", &optimum, NULL, &found));
  assert_true(found && optimum == 1286.0);
  int64_t n = 0;
  assert_ok(f->ctx, edgefw__reference_file_find(f->ctx, path, "ftv33", &optimum, &n, &found));
  assert_true(found && optimum == 1286.0 && n == 34);
  assert_ok(f->ctx, edgefw__reference_file_find(f->ctx, path, "br17", &optimum, NULL, &found));
  assert_true(found && optimum == 39.0);
  assert_ok(f->ctx, edgefw__reference_file_find(f->ctx, path, "ftv3", &optimum, NULL, &found));
  assert_false(found);

  static const char twice[] = "set,name,n,optimum\na,x,3,7\nb,x,3,7\nb,y,3,1\nb,y,3,2\nb,z,3,q\n";
  io_write(f->path, twice, sizeof twice - 1);
  assert_ok(f->ctx, edgefw__reference_file_find(f->ctx, f->path, "x", &optimum, NULL, &found));
  assert_true(found && optimum == 7.0);
  assert_fails(f->ctx, edgefw__reference_file_find(f->ctx, f->path, "y", &optimum, NULL, &found),
               EDGEFW_FORMAT, ":5: 'y' has a second");
  assert_fails(f->ctx, edgefw__reference_file_find(f->ctx, f->path, "z", &optimum, NULL, &found),
               EDGEFW_FORMAT, ":6: found 'q'");
  assert_false(found);
}

static edgefw_status read_one(edgefw_context *ctx, void *user) {
  const io_file *f = user;
  double cost = 0.0;
  return edgefw__reference_file_read(ctx, f->path, 1, &cost);
}

static void running_out_of_memory_leaks_nothing(void **state) {
  io_file *f = *state;
  static const char text[] = "instance,cost\n0,1\n";
  io_write(f->path, text, sizeof text - 1);
  out_of_memory_sweep(read_one, f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(costs_are_read_in_any_order),
      cmocka_unit_test(bad_files_are_refused_with_their_line),
      cmocka_unit_test(written_costs_are_read_again),
      cmocka_unit_test(the_reference_sets_are_complete),
      cmocka_unit_test(a_head_says_which_set_and_what_costs),
      cmocka_unit_test(optima_are_found_by_name),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
  };
  return test_run(tests, setup, io_file_tear_down);
}
