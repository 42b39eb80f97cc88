/* The cost of the solution beside a library file, as a reference.
 * needs plugins: atsp radar */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "eval/evaluate.h"
#include "eval/known_cost.h"
#include "support/io_support.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

/* The tour 1 2 3 costs 6, the other one 60. */
#define THREE                                                                                      \
  "TYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_SECTION\n"                    \
  "0 1 30\n20 0 2\n3 10 0\n"

typedef struct fixture {
  tiny_model tiny;
  sandbox box;
  edgefw_arena *arena;
  edgefw__instance_set set;
  edgefw__source source;
  edgefw__batch *batch;
  io_log log;
} fixture;

static void open_fixture(fixture *f, const char *forbidden) {
  char text[256];
  memset(f, 0, sizeof *f);
  snprintf(text, sizeof text, "[problem]\nname = atsp\nforbidden = %s\n[backbone]\nname = radar\n",
           forbidden);
  tiny_begin(&f->tiny, NULL, text, "reference");
  sandbox_create(&f->box);
  edgefw_set_log(f->tiny.ctx, io_collect, &f->log);
  tiny_ok(&f->tiny, edgefw_arena_create(f->tiny.ctx, &f->arena, "test", 0, true));
  const char *path = edgefw_arena_text(f->arena, sandbox_write(&f->box, "three.atsp", THREE));
  tiny_ok(&f->tiny,
          edgefw__eval_file_set(f->tiny.ctx, f->arena, f->tiny.composition, path, false, &f->set));
  tiny_ok(&f->tiny, edgefw__source_open(&f->tiny.engine, f->tiny.composition, &f->set, &f->source));
  tiny_ok(&f->tiny,
          edgefw__batch_create(f->tiny.ctx, f->tiny.composition->problem->vtable.problem.fields, 1,
                               3, &f->batch));
  tiny_ok(&f->tiny, edgefw__source_load(&f->source, 0, 1, f->batch));
}

static void close_fixture(fixture *f) {
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  edgefw__source_close(&f->source);
  edgefw_arena_destroy(f->arena);
  tiny_close(&f->tiny);
  sandbox_remove(&f->box);
}

static bool find(fixture *f, double *cost) {
  const edgefw_instance instance = edgefw__batch_instance(f->batch, 0);
  bool found = true;
  tiny_ok(&f->tiny, edgefw__known_cost(f->tiny.ctx, &f->source, &instance, cost, &found));
  return found;
}

static void a_solution_beside_it_is_a_reference(void **state) {
  (void)state;
  fixture f;
  double cost = -1.0;
  open_fixture(&f, "none");
  assert_false(find(&f, &cost));
  assert_true(cost == -1.0);
  assert_int_equal(f.source.reference_kind, EDGEFW__REFERENCE_UNKNOWN);
  sandbox_write(&f.box, "three.tour", "TOUR_SECTION\n1\n2\n3\n-1\n");
  assert_true(find(&f, &cost));
  assert_true(cost == 6.0);
  assert_int_equal(f.source.reference_kind, EDGEFW__REFERENCE_BEST_KNOWN);
  close_fixture(&f);
}

static void forbidden_arcs_make_it_none(void **state) {
  (void)state;
  fixture f;
  double cost = -1.0;
  open_fixture(&f, "20"); /* the tour 1 3 2 goes along 30 and 20 */
  sandbox_write(&f.box, "three.tour", "TOUR_SECTION\n1\n3\n2\n-1\n");
  assert_false(find(&f, &cost));
  assert_non_null(strstr(f.log.text, "three.tour is no reference"));
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_solution_beside_it_is_a_reference),
      cmocka_unit_test(forbidden_arcs_make_it_none),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
