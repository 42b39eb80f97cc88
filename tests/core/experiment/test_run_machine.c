/* On what a run was worked on. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "experiment/run_machine.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/tiny_model.h"
#include "support/workspace.h"

/* Note the device `reference` with so many threads. */
static bool note(const workspace *w, int threads) {
  tiny_model tiny;
  bool changed = false;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  edgefw_set_threads(tiny.ctx, threads);
  tiny_ok(&tiny, edgefw__run_machine_note(&tiny.engine, w->arena, w->box.folder, &changed));
  tiny_close(&tiny);
  return changed;
}

static edgefw__csv_table read_table(const workspace *w) {
  edgefw__csv_table table;
  expect_ok(w->ctx,
            edgefw__csv_table_read(w->ctx, w->arena, sandbox_path(&w->box, "machine.csv"), &table));
  return table;
}

static const char *cell(const edgefw__csv_table *table, int64_t row, const char *name) {
  int column = -1;
  expect_ok(table->ctx, edgefw__csv_table_column(table, name, &column));
  return edgefw__csv_table_cell(table, row, column);
}

static void each_way_to_work_is_noted_once(void **state) {
  const workspace *w = *state;
  assert_true(note(w, 1));
  assert_false(note(w, 1));
  edgefw__csv_table table = read_table(w);
  assert_int_equal(table.rows, 1);
  assert_string_equal(cell(&table, 0, "device"), "reference");
  assert_string_equal(cell(&table, 0, "threads"), "1");
  assert_string_equal(cell(&table, 0, "precision"), "fp32");
  assert_true(strtol(cell(&table, 0, "cores"), NULL, 10) >= 1);
  assert_true(*cell(&table, 0, "processor") && *cell(&table, 0, "system"));
  assert_non_null(strstr(cell(&table, 0, "program"), "edgefw "));
  assert_non_null(strstr(cell(&table, 0, "libraries"), "HDF5 "));
  assert_true(note(w, 2));
  assert_false(note(w, 1));
  table = read_table(w);
  assert_int_equal(table.rows, 2);
  assert_string_equal(cell(&table, 1, "threads"), "2");
}

static void a_damaged_file_is_begun_anew(void **state) {
  const workspace *w = *state;
  sandbox_write_bytes(&w->box, "machine.csv", "a\0b", 3);
  assert_true(note(w, 1));
  assert_int_equal(read_table(w).rows, 1);
  sandbox_write(&w->box, "machine.csv", "other,columns\n1,2\n");
  assert_true(note(w, 1));
  assert_int_equal(read_table(w).rows, 1);
}

/* What other machines did elsewhere is added once. */
static void rows_of_parts_are_joined(void **state) {
  const workspace *w = *state;
  bool changed = false;
  (void)note(w, 1);
  edgefw__csv_table before = read_table(w);
  char *own = cli_read(&w->box, "machine.csv");
  sandbox_write(&w->box, "part/machine.csv", own);
  const char *folder = edgefw_arena_text(w->arena, w->box.folder);
  const char *part = edgefw_arena_format(w->arena, "%s/part", folder);
  expect_ok(w->ctx, edgefw__run_machine_join(w->ctx, w->arena, part, folder, &changed));
  assert_false(changed);
  const char *both = edgefw_arena_format(w->arena, "%sother,2,system,cpu,k,fp32,4,edgefw,l\n", own);
  sandbox_write(&w->box, "part/machine.csv", both);
  for (int i = 0; i < 2; ++i) {
    changed = false;
    expect_ok(w->ctx, edgefw__run_machine_join(w->ctx, w->arena, part, folder, &changed));
    assert_int_equal(changed, i == 0);
    const edgefw__csv_table table = read_table(w);
    assert_int_equal(table.rows, before.rows + 1);
    assert_string_equal(cell(&table, before.rows, "processor"), "other");
  }
  free(own);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(each_way_to_work_is_noted_once, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(rows_of_parts_are_joined, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_damaged_file_is_begun_anew, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
