/* The layout of every public struct is the committed one. */
#include "support/test.h"

#include "edgefw/edgefw.h"
#include "edgefw/solver.h"
#include "kernels.h"

typedef struct row {
  const char *name;
  size_t actual, committed;
} row;

#define SIZE(type, bytes) {"size of " #type, sizeof(type), bytes},
#define MEMBER(type, member, offset)                                                               \
  {"offset of " #type "." #member, offsetof(type, member), offset},

static const row rows[] = {
#include "abi.inc"
};

static void layouts_are_the_committed_ones(void **state) {
  (void)state;
  if (sizeof(void *) != 8 || sizeof(long) != 8) skip();
  int different = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].actual == rows[i].committed) continue;
    print_error("%s is %zu, committed %zu\n", rows[i].name, rows[i].actual, rows[i].committed);
    ++different;
  }
  assert_int_equal(different, 0);
}

/* What a plugin hands over begins with its size. */
static void sizes_come_first(void **state) {
  (void)state;
  assert_int_equal(offsetof(edgefw_problem, size), 0);
  assert_int_equal(offsetof(edgefw_backbone, size), 0);
  assert_int_equal(offsetof(edgefw_term, size), 0);
  assert_int_equal(offsetof(edgefw_kernels, size), 0);
  assert_int_equal(EDGEFW_ABI_MAJOR, 2);
  assert_int_equal(offsetof(edgefw_mixed_attention, size), 0);
  assert_int_equal(offsetof(edgefw_local_attention, size), 0);
}

/* A plugin of any ABI is read thus far before it is refused, so these members never move. */
static void the_descriptor_begins_alike_in_every_abi(void **state) {
  (void)state;
  assert_int_equal(offsetof(edgefw_plugin_descriptor, magic), 0);
  assert_int_equal(offsetof(edgefw_plugin_descriptor, abi_major), 4);
  assert_int_equal(offsetof(edgefw_plugin_descriptor, abi_minor), 8);
  assert_int_equal(offsetof(edgefw_plugin_descriptor, kind), 12);
}

/* What descriptors hold on disk, in every plugin ever built. */
static void constants_are_those_on_disk(void **state) {
  (void)state;
  assert_int_equal(EDGEFW_DESCRIPTOR_MAGIC, 0x31574645);
  assert_string_equal(EDGEFW_DESCRIPTOR_SYMBOL, "edgefw_plugin");
  assert_int_equal(EDGEFW_KIND_PROBLEM, 1);
  assert_int_equal(EDGEFW_KIND_BACKBONE, 2);
  assert_int_equal(EDGEFW_KIND_TERM, 3);
  assert_int_equal(EDGEFW_KIND_DEVICE, 4);
  assert_int_equal(EDGEFW_OPTION_INT, 1);
  assert_int_equal(EDGEFW_OPTION_PATH_LIST, 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layouts_are_the_committed_ones),
      cmocka_unit_test(sizes_come_first),
      cmocka_unit_test(the_descriptor_begins_alike_in_every_abi),
      cmocka_unit_test(constants_are_those_on_disk),
  };
  return test_run(tests, NULL, NULL);
}
