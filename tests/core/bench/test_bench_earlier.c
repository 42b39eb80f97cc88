/* Reading an earlier bench: what a bench prints is read back, and other files are refused. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "bench/bench_json.h"
#include "support/bench_sample.h"
#include "support/check.h"
#include "support/expect.h"
#include "support/out_of_memory.h"
#include "support/workspace.h"

static const char *write_sample(workspace *w, bench_sample *sample) {
  edgefw__text text = {.ctx = w->ctx};
  bench_sample_make(sample);
  edgefw__bench_json(&sample->report, NULL, &text);
  const char *path = sandbox_write(&w->box, "earlier.json", edgefw__text_get(&text));
  edgefw__text_release(&text);
  return path;
}

static void every_row_is_read_and_found(void **state) {
  workspace *w = *state;
  bench_sample sample;
  edgefw__bench_earlier earlier;
  const char *path = write_sample(w, &sample);
  expect_ok(w->ctx, edgefw__bench_earlier_read(w->ctx, path, &earlier));
  assert_string_equal(earlier.program, "edgefw");
  assert_int_equal(earlier.row_count, 4);
  for (int g = 0; g < 3; ++g)
    for (int r = 0; r < sample.groups[g].row_count; ++r) {
      const edgefw__bench_row *row = &sample.groups[g].rows[r];
      const edgefw__bench_earlier_row *then =
          edgefw__bench_earlier_find(&earlier, &sample.groups[g], row);
      assert_non_null(then);
      const edgefw__bench_gain gain = edgefw__bench_gain_of(&sample.report, row, then);
      check_close(gain.time, 1.0, 1e-12, 0.0, row->name);
      check_close(gain.per_peak, 1.0, 1e-12, 0.0, row->name);
    }
  edgefw__bench_earlier_close(&earlier);
}

static void rows_match_by_all_of_their_names(void **state) {
  workspace *w = *state;
  bench_sample sample;
  edgefw__bench_earlier earlier;
  const char *path = write_sample(w, &sample);
  expect_ok(w->ctx, edgefw__bench_earlier_read(w->ctx, path, &earlier));
  edgefw__bench_group group = sample.groups[1];
  edgefw__bench_row row = sample.rows[2];
  group.batch = 999; /* does not matter */
  assert_non_null(edgefw__bench_earlier_find(&earlier, &group, &row));
  row.changed = "";
  assert_null(edgefw__bench_earlier_find(&earlier, &group, &row));
  row = sample.rows[2];
  row.terms = "a";
  assert_null(edgefw__bench_earlier_find(&earlier, &group, &row));
  row = sample.rows[2];
  group.n = 11;
  assert_null(edgefw__bench_earlier_find(&earlier, &group, &row));
  group = sample.groups[0];
  row = sample.rows[0];
  row.pass = "backward";
  assert_null(edgefw__bench_earlier_find(&earlier, &group, &row));
  edgefw__bench_earlier_close(&earlier);
}

/* Twice the time on a machine whose product is twice as fast is a quarter of the rate for it. */
static void gains_are_of_time_and_of_rate_for_the_peak(void **state) {
  (void)state;
  bench_sample sample;
  bench_sample_make(&sample);
  const edgefw__bench_earlier_row then = {.per_instance = 0.03125, .instances_per_gflop = 16.0};
  const edgefw__bench_gain gain =
      edgefw__bench_gain_of(&sample.report, &sample.rows[1], &then); /* 0.0625 s, 4 for a GF/s */
  check_close(gain.time, 0.5, 1e-12, 0.0, "time");
  check_close(gain.per_peak, 0.25, 1e-12, 0.0, "rate");
  const edgefw__bench_earlier_row unknown = {.per_instance = 0.0};
  assert_true(edgefw__bench_gain_of(&sample.report, &sample.rows[1], &unknown).per_peak == 0.0);
}

#define GROUP(rows)                                                                                \
  "{\"edgefw\": \"1\", \"ops\": [], \"eval\": [{\"nodes\": 5, \"batch\": 2, \"rows\": " rows       \
  "}], \"train\": []}"

static void other_files_are_refused_with_their_place(void **state) {
  workspace *w = *state;
  static const struct {
    const char *text, *words[3];
  } cases[] = {
      {"tour", {"line 1", "expected JSON"}},
      {"[]", {"the file is an array", "edgefw bench --json"}},
      {"{}", {"edgefw is missing", "a text"}},
      {"{\"edgefw\": 3}", {"edgefw is 3"}},
      {"{\"edgefw\": \"1\"}", {"ops is missing", "a list", "edgefw bench --json"}},
      {"{\"edgefw\": \"1\", \"ops\": 7}", {"ops is 7"}},
      {"{\"edgefw\": \"1\", \"ops\": [7]}", {"ops[0].rows is missing"}},
      {GROUP("[]") " 7", {"end of file"}},
      {GROUP("[{}]"), {"eval[0].rows[0].name is missing"}},
      {GROUP("[{\"name\": \"a\", \"terms\": 1}]"), {"rows[0].terms is 1", "a text or null"}},
      {GROUP("[{\"name\": \"a\"}]"), {"seconds_per_instance is missing"}},
      {GROUP("[{\"name\": \"a\", \"seconds_per_instance\": -1}]"), {"-1", "at least 0"}},
      {"{\"torch\": 2, \"ops\": []}", {"torch is 2", "a text"}},
      {"{\"edgefw\": \"1\", \"ops\": [{\"rows\": []}]}", {"ops[0].nodes is missing"}}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    edgefw__bench_earlier earlier;
    const char *path = sandbox_write(&w->box, "t.json", cases[k].text);
    const edgefw_status status = edgefw__bench_earlier_read(w->ctx, path, &earlier);
    const char *words[] = {"t.json", cases[k].words[0], cases[k].words[1], cases[k].words[2], NULL};
    expect_failure_at(w->ctx, status, EDGEFW_FORMAT, words, __FILE__, __LINE__);
    edgefw__bench_earlier_close(&earlier);
  }
  edgefw__bench_earlier earlier;
  expect_failure(w->ctx, edgefw__bench_earlier_read(w->ctx, "nowhere.json", &earlier), EDGEFW_IO,
                 "nowhere.json");
  edgefw__bench_earlier_close(&earlier);
}

static edgefw_status read_and_close(edgefw_context *ctx, void *user) {
  edgefw__bench_earlier earlier;
  const edgefw_status status = edgefw__bench_earlier_read(ctx, user, &earlier);
  edgefw__bench_earlier_close(&earlier);
  return status;
}

static void running_out_of_memory_leaks_nothing(void **state) {
  bench_sample sample;
  char path[256];
  snprintf(path, sizeof path, "%s", write_sample(*state, &sample));
  out_of_memory_sweep(read_and_close, path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_read_and_found),
      cmocka_unit_test(rows_match_by_all_of_their_names),
      cmocka_unit_test(gains_are_of_time_and_of_rate_for_the_peak),
      cmocka_unit_test(other_files_are_refused_with_their_place),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
  };
  return test_run(tests, workspace_set_up, workspace_tear_down);
}
