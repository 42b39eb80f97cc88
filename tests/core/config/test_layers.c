/* Which entries are in force. */
#include "support/test.h"

#include <string.h>

#include "config/layers.h"
#include "support/workspace.h"
#include "support/expect.h"

static edgefw__ini *from_text(workspace *f, const char *text) {
  edgefw__ini *ini;
  expect_ok(f->ctx, edgefw__ini_read_text(f->ctx, f->arena, text, "x.ini", &ini));
  return ini;
}

/* The settings of a section as "key=value key=value". */
static const char *gather(workspace *f, const edgefw__ini *ini, const char *section,
                          const char *variant) {
  edgefw__settings settings;
  const char *all = "";
  expect_ok(f->ctx, edgefw__layers_gather(ini, section, variant, &settings));
  for (size_t i = 0; i < settings.count; ++i)
    all = edgefw_arena_format(f->arena, "%s%s%s=%s", all, i ? " " : "", settings.items[i].key,
                              settings.items[i].value);
  return all;
}

static const char example[] = "[train]\nsize = 1\nbatch = 2\n"
                              "[variant a]\ntrain.size = 3\nterm.edge.mode = x\ncheckpoint = c\n"
                              "[term.edge]\nmode = y\n"
                              "[variant b]\ntrain.batch = 4\n";

static void later_layers_win(void **state) {
  workspace *f = *state;
  edgefw__ini *ini = from_text(f, example);
  expect_ok(f->ctx, edgefw__ini_set(ini, "train.size=9"));
  expect_ok(f->ctx, edgefw__layers_check(ini));
  assert_string_equal(gather(f, ini, "train", NULL), "size=1 batch=2 size=9");
  assert_string_equal(gather(f, ini, "train", "a"), "size=1 batch=2 size=3 size=9");
  assert_string_equal(gather(f, ini, "train", "b"), "size=1 batch=2 batch=4 size=9");
  assert_string_equal(gather(f, ini, "term.edge", "a"), "mode=y mode=x");
  assert_string_equal(gather(f, ini, "term.edge", "b"), "mode=y");
  assert_string_equal(gather(f, ini, "variant", "a"), "checkpoint=c");
  assert_string_equal(gather(f, ini, "variant", "b"), "");
  assert_string_equal(gather(f, ini, "eval", "a"), "");
}

static void variants_are_found_in_order(void **state) {
  workspace *f = *state;
  const char *const *names;
  size_t count;
  edgefw__ini *ini = from_text(f, "[variant b]\n[train]\n[variant\ta]\nx.y = 1\n[variant b]\n");
  expect_ok(f->ctx, edgefw__layers_variants(ini, &names, &count));
  assert_int_equal(count, 2);
  assert_string_equal(names[0], "b");
  assert_string_equal(names[1], "a");
  expect_ok(f->ctx, edgefw__layers_variants(from_text(f, "[train]\n"), &names, &count));
  assert_int_equal(count, 0);
  assert_null(edgefw__layers_variant_name("variants x"));
  assert_null(edgefw__layers_variant_name("train"));
  assert_string_equal(edgefw__layers_variant_name("variant  x"), "x");
}

/* Another backbone does not get the keys of the first. */
static void a_new_name_discards_the_keys_below(void **state) {
  workspace *f = *state;
  sandbox box;
  edgefw__ini *ini;
  sandbox_create(&box);
  sandbox_write(&box, "base.ini", "[backbone]\nlayers = 5\nname = one\n");
  const char *path = sandbox_write(&box, "x.ini",
                                   "[experiment]\ninclude = base.ini\n[backbone]\nwidth = 4\n"
                                   "[variant same]\nbackbone.width = 8\n"
                                   "[variant other]\nbackbone.depth = 3\nbackbone.name = two\n");
  expect_ok(f->ctx, edgefw__ini_read(f->ctx, f->arena, path, &ini));
  assert_string_equal(gather(f, ini, "backbone", "same"), "layers=5 name=one width=4 width=8");
  assert_string_equal(gather(f, ini, "backbone", "other"), "depth=3 name=two");
  expect_ok(f->ctx, edgefw__ini_set(ini, "backbone.name=three"));
  assert_string_equal(gather(f, ini, "backbone", "same"), "name=three");
  sandbox_remove(&box);
}

/* The file is refused at its first bad section or variant key. */
#define CHECK_BAD(f, text, ...)                                                                    \
  expect_failure((f)->ctx, edgefw__layers_check(from_text((f), (text))), EDGEFW_CONFIG, __VA_ARGS__)

static void bad_sections_are_refused(void **state) {
  workspace *f = *state;
  CHECK_BAD(f, "[train]\n[trian]\n", "x.ini:2: unknown section [trian]", "did you mean 'train'?",
            "known: experiment");
  CHECK_BAD(f, "[term.]\n", "x.ini:1: unknown section [term.]");
  CHECK_BAD(f, "[term]\n", "x.ini:1: unknown section [term]");
  CHECK_BAD(f, "[variant]\n", "x.ini:1: the name of [variant]");
  CHECK_BAD(f, "[variant a/b]\n", "x.ini:1: the name of [variant a/b]", "letters, digits");
  CHECK_BAD(f, "[variant ..]\n", "x.ini:1: the name of [variant ..]");
  CHECK_BAD(f, "[variant a]\nsize = 1\n", "x.ini:2: unknown key 'size' in [variant a]",
            "section.key");
  CHECK_BAD(f, "[variant a]\ntrian.size = 1\n", "x.ini:2: unknown key 'trian.size'",
            "did you mean 'train'?");
  CHECK_BAD(f, "[variant a]\nexperiment.seed = 1\n", "x.ini:2: unknown key 'experiment.seed'");
  CHECK_BAD(f, "[variant a]\ndata.test.5 = 1\n", "x.ini:2: unknown key 'data.test.5'");
  CHECK_BAD(f, "[variant a]\ncheckpiont = 1\n", "x.ini:2", "did you mean 'checkpoint'?");
  CHECK_BAD(f, "[variant a]\nterm.mode = 1\n", "x.ini:2: unknown key 'term.mode'");
  edgefw__ini *ini = from_text(f, "[train]\n");
  expect_ok(f->ctx, edgefw__ini_set(ini, "tain.size=1"));
  expect_failure(f->ctx, edgefw__layers_check(ini), EDGEFW_CONFIG,
                 "--set tain.size=1: unknown section [tain]", "did you mean 'train'?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(later_layers_win, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(variants_are_found_in_order, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_new_name_discards_the_keys_below, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(bad_sections_are_refused, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
