/* Reading zip archives that may be damaged or hostile: the containers of NumPy's .npz and
 * PyTorch's .pt. Entries are read as streams, so that nothing is allocated for what an archive
 * merely claims to hold. Memory of libzip itself does not come from the context. One thread at a
 * time uses an archive. */
#ifndef EDGEFW__ZIP_INPUT_H
#define EDGEFW__ZIP_INPUT_H

#include "edgefw/context.h"

/* An open archive; `path` is the caller's. */
typedef struct edgefw__zip_input {
  edgefw_context *ctx;
  const char *path;
  void *archive; /* libzip's; NULL: closed */
  int64_t bytes; /* of the file */
} edgefw__zip_input;

/* Open `path`. IO (missing, folder, cannot be read), FORMAT (no zip archive, cut short). Closed by
 * edgefw__zip_close, after its entries, also on failure. */
EDGEFW_NODISCARD edgefw_status edgefw__zip_open(edgefw_context *ctx, const char *path,
                                                edgefw__zip_input *out);
void edgefw__zip_close(edgefw__zip_input *input);

/* Number of entries, and the name of one in [0, count); NULL if it cannot be told. */
int64_t edgefw__zip_count(const edgefw__zip_input *input);
const char *edgefw__zip_name(const edgefw__zip_input *input, int64_t index);

/* Index of the entry of that very name, -1 if there is none. */
int64_t edgefw__zip_find(const edgefw__zip_input *input, const char *name);

/* An open entry. Several of one archive may be open at once. */
typedef struct edgefw__zip_entry {
  const edgefw__zip_input *input;
  void *stream;     /* libzip's; NULL: closed */
  const char *name; /* as long as the archive is open */
  int64_t size;     /* bytes that it unpacks to, as the archive states them */
  int64_t packed;   /* bytes that it takes in the archive, as that states them */
} edgefw__zip_entry;

/* Open entry `index` at its first byte. FORMAT (no such entry, size unknown, more bytes than its
 * part of the archive can unpack to, or a part larger than the archive), UNSUPPORTED (encrypted, or
 * packed in a way that libzip does not know). */
EDGEFW_NODISCARD edgefw_status edgefw__zip_entry_open(const edgefw__zip_input *input, int64_t index,
                                                      edgefw__zip_entry *out);
void edgefw__zip_entry_close(edgefw__zip_entry *entry); /* harmless on a closed one */

/* The next `bytes` bytes. FORMAT if the entry ends before, or its data are damaged. */
EDGEFW_NODISCARD edgefw_status edgefw__zip_entry_read(edgefw__zip_entry *entry, void *out,
                                                      size_t bytes);

/* Is the entry at its end, with the right checksum? FORMAT if not. */
EDGEFW_NODISCARD edgefw_status edgefw__zip_entry_finish(edgefw__zip_entry *entry);

#endif
