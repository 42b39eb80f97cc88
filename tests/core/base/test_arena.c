/* Arenas: alignment, zeroing, growth, limits, reset. */
#include "support/test.h"

#include "edgefw/arena.h"
#include "support/failing_allocator.h"

#include <stdlib.h>
#include <string.h>

static int setup(void **state) {
  edgefw_context *ctx = NULL;
  if (edgefw_context_create(&ctx, NULL) != EDGEFW_OK) return -1;
  *state = ctx;
  return 0;
}

static int teardown(void **state) {
  edgefw_context_destroy(*state);
  return 0;
}

static edgefw_arena *create(edgefw_context *ctx, size_t bytes, bool growable) {
  edgefw_arena *arena = NULL;
  assert_int_equal(edgefw_arena_create(ctx, &arena, "test", bytes, growable), EDGEFW_OK);
  assert_non_null(arena);
  return arena;
}

/* All items of many sizes keep what is written into them: none overlaps another. */
static void check_items(edgefw_arena *arena) {
  unsigned char *items[40];
  for (int i = 0; i < 40; ++i) {
    const size_t bytes = (size_t)i * 17 + 1;
    items[i] = edgefw_arena_take(arena, bytes, 1);
    assert_non_null(items[i]);
    assert_int_equal((uintptr_t)items[i] % 64, 0);
    for (size_t k = 0; k < bytes; ++k) assert_int_equal(items[i][k], 0);
    memset(items[i], i + 1, bytes);
  }
  for (int i = 0; i < 40; ++i)
    for (size_t k = 0; k < (size_t)i * 17 + 1; ++k) assert_int_equal(items[i][k], i + 1);
}

static void items_are_zeroed_aligned_and_apart(void **state) {
  edgefw_arena *arenas[2] = {create(*state, 1 << 16, false), create(*state, 0, true)};
  for (int a = 0; a < 2; ++a) {
    for (int round = 0; round < 3; ++round) {
      check_items(arenas[a]);
      edgefw_arena_reset(arenas[a]);
    }
    edgefw_arena_destroy(arenas[a]);
  }
}

static void a_fixed_arena_names_what_is_missing(void **state) {
  edgefw_context *ctx = *state;
  edgefw_arena *arena = create(ctx, 256, false);
  assert_non_null(edgefw_arena_take(arena, 3, 64));
  assert_null(edgefw_arena_take(arena, 65, 1));
  assert_int_equal(edgefw_failure(ctx), EDGEFW_OUT_OF_MEMORY);
  const char *words[] = {"arena test", "128 bytes", "64 of 256"};
  for (int w = 0; w < 3; ++w) assert_non_null(strstr(edgefw_message(ctx), words[w]));
  edgefw_clear(ctx);
  assert_non_null(edgefw_arena_take(arena, 64, 1)); /* what is left can still be had */
  assert_int_equal(edgefw_arena_used(arena), 256);
  edgefw_arena_destroy(arena);
}

static void sizes_that_overflow_are_refused(void **state) {
  edgefw_context *ctx = *state;
  edgefw_arena *arena = create(ctx, 0, true);
  const size_t counts[] = {SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 16 + 1};
  for (int i = 0; i < 3; ++i) {
    assert_null(edgefw_arena_take(arena, counts[i], 8));
    assert_int_equal(edgefw_failure(ctx), EDGEFW_OUT_OF_MEMORY);
    edgefw_clear(ctx);
  }
  assert_int_equal(edgefw_arena_used(arena), 0);
  edgefw_arena_destroy(arena);
}

static void no_bytes_are_still_an_item(void **state) {
  edgefw_arena *arena = create(*state, 0, true);
  const void *a = edgefw_arena_take(arena, 0, 8), *b = edgefw_arena_take(arena, 8, 0);
  assert_non_null(a);
  assert_non_null(b);
  assert_ptr_not_equal(a, b);
  edgefw_arena_destroy(arena);
}

static void texts_are_copied_and_formatted(void **state) {
  edgefw_arena *arena = create(*state, 0, true);
  char text[] = "abc";
  const char *copy = edgefw_arena_text(arena, text);
  text[0] = 'x';
  assert_string_equal(copy, "abc");
  assert_string_equal(edgefw_arena_text(arena, ""), "");
  assert_string_equal(edgefw_arena_format(arena, "%s-%d.h5", "checkpoint", 12), "checkpoint-12.h5");
  const char *wide = edgefw_arena_format(arena, "%5000d", 7);
  assert_int_equal(strlen(wide), 5000);
  assert_int_equal(wide[4999], '7');
  edgefw_arena_destroy(arena);
}

static void used_and_high_water(void **state) {
  edgefw_arena *arena = create(*state, 0, true);
  assert_int_equal(edgefw_arena_used(arena), 0);
  assert_non_null(edgefw_arena_take(arena, 100, 1));
  assert_int_equal(edgefw_arena_used(arena), 128);
  edgefw_arena_reset(arena);
  assert_int_equal(edgefw_arena_used(arena), 0);
  assert_non_null(edgefw_arena_take(arena, 64, 1));
  assert_int_equal(edgefw_arena_used(arena), 64);
  assert_int_equal(edgefw_arena_high_water(arena), 128);
  edgefw_arena_destroy(arena);
}

/* What is taken again after a reset needs no further memory, blocks of odd sizes included. */
static void a_reset_arena_reuses_its_blocks(void **state) {
  (void)state;
  failing_allocator memory;
  edgefw_context *ctx = NULL;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
  edgefw_arena *arena = create(ctx, 128, true);
  int64_t requests = 0;
  for (int round = 0; round < 4; ++round) {
    edgefw_arena_reset(arena);
    for (size_t bytes = 100; bytes < 300000; bytes *= 7)
      assert_non_null(edgefw_arena_take(arena, bytes, 1));
    if (round == 0) requests = failing_allocator_requests(&memory);
  }
#ifdef EDGEFW_ARENA_DEBUG
  (void)requests; /* there every item is an allocation of its own */
#else
  assert_int_equal(failing_allocator_requests(&memory), requests);
#endif
  edgefw_arena_destroy(arena);
  edgefw_context_destroy(ctx);
  assert_int_equal(failing_allocator_live(&memory), 0);
}

static void out_of_memory_leaks_nothing(void **state) {
  (void)state;
  bool failed = true;
  for (int64_t n = 1; failed; ++n) { /* request 0 is the context */
    failing_allocator memory;
    edgefw_context *ctx = NULL;
    edgefw_arena *arena = NULL;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    edgefw_status status = edgefw_arena_create(ctx, &arena, "test", 64, true);
    if (status == EDGEFW_OK && (!edgefw_arena_take(arena, 10, 1) ||
                                !edgefw_arena_text(arena, "text that is longer than what is left, "
                                                          "so that a second block is needed") ||
                                !edgefw_arena_format(arena, "%100000d", 1)))
      status = edgefw_failure(ctx);
    failed = failing_allocator_failed(&memory);
    assert_int_equal(status, failed ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    if (failed) assert_non_null(strstr(edgefw_message(ctx), "test"));
    edgefw_arena_destroy(arena);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
  }
  edgefw_arena_destroy(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(items_are_zeroed_aligned_and_apart),
      TEST(a_fixed_arena_names_what_is_missing),
      TEST(sizes_that_overflow_are_refused),
      TEST(no_bytes_are_still_an_item),
      TEST(texts_are_copied_and_formatted),
      TEST(used_and_high_water),
      cmocka_unit_test(a_reset_arena_reuses_its_blocks),
      cmocka_unit_test(out_of_memory_leaks_nothing),
  };
  return test_run(tests, NULL, NULL);
}
