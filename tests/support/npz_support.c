/* Writing .npz files for tests. */
#include "support/npz_support.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

/* Head and numbers as one block; libzip frees it. */
static char *entry_bytes(const npz_entry *entry, size_t *length) {
  char text[256] = "";
  char lead[16] = "\x93NUMPY";
  size_t lead_length = 0, text_length = 0;
  if (entry->type) {
    const int version = entry->version ? entry->version : 1;
    text_length = (size_t)snprintf(
        text, sizeof text, "{'descr': %s%s%s, 'fortran_order': %s, 'shape': %s, }   \n",
        *entry->type == '[' ? "" : "'", entry->type, *entry->type == '[' ? "" : "'",
        entry->order ? entry->order : "False", entry->shape);
    lead_length = version == 1 ? 10 : 12;
    lead[6] = (char)version;
    lead[8] = (char)(text_length & 0xff);
    lead[9] = (char)(text_length >> 8);
  }
  *length = lead_length + text_length + entry->count;
  char *out = malloc(*length + 1);
  assert_non_null(out);
  memcpy(out, lead, lead_length);
  memcpy(out + lead_length, text, text_length);
  if (entry->count) memcpy(out + lead_length + text_length, entry->bytes, entry->count);
  return out;
}

void npz_write(const char *path, const npz_entry *entries, bool packed) {
  int code = 0;
  zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
  assert_non_null(archive);
  for (const npz_entry *entry = entries; entry->name; ++entry) {
    size_t length = 0;
    char *bytes = entry_bytes(entry, &length);
    if (length == 0) free(bytes); /* libzip would not */
    zip_source_t *source = zip_source_buffer(archive, length ? bytes : NULL, length, 1);
    assert_non_null(source);
    const zip_int64_t index = zip_file_add(archive, entry->name, source, 0);
    assert_true(index >= 0);
    assert_int_equal(zip_set_file_compression(archive, (zip_uint64_t)index,
                                              packed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0),
                     0);
  }
  assert_int_equal(zip_close(archive), 0);
}

void npy_write(const char *path, const npz_entry *entry) {
  size_t length = 0;
  char *bytes = entry_bytes(entry, &length);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
  free(bytes);
}
