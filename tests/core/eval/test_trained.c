/* A model from its checkpoint alone: the same parameters, and messages that name the file. */
#include "support/test.h"

#include <stdio.h>

#include "eval/trained.h"
#include "policy/fingerprint.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

static sandbox box;
static tiny_model tiny;
static char path[128];

static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  snprintf(path, sizeof path, "%s", sandbox_path(&box, "model.h5"));
  tiny_open(&tiny, TINY_OURS, "reference", 5, true);
  tiny_checkpoint(&tiny, path, tiny.composition->text);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  tiny_close(&tiny);
  sandbox_remove(&box);
  return 0;
}

static edgefw_status open_trained(const char *device, edgefw__trained *out) {
  return edgefw__trained_open(tiny.ctx, tiny.registry, path, device, EDGEFW__PRECISION_AUTO, out);
}

static void the_checkpoint_is_enough(void **state) {
  (void)state;
  edgefw__trained trained;
  uint64_t before = 0, after = 1;
  tiny_ok(&tiny, open_trained("reference", &trained));
  assert_string_equal(trained.engine.name, "reference");
  assert_string_equal(trained.model->composition->problem->descriptor->name, "atsp");
  tiny_ok(&tiny, edgefw__fingerprint(tiny.model, &before));
  tiny_ok(&tiny, edgefw__fingerprint(trained.model, &after));
  assert_int_equal(before, after);
  edgefw__trained_close(&trained);
}

static void what_is_wrong_is_named(void **state) {
  (void)state;
  edgefw__trained trained;
  tiny_fails(&tiny, open_trained("none", &trained), EDGEFW_PLUGIN_FIND, "device = none");
  edgefw__trained_close(&trained);
  tiny_checkpoint(&tiny, path, "[problem]\nname = atsp\n[backbone]\nname = nobody\n");
  tiny_fails(&tiny, open_trained("reference", &trained), EDGEFW_PLUGIN_FIND,
             "configuration kept in");
  edgefw__trained_close(&trained);
  tiny_checkpoint(&tiny, path, tiny.composition->text);
  tiny_fails(&tiny,
             edgefw__trained_open(tiny.ctx, tiny.registry, "/nowhere.h5", "auto",
                                  EDGEFW__PRECISION_AUTO, &trained),
             EDGEFW_IO, "/nowhere.h5");
  edgefw__trained_close(&trained);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_checkpoint_is_enough),
      cmocka_unit_test(what_is_wrong_is_named),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, set_up, tear_down);
}
