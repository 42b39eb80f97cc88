/* What a descriptor names lies in loaded memory, or is refused unread. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/extent.h"

static const char text[] = "a text of this program";
static char zeroed[64]; /* no byte of it is in the file */

static void segments_are_known(void **state) {
  (void)state;
  static const struct { int numbers[8]; } table = {{1}};
  assert_true(edgefw__extent_holds(&table, sizeof table));
  assert_true(edgefw__extent_holds(zeroed, sizeof zeroed));
  assert_true(edgefw__extent_holds_text(text));
  assert_true(edgefw__extent_holds_text(strchr("", '\0')));
  assert_false(edgefw__extent_holds(&table, (size_t)1 << 40));
  assert_false(edgefw__extent_holds(&table, SIZE_MAX));
  assert_false(edgefw__extent_holds(NULL, 1));
  assert_false(edgefw__extent_holds((const void *)8, 1));
  assert_false(edgefw__extent_holds_text(NULL));
  assert_false(edgefw__extent_holds_text((const char *)UINTPTR_MAX));
  char *heap = malloc(16);
  assert_false(edgefw__extent_holds(heap, 16));
  free(heap);
}

static const edgefw_term vtable = {.size = sizeof vtable};
static const edgefw_option options[] = {
    {.key = "a", .type = EDGEFW_OPTION_INT, .fallback = "1", .help = "a key"}, {0}};

/* A descriptor that passes; tests spoil one member. */
static edgefw_plugin_descriptor good(void) {
  return (edgefw_plugin_descriptor){.magic = EDGEFW_DESCRIPTOR_MAGIC,
                                    .abi_major = EDGEFW_ABI_MAJOR,
                                    .kind = EDGEFW_KIND_TERM,
                                    .size = sizeof(edgefw_plugin_descriptor),
                                    .option_size = sizeof(edgefw_option),
                                    .name = "x",
                                    .version = "1",
                                    .summary = "s",
                                    .vtable = &vtable,
                                    .options = options};
}

/* It has to be static data to be looked at. */
static edgefw_plugin_descriptor placed;

static void expect_refused(edgefw_plugin_descriptor descriptor, edgefw_status status,
                           const char *part) {
  edgefw__refusal refusal = {0};
  placed = descriptor;
  assert_false(edgefw__extent_check(&placed, &refusal));
  assert_int_equal(refusal.status, status);
  if (!strstr(refusal.why, part)) fail_msg("%s", refusal.why);
}

static void descriptors_are_followed_as_far_as_memory_goes(void **state) {
  (void)state;
  edgefw__refusal refusal = {0};
  edgefw_plugin_descriptor d = good();
  const char *nowhere = (const char *)8;
  placed = d;
  assert_true(edgefw__extent_check(&placed, &refusal));
  placed.options = NULL, placed.vtable = NULL, placed.name = NULL; /* others look at these */
  assert_true(edgefw__extent_check(&placed, &refusal));
  assert_false(edgefw__extent_check(&d, &refusal)); /* on the stack */
  assert_int_equal(refusal.status, EDGEFW_PLUGIN_ABI);

  d = good(), d.name = nowhere;
  expect_refused(d, EDGEFW_PLUGIN_MEMBER, "the name");
  d = good(), d.summary = nowhere;
  expect_refused(d, EDGEFW_PLUGIN_MEMBER, "the summary");
  d = good(), d.vtable = nowhere;
  expect_refused(d, EDGEFW_PLUGIN_MEMBER, "the vtable");
  static const edgefw_term huge = {.size = (size_t)1 << 40};
  d = good(), d.vtable = &huge;
  expect_refused(d, EDGEFW_PLUGIN_ABI, "all of the vtable");
  d = good(), d.size = 4097;
  expect_refused(d, EDGEFW_PLUGIN_ABI, "the descriptor has 4097 bytes");
  d = good(), d.option_size = (size_t)1 << 40;
  expect_refused(d, EDGEFW_PLUGIN_ABI, "an option has 1099511627776 bytes");
  d = good(), d.options = (const edgefw_option *)(const void *)nowhere;
  expect_refused(d, EDGEFW_PLUGIN_MEMBER, "option 1 of the table");
  static const edgefw_option bad[] = {{.key = "a", .help = (const char *)8}, {0}};
  d = good(), d.options = bad;
  expect_refused(d, EDGEFW_PLUGIN_MEMBER, "option 1 of the table");
}

/* A table that is all options, to the last byte of what is loaded. */
static void an_endless_table_is_refused(void **state) {
  (void)state;
  static edgefw_option endless[1001];
  for (size_t i = 0; i < sizeof endless / sizeof *endless; ++i) endless[i] = options[0];
  edgefw_plugin_descriptor d = good();
  d.options = endless;
  expect_refused(d, EDGEFW_PLUGIN_MEMBER, "an option beyond the 1000th");
}

/* Members of another ABI are elsewhere: nothing of it is followed. */
static void another_abi_is_left_to_others(void **state) {
  (void)state;
  edgefw__refusal refusal = {0};
  placed = good();
  placed.name = (const char *)8;
  placed.abi_major = 1;
  assert_true(edgefw__extent_check(&placed, &refusal));
  placed.abi_major = EDGEFW_ABI_MAJOR;
  placed.magic ^= 1;
  assert_true(edgefw__extent_check(&placed, &refusal));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(segments_are_known),
      cmocka_unit_test(descriptors_are_followed_as_far_as_memory_goes),
      cmocka_unit_test(an_endless_table_is_refused),
      cmocka_unit_test(another_abi_is_left_to_others),
  };
  return test_run(tests, NULL, NULL);
}
