/* What a bench composes. needs plugins: edge closure lookahead
 * labels: oom */
#include "support/test.h"

#include <string.h>

#include "bench/bench_setup.h"
#include "conformance/matrix.h"
#include "support/bench_tiny.h"
#include "support/failing_allocator.h"
#include "support/sandbox.h"
#include "support/toy_plugins.h"

typedef struct fixture {
  tiny_model tiny; /* context and registry */
  edgefw_arena *arena;
  edgefw__bench_setup setup;
} fixture;

static void begin(fixture *f) {
  *f = (fixture){0};
  tiny_begin(&f->tiny, NULL, TINY_PLAIN, "reference");
  tiny_ok(&f->tiny, edgefw_arena_create(f->tiny.ctx, &f->arena, "test", 1 << 12, true));
}

static edgefw_status compose(fixture *f, const edgefw__bench_settings *settings) {
  edgefw__bench_setup_close(&f->setup);
  return edgefw__bench_setup_open(f->tiny.ctx, f->tiny.registry, settings, f->arena, &f->setup);
}

static void end(fixture *f) {
  edgefw__bench_setup_close(&f->setup);
  edgefw_arena_destroy(f->arena);
  tiny_close(&f->tiny);
}

/* Terms that fit problem and backbone of a composition. */
static int count_fitting(const fixture *f, const edgefw__composition *composition) {
  const edgefw__matrix_cell *cells = NULL;
  size_t count = 0;
  int fitting = 0;
  tiny_ok(&f->tiny, edgefw__matrix(f->tiny.ctx, f->arena, f->tiny.registry, &cells, &count));
  for (size_t c = 0; c < count; ++c)
    fitting += cells[c].problem == composition->problem &&
               cells[c].backbone == composition->backbone && cells[c].term && !cells[c].why;
  return fitting;
}

static void all_that_fits_is_composed_by_default(void **state) {
  (void)state;
  fixture f;
  begin(&f);
  const edgefw__bench_settings settings = {.problem = "atsp", .backbone = "radar"};
  tiny_ok(&f.tiny, compose(&f, &settings));
  const edgefw__composition *full = &f.setup.config->variants[f.setup.full];
  assert_int_equal(full->terms.count, count_fitting(&f, full));
  /* Nor does a choice that the first problem has no use for end a bench of everything. */
  const edgefw__bench_settings nothing = {.problem = NULL};
  tiny_ok(&f.tiny, compose(&f, &nothing));
  end(&f);
}

static void each_term_and_all_are_variants(void **state) {
  (void)state;
  static const char *const terms[] = {
      "none", "closure", "edge", "lookahead", "closure+edge+lookahead", "closure+edge+lookahead"};
  static const int counts[] = {0, 1, 1, 1, 3, 3};
  fixture f;
  begin(&f);
  const edgefw__bench_settings settings = {
      .problem = "atsp", .backbone = "radar", .terms = "closure,edge,lookahead"};
  tiny_ok(&f.tiny, compose(&f, &settings));
  assert_int_equal(f.setup.count, 6);
  assert_int_equal(f.setup.full, 4);
  assert_int_equal(f.setup.config->variant_count, 6);
  for (int v = 0; v < 6; ++v) {
    const edgefw__composition *composition = &f.setup.config->variants[v];
    assert_string_equal(f.setup.variants[v].terms, terms[v]);
    assert_string_equal(f.setup.variants[v].changed, v == 5 ? "lookahead.mode=masked" : "");
    assert_int_equal(composition->terms.count, counts[v]);
    assert_string_equal(composition->problem->descriptor->name, "atsp");
  }
  const edgefw__composition *variants = f.setup.config->variants;
  assert_int_equal(edgefw_options_choice(variants[4].terms.options[2], "mode"), 0);
  assert_int_equal(edgefw_options_choice(variants[5].terms.options[2], "mode"), 1);
  end(&f);
}

static void settings_are_followed(void **state) {
  (void)state;
  static const char *const sets[] = {"term.lookahead.mode=masked", "decoder.heads=4"};
  const edgefw__bench_settings settings = {
      .terms = "lookahead", .width = 32, .sets = sets, .set_count = 2};
  fixture f;
  begin(&f);
  tiny_ok(&f.tiny, compose(&f, &settings));
  assert_int_equal(f.setup.count, 3); /* none, all, and the other mode */
  assert_int_equal(f.setup.full, 1);
  assert_string_equal(f.setup.variants[2].changed, "lookahead.mode=static");
  for (int v = 0; v < 3; ++v) {
    const edgefw__composition *composition = &f.setup.config->variants[v];
    assert_int_equal(edgefw_options_int(composition->backbone_options, "embedding_dim"), 32);
    assert_int_equal(edgefw_options_int(composition->decoder, "heads"), 4);
  }
  const edgefw__bench_settings bare = {.terms = "none"};
  tiny_ok(&f.tiny, compose(&f, &bare));
  assert_int_equal(f.setup.count, 1);
  assert_int_equal(f.setup.full, 0);
  end(&f);
}

static void what_cannot_be_composed_is_refused(void **state) {
  (void)state;
  const struct {
    edgefw__bench_settings settings;
    edgefw_status status;
    const char *message;
  } cases[] = {
      {{.problem = "tsp9"}, EDGEFW_PLUGIN_FIND, "tsp9"},
      {{.backbone = "sonar"}, EDGEFW_PLUGIN_FIND, "sonar"},
      {{.terms = "edge, sideways"}, EDGEFW_PLUGIN_FIND, "sideways"},
      {{.sets = (const char *const[]){"width"}, .set_count = 1}, EDGEFW_CONFIG, "--set width"},
      {{.sets = (const char *const[]){"a=1"}, .set_count = 1}, EDGEFW_CONFIG, "--set a=1"},
      {{.sets = (const char *const[]){"backbone.layers=1\n[x]"}, .set_count = 1},
       EDGEFW_CONFIG,
       "expected section.key=value"},
      {{.sets = (const char *const[]){"backbone.layer=1"}, .set_count = 1}, EDGEFW_CONFIG, "layer"},
      {{.sets = (const char *const[]){"backbone.embedding_dim=8"}, .set_count = 1, .width = 16},
       EDGEFW_CONFIG,
       "twice"},
  };
  fixture f;
  begin(&f);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    tiny_fails(&f.tiny, compose(&f, &cases[c].settings), cases[c].status, cases[c].message);
    assert_null(f.setup.config);
  }
  end(&f);
}

static void a_width_needs_its_key(void **state) {
  (void)state;
  const edgefw__bench_settings settings = {.backbone = "bare", .width = 16};
  sandbox box;
  fixture f;
  edgefw__registry *registry = NULL;
  edgefw__bench_setup setup;
  begin(&f);
  sandbox_create(&box);
  sandbox_link(&box, "edgefw_bare.so", toy_fixture("sound_backbone"));
  const char *folders[] = {box.folder, EDGEFW_BUILD_DIR "/lib/edgefw"};
  tiny_ok(&f.tiny, edgefw__registry_create_from(f.tiny.ctx, folders, 2, &registry));
  tiny_fails(&f.tiny, edgefw__bench_setup_open(f.tiny.ctx, registry, &settings, f.arena, &setup),
             EDGEFW_CONFIG, "--width: backbone bare has no key 'embedding_dim'");
  edgefw__bench_setup_close(&setup);
  edgefw__registry_destroy(registry);
  sandbox_remove(&box);
  end(&f);
}

static void it_survives_any_lack_of_memory(void **state) {
  (void)state;
  fixture f;
  failing_allocator memory;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  f = (fixture){0};
  tiny_begin(&f.tiny, &allocator, TINY_PLAIN, "reference");
  const int64_t alive = failing_allocator_live(&memory);
  const edgefw__bench_settings settings = bench_tiny_settings(0);
  edgefw_status status = EDGEFW_OUT_OF_MEMORY;
  for (int64_t n = 0; status != EDGEFW_OK; ++n) {
    failing_allocator_arm(&memory, n);
    status = edgefw_arena_create(f.tiny.ctx, &f.arena, "test", 1 << 12, true);
    if (status == EDGEFW_OK) status = compose(&f, &settings);
    assert_true(status == EDGEFW_OK || status == EDGEFW_OUT_OF_MEMORY);
    failing_allocator_disarm(&memory);
    edgefw_clear(f.tiny.ctx);
    edgefw__bench_setup_close(&f.setup);
    edgefw_arena_destroy(f.arena);
    f.arena = NULL;
    assert_int_equal(failing_allocator_live(&memory), alive);
  }
  end(&f);
  assert_int_equal(failing_allocator_live(&memory), 0);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_that_fits_is_composed_by_default),
      cmocka_unit_test(each_term_and_all_are_variants),
      cmocka_unit_test(settings_are_followed),
      cmocka_unit_test(what_cannot_be_composed_is_refused),
      cmocka_unit_test(a_width_needs_its_key),
      cmocka_unit_test(it_survives_any_lack_of_memory),
  };
  return test_run(tests, NULL, NULL);
}
