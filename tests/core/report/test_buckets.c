/* Library files summed up by size. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "report/buckets.h"
#include "support/check.h"
#include "support/expect.h"
#include "support/workspace.h"

static const int64_t bounds[] = {200, 500};
static const char *const variants[] = {"pomo", "elg"};

/* Sizes on both sides of each bound; a generated set, which no bucket holds. */
static const edgefw__instance_set sets[] = {
    {.name = "100", .size = 100, .count = 1000}, {.name = "a", .size = 51, .file = "a"},
    {.name = "b", .size = 200, .file = "b"},     {.name = "c", .size = 201, .file = "c"},
    {.name = "d", .size = 500, .file = "d"},     {.name = "e", .size = 501, .file = "e"},
};

static const edgefw__buckets buckets = {.bounds = bounds,
                                        .bound_count = 2,
                                        .variants = variants,
                                        .variant_count = 2,
                                        .sets = sets,
                                        .set_count = 6};

static void put(edgefw__results *results, const char *variant, const char *set, double gap,
                double seconds) {
  const edgefw__result row = {
      .variant = variant, .set = set, .select = "greedy", .gap_percent = gap, .seconds = seconds};
  expect_ok(results->ctx, edgefw__results_put(results, &row));
}

static edgefw__results sample(workspace *w) {
  edgefw__results results = {.ctx = w->ctx, .arena = w->arena};
  put(&results, "pomo", "100", 77, 77);
  put(&results, "pomo", "a", 1, 1);
  put(&results, "pomo", "b", 4, 2);
  put(&results, "pomo", "c", 9, 4);
  put(&results, "pomo", "d", (double)NAN, 8); /* no best known cost */
  put(&results, "pomo", "e", 10, 16);
  put(&results, "elg", "c", -1, 32);
  return results;
}

static void check_summary(const edgefw__results *results, const char *variant, int b, int64_t files,
                          int64_t compared, double gap, double seconds) {
  const edgefw__bucket got = edgefw__buckets_summary(&buckets, results, variant, b);
  assert_int_equal(got.files, files);
  assert_int_equal(got.compared, compared);
  assert_true(isnan(gap) ? isnan(got.mean_gap_percent) : got.mean_gap_percent == gap);
  assert_true(isnan(seconds) ? isnan(got.seconds) : got.seconds == seconds);
}

static void bounds_belong_to_the_lower_bucket(void **state) {
  workspace *w = *state;
  const edgefw__results results = sample(w);
  const double none = (double)NAN;
  const int64_t files[] = {2, 2, 1, 5};
  assert_int_equal(edgefw__buckets_count(&buckets), 4);
  for (int b = 0; b < 4; ++b) assert_int_equal(edgefw__buckets_files(&buckets, b), files[b]);
  check_summary(&results, "pomo", 0, 2, 2, 2.5, 3);
  check_summary(&results, "pomo", 1, 2, 1, 9, 12);
  check_summary(&results, "pomo", 2, 1, 1, 10, 16);
  check_summary(&results, "pomo", 3, 5, 4, 6, 31); /* of all files, not of the buckets */
  check_summary(&results, "elg", 0, 0, 0, none, none);
  check_summary(&results, "elg", 3, 1, 1, -1, 32);
}

static void they_become_json(void **state) {
  workspace *w = *state;
  const edgefw__results results = sample(w);
  for (size_t r = 0; r < results.count; ++r)
    if (strcmp(results.items[r].variant, "elg") == 0)
      results.items[r].reference_kind = EDGEFW__REFERENCE_BOUND;
  edgefw__text text = {.ctx = w->ctx};
  edgefw__buckets_json(&buckets, &results, &text);
  const char *said = edgefw__text_get(&text);
  assert_non_null(
      strstr(said, "{\"variant\": \"pomo\", \"above\": 200, \"up_to\": 500, \"files\": 2, "
                   "\"compared\": 1, \"mean_gap_percent\": 9, \"seconds\": 12, \"to_bound\": 0}"));
  assert_non_null(
      strstr(said, "{\"variant\": \"elg\", \"above\": 0, \"up_to\": null, \"files\": 1, "
                   "\"compared\": 1, \"mean_gap_percent\": -1, \"seconds\": 32, \"to_bound\": 1}"));
  edgefw__text_release(&text);
}

static void none_are_asked_for(void **state) {
  workspace *w = *state;
  const edgefw__results results = sample(w);
  const edgefw__buckets none = {
      .variants = variants, .variant_count = 2, .sets = sets, .set_count = 6};
  edgefw__text text = {.ctx = w->ctx};
  assert_int_equal(edgefw__buckets_count(&none), 0);
  edgefw__buckets_json(&none, &results, &text);
  assert_int_equal(text.length, 0);
  edgefw__text_release(&text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(bounds_belong_to_the_lower_bucket),
      TEST(they_become_json),
      TEST(none_are_asked_for),
  };
  return test_run(tests, NULL, NULL);
}
