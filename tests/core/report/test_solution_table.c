/* Solutions of library files in the run directory. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "report/solution_table.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/workspace.h"

#define FILE_NAME "results/ours-solutions.csv"
#define HEADER    "instance,model,inputs,nodes\n"

static edgefw__solution_table read_table(workspace *w) {
  edgefw__solution_table table;
  expect_ok(w->ctx, edgefw__solution_table_read(w->ctx, w->arena, w->box.folder, "ours", &table));
  return table;
}

static void solutions_are_found_again(void **state) {
  static const int32_t tour[] = {0, 2, 1}, other[] = {0, 1, 2};
  workspace *w = *state;
  edgefw__solution_table table = read_table(w);
  assert_int_equal(table.count, 0);
  const edgefw__result br17 = {.set = "br17", .model = 0xab, .inputs = 1};
  edgefw__result odd = {.set = "a,\"b\" (x/y.atsp)", .model = 0xab, .inputs = 2};
  assert_null(edgefw__solution_table_find(&table, &br17));
  expect_ok(w->ctx, edgefw__solution_table_put(&table, &br17, tour, 3));
  expect_ok(w->ctx, edgefw__solution_table_put(&table, &odd, tour, 3));
  expect_ok(w->ctx, edgefw__solution_table_put(&table, &br17, other, 3)); /* in its place */
  char *text = cli_read(&w->box, FILE_NAME);
  assert_string_equal(text, HEADER "br17,00000000000000ab,0000000000000001,0 1 2\n"
                                   "\"a,\"\"b\"\" (x/y.atsp)\",00000000000000ab,0000000000000002,"
                                   "0 2 1\n");
  free(text);
  table = read_table(w);
  assert_int_equal(table.count, 2);
  assert_string_equal(edgefw__solution_table_find(&table, &br17)->nodes, "0 1 2");
  assert_string_equal(edgefw__solution_table_find(&table, &odd)->nodes, "0 2 1");
  odd.inputs = 3; /* its file has changed */
  assert_null(edgefw__solution_table_find(&table, &odd));
  odd.inputs = 2;
  odd.model = 0xac; /* another state of training */
  assert_null(edgefw__solution_table_find(&table, &odd));
}

/* Whatever is no table is as if there were none: its sets are evaluated again. */
static void damaged_tables_are_empty(void **state) {
  static const char *const bad[] = {"", "instance,nodes\nbr17,0 1 2\n", HEADER "br17,1\n",
                                    HEADER "br17,xyz,1,0 1 2\n", HEADER "\"br17\n"};
  workspace *w = *state;
  for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
    sandbox_write(&w->box, FILE_NAME, bad[b]);
    assert_int_equal(read_table(w).count, 0);
    assert_string_equal(edgefw_message(w->ctx), "");
  }
}

static void nodes_are_checked(void **state) {
  workspace *w = *state;
  int32_t *tour = NULL;
  int64_t count = 0;
  edgefw__solution_row row = {.instance = "br17", .nodes = "0 2 1"};
  expect_ok(w->ctx, edgefw__solution_table_nodes(w->ctx, w->arena, &row, 3, 6, &tour, &count));
  assert_int_equal(count, 3);
  assert_true(tour[0] == 0 && tour[1] == 2 && tour[2] == 1);
  static const char *const bad[] = {"0 3", "0 -1", "0 x", "0 1 2 0 1 2 0", "99999999999999999999"};
  for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
    row.nodes = bad[b];
    expect_failure(w->ctx,
                   edgefw__solution_table_nodes(w->ctx, w->arena, &row, 3, 6, &tour, &count),
                   EDGEFW_FORMAT, "br17", "expected at most 6 nodes from 0 to 2");
  }
}

int main(void) {
#define TABLE_TEST(name)                                                                           \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      TABLE_TEST(solutions_are_found_again),
      TABLE_TEST(damaged_tables_are_empty),
      TABLE_TEST(nodes_are_checked),
  };
  return test_run(tests, NULL, NULL);
}
