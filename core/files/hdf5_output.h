/* Writing HDF5 files that appear whole or not at all: what datasets and checkpoints share. The same
 * content gives the same bytes (no times are stored). One thread at a time; see hdf5_input.h. */
#ifndef EDGEFW__HDF5_OUTPUT_H
#define EDGEFW__HDF5_OUTPUT_H

#include <hdf5.h>

#include "edgefw/context.h"

/* Where the file is made. HDF5 1.10 may crash, even at exit, once it could not write to a file (a
 * full disk), so it should never come to that: what fits in memory is made there and written by us;
 * what may not asks for room first (edgefw__hdf5_reserve). */
typedef enum edgefw__hdf5_medium {
  EDGEFW__HDF5_IN_MEMORY = 0, /* takes as much as the file */
  EDGEFW__HDF5_ON_DISK = 1    /* for files that may be larger than memory */
} edgefw__hdf5_medium;

/* A file being written; it stays where it is in memory. Failures are sticky: the put functions may
 * be called in a row, and the first failure comes out of edgefw__hdf5_check and
 * edgefw__hdf5_finish. */
typedef struct edgefw__hdf5_output {
  edgefw_context *ctx;
  char *path;      /* owned: where it goes */
  char *temporary; /* owned: name until it is finished; NULL in memory */
  hid_t file;      /* < 0: closed */
  void *image;     /* owned by HDF5: the file in memory */
  size_t image_size;
  bool failed; /* some write failed */
} edgefw__hdf5_output;

/* Begin to write `path`, of format `format` and version `version`. Given to finish or abandon
 * exactly once, unless this fails. IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__hdf5_create(edgefw_context *ctx, const char *path,
                                                   const char *format, int64_t version,
                                                   edgefw__hdf5_medium medium,
                                                   edgefw__hdf5_output *out);

/* Begin to write `path` anew, on disk, with the content that it has: a good HDF5 file of ours. It
 * keeps its permissions; of a symbolic link the file that it leads to is written. As
 * edgefw__hdf5_create otherwise. */
EDGEFW_NODISCARD edgefw_status edgefw__hdf5_extend(edgefw_context *ctx, const char *path,
                                                   edgefw__hdf5_output *out);

/* The first failure so far, recorded; OK if there is none. */
EDGEFW_NODISCARD edgefw_status edgefw__hdf5_check(const edgefw__hdf5_output *output);

/* Is there room on the disk for `bytes` more? IO if not. Always OK in memory. */
EDGEFW_NODISCARD edgefw_status edgefw__hdf5_reserve(const edgefw__hdf5_output *output,
                                                    int64_t bytes);

/* Close all that is open in the file, flush to disk and rename; if anything failed the file is
 * removed and the old one stays. IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__hdf5_finish(edgefw__hdf5_output *output);

/* Remove what was written; harmless after finish. */
void edgefw__hdf5_abandon(edgefw__hdf5_output *output);

/* Attributes of `object`. Text is UTF-8 of any length, numbers are one value of type `type`. */
void edgefw__hdf5_put_text(edgefw__hdf5_output *output, hid_t object, const char *name,
                           const char *text);
void edgefw__hdf5_put_number(edgefw__hdf5_output *output, hid_t object, const char *name,
                             hid_t type, const void *value);

/* New group `name` of `parent`; < 0 (and a sticky failure) if that fails. Close: H5Gclose. */
hid_t edgefw__hdf5_put_group(edgefw__hdf5_output *output, hid_t parent, const char *name);

/* New array of `rank` axes: stored as `stored`, in chunks of `chunk` with shuffle and deflate, or
 * in one piece if `chunk` is NULL. < 0 (and a sticky failure) if that fails. Close: H5Dclose. */
hid_t edgefw__hdf5_new_array(edgefw__hdf5_output *output, hid_t group, const char *name, int rank,
                             const int64_t *shape, const int64_t *chunk, hid_t stored);

/* Write `count` entries along the first axis of an array from `first` on; `data` has type `type`.
 */
void edgefw__hdf5_put_rows(edgefw__hdf5_output *output, hid_t array, int64_t first, int64_t count,
                           hid_t type, const void *data);

/* New array in one piece, with its content. */
void edgefw__hdf5_put_array(edgefw__hdf5_output *output, hid_t group, const char *name, int rank,
                            const int64_t *shape, hid_t stored, hid_t type, const void *data);

#endif
