/* The checks of heuristics, on sound and unsound ones.
 * needs plugins: atsp acvrp */
#include "support/test.h"

#include <string.h>

#include "conformance/conformance.h"
#include "support/conformance_seen.h"
#include "support/expect.h"
#include "support/toy_plugins.h"

typedef struct bench {
  edgefw_context *ctx;
  edgefw__registry *registry;
} bench;

static int set_up(void **state) {
  static bench b;
  static const char *const folder = EDGEFW_BUILD_DIR "/lib/edgefw";
  assert_int_equal(edgefw_context_create(&b.ctx, NULL), EDGEFW_OK);
  expect_ok(b.ctx, edgefw__registry_create_from(b.ctx, &folder, 1, &b.registry));
  *state = &b;
  return 0;
}

static int tear_down(void **state) {
  bench *b = *state;
  edgefw__registry_destroy(b->registry);
  edgefw_context_destroy(b->ctx);
  return 0;
}

static conformance_seen check(bench *b, const char *path) {
  conformance_seen s = {.passed = 0};
  int failures = 0;
  expect_ok(b->ctx,
            edgefw__conformance(b->ctx, b->registry, path, conformance_collect, &s, &failures));
  assert_int_equal(failures, s.failed);
  return s;
}

static void expect_lines(const conformance_seen *s, const char *const *lines) {
  for (; *lines; ++lines)
    if (!strstr(s->text, *lines)) fail_msg("lacks '%s':\n%s", *lines, s->text);
}

static void a_sound_one_passes_on_every_problem(void **state) {
  const conformance_seen s = check(*state, toy_fixture("good_heuristic"));
  if (s.failed) fail_msg("%s", s.text);
  expect_lines(&s, (const char *const[]){
                       "ok it is a heuristic called inorder",
                       "ok on atsp, instances of 1, 2, 3, 5 and 20 nodes: every start gives a",
                       "ok on atsp, with forbidden arcs, 1, 2, 3, 5 and 20 nodes",
                       "ok on acvrp, with demands equal to the capacity, 1, 2, 3, 5 and 20 nodes",
                       "ok on acvrp, the same instance gives the same tours",
                       "ok on acvrp, so it does on three threads",
                       "requests for memory may fail: it says so, and nothing is left behind",
                       "ok there is a problem that it fits", NULL});
}

static void unsound_ones_fail(void **state) {
  const conformance_seen moody = check(*state, toy_fixture("moody_heuristic"));
  expect_lines(&moody, (const char *const[]){"FAILED it refuses acvrp: it gives no reason",
                                             "FAILED on atsp, the same instance gives the same",
                                             "FAILED on atsp, each of its ", NULL});
  const conformance_seen lossy = check(*state, toy_fixture("lossy_heuristic"));
  expect_lines(&lossy,
               (const char *const[]){"FAILED on atsp, instances of 1, 2, 3, 5 and 20 nodes: "
                                     "every start gives a solution: heuristic lossy",
                                     "instances of 20 nodes", "visits twice node", NULL});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sound_one_passes_on_every_problem),
      cmocka_unit_test(unsound_ones_fail),
  };
  return test_run(tests, set_up, tear_down);
}
