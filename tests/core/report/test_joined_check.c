/* Runs that do not belong together. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "report/joined_check.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/run_sample.h"

typedef struct pair {
  edgefw__run_record a, b;
} pair;

/* Run a of seed 1 and the given one, called b. */
static pair *read_pair(const workspace *w, const run_sample *other) {
  pair *p = edgefw_arena_take(w->arena, 1, sizeof *p);
  const run_sample first = run_sample_of("a", 1);
  assert_non_null(p);
  run_sample_read(w, &first, &p->a);
  run_sample_read(w, other, &p->b);
  return p;
}

#define expect_refused(w, p, ...)                                                                  \
  do {                                                                                             \
    expect_failure((w)->ctx, edgefw__joined_check((w)->ctx, &(p)->a, &(p)->b), EDGEFW_CONFIG,      \
                   __VA_ARGS__);                                                                   \
    edgefw_clear((w)->ctx);                                                                        \
  } while (0)

static void other_seeds_belong_together(void **state) {
  const workspace *w = *state;
  run_sample sample = run_sample_of("b", 2);
  sample.experiment = "another_name";
  pair *p = read_pair(w, &sample);
  expect_ok(w->ctx, edgefw__joined_check(w->ctx, &p->a, &p->b));
}

static void the_same_run_is_no_second_one(void **state) {
  const workspace *w = *state;
  run_sample sample = run_sample_of("b", 1);
  expect_refused(w, read_pair(w, &sample), "/a ", "/b ", "the same seed (1)", "--set");
  sample.seed = 2; /* with the models of seed 1 */
  expect_refused(w, read_pair(w, &sample), "the same model of variant plain");
}

static void what_differs_is_said(void **state) {
  const workspace *w = *state;
  run_sample sample = run_sample_of("b", 2);
  sample.more = "[train]\nsize = 20\n";
  expect_refused(w, read_pair(w, &sample), "[train] size is '20'", "not set");
  sample = run_sample_of("b", 2);
  sample.instances = 4;
  expect_refused(w, read_pair(w, &sample), "set 6 is of 3 instances", "4 of 6");
  sample = run_sample_of("b", 2);
  sample.file = "ftv33";
  expect_refused(w, read_pair(w, &sample), "different test sets", "br17");
}

/* Edited texts of config.ini and results.csv. */
static void replace(const workspace *w, const char *name, const char *old, const char *new) {
  char *text = cli_read(&w->box, name), *at = strstr(text, old);
  assert_non_null(at);
  *at = '\0';
  sandbox_write(&w->box, name,
                edgefw_arena_format(w->arena, "%s%s%s", text, new, at + strlen(old)));
  free(text);
}

static void other_problems_variants_and_files_are_refused(void **state) {
  static const struct {
    const char *file, *old, *new, *said;
  } cases[] = {{"b/config.ini", "name = atsp", "name = tsp", "different problems: atsp and tsp"},
               {"b/config.ini", "[variant terms]", "[variant other]", "has a variant terms"},
               {"b/config.ini", "seed = 2026", "seed = 1", "[eval] seed is '2026'"},
               {"b/config.ini", "decoder.terms = one", "decoder.terms = two",
                "[variant terms] decoder.terms is 'one'"},
               {"b/results.csv", "0000000000000020,", "0000000000000020,00ab", "the files of set"}};
  const workspace *w = *state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    const run_sample sample = run_sample_of("b", 2);
    pair *p = read_pair(w, &sample);
    replace(w, cases[c].file, cases[c].old, cases[c].new);
    expect_ok(w->ctx, edgefw__run_record_read(w->ctx, w->arena, p->b.folder, &p->b));
    expect_refused(w, p, cases[c].said);
  }
}

static void runs_without_results_are_refused(void **state) {
  const workspace *w = *state;
  const run_sample sample = run_sample_of("b", 2);
  pair *p = read_pair(w, &sample);
  p->b.results.count = 0;
  expect_refused(w, p, "/b has no results yet", "edgefw run");
}

int main(void) {
#define CHECK_TEST(name)                                                                           \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      CHECK_TEST(other_seeds_belong_together),
      CHECK_TEST(the_same_run_is_no_second_one),
      CHECK_TEST(what_differs_is_said),
      CHECK_TEST(other_problems_variants_and_files_are_refused),
      CHECK_TEST(runs_without_results_are_refused),
  };
  return test_run(tests, NULL, NULL);
}
