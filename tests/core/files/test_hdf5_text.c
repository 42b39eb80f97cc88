/* Texts of variable length: those of other programs, and references that lie. The files are of the
 * old format without checksums, so that bytes can be changed one by one. */
#include "support/test.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "files/hdf5_text.h"
#include "support/io_support.h"

#define FORMAT "edgefw-test"

static int setup(void **state) {
  return io_file_set_up(state, "file.h5");
}

/* --- Files as others write them --- */

static void put_text(hid_t object, const char *name, const char *text) {
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, H5T_VARIABLE);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Awrite(attribute, type, &text) >= 0);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

/* Begin a file with `userblock` bytes before it, in the old format or the new one. */
static hid_t begin(const io_file *f, hsize_t userblock, bool new_format) {
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_userblock(creation, userblock);
  if (new_format) H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  const hid_t file = H5Fcreate(f->path, H5F_ACC_TRUNC, creation, access);
  assert_true(file >= 0);
  H5Pclose(creation);
  H5Pclose(access);
  const int64_t version = 1;
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t number =
      H5Acreate2(file, "format_version", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(number, H5T_NATIVE_INT64, &version);
  H5Aclose(number);
  H5Sclose(space);
  put_text(file, "format", FORMAT);
  return file;
}

static void expect_text(const io_file *f, const edgefw__hdf5_input *in, const char *name,
                        const char *expected) {
  char *text = NULL;
  assert_ok(f->ctx, edgefw__hdf5_get_text(in, in->file, name, &text));
  assert_string_equal(text, expected);
  edgefw_release(f->ctx, text);
}

static void texts_of_all_lengths_are_read(void **state) {
  const io_file *f = *state;
  enum { TEXTS = 40 };
  char *texts[TEXTS], name[16];
  for (int t = 0; t < TEXTS; ++t) {
    const size_t length = (size_t)(t * t * t) / 2; /* 0 to 29659: in several collections */
    texts[t] = malloc(length + 1);
    for (size_t c = 0; c < length; ++c) texts[t][c] = (char)('a' + (c + (size_t)t) % 26);
    texts[t][length] = '\0';
  }
  for (int kind = 0; kind < 4; ++kind) {
    const hid_t file = begin(f, kind & 1 ? 1024 : 0, kind & 2); /* many are kept in a tree then */
    for (int t = 0; t < TEXTS; ++t) {
      snprintf(name, sizeof name, "text%d", t);
      put_text(file, name, texts[t]);
    }
    assert_true(H5Fclose(file) >= 0);
    edgefw__hdf5_input in;
    assert_ok(f->ctx, edgefw__hdf5_open(f->ctx, f->path, FORMAT, 1, &in));
    for (int t = 0; t < TEXTS; ++t) {
      snprintf(name, sizeof name, "text%d", t);
      expect_text(f, &in, name, texts[t]);
    }
    edgefw__hdf5_close(&in);
  }
  for (int t = 0; t < TEXTS; ++t) free(texts[t]);
}

/* --- References and heaps with one wrong number --- */

enum { LENGTH = 1234, WORD = 4 };

/* A file with a text of LENGTH bytes; *at is where its reference stands, *entry where its entry of
 * the heap does. */
static char *write_sample(const io_file *f, size_t *length, size_t *at, size_t *entry) {
  char text[LENGTH + 1];
  memset(text, 'x', LENGTH);
  text[LENGTH] = '\0';
  const hid_t file = begin(f, 0, false);
  put_text(file, "long", text);
  assert_true(H5Fclose(file) >= 0);
  char *bytes = io_read(f->path, length);
  static const unsigned char number[WORD] = {LENGTH & 0xff, LENGTH >> 8, 0, 0};
  *at = *entry = 0;
  for (size_t b = 0; b + 16 < *length; ++b)
    if (memcmp(bytes + b, number, WORD) == 0) {
      if (memcmp(bytes + b + 8, "xxxx", 4) == 0)
        *entry = b - 8;
      else
        *at = b;
    }
  assert_true(*at > 0 && *entry > 0);
  return bytes;
}

static edgefw_status read_long(const io_file *f) {
  edgefw__hdf5_input in;
  char *text = NULL;
  edgefw_status status = edgefw__hdf5_open(f->ctx, f->path, FORMAT, 1, &in);
  if (status == EDGEFW_OK) status = edgefw__hdf5_get_text(&in, in.file, "long", &text);
  edgefw_release(f->ctx, text);
  edgefw__hdf5_close(&in);
  return status;
}

static void put_number(char *bytes, size_t width, uint64_t value) {
  for (size_t b = 0; b < width; ++b) bytes[b] = (char)(value >> 8 * b);
}

static long kilobytes_used(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

static void a_length_beyond_the_file_takes_no_memory(void **state) {
  const io_file *f = *state;
  static const struct {
    uint64_t length;
    const char *message;
  } cases[] = {{UINT32_C(0xfffffff0), "'long' is a text of 4294967280 bytes, expected at most"},
               {UINT32_C(1) << 30, "is a text of 1073741824 bytes, expected at most 16777216"},
               {16 << 20, "is a text of 16777216 bytes that the file does not hold"},
               {LENGTH + 1, "is a text of 1235 bytes that the file does not hold"}};
  size_t length = 0, at = 0, entry = 0;
  char *bytes = write_sample(f, &length, &at, &entry);
  assert_ok(f->ctx, read_long(f));
  const long before = kilobytes_used();
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    put_number(bytes + at, 4, cases[c].length);
    io_write(f->path, bytes, length);
    assert_fails(f->ctx, read_long(f), EDGEFW_FORMAT, cases[c].message);
  }
  put_number(bytes + at, 4, LENGTH - 1); /* less than the heap has is no harm */
  io_write(f->path, bytes, length);
  assert_ok(f->ctx, read_long(f));
  assert_true(kilobytes_used() - before < 128 << 10);
  free(bytes);
}

/* Change one number of the sample; the text cannot be read then. */
static void expect_damaged(const io_file *f, bool in_heap, size_t offset, size_t width,
                           uint64_t value) {
  size_t length = 0, at = 0, entry = 0;
  char *bytes = write_sample(f, &length, &at, &entry);
  put_number(bytes + (in_heap ? entry : at) + offset, width, value);
  io_write(f->path, bytes, length);
  assert_fails(f->ctx, read_long(f), EDGEFW_FORMAT, "bytes that the file does not hold");
  free(bytes);
}

static void references_that_lead_nowhere_are_refused(void **state) {
  const io_file *f = *state;
  expect_damaged(f, false, 4, 8, 0);
  expect_damaged(f, false, 4, 8, 8); /* no collection is there */
  expect_damaged(f, false, 4, 8, UINT64_C(1) << 40);
  expect_damaged(f, false, 4, 8, UINT64_MAX);
  expect_damaged(f, false, 4, 8, UINT64_MAX >> 1);
  expect_damaged(f, false, 12, 4, 0);
  expect_damaged(f, false, 12, 4, 9);
  expect_damaged(f, false, 12, 4, UINT32_MAX);
}

static void heaps_that_lie_are_refused(void **state) {
  const io_file *f = *state;
  expect_damaged(f, true, 0, 2, 77); /* another number */
  expect_damaged(f, true, 8, 8, LENGTH - 1);
  expect_damaged(f, true, 8, 8, UINT64_MAX);
  expect_damaged(f, true, 8, 8, UINT64_C(1) << 62);
}

/* Another conversion of the program from text to bytes of its own is as it was. */
static void nothing_stays_registered(void **state) {
  const io_file *f = *state;
  size_t length = 0, at = 0, entry = 0;
  free(write_sample(f, &length, &at, &entry));
  assert_ok(f->ctx, read_long(f));
  const hid_t text = H5Tcopy(H5T_C_S1), opaque = H5Tcreate(H5T_OPAQUE, 16);
  H5Tset_size(text, H5T_VARIABLE);
  H5Tset_tag(opaque, "edgefw: reference to a text");
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5T_cdata_t *path = NULL;
  assert_true(H5Tfind(text, opaque, &path) == NULL);
  H5Tclose(text);
  H5Tclose(opaque);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(texts_of_all_lengths_are_read, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(a_length_beyond_the_file_takes_no_memory, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(references_that_lead_nowhere_are_refused, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(heaps_that_lie_are_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(nothing_stays_registered, setup, io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
