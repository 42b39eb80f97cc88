/* The conformance suite on sound and unsound plugins. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/conformance.h"
#include "support/conformance_seen.h"
#include "support/expect.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"
#include "support/toy_plugins.h"

/* A registry with a small backbone (the first one by name) besides the build tree's plugins. */
typedef struct bench {
  edgefw_context *ctx;
  sandbox box;
  edgefw__registry *registry;
} bench;

static int set_up(void **state) {
  static bench b;
  assert_int_equal(edgefw_context_create(&b.ctx, NULL), EDGEFW_OK);
  sandbox_create(&b.box);
  sandbox_link(&b.box, "small/edgefw_bare.so", toy_fixture("sound_backbone"));
  const char *const folders[] = {sandbox_path(&b.box, "small"), EDGEFW_BUILD_DIR "/lib/edgefw"};
  expect_ok(b.ctx, edgefw__registry_create_from(b.ctx, folders, 2, &b.registry));
  *state = &b;
  return 0;
}

static int tear_down(void **state) {
  bench *b = *state;
  edgefw__registry_destroy(b->registry);
  edgefw_context_destroy(b->ctx);
  sandbox_remove(&b->box);
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

static void assert_sound(conformance_seen s) {
  if (s.failed || !s.passed) fail_msg("%s", s.text);
}

static void assert_unsound(conformance_seen s, const char *line) {
  if (!strstr(s.text, line)) fail_msg("%s", s.text);
}

static void sound_plugins_pass(void **state) {
  assert_sound(check(*state, toy_fixture("sound_backbone")));
  assert_sound(check(*state, toy_fixture("good_term")));
  assert_sound(check(*state, EDGEFW_BUILD_DIR "/lib/edgefw/edgefw_atsp.so"));
  assert_sound(check(*state, EDGEFW_BUILD_DIR "/lib/edgefw/edgefw_reference.so"));
  assert_int_equal(edgefw_failure(((bench *)*state)->ctx), EDGEFW_OK);
}

static void unsound_plugins_fail(void **state) {
  assert_unsound(check(*state, toy_fixture("nan_term")), "FAILED features are finite");
  assert_unsound(check(*state, toy_fixture("nan_term")), "FAILED logits are finite");
  assert_unsound(check(*state, toy_fixture("picky_term")), "FAILED nothing to compose it with");
  assert_unsound(check(*state, toy_fixture("newer_major")), "FAILED it loads");
  assert_unsound(check(*state, "/none.so"), "FAILED it loads");
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_plugins_pass),
      cmocka_unit_test(unsound_plugins_fail),
  };
  return test_run(tests, set_up, tear_down);
}
