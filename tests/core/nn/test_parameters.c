/* Parameters: found by name, laid out one behind the other, initialised by name and seed alone. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "nn/parameters.h"
#include "support/check.h"
#include "support/tiny_model.h"

static const edgefw__init uniform = {EDGEFW__INIT_UNIFORM, 0.5};
static const edgefw__init ones = {EDGEFW__INIT_CONSTANT, 1.0};

static int setup(void **state) {
  tiny_model *tiny = calloc(1, sizeof *tiny);
  tiny_begin(tiny, NULL, TINY_PLAIN, "reference64");
  *state = tiny;
  return 0;
}

static int teardown(void **state) {
  tiny_close(*state);
  free(*state);
  return 0;
}

static edgefw__parameters *create(const tiny_model *tiny) {
  edgefw__parameters *parameters = NULL;
  tiny_ok(tiny, edgefw__parameters_create(tiny->ctx, tiny->engine.kernels, tiny->engine.device,
                                          &parameters));
  return parameters;
}

static int declare(const tiny_model *tiny, edgefw__parameters *parameters, const char *name,
                   int rank, const int64_t *shape, edgefw__init init) {
  int index = -1;
  tiny_ok(tiny, edgefw__parameters_declare(parameters, name, rank, shape, init, &index));
  return index;
}

static void a_name_is_declared_once(void **state) {
  tiny_model *tiny = *state;
  edgefw__parameters *parameters = create(tiny);
  const int64_t shape[2] = {3, 4}, other[2] = {4, 3};
  const int first = declare(tiny, parameters, "a.weight", 2, shape, uniform);
  const int second = declare(tiny, parameters, "b", 1, shape, ones);
  assert_int_equal(declare(tiny, parameters, "a.weight", 2, shape, uniform), first);
  assert_int_equal(parameters->item_count, 2);
  assert_int_equal(parameters->total, 15);
  assert_int_equal(parameters->items[second].offset, 12);
  assert_int_equal(edgefw__parameters_find(parameters, "b"), second);
  assert_int_equal(edgefw__parameters_find(parameters, "c"), -1);
  int index = -1;
  tiny_fails(tiny, edgefw__parameters_declare(parameters, "a.weight", 2, other, uniform, &index),
             EDGEFW_MISMATCH, "a.weight is used with two shapes: (3, 4, 0) and (4, 3, 0)");
  edgefw__parameters_destroy(parameters);
}

static void a_sealed_set_takes_no_new_name(void **state) {
  tiny_model *tiny = *state;
  edgefw__parameters *parameters = create(tiny);
  const int64_t shape[1] = {2};
  declare(tiny, parameters, "a", 1, shape, ones);
  tiny_ok(tiny, edgefw__parameters_seal(parameters, 1, false));
  assert_null(parameters->gradients);
  assert_int_equal(declare(tiny, parameters, "a", 1, shape, ones), 0);
  int index = -1;
  tiny_fails(tiny, edgefw__parameters_declare(parameters, "late", 1, shape, ones, &index),
             EDGEFW_INTERNAL, "late");
  edgefw__parameters_destroy(parameters);
}

static void many_names_keep_their_places(void **state) {
  tiny_model *tiny = *state;
  edgefw__parameters *parameters = create(tiny);
  const int64_t shape[1] = {1};
  char name[16];
  for (int i = 0; i < 200; ++i) {
    snprintf(name, sizeof name, "p%d", i);
    assert_int_equal(declare(tiny, parameters, name, 1, shape, ones), i);
  }
  assert_int_equal(edgefw__parameters_find(parameters, "p137"), 137);
  assert_string_equal(parameters->items[0].name, "p0");
  edgefw__parameters_destroy(parameters);
}

static void foreign_names_take_no_memory(void **state) {
  tiny_model *tiny = *state;
  edgefw__parameters *parameters = create(tiny);
  const int64_t shape[2] = {3, 4};
  for (int i = 0; i < 2; ++i) /* the repeated one is ignored */
    tiny_ok(tiny, edgefw__parameters_declare_foreign(parameters, "unused", 2, shape));
  assert_int_equal(parameters->foreign_count, 1);
  assert_int_equal(parameters->foreign_total, 12);
  assert_int_equal(parameters->total, 0);
  assert_int_equal(edgefw__parameters_find(parameters, "unused"), -1);
  edgefw__parameters_destroy(parameters);
}

static void a_former_name_is_no_second_one(void **state) {
  tiny_model *tiny = *state;
  edgefw__parameters *parameters = create(tiny);
  const int64_t shape[1] = {2};
  const int index = declare(tiny, parameters, "now", 1, shape, ones);
  assert_string_equal(edgefw__parameter_first_name(&parameters->items[index]), "now");
  tiny_ok(tiny, edgefw__parameters_renamed(parameters, index, "before"));
  tiny_ok(tiny, edgefw__parameters_renamed(parameters, index, "ignored")); /* another graph */
  assert_string_equal(edgefw__parameter_first_name(&parameters->items[index]), "before");
  assert_int_equal(edgefw__parameters_find(parameters, "now"), index);
  assert_int_equal(edgefw__parameters_find(parameters, "before"), -1);
  edgefw__parameters_destroy(parameters);
}

/* Values of parameter `name` (5,7) when it is declared after `before` others; `former` may be NULL.
 */
static double *initial(const tiny_model *tiny, int before, uint64_t seed, const char *name,
                       const char *former) {
  edgefw__parameters *parameters = create(tiny);
  const int64_t shape[2] = {5, 7};
  char other[16];
  for (int i = 0; i < before; ++i) {
    snprintf(other, sizeof other, "other%d", i);
    declare(tiny, parameters, other, 1, shape, ones);
  }
  const int index = declare(tiny, parameters, name, 2, shape, uniform);
  if (former) tiny_ok(tiny, edgefw__parameters_renamed(parameters, index, former));
  tiny_ok(tiny, edgefw__parameters_seal(parameters, seed, true));
  double *values =
      tiny_download(tiny, edgefw__parameters_at(parameters, parameters->values, index), 35);
  double *moments = tiny_download(tiny, parameters->first_moment, parameters->total);
  for (int64_t e = 0; e < parameters->total; ++e) assert_true(moments[e] == 0.0);
  free(moments);
  edgefw__parameters_destroy(parameters);
  return values;
}

static void the_start_depends_on_name_and_seed_alone(void **state) {
  tiny_model *tiny = *state;
  double *alone = initial(tiny, 0, 7, "w", NULL), *after = initial(tiny, 3, 7, "w", NULL);
  double *seeded = initial(tiny, 0, 8, "w", NULL), *renamed = initial(tiny, 0, 7, "v", NULL);
  double *formerly = initial(tiny, 0, 7, "v", "w");
  check_same_bits(after, alone, 35 * sizeof *alone, "the same name and seed");
  check_same_bits(formerly, alone, 35 * sizeof *alone, "the same first name and seed");
  double low = 0.0, high = 0.0;
  int same = 0;
  for (int e = 0; e < 35; ++e) {
    low = alone[e] < low ? alone[e] : low;
    high = alone[e] > high ? alone[e] : high;
    same += (alone[e] == seeded[e]) + (alone[e] == renamed[e]);
  }
  assert_int_equal(same, 0);
  assert_true(low >= -0.5 && low < -0.3);
  assert_true(high < 0.5 && high > 0.3);
  free(alone);
  free(after);
  free(seeded);
  free(renamed);
  free(formerly);
}

static void places_in_arrays_follow_offsets(void **state) {
  tiny_model *tiny = *state;
  edgefw__parameters *parameters = create(tiny);
  const int64_t shape[1] = {3};
  declare(tiny, parameters, "a", 1, shape, ones);
  declare(tiny, parameters, "b", 1, shape, ones);
  tiny_ok(tiny, edgefw__parameters_seal(parameters, 1, false));
  double *base = parameters->values;
  assert_ptr_equal(edgefw__parameters_at(parameters, base, 1), base + 3);
  assert_null(edgefw__parameters_at(parameters, NULL, 1));
  assert_null(edgefw__parameters_at(parameters, base, -1));
  assert_int_equal(edgefw__real_size(tiny->engine.kernels), sizeof(double));
  edgefw__parameters_destroy(parameters);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_name_is_declared_once),
      cmocka_unit_test(a_sealed_set_takes_no_new_name),
      cmocka_unit_test(a_former_name_is_no_second_one),
      cmocka_unit_test(many_names_keep_their_places),
      cmocka_unit_test(foreign_names_take_no_memory),
      cmocka_unit_test(the_start_depends_on_name_and_seed_alone),
      cmocka_unit_test(places_in_arrays_follow_offsets),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, setup, teardown);
}
