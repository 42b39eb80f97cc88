/* Solutions beside instances: taken when they price to what they say.
 * needs plugins: atsp cvrp acvrp */
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "files/known_solution.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"
#include "support/problem_support.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

/* The tour 1 2 3 costs 1 + 2 + 3, the other one 10 + 20 + 30. */
#define THREE                                                                                      \
  "TYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_SECTION\n"                    \
  "0 1 30\n20 0 2\n3 10 0\n"
#define GOOD "TOUR_SECTION\n1\n2\n3\n-1\n"
#define POOR "TOUR_SECTION\n1\n3\n2\n-1\n"

/* Two routes cost 3 + 3 + 4 + 4, one costs 3 + 5 + 4 and carries 2. */
#define FLEET                                                                                      \
  "TYPE: CVRP\nDIMENSION: 3\nCAPACITY: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n"   \
  "2 3 0\n3 0 4\nDEMAND_SECTION\n1 0\n2 1\n3 %d\nDEPOT_SECTION\n1\n-1\n"

typedef struct fixture {
  problem_fixture base;
  sandbox box;
  edgefw_instance instance;
  char path[256]; /* of its file */
  io_log log;
} fixture;

static void begin(fixture *f, const char *problem, const char *name, const char *text) {
  memset(f, 0, sizeof *f);
  problem_open(&f->base, problem);
  sandbox_create(&f->box);
  snprintf(f->path, sizeof f->path, "%s", sandbox_write(&f->box, name, text));
  tiny_ok(&f->base, problem_read_file(&f->base, f->path, &f->instance));
  edgefw_set_log(f->base.ctx, io_collect, &f->log);
}

static void end(fixture *f) {
  problem_release(&f->base, &f->instance);
  sandbox_remove(&f->box);
  problem_close(&f->base);
}

static edgefw__known_solution find(fixture *f) {
  edgefw__known_solution found = {.count = -7};
  tiny_ok(&f->base, edgefw__known_solution_find(f->base.ctx, f->base.arena, f->base.problem,
                                                f->base.options, &f->instance, f->path, &found));
  return found;
}

static void no_file_is_no_solution(void **state) {
  (void)state;
  fixture f;
  begin(&f, "atsp", "three.atsp", THREE);
  sandbox_write(&f.box, "thre.tour", GOOD);
  sandbox_write(&f.box, "three2.tour", GOOD);
  sandbox_write(&f.box, "three.sol", "Route #1: 1 2\nCost 6\n"); /* routes of another problem */
  assert_null(find(&f).path);
  assert_int_equal(f.log.warnings, 0);
  end(&f);
}

static void the_cheapest_that_checks_is_taken(void **state) {
  (void)state;
  fixture f;
  begin(&f, "atsp", "three.atsp", THREE);
  sandbox_write(&f.box, "three.tour", POOR);
  edgefw__known_solution found = find(&f);
  assert_true(found.cost == 60.0 && !found.stated);
  sandbox_write(&f.box, "three.opt.tour", "COMMENT : cost 6\n" GOOD);
  found = find(&f);
  assert_true(found.cost == 6.0 && found.stated);
  assert_non_null(strstr(found.path, "/three.opt.tour"));
  assert_int_equal(found.count, 3);
  assert_memory_equal(found.tour, ((int32_t[]){0, 1, 2}), 3 * sizeof(int32_t));
  sandbox_write(&f.box, "three.TOUR", GOOD); /* as good: the first by name */
  assert_non_null(strstr(find(&f).path, "/three.TOUR"));
  assert_int_equal(f.log.warnings, 0);
  end(&f);
}

static void what_does_not_check_is_passed_over(void **state) {
  (void)state;
  fixture f;
  begin(&f, "atsp", "three.atsp", THREE);
  static const struct {
    const char *text, *warning;
  } bad[] = {
      {"COMMENT : cost 7\n" GOOD, "states the cost 7, but its solution costs 6"},
      {"COMMENT : Length = 5\n" GOOD, "states the cost 5, but its solution costs 6"},
      {"TOUR_SECTION\n1\n2\n2\n", "visits node 2 twice"},
      {"TOUR_SECTION\n1\n2\n", "the tour has 2 nodes, expected 3"},
      {"", "has no TOUR_SECTION"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    f.log = (io_log){.warnings = 0};
    sandbox_write(&f.box, "three.tour", bad[i].text);
    assert_null(find(&f).path);
    assert_int_equal(f.log.warnings, 1);
    assert_non_null(strstr(f.log.text, "not taken for a best known solution: "));
    assert_non_null(strstr(f.log.text, bad[i].warning));
    assert_int_equal(edgefw_failure(f.base.ctx), EDGEFW_OK);
  }
  sandbox_write(&f.box, "three.opt.tour", POOR); /* one that checks counts all the same */
  assert_true(find(&f).cost == 60.0);
  end(&f);
}

static void routes_lie_beside_packed_instances(void **state) {
  (void)state;
  fixture f;
  char text[512];
  snprintf(text, sizeof text, FLEET, 1);
  begin(&f, "cvrp", "fleet.VRP.gz", text);
  sandbox_write(&f.box, "fleet.sol", "Route #1: 2\nRoute #2: 1\nCost 14\n");
  edgefw__known_solution found = find(&f);
  assert_true(found.cost == 14.0 && found.stated);
  assert_memory_equal(found.tour, ((int32_t[]){0, 2, 0, 1}), 4 * sizeof(int32_t));
  gzFile stream = gzopen(sandbox_path(&f.box, "fleet.sol.gz"), "wb");
  assert_true(gzputs(stream, "Route #1: 1 2\nCost 12\n") > 0);
  assert_int_equal(gzclose(stream), Z_OK);
  assert_true(find(&f).cost == 12.0);
  end(&f);
  snprintf(text, sizeof text, FLEET, 2); /* now one vehicle cannot carry both */
  begin(&f, "cvrp", "fleet.vrp", text);
  sandbox_write(&f.box, "fleet.sol", "Route #1: 1 2\nCost 12\n");
  assert_null(find(&f).path);
  assert_non_null(strstr(f.log.text, "route 1 carries 3"));
  end(&f);
}

/* A file states its cost with so many digits; the checker's has all of them. */
static void stated_costs_may_be_rounded(void **state) {
  (void)state;
  fixture f;
  begin(&f, "acvrp", "fleet.vrp",
        "TYPE: ACVRP\nDIMENSION: 2\nCAPACITY: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
        "EDGE_WEIGHT_SECTION\n0 1.25\n2.125 0\nDEMAND_SECTION\n1 0\n2 1\nDEPOT_SECTION\n1\n-1\n");
  static const struct {
    const char *stated;
    bool right;
  } cases[] = {{"3.375", true}, {"3.38", true},  {"3.4", true},  {"3", true},
               {"3.37", true},  {"3.36", false}, {"3.5", false}, {"4", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[64];
    snprintf(text, sizeof text, "Route #1: 1\nCost %s\n", cases[i].stated);
    sandbox_write(&f.box, "fleet.sol", text);
    const edgefw__known_solution found = find(&f);
    assert_int_equal(found.path != NULL, cases[i].right);
    if (found.path) assert_true(found.cost == 3.375);
  }
  end(&f);
}

/* --- Memory --- */

static edgefw_status costs_nothing(edgefw_context *ctx, const edgefw_options *options,
                                   const edgefw_instance *instance, const int32_t *tour,
                                   int64_t count, double *cost) {
  (void)ctx;
  (void)options;
  (void)instance;
  (void)tour;
  *cost = 0.0 * (double)count;
  return EDGEFW_OK;
}

static edgefw_status find_in(edgefw_context *ctx, void *path) {
  const edgefw_problem problem = {
      .size = sizeof problem, .solution = EDGEFW_SOLUTION_TOUR, .check = costs_nothing};
  const edgefw_instance instance = {.n = 3};
  edgefw__known_solution found = {.count = 0};
  edgefw_arena *arena = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "test", 0, true);
  if (status == EDGEFW_OK)
    status = edgefw__known_solution_find(ctx, arena, &problem, NULL, &instance, path, &found);
  if (status == EDGEFW_OK) assert_int_equal(found.count, 3);
  edgefw_arena_destroy(arena);
  return status;
}

static void running_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  sandbox box;
  char path[256];
  sandbox_create(&box);
  sandbox_write(&box, "three.tour", GOOD);
  snprintf(path, sizeof path, "%s", sandbox_path(&box, "three.atsp"));
  out_of_memory_sweep(find_in, path);
  sandbox_remove(&box);
}

/* Those of the library lie beside its instances. */
static void published_solutions_are_found(void **state) {
  (void)state;
  fixture f;
  const char *path = EDGEFW_SOURCE_DIR "/data/vrplib-x/X-n101-k25.vrp";
  memset(&f, 0, sizeof f);
  problem_open(&f.base, "cvrp");
  tiny_ok(&f.base, problem_read_file(&f.base, path, &f.instance));
  snprintf(f.path, sizeof f.path, "%s", path);
  const edgefw__known_solution found = find(&f);
  assert_true(found.stated && found.cost == 27591.0);
  problem_release(&f.base, &f.instance);
  problem_close(&f.base);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_file_is_no_solution),
      cmocka_unit_test(the_cheapest_that_checks_is_taken),
      cmocka_unit_test(what_does_not_check_is_passed_over),
      cmocka_unit_test(routes_lie_beside_packed_instances),
      cmocka_unit_test(stated_costs_may_be_rounded),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
      cmocka_unit_test(published_solutions_are_found),
  };
  return test_run(tests, NULL, NULL);
}
