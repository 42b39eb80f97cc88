/* Reading HDF5 files that may be damaged or hostile: what datasets and checkpoints share. Every
 * failure is one line with path and reason; sizes are checked before anything is allocated. The
 * HDF5 library is not thread-safe: one thread at a time uses these functions. */
#ifndef EDGEFW__HDF5_INPUT_H
#define EDGEFW__HDF5_INPUT_H

#include <hdf5.h>

#include "edgefw/context.h"

#define EDGEFW__HDF5_MAX_RANK 3

/* HDF5 prints its errors by default. Between these two calls it does not; they restore what the
 * program had chosen. */
typedef struct edgefw__hdf5_silence {
  H5E_auto2_t print;
  void *user;
} edgefw__hdf5_silence;

void edgefw__hdf5_silence_begin(edgefw__hdf5_silence *silence);
void edgefw__hdf5_silence_end(const edgefw__hdf5_silence *silence);

/* An open file and what its messages need. `path` is the caller's. */
typedef struct edgefw__hdf5_input {
  edgefw_context *ctx;
  const char *path;
  hid_t file; /* < 0: closed */
} edgefw__hdf5_input;

/* Open `path` for reading and check that the root's attributes say `format`, and a format_version
 * from 1 to `version`. File locks are not asked for: they fail on many network and read-only file
 * systems, and our own writers replace whole files. IO (missing, folder, empty, not HDF5, cut
 * short), FORMAT, UNSUPPORTED (a newer version). Closed by edgefw__hdf5_close also on failure. */
EDGEFW_NODISCARD edgefw_status edgefw__hdf5_open(edgefw_context *ctx, const char *path,
                                                 const char *format, int64_t version,
                                                 edgefw__hdf5_input *out);

/* Close the file and everything opened through it. */
void edgefw__hdf5_close(edgefw__hdf5_input *input);

/* End of a file as the first 64 bytes of it state it; 0 if that cannot be told. */
uint64_t edgefw__hdf5_stated_size(const unsigned char *head);

/* --- Attributes of `object` (a file, group or dataset) --- */

bool edgefw__hdf5_has(hid_t object, const char *name);

/* Text of any HDF5 string type, released by the caller with edgefw_release. */
EDGEFW_NODISCARD edgefw_status edgefw__hdf5_get_text(const edgefw__hdf5_input *input, hid_t object,
                                                     const char *name, char **out);

/* One number; `type` is H5T_NATIVE_INT64, H5T_NATIVE_UINT64 or H5T_NATIVE_DOUBLE, `out` has it. A
 * whole number is not read from a fractional one. */
EDGEFW_NODISCARD edgefw_status edgefw__hdf5_get_number(const edgefw__hdf5_input *input,
                                                       hid_t object, const char *name, hid_t type,
                                                       void *out);

/* --- Arrays --- */

/* An open array of numbers (an HDF5 "dataset"). */
typedef struct edgefw__hdf5_array {
  hid_t id; /* < 0: closed */
  int rank; /* 1 .. EDGEFW__HDF5_MAX_RANK */
  int64_t shape[EDGEFW__HDF5_MAX_RANK];
  int64_t count;     /* product of shape */
  H5T_class_t class; /* H5T_INTEGER or H5T_FLOAT */
  size_t width;      /* bytes of a number in the file */
  uint64_t chunk;    /* numbers in a chunk; 0: not in chunks */
} edgefw__hdf5_array;

/* Open array `name` of `group`. FORMAT if it is missing, no array of numbers, of rank 0 or above 3,
 * empty, a link, kept outside this file, compressed by a filter that HDF5 would have to load, or
 * larger (its chunks too) than what is stored for it can be. */
EDGEFW_NODISCARD edgefw_status edgefw__hdf5_array_open(const edgefw__hdf5_input *input, hid_t group,
                                                       const char *name, edgefw__hdf5_array *out);
void edgefw__hdf5_array_close(edgefw__hdf5_array *array);

/* Read `count` entries along the first axis from `first` on, converted to `type`. */
EDGEFW_NODISCARD edgefw_status edgefw__hdf5_array_read(const edgefw__hdf5_input *input,
                                                       const edgefw__hdf5_array *array,
                                                       const char *name, int64_t first,
                                                       int64_t count, hid_t type, void *out);

/* --- Entries of groups: looked at before they are opened, as opening would follow a link --- */

/* Open group `name` of `parent`. *out is < 0 if there is none, or no parent (< 0). FORMAT if the
 * entry is a link, also one within the file, or no group. Close: H5Gclose. */
EDGEFW_NODISCARD edgefw_status edgefw__hdf5_group(const edgefw__hdf5_input *input, hid_t parent,
                                                  const char *name, hid_t *out);

/* Is there an entry `name` in `group`, and does it belong to this file: no link of any other kind
 * than the one that makes an object part of a file? A name with a slash is none. */
bool edgefw__hdf5_exists(hid_t group, const char *name);
bool edgefw__hdf5_is_own(hid_t group, const char *name);

#endif
