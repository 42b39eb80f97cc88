/* diagnostics.csv: what is written is read back, and what is damaged is refused with its place. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diagnostic_rows.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/workspace.h"

static const double nan_ = (double)NAN;

static edgefw__diagnostic_row sample(const char *variant, int64_t size, edgefw__diagnostic which) {
  edgefw__diagnostic_row row = {.variant = variant,
                                .size = size,
                                .which = which,
                                .states = 10,
                                .tally = {.judged = 8, .hits = 6, .ties = 1, .left_out = 1},
                                .slope = {nan_, nan_, nan_, nan_},
                                .rules = {0.1, 0.05, 0.025},
                                .seed = 18446744073709551615u,
                                .clip = 50,
                                .seconds = 1.5,
                                .model = 0xabcdef0123456789u,
                                .inputs = 7};
  if (which == EDGEFW__CURRENT) row.slope = (edgefw__spread){-1.25, -2, -1, -0.5};
  return row;
}

static void put_all(workspace *w, edgefw__diagnostic_rows *rows) {
  *rows = (edgefw__diagnostic_rows){.ctx = w->ctx, .arena = w->arena};
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which) {
    const edgefw__diagnostic_row row = sample("a, b", 20, (edgefw__diagnostic)which);
    expect_ok(w->ctx, edgefw__diagnostic_rows_put(rows, &row));
  }
}

static void rows_are_read_back(void **state) {
  workspace *w = *state;
  edgefw__diagnostic_rows rows, again;
  bool changed = false;
  put_all(w, &rows);
  expect_ok(w->ctx, edgefw__diagnostic_rows_write(&rows, w->box.folder, &changed));
  assert_true(changed);
  char *text = cli_read(&w->box, "diagnostics.csv");
  assert_non_null(strstr(text, "\n\"a, b\",20,current,10,8,6,1,1,0.75,0.4092"));
  assert_non_null(strstr(text, ",-1.25,-2,-1,-0.5,0.1,0.05,0.025,18446744073709551615,50,1.5,"
                               "abcdef0123456789,0000000000000007\n"));
  free(text);
  expect_ok(w->ctx, edgefw__diagnostic_rows_read(w->ctx, w->arena, w->box.folder, &again));
  assert_int_equal(again.count, EDGEFW__DIAGNOSTICS);
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which) {
    const edgefw__diagnostic_row wanted = sample("a, b", 20, (edgefw__diagnostic)which);
    const edgefw__diagnostic_row *row =
        edgefw__diagnostic_rows_find(&again, "a, b", 20, (edgefw__diagnostic)which);
    assert_non_null(row);
    assert_true(edgefw__diagnostic_row_is_of(row, &wanted));
    assert_memory_equal(&row->tally, &wanted.tally, sizeof wanted.tally);
    assert_true(isnan(row->slope.mean) == (which != EDGEFW__CURRENT));
  }
  assert_true(edgefw__diagnostic_rows_find(&again, "a, b", 20, EDGEFW__CURRENT)->slope.lower == -2);
  changed = false;
  expect_ok(w->ctx, edgefw__diagnostic_rows_write(&again, w->box.folder, &changed));
  assert_false(changed);
}

static void no_file_is_no_rows(void **state) {
  workspace *w = *state;
  edgefw__diagnostic_rows rows;
  expect_ok(w->ctx, edgefw__diagnostic_rows_read(w->ctx, w->arena, w->box.folder, &rows));
  assert_int_equal(rows.count, 0);
  assert_null(edgefw__diagnostic_rows_find(&rows, "a", 20, EDGEFW__PAIR));
}

static void a_row_takes_the_place_of_the_old_one(void **state) {
  workspace *w = *state;
  edgefw__diagnostic_rows rows;
  put_all(w, &rows);
  edgefw__diagnostic_row row = sample("a, b", 20, EDGEFW__SWAP);
  row.tally.hits = 1;
  expect_ok(w->ctx, edgefw__diagnostic_rows_put(&rows, &row));
  assert_int_equal(rows.count, EDGEFW__DIAGNOSTICS);
  assert_int_equal(edgefw__diagnostic_rows_find(&rows, "a, b", 20, EDGEFW__SWAP)->tally.hits, 1);
  row.size = 50;
  expect_ok(w->ctx, edgefw__diagnostic_rows_put(&rows, &row));
  assert_int_equal(rows.count, EDGEFW__DIAGNOSTICS + 1);
}

static void every_key_makes_a_row_stale(void **state) {
  (void)state;
  const edgefw__diagnostic_row row = sample("a", 20, EDGEFW__SWAP);
  edgefw__diagnostic_row other[9];
  for (int k = 0; k < 9; ++k) other[k] = row;
  other[0].model += 1;
  other[1].inputs += 1;
  other[2].states += 1;
  other[3].seed -= 1;
  other[4].clip = 10;
  other[5].rules.perturbation = 0.2;
  other[6].rules.closeness = 0.2;
  other[7].rules.swap_threshold = 0.2;
  other[8].seconds = 9; /* but not the time that it took */
  for (int k = 0; k < 9; ++k)
    assert_int_equal(edgefw__diagnostic_row_is_of(&row, &other[k]), k == 8);
}

/* Replace the first `old` of the written file by `new`. */
static void damage(workspace *w, const char *old, const char *new) {
  char *text = cli_read(&w->box, "diagnostics.csv");
  char *at = strstr(text, old);
  assert_non_null(at);
  const size_t head = (size_t)(at - text);
  char *out = calloc(1, strlen(text) + strlen(new) + 1);
  assert_non_null(out);
  memcpy(out, text, head);
  strcat(out, new);
  strcat(out, at + strlen(old));
  sandbox_write(&w->box, "diagnostics.csv", out);
  free(out);
  free(text);
}

static void damage_is_told_with_its_place(void **state) {
  workspace *w = *state;
  static const struct {
    const char *old, *new, *says;
  } faults[] = {{"left_out,", "left,", "unknown columns"},
                {",reverse,", ",revers,", "diagnostics.csv:3: column diagnostic holds 'revers'"},
                {",8,6,", ",8,six,", "diagnostics.csv:2"},
                {"18446744073709551615", "18446744073709551616", "column seed holds"},
                {"abcdef0123456789", "abcdefg", "column model holds 'abcdefg'"},
                {"0000000000000007\n", "\n", "column inputs holds ''"},
                {",0.025,", ",wide,", "diagnostics.csv:2"}};
  for (size_t f = 0; f < sizeof faults / sizeof *faults; ++f) {
    edgefw__diagnostic_rows rows;
    bool changed = false;
    put_all(w, &rows);
    expect_ok(w->ctx, edgefw__diagnostic_rows_write(&rows, w->box.folder, &changed));
    damage(w, faults[f].old, faults[f].new);
    expect_failure(w->ctx, edgefw__diagnostic_rows_read(w->ctx, w->arena, w->box.folder, &rows),
                   EDGEFW_FORMAT, faults[f].says, "remove the file");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rows_are_read_back, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(no_file_is_no_rows, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_row_takes_the_place_of_the_old_one, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test(every_key_makes_a_row_stale),
      cmocka_unit_test_setup_teardown(damage_is_told_with_its_place, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
