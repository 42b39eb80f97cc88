/* What every device must have besides its operations: a whole vtable, a description, memory. And
 * what the reference refuses. */
#include "support/test.h"

#include "support/check.h"
#include "support/decode_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void vtables_are_whole(void **state) {
  const ks_devices *devices = *state;
  for (int i = 0; i < devices->count; ++i) {
    const edgefw_kernels *k = devices->item[i].k;
    assert_true(k->size == sizeof(edgefw_kernels));
    assert_true(k->dtype == EDGEFW_F32 || k->dtype == EDGEFW_F64);
    assert_true(k->create && k->destroy && k->describe && k->allocate && k->release && k->zero);
    assert_true(k->upload && k->download && k->sum_squares && k->shortest_paths);
#define MEMBER(name, args) assert_non_null(k->name);
    EDGEFW_OPERATIONS(MEMBER, MEMBER)
#undef MEMBER
  }
}

static void both_references_are_built(void **state) {
  const ks_devices *devices = *state;
  int found = 0;
  for (int i = 0; i < devices->count; ++i) {
    if (strcmp(devices->item[i].name, "reference") == 0) {
      assert_int_equal(devices->item[i].k->dtype, EDGEFW_F32);
      ++found;
    }
  }
  assert_int_equal(found, 1);
  assert_int_equal(devices->oracle->k->dtype, EDGEFW_F64);
}

static void descriptions_are_one_line(void **state) {
  const ks_devices *devices = *state;
  for (int i = 0; i < devices->count; ++i) {
    const char *text = devices->item[i].k->describe(devices->item[i].device);
    assert_non_null(text);
    assert_true(strlen(text) > 0);
    assert_null(strchr(text, '\n'));
    print_message("%s: %s\n", devices->item[i].name, text);
  }
}

static void memory_is_zeroed_and_copied(void **state) {
  const ks_devices *devices = *state;
  const double values[5] = {1.5, -2.25, 0.0, 0.125, 0x1p100}, zeros[5] = {0};
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    double back[5];
    void *memory = ks_reals(d, 5);
    d->k->download(d->device, back, memory, 5);
    check_same_bits(back, zeros, sizeof back, "new memory");
    d->k->upload(d->device, memory, values, 5);
    d->k->download(d->device, back, memory, 5);
    check_same_bits(back, values, sizeof back, "copied numbers");
    d->k->zero(d->device, memory, 5 * d->real_size);
    d->k->download(d->device, back, memory, 5);
    check_same_bits(back, zeros, sizeof back, "zeroed memory");
    d->k->release(d->device, memory);
    d->k->release(d->device, NULL);
  }
}

static void destroying_nothing_is_allowed(void **state) {
  const ks_devices *devices = *state;
  for (int i = 0; i < devices->count; ++i) devices->item[i].k->destroy(NULL);
}

/* A forced tour that is none is an error of the reference, with the place in its message. */
static void forced_nonsense_is_refused(void **state) {
  const ks_device *d = ((const ks_devices *)*state)->oracle;
  const ds_shape shape = {1, 4, 1, 1, 2, 0, true, 10, &edgefw__reinforce};
  const int32_t wrong[4][4] = {{0, 1, 1, 2}, {0, 4, 1, 2}, {-1, 1, 2, 3}, {0, 1, 2, 0}};
  ds_problem p;
  ds_create(&p, &shape, "decode", 1.0);
  void *in[KS_MAX_TENSORS] = {NULL};
  ds_upload(&p, d, in);
  for (int k = 0; k < 4; ++k) {
    int32_t tour[4];
    double length = 0.0;
    memcpy(tour, wrong[k], sizeof tour);
    edgefw_decode_args a = ds_args(&p, d, in);
    a.selection.select = EDGEFW_SELECT_FORCED;
    a.tours = tour;
    a.lengths = &length;
    assert_int_equal(d->k->decode(d->device, &a), EDGEFW_INVALID_ARGUMENT);
    assert_non_null(strstr(edgefw_message(d->ctx), "given tour of instance 0, rollout 0"));
    edgefw_clear(d->ctx);
  }
  ds_release(&p, d, in);
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vtables_are_whole),
      cmocka_unit_test(both_references_are_built),
      cmocka_unit_test(descriptions_are_one_line),
      cmocka_unit_test(memory_is_zeroed_and_copied),
      cmocka_unit_test(destroying_nothing_is_allowed),
      cmocka_unit_test(forced_nonsense_is_refused),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
