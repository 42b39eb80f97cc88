/* VRPLIB solution files: read, written, and refused. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "files/vrp_solution.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"
#include "support/workspace.h"

static edgefw_status read_text(workspace *f, const char *text, int64_t customers,
                               edgefw__vrp_solution *out) {
  return edgefw__vrp_solution_read(f->ctx, f->arena, sandbox_write(&f->box, "x.sol", text),
                                   customers, out);
}

static void forms_that_mean_the_same(void **state) {
  workspace *f = *state;
  static const char *const forms[] = {
      "Route #1: 2 1\nRoute #2: 5\nRoute #3: 3 4\nCost 34.5\n",
      "Route #1: 2 1\r\nRoute #2: 5\r\nRoute #3: 3 4\r\nCost 34.5\r\n",
      "route 1 : 2 1 \nROUTE #2\t5\n\n# a remark\nRoute # 3:3 4\ncost : 34.5",
      "Cost: 3.45e1\nRoute #1: 2\t1\nRoute #2:\nRoute #3: 5\n  Route #4:  3 4",
  };
  static const int32_t tour[] = {0, 2, 1, 0, 5, 0, 3, 4};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    edgefw__vrp_solution solution;
    assert_ok(f->ctx, read_text(f, forms[i], 5, &solution));
    assert_int_equal(solution.count, 8);
    assert_int_equal(solution.routes, 3);
    assert_memory_equal(solution.tour, tour, sizeof tour);
    assert_true(solution.has_cost && solution.cost == 34.5);
  }
}

static void other_lines_give_one_warning(void **state) {
  workspace *f = *state;
  io_log log = {0};
  edgefw_set_log(f->ctx, io_collect, &log);
  edgefw__vrp_solution solution;
  assert_ok(f->ctx, read_text(f, "Route #1: 1\nRoutes 1\nTime 3.2\n", 1, &solution));
  assert_false(solution.has_cost);
  assert_int_equal(log.warnings, 1);
  assert_non_null(strstr(log.text, "passed over 2 unknown lines, the first is line 2"));
  edgefw_set_log(f->ctx, NULL, NULL);
}

static void bad_solutions_are_refused(void **state) {
  workspace *f = *state;
  static const struct {
    const char *text;
    edgefw_status status;
    const char *message;
  } bad[] = {
      {"", EDGEFW_MISMATCH, "no route visits customer 1, expected customers 1 to 3"},
      {"Route #1: 1 3\nCost 5\n", EDGEFW_MISMATCH, "no route visits customer 2"},
      {"Route #1: 1 2\nRoute #2: 3 1\n", EDGEFW_FORMAT,
       "line 2: customer 1 comes again, it is already in line 1"},
      {"Route #1: 1 2 3\nRoute #2: 2\n", EDGEFW_FORMAT, "line 2: customer 2 comes again"},
      {"Route #1: 1 2\nRoute #2: 4\n", EDGEFW_FORMAT,
       "line 2: found '4' in a route, expected a customer from 1 to 3"},
      {"Route #1: 0 1 2 3\n", EDGEFW_FORMAT, "line 1: found '0' in a route"},
      {"Route #1: 1 2.0 3\n", EDGEFW_FORMAT, "found '2.0' in a route"},
      {"Route #1: 1 2\n3\n", EDGEFW_FORMAT, "line 2: found '3', expected \"Route #k: ...\""},
      {"Route #1: 1 2 3\nCost\n", EDGEFW_FORMAT, "line 2: Cost is '', expected a finite number"},
      {"Route #1: 1 2 3\nCost inf\n", EDGEFW_FORMAT, "line 2: Cost is 'inf'"},
      {"Route #1: 1 2 3\nCost 27 591\n", EDGEFW_FORMAT,
       "line 2: found '591' behind the number of Cost"},
      {"Cost 1\nRoute #1: 1 2 3\nCost 2\n", EDGEFW_FORMAT, "line 3: Cost comes again"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    edgefw__vrp_solution solution = {.count = -7};
    assert_fails(f->ctx, read_text(f, bad[i].text, 3, &solution), bad[i].status, bad[i].message);
    assert_int_equal(solution.count, -7); /* untouched */
  }
  edgefw__vrp_solution solution;
  assert_fails(f->ctx, edgefw__vrp_solution_read(f->ctx, f->arena, "/no/file.sol", 3, &solution),
               EDGEFW_IO, "'/no/file.sol'");
}

static void what_is_written_reads_back(void **state) {
  workspace *f = *state;
  static const int32_t tour[] = {0, 2, 1, 0, 3};
  static const int32_t padded[] = {0, 2, 1, 0, 0, 3, 0, 0, 0};
  for (int form = 0; form < 2; ++form) {
    edgefw__text text = {.ctx = f->ctx};
    edgefw__vrp_solution_add(&text, form == 0 ? tour : padded, form == 0 ? 5 : 9, 784);
    assert_string_equal(edgefw__text_get(&text), "Route #1: 2 1\nRoute #2: 3\nCost 784\n");
    edgefw__text_release(&text);
  }
  edgefw__text text = {.ctx = f->ctx};
  edgefw__vrp_solution_add(&text, tour, 5, 1.0 / 3.0);
  edgefw__vrp_solution solution;
  assert_ok(f->ctx, read_text(f, edgefw__text_get(&text), 3, &solution));
  edgefw__text_release(&text);
  assert_int_equal(solution.count, 5);
  assert_memory_equal(solution.tour, tour, sizeof tour);
  assert_true(solution.has_cost && solution.cost == 1.0 / 3.0);
}

static void cut_files_never_crash(void **state) {
  workspace *f = *state;
  static const char good[] = "# by hand\r\nRoute #1: 2 1\r\nroute 2 : 5\nRoute #3:3 4\nCost: 34\n";
  for (size_t length = 0; length < sizeof good; ++length) {
    const char *path = sandbox_write_bytes(&f->box, "cut.sol", good, length);
    edgefw__vrp_solution solution;
    const edgefw_status status = edgefw__vrp_solution_read(f->ctx, f->arena, path, 5, &solution);
    if (status != EDGEFW_OK) assert_true(io_message_has(f->ctx, "cut.sol'"));
    edgefw_clear(f->ctx);
    edgefw_arena_reset(f->arena);
  }
}

static edgefw_status read_large(edgefw_context *ctx, void *user) {
  (void)user;
  edgefw_arena *arena = NULL;
  edgefw__vrp_solution solution;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "test", 64, true);
  if (status == EDGEFW_OK)
    status = edgefw__vrp_solution_read(
        ctx, arena, EDGEFW_SOURCE_DIR "/data/vrplib-x/X-n101-k25.sol", 100, &solution);
  edgefw_arena_destroy(arena);
  return status;
}

static void running_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  out_of_memory_sweep(read_large, NULL);
}

#define solution_test(name)                                                                        \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      solution_test(forms_that_mean_the_same),
      solution_test(other_lines_give_one_warning),
      solution_test(bad_solutions_are_refused),
      solution_test(what_is_written_reads_back),
      solution_test(cut_files_never_crash),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
  };
  return test_run(tests, NULL, NULL);
}
