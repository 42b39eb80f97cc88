/* Reading HDF5: attributes and arrays of other programs, and hostile ones. */
#include "support/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/hdf5_input.h"
#include "support/io_support.h"

#define FORMAT "edgefw-test"

typedef struct fixture {
  edgefw_context *ctx;
  char folder[256], path[512];
  hid_t file; /* being written with plain HDF5 calls, as others would */
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (edgefw_context_create(&f->ctx, NULL) != EDGEFW_OK) return -1;
  io_path(f->path, io_folder_create(f->folder, sizeof f->folder), "file.h5");
  f->file = H5Fcreate(f->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  *state = f;
  return f->file < 0 ? -1 : 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  io_folder_remove(f->folder);
  edgefw_context_destroy(f->ctx);
  free(f);
  return 0;
}

static void put(hid_t object, const char *name, hid_t type, hsize_t count, const void *value) {
  const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Awrite(attribute, type, value) >= 0);
  H5Aclose(attribute);
  H5Sclose(space);
}

/* Text of a fixed length, as h5py writes bytes. */
static void put_text(hid_t object, const char *name, const char *text) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(text));
  put(object, name, type, 1, text);
  H5Tclose(type);
}

static void put_variable_text(hid_t object, const char *name, const char *text) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  put(object, name, type, 1, &text);
  H5Tclose(type);
}

static void put_head(fixture *f, int64_t version) {
  put_text(f->file, "format", FORMAT);
  put(f->file, "format_version", H5T_NATIVE_INT64, 1, &version);
}

static hid_t new_array(hid_t group, const char *name, int rank, const hsize_t *shape, hid_t type) {
  const hid_t space = H5Screate_simple(rank, shape, NULL);
  const hid_t array = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(array >= 0);
  H5Sclose(space);
  return array;
}

/* Close what was written and open it for reading. */
static edgefw_status reopen(fixture *f, edgefw__hdf5_input *input) {
  H5Fclose(f->file);
  return edgefw__hdf5_open(f->ctx, f->path, FORMAT, 2, input);
}

static void attributes_of_all_kinds(void **state) {
  fixture *f = *state;
  const double real = 1e-6;
  const int32_t small = -5;
  const uint64_t large = UINT64_MAX;
  const int64_t pair[2] = {1, 2};
  put_head(f, 1);
  put_text(f->file, "fixed", "abc");
  put_variable_text(f->file, "variable", "a longer text");
  put_variable_text(f->file, "empty", "");
  put(f->file, "real", H5T_NATIVE_DOUBLE, 1, &real);
  put(f->file, "small", H5T_NATIVE_INT32, 1, &small);
  put(f->file, "large", H5T_NATIVE_UINT64, 1, &large);
  put(f->file, "pair", H5T_NATIVE_INT64, 2, pair);
  edgefw__hdf5_input in;
  assert_ok(f->ctx, reopen(f, &in));
  char *text = NULL;
  assert_ok(f->ctx, edgefw__hdf5_get_text(&in, in.file, "fixed", &text));
  assert_string_equal(text, "abc");
  edgefw_release(f->ctx, text);
  assert_ok(f->ctx, edgefw__hdf5_get_text(&in, in.file, "variable", &text));
  assert_string_equal(text, "a longer text");
  edgefw_release(f->ctx, text);
  assert_ok(f->ctx, edgefw__hdf5_get_text(&in, in.file, "empty", &text));
  assert_string_equal(text, "");
  edgefw_release(f->ctx, text);
  double number = 0.0;
  int64_t whole = 0;
  uint64_t natural = 0;
  assert_ok(f->ctx, edgefw__hdf5_get_number(&in, in.file, "real", H5T_NATIVE_DOUBLE, &number));
  assert_true(number == 1e-6);
  assert_ok(f->ctx, edgefw__hdf5_get_number(&in, in.file, "small", H5T_NATIVE_INT64, &whole));
  assert_int_equal(whole, -5);
  assert_ok(f->ctx, edgefw__hdf5_get_number(&in, in.file, "small", H5T_NATIVE_DOUBLE, &number));
  assert_true(number == -5.0);
  assert_ok(f->ctx, edgefw__hdf5_get_number(&in, in.file, "large", H5T_NATIVE_UINT64, &natural));
  assert_true(natural == UINT64_MAX);

  const edgefw_status bad = EDGEFW_FORMAT;
  assert_fails(f->ctx, edgefw__hdf5_get_text(&in, in.file, "none", &text), bad,
               "file.h5': the attribute 'none' is missing");
  assert_fails(f->ctx, edgefw__hdf5_get_text(&in, in.file, "real", &text), bad, "is not text");
  assert_fails(f->ctx, edgefw__hdf5_get_number(&in, in.file, "fixed", H5T_NATIVE_INT64, &whole),
               bad, "'fixed' is not a whole number");
  assert_fails(f->ctx, edgefw__hdf5_get_number(&in, in.file, "real", H5T_NATIVE_INT64, &whole), bad,
               "is not a whole number");
  assert_fails(f->ctx, edgefw__hdf5_get_number(&in, in.file, "pair", H5T_NATIVE_INT64, &whole), bad,
               "is not a single value");
  edgefw__hdf5_close(&in);
  edgefw__hdf5_close(&in); /* twice is harmless */
}

static void arrays_are_read_by_parts(void **state) {
  fixture *f = *state;
  const hsize_t shape[] = {3, 2};
  const int32_t values[] = {1, 2, 3, 4, 5, 6};
  put_head(f, 2);
  hid_t array = new_array(f->file, "a.b", 2, shape, H5T_STD_I32BE);
  H5Dwrite(array, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(array);
  edgefw__hdf5_input in;
  edgefw__hdf5_array out;
  assert_ok(f->ctx, reopen(f, &in));
  assert_ok(f->ctx, edgefw__hdf5_array_open(&in, in.file, "a.b", &out));
  assert_int_equal(out.rank, 2);
  assert_int_equal(out.shape[0], 3);
  assert_int_equal(out.shape[1], 2);
  assert_int_equal(out.count, 6);
  assert_int_equal(out.class, H5T_INTEGER);
  assert_int_equal(out.width, 4);
  double part[4];
  assert_ok(f->ctx, edgefw__hdf5_array_read(&in, &out, "a.b", 1, 2, H5T_NATIVE_DOUBLE, part));
  for (int k = 0; k < 4; ++k) assert_true(part[k] == k + 3);
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  assert_fails(f->ctx, edgefw__hdf5_array_read(&in, &out, "a.b", 2, 2, H5T_NATIVE_DOUBLE, part),
               EDGEFW_IO, "cannot be read");
  edgefw__hdf5_silence_end(&silence);
  edgefw__hdf5_array_close(&out);
  edgefw__hdf5_array_close(&out);
  edgefw__hdf5_close(&in);
}

static void hostile_arrays_are_refused_by_their_head(void **state) {
  fixture *f = *state;
  const hsize_t four[] = {1, 1, 1, 1}, zero[] = {0}, one[] = {1}, huge[] = {1u << 20, 1u << 20};
  const hsize_t beyond[] = {UINT64_C(1) << 31, UINT64_C(1) << 31, 4}, chunk[] = {1, 16};
  const hsize_t overflow[] = {UINT64_C(1) << 31, UINT64_C(1) << 31, UINT64_C(1) << 31};
  put_head(f, 1);
  const hid_t late = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(late, 2, chunk);
  const hid_t space = H5Screate_simple(2, huge, NULL);
  H5Dclose(H5Dcreate2(f->file, "huge", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, late, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(late);
  H5Dclose(new_array(f->file, "four", 4, four, H5T_NATIVE_FLOAT));
  H5Dclose(new_array(f->file, "zero", 1, zero, H5T_NATIVE_FLOAT));
  H5Dclose(new_array(f->file, "unwritten", 1, one, H5T_NATIVE_FLOAT));
  H5Dclose(new_array(f->file, "text", 1, one, H5T_C_S1));
  H5Dclose(new_array(f->file, "beyond", 3, beyond, H5T_NATIVE_INT8));
  H5Dclose(new_array(f->file, "product", 3, overflow, H5T_NATIVE_INT8));
  const hid_t scalar_space = H5Screate(H5S_SCALAR);
  H5Dclose(H5Dcreate2(f->file, "scalar", H5T_NATIVE_FLOAT, scalar_space, H5P_DEFAULT, H5P_DEFAULT,
                      H5P_DEFAULT));
  H5Sclose(scalar_space);
  const hid_t outside = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(outside, "/etc/hostname", 0, 4);
  const hid_t one_space = H5Screate_simple(1, one, NULL);
  H5Dclose(H5Dcreate2(f->file, "outside", H5T_NATIVE_FLOAT, one_space, H5P_DEFAULT, outside,
                      H5P_DEFAULT));
  H5Sclose(one_space);
  H5Pclose(outside);
  H5Gclose(H5Gcreate2(f->file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Lcreate_soft("/nowhere", f->file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("/etc/passwd", "/x", f->file, "external", H5P_DEFAULT, H5P_DEFAULT);

  static const struct {
    const char *name, *message;
  } bad[] = {
      {"none", "the array 'none' is missing"},
      {"huge", "'huge' is far larger than what is stored"},
      {"unwritten", "far larger than what is stored"},
      {"four", "has not 1 to 3 axes"},
      {"scalar", "has not 1 to 3 axes"},
      {"zero", "is empty"},
      {"text", "does not hold numbers"},
      {"beyond", "is too large"},
      {"product", "is too large"},
      {"outside", "kept outside this file"},
      {"group", "is not an array"},
      {"dangling", "is not an array"},
      {"external", "is not an array"},
  };
  edgefw__hdf5_input in;
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  assert_ok(f->ctx, reopen(f, &in));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    edgefw__hdf5_array array;
    assert_fails(f->ctx, edgefw__hdf5_array_open(&in, in.file, bad[i].name, &array), EDGEFW_FORMAT,
                 bad[i].message);
    assert_true(array.id < 0);
  }
  edgefw__hdf5_close(&in);
  edgefw__hdf5_silence_end(&silence);
}

/* --- Links: whatever is at their other end is not opened --- */

/* A pipe that nobody writes to: whoever opens it waits, and the alarm ends the test. */
static const char *make_pipe(const fixture *f, char path[512]) {
  io_path(path, f->folder, "pipe");
  assert_int_equal(mkfifo(path, 0600), 0);
  return path;
}

static void groups_are_those_of_this_file(void **state) {
  fixture *f = *state;
  const hsize_t one[] = {1};
  char pipe[512];
  put_head(f, 1);
  const hid_t group = H5Gcreate2(f->file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(H5Gcreate2(group, "inner", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Gclose(group);
  H5Dclose(new_array(f->file, "array", 1, one, H5T_NATIVE_FLOAT));
  H5Lcreate_soft("/group", f->file, "soft", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external(make_pipe(f, pipe), "/", f->file, "external", H5P_DEFAULT, H5P_DEFAULT);
  edgefw__hdf5_input in;
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  alarm(20);
  assert_ok(f->ctx, reopen(f, &in));
  hid_t out = 0;
  assert_ok(f->ctx, edgefw__hdf5_group(&in, in.file, "none", &out));
  assert_true(out < 0);
  assert_ok(f->ctx, edgefw__hdf5_group(&in, H5I_INVALID_HID, "group", &out));
  assert_true(out < 0);
  static const char *const refused[] = {"array", "soft", "external"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    char message[64];
    snprintf(message, sizeof message, "'%s' is not a group of this file", refused[i]);
    assert_fails(f->ctx, edgefw__hdf5_group(&in, in.file, refused[i], &out), EDGEFW_FORMAT,
                 message);
    assert_true(out < 0);
  }
  assert_false(edgefw__hdf5_is_own(in.file, "soft"));
  assert_false(edgefw__hdf5_is_own(in.file, "external"));
  assert_false(edgefw__hdf5_exists(in.file, "group/inner")); /* a path might go through a link */
  assert_false(edgefw__hdf5_is_own(in.file, "group/inner"));
  assert_false(edgefw__hdf5_exists(in.file, "external/inner"));
  assert_ok(f->ctx, edgefw__hdf5_group(&in, in.file, "group", &out));
  assert_true(edgefw__hdf5_is_own(out, "inner"));
  H5Gclose(out);
  alarm(0);
  edgefw__hdf5_close(&in);
  edgefw__hdf5_silence_end(&silence);
}

/* A virtual array of unlimited extent opens its sources when it is asked how long it is. */
static void virtual_arrays_open_nothing(void **state) {
  fixture *f = *state;
  const hsize_t one[] = {1}, unlimited[] = {H5S_UNLIMITED}, start[] = {0};
  char pipe[512];
  put_head(f, 1);
  const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  const hid_t space = H5Screate_simple(1, one, unlimited);
  const hid_t source = H5Screate_simple(1, one, unlimited);
  const hsize_t many[] = {H5S_UNLIMITED};
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, many, NULL);
  H5Sselect_hyperslab(source, H5S_SELECT_SET, start, NULL, many, NULL);
  assert_true(H5Pset_virtual(layout, space, make_pipe(f, pipe), "/x", source) >= 0);
  H5Dclose(
      H5Dcreate2(f->file, "virtual", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, layout, H5P_DEFAULT));
  H5Sclose(space);
  H5Sclose(source);
  H5Pclose(layout);
  edgefw__hdf5_input in;
  edgefw__hdf5_array array;
  alarm(20);
  assert_ok(f->ctx, reopen(f, &in));
  assert_fails(f->ctx, edgefw__hdf5_array_open(&in, in.file, "virtual", &array), EDGEFW_FORMAT,
               "'virtual' is kept outside this file");
  alarm(0);
  edgefw__hdf5_close(&in);
}

/* An array in chunks, of which the first is written. */
static void put_chunked(fixture *f, const char *name, hsize_t count, hsize_t chunk,
                        hid_t creation) {
  const hsize_t shape[] = {count}, unlimited[] = {H5S_UNLIMITED}, extent[] = {chunk}, zero[] = {0};
  const hsize_t one[] = {1};
  const float value = 1.0f;
  H5Pset_chunk(creation, 1, extent);
  const hid_t space = H5Screate_simple(1, shape, unlimited);
  const hid_t memory = H5Screate_simple(1, one, NULL);
  const hid_t array =
      H5Dcreate2(f->file, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  assert_true(array >= 0);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, zero, NULL, one, NULL);
  assert_true(H5Dwrite(array, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, &value) >= 0);
  H5Dclose(array);
  H5Sclose(space);
  H5Sclose(memory);
  H5Pclose(creation);
}

static void filters_are_those_of_the_library(void **state) {
  fixture *f = *state;
  put_head(f, 1);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_shuffle(creation);
  H5Pset_deflate(creation, 4);
  H5Pset_fletcher32(creation);
  put_chunked(f, "usual", 64, 64, creation);
  creation = H5Pcreate(H5P_DATASET_CREATE);
  /* The number of a filter that HDF5 looks for in shared objects; optional, so writing passes. */
  H5Pset_filter(creation, 32015, H5Z_FLAG_OPTIONAL, 0, NULL);
  put_chunked(f, "loaded", 64, 64, creation);
  creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_scaleoffset(creation, H5Z_SO_FLOAT_DSCALE, 2);
  put_chunked(f, "scaled", 64, 64, creation);
  edgefw__hdf5_input in;
  edgefw__hdf5_array array;
  assert_ok(f->ctx, reopen(f, &in));
  assert_ok(f->ctx, edgefw__hdf5_array_open(&in, in.file, "usual", &array));
  edgefw__hdf5_array_close(&array);
  assert_fails(f->ctx, edgefw__hdf5_array_open(&in, in.file, "loaded", &array), EDGEFW_FORMAT,
               "'loaded' is compressed in another way than deflate");
  assert_fails(f->ctx, edgefw__hdf5_array_open(&in, in.file, "scaled", &array), EDGEFW_FORMAT,
               "'scaled' is compressed in another way than deflate");
  edgefw__hdf5_close(&in);
}

static void chunks_are_bounded_by_what_is_stored(void **state) {
  fixture *f = *state;
  put_head(f, 1);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_deflate(creation, 9);
  put_chunked(f, "zeros", 1 << 20, 1 << 20, creation); /* as small as deflate makes it */
  H5Fclose(f->file);
  /* The same chunk, said to be 64 times as large. */
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  static const char extent[8] = {0, 0, 0x10, 0, 4, 0, 0, 0}; /* numbers in a chunk, bytes of one */
  size_t changed = 0;
  for (size_t b = 0; b + sizeof extent < length; ++b)
    if (memcmp(bytes + b, extent, sizeof extent) == 0) bytes[b + 3] = 4, ++changed;
  edgefw__hdf5_input in;
  edgefw__hdf5_array array;
  assert_ok(f->ctx, edgefw__hdf5_open(f->ctx, f->path, FORMAT, 2, &in));
  assert_ok(f->ctx, edgefw__hdf5_array_open(&in, in.file, "zeros", &array));
  edgefw__hdf5_array_close(&array);
  edgefw__hdf5_close(&in);
  assert_true(changed > 0);
  io_write(f->path, bytes, length);
  free(bytes);
  assert_ok(f->ctx, edgefw__hdf5_open(f->ctx, f->path, FORMAT, 2, &in));
  assert_fails(f->ctx, edgefw__hdf5_array_open(&in, in.file, "zeros", &array), EDGEFW_FORMAT,
               "'zeros' has chunks far larger than what is stored for them");
  edgefw__hdf5_close(&in);
}

static void formats_and_versions_are_checked(void **state) {
  fixture *f = *state;
  edgefw__hdf5_input in;
  assert_fails(f->ctx, reopen(f, &in), EDGEFW_FORMAT, "without the attribute 'format'");
  edgefw__hdf5_close(&in);
  f->file = H5Fcreate(f->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  put_head(f, 3);
  assert_fails(f->ctx, reopen(f, &in), EDGEFW_UNSUPPORTED,
               "format_version 3, this edgefw reads up to 2: a newer edgefw is needed");
  edgefw__hdf5_close(&in);
  f->file = H5Fcreate(f->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  put_head(f, 0);
  assert_fails(f->ctx, reopen(f, &in), EDGEFW_FORMAT, "format_version 0, expected 1 to 2");
  edgefw__hdf5_close(&in);
  f->file = H5Fcreate(f->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  put_text(f->file, "format", "other-format");
  assert_fails(f->ctx, reopen(f, &in), EDGEFW_FORMAT,
               "format 'other-format', expected 'edgefw-test'");
  edgefw__hdf5_close(&in);
}

static void files_that_cannot_be_opened_say_why(void **state) {
  fixture *f = *state;
  put_head(f, 1);
  H5Fclose(f->file);
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  edgefw__hdf5_input in;
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  for (size_t size = 0; size < length; size += size < 100 ? 1 : 97) {
    io_write(f->path, bytes, size);
    const char *reason = size == 0 ? "is empty" : size < 8 ? "not an HDF5 file" : "cut short";
    assert_fails(f->ctx, edgefw__hdf5_open(f->ctx, f->path, FORMAT, 2, &in),
                 size == 0 ? EDGEFW_IO : EDGEFW_FORMAT, reason);
    edgefw__hdf5_close(&in);
  }
  io_write(f->path, bytes, length - 1);
  assert_fails(f->ctx, edgefw__hdf5_open(f->ctx, f->path, FORMAT, 2, &in), EDGEFW_FORMAT,
               "cut short, found");
  io_write(f->path, "instance,cost\n0,1\n", 18);
  assert_fails(f->ctx, edgefw__hdf5_open(f->ctx, f->path, FORMAT, 2, &in), EDGEFW_FORMAT,
               "is not an HDF5 file");
  assert_fails(f->ctx, edgefw__hdf5_open(f->ctx, f->folder, FORMAT, 2, &in), EDGEFW_IO,
               "is a folder");
  assert_fails(f->ctx, edgefw__hdf5_open(f->ctx, "/no/file.h5", FORMAT, 2, &in), EDGEFW_IO,
               "'/no/file.h5': No such file");
  edgefw__hdf5_silence_end(&silence);
  free(bytes);
}

/* On a read-only mount nothing can be locked, and a writer beside may hold a lock: neither is asked
 * for. */
static void locks_are_no_obstacle(void **state) {
  fixture *f = *state;
  edgefw__hdf5_input in;
  put_head(f, 1);
  H5Fclose(f->file);
  assert_int_equal(chmod(f->path, 0444), 0);
  const int holder = open(f->path, O_RDONLY);
  assert_true(holder >= 0);
  assert_int_equal(flock(holder, LOCK_EX), 0);
  assert_ok(f->ctx, edgefw__hdf5_open(f->ctx, f->path, FORMAT, 2, &in));
  edgefw__hdf5_close(&in);
  close(holder);
}

/* What the program chose for HDF5's own messages is what it has afterwards. */
static herr_t own_printer(hid_t stack, void *user) {
  (void)stack, (void)user;
  return 0;
}

static void silence_is_taken_back(void **state) {
  fixture *f = *state;
  H5Fclose(f->file);
  int mark = 0;
  H5Eset_auto2(H5E_DEFAULT, own_printer, &mark);
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  H5E_auto2_t print = own_printer;
  void *user = &mark;
  H5Eget_auto2(H5E_DEFAULT, &print, &user);
  assert_true(print == NULL);
  edgefw__hdf5_silence_end(&silence);
  H5Eget_auto2(H5E_DEFAULT, &print, &user);
  assert_true(print == own_printer);
  assert_ptr_equal(user, &mark);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(attributes_of_all_kinds, setup, teardown),
      cmocka_unit_test_setup_teardown(arrays_are_read_by_parts, setup, teardown),
      cmocka_unit_test_setup_teardown(hostile_arrays_are_refused_by_their_head, setup, teardown),
      cmocka_unit_test_setup_teardown(groups_are_those_of_this_file, setup, teardown),
      cmocka_unit_test_setup_teardown(virtual_arrays_open_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(filters_are_those_of_the_library, setup, teardown),
      cmocka_unit_test_setup_teardown(chunks_are_bounded_by_what_is_stored, setup, teardown),
      cmocka_unit_test_setup_teardown(formats_and_versions_are_checked, setup, teardown),
      cmocka_unit_test_setup_teardown(files_that_cannot_be_opened_say_why, setup, teardown),
      cmocka_unit_test_setup_teardown(locks_are_no_obstacle, setup, teardown),
      cmocka_unit_test_setup_teardown(silence_is_taken_back, setup, teardown),
  };
  return test_run(tests, NULL, NULL);
}
