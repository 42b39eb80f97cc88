/* Matching tensors with parameters.
 * needs plugins: acvrp radar */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/weights_fit.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "support/weights_support.h"

typedef struct fixture {
  char folder[64], path[96];
  tiny_model tiny;
  edgefw_arena *arena;
  weights_list list;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  io_folder_create(f->folder, sizeof f->folder);
  snprintf(f->path, sizeof f->path, "%s/x.safetensors", f->folder);
  tiny_open(&f->tiny, TINY_ON("acvrp", ""), "reference", 1, false);
  tiny_ok(&f->tiny, edgefw_arena_create(f->tiny.ctx, &f->arena, "fit", 0, true));
  weights_list_of(f->tiny.model->parameters, &f->list);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  edgefw_arena_destroy(f->arena);
  tiny_close(&f->tiny);
  io_folder_remove(f->folder);
  free(f);
  return 0;
}

/* The fit of the list, and what is told of it; free(). */
static char *fit(fixture *f, edgefw__weights_fit *out) {
  edgefw__text text = {.ctx = f->tiny.ctx};
  edgefw__weights *weights = weights_list_open(f->tiny.ctx, &f->list, f->path);
  const edgefw__parameters *parameters = f->tiny.model->parameters;
  tiny_ok(&f->tiny, edgefw__weights_fit_find(weights, parameters, f->arena, out));
  edgefw__weights_fit_tell(out, weights, parameters, &text);
  edgefw__weights_close(weights);
  char *copy = strdup(edgefw__text_get(&text));
  edgefw__text_release(&text);
  return copy;
}

static void expect(fixture *f, int missing, int misshaped, int left_over, int foreign,
                   const char *told) {
  edgefw__weights_fit found;
  char *text = fit(f, &found);
  assert_int_equal(found.missing, missing);
  assert_int_equal(found.misshaped, misshaped);
  assert_int_equal(found.left_over, left_over);
  assert_int_equal(found.foreign, foreign);
  assert_int_equal(edgefw__weights_fit_is_whole(&found), missing + misshaped + left_over == 0);
  assert_string_equal(text, told);
  free(text);
}

static void names_and_shapes_match(void **state) {
  expect(*state, 0, 0, 0, 0, "");
}

/* What published models hold and nothing uses, and the names of older versions. */
static void foreign_and_former_names_are_known(void **state) {
  fixture *f = *state;
  weights_list_add(&f->list, "encoder.layers.0.g_layer.weight", 2, 3, 3);
  weights_list_add(&f->list, "decoder.Wq_1.weight", 2, 8, 8);
  weights_list_at(&f->list, "decoder.Wq_0.weight")->name = "decoder.Wq_last.weight";
  expect(f, 0, 0, 0, 2, "");
}

static void every_difference_is_told(void **state) {
  fixture *f = *state;
  weights_list_at(&f->list, "decoder.Wk.weight")->name = "decoder.Wkk.weight";
  weights_list_at(&f->list, "decoder.Wv.weight")->rank = 1;
  weights_list_at(&f->list, "projection.bias")->name = "something";
  expect(f, 2, 1, 2, 0,
         "  missing: projection.bias (8)\n"
         "  missing: decoder.Wk.weight (8, 8) (did you mean 'decoder.Wkk.weight'?)\n"
         "  another shape: decoder.Wv.weight (8), expected (8, 8)\n"
         "  left over: something (8)\n"
         "  left over: decoder.Wkk.weight (8, 8)\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(names_and_shapes_match, setup, teardown),
      cmocka_unit_test_setup_teardown(foreign_and_former_names_are_known, setup, teardown),
      cmocka_unit_test_setup_teardown(every_difference_is_told, setup, teardown)};
  return test_run(tests, NULL, NULL);
}
