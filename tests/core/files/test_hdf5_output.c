/* Writing HDF5: what is written is read, the same content is the same bytes, failures leave the old
 * file. */
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/hdf5_input.h"
#include "files/hdf5_output.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"

static int setup(void **state) {
  return io_file_set_up(state, "file.h5");
}

static const float numbers[6] = {1, 2, 3, 4, 5, 6};

static edgefw_status write_sample(edgefw_context *ctx, const char *path, edgefw__hdf5_medium medium,
                                  const char *text) {
  edgefw__hdf5_output out;
  const edgefw_status status = edgefw__hdf5_create(ctx, path, "edgefw-test", 1, medium, &out);
  if (status != EDGEFW_OK) return status;
  const int64_t shape[] = {3, 2}, chunk[] = {1, 2};
  edgefw__hdf5_put_text(&out, out.file, "text", text);
  const hid_t group = edgefw__hdf5_put_group(&out, out.file, "group");
  edgefw__hdf5_put_array(&out, group, "whole", 2, shape, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, numbers);
  const hid_t array = edgefw__hdf5_new_array(&out, group, "parts", 2, shape, chunk, H5T_STD_I32LE);
  edgefw__hdf5_put_rows(&out, array, 2, 1, H5T_NATIVE_FLOAT, numbers + 4);
  edgefw__hdf5_put_rows(&out, array, 0, 2, H5T_NATIVE_FLOAT, numbers);
  H5Dclose(array);
  H5Gclose(group);
  return edgefw__hdf5_finish(&out);
}

static void check_round_trip(io_file *f, edgefw__hdf5_medium medium) {
  char *long_text = calloc(1, 200001); /* longer than an attribute proper may be */
  memset(long_text, 'x', 200000);
  assert_ok(f->ctx, write_sample(f->ctx, f->path, medium, long_text));
  assert_int_equal(io_count_entries(f->folder), 1);
  edgefw__hdf5_input in;
  assert_ok(f->ctx, edgefw__hdf5_open(f->ctx, f->path, "edgefw-test", 1, &in));
  char *text = NULL;
  assert_ok(f->ctx, edgefw__hdf5_get_text(&in, in.file, "text", &text));
  assert_string_equal(text, long_text);
  edgefw_release(f->ctx, text);
  hid_t group = H5I_INVALID_HID;
  assert_ok(f->ctx, edgefw__hdf5_group(&in, in.file, "group", &group));
  static const char *const names[] = {"whole", "parts"};
  for (int i = 0; i < 2; ++i) {
    edgefw__hdf5_array array;
    float read[6];
    assert_ok(f->ctx, edgefw__hdf5_array_open(&in, group, names[i], &array));
    assert_ok(f->ctx, edgefw__hdf5_array_read(&in, &array, names[i], 0, 3, H5T_NATIVE_FLOAT, read));
    assert_memory_equal(read, numbers, sizeof numbers);
    edgefw__hdf5_array_close(&array);
  }
  H5Gclose(group);
  edgefw__hdf5_close(&in);
  free(long_text);
}

static void what_is_written_is_read(void **state) {
  check_round_trip(*state, EDGEFW__HDF5_IN_MEMORY);
  check_round_trip(*state, EDGEFW__HDF5_ON_DISK);
}

static void the_same_content_is_the_same_bytes(void **state) {
  io_file *f = *state;
  char other[512];
  assert_ok(f->ctx, write_sample(f->ctx, f->path, EDGEFW__HDF5_IN_MEMORY, "t"));
  assert_ok(f->ctx,
            write_sample(f->ctx, io_path(other, f->folder, "other.h5"), EDGEFW__HDF5_ON_DISK, "t"));
  size_t length_a = 0, length_b = 0;
  char *a = io_read(f->path, &length_a), *b = io_read(other, &length_b);
  assert_int_equal(length_a, length_b);
  assert_memory_equal(a, b, length_a);
  free(a);
  free(b);
}

static void check_failures(io_file *f, edgefw__hdf5_medium medium) {
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  io_write(f->path, "old", 3);
  edgefw__hdf5_output out;
  /* A group twice: a sticky failure. */
  assert_ok(f->ctx, edgefw__hdf5_create(f->ctx, f->path, "edgefw-test", 1, medium, &out));
  H5Gclose(edgefw__hdf5_put_group(&out, out.file, "g"));
  assert_false(out.failed);
  assert_true(edgefw__hdf5_put_group(&out, out.file, "g") < 0);
  assert_true(out.failed);
  assert_fails(f->ctx, edgefw__hdf5_finish(&out), EDGEFW_IO, "cannot write");
  assert_ok(f->ctx, edgefw__hdf5_create(f->ctx, f->path, "edgefw-test", 1, medium, &out));
  edgefw__hdf5_abandon(&out);
  edgefw__hdf5_abandon(&out);
  assert_fails(f->ctx, write_sample(f->ctx, "/no/x.h5", medium, "t"), EDGEFW_IO,
               "'/no/x.h5': No such file");
  edgefw__hdf5_silence_end(&silence);
  assert_int_equal(io_count_entries(f->folder), 1);
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  assert_string_equal(bytes, "old");
  free(bytes);
}

static void failures_leave_the_old_file(void **state) {
  check_failures(*state, EDGEFW__HDF5_IN_MEMORY);
  check_failures(*state, EDGEFW__HDF5_ON_DISK);
}

/* A full disk, played by the process's limit on file sizes. */
static void a_full_disk_leaves_the_old_file(void **state) {
  io_file *f = *state;
  io_write(f->path, "old", 3);
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small = {4000, before.rlim_max};
  char *text = calloc(1, 100001);
  memset(text, 'x', 100000);
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  const edgefw_status status = write_sample(f->ctx, f->path, EDGEFW__HDF5_IN_MEMORY, text);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  edgefw__hdf5_silence_end(&silence);
  signal(SIGXFSZ, handler);
  free(text);
  assert_fails(f->ctx, status, EDGEFW_IO, "cannot write");
  assert_int_equal(io_count_entries(f->folder), 1);
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  assert_string_equal(bytes, "old");
  free(bytes);
}

static void room_is_asked_for_on_disk(void **state) {
  io_file *f = *state;
  edgefw__hdf5_output out;
  assert_ok(f->ctx,
            edgefw__hdf5_create(f->ctx, f->path, "edgefw-test", 1, EDGEFW__HDF5_IN_MEMORY, &out));
  assert_ok(f->ctx, edgefw__hdf5_reserve(&out, INT64_MAX));
  edgefw__hdf5_abandon(&out);
  assert_ok(f->ctx,
            edgefw__hdf5_create(f->ctx, f->path, "edgefw-test", 1, EDGEFW__HDF5_ON_DISK, &out));
  assert_fails(f->ctx, edgefw__hdf5_reserve(&out, INT64_MAX), EDGEFW_IO, "MB may be needed");
  edgefw__hdf5_abandon(&out);
  assert_int_equal(io_count_entries(f->folder), 0);
}

static void check_memory(io_file *f, edgefw__hdf5_medium medium) {
  (void)remove(f->path);
  for (int64_t n = 1;; ++n) {
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx = NULL;
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    const edgefw_status status = write_sample(ctx, f->path, medium, "t");
    const bool failed = failing_allocator_failed(&memory);
    assert_int_equal(status, failed ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
    assert_int_equal(io_count_entries(f->folder), failed ? 0 : 1);
    if (!failed) break;
  }
}

static void running_out_of_memory_leaks_nothing(void **state) {
  check_memory(*state, EDGEFW__HDF5_IN_MEMORY);
  check_memory(*state, EDGEFW__HDF5_ON_DISK);
}

static void a_file_can_be_extended(void **state) {
  io_file *f = *state;
  edgefw__hdf5_output output;
  const int64_t seven = 7;
  assert_ok(f->ctx, write_sample(f->ctx, f->path, EDGEFW__HDF5_ON_DISK, "t"));
  assert_ok(f->ctx, edgefw__hdf5_extend(f->ctx, f->path, &output));
  edgefw__hdf5_put_number(&output, output.file, "more", H5T_NATIVE_INT64, &seven);
  edgefw__hdf5_abandon(&output); /* the old one stays */
  assert_ok(f->ctx, edgefw__hdf5_extend(f->ctx, f->path, &output));
  assert_false(edgefw__hdf5_has(output.file, "more"));
  edgefw__hdf5_put_number(&output, output.file, "more", H5T_NATIVE_INT64, &seven);
  assert_ok(f->ctx, edgefw__hdf5_finish(&output));
  assert_ok(f->ctx, edgefw__hdf5_extend(f->ctx, f->path, &output));
  assert_true(edgefw__hdf5_has(output.file, "more"));
  edgefw__hdf5_abandon(&output);
  assert_int_equal(io_count_entries(f->folder), 1);
  io_write(f->path, "text", 4);
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  assert_fails(f->ctx, edgefw__hdf5_extend(f->ctx, f->path, &output), EDGEFW_IO, "cannot open it");
  edgefw__hdf5_silence_end(&silence);
  unlink(f->path);
  assert_fails(f->ctx, edgefw__hdf5_extend(f->ctx, f->path, &output), EDGEFW_IO, "cannot copy");
  assert_int_equal(io_count_entries(f->folder), 0);
}

/* Where a link leads somewhere, the file there is written, and who may read it may read it still.
 */
static void links_and_permissions_stay(void **state) {
  io_file *f = *state;
  edgefw__hdf5_output output;
  char link[512];
  struct stat info;
  const int64_t seven = 7;
  io_path(link, f->folder, "link.h5");
  assert_ok(f->ctx, write_sample(f->ctx, f->path, EDGEFW__HDF5_ON_DISK, "t"));
  assert_int_equal(chmod(f->path, 0640), 0);
  assert_int_equal(symlink(f->path, link), 0);
  assert_ok(f->ctx, edgefw__hdf5_extend(f->ctx, link, &output));
  assert_int_equal(stat(output.temporary, &info), 0);
  assert_int_equal(info.st_mode & 07777, 0640);
  edgefw__hdf5_put_number(&output, output.file, "more", H5T_NATIVE_INT64, &seven);
  assert_ok(f->ctx, edgefw__hdf5_finish(&output));
  assert_int_equal(lstat(link, &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(lstat(f->path, &info), 0);
  assert_true(S_ISREG(info.st_mode));
  assert_int_equal(info.st_mode & 07777, 0640);
  assert_ok(f->ctx, edgefw__hdf5_extend(f->ctx, f->path, &output));
  assert_true(edgefw__hdf5_has(output.file, "more"));
  edgefw__hdf5_abandon(&output);
  assert_int_equal(io_count_entries(f->folder), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_is_written_is_read, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(the_same_content_is_the_same_bytes, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(a_file_can_be_extended, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(links_and_permissions_stay, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(room_is_asked_for_on_disk, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(failures_leave_the_old_file, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaks_nothing, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(a_full_disk_leaves_the_old_file, setup, io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
