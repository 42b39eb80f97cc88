/* Reading HDF5 files that may be damaged or hostile. */
#include "files/hdf5_input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text_file.h"
#include "files/hdf5_text.h"

/* Deflate shrinks by 1032 at most, so a larger ratio is a lie about the size. */
#define MAX_RATIO 1100

void edgefw__hdf5_silence_begin(edgefw__hdf5_silence *silence) {
  H5Eget_auto2(H5E_DEFAULT, &silence->print, &silence->user);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void edgefw__hdf5_silence_end(const edgefw__hdf5_silence *silence) {
  H5Eset_auto2(H5E_DEFAULT, silence->print, silence->user);
}

/* --- Opening --- */

static uint64_t little_endian(const unsigned char *bytes, int count) {
  uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

uint64_t edgefw__hdf5_stated_size(const unsigned char *head) {
  const int version = head[8];
  const int width = version < 2 ? head[13] : head[9];
  if (width != 8) return 0;
  if (version == 0) return little_endian(head + 40, 8);
  if (version == 1) return little_endian(head + 44, 8);
  if (version <= 3) return little_endian(head + 28, 8);
  return 0;
}

/* Why HDF5 could not open `path`, found by looking at the bytes. */
static edgefw_status explain_open(edgefw_context *ctx, const char *path) {
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  unsigned char head[64] = {0};
  struct stat info;
  FILE *stream = fopen(path, "rb");
  if (!stream || stat(path, &info) != 0) {
    const int error = errno;
    if (stream) (void)fclose(stream);
    return edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s': %s", path, strerror(error));
  }
  const size_t got = fread(head, 1, sizeof head, stream);
  (void)fclose(stream);
  if (got == 0) return edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s': the file is empty", path);
  if (got < sizeof signature || memcmp(head, signature, sizeof signature) != 0) {
    return edgefw_fail(ctx, EDGEFW_FORMAT, "cannot read '%s': it is not an HDF5 file", path);
  }
  const uint64_t expected = got < sizeof head ? sizeof head : edgefw__hdf5_stated_size(head);
  if (expected > (uint64_t)info.st_size) {
    return edgefw_fail(ctx, EDGEFW_FORMAT,
                       "cannot read '%s': the file is cut short, found %" PRId64
                       " bytes, expected at least %" PRIu64,
                       path, (int64_t)info.st_size, expected);
  }
  return edgefw_fail(ctx, EDGEFW_FORMAT, "cannot read '%s': the HDF5 file is damaged", path);
}

static edgefw_status check_format(const edgefw__hdf5_input *input, const char *format,
                                  int64_t version) {
  edgefw_context *ctx = input->ctx;
  if (!edgefw__hdf5_has(input->file, "format")) {
    return edgefw_fail(ctx, EDGEFW_FORMAT,
                       "'%s' is an HDF5 file without the attribute 'format', expected '%s'",
                       input->path, format);
  }
  char *found = NULL;
  edgefw_status status = edgefw__hdf5_get_text(input, input->file, "format", &found);
  if (status == EDGEFW_OK && strcmp(found, format) != 0) {
    status = edgefw_fail(ctx, EDGEFW_FORMAT, "'%s' has format '%.60s', expected '%s'", input->path,
                         found, format);
  }
  edgefw_release(ctx, found);
  if (status != EDGEFW_OK) return status;

  int64_t number = 0;
  status = edgefw__hdf5_get_number(input, input->file, "format_version", H5T_NATIVE_INT64, &number);
  if (status != EDGEFW_OK) return status;
  if (number < 1) {
    return edgefw_fail(ctx, EDGEFW_FORMAT,
                       "'%s' has format_version %" PRId64 ", expected 1 to %" PRId64, input->path,
                       number, version);
  }
  if (number > version) {
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "'%s' has format_version %" PRId64 ", this edgefw reads up to %" PRId64
                       ": a newer edgefw is needed",
                       input->path, number, version);
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__hdf5_open(edgefw_context *ctx, const char *path, const char *format,
                                int64_t version, edgefw__hdf5_input *out) {
  *out = (edgefw__hdf5_input){.ctx = ctx, .path = path, .file = H5I_INVALID_HID};
  const char *reason = edgefw__not_a_file(path);
  if (reason) return edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s': %s", path, reason);

  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_sec2(access); /* whatever the environment says: one file is one descriptor */
  H5Pset_file_locking(access, false, true);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  out->file = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  if (out->file < 0) return explain_open(ctx, path);
  return check_format(out, format, version);
}

void edgefw__hdf5_close(edgefw__hdf5_input *input) {
  if (input->file >= 0) H5Fclose(input->file);
  input->file = H5I_INVALID_HID;
}

/* --- Attributes --- */

bool edgefw__hdf5_has(hid_t object, const char *name) {
  return H5Aexists(object, name) > 0;
}

static edgefw_status attribute_failure(const edgefw__hdf5_input *input, const char *name,
                                       const char *expected) {
  return edgefw_fail(input->ctx, EDGEFW_FORMAT, "'%s': the attribute '%s' is not %s", input->path,
                     name, expected);
}

/* Open an attribute that holds exactly one value. */
static edgefw_status attribute_open(const edgefw__hdf5_input *input, hid_t object, const char *name,
                                    hid_t *out) {
  if (!edgefw__hdf5_has(object, name)) {
    return edgefw_fail(input->ctx, EDGEFW_FORMAT, "'%s': the attribute '%s' is missing",
                       input->path, name);
  }
  *out = H5Aopen(object, name, H5P_DEFAULT);
  const hid_t space = *out < 0 ? H5I_INVALID_HID : H5Aget_space(*out);
  const hssize_t values = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  if (space >= 0) H5Sclose(space);
  if (values == 1) return EDGEFW_OK;
  if (*out >= 0) H5Aclose(*out);
  *out = H5I_INVALID_HID;
  return attribute_failure(input, name, "a single value");
}

static edgefw_status copy_fixed_text(const edgefw__hdf5_input *input, hid_t attribute, hid_t type,
                                     const char *name, char **out) {
  const size_t size = H5Tget_size(type);
  if (size == 0 || size > EDGEFW__HDF5_MAX_TEXT)
    return attribute_failure(input, name, "text of a usual length");
  *out = edgefw_allocate(input->ctx, size + 1, 1, "the text of an attribute");
  if (!*out) return EDGEFW_OUT_OF_MEMORY;
  if (H5Aread(attribute, type, *out) >= 0) return EDGEFW_OK;
  edgefw_release(input->ctx, *out);
  *out = NULL;
  return attribute_failure(input, name, "readable text");
}

edgefw_status edgefw__hdf5_get_text(const edgefw__hdf5_input *input, hid_t object, const char *name,
                                    char **out) {
  *out = NULL;
  hid_t attribute = H5I_INVALID_HID;
  edgefw_status status = attribute_open(input, object, name, &attribute);
  if (status != EDGEFW_OK) return status;
  const hid_t type = H5Aget_type(attribute);
  if (type < 0 || H5Tget_class(type) != H5T_STRING) {
    status = attribute_failure(input, name, "text");
  } else if (H5Tis_variable_str(type) > 0) {
    status = edgefw__hdf5_variable_text(input, attribute, type, name, out);
  } else {
    status = copy_fixed_text(input, attribute, type, name, out);
  }
  if (type >= 0) H5Tclose(type);
  H5Aclose(attribute);
  return status;
}

edgefw_status edgefw__hdf5_get_number(const edgefw__hdf5_input *input, hid_t object,
                                      const char *name, hid_t type, void *out) {
  hid_t attribute = H5I_INVALID_HID;
  edgefw_status status = attribute_open(input, object, name, &attribute);
  if (status != EDGEFW_OK) return status;
  const hid_t stored = H5Aget_type(attribute);
  const H5T_class_t class = stored < 0 ? H5T_NO_CLASS : H5Tget_class(stored);
  const bool whole = H5Tget_class(type) == H5T_INTEGER;
  const bool fits = class == H5T_INTEGER || (class == H5T_FLOAT && !whole);
  if (!fits || H5Aread(attribute, type, out) < 0) {
    status = attribute_failure(input, name, whole ? "a whole number" : "a number");
  }
  if (stored >= 0) H5Tclose(stored);
  H5Aclose(attribute);
  return status;
}

/* --- Groups and arrays --- */

/* A name is one step: HDF5 follows the links on a path before it looks at the last one. */
bool edgefw__hdf5_exists(hid_t group, const char *name) {
  return !strchr(name, '/') && H5Lexists(group, name, H5P_DEFAULT) > 0;
}

bool edgefw__hdf5_is_own(hid_t group, const char *name) {
  H5L_info_t info;
  return !strchr(name, '/') && H5Lget_info(group, name, &info, H5P_DEFAULT) >= 0 &&
         info.type == H5L_TYPE_HARD;
}

edgefw_status edgefw__hdf5_group(const edgefw__hdf5_input *input, hid_t parent, const char *name,
                                 hid_t *out) {
  *out = H5I_INVALID_HID;
  if (parent < 0 || !edgefw__hdf5_exists(parent, name)) return EDGEFW_OK;
  if (edgefw__hdf5_is_own(parent, name)) *out = H5Gopen2(parent, name, H5P_DEFAULT);
  if (*out >= 0) return EDGEFW_OK;
  return edgefw_fail(input->ctx, EDGEFW_FORMAT, "'%s': '%s' is not a group of this file",
                     input->path, name);
}

/* The filters of HDF5 itself that datasets are made with. For any other one, HDF5 would look for a
 * shared object that the file names, and load it. */
static bool are_known_filters(hid_t creation) {
  static const H5Z_filter_t known[] = {H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE,
                                       H5Z_FILTER_FLETCHER32, H5Z_FILTER_SZIP};
  const int count = H5Pget_nfilters(creation);
  bool all = count >= 0;
  for (int f = 0; f < count && all; ++f) {
    unsigned flags = 0, config = 0;
    size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, (unsigned)f, &flags, &values, NULL, 0, NULL, &config);
    all = false;
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) all |= filter == known[k];
  }
  return all;
}

/* Numbers in one chunk, 0 if the array has none; HDF5 takes memory for whole chunks. A product that
 * is too large for any file ends early. */
static uint64_t chunk_numbers(hid_t creation) {
  const uint64_t enough = UINT64_C(1) << 48;
  hsize_t extent[EDGEFW__HDF5_MAX_RANK + 1] = {0};
  if (H5Pget_layout(creation) != H5D_CHUNKED) return 0;
  const int rank = H5Pget_chunk(creation, EDGEFW__HDF5_MAX_RANK + 1, extent);
  uint64_t numbers = 1;
  for (int axis = 0; axis < rank && axis <= EDGEFW__HDF5_MAX_RANK; ++axis) {
    if (extent[axis] > enough / numbers) return enough;
    if (extent[axis] > 0) numbers *= extent[axis];
  }
  return numbers;
}

/* Look at how the array is kept before its extent is asked for, which opens the sources of a
 * virtual one. NULL or what is wrong. */
static const char *read_layout(edgefw__hdf5_array *array) {
  const hid_t creation = H5Dget_create_plist(array->id);
  if (creation < 0) return "is damaged";
  const char *fault = NULL;
  const H5D_layout_t layout = H5Pget_layout(creation);
  if (layout == H5D_VIRTUAL || (layout == H5D_CONTIGUOUS && H5Pget_external_count(creation) != 0))
    fault = "is kept outside this file";
  else if (!are_known_filters(creation))
    fault = "is compressed in another way than deflate (gzip), shuffle, fletcher32 and szip";
  array->chunk = chunk_numbers(creation);
  H5Pclose(creation);
  return fault;
}

/* Fill rank, shape and count; NULL or what is wrong. */
static const char *read_shape(edgefw__hdf5_array *array) {
  const hid_t space = H5Dget_space(array->id);
  if (space < 0) return "has no shape";
  const char *fault = NULL;
  hsize_t extent[EDGEFW__HDF5_MAX_RANK] = {0};
  array->rank = H5Sget_simple_extent_ndims(space);
  if (array->rank < 1 || array->rank > EDGEFW__HDF5_MAX_RANK) {
    fault = "has not 1 to 3 axes";
  } else if (H5Sget_simple_extent_dims(space, extent, NULL) < 0) {
    fault = "has no shape";
  }
  H5Sclose(space);
  if (fault) return fault;
  array->count = 1;
  for (int axis = 0; axis < array->rank; ++axis) {
    if (extent[axis] == 0) return "is empty";
    if (extent[axis] > (hsize_t)(INT64_MAX / 16 / array->count)) return "is too large";
    array->shape[axis] = (int64_t)extent[axis];
    array->count *= array->shape[axis];
  }
  return NULL;
}

/* Fill class and width; NULL or what is wrong. */
static const char *read_type(edgefw__hdf5_array *array) {
  const hid_t type = H5Dget_type(array->id);
  if (type < 0) return "has no type";
  array->class = H5Tget_class(type);
  array->width = H5Tget_size(type);
  H5Tclose(type);
  const bool numbers = array->class == H5T_INTEGER || array->class == H5T_FLOAT;
  if (!numbers || array->width > 8) return "does not hold numbers of up to 64 bits";
  const int64_t bytes = array->count * (int64_t)array->width;
  const hsize_t stored = H5Dget_storage_size(array->id);
  if ((uint64_t)bytes / MAX_RATIO > stored || stored == 0) {
    return "is far larger than what is stored for it";
  }
  if (array->chunk * array->width / MAX_RATIO > stored) {
    return "has chunks far larger than what is stored for them";
  }
  return NULL;
}

edgefw_status edgefw__hdf5_array_open(const edgefw__hdf5_input *input, hid_t group,
                                      const char *name, edgefw__hdf5_array *out) {
  *out = (edgefw__hdf5_array){.id = H5I_INVALID_HID};
  const char *fault = NULL;
  if (!edgefw__hdf5_exists(group, name)) {
    fault = "is missing";
  } else if (!edgefw__hdf5_is_own(group, name) ||
             (out->id = H5Dopen2(group, name, H5P_DEFAULT)) < 0) {
    fault = "is not an array of this file";
  }
  if (!fault) fault = read_layout(out);
  if (!fault) fault = read_shape(out);
  if (!fault) fault = read_type(out);
  if (!fault) return EDGEFW_OK;
  edgefw__hdf5_array_close(out);
  return edgefw_fail(input->ctx, EDGEFW_FORMAT, "'%s': the array '%s' %s", input->path, name,
                     fault);
}

void edgefw__hdf5_array_close(edgefw__hdf5_array *array) {
  if (array->id >= 0) H5Dclose(array->id);
  array->id = H5I_INVALID_HID;
}

edgefw_status edgefw__hdf5_array_read(const edgefw__hdf5_input *input,
                                      const edgefw__hdf5_array *array, const char *name,
                                      int64_t first, int64_t count, hid_t type, void *out) {
  hsize_t start[EDGEFW__HDF5_MAX_RANK] = {(hsize_t)first};
  hsize_t extent[EDGEFW__HDF5_MAX_RANK] = {(hsize_t)count};
  for (int axis = 1; axis < array->rank; ++axis) extent[axis] = (hsize_t)array->shape[axis];
  const hid_t file_space = H5Dget_space(array->id);
  const hid_t memory_space = H5Screate_simple(array->rank, extent, NULL);
  const bool read =
      file_space >= 0 && memory_space >= 0 &&
      H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0 &&
      H5Dread(array->id, type, memory_space, file_space, H5P_DEFAULT, out) >= 0;
  if (file_space >= 0) H5Sclose(file_space);
  if (memory_space >= 0) H5Sclose(memory_space);
  if (read) return EDGEFW_OK;
  return edgefw_fail(input->ctx, EDGEFW_IO,
                     "'%s': the array '%s' cannot be read: it is damaged, or compressed in a way "
                     "that this HDF5 library does not know",
                     input->path, name);
}
