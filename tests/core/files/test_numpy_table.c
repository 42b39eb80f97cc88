/* NumPy arrays as tables: what shapes mean, and what goes with the costs. */
#include "support/test.h"

#include <math.h>

#include "files/numpy_table.h"
#include "support/expect.h"
#include "support/npz_support.h"
#include "support/stops_case.h"

static edgefw_status read_array(workspace *w, const char *shape, const double *numbers,
                                size_t count, edgefw__stop_table *out) {
  const char *path = sandbox_path(&w->box, "t.npy");
  npy_write(path,
            &(npz_entry){
                .type = "<f8", .shape = shape, .bytes = numbers, .count = count * sizeof *numbers});
  return edgefw__numpy_table_read(w->ctx, w->arena, edgefw_arena_text(w->arena, path), out);
}

static void files_hold_the_stops(void **state) {
  workspace *w = *state;
  edgefw__stop_table table;
  expect_ok(w->ctx, edgefw__numpy_table_read(w->ctx, w->arena, STOPS_DATA "stops.npy", &table));
  stops_expect(&table, NULL);
  assert_int_equal(table.count, 1);
  expect_ok(w->ctx, edgefw__numpy_table_read(w->ctx, w->arena, STOPS_DATA "stops.npz", &table));
  stops_expect(&table, NULL);
  assert_true(*table.capacity == 10.0);
  for (int i = 0; i < STOPS; ++i) assert_true(table.demand[i] == stops_demand[i]);
  expect_ok(w->ctx, edgefw__numpy_table_read(w->ctx, w->arena, STOPS_DATA "stops-two.npy", &table));
  assert_int_equal(table.count, 2);
  /* The second is the first, turned over; ways that are missing elsewhere cost 200 there. */
  for (int i = 0; i < STOPS; ++i)
    for (int j = 0; j < STOPS; ++j) {
      const double there = stops_cost[j][i] < 0 ? 200 : stops_cost[j][i];
      assert_true(table.cost[STOPS * STOPS + i * STOPS + j] == there);
    }
}

static void shapes_tell_costs_from_places(void **state) {
  workspace *w = *state;
  static const double numbers[] = {0, 1, 2, 0, 3, 4, 5, 6};
  edgefw__stop_table table;
  expect_ok(w->ctx, read_array(w, "(2, 2)", numbers, 4, &table));
  assert_true(table.cost && !table.points && table.n == 2);
  expect_ok(w->ctx, read_array(w, "(4, 2)", numbers, 8, &table));
  assert_true(table.points && !table.cost && table.n == 4 && table.count == 1);
  expect_ok(w->ctx, read_array(w, "(1, 4, 2)", numbers, 8, &table));
  assert_true(table.points && table.n == 4 && table.count == 1);
  expect_ok(w->ctx, read_array(w, "(2, 2, 2)", numbers, 8, &table));
  assert_true(table.cost && table.n == 2 && table.count == 2);
  expect_failure(w->ctx, read_array(w, "(8,)", numbers, 8, &table), EDGEFW_MISMATCH, "t.npy",
                 "shape (8)", "(n,n)");
  expect_failure(w->ctx, read_array(w, "(2, 4)", numbers, 8, &table), EDGEFW_MISMATCH,
                 "shape (2,4)");
  expect_failure(w->ctx, read_array(w, "(0, 3, 3)", numbers, 0, &table), EDGEFW_MISMATCH,
                 "no instances");
}

static void wrong_numbers_are_refused(void **state) {
  workspace *w = *state;
  const double less[] = {0, -1, 2, 0}, bent[] = {0, 1, 2, (double)INFINITY, 3, 4};
  edgefw__stop_table table;
  expect_failure(w->ctx, read_array(w, "(2, 2)", less, 4, &table), EDGEFW_FORMAT,
                 "from stop 1 to stop 2", "-1");
  expect_failure(w->ctx, read_array(w, "(3, 2)", bent, 6, &table), EDGEFW_FORMAT, "place 2", "inf");
}

static void arrays_of_an_archive_fit_together(void **state) {
  workspace *w = *state;
  static const double costs[] = {0, 1, 2, 0, 0, 3, 4, 0}, demand[] = {0, 5, 6}, less[] = {0, -5};
  const char *path = edgefw_arena_text(w->arena, sandbox_path(&w->box, "t.npz"));
  const npz_entry cost = {
      .name = "dist.npy", .type = "<f8", .shape = "(2, 2, 2)", .bytes = costs, .count = 64};
  npz_entry entries[3] = {cost, {.name = "demand.npy", .type = "<f8", .bytes = demand}};
  edgefw__stop_table table;
  entries[1].shape = "(2,)";
  entries[1].count = 16;
  npz_write(path, entries, false);
  expect_ok(w->ctx, edgefw__numpy_table_read(w->ctx, w->arena, path, &table));
  assert_true(table.demand[1] == 5.0 && table.demand[3] == 5.0); /* the same of both */
  entries[1].bytes = less;
  npz_write(path, entries, false);
  expect_failure(w->ctx, edgefw__numpy_table_read(w->ctx, w->arena, path, &table), EDGEFW_FORMAT,
                 "number 1 of the array 'demand' is -5");
  entries[1].bytes = demand;
  entries[1].shape = "(3,)";
  entries[1].count = 24;
  npz_write(path, entries, false);
  expect_failure(w->ctx, edgefw__numpy_table_read(w->ctx, w->arena, path, &table), EDGEFW_MISMATCH,
                 "'demand' has shape (3)");
  entries[0].name = "other.npy";
  npz_write(path, entries, false);
  expect_failure(w->ctx, edgefw__numpy_table_read(w->ctx, w->arena, path, &table), EDGEFW_MISMATCH,
                 "no array 'cost'", "'other'");
}

/* What holds nothing may claim to be of any size. */
static void sizes_are_refused_before_memory_is_taken(void **state) {
  workspace *w = *state;
  static const double one = 1.0;
  const char *path = edgefw_arena_text(w->arena, sandbox_path(&w->box, "t.npz"));
  npz_entry entries[3] = {
      {.name = "cost.npy", .type = "<f8", .shape = "(10000000000, 0, 0)", .bytes = &one},
      {.name = "capacity.npy", .type = "<f8", .shape = "()", .bytes = &one, .count = 8}};
  edgefw__stop_table table;
  npz_write(path, entries, false);
  expect_failure(w->ctx, edgefw__numpy_table_read(w->ctx, w->arena, path, &table), EDGEFW_MISMATCH,
                 "t.npz", "0 stops; expected 2 to");
  expect_failure(w->ctx, read_array(w, "(0, 2)", &one, 0, &table), EDGEFW_MISMATCH, "0 stops");
  expect_failure(w->ctx, read_array(w, "(1, 1)", &one, 1, &table), EDGEFW_MISMATCH, "1 stop;");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(files_hold_the_stops, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(shapes_tell_costs_from_places, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(wrong_numbers_are_refused, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(sizes_are_refused_before_memory_is_taken, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(arrays_of_an_archive_fit_together, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
