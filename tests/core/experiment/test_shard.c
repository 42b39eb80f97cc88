/* Numbers of shards, and what they have. */
#include "support/test.h"

#include <string.h>

#include "experiment/shard.h"
#include "support/expect.h"
#include "support/workspace.h"

static void numbers_are_read(void **state) {
  const workspace *w = *state;
  static const char *const bad[] = {"",
                                    "2",
                                    "0/3",
                                    "4/3",
                                    "2/",
                                    "/3",
                                    "-1/3",
                                    "1/0",
                                    "a/b",
                                    "1/2/",
                                    "2 /3",
                                    "1/100001",
                                    "1/99999999999999999999"};
  edgefw__shard shard = {0};
  expect_ok(w->ctx, edgefw__shard_parse(w->ctx, "2/8", &shard));
  assert_true(shard.index == 2 && shard.count == 8);
  expect_ok(w->ctx, edgefw__shard_parse(w->ctx, "1/1", &shard));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    expect_failure(w->ctx, edgefw__shard_parse(w->ctx, bad[i], &shard), EDGEFW_CONFIG,
                   "expected I/N");
}

static void the_mark_has_the_number(void **state) {
  const workspace *w = *state;
  const edgefw__shard shard = {12, 345};
  edgefw__shard read = {0};
  const char *mark = edgefw__shard_mark(w->arena, &shard);
  assert_true(edgefw__shard_read_mark(mark, &read));
  assert_true(read.index == 12 && read.count == 345);
  assert_false(edgefw__shard_read_mark("; Written by edgefw run, every key resolved.\n", &read));
  assert_false(edgefw__shard_read_mark("; Written by edgefw run --shard 9/3, ...\n", &read));
  assert_string_equal(edgefw__shard_folder(w->arena, "runs/a", &shard), "runs/a/shards/12-of-345");
}

/* Every instance is one shard's, and no shard has two more than another. */
static void instances_are_dealt_out_whole(void **state) {
  (void)state;
  for (int64_t count = 2; count < 20; ++count)
    for (int64_t shards = 1; shards < 24; ++shards) {
      const edgefw__instance_set sets[] = {{.name = "a", .count = 1},
                                           {.name = "b", .count = count}};
      int64_t next = 0;
      for (int64_t i = 1; i <= shards; ++i) {
        int64_t first = -1, end = -1;
        edgefw__shard_range(&(edgefw__shard){i, shards}, sets, 1, &first, &end);
        assert_int_equal(first, next);
        assert_in_range(end - first, count / shards, (count + shards - 1) / shards);
        next = end;
      }
      assert_int_equal(next, count);
    }
}

/* The second set is no library file and does not count. */
static void files_are_dealt_out_in_turn(void **state) {
  (void)state;
  const edgefw__instance_set sets[] = {{.name = "a", .count = 1},
                                       {.name = "b", .count = 9},
                                       {.name = "c", .count = 1},
                                       {.name = "d", .count = 1}};
  static const int owner[] = {1, 0, 2, 1};
  for (int set = 0; set < 4; ++set)
    for (int i = 1; owner[set] > 0 && i <= 2; ++i) {
      int64_t first = -1, end = -1;
      edgefw__shard_range(&(edgefw__shard){i, 2}, sets, set, &first, &end);
      assert_int_equal(first, 0);
      assert_int_equal(end, owner[set] == i);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_read),
                                     cmocka_unit_test(the_mark_has_the_number),
                                     cmocka_unit_test(instances_are_dealt_out_whole),
                                     cmocka_unit_test(files_are_dealt_out_in_turn)};
  return test_run(tests, workspace_set_up, workspace_tear_down);
}
