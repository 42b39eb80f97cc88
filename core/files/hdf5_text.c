/* Text attributes of variable length: the reference in the attribute, then the heap that it names.
 *
 * The file holds, in place of the text: its length (4 bytes), the address of a collection of the
 * global heap, and the text's number in it (4 bytes). A collection is "GCOL", a version, its size,
 * and then entries: number (2 bytes), 6 more, size, bytes, filled up to 8. All is little-endian.
 * Source: HDF5 File Format Specification 3.0, III.E (global heap) and IV.B (variable-length data).
 */
#include "files/hdf5_text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum {
  REFERENCE = 16,     /* most bytes of a reference: addresses have at most 8 */
  HEAD = 8,           /* of a collection and of its entries, without their sizes */
  MOST_NUMBER = 65535 /* of an entry */
};

/* How this file writes addresses and sizes, and where its address 0 is. */
typedef struct layout {
  int descriptor; /* of the open file */
  hsize_t base;
  size_t address_width, size_width; /* bytes, at most 8 */
} layout;

/* Where a text is. */
typedef struct reference {
  uint64_t length, address, number;
} reference;

static uint64_t little_endian(const unsigned char *bytes, size_t width) {
  uint64_t value = 0;
  while (width-- > 0) value = value << 8 | bytes[width];
  return value;
}

/* --- The reference --- */

/* Names the type that the bytes of a reference are converted to: unchanged. */
static const char tag[] = "edgefw: reference to a text";

/* HDF5 hands a conversion the bytes of the file. This one keeps them, and takes no other type. */
static herr_t keep_bytes(hid_t from, hid_t to, H5T_cdata_t *state, size_t count, size_t stride,
                         size_t background_stride, void *bytes, void *background, hid_t transfer) {
  (void)from, (void)count, (void)stride, (void)background_stride, (void)bytes;
  (void)background, (void)transfer;
  if (state->command != H5T_CONV_INIT) return 0;
  char *found = H5Tget_tag(to);
  const bool meant = found && strcmp(found, tag) == 0;
  H5free_memory(found);
  state->need_bkg = H5T_BKG_NO;
  return meant ? 0 : -1;
}

static bool read_reference(hid_t attribute, hid_t type, const layout *file, reference *out) {
  unsigned char bytes[REFERENCE] = {0};
  const hid_t opaque = H5Tcreate(H5T_OPAQUE, REFERENCE);
  const bool read = opaque >= 0 && H5Tset_tag(opaque, tag) >= 0 &&
                    H5Tregister(H5T_PERS_SOFT, "edgefw-text", type, opaque, keep_bytes) >= 0 &&
                    H5Aread(attribute, opaque, bytes) >= 0;
  H5Tunregister(H5T_PERS_DONTCARE, NULL, H5I_INVALID_HID, H5I_INVALID_HID, keep_bytes);
  if (opaque >= 0) H5Tclose(opaque);
  *out = (reference){.length = little_endian(bytes, 4),
                     .address = little_endian(bytes + 4, file->address_width),
                     .number = little_endian(bytes + 4 + file->address_width, 4)};
  return read;
}

/* --- The heap --- */

static bool find_layout(const edgefw__hdf5_input *input, layout *out) {
  void *handle = NULL;
  const hid_t creation = H5Fget_create_plist(input->file);
  const bool found = creation >= 0 &&
                     H5Pget_sizes(creation, &out->address_width, &out->size_width) >= 0 &&
                     H5Pget_userblock(creation, &out->base) >= 0 &&
                     H5Fget_vfd_handle(input->file, H5P_DEFAULT, &handle) >= 0 && handle;
  if (creation >= 0) H5Pclose(creation);
  if (found) out->descriptor = *(const int *)handle; /* as the driver sec2 defines it */
  return found && out->address_width <= 8 && out->size_width <= 8 && out->base <= INT64_MAX / 2;
}

/* `count` bytes at `place`, an address of the file; false if the file does not have them. */
static bool read_at(const layout *file, uint64_t place, void *out, size_t count) {
  char *to = out;
  if (place > INT64_MAX / 2 - count) return false;
  off_t from = (off_t)(place + file->base);
  while (count > 0) {
    const ssize_t got = pread(file->descriptor, to, count, from);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    from += got;
    count -= (size_t)got;
  }
  return true;
}

static uint64_t filled_up(uint64_t size) {
  return (size + 7) & ~UINT64_C(7);
}

/* Address of the text, if the collection has an entry of its number that holds that much; 0 if
 * not. */
static uint64_t find_text(const layout *file, const reference *text) {
  const size_t head = (size_t)filled_up(HEAD + file->size_width);
  unsigned char bytes[HEAD + 8];
  if (text->address == 0 || !read_at(file, text->address, bytes, HEAD + file->size_width) ||
      memcmp(bytes, "GCOL\1", 5) != 0)
    return 0;
  const uint64_t end = little_endian(bytes + HEAD, file->size_width);
  uint64_t at = head;
  if (end > INT64_MAX / 4) return 0;
  for (int entry = 0; entry <= MOST_NUMBER && at < end; ++entry) {
    if (!read_at(file, text->address + at, bytes, HEAD + file->size_width)) return 0;
    const uint64_t number = little_endian(bytes, 2);
    const uint64_t size = little_endian(bytes + HEAD, file->size_width);
    if (number == 0 || size > end - at) return 0; /* entry 0 is the room that is left */
    if (number == text->number) return text->length <= size ? text->address + at + head : 0;
    at += head + filled_up(size);
  }
  return 0;
}

edgefw_status edgefw__hdf5_variable_text(const edgefw__hdf5_input *input, hid_t attribute,
                                         hid_t type, const char *name, char **out) {
  layout file = {.descriptor = -1};
  reference text;
  *out = NULL;
  if (!find_layout(input, &file) || !read_reference(attribute, type, &file, &text))
    return edgefw_fail(input->ctx, EDGEFW_FORMAT, "'%s': the attribute '%s' is not readable text",
                       input->path, name);
  if (text.length > EDGEFW__HDF5_MAX_TEXT)
    return edgefw_fail(input->ctx, EDGEFW_FORMAT,
                       "'%s': the attribute '%s' is a text of %" PRIu64
                       " bytes, expected at most %d",
                       input->path, name, text.length, EDGEFW__HDF5_MAX_TEXT);
  const uint64_t place = text.length > 0 ? find_text(&file, &text) : 0;
  char *content = NULL;
  if (text.length == 0 || place > 0) {
    content = edgefw_allocate(input->ctx, (size_t)text.length + 1, 1, "the text of an attribute");
    if (!content) return EDGEFW_OUT_OF_MEMORY;
    if (text.length == 0 || read_at(&file, place, content, (size_t)text.length)) {
      *out = content;
      return EDGEFW_OK;
    }
  }
  edgefw_release(input->ctx, content);
  return edgefw_fail(input->ctx, EDGEFW_FORMAT,
                     "'%s': the attribute '%s' is a text of %" PRIu64
                     " bytes that the file does not hold: it is damaged",
                     input->path, name, text.length);
}
