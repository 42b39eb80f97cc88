/* Reference costs belong to instances: for others they are refused, whatever their number. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/set_line.h"
#include "data/source.h"
#include "support/io_support.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

#define BR17 EDGEFW_SOURCE_DIR "/data/atsplib/br17.atsp"

enum { N = 6, COUNT = 5, SEED = 8 };

typedef struct fixture {
  tiny_model tiny;
  sandbox box;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  sandbox_create(&f->box);
  tiny_begin(&f->tiny, NULL, TINY_PLAIN, "reference");
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  tiny_close(&f->tiny);
  sandbox_remove(&f->box);
  free(f);
  return 0;
}

/* --- Sets and files --- */

static const char *costs(const fixture *f, const char *head) {
  char text[512];
  snprintf(text, sizeof text, "%sinstance,cost\n0,10\n1,11\n2,12\n3,13\n4,14\n", head);
  return sandbox_write(&f->box, "costs.csv", text);
}

/* Instances 0 .. COUNT - 1 of the seed, the cost of one arc of instance `changed` (-1: none)
 * doubled. */
static const char *dataset(const fixture *f, uint64_t seed, int64_t changed) {
  const char *path = sandbox_path(&f->box, "set.h5");
  const edgefw_problem *problem = &f->tiny.composition->problem->vtable.problem;
  edgefw__batch *batch = tiny_batch(&f->tiny, N, seed, 0, COUNT);
  edgefw__dataset_writer *writer = NULL;
  if (changed >= 0) batch->data[0][changed * N * N + 1] *= 2.0;
  tiny_ok(&f->tiny, edgefw__dataset_create(f->tiny.ctx, path, "atsp", "tmat", seed, problem->fields,
                                           COUNT, N, &writer));
  tiny_ok(&f->tiny, edgefw__dataset_append(writer, batch));
  tiny_ok(&f->tiny, edgefw__dataset_finish(writer));
  edgefw__batch_destroy(f->tiny.ctx, batch);
  return path;
}

static edgefw__instance_set generated(uint64_t seed) {
  return (edgefw__instance_set){.name = "6", .n = N, .size = N, .count = COUNT, .seed = seed};
}

static edgefw__instance_set stored(const char *path) {
  return (edgefw__instance_set){.name = "6", .n = N, .size = N, .count = COUNT, .dataset = path};
}

typedef struct answer {
  edgefw_status status;
  edgefw__reference_kind kind;
  bool least;
  uint64_t inputs;
} answer;

/* Ask for the reference costs, and for the fingerprint where there are some. */
static answer ask(const fixture *f, const edgefw__instance_set *set) {
  edgefw__source source;
  double out[COUNT];
  bool found = false;
  answer a = {.inputs = 0};
  tiny_ok(&f->tiny, edgefw__source_open(&f->tiny.engine, f->tiny.composition, set, &source));
  a.status = edgefw__source_reference(&source, out, &found);
  a.kind = source.reference_kind;
  a.least = source.reference_is_least;
  if (a.status == EDGEFW_OK) tiny_ok(&f->tiny, edgefw__source_inputs(&source, &a.inputs));
  edgefw__source_close(&source);
  return a;
}

static void expect_taken(const fixture *f, edgefw__instance_set set, const char *head) {
  set.reference = costs(f, head);
  tiny_ok(&f->tiny, ask(f, &set).status);
}

static void expect_refused(const fixture *f, edgefw__instance_set set, const char *head,
                           const char *part) {
  set.reference = costs(f, head);
  tiny_fails(&f->tiny, ask(f, &set).status, EDGEFW_MISMATCH, part);
}

#define OWN "# set: problem = atsp; size = 6; seed = 8; distribution = tmat\n"

/* --- Generated sets --- */

static void generated_sets_are_known_by_what_made_them(void **state) {
  const fixture *f = *state;
  expect_taken(f, generated(SEED), OWN);
  expect_taken(f, generated(SEED), "# set: problem = atsp; size = 6; seed = 8\n");
  expect_taken(f, generated(77), ""); /* it does not say: whoever runs it is warned */
  expect_refused(f, generated(77), OWN,
                 "of (problem = atsp; size = 6; seed = 8; distribution = tmat), while the set 6 is "
                 "(problem = atsp; size = 6; seed = 77; distribution = tmat");
  expect_refused(f, generated(SEED), "# set: problem = atsp; size = 7; seed = 8\n", "size = 7");
  expect_refused(f, generated(SEED), "# set: problem = tsp; size = 6; seed = 8\n", "problem = tsp");
  expect_refused(f, generated(SEED), "# set: something of mine\n", "something of mine");
}

/* --- Datasets --- */

static void a_dataset_is_known_by_its_content(void **state) {
  const fixture *f = *state;
  const edgefw_field *fields = f->tiny.composition->problem->vtable.problem.fields;
  edgefw__dataset *open = NULL;
  uint64_t content = 0;
  tiny_ok(&f->tiny, edgefw__dataset_open(f->tiny.ctx, dataset(f, SEED, 3), "atsp", fields, &open));
  tiny_ok(&f->tiny, edgefw__set_content(f->tiny.ctx, open, fields, &content));
  edgefw__dataset_close(open);
  char head[128];
  snprintf(head, sizeof head, "# set: problem = atsp; nodes = 6; content = %016llx\n",
           (unsigned long long)content);
  expect_taken(f, stored(dataset(f, SEED, 3)), head);
  expect_refused(f, stored(dataset(f, SEED, 2)), head, "set.h5");
  expect_refused(f, generated(SEED), head, "nodes = 6; content = ");
}

/* As 'edgefw data generate' writes it out. What its attributes say does not count. */
static void a_dataset_may_hold_a_generated_set(void **state) {
  const fixture *f = *state;
  expect_taken(f, stored(dataset(f, SEED, -1)), OWN);
  expect_refused(f, stored(dataset(f, SEED, 0)), OWN, "costs of other instances");
  expect_refused(f, stored(dataset(f, SEED, COUNT - 1)), OWN, "costs of other instances");
  expect_refused(f, stored(dataset(f, 9, -1)), OWN, "costs of other instances");
}

/* --- Library files --- */

static void a_name_is_of_one_size(void **state) {
  const fixture *f = *state;
  edgefw__instance_set set = {.name = "br17", .n = 17, .size = 17, .count = 1, .file = BR17};
  set.reference = sandbox_write(&f->box, "optima.csv", "set,name,n,optimum\na,br17,17,39\n");
  const answer right = ask(f, &set);
  tiny_ok(&f->tiny, right.status);
  assert_true(right.least);
  assert_int_equal(right.kind, EDGEFW__REFERENCE_BEST_KNOWN);
  set.reference = sandbox_write(&f->box, "optima.csv", "set,name,n,optimum\na,br17,5,39\n");
  tiny_fails(&f->tiny, ask(f, &set).status, EDGEFW_MISMATCH, "of br17 with n = 5, while");
}

/* --- Kinds and fingerprints --- */

static void expect_kind(const fixture *f, const edgefw__instance_set *set,
                        edgefw__reference_kind kind, bool least) {
  const answer a = ask(f, set);
  tiny_ok(&f->tiny, a.status);
  assert_int_equal(a.kind, kind);
  assert_int_equal(a.least, least);
}

static void the_head_says_what_the_costs_are(void **state) {
  const fixture *f = *state;
  edgefw__instance_set set = generated(SEED);
  set.reference = costs(f, OWN "# costs: exact\n");
  expect_kind(f, &set, EDGEFW__REFERENCE_OPTIMUM, true);
  set.reference = costs(f, OWN "# costs: lower bound\n");
  expect_kind(f, &set, EDGEFW__REFERENCE_BOUND, true);
  set.reference = costs(f, OWN "# costs: best found\n");
  expect_kind(f, &set, EDGEFW__REFERENCE_BEST_KNOWN, false);
  set.reference = costs(f, OWN);
  expect_kind(f, &set, EDGEFW__REFERENCE_BEST_KNOWN, false);
  set.reference = NULL;
  expect_kind(f, &set, EDGEFW__REFERENCE_UNKNOWN, false);
}

/* A head of a table of library files is of all its rows. */
static void a_table_of_files_may_hold_bounds(void **state) {
  const fixture *f = *state;
  edgefw__instance_set set = {.name = "br17", .n = 17, .size = 17, .count = 1, .file = BR17};
  set.reference = sandbox_write(&f->box, "optima.csv",
                                "# costs: lower bound\nset,name,n,optimum\na,br17,17,22\n");
  expect_kind(f, &set, EDGEFW__REFERENCE_BOUND, true);
  set.reference = sandbox_write(&f->box, "optima.csv",
                                "# costs: best found\nset,name,n,optimum\na,br17,17,40\n");
  expect_kind(f, &set, EDGEFW__REFERENCE_BEST_KNOWN, false);
}

static void inputs_are_the_files(void **state) {
  const fixture *f = *state;
  edgefw__instance_set set = generated(SEED);
  assert_true(ask(f, &set).inputs == 0); /* nothing is read */
  set.reference = costs(f, OWN);
  const uint64_t plain = ask(f, &set).inputs;
  set.reference = costs(f, OWN "# more\n");
  assert_true(plain != 0 && ask(f, &set).inputs != plain);
  set = stored(dataset(f, SEED, -1));
  const uint64_t first = ask(f, &set).inputs;
  set = stored(dataset(f, SEED, 1));
  assert_true(first != 0 && ask(f, &set).inputs != first);
}

/* Of a file with many optima only the instance's own counts. */
static void another_optimum_changes_no_fingerprint(void **state) {
  static const char *const files[] = {
      "set,name,n,optimum\na,br17,17,39\n", "set,name,n,optimum\na,x,3,1\na,br17,17,39\n",
      "set,name,n,optimum\na,br17,17,40\n", "set,name,n,optimum\na,x,3,1\n",
      "# costs: lower bound\nset,name,n,optimum\na,br17,17,39\n"};
  const fixture *f = *state;
  uint64_t inputs[5];
  edgefw__instance_set set = {.name = "br17", .n = 17, .size = 17, .count = 1, .file = BR17};
  for (int i = 0; i < 5; ++i) {
    set.reference = sandbox_write(&f->box, "optima.csv", files[i]);
    inputs[i] = ask(f, &set).inputs;
  }
  assert_true(inputs[0] == inputs[1] && inputs[0] != inputs[2] && inputs[0] != inputs[3] &&
              inputs[0] != inputs[4]);
  set.reference = NULL;
  assert_true(ask(f, &set).inputs == inputs[3]);
}

int main(void) {
#define SOURCE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      SOURCE_TEST(generated_sets_are_known_by_what_made_them),
      SOURCE_TEST(a_dataset_is_known_by_its_content),
      SOURCE_TEST(a_dataset_may_hold_a_generated_set),
      SOURCE_TEST(a_name_is_of_one_size),
      SOURCE_TEST(the_head_says_what_the_costs_are),
      SOURCE_TEST(a_table_of_files_may_hold_bounds),
      SOURCE_TEST(inputs_are_the_files),
      SOURCE_TEST(another_optimum_changes_no_fingerprint),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
