/* Writing HDF5 files that appear whole or not at all. */
#include "files/hdf5_output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/atomic_file.h"
#include "files/hdf5_input.h"

enum {
  DEFLATE_LEVEL = 4,
  MEMORY_STEP = 1 << 20,  /* by which a file in memory grows */
  DISK_MARGIN = 16 << 20, /* for what HDF5 adds, and others who write */
  COPY_BYTES = 1 << 20,
  PERMISSIONS = 07777 /* of a file's mode */
};

/* --- The file --- */

/* A file in memory is taken over when HDF5 closes it. (H5Fget_file_image, which is meant for that,
 * gives a wrong checksum in HDF5 1.10.) */
static void *resize_image(void *image, size_t size, H5FD_file_image_op_t op, void *user) {
  edgefw__hdf5_output *output = user;
  (void)op;
  void *resized = H5resize_memory(image, size);
  if (resized) output->image_size = size;
  return resized;
}

static herr_t keep_image(void *image, H5FD_file_image_op_t op, void *user) {
  edgefw__hdf5_output *output = user;
  (void)op;
  if (output->image) H5free_memory(output->image);
  output->image = image;
  return 0;
}

static void *same_user(void *user) {
  return user;
}

static herr_t leave_user(void *user) {
  (void)user;
  return 0;
}

static void use_memory(hid_t access, edgefw__hdf5_output *output) {
  H5FD_file_image_callbacks_t callbacks = {.image_realloc = resize_image,
                                           .image_free = keep_image,
                                           .udata_copy = same_user,
                                           .udata_free = leave_user,
                                           .udata = output};
  H5Pset_fapl_core(access, MEMORY_STEP, false);
  H5Pset_file_image_callbacks(access, &callbacks);
}

/* How a file is opened for writing. Closed with H5Pclose. */
static hid_t new_access(void) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_file_locking(access, false, true);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  /* All of this format's bookkeeping has checksums: the library may crash on a damaged old one. */
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  return access;
}

static hid_t create_file(edgefw__hdf5_output *output) {
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  const hid_t access = new_access();
  H5Pset_obj_track_times(creation, false);
  if (!output->temporary) use_memory(access, output);
  /* Also for a file in memory, HDF5 first looks for one of that name on disk and reads it. So the
   * name is one that no file has. */
  char name_in_memory[64];
  snprintf(name_in_memory, sizeof name_in_memory, "edgefw-in-memory-%p", (void *)output);
  const char *name = output->temporary ? output->temporary : name_in_memory;
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, creation, access);
  H5Pclose(access);
  H5Pclose(creation);
  return file;
}

/* Everything but the file. */
static edgefw_status begin(edgefw_context *ctx, const char *path, edgefw__hdf5_medium medium,
                           edgefw__hdf5_output *out) {
  *out = (edgefw__hdf5_output){.ctx = ctx, .file = H5I_INVALID_HID};
  const size_t length = strlen(path);
  out->path = edgefw_allocate(ctx, length + 1, 1, "a file name");
  if (!out->path) return EDGEFW_OUT_OF_MEMORY;
  memcpy(out->path, path, length);
  if (medium != EDGEFW__HDF5_ON_DISK) return EDGEFW_OK;
  return edgefw__temporary_create(ctx, path, &out->temporary);
}

edgefw_status edgefw__hdf5_create(edgefw_context *ctx, const char *path, const char *format,
                                  int64_t version, edgefw__hdf5_medium medium,
                                  edgefw__hdf5_output *out) {
  edgefw_status status = begin(ctx, path, medium, out);
  if (status == EDGEFW_OK) {
    out->file = create_file(out);
    if (out->file < 0) {
      status =
          edgefw_fail(ctx, EDGEFW_IO, "cannot write '%s': the HDF5 library cannot make it", path);
    }
  }
  if (status != EDGEFW_OK) {
    edgefw__hdf5_abandon(out);
    return status;
  }
  edgefw__hdf5_put_text(out, out->file, "format", format);
  edgefw__hdf5_put_number(out, out->file, "format_version", H5T_NATIVE_INT64, &version);
  return EDGEFW_OK;
}

static edgefw_status copy_content(edgefw_context *ctx, const char *from, const char *to) {
  edgefw_status status = EDGEFW_OK;
  char *buffer = edgefw_allocate(ctx, COPY_BYTES, 1, "a copy of a file");
  if (!buffer) return EDGEFW_OUT_OF_MEMORY;
  FILE *source = fopen(from, "rb"), *target = source ? fopen(to, "wb") : NULL;
  bool good = target != NULL;
  for (size_t got = 0; good && (got = fread(buffer, 1, COPY_BYTES, source)) > 0;)
    good = fwrite(buffer, 1, got, target) == got;
  good = good && !ferror(source);
  const int error = errno;
  if (source) (void)fclose(source);
  if (target && fclose(target) != 0) good = false;
  if (!good) status = edgefw_fail(ctx, EDGEFW_IO, "cannot copy '%s': %s", from, strerror(error));
  edgefw_release(ctx, buffer);
  return status;
}

/* Before there is any content that others may not be meant to read. The owner writes the copy. */
static edgefw_status copy_permissions(edgefw_context *ctx, const char *from,
                                      const struct stat *info, const char *to) {
  if (chmod(to, (info->st_mode & PERMISSIONS) | S_IRUSR | S_IWUSR) == 0) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_IO, "cannot give a copy of '%s' its permissions: %s", from,
                     strerror(errno));
}

edgefw_status edgefw__hdf5_extend(edgefw_context *ctx, const char *path, edgefw__hdf5_output *out) {
  struct stat info = {0};
  char *real = realpath(path, NULL); /* a symbolic link stays one */
  const bool found = real && stat(real, &info) == 0;
  edgefw_status status = begin(ctx, real ? real : path, EDGEFW__HDF5_ON_DISK, out);
  free(real);
  if (status == EDGEFW_OK && found) status = edgefw__hdf5_reserve(out, (int64_t)info.st_size);
  if (status == EDGEFW_OK && found) status = copy_permissions(ctx, path, &info, out->temporary);
  if (status == EDGEFW_OK) status = copy_content(ctx, path, out->temporary);
  if (status == EDGEFW_OK) {
    const hid_t access = new_access();
    out->file = H5Fopen(out->temporary, H5F_ACC_RDWR, access);
    H5Pclose(access);
    if (out->file < 0)
      status =
          edgefw_fail(ctx, EDGEFW_IO, "cannot write '%s': the HDF5 library cannot open it", path);
  }
  if (status != EDGEFW_OK) edgefw__hdf5_abandon(out);
  return status;
}

edgefw_status edgefw__hdf5_check(const edgefw__hdf5_output *output) {
  if (!output->failed) return EDGEFW_OK;
  return edgefw_fail(output->ctx, EDGEFW_IO,
                     "cannot write '%s': the HDF5 library failed (is the disk full?)",
                     output->path);
}

edgefw_status edgefw__hdf5_reserve(const edgefw__hdf5_output *output, int64_t bytes) {
  struct statvfs disk;
  if (!output->temporary || statvfs(output->temporary, &disk) != 0) return EDGEFW_OK;
  const double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
  const double needed = (double)bytes + DISK_MARGIN;
  if (needed <= free_bytes) return EDGEFW_OK;
  return edgefw_fail(output->ctx, EDGEFW_IO,
                     "cannot write '%s': the disk has %.0f MB left, %.0f MB may be needed",
                     output->path, free_bytes / 1e6, needed / 1e6);
}

/* Put a closed file to its place. */
static edgefw_status put_in_place(edgefw__hdf5_output *output) {
  if (output->temporary) {
    char *temporary = output->temporary;
    output->temporary = NULL;
    return edgefw__temporary_commit(output->ctx, temporary, output->path);
  }
  /* HDF5 lets the image grow in large steps and leaves room at its end. The header of the file says
   * how many of its bytes belong to the file. */
  const uint64_t size = output->image ? edgefw__hdf5_stated_size(output->image) : 0;
  if (size == 0 || size > output->image_size) {
    return edgefw_fail(output->ctx, EDGEFW_INTERNAL,
                       "cannot write '%s': HDF5 made a file of %zu bytes that states %" PRIu64,
                       output->path, output->image_size, size);
  }
  return edgefw__write_file(output->ctx, output->path, output->image, (size_t)size);
}

edgefw_status edgefw__hdf5_finish(edgefw__hdf5_output *output) {
  if (!output->failed && H5Fflush(output->file, H5F_SCOPE_GLOBAL) < 0) output->failed = true;
  if (H5Fclose(output->file) < 0) output->failed = true;
  output->file = H5I_INVALID_HID;
  edgefw_status status = edgefw__hdf5_check(output);
  if (status == EDGEFW_OK) status = put_in_place(output);
  edgefw__hdf5_abandon(output);
  return status;
}

void edgefw__hdf5_abandon(edgefw__hdf5_output *output) {
  if (output->file >= 0) H5Fclose(output->file);
  output->file = H5I_INVALID_HID;
  if (output->image) H5free_memory(output->image);
  output->image = NULL;
  edgefw__temporary_abandon(output->ctx, output->temporary);
  output->temporary = NULL;
  edgefw_release(output->ctx, output->path);
  output->path = NULL;
}

/* --- Attributes --- */

static void put_attribute(edgefw__hdf5_output *output, hid_t object, const char *name, hid_t type,
                          const void *value) {
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0 || H5Awrite(attribute, type, value) < 0) output->failed = true;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
}

void edgefw__hdf5_put_number(edgefw__hdf5_output *output, hid_t object, const char *name,
                             hid_t type, const void *value) {
  put_attribute(output, object, name, type, value);
}

/* Of fixed length: texts of variable length lie on a heap that has no checksum. */
void edgefw__hdf5_put_text(edgefw__hdf5_output *output, hid_t object, const char *name,
                           const char *text) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(text) + 1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  put_attribute(output, object, name, type, text);
  H5Tclose(type);
}

/* --- Groups and arrays --- */

hid_t edgefw__hdf5_put_group(edgefw__hdf5_output *output, hid_t parent, const char *name) {
  const hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(creation, false);
  const hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, creation, H5P_DEFAULT);
  H5Pclose(creation);
  if (group < 0) output->failed = true;
  return group;
}

hid_t edgefw__hdf5_new_array(edgefw__hdf5_output *output, hid_t group, const char *name, int rank,
                             const int64_t *shape, const int64_t *chunk, hid_t stored) {
  hsize_t extent[EDGEFW__HDF5_MAX_RANK] = {0};
  hsize_t piece[EDGEFW__HDF5_MAX_RANK] = {0};
  for (int axis = 0; axis < rank; ++axis) {
    extent[axis] = (hsize_t)shape[axis];
    piece[axis] = chunk ? (hsize_t)chunk[axis] : 0;
  }
  const hid_t space = H5Screate_simple(rank, extent, NULL);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(creation, false);
  H5Pset_chunk(creation, rank, chunk ? piece : extent);
  if (chunk) {
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, DEFLATE_LEVEL);
  }
  H5Pset_fletcher32(creation);
  const hid_t array = H5Dcreate2(group, name, stored, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  H5Pclose(creation);
  H5Sclose(space);
  if (array < 0) output->failed = true;
  return array;
}

void edgefw__hdf5_put_rows(edgefw__hdf5_output *output, hid_t array, int64_t first, int64_t count,
                           hid_t type, const void *data) {
  if (output->failed) return;
  hsize_t extent[EDGEFW__HDF5_MAX_RANK] = {0};
  hsize_t start[EDGEFW__HDF5_MAX_RANK] = {(hsize_t)first};
  const hid_t file_space = H5Dget_space(array);
  const int rank = H5Sget_simple_extent_dims(file_space, extent, NULL);
  extent[0] = (hsize_t)count;
  const hid_t memory_space = rank < 1 ? H5I_INVALID_HID : H5Screate_simple(rank, extent, NULL);
  if (memory_space < 0 ||
      H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, extent, NULL) < 0 ||
      H5Dwrite(array, type, memory_space, file_space, H5P_DEFAULT, data) < 0) {
    output->failed = true;
  }
  if (memory_space >= 0) H5Sclose(memory_space);
  if (file_space >= 0) H5Sclose(file_space);
}

void edgefw__hdf5_put_array(edgefw__hdf5_output *output, hid_t group, const char *name, int rank,
                            const int64_t *shape, hid_t stored, hid_t type, const void *data) {
  const hid_t array = edgefw__hdf5_new_array(output, group, name, rank, shape, NULL, stored);
  if (array < 0) return;
  edgefw__hdf5_put_rows(output, array, 0, shape[0], type, data);
  H5Dclose(array);
}
