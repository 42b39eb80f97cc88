/* Lines that say which instances something belongs to. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "data/set_line.h"
#include "support/expect.h"
#include "support/tiny_model.h"
#include "support/workspace.h"

typedef struct fixture {
  tiny_model tiny;
  workspace *w;
} fixture;

static int setup(void **state) {
  static fixture f;
  if (workspace_set_up((void **)&f.w) != 0) return -1;
  tiny_begin(&f.tiny, NULL, TINY_PLAIN, "reference");
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  tiny_close(&f->tiny);
  return workspace_tear_down((void **)&f->w);
}

static const edgefw__plugin *problem_of(const fixture *f) {
  return f->tiny.composition->problem;
}

static void a_generated_set_has_problem_size_seed_and_keys(void **state) {
  const fixture *f = *state;
  const char *line =
      edgefw__set_line_generated(f->tiny.ctx, f->w->arena, problem_of(f),
                                 f->tiny.composition->problem_options, 20, 18446744073709551615u);
  assert_non_null(line);
  const char head[] = "problem = atsp; size = 20; seed = 18446744073709551615; distribution = tmat";
  assert_memory_equal(line, head, sizeof head - 1);
  assert_false(edgefw__set_line_is_stored(line));
}

static bool same(const fixture *f, const char *a, const char *b) {
  bool out = false, back = false;
  const edgefw_option *table = problem_of(f)->options;
  expect_ok(f->w->ctx, edgefw__set_line_same(f->w->ctx, f->w->arena, table, a, b, &out));
  expect_ok(f->w->ctx, edgefw__set_line_same(f->w->ctx, f->w->arena, table, b, a, &back));
  assert_int_equal(out, back);
  return out;
}

#define LINE "problem = atsp; size = 20; seed = 7"

static void order_blanks_and_defaults_do_not_matter(void **state) {
  const fixture *f = *state;
  assert_true(same(f, LINE, LINE));
  assert_true(
      same(f, LINE "; distribution = tmat", "seed=7;distribution=tmat;size=20;problem=atsp;"));
  assert_true(same(f, LINE "; distribution = tmat", LINE)); /* its default */
  assert_true(same(f, LINE, "problem = atsp; size = 20.0; seed = 7"));
  assert_false(same(f, LINE "; distribution = else", LINE));
  assert_false(same(f, LINE "; unknown = 1", LINE));
  assert_false(same(f, LINE, "problem = atsp; size = 20"));
  assert_false(same(f, LINE, "problem = atsp; size = 20; seed = 8"));
  assert_false(same(f, LINE, "problem = tsp; size = 20; seed = 7"));
  assert_false(same(f, LINE, ""));
}

static bool parse(const fixture *f, const char *line, edgefw__set_generated *out) {
  bool good = false;
  expect_ok(f->w->ctx,
            edgefw__set_line_parse(f->w->ctx, f->w->arena, problem_of(f), line, out, &good));
  assert_int_equal(edgefw_failure(f->w->ctx), EDGEFW_OK);
  return good;
}

static void lines_are_taken_apart(void **state) {
  const fixture *f = *state;
  edgefw__set_generated set;
  assert_true(parse(f, LINE "; distribution = tmat", &set));
  assert_int_equal(set.size, 20);
  assert_int_equal(set.seed, 7);
  assert_int_equal(edgefw_options_choice(set.options, "distribution"), 0);
  static const char *const bad[] = {"",
                                    "problem = tsp; size = 20; seed = 7",
                                    "problem = atsp; size = 0; seed = 7",
                                    "problem = atsp; size = 99999999999; seed = 7",
                                    "problem = atsp; size = 20; seed = x",
                                    "problem = atsp; size = 20",
                                    LINE "; distribution = else",
                                    LINE "; unknown = 1",
                                    "problem = atsp; nodes = 20; content = 0123456789abcdef"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) assert_false(parse(f, bad[i], &set));
}

/* The content of a dataset of the batch's instances. */
static uint64_t content_of(const fixture *f, edgefw__batch *batch, bool reference) {
  static const double costs[3] = {1, 2, 3};
  const edgefw_field *fields = problem_of(f)->vtable.problem.fields;
  const char *path = edgefw_arena_text(f->w->arena, sandbox_path(&f->w->box, "set.h5"));
  edgefw__dataset_writer *writer = NULL;
  edgefw__dataset *dataset = NULL;
  uint64_t content = 0;
  tiny_ok(&f->tiny, edgefw__dataset_create(f->tiny.ctx, path, "atsp", "tmat", 1, fields, 3,
                                           batch->n, &writer));
  tiny_ok(&f->tiny, edgefw__dataset_append(writer, batch));
  if (reference)
    edgefw__dataset_put_reference(writer, costs,
                                  &(edgefw__reference_note){.kind = EDGEFW__REFERENCE_BEST_KNOWN,
                                                            .solver = "by hand",
                                                            .settings = ""});
  tiny_ok(&f->tiny, edgefw__dataset_finish(writer));
  tiny_ok(&f->tiny, edgefw__dataset_open(f->tiny.ctx, path, "atsp", fields, &dataset));
  tiny_ok(&f->tiny, edgefw__set_content(f->tiny.ctx, dataset, fields, &content));
  edgefw__dataset_close(dataset);
  return content;
}

static void content_is_that_of_the_instances(void **state) {
  const fixture *f = *state;
  edgefw__batch *batch = tiny_batch(&f->tiny, 6, 1, 0, 3);
  const uint64_t content = content_of(f, batch, false);
  assert_true(content_of(f, batch, true) == content); /* reference costs apart */
  batch->data[0][3 * 36 - 2] += 1e-6;                 /* one arc of the last instance */
  assert_true(content_of(f, batch, false) != content);
  char expected[80];
  snprintf(expected, sizeof expected, "problem = atsp; nodes = 6; content = %016llx",
           (unsigned long long)content);
  edgefw__forbidden_rule rule = {.given = false};
  const char *line = edgefw__set_line_stored(f->w->arena, "atsp", 6, content, &rule);
  assert_string_equal(line, expected);
  assert_true(edgefw__set_line_is_stored(line));
  /* A rule makes other instances of the same numbers; however its value is written. */
  bool same = true;
  rule = (edgefw__forbidden_rule){.given = true, .value = 100000};
  const char *other = edgefw__set_line_stored(f->w->arena, "atsp", 6, content, &rule);
  const edgefw_option *table = problem_of(f)->options;
  tiny_ok(&f->tiny, edgefw__set_line_same(f->tiny.ctx, f->w->arena, table, line, other, &same));
  assert_false(same);
  const char *written = edgefw_arena_format(f->w->arena, "%s; forbidden = 1e5", line);
  tiny_ok(&f->tiny, edgefw__set_line_same(f->tiny.ctx, f->w->arena, table, written, other, &same));
  assert_true(same);
  written = edgefw_arena_format(f->w->arena, "%s; forbidden = none", line);
  tiny_ok(&f->tiny, edgefw__set_line_same(f->tiny.ctx, f->w->arena, table, written, line, &same));
  assert_true(same);
  edgefw__batch_destroy(f->tiny.ctx, batch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_generated_set_has_problem_size_seed_and_keys, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(order_blanks_and_defaults_do_not_matter, setup, teardown),
      cmocka_unit_test_setup_teardown(lines_are_taken_apart, setup, teardown),
      cmocka_unit_test_setup_teardown(content_is_that_of_the_instances, setup, teardown),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
