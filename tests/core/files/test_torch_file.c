/* What torch.save wrote: archives put together here, right ones and hostile ones. Files by PyTorch
 * itself are imported in tests/core/cli/test_cmd_model_import.c.
 * labels: oom */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "files/torch_file.h"
#include "support/io_support.h"
#include "support/npz_support.h"
#include "support/out_of_memory.h"
#include "support/pickle_support.h"

static int setup(void **state) {
  return io_file_set_up(state, "file.pt");
}

static const float numbers[6] = {0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F};

/* An archive of a pickle and one storage; `extra` is one more entry. */
static void write_archive(const char *path, const void *pickle, size_t length, size_t stored,
                          npz_entry extra) {
  const npz_entry entries[] = {{.name = "a/data.pkl", .bytes = pickle, .count = length},
                               {.name = "a/data/0", .bytes = numbers, .count = stored},
                               extra,
                               {.name = NULL}};
  npz_write(path, entries, false);
}

static edgefw_status open_pickle(io_file *f, const void *pickle, size_t length) {
  edgefw__torch_file *file = NULL;
  write_archive(f->path, pickle, length, sizeof numbers, (npz_entry){.name = NULL});
  const edgefw_status status = edgefw__torch_open(f->ctx, f->path, &file);
  edgefw__torch_close(file);
  return status;
}

#define TRANSPOSED TENSOR_OF(STORAGE, "K\0", "K\3K\2\x86", "K\1K\3\x86")
#define PART       TENSOR_OF(STORAGE, "K\1", "K\2\x85", "K\3\x85")
#define NESTED                                                                                     \
  PROTOCOL "}(" TEXT("\5", "epoch") "K\7" TEXT("\x10", "model_state_dict") "}(" TEXT("\1", "w")    \
      TENSOR TEXT("\1", "t") TRANSPOSED TEXT("\1", "p")                                            \
          PART TEXT("\1", "i") "K\1"                                                               \
                               "u" TEXT("\3", "opt") "}u."

static void tensors_are_gathered_by_their_strides(void **state) {
  io_file *f = *state;
  static const float transposed[] = {0, 3, 1, 4, 2, 5}, part[] = {1, 4};
  edgefw__torch_file *file = NULL;
  float values[6];
  int64_t rounded = 0, epoch = 0;
  write_archive(f->path, PICKLE(NESTED), sizeof numbers,
                (npz_entry){.name = "a/byteorder", .bytes = "little", .count = 6});
  assert_ok(f->ctx, edgefw__torch_open(f->ctx, f->path, &file));
  assert_int_equal(edgefw__torch_count(file), 3);
  assert_string_equal(edgefw__torch_at(file, 1)->name, "t");
  assert_int_equal(edgefw__torch_at(file, 1)->shape[0], 3);
  assert_string_equal(edgefw__torch_place(file), "model_state_dict");
  assert_string_equal(edgefw__torch_passed_over(file), "epoch, opt, i");
  assert_true(edgefw__torch_integer(file, "epoch", &epoch) && epoch == 7);
  assert_false(edgefw__torch_integer(file, "opt", &epoch));
  assert_ok(f->ctx, edgefw__torch_read(file, 1, values, &rounded));
  assert_memory_equal(values, transposed, sizeof transposed);
  assert_ok(f->ctx, edgefw__torch_read(file, 2, values, &rounded));
  assert_memory_equal(values, part, sizeof part);
  assert_ok(f->ctx, edgefw__torch_read(file, 0, values, &rounded));
  assert_memory_equal(values, numbers, sizeof numbers);
  edgefw__torch_close(file);
}

static void what_holds_no_state_dict_is_refused(void **state) {
  io_file *f = *state;
  static const struct {
    const unsigned char *bytes;
    size_t length;
    edgefw_status status;
    const char *message;
  } bad[] = {
      {PICKLE(PROTOCOL TENSOR "."), EDGEFW_UNSUPPORTED, "holds a tensor, expected a state dict"},
      {PICKLE(PROTOCOL "K\1."), EDGEFW_UNSUPPORTED, "holds a whole number"},
      {PICKLE(PROTOCOL "}(" TEXT("\1", "a") "K\1" TEXT("\5", "model") "}u."), EDGEFW_UNSUPPORTED,
       "its keys are: a, model"},
      {PICKLE(PROTOCOL "}(K\1" TENSOR "u."), EDGEFW_FORMAT, "no text of 1 to 255 bytes"},
      {PICKLE(PROTOCOL "}(" TEXT("\0", "") TENSOR "u."), EDGEFW_FORMAT, "no text of 1 to 255"},
      {PICKLE(PROTOCOL "}(" TEXT("\1", "w") TENSOR TEXT("\1", "w") TENSOR "u."), EDGEFW_FORMAT,
       "two tensors of the name 'w'"},
      {PICKLE(PROTOCOL "cos\nsystem\n."), EDGEFW_UNSUPPORTED, "names os.system"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    assert_fails(f->ctx, open_pickle(f, bad[i].bytes, bad[i].length), bad[i].status,
                 bad[i].message);
}

/* Five names for one storage: reading them all would take more than the file could hold. */
static void tensors_share_few_numbers(void **state) {
  io_file *f = *state;
#define SHARED(names) PROTOCOL "}(" names "u."
#define NAMED(name)   TEXT("\1", name) TENSOR
#define FOUR          NAMED("a") NAMED("b") NAMED("c") NAMED("d")
  assert_ok(f->ctx, open_pickle(f, PICKLE(SHARED(FOUR))));
  assert_fails(f->ctx, open_pickle(f, PICKLE(SHARED(FOUR NAMED("e")))), EDGEFW_FORMAT,
               "more than 4 times the numbers");
}

static edgefw_status open_with(io_file *f, npz_entry extra) {
  edgefw__torch_file *file = NULL;
  write_archive(f->path, PICKLE(NESTED), sizeof numbers, extra);
  const edgefw_status status = edgefw__torch_open(f->ctx, f->path, &file);
  edgefw__torch_close(file);
  return status;
}

static void other_archives_are_refused(void **state) {
  io_file *f = *state;
  edgefw__torch_file *file = NULL;
  assert_fails(f->ctx, open_with(f, (npz_entry){.name = "a/byteorder", .bytes = "big", .count = 3}),
               EDGEFW_UNSUPPORTED, "in the byte order 'big'");
  assert_fails(f->ctx,
               open_with(f, (npz_entry){.name = "a/constants.pkl", .bytes = "x", .count = 1}),
               EDGEFW_UNSUPPORTED, "TorchScript");
  assert_fails(f->ctx, open_with(f, (npz_entry){.name = "b/data.pkl", .bytes = "x", .count = 1}),
               EDGEFW_FORMAT, "more than one entry */data.pkl");
  const npz_entry entries[] = {{.name = "data.pkl", .bytes = "x", .count = 1}, {.name = NULL}};
  npz_write(f->path, entries, false);
  assert_fails(f->ctx, edgefw__torch_open(f->ctx, f->path, &file), EDGEFW_FORMAT,
               "without an entry NAME/data.pkl");
  io_write(f->path, "PK\3\4", 4);
  assert_fails(f->ctx, edgefw__torch_open(f->ctx, f->path, &file), EDGEFW_FORMAT, "zip archive");
}

static edgefw_status read_first(io_file *f, const void *pickle, size_t length, size_t stored) {
  edgefw__torch_file *file = NULL;
  float values[6];
  int64_t rounded = 0;
  write_archive(f->path, pickle, length, stored, (npz_entry){.name = NULL});
  edgefw_status status = edgefw__torch_open(f->ctx, f->path, &file);
  assert_ok(f->ctx, status);
  for (int t = 0; status == EDGEFW_OK && t < edgefw__torch_count(file); ++t)
    status = edgefw__torch_read(file, t, values, &rounded);
  edgefw__torch_close(file);
  return status;
}

/* What the pickle says of a storage must be what the archive holds. */
static void storages_of_other_sizes_are_refused(void **state) {
  io_file *f = *state;
#define OTHER(type, key, count, sizes)                                                             \
  TENSOR_OF(STORAGE_OF(type, key, count), "K\0", sizes, "K\1\x85")
  assert_fails(f->ctx, read_first(f, PICKLE(NESTED), 20), EDGEFW_FORMAT,
               "the storage data/0 has 20 bytes, expected 6 numbers of 4 bytes");
  assert_fails(f->ctx, read_first(f, PICKLE(NESTED), 0), EDGEFW_FORMAT, "has 0 bytes");
  assert_fails(f->ctx,
               read_first(f,
                          PICKLE(PROTOCOL "}" TEXT("\1", "w")
                                     OTHER("FloatStorage", "7", "K\6", "K\6\x85") "s."),
                          24),
               EDGEFW_FORMAT, "lacks the storage data/7");
  assert_fails(f->ctx,
               read_first(f,
                          PICKLE(PROTOCOL "}" TEXT("\1", "w") OTHER(
                              "FloatStorage", "0", "J\xff\xff\xff\x7f", "K\1\x85") "s."),
                          24),
               EDGEFW_FORMAT, "expected 2147483647 numbers");
  /* The same storage a second time, as a larger one: what is in memory has another size. */
  assert_fails(f->ctx,
               read_first(f,
                          PICKLE(PROTOCOL "}(" TEXT("\1", "w") TENSOR TEXT("\1", "v")
                                     OTHER("DoubleStorage", "0", "K\6", "K\6\x85") "u."),
                          24),
               EDGEFW_FORMAT, "expected 6 numbers of 8 bytes");
}

static void damaged_files_do_no_harm(void **state) {
  io_file *f = *state;
  size_t length = 0;
  write_archive(f->path, PICKLE(NESTED), sizeof numbers, (npz_entry){.name = NULL});
  char *bytes = io_read(f->path, &length), *damaged = malloc(length);
  assert_non_null(damaged);
  for (uint64_t trial = 0; trial < 1200; ++trial) {
    edgefw__torch_file *file = NULL;
    float values[24];
    int64_t rounded = 0;
    if (trial < length / 4)
      io_write(f->path, bytes, (size_t)trial * 4);
    else
      io_damage(bytes, length, trial, damaged), io_write(f->path, damaged, length);
    edgefw_status status = edgefw__torch_open(f->ctx, f->path, &file);
    assert_true(trial >= length / 4 || status != EDGEFW_OK);
    for (int t = 0; status == EDGEFW_OK && t < edgefw__torch_count(file); ++t)
      status = edgefw__torch_read(file, t, values, &rounded);
    edgefw__torch_close(file);
    edgefw_clear(f->ctx);
  }
  free(damaged);
  free(bytes);
}

static edgefw_status read_all(edgefw_context *ctx, void *user) {
  edgefw__torch_file *file = NULL;
  float values[6];
  int64_t rounded = 0;
  edgefw_status status = edgefw__torch_open(ctx, user, &file);
  if (status == EDGEFW_OK) status = edgefw__torch_read(file, 0, values, &rounded);
  edgefw__torch_close(file);
  return status;
}

static void running_out_of_memory_is_reported(void **state) {
  io_file *f = *state;
  write_archive(f->path, PICKLE(NESTED), sizeof numbers, (npz_entry){.name = NULL});
  out_of_memory_sweep(read_all, f->path);
}

static void heads_are_told_apart(void **state) {
  (void)state;
  assert_true(edgefw__torch_begins((const unsigned char *)"PK\3\4", 4));
  assert_false(edgefw__torch_begins((const unsigned char *)"PK\3", 3));
  static const unsigned char legacy[] = "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.";
  assert_true(edgefw__torch_legacy_begins(legacy, sizeof legacy - 1));
  assert_false(edgefw__torch_legacy_begins(legacy, 13));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(tensors_are_gathered_by_their_strides, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(what_holds_no_state_dict_is_refused, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(tensors_share_few_numbers, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(other_archives_are_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(storages_of_other_sizes_are_refused, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(damaged_files_do_no_harm, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_is_reported, setup, io_file_tear_down),
      cmocka_unit_test(heads_are_told_apart),
  };
  return test_run(tests, NULL, NULL);
}
