/* The machine that reads pickles: what state dicts are made of, and what is refused, with its
 * place. labels: oom */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "files/pickle.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"
#include "support/pickle_support.h"

static int setup(void **state) {
  return io_file_set_up(state, "unused");
}

static edgefw_status read(io_file *f, const unsigned char *bytes, size_t length) {
  edgefw_arena *arena = NULL;
  edgefw__pickle_value value;
  /* Memory of its own, so that AddressSanitizer sees a step too far. */
  unsigned char *copy = malloc(length ? length : 1);
  assert_non_null(copy);
  memcpy(copy, bytes, length);
  assert_ok(f->ctx, edgefw_arena_create(f->ctx, &arena, "values", 0, true));
  const edgefw_status status = edgefw__pickle_read(f->ctx, arena, "x.pt", copy, length, &value);
  edgefw_arena_destroy(arena);
  free(copy);
  return status;
}

static void a_state_dict_is_read(void **state) {
  io_file *f = *state;
  edgefw_arena *arena = NULL;
  edgefw__pickle_value value;
  assert_ok(f->ctx, edgefw_arena_create(f->ctx, &arena, "values", 0, true));
  assert_ok(
      f->ctx,
      edgefw__pickle_read(
          f->ctx, arena, "x.pt",
          PICKLE(PROTOCOL "ccollections\nOrderedDict\nq\0)Rq\1(" TEXT("\1", "w") "q\2" TENSOR
                     TEXT("\1", "n") "J\xff\xff\xff\xff" TEXT("\1", "l") "\x8a\2\0\1" TEXT(
                         "\1", "f") "G\x3f\xe0\0\0\0\0\0\0" TEXT("\1", "h") "h\1"
                                                                            "u}" TEXT("\1",
                                                                                      "m") "Nsb."),
          &value));
  assert_int_equal(value.kind, EDGEFW__PICKLE_DICT);
  const edgefw__pickle_tensor *tensor = edgefw__pickle_get(&value, "w")->as.tensor;
  assert_true(tensor->rank == 2 && tensor->shape[1] == 3 && tensor->stride[0] == 3);
  assert_string_equal(tensor->storage->key, "0");
  assert_int_equal(edgefw__pickle_get(&value, "n")->as.integer, -1);
  assert_int_equal(edgefw__pickle_get(&value, "l")->as.integer, 256);
  assert_true(edgefw__pickle_get(&value, "f")->as.real == 0.5);
  /* A dict that holds itself. */
  assert_ptr_equal(edgefw__pickle_get(&value, "h")->as.items, value.as.items);
  edgefw_arena_destroy(arena);
}

/* Opcodes of newer protocols, and objects that are passed over. */
static void objects_beside_tensors_are_passed_over(void **state) {
  io_file *f = *state;
  assert_ok(f->ctx, read(f, PICKLE("\x80\x04\x95\x03\0\0\0\0\0\0\0\x8f\x94.")));
  assert_ok(f->ctx, read(f, PICKLE("\x80\x04\x8f(K\1K\2\x90.")));
  assert_ok(f->ctx, read(f, PICKLE("\x80\x05\x8c\x0b"
                                   "collections\x8c\x07"
                                   "Counter\x93}\x85R.")));
  assert_ok(f->ctx, read(f, PICKLE(PROTOCOL "c__builtin__\nset\n](K\1K\2e\x85R.")));
  assert_ok(f->ctx, read(f, PICKLE(PROTOCOL "\x8a\x09\0\0\0\0\0\0\0\0\1.")));
  assert_ok(f->ctx, read(f, PICKLE("\x80\x03"
                                   "cnumpy\ndtype\nC\2ab\x85R(K\3Ntb.")));
  assert_ok(f->ctx, read(f, PICKLE(PROTOCOL "]K\1aK\2a.")));
  assert_ok(f->ctx,
            read(f, PICKLE(PROTOCOL "ctorch._utils\n_rebuild_parameter\n(" TENSOR "\x88NtR.")));
}

static void what_no_state_dict_needs_is_refused(void **state) {
  io_file *f = *state;
  static const struct {
    const unsigned char *bytes;
    size_t length;
    const char *message;
  } bad[] = {
      {PICKLE(PROTOCOL "cos\nsystem\nX\4\0\0\0true\x85R."), "byte 2 of its pickle names os.system"},
      {PICKLE("\x80\x04\x8c\x02"
              "os\x8c\x06system\x93."),
       "byte 14 of its pickle names os.system"},
      {PICKLE(PROTOCOL "cbuiltins\neval\n."), "names builtins.eval"},
      {PICKLE(PROTOCOL "ctorch._utils\n_rebuild_tensor_v3\n."), "_rebuild_tensor_v3"},
      {PICKLE(PROTOCOL "c__torch__\nModel\n."), "save model.state_dict() alone"},
      {PICKLE(PROTOCOL "ccollections\0x\nOrderedDict\n."), "names collections.OrderedDict"},
      {PICKLE(PROTOCOL "S'a'\n."), "byte 2 of its pickle: opcode 0x53 ('S')"},
      {PICKLE(PROTOCOL "(ios\nsystem\n."), "byte 3 of its pickle: opcode 0x69 ('i')"},
      {PICKLE(PROTOCOL "\x82\1."), "opcode 0x82, which"},
      {PICKLE(PROTOCOL ")\x81."), "opcode 0x81"},
      {PICKLE("\x80\x06N."), "its protocol is none of 2 to 5"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    assert_fails(f->ctx, read(f, bad[i].bytes, bad[i].length), EDGEFW_UNSUPPORTED, bad[i].message);
}

static void damage_is_refused_with_its_place(void **state) {
  io_file *f = *state;
  static const struct {
    const unsigned char *bytes;
    size_t length;
    const char *message;
  } bad[] = {
      {PICKLE(""), "does not begin with a protocol"},
      {PICKLE("N."), "does not begin with a protocol"},
      {PICKLE(PROTOCOL), "byte 2 of its pickle: it ends in the middle"},
      {PICKLE(PROTOCOL "J\1\2"), "it ends in the middle"},
      {PICKLE(PROTOCOL "cos"), "it ends in the middle"},
      {PICKLE(PROTOCOL "X\xff\xff\xff\xffy."), "a text is longer than the pickle"},
      {PICKLE("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffy."), "a text is longer"},
      {PICKLE("\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7fN."), "a frame is longer"},
      {PICKLE("\x80\x03"
              "B\xff\xff\xff\xffN."),
       "bytes are longer"},
      {PICKLE(PROTOCOL "."), "other than one value"},
      {PICKLE(PROTOCOL "NN."), "other than one value"},
      {PICKLE(PROTOCOL "(N."), "other than one value"},
      {PICKLE(PROTOCOL "N.N"), "goes on behind its end"},
      {PICKLE(PROTOCOL "\x86."), "needs more values"},
      {PICKLE(PROTOCOL "N(\x85."), "needs more values"},
      {PICKLE(PROTOCOL "t."), "needs a mark"},
      {PICKLE(PROTOCOL "}(K\1u."), "a key has no value"},
      {PICKLE(PROTOCOL "N(u."), "what is no list and no dict"},
      {PICKLE(PROTOCOL "]K\1K\2s."), "what is no list and no dict"},
      {PICKLE(PROTOCOL "h\0."), "the memo has no such number"},
      {PICKLE(PROTOCOL "Nq\2h\1."), "the memo has no such number"},
      {PICKLE(PROTOCOL "Nr\xff\xff\xff\x7f."), "more numbers than the pickle has bytes"},
      {PICKLE(PROTOCOL "q\0."), "needs more values"},
      {PICKLE(PROTOCOL "N)R."), "what is called is no name"},
      {PICKLE(PROTOCOL "ctorch\nSize\nNR."), "what it is given is no tuple"},
      {PICKLE(PROTOCOL "ctorch\nFloatStorage\n)R."), "a storage cannot be called"},
      {PICKLE(PROTOCOL "ccollections\nOrderedDict\n]\x85R."), "given items at once"},
      {PICKLE(PROTOCOL "K\1}b."), "state is given to what has none"},
      {PICKLE(PROTOCOL "NQ."), "a persistent id is not"},
      {PICKLE(PROTOCOL TENSOR_OF("N", "K\0", "K\6\x85", "K\1\x85") "."), "is not given a storage"},
      {PICKLE(PROTOCOL TENSOR_OF(STORAGE, "K\0", "K\7\x85", "K\1\x85") "."), "beyond its storage"},
      {PICKLE(PROTOCOL TENSOR_OF(STORAGE, "K\1", "K\6\x85", "K\1\x85") "."), "beyond its storage"},
      {PICKLE(PROTOCOL TENSOR_OF(STORAGE, "K\0", "K\2K\3\x86", "K\4K\1\x86") "."), "beyond"},
      {PICKLE(PROTOCOL "ctorch._utils\n_rebuild_parameter\nN\x85R."), "is not given a tensor"},
      {PICKLE(PROTOCOL "\x8c\2os\x8c\6systemK\1\x93."), "a name is no text"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    assert_fails(f->ctx, read(f, bad[i].bytes, bad[i].length), EDGEFW_FORMAT, bad[i].message);
}

/* Each byte of the memo makes the value twice as large for whoever unfolds it; nobody does. */
static void a_bomb_of_references_is_harmless(void **state) {
  io_file *f = *state;
  unsigned char bytes[512] = PROTOCOL "(]q"; /* and the number 0 */
  size_t length = 6;
  for (int level = 0; level < 60; ++level) {
    const unsigned char n = (unsigned char)level;
    const unsigned char step[] = {'h', n, 'h', n, 0x86, 'q', (unsigned char)(n + 1)};
    memcpy(bytes + length, step, sizeof step);
    length += sizeof step;
  }
  memcpy(bytes + length, "t.", 2); /* all that is on the stack */
  assert_ok(f->ctx, read(f, bytes, length + 2));
}

static void long_pickles_are_refused_at_once(void **state) {
  io_file *f = *state;
  const size_t length = EDGEFW__PICKLE_MAX_BYTES + 1;
  unsigned char *bytes = malloc(length);
  assert_non_null(bytes);
  memset(bytes, 'N', length);
  assert_fails(f->ctx, read(f, bytes, length), EDGEFW_UNSUPPORTED, "at most 4194304 are read");
  free(bytes);
}

static edgefw_status read_one(edgefw_context *ctx, void *user) {
  edgefw_arena *arena = NULL;
  edgefw__pickle_value value;
  (void)user;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "values", 0, true);
  if (status == EDGEFW_OK)
    status = edgefw__pickle_read(ctx, arena, "x.pt",
                                 PICKLE(PROTOCOL "}(" TEXT("\1", "w") "q\2" TENSOR "u."), &value);
  edgefw_arena_destroy(arena);
  return status;
}

static void running_out_of_memory_is_reported(void **state) {
  (void)state;
  out_of_memory_sweep(read_one, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_state_dict_is_read, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(objects_beside_tensors_are_passed_over, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(what_no_state_dict_needs_is_refused, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(damage_is_refused_with_its_place, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(a_bomb_of_references_is_harmless, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(long_pickles_are_refused_at_once, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_is_reported, setup, io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
