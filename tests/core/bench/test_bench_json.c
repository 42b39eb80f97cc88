/* The JSON document: its keys and what does not apply. */
#include "support/test.h"

#include <string.h>

#include "bench/bench_json.h"
#include "support/bench_sample.h"

/* Braces and brackets outside of strings are balanced, and the document ends with the last. */
static void check_nesting(const char *text) {
  int depth = 0;
  bool quoted = false;
  for (const char *c = text; *c; ++c) {
    if (*c == '"' && (c == text || c[-1] != '\\')) quoted = !quoted;
    if (quoted) continue;
    if (*c == '{' || *c == '[') ++depth;
    if (*c == '}' || *c == ']') --depth;
    assert_true(depth > 0 || strcmp(c, "}\n") == 0 || strcmp(c, "\n") == 0);
  }
  assert_int_equal(depth, 0);
  assert_false(quoted);
}

static void every_key_is_there(void **state) {
  (void)state;
  static const char *const parts[] = {
      "\"device\": \"abacus\", \"device_description\": \"beads\", \"precision\": \"fp32\", "
      "\"ranks\": 1, \"threads\": 2",
      "\"config\": \"[problem]\\u000aname = p\\u000a\"",
      "\"peak\": {\"size\": 2048, \"gflops_first\": 3, \"gflops_last\": 4, \"gflops\": 4}",
      "\"ops\": [\n  {\"nodes\": 10, \"batch\": 8, \"rollouts\": 10, \"peak_gflops\": 1, "
      "\"max_rss_bytes\": 5000000, \"device_memory_bytes\": null, \"sent_bytes_per_step\": null, "
      "\"rows\": [\n    {\"name\": \"linear 8->8\", \"pass\": \"forward\", \"calls\": 2, "
      "\"instances\": 8, \"runs\": 1, \"seconds\": 1,",
      "\"gflop\": 2, \"gflops\": 2, \"share_of_peak\": 0.5, \"gbytes_per_second\": null,",
      "\"name\": \"encode\", \"terms\": null, \"changed\": null,",
      "\"gflop\": null, \"gflops\": null, \"share_of_peak\": null, \"gbytes_per_second\": null, "
      "\"over_base\": null, \"times_as_fast\": null, \"times_as_fast_per_gflops\": null}",
      "\"name\": \"decode\", \"terms\": \"a+c\", \"changed\": \"a.mode=x\", \"instances\": 8, "
      "\"runs\": 3, \"seconds\": 2, \"seconds_min\": 1, \"seconds_q1\": 1.5, \"seconds_q3\": 3, "
      "\"seconds_max\": 4, \"seconds_per_instance\": 0.25, \"instances_per_second\": 4, "
      "\"instances_per_second_per_gflops\": 1,",
      "\"over_base\": 1.5, \"times_as_fast\": null,",
      "\"gbytes_per_second\": 2, \"share_of_step\": 1, \"times_as_fast\": null, "
      "\"times_as_fast_per_gflops\": null}"};
  bench_sample sample;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__text text = {.ctx = ctx};
  bench_sample_make(&sample);
  edgefw__bench_json(&sample.report, NULL, &text);
  assert_false(text.failed);
  check_nesting(edgefw__text_get(&text));
  for (size_t p = 0; p < sizeof parts / sizeof *parts; ++p)
    if (!strstr(edgefw__text_get(&text), parts[p]))
      fail_msg("missing: %s\nin: %s", parts[p], edgefw__text_get(&text));
  edgefw__text_release(&text);
  edgefw_context_destroy(ctx);
}

static void sections_that_were_not_measured_are_empty(void **state) {
  (void)state;
  bench_sample sample;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__text text = {.ctx = ctx};
  bench_sample_make(&sample);
  sample.report.group_count = 0;
  edgefw__bench_json(&sample.report, NULL, &text);
  check_nesting(edgefw__text_get(&text));
  assert_non_null(strstr(edgefw__text_get(&text),
                         "\"ops\": [],\n\"eval\": [],\n\"train\": [],\n\"compared\": null}\n"));
  edgefw__text_release(&text);
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_key_is_there),
      cmocka_unit_test(sections_that_were_not_measured_are_empty),
  };
  return test_run(tests, NULL, NULL);
}
