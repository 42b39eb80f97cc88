/* Composition: variants, precedence, refusals.
 * labels: oom */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "config/compose.h"
#include "support/check.h"
#include "support/expect.h"
#include "support/failing_allocator.h"
#include "support/toy_config.h"
#include "support/toy_plugins.h"

static void a_problem_and_a_backbone_are_enough(void **state) {
  toy_config *t = *state;
  edgefw__config *config = toy_config_load(t, TOY_SECTIONS);
  assert_string_equal(config->name, "x"); /* the file's name */
  assert_int_equal(config->variant_count, 1);
  const edgefw__composition *c = &config->variants[0];
  assert_string_equal(c->variant, "plain"); /* the backbone's name */
  assert_string_equal(c->problem->descriptor->name, "toy");
  check_close(edgefw_options_real(c->problem_options, "scale"), 1.5, 0, 0, "scale");
  assert_int_equal(edgefw_options_int(c->backbone_options, "width"), 16);
  assert_int_equal(edgefw_options_int(c->train, "size"), 100);
  assert_int_equal(c->terms.count, 0);
  assert_string_equal(c->checkpoint, "");
  assert_string_equal(edgefw_options_text(c->experiment, "device"), "auto");
  edgefw__config_destroy(config);
  edgefw__config_destroy(NULL);
}

/* A configuration keeps the name that it uses, so that its results are called as before. */
static void aliases_are_kept_as_written(void **state) {
  toy_config *t = *state;
  static const char text[] = "[problem]\nname = toy\n[backbone]\nname = simple\nwidth = 3\n"
                             "[decoder]\nterms = share_visited\n"
                             "[term.share_visited]\nmode = moving\n";
  edgefw__config *config = toy_config_load(t, text), *again;
  const edgefw__composition *c = &config->variants[0];
  assert_string_equal(c->backbone->descriptor->name, "plain");
  assert_string_equal(c->variant, "simple");
  assert_int_equal(edgefw_options_int(c->backbone_options, "width"), 3);
  assert_int_equal(edgefw_options_choice(c->terms.options[0], "mode"), 1);
  assert_non_null(strstr(config->text, "name = simple\n"));
  assert_non_null(strstr(config->text, "[term.share_visited]"));
  expect_ok(t->ctx, edgefw__compose_text(t->ctx, t->registry, config->text, "again", &again));
  assert_string_equal(again->text, config->text);
  edgefw__config_destroy(again);
  edgefw__config_destroy(config);
  toy_config_refuse(t, TOY_SECTIONS "[decoder]\nterms = progress, share_visited\n", EDGEFW_CONFIG,
                    "decoder.terms lists 'share_visited' twice");
}

/* Heuristics stand in for a model: no section of one is needed, and shared ones are not looked at.
 */
static void heuristics_take_the_place_of_a_model(void **state) {
  toy_config *t = *state;
  edgefw__config *config =
      toy_config_load(t, "[problem]\nname = toy\n[heuristic.inorder]\norder = down\n"
                         "[variant up]\nconstruct = inorder\nheuristic.inorder.order = up\n"
                         "[variant down]\nconstruct = by_number\n");
  const edgefw__composition *up = &config->variants[0], *down = &config->variants[1];
  assert_int_equal(config->variant_count, 2);
  assert_true(edgefw__constructs(up) && edgefw__constructs(down));
  assert_true(!up->backbone && !up->backbone_name && up->terms.count == 0);
  assert_string_equal(up->heuristics.plugins[0]->descriptor->name, "inorder");
  assert_int_equal(edgefw_options_choice(up->heuristics.options[0], "order"), 0);
  assert_string_equal(down->heuristics.names[0], "by_number"); /* as it is called, keys too */
  assert_int_equal(edgefw_options_choice(down->heuristics.options[0], "order"), 0);
  edgefw__config_destroy(config);
  config = toy_config_load(t, TOY_SECTIONS "[decoder]\nterms = progress\n[eval]\nterms = trained\n"
                                           "[variant a]\n[variant b]\nconstruct = inorder\n");
  assert_false(edgefw__constructs(&config->variants[0]));
  assert_true(edgefw__constructs(&config->variants[1]));
  assert_int_equal(config->variants[1].terms.count, 0);
  assert_int_equal(config->variants[1].eval_terms.count, 0);
  edgefw__config_destroy(config);
}

static void keys_of_heuristics_are_checked(void **state) {
  toy_config *t = *state;
  static const char begin[] = "[problem]\nname = toy\n[train]\nsize = 2\n[variant a]\n";
  const struct {
    const char *lines;
    edgefw_status status;
    const char *says, *more;
  } bad[] = {
      {"construct = inordre\n", EDGEFW_PLUGIN_FIND, "inordre", "did you mean 'inorder'?"},
      {"construct = inorder, by_number\n", EDGEFW_CONFIG, "lists 'by_number' twice", "x.ini:6"},
      {"construct = inorder\nheuristic.inorder.order = odd\n", EDGEFW_CONFIG, "odd", "up|down"},
      {"construct = inorder\nheuristic.inorder.mode = up\n", EDGEFW_CONFIG, "mode", "x.ini:7"},
      {"construct = inorder\nbackbone.name = plain\n", EDGEFW_CONFIG, "backbone.name", "x.ini:7"},
      {"construct = inorder\ndecoder.heads = 2\n", EDGEFW_CONFIG, "decoder.heads", "construct"},
      {"construct = inorder\ntrain.epochs = 2\n", EDGEFW_CONFIG, "train.epochs", "no model"},
      {"construct = inorder\nterm.progress.mode = moving\n", EDGEFW_CONFIG, "term.progress.mode",
       "change nothing"},
      {"construct = inorder\neval.augment = 8\n", EDGEFW_CONFIG, "eval.augment", "no model"},
      {"construct = inorder\neval.select = sample\n", EDGEFW_CONFIG, "eval.select", "no model"},
      {"construct = inorder\n[heuristic.inorder]\nodrer = up\n", EDGEFW_CONFIG, "odrer",
       "did you mean 'order'?"},
      {"construct = inorder\n[heuristic.nearby]\norder = up\n", EDGEFW_PLUGIN_FIND, "nearby",
       "x.ini:8"},
      {"construct = inorder\n[variant b]\n", EDGEFW_CONFIG, "[backbone] must say name", "'b'"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    char text[512];
    snprintf(text, sizeof text, "%s%s", begin, bad[i].lines);
    toy_config_refuse(t, text, bad[i].status, bad[i].says, bad[i].more);
  }
}

static void later_layers_win(void **state) {
  toy_config *t = *state;
  sandbox_write(&t->box, "base.ini",
                TOY_SECTIONS "width = 2\nsteps = 1\n[train]\nsize = 10\nbatch = 1\nepochs = 1\n");
  const char *path = sandbox_write(&t->box, "x.ini",
                                   "[experiment]\ninclude = base.ini\nname = trial\n"
                                   "[train]\nsize = 20\n[backbone]\nwidth = 4\n"
                                   "[variant a]\ntrain.size = 30\ndecoder.terms = progress\n"
                                   "[variant b]\nbackbone.width = 8\n");
  const char *const sets[] = {"train.epochs=7", "term.progress.mode=moving"};
  edgefw__config *config;
  expect_ok(t->ctx, edgefw__config_load(t->ctx, t->registry, path, sets, 2, &config));
  assert_string_equal(config->name, "trial");
  assert_int_equal(config->variant_count, 2);
  const edgefw__composition *a = &config->variants[0], *b = &config->variants[1];
  assert_string_equal(a->variant, "a");
  assert_int_equal(edgefw_options_int(a->train, "size"), 30);
  assert_int_equal(edgefw_options_int(b->train, "size"), 20);
  assert_int_equal(edgefw_options_int(a->train, "batch"), 1);
  assert_int_equal(edgefw_options_int(a->train, "epochs"), 7);
  assert_int_equal(edgefw_options_int(b->train, "epochs"), 7);
  assert_int_equal(edgefw_options_int(a->backbone_options, "width"), 4);
  assert_int_equal(edgefw_options_int(b->backbone_options, "width"), 8);
  assert_int_equal(edgefw_options_count(b->backbone_options, "steps"), 1);
  assert_int_equal(a->terms.count, 1);
  assert_int_equal(b->terms.count, 0);
  assert_string_equal(a->terms.plugins[0]->descriptor->name, "progress");
  assert_int_equal(edgefw_options_choice(a->terms.options[0], "mode"), 1);
  edgefw__config_destroy(config);
}

static void variants_may_have_other_backbones(void **state) {
  toy_config *t = *state;
  edgefw__config *config =
      toy_config_load(t, TOY_SECTIONS "width = 32\n[variant a]\n"
                                      "[variant b]\nbackbone.name = deep\nbackbone.depth = 3\n");
  assert_int_equal(config->variant_count, 2);
  assert_int_equal(edgefw_options_int(config->variants[0].backbone_options, "width"), 32);
  assert_int_equal(edgefw_options_int(config->variants[1].backbone_options, "depth"), 3);
  edgefw__config_destroy(config);
}

static void paths_are_relative_to_their_file(void **state) {
  toy_config *t = *state;
  const char *data = sandbox_write(&t->box, "data/t.h5", "x");
  sandbox_write(&t->box, "configs/base.ini", TOY_SECTIONS "[data]\ntest.100 = ../data/t.h5\n");
  edgefw__config *config =
      toy_config_load(t, "[experiment]\ninclude = configs/base.ini\n"
                         "[eval]\nfiles = data/t.h5, ./data/t.h5\n[report]\nreported = data/t.h5\n"
                         "[variant v]\ncheckpoint = data/t.h5\nbackbone.file = data/t.h5\n");
  const edgefw__composition *c = &config->variants[0];
  assert_string_equal(edgefw_options_text(c->data, "test.100"), data);
  assert_string_equal(edgefw_options_text(c->data, "test.200"), "");
  assert_string_equal(edgefw_options_text_at(c->eval, "files", 1), data);
  assert_string_equal(edgefw_options_text(c->report, "reported"), data);
  assert_string_equal(edgefw_options_text(c->backbone_options, "file"), data);
  assert_string_equal(c->checkpoint, data);
  edgefw__config_destroy(config);
}

static void bad_keys_are_refused(void **state) {
  toy_config *t = *state;
  const edgefw_status config = EDGEFW_CONFIG;
  toy_config_refuse(t, TOY_SECTIONS "widht = 3\n", config, "x.ini:5: unknown key 'widht'",
                    "[backbone]", "did you mean 'width'?", "backbone 'plain'");
  toy_config_refuse(t, TOY_SECTIONS "width = 0\n", config, "x.ini:5: backbone.width = '0'",
                    "[1, 1024]");
  toy_config_refuse(t, TOY_SECTIONS "mode = fats\n", config, "x.ini:5", "did you mean 'fast'?");
  toy_config_refuse(t, TOY_SECTIONS "[train]\nsise = 1\n", config, "x.ini:6: unknown key 'sise'");
  toy_config_refuse(t, TOY_SECTIONS "[tran]\nsize = 1\n", config, "x.ini:5: unknown section");
  toy_config_refuse(t, TOY_SECTIONS "[variant v]\ntrain.sise = 1\n", config,
                    "x.ini:6: unknown key 'sise' in [train]", "variant 'v'");
  toy_config_refuse(t, TOY_SECTIONS "[experiment]\nname = a/b\n", config, "x.ini:6",
                    "name of a folder");
  toy_config_refuse(t, TOY_SECTIONS "[report]\nreported = none.csv\n", config,
                    "x.ini:6: report.reported: cannot read", "none.csv", "No such file");
}

static void bad_plugins_are_refused(void **state) {
  toy_config *t = *state;
  const edgefw_status find = EDGEFW_PLUGIN_FIND, config = EDGEFW_CONFIG;
  toy_config_refuse(t, "[problem]\nname = yot\n[backbone]\nname = plain\n", find,
                    "no problem plugin is called 'yot'", "x.ini:2: problem.name", "toy");
  toy_config_refuse(t, "[problem]\nname = toy\n[backbone]\nname = plian\n", find,
                    "did you mean 'plain'?", "x.ini:4: backbone.name");
  toy_config_refuse(t, "[problem]\nname = toy\n", config, "x.ini: [backbone] must say name",
                    "deep, plain");
  toy_config_refuse(t, TOY_SECTIONS "[decoder]\nterms = progres\n", find,
                    "did you mean 'progress'?", "x.ini:6");
  toy_config_refuse(t, TOY_SECTIONS "[decoder]\nterms = progress, progress\n", config,
                    "x.ini:6: decoder.terms lists 'progress' twice");
  toy_config_refuse(t, TOY_SECTIONS "[decoder]\nterms = a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a\n",
                    config, "has 17 terms, at most 16");
  toy_config_refuse(t, TOY_SECTIONS "[term.progres]\nmode = static\n", find,
                    "no term plugin is called 'progres'", "x.ini:6");
  toy_config_refuse(t, TOY_SECTIONS "[term.progress]\nmood = static\n", config,
                    "x.ini:6: unknown key 'mood' in [term.progress]", "did you mean 'mode'?");
  toy_config_refuse(t, TOY_SECTIONS "[variant v]\nterm.progress.mode = sttic\n", config, "x.ini:6",
                    "did you mean 'static'?");
  toy_config_refuse(t, TOY_SECTIONS "[experiment]\ndevice = abacus\n", find,
                    "no device plugin is called 'abacus'", "x.ini:6: experiment.device");
}

static void overrides_are_checked(void **state) {
  toy_config *t = *state;
  edgefw__config *config;
  expect_failure(t->ctx, toy_config_try(t, TOY_SECTIONS, "train.sise=3", &config), EDGEFW_CONFIG,
                 "--set train.sise=3: unknown key 'sise'", "did you mean 'size'?");
  expect_failure(t->ctx, toy_config_try(t, TOY_SECTIONS, "train.size", &config), EDGEFW_CONFIG,
                 "expected section.key=value");
  /* It repairs what the file has wrong. */
  expect_ok(t->ctx, toy_config_try(t, TOY_SECTIONS "[train]\nsize = x\n", "train.size=3", &config));
  assert_int_equal(edgefw_options_int(config->variants[0].train, "size"), 3);
  edgefw__config_destroy(config);
}

/* The text of a checkpoint composes again where its files and device do not exist. */
static void a_resolved_text_composes_alike(void **state) {
  toy_config *t = *state;
  edgefw__config *config;
  const char *text = "[experiment]\nname = n\ndevice = abacus\n" TOY_SECTIONS
                     "[data]\ntest.100 = /no/such/file.h5\n[variant v]\ntrain.size = 9\n";
  expect_ok(t->ctx, edgefw__compose_text(t->ctx, t->registry, text, "model.h5", &config));
  assert_string_equal(config->path, "model.h5");
  assert_string_equal(config->variants[0].variant, "v");
  assert_string_equal(edgefw_options_text(config->variants[0].data, "test.100"),
                      "/no/such/file.h5");
  edgefw__config_destroy(config);
  expect_failure(t->ctx, edgefw__compose_text(t->ctx, t->registry, "[x]\n", "model.h5", &config),
                 EDGEFW_CONFIG, "model.h5:1: unknown section [x]");
}

static void unused_data_is_warned_of(void **state) {
  toy_config *t = *state;
  sandbox_write(&t->box, "t.h5", "x");
  sandbox_write(&t->box, "base.ini", TOY_SECTIONS "[data]\nreference.77 = t.h5\n");
  edgefw__config *config =
      toy_config_load(t, "[experiment]\ninclude = base.ini\n[eval]\n"
                         "sizes = 20\n[data]\ntest.20 = t.h5\ntest.30 = t.h5\n");
  assert_non_null(strstr(t->log, "x.ini:7: data.test.30 is not used"));
  assert_null(strstr(t->log, "test.20"));
  assert_null(strstr(t->log, "reference.77")); /* an included file serves many */
  edgefw__config_destroy(config);
}

static void running_out_of_memory_leaks_nothing(void **state) {
  toy_config *t = *state;
  sandbox_write(&t->box, "x.ini",
                TOY_SECTIONS "[variant a]\ndecoder.terms = progress\n"
                             "[variant b]\nbackbone.name = deep\n"
                             "[variant c]\ntrained = a\ndecoder.terms = progress\n");
  const char *set = "train.size=20";
  for (int64_t n = 0;; ++n) {
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
    edgefw_context *ctx;
    edgefw__config *config;
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    edgefw__registry *registry = toy_registry_open(ctx, &t->box);
    const char *path = sandbox_path(&t->box, "x.ini");
    failing_allocator_arm(&memory, n);
    const edgefw_status status = edgefw__config_load(ctx, registry, path, &set, 1, &config);
    const bool failed = failing_allocator_failed(&memory);
    assert_int_equal(status, failed ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    assert_int_equal(edgefw_failure(ctx), status);
    edgefw__config_destroy(config);
    edgefw__registry_destroy(registry);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
    if (!failed) break;
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, toy_config_set_up, toy_config_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(aliases_are_kept_as_written),
      TEST(a_problem_and_a_backbone_are_enough),
      TEST(heuristics_take_the_place_of_a_model),
      TEST(keys_of_heuristics_are_checked),
      TEST(later_layers_win),
      TEST(variants_may_have_other_backbones),
      TEST(paths_are_relative_to_their_file),
      TEST(bad_keys_are_refused),
      TEST(bad_plugins_are_refused),
      TEST(overrides_are_checked),
      TEST(a_resolved_text_composes_alike),
      TEST(unused_data_is_warned_of),
      TEST(running_out_of_memory_leaks_nothing),
  };
  return test_run(tests, NULL, NULL);
}
