/* Evaluation sets and settings as the configuration gives them. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "eval/evaluate.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

#define BR17  EDGEFW_SOURCE_DIR "/data/atsplib/br17.atsp"
#define FTV33 EDGEFW_SOURCE_DIR "/data/atsplib/ftv33.atsp"

typedef struct fixture {
  tiny_model tiny;
  edgefw_arena *arena;
  edgefw__instance_set *sets;
  int count;
} fixture;

static edgefw_status read_sets(fixture *f, const char *text) {
  *f = (fixture){0};
  tiny_begin(&f->tiny, NULL, text, "reference");
  tiny_ok(&f->tiny, edgefw_arena_create(f->tiny.ctx, &f->arena, "sets", 0, true));
  return edgefw__eval_sets(f->tiny.ctx, f->arena, f->tiny.composition, &f->sets, &f->count);
}

static void close_sets(fixture *f) {
  edgefw_arena_destroy(f->arena);
  tiny_close(&f->tiny);
}

static void sizes_come_first_then_files(void **state) {
  (void)state;
  fixture f;
  tiny_ok(&f.tiny, read_sets(&f, TINY_PLAIN "[eval]\nsizes = 20, 50\ninstances = 7\nseed = 99\n"
                                            "files = " BR17 ", " FTV33 "\n"
                                            "[data]\nreference.50 = /refs/50.csv\n"
                                            "test.20 = /sets/20.h5\noptima = /refs/optima.csv\n"));
  assert_int_equal(f.count, 4);
  assert_string_equal(f.sets[0].name, "20");
  assert_int_equal(f.sets[0].n, 20);
  assert_int_equal(f.sets[0].count, 7);
  assert_int_equal(f.sets[0].seed, 99);
  assert_string_equal(f.sets[0].dataset, "/sets/20.h5");
  assert_null(f.sets[0].reference);
  assert_null(f.sets[0].file);
  assert_string_equal(f.sets[1].name, "50");
  assert_int_equal(f.sets[1].count, 7);
  assert_null(f.sets[1].dataset);
  assert_string_equal(f.sets[1].reference, "/refs/50.csv");
  assert_string_equal(f.sets[2].name, "br17");
  assert_int_equal(f.sets[2].n, 17);
  assert_int_equal(f.sets[2].count, 1);
  assert_string_equal(f.sets[2].file, BR17);
  assert_string_equal(f.sets[2].reference, "/refs/optima.csv");
  assert_string_equal(f.sets[3].name, "ftv33");
  assert_int_equal(f.sets[3].n, 34);
  close_sets(&f);
}

/* A folder stands for its library files, by name, wherever it is in the list. */
static void a_folder_stands_for_its_files(void **state) {
  (void)state;
  fixture f;
  sandbox box;
  char text[1024];
  sandbox_create(&box);
  sandbox_link(&box, "lib/b.atsp", FTV33);
  sandbox_link(&box, "lib/a.atsp", BR17);
  sandbox_write(&box, "lib/readme.txt", "no instance");
  snprintf(text, sizeof text, TINY_PLAIN "[eval]\nsizes =\nfiles = %s, %s\n", FTV33,
           sandbox_path(&box, "lib"));
  tiny_ok(&f.tiny, read_sets(&f, text));
  assert_int_equal(f.count, 3);
  assert_string_equal(f.sets[0].name, "ftv33");
  assert_string_equal(f.sets[1].name, "br17");
  assert_string_equal(f.sets[1].file, sandbox_path(&box, "lib/a.atsp"));
  assert_int_equal(f.sets[1].n, 17);
  assert_string_equal(f.sets[2].name, "ftv33");
  assert_string_equal(f.sets[2].file, sandbox_path(&box, "lib/b.atsp"));
  close_sets(&f);
  sandbox_write(&box, "none/readme.txt", "no instance");
  snprintf(text, sizeof text, TINY_PLAIN "[eval]\nsizes =\nfiles = %s\n",
           sandbox_path(&box, "none"));
  tiny_fails(&f.tiny, read_sets(&f, text), EDGEFW_CONFIG, "[eval] files");
  close_sets(&f);
  sandbox_remove(&box);
}

static void each_size_may_have_its_own_number(void **state) {
  (void)state;
  fixture f;
  tiny_ok(&f.tiny, read_sets(&f, TINY_PLAIN "[eval]\nsizes = 20, 50\ninstances = 7, 3\n"));
  assert_int_equal(f.sets[0].count, 7);
  assert_int_equal(f.sets[1].count, 3);
  close_sets(&f);
}

static void there_may_be_no_sets(void **state) {
  (void)state;
  fixture f;
  tiny_ok(&f.tiny, read_sets(&f, TINY_PLAIN "[eval]\nsizes =\n"));
  assert_int_equal(f.count, 0);
  close_sets(&f);
}

static void a_missing_file_is_named(void **state) {
  (void)state;
  fixture f;
  tiny_fails(&f.tiny, read_sets(&f, TINY_PLAIN "[eval]\nsizes =\nfiles = /nowhere/a.atsp\n"),
             EDGEFW_IO, "/nowhere/a.atsp");
  close_sets(&f);
}

static void settings_are_the_sections(void **state) {
  (void)state;
  fixture f;
  tiny_ok(&f.tiny, read_sets(&f, TINY_PLAIN "[eval]\nsizes =\nselect = sample\nlogit_clip = 30\n"
                                            "starts = 5\nbatch = 9\nseed = 3\n"));
  const edgefw__eval_settings settings = edgefw__eval_settings_from(f.tiny.composition);
  assert_true(settings.clip == 30.0);
  assert_int_equal(settings.select, EDGEFW_SELECT_SAMPLE);
  assert_int_equal(settings.starts, 5);
  assert_int_equal(settings.samples, 1);
  assert_int_equal(settings.batch, 9);
  assert_int_equal(settings.seed, 3);
  close_sets(&f);
  tiny_ok(&f.tiny, read_sets(&f, TINY_PLAIN "[eval]\nsizes =\n"));
  assert_int_equal(edgefw__eval_settings_from(f.tiny.composition).select, EDGEFW_SELECT_GREEDY);
  close_sets(&f);
}

static void searches_are_the_sections(void **state) {
  (void)state;
  fixture f;
  tiny_ok(&f.tiny, read_sets(&f, TINY_PLAIN "[eval]\nsizes =\n[search]\nimprove = local\n"
                                            "improve_rollouts = 2\nbeam = 3\nreconstruct = 4\n"
                                            "kicks = 5\ntime_limit = 1.5\nfixed = 6, 2, 9\n"));
  const edgefw__eval_settings settings = edgefw__eval_settings_from(f.tiny.composition);
  assert_true(settings.improve && settings.time_limit == 1.5);
  assert_int_equal(settings.improve_rollouts, 2);
  assert_int_equal(settings.beam, 3);
  assert_int_equal(settings.reconstruct, 4);
  assert_int_equal(settings.kicks, 5);
  assert_int_equal(settings.fixed_count, 3);
  assert_true(settings.fixed[0] == 6 && settings.fixed[1] == 2 && settings.fixed[2] == 9);
  close_sets(&f);
}

/* [search] start is the only file's; with a generated set beside it, it is nobody's. */
static void a_solution_to_begin_with_is_the_only_files(void **state) {
  (void)state;
  fixture f;
  tiny_ok(&f.tiny, read_sets(&f, TINY_PLAIN "[eval]\nsizes =\nfiles = " BR17
                                            "\n[search]\nstart = " FTV33 "\n"));
  assert_string_equal(f.sets[0].start, FTV33); /* it is not read here */
  close_sets(&f);
  tiny_fails(&f.tiny,
             read_sets(&f, TINY_PLAIN "[eval]\nsizes = 6\nfiles = " BR17
                                      "\n[search]\nstart = " FTV33 "\n"),
             EDGEFW_CONFIG, "[search] start");
  close_sets(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_come_first_then_files),
      cmocka_unit_test(a_folder_stands_for_its_files),
      cmocka_unit_test(each_size_may_have_its_own_number),
      cmocka_unit_test(there_may_be_no_sets),
      cmocka_unit_test(a_missing_file_is_named),
      cmocka_unit_test(settings_are_the_sections),
      cmocka_unit_test(searches_are_the_sections),
      cmocka_unit_test(a_solution_to_begin_with_is_the_only_files),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
