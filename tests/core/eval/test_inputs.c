/* Inputs: what words stand for, and that one that fails keeps no other from being solved. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "eval/inputs.h"
#include "support/check.h"
#include "support/io_support.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

#define BR17  EDGEFW_SOURCE_DIR "/data/atsplib/br17.atsp"
#define FTV33 EDGEFW_SOURCE_DIR "/data/atsplib/ftv33.atsp"

static const edgefw__eval_settings greedy = {
    .clip = 50.0, .select = EDGEFW_SELECT_GREEDY, .samples = 1, .starts = 2, .seed = 3};

typedef struct fixture {
  tiny_model tiny;
  edgefw_arena *arena;
  sandbox box;
  io_log log;
  edgefw__inputs inputs;
} fixture;

static fixture f;

static int set_up(void **state) {
  (void)state;
  f = (fixture){0};
  tiny_open(&f.tiny, TINY_OURS, "reference", 5, false);
  tiny_ok(&f.tiny, edgefw_arena_create(f.tiny.ctx, &f.arena, "test", 0, true));
  edgefw_set_log(f.tiny.ctx, io_collect, &f.log);
  sandbox_create(&f.box);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&f.box);
  edgefw_arena_destroy(f.arena);
  tiny_close(&f.tiny);
  return 0;
}

static const char *in_box(const char *name) {
  return edgefw_arena_text(f.arena, sandbox_path(&f.box, name));
}

static edgefw_status add(const char *const *words) {
  int count = 0;
  while (words[count]) ++count;
  return edgefw__inputs_add(f.tiny.ctx, f.arena, f.tiny.composition, words, count, NULL, &f.inputs);
}

/* A dataset of 3 instances of 6 nodes, generated. */
static const char *write_dataset(const char *name) {
  const char *path = in_box(name);
  edgefw__batch *batch = tiny_batch(&f.tiny, 6, 8, 0, 3);
  tiny_dataset(&f.tiny, path, batch);
  edgefw__batch_destroy(f.tiny.ctx, batch);
  return path;
}

/* --- What words stand for --- */

static void files_folders_and_datasets(void **state) {
  (void)state;
  sandbox_link(&f.box, "lib/b.atsp", FTV33);
  sandbox_link(&f.box, "lib/a.atsp", BR17);
  const char *dataset = write_dataset("mine.h5"), *hidden = write_dataset("hidden.data");
  tiny_ok(&f.tiny, add((const char *const[]){dataset, in_box("lib"), hidden, NULL}));
  assert_int_equal(f.inputs.count, 4);
  const edgefw__instance_set *sets[4];
  for (int i = 0; i < 4; ++i) {
    assert_null(f.inputs.items[i].fault);
    sets[i] = &f.inputs.items[i].set;
  }
  assert_string_equal(sets[0]->name, "mine");
  assert_string_equal(sets[0]->dataset, dataset);
  assert_int_equal(sets[0]->count, 3);
  assert_int_equal(sets[0]->n, 6);
  assert_string_equal(sets[1]->name, "br17");
  assert_int_equal(sets[1]->n, 17);
  assert_string_equal(sets[2]->name, "ftv33");
  assert_string_equal(sets[2]->file, in_box("lib/b.atsp"));
  assert_string_equal(sets[3]->name, "hidden");
  assert_non_null(sets[3]->dataset); /* known by its first bytes */
}

static void one_file_alone_is_read_once(void **state) {
  (void)state;
  tiny_ok(&f.tiny, add((const char *const[]){BR17, NULL}));
  assert_non_null(f.inputs.items[0].set.parsed);
  f.inputs = (edgefw__inputs){0};
  tiny_ok(&f.tiny, add((const char *const[]){BR17, FTV33, NULL}));
  assert_null(f.inputs.items[0].set.parsed);
}

static void equal_names_are_told_apart(void **state) {
  (void)state;
  sandbox_link(&f.box, "x/t.atsp", BR17);
  sandbox_link(&f.box, "y/t.atsp", BR17);
  tiny_ok(&f.tiny, add((const char *const[]){in_box("x"), in_box("y"), NULL}));
  assert_string_equal(f.inputs.items[0].set.name, "br17 (x/t.atsp)");
  assert_string_equal(f.inputs.items[1].set.name, "br17 (y/t.atsp)");
}

static void a_folder_without_instances_is_refused(void **state) {
  (void)state;
  sandbox_write(&f.box, "none/readme.txt", "no instance");
  tiny_fails(&f.tiny, add((const char *const[]){BR17, in_box("none"), NULL}), EDGEFW_CONFIG,
             "none");
  assert_int_equal(f.inputs.count, 0);
}

static void generated_and_configured_sets(void **state) {
  (void)state;
  tiny_ok(&f.tiny, edgefw__inputs_add_generated(f.tiny.ctx, f.arena, f.tiny.composition, 7, 5, 9,
                                                "ref.csv", &f.inputs));
  const edgefw__instance_set *set = &f.inputs.items[0].set;
  assert_string_equal(set->name, "7");
  assert_int_equal(set->n, 7);
  assert_int_equal(set->count, 5);
  assert_int_equal(set->seed, 9);
  assert_string_equal(set->reference, "ref.csv");
  tiny_ok(&f.tiny,
          edgefw__inputs_add_configured(f.tiny.ctx, f.arena, f.tiny.composition, &f.inputs));
  assert_int_equal(f.inputs.count, 1 + edgefw_options_count(f.tiny.composition->eval, "sizes"));
  assert_string_equal(f.inputs.items[1].set.name, "100");
}

/* --- Evaluating them --- */

typedef struct seen {
  char lines[512];
  int results;
  int64_t stop; /* fail at this answer; -1: never */
} seen;

static edgefw_status answered(void *user, const edgefw__input *input,
                              const edgefw__eval_answer *answer) {
  seen *s = user;
  if (s->stop-- == 0) return edgefw_fail(f.tiny.ctx, EDGEFW_IO, "no room");
  const size_t used = strlen(s->lines);
  snprintf(s->lines + used, sizeof s->lines - used, "%s %d,", input->set.name,
           (int)answer->instance);
  return EDGEFW_OK;
}

static edgefw_status done(void *user, const edgefw__input *input,
                          const edgefw__eval_result *result) {
  seen *s = user;
  assert_int_equal(result->instances, input->set.count);
  ++s->results;
  return EDGEFW_OK;
}

static edgefw_status evaluate(seen *s) {
  return edgefw__inputs_evaluate(
      f.tiny.model, f.arena, &f.inputs, &greedy,
      &(edgefw__input_listener){.answered = answered, .done = done, .user = s});
}

static void every_instance_is_answered(void **state) {
  (void)state;
  seen s = {.stop = -1};
  tiny_ok(&f.tiny, add((const char *const[]){BR17, write_dataset("mine.h5"), NULL}));
  tiny_ok(&f.tiny, evaluate(&s));
  assert_string_equal(s.lines, "br17 0,mine 0,mine 1,mine 2,");
  assert_int_equal(s.results, 2);
  assert_int_equal(f.log.warnings, 0);
}

/* One that cannot be read, one that another problem wants, and a dataset that is none. */
static void others_are_solved(void **state) {
  (void)state;
  seen s = {.stop = -1};
  sandbox_write(&f.box, "lib/a.atsp", "TYPE: ATSP\nDIMENSION: 3 x 4\n");
  sandbox_link(&f.box, "lib/b.atsp", BR17);
  sandbox_write(&f.box, "lib/c.vrp",
                "TYPE: CVRP\nDIMENSION: 1\nEDGE_WEIGHT_TYPE: EUC_2D\n"
                "NODE_COORD_SECTION\n1 0 0\n");
  const char *bad = edgefw_arena_text(f.arena, sandbox_write(&f.box, "bad.h5", "text"));
  tiny_ok(&f.tiny, add((const char *const[]){in_box("lib"), bad, "/no/such.atsp", FTV33, NULL}));
  tiny_fails(&f.tiny, evaluate(&s), f.inputs.items[0].status, "4 of 6 inputs were not solved");
  assert_string_equal(s.lines, "br17 0,ftv33 0,");
  assert_int_equal(f.log.warnings, 4);
  assert_non_null(strstr(f.log.text, "not solved: "));
  assert_non_null(strstr(f.log.text, "lib/a.atsp"));
  assert_non_null(strstr(f.log.text, "lib/c.vrp: TYPE is CVRP"));
  assert_non_null(strstr(f.log.text, "bad.h5"));
  assert_non_null(strstr(f.log.text, "/no/such.atsp"));
}

/* What shows only while it is solved: the problem refuses the second instance's numbers. */
static void a_set_that_fails_on_the_way_is_listed(void **state) {
  (void)state;
  seen s = {.stop = -1};
  const char *negative = edgefw_arena_text(
      f.arena, sandbox_write(&f.box, "n.atsp",
                             "TYPE: ATSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                             "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 -1 1 0\n"));
  tiny_ok(&f.tiny, add((const char *const[]){negative, BR17, NULL}));
  tiny_fails(&f.tiny, evaluate(&s), EDGEFW_INFEASIBLE, "1 of 2 inputs was not solved");
  assert_string_equal(s.lines, "br17 0,");
  assert_non_null(strstr(f.log.text, "cost from node 1 to node 2 is -1"));
}

static void one_input_fails_as_it_would_alone(void **state) {
  (void)state;
  seen s = {.stop = -1};
  tiny_ok(&f.tiny, add((const char *const[]){"/no/such.atsp", NULL}));
  tiny_fails(&f.tiny, evaluate(&s), EDGEFW_IO, "/no/such.atsp");
  assert_int_equal(f.log.warnings, 0);
}

static void a_listener_that_fails_ends_all(void **state) {
  (void)state;
  seen s = {.stop = 1};
  tiny_ok(&f.tiny, add((const char *const[]){BR17, FTV33, BR17, NULL}));
  tiny_fails(&f.tiny, evaluate(&s), EDGEFW_IO, "no room");
  assert_string_equal(s.lines, "br17 0,");
}

static void an_interrupt_ends_all(void **state) {
  (void)state;
  static volatile int flag = 1;
  seen s = {.stop = -1};
  tiny_ok(&f.tiny, add((const char *const[]){BR17, FTV33, NULL}));
  edgefw_set_interrupt(f.tiny.ctx, &flag);
  const edgefw_status status = evaluate(&s);
  edgefw_set_interrupt(f.tiny.ctx, NULL);
  tiny_fails(&f.tiny, status, EDGEFW_INTERRUPTED, "br17");
  assert_string_equal(s.lines, "");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(files_folders_and_datasets),
      TEST(one_file_alone_is_read_once),
      TEST(equal_names_are_told_apart),
      TEST(a_folder_without_instances_is_refused),
      TEST(generated_and_configured_sets),
      TEST(every_instance_is_answered),
      TEST(others_are_solved),
      TEST(a_set_that_fails_on_the_way_is_listed),
      TEST(one_input_fails_as_it_would_alone),
      TEST(a_listener_that_fails_ends_all),
      TEST(an_interrupt_ends_all),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
