/* A bench beside an earlier one: ratios, what differs, and what only one side has. */
#include "support/test.h"

#include <string.h>

#include "bench/bench_compare.h"
#include "bench/bench_json.h"
#include "support/bench_sample.h"
#include "support/expect.h"
#include "support/workspace.h"

/* The sample, then; now encoding is twice as fast, the terms of decoding are others, and training
 * was not measured. */
static void read_earlier(workspace *w, bench_sample *now, edgefw__bench_earlier *earlier) {
  edgefw__text text = {.ctx = w->ctx};
  bench_sample_make(now);
  now->report.groups[1].batch = 4;
  edgefw__bench_json(&now->report, NULL, &text);
  const char *path = sandbox_write(&w->box, "earlier.json", edgefw__text_get(&text));
  edgefw__text_release(&text);
  expect_ok(w->ctx, edgefw__bench_earlier_read(w->ctx, path, earlier));
  earlier->path = "earlier.json";
  bench_sample_make(now);
  now->rows[1].timing.seconds[0] *= 0.5;
  now->rows[2].changed = "";
  now->report.group_count = 2;
  now->report.threads = 1;
  now->report.description = "pebbles";
}

static void expect_parts(edgefw__text *text, const char *const *parts, size_t count) {
  assert_false(text->failed);
  for (size_t p = 0; p < count; ++p)
    if (!strstr(edgefw__text_get(text), parts[p]))
      fail_msg("missing: %s\nin:\n%s", parts[p], edgefw__text_get(text));
  edgefw__text_release(text);
}

static void the_table_names_what_is_on_one_side_only(void **state) {
  workspace *w = *state;
  static const char *const lines[] = {
      "\nCompared with 'earlier.json' (edgefw ",
      "\nDifferent: device_description beads then, pebbles now; threads 2 then, 1 now\n\nops, n = "
      "10",
      "\neval, n = 10: 4 at once then, 8 now\n",
      "\nlinear 8->8 forward                                   125.0      125.0     1.00     "
      "1.00\n",
      "\nencode                                                 62.5       31.2     2.00     "
      "2.00\n",
      "\nOnly then:\n  eval n=10: decode with a.mode=x\n  train n=10: step\n",
      "\nOnly now:\n  eval n=10: decode a+c\n"};
  bench_sample now;
  edgefw__bench_earlier earlier;
  read_earlier(w, &now, &earlier);
  edgefw__text text = {.ctx = w->ctx};
  edgefw__bench_compare_table(&now.report, &earlier, &text);
  expect_parts(&text, lines, sizeof lines / sizeof *lines);
  edgefw__bench_earlier_close(&earlier);
}

static void equal_benches_differ_in_nothing(void **state) {
  workspace *w = *state;
  bench_sample now;
  edgefw__bench_earlier earlier;
  read_earlier(w, &now, &earlier);
  bench_sample_make(&now);
  edgefw__text text = {.ctx = w->ctx};
  edgefw__bench_compare_table(&now.report, &earlier, &text);
  assert_null(strstr(edgefw__text_get(&text), "Different"));
  assert_null(strstr(edgefw__text_get(&text), "Only"));
  edgefw__text_release(&text);
  edgefw__bench_earlier_close(&earlier);
}

static void json_has_the_same(void **state) {
  workspace *w = *state;
  static const char *const parts[] = {
      "\"name\": \"encode\", ",
      "\"over_base\": null, \"times_as_fast\": 2, \"times_as_fast_per_gflops\": 2}",
      "\"over_base\": 1.5, \"times_as_fast\": null, \"times_as_fast_per_gflops\": null}",
      "\"compared\": {\"file\": \"earlier.json\", \"program\": \"edgefw\", \"version\": ",
      "\"only_then\": [\"eval n=10: decode with a.mode=x\", \"train n=10: step\"], ",
      "\"only_now\": [\"eval n=10: decode a+c\"]}}\n"};
  bench_sample now;
  edgefw__bench_earlier earlier;
  read_earlier(w, &now, &earlier);
  edgefw__text text = {.ctx = w->ctx};
  edgefw__bench_json(&now.report, &earlier, &text);
  expect_parts(&text, parts, sizeof parts / sizeof *parts);
  edgefw__bench_earlier_close(&earlier);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_names_what_is_on_one_side_only),
      cmocka_unit_test(equal_benches_differ_in_nothing),
      cmocka_unit_test(json_has_the_same),
  };
  return test_run(tests, workspace_set_up, workspace_tear_down);
}
