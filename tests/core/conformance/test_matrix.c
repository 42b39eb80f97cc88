/* Which plugins go together, by what they say themselves.
 * labels: oom */
#include "support/test.h"

#include "conformance/matrix.h"
#include "support/expect.h"
#include "support/out_of_memory.h"
#include "support/toy_config.h"
#include "support/toy_plugins.h"

/* Cells of the toy plugins: a problem, two backbones, no term or one of two; and a heuristic. */
enum { CELLS = 1 * (2 * (1 + 2) + 1) };

typedef struct fixture {
  toy_config *toy;
  edgefw_arena *arena;
  const edgefw__matrix_cell *cells;
  size_t count;
} fixture;

static void open_matrix(fixture *f, void **state) {
  *f = (fixture){.toy = *state};
  expect_ok(f->toy->ctx, edgefw_arena_create(f->toy->ctx, &f->arena, "test", 0, true));
  expect_ok(f->toy->ctx,
            edgefw__matrix(f->toy->ctx, f->arena, f->toy->registry, &f->cells, &f->count));
}

/* Cell `index` is this combination (NULL: no term), and says this (NULL: it fits). */
static void expect_cell(const fixture *f, size_t index, const char *backbone, const char *term,
                        const char *why) {
  const edgefw__matrix_cell *cell = &f->cells[index];
  assert_true(index < f->count);
  assert_string_equal(cell->problem->descriptor->name, "toy");
  assert_string_equal(cell->backbone->descriptor->name, backbone);
  if (term)
    assert_string_equal(cell->term->descriptor->name, term);
  else
    assert_null(cell->term);
  if (why)
    assert_string_equal(cell->why, why);
  else
    assert_null(cell->why);
}

static void every_combination_is_there_once(void **state) {
  fixture f;
  open_matrix(&f, state);
  assert_int_equal(f.count, CELLS);
  expect_cell(&f, 0, "deep", NULL, NULL);
  expect_cell(&f, 1, "deep", "picky", "picky: there are no coordinates");
  expect_cell(&f, 2, "deep", "progress", NULL);
  expect_cell(&f, 3, "plain", NULL, NULL);
  expect_cell(&f, 4, "plain", "picky", "picky: there are no coordinates");
  expect_cell(&f, 5, "plain", "progress", NULL);
  const edgefw__matrix_cell *last = &f.cells[6];
  assert_true(!last->backbone && !last->term && !last->why);
  assert_string_equal(last->heuristic->descriptor->name, "inorder");
  edgefw_arena_destroy(f.arena);
}

/* A backbone that does not take the problem takes it with no term either, for its own reason. */
static void a_backbone_refuses_for_all_terms(void **state) {
  toy_config *toy = *state;
  fixture f;
  edgefw__registry_destroy(toy->registry);
  sandbox_link(&toy->box, "plugins/edgefw_picky_backbone.so", toy_fixture("picky_backbone"));
  toy->registry = toy_registry_open(toy->ctx, &toy->box);
  open_matrix(&f, state);
  assert_int_equal(f.count, CELLS + 3);
  expect_cell(&f, 3, "lonely", NULL, "lonely: there is no depot");
  expect_cell(&f, 4, "lonely", "picky", "lonely: there is no depot");
  expect_cell(&f, 5, "lonely", "progress", "lonely: there is no depot");
  expect_cell(&f, 8, "plain", "progress", NULL);
  edgefw_arena_destroy(f.arena);
}

static void no_plugins_make_no_cells(void **state) {
  toy_config *toy = *state;
  const char *folder = sandbox_path(&toy->box, "nothing");
  edgefw__registry *registry = NULL;
  fixture f;
  expect_ok(toy->ctx, edgefw__registry_create_from(toy->ctx, &folder, 1, &registry));
  edgefw__registry *full = toy->registry;
  toy->registry = registry;
  open_matrix(&f, state);
  assert_int_equal(f.count, 0);
  edgefw_arena_destroy(f.arena);
  edgefw__registry_destroy(registry);
  toy->registry = full;
}

static edgefw_status make_matrix(edgefw_context *ctx, void *user) {
  const toy_config *toy = user;
  const edgefw__matrix_cell *cells = NULL;
  size_t count = 0;
  edgefw_arena *arena = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "test", 64, true);
  if (status == EDGEFW_OK) status = edgefw__matrix(ctx, arena, toy->registry, &cells, &count);
  edgefw_arena_destroy(arena);
  return status;
}

static void running_out_of_memory_leaks_nothing(void **state) {
  out_of_memory_sweep(make_matrix, *state);
}

#define matrix_test(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, toy_config_set_up, toy_config_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      matrix_test(every_combination_is_there_once),
      matrix_test(a_backbone_refuses_for_all_terms),
      matrix_test(no_plugins_make_no_cells),
      matrix_test(running_out_of_memory_leaks_nothing),
  };
  return test_run(tests, NULL, NULL);
}
