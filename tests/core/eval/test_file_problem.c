/* Which problem a file is of, by what the problems read and what the file has.
 * labels: oom
 * needs plugins: atsp acvrp tsp cvrp */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "eval/file_problem.h"
#include "support/expect.h"
#include "support/out_of_memory.h"
#include "support/sandbox.h"
#include "support/toy_plugins.h"

#define MATRIX                                                                                     \
  "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"                    \
  "EDGE_WEIGHT_SECTION\n0 1 2\n1 0 3\n2 3 0\n"
#define POINTS "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 0 4\n"
#define DEMAND "DEMAND_SECTION\n1 0\n2 1\n3 1\nDEPOT_SECTION\n1\n-1\n"

typedef struct fixture {
  edgefw_context *ctx;
  edgefw__registry *registry;
  sandbox box;
} fixture;

static int set_up(void **state) {
  static fixture f;
  static const char *const folder = EDGEFW_BUILD_DIR "/lib/edgefw";
  assert_int_equal(edgefw_context_create(&f.ctx, NULL), EDGEFW_OK);
  expect_ok(f.ctx, edgefw__registry_create_from(f.ctx, &folder, 1, &f.registry));
  sandbox_create(&f.box);
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  sandbox_remove(&f->box);
  edgefw__registry_destroy(f->registry);
  edgefw_context_destroy(f->ctx);
  return 0;
}

static void expect_problem(fixture *f, const char *path, const char *name) {
  const edgefw__plugin *problem = NULL;
  expect_ok(f->ctx, edgefw__file_problem(f->ctx, f->registry, path, NULL, &problem));
  assert_string_equal(problem->descriptor->name, name);
}

static void a_file_is_of_what_uses_all_of_it(void **state) {
  fixture *f = *state;
  expect_problem(f, sandbox_write(&f->box, "a.atsp", "TYPE: ATSP\n" MATRIX), "atsp");
  expect_problem(f, sandbox_write(&f->box, "b.tsp", "TYPE: TSP\n" MATRIX), "atsp");
  expect_problem(f, sandbox_write(&f->box, "c.tsp", "TYPE: TSP\n" POINTS), "tsp");
  expect_problem(f, sandbox_write(&f->box, "d.vrp", "TYPE: CVRP\nCAPACITY: 2\n" POINTS DEMAND),
                 "cvrp");
  expect_problem(f, sandbox_write(&f->box, "e.vrp", "TYPE: ACVRP\nCAPACITY: 2\n" MATRIX DEMAND),
                 "acvrp");
  expect_problem(f, sandbox_write(&f->box, "m.csv", "0,1,2\n1,0,3\n2,3,0\n"), "atsp");
}

static void what_none_reads_is_refused(void **state) {
  fixture *f = *state;
  const edgefw__plugin *problem = NULL;
  const char *path = sandbox_write(&f->box, "no.tsp", "nothing\n");
  assert_int_not_equal(edgefw__file_problem(f->ctx, f->registry, path, NULL, &problem), EDGEFW_OK);
  assert_non_null(strstr(edgefw_message(f->ctx), "no.tsp"));
  edgefw_clear(f->ctx);
}

/* Beside atsp there is another problem of matrices that reads any file. */
static void several_are_listed(void **state) {
  fixture *f = *state;
  const edgefw__plugin *problem = NULL;
  const char *path = sandbox_write(&f->box, "a.atsp", "TYPE: ATSP\n" MATRIX);
  sandbox_link(&f->box, "more/edgefw_reader.so", toy_fixture("reading_problem"));
  const char *const folders[] = {EDGEFW_BUILD_DIR "/lib/edgefw", sandbox_path(&f->box, "more")};
  edgefw__registry *registry = NULL;
  expect_ok(f->ctx, edgefw__registry_create_from(f->ctx, folders, 2, &registry));
  expect_failure(f->ctx, edgefw__file_problem(f->ctx, registry, path, NULL, &problem),
                 EDGEFW_CONFIG, "a.atsp: several problems read it, atsp, reader:", "--problem");
  edgefw__registry_destroy(registry);
}

/* The first file that any problem reads decides for all. */
static void words_are_of_the_first_that_is_read(void **state) {
  fixture *f = *state;
  const edgefw__plugin *problem = NULL;
  char first[256], second[256];
  snprintf(first, sizeof first, "%s", sandbox_write(&f->box, "broken.tsp", "nothing\n"));
  snprintf(second, sizeof second, "%s", sandbox_write(&f->box, "c.tsp", "TYPE: TSP\n" POINTS));
  const char *const words[] = {first, second};
  expect_ok(f->ctx, edgefw__words_problem(f->ctx, f->registry, words, 2, NULL, &problem));
  assert_string_equal(problem->descriptor->name, "tsp");
  assert_int_not_equal(edgefw__words_problem(f->ctx, f->registry, words, 1, NULL, &problem),
                       EDGEFW_OK);
  assert_non_null(strstr(edgefw_message(f->ctx), "broken.tsp"));
  edgefw_clear(f->ctx);
}

typedef struct sweep {
  fixture *f;
  const char *path;
} sweep;

static edgefw_status ask(edgefw_context *ctx, void *user) {
  const sweep *s = user;
  const edgefw__plugin *problem = NULL;
  return edgefw__file_problem(ctx, s->f->registry, s->path, NULL, &problem);
}

static void every_allocation_may_fail(void **state) {
  fixture *f = *state;
  sweep s = {f, sandbox_write(&f->box, "d.vrp", "TYPE: CVRP\nCAPACITY: 2\n" POINTS DEMAND)};
  out_of_memory_sweep(ask, &s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_of_what_uses_all_of_it),
      cmocka_unit_test(what_none_reads_is_refused),
      cmocka_unit_test(several_are_listed),
      cmocka_unit_test(words_are_of_the_first_that_is_read),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return test_run(tests, set_up, tear_down);
}
