/* Rollouts in the symmetries of the square.
 * needs plugins: tsp pomo */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "search/reflections.h"
#include "support/check.h"
#include "support/tiny_model.h"

enum { N = 8, COUNT = 3 };

static const char config[] =
    "[problem]\nname = tsp\n[backbone]\nname = pomo\nembedding_dim = 8\n"
    "layers = 1\nheads = 2\nff_hidden = 8\n[decoder]\nheads = 2\nterms =\n";

/* Views other than the first are tried, the best is kept, and the coordinates are put back. */
static void seven_more_views_are_tried(void **state) {
  (void)state;
  tiny_model tiny;
  int32_t tours[COUNT * N];
  double lengths[COUNT], plain[COUNT], before[COUNT * N * 2], scratch[COUNT * N * 2];
  int better = 0;
  tiny_open(&tiny, config, "reference", 5, false);
  edgefw__batch *batch = tiny_batch(&tiny, N, 3, 0, COUNT);
  edgefw__policy *policy = tiny_policy(&tiny, COUNT, N, false);
  const edgefw_instance first = edgefw__batch_instance(batch, 0);
  double *points = edgefw_instance_field(&first, "coords");
  memcpy(before, points, sizeof before);
  edgefw__incumbents best = {.tours = tours, .lengths = lengths};
  const edgefw__search search = {.clip = 10.0, .samples = 1, .name = "8"};
  tiny_ok(&tiny, edgefw__search_rollouts(policy, batch, &search, true, &best));
  memcpy(plain, lengths, sizeof plain);
  tiny_ok(&tiny, edgefw__search_reflections(policy, batch, &search, scratch, &best));
  check_same_bits(points, before, sizeof before, "coordinates");

  /* The other views by hand: reflected in x, in y, in both, and the same with the axes exchanged.
   */
  double expected[COUNT], viewed[COUNT];
  edgefw__incumbents other = {.tours = (int32_t[COUNT * N]){0}, .lengths = viewed};
  memcpy(expected, plain, sizeof expected);
  for (int view = 1; view < 8; ++view) {
    for (int i = 0; i < COUNT * N; ++i) {
      const double x = before[2 * i], y = before[2 * i + 1];
      points[2 * i] = view % 2 ? 1.0 - (view < 4 ? x : y) : (view < 4 ? x : y);
      points[2 * i + 1] = view / 2 % 2 ? 1.0 - (view < 4 ? y : x) : (view < 4 ? y : x);
    }
    tiny_ok(&tiny, edgefw__search_rollouts(policy, batch, &search, true, &other));
    for (int b = 0; b < COUNT; ++b) expected[b] = fmin(expected[b], viewed[b]);
  }
  check_same_bits(lengths, expected, sizeof expected, "the best of all views");
  for (int b = 0; b < COUNT; ++b) better += lengths[b] < plain[b];
  assert_true(better > 0); /* an untrained model sees the views as different instances */
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(seven_more_views_are_tried)};
  return test_run(tests, NULL, NULL);
}
