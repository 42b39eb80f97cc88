/* Values of pickles: looking into dicts, and views of storages that must lie within them. */
#include "support/test.h"

#include <string.h>

#include "files/pickle_value.h"
#include "support/io_support.h"

static int setup(void **state) {
  return io_file_set_up(state, "unused");
}

static edgefw__pickle_value text(edgefw_arena *arena, const char *bytes) {
  const size_t length = strlen(bytes);
  edgefw__pickle_text *t = edgefw_arena_take(arena, sizeof *t + length + 1, 1);
  assert_non_null(t);
  t->length = length;
  t->plain = true;
  memcpy(t->bytes, bytes, length);
  return (edgefw__pickle_value){.kind = EDGEFW__PICKLE_TEXT, .as.text = t};
}

static edgefw__pickle_value whole(int64_t number) {
  return (edgefw__pickle_value){.kind = EDGEFW__PICKLE_INTEGER, .as.integer = number};
}

static edgefw__pickle_value tuple(edgefw_arena *arena, const edgefw__pickle_value *from,
                                  size_t count) {
  edgefw__pickle_items *items = edgefw_arena_take(arena, 1, sizeof *items);
  assert_non_null(items);
  for (size_t k = 0; k < count; ++k) assert_true(edgefw__pickle_push(arena, items, from[k]));
  return (edgefw__pickle_value){.kind = EDGEFW__PICKLE_TUPLE, .as.items = items};
}

static edgefw__pickle_value sizes(edgefw_arena *arena, const int64_t *numbers, size_t count) {
  edgefw__pickle_value values[16];
  for (size_t k = 0; k < count; ++k) values[k] = whole(numbers[k]);
  return tuple(arena, values, count);
}

static void dicts_are_looked_into(void **state) {
  io_file *f = *state;
  edgefw_arena *arena = NULL;
  assert_ok(f->ctx, edgefw_arena_create(f->ctx, &arena, "values", 0, true));
  const edgefw__pickle_value pairs[] = {text(arena, "a"), whole(1),         whole(7),
                                        whole(2),         text(arena, "a"), whole(3)};
  edgefw__pickle_value dict = tuple(arena, pairs, 6);
  assert_null(edgefw__pickle_get(&dict, "a")); /* a tuple is none */
  dict.kind = EDGEFW__PICKLE_DICT;
  assert_int_equal(edgefw__pickle_get(&dict, "a")->as.integer, 3);
  assert_null(edgefw__pickle_get(&dict, "b"));
  assert_null(edgefw__pickle_string(&pairs[1]));
  const edgefw__pickle_value longer = text(arena, "ab");
  assert_string_equal(edgefw__pickle_string(&longer), "ab");
  assert_non_null(edgefw__pickle_global_find("collections", "OrderedDict"));
  assert_null(edgefw__pickle_global_find("os", "system"));
  assert_string_equal(edgefw__pickle_kind_text(EDGEFW__PICKLE_TENSOR), "a tensor");
  edgefw_arena_destroy(arena);
}

static bool try_view(edgefw_arena *arena, int64_t numbers, int64_t offset, const int64_t *shape,
                     const int64_t *stride, size_t rank) {
  const edgefw__pickle_storage storage = {EDGEFW__NUMBER_F32, "FloatStorage", "0", numbers};
  const edgefw__pickle_value arguments[] = {
      {.kind = EDGEFW__PICKLE_STORAGE, .as.storage = &storage},
      whole(offset),
      sizes(arena, shape, rank),
      sizes(arena, stride, rank)};
  const edgefw__pickle_value given = tuple(arena, arguments, 4);
  edgefw__pickle_value out;
  const char *why = NULL;
  const bool good = edgefw__pickle_tensor_of(
      arena, edgefw__pickle_global_find("torch._utils", "_rebuild_tensor_v2"), &given, &out, &why);
  assert_true(good ? out.kind == EDGEFW__PICKLE_TENSOR : why != NULL);
  for (size_t axis = 0; good && axis < rank; ++axis) /* adding it up must not overflow */
    if (shape[axis] <= 1) assert_int_equal(out.as.tensor->stride[axis], 0);
  return good;
}

#define VIEW(numbers, offset, shape, stride)                                                       \
  try_view(arena, numbers, offset, (const int64_t[])shape, (const int64_t[])stride,                \
           sizeof((const int64_t[])shape) / sizeof(int64_t))
#define LIST(...)                                                                                  \
  { __VA_ARGS__ }

static void views_lie_within_their_storage(void **state) {
  io_file *f = *state;
  edgefw_arena *arena = NULL;
  assert_ok(f->ctx, edgefw_arena_create(f->ctx, &arena, "values", 0, true));
  assert_true(VIEW(6, 0, LIST(2, 3), LIST(3, 1)));
  assert_true(VIEW(6, 0, LIST(3, 2), LIST(1, 3))); /* transposed */
  assert_true(VIEW(6, 3, LIST(3), LIST(1)));
  assert_true(VIEW(6, 0, LIST(3), LIST(2)));
  assert_true(VIEW(6, 6, LIST(0), LIST(1)));
  assert_true(VIEW(6, 0, LIST(1, 1), LIST(INT64_MAX, INT64_MAX))); /* strides that are not used */
  assert_false(VIEW(6, 1, LIST(2, 3), LIST(3, 1)));
  assert_false(VIEW(6, 7, LIST(0), LIST(1)));
  assert_false(VIEW(6, -1, LIST(1), LIST(1)));
  assert_false(VIEW(6, 0, LIST(4), LIST(2)));
  assert_false(VIEW(6, 0, LIST(7), LIST(0))); /* more numbers than there are */
  assert_false(VIEW(6, 0, LIST(2), LIST(-1)));
  assert_false(VIEW(6, 0, LIST(-2), LIST(1)));
  assert_false(VIEW(6, 0, LIST(2, 2), LIST(INT64_MAX, INT64_MAX)));
  assert_false(VIEW(6, 5, LIST(2, 2), LIST(INT64_MAX, 1)));
  assert_false(VIEW(6, 0, LIST(INT64_C(1) << 33, INT64_C(1) << 33), LIST(0, 0)));
  assert_false(VIEW(6, 0, LIST(1, 1, 1, 1, 1, 1, 1, 1, 1), LIST(1, 1, 1, 1, 1, 1, 1, 1, 1)));
  edgefw_arena_destroy(arena);
}

static bool try_storage(edgefw_arena *arena, const char *word, const char *key, int64_t numbers) {
  const edgefw__pickle_value parts[] = {
      text(arena, word),
      {.kind = EDGEFW__PICKLE_GLOBAL,
       .as.global = edgefw__pickle_global_find("torch", "HalfStorage")},
      text(arena, key),
      text(arena, "cuda:0"),
      whole(numbers)};
  const edgefw__pickle_value id = tuple(arena, parts, 5);
  edgefw__pickle_value out;
  const char *why = NULL;
  if (!edgefw__pickle_storage_of(arena, &id, &out, &why)) return false;
  assert_true(out.as.storage->type == EDGEFW__NUMBER_F16 && out.as.storage->count == numbers);
  return true;
}

static void storages_are_described(void **state) {
  io_file *f = *state;
  edgefw_arena *arena = NULL;
  assert_ok(f->ctx, edgefw_arena_create(f->ctx, &arena, "values", 0, true));
  assert_true(try_storage(arena, "storage", "12", 80));
  assert_false(try_storage(arena, "module", "12", 80));
  assert_false(try_storage(arena, "storage", "1\n2", 80));
  assert_false(try_storage(arena, "storage", "12", -1));
  assert_false(try_storage(arena, "storage", "12", EDGEFW__MOST_NUMBERS));
  edgefw_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(dicts_are_looked_into, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(views_lie_within_their_storage, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(storages_are_described, setup, io_file_tear_down)};
  return test_run(tests, NULL, NULL);
}
