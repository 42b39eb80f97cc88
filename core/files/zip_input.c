/* Reading zip archives through libzip. */
#include "files/zip_input.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <zip.h>

#include "base/text_file.h"

/* Deflate shrinks by 1032 at most: a larger ratio is a lie about the size, or meant to fill memory.
 */
#define MAX_RATIO 1100

/* --- Archives --- */

/* What libzip calls an error code, in words. */
static edgefw_status open_failure(edgefw_context *ctx, const char *path, int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const bool io = zip_error_system_type(&error) == ZIP_ET_SYS;
  const edgefw_status status =
      edgefw_fail(ctx, io ? EDGEFW_IO : EDGEFW_FORMAT, "cannot read '%s' as a zip archive: %s",
                  path, zip_error_strerror(&error));
  zip_error_fini(&error);
  return status;
}

edgefw_status edgefw__zip_open(edgefw_context *ctx, const char *path, edgefw__zip_input *out) {
  *out = (edgefw__zip_input){.ctx = ctx, .path = path};
  const char *reason = edgefw__not_a_file(path);
  struct stat info;
  if (!reason && stat(path, &info) != 0) reason = strerror(errno);
  if (reason) return edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s': %s", path, reason);
  out->bytes = (int64_t)info.st_size;
  int code = 0;
  out->archive = zip_open(path, ZIP_RDONLY, &code);
  return out->archive ? EDGEFW_OK : open_failure(ctx, path, code);
}

void edgefw__zip_close(edgefw__zip_input *input) {
  if (input->archive) zip_discard(input->archive);
  input->archive = NULL;
}

int64_t edgefw__zip_count(const edgefw__zip_input *input) {
  return zip_get_num_entries(input->archive, 0);
}

const char *edgefw__zip_name(const edgefw__zip_input *input, int64_t index) {
  return zip_get_name(input->archive, (zip_uint64_t)index, 0);
}

int64_t edgefw__zip_find(const edgefw__zip_input *input, const char *name) {
  return zip_name_locate(input->archive, name, 0);
}

/* --- Entries --- */

/* Can the entry's part of the archive hold what it claims to unpack to? */
static edgefw_status check_sizes(const edgefw__zip_input *input, const zip_stat_t *stat) {
  const bool known = (stat->valid & ZIP_STAT_COMP_SIZE) && stat->comp_size <= INT64_MAX;
  if (known && (int64_t)stat->comp_size <= input->bytes &&
      stat->size / MAX_RATIO <= stat->comp_size)
    return EDGEFW_OK;
  return edgefw_fail(input->ctx, EDGEFW_FORMAT,
                     "'%s': '%s' claims to unpack to %" PRIu64 " bytes from %" PRIu64
                     ", in an archive of %" PRId64 " bytes: it is damaged, or meant to fill memory",
                     input->path, stat->name, stat->size, known ? stat->comp_size : 0,
                     input->bytes);
}

edgefw_status edgefw__zip_entry_open(const edgefw__zip_input *input, int64_t index,
                                     edgefw__zip_entry *out) {
  *out = (edgefw__zip_entry){.input = input};
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(input->archive, (zip_uint64_t)index, 0, &stat) != 0 ||
      (stat.valid & (ZIP_STAT_NAME | ZIP_STAT_SIZE)) != (ZIP_STAT_NAME | ZIP_STAT_SIZE) ||
      stat.size > INT64_MAX)
    return edgefw_fail(input->ctx, EDGEFW_FORMAT,
                       "'%s': entry %" PRId64 " of the archive has no name or no size", input->path,
                       index);
  const edgefw_status status = check_sizes(input, &stat);
  if (status != EDGEFW_OK) return status;
  out->name = stat.name;
  out->size = (int64_t)stat.size;
  out->packed = (int64_t)stat.comp_size;
  out->stream = zip_fopen_index(input->archive, (zip_uint64_t)index, 0);
  if (out->stream) return EDGEFW_OK;
  const int code = zip_error_code_zip(zip_get_error(input->archive));
  const bool unknown = code == ZIP_ER_COMPNOTSUPP || code == ZIP_ER_ENCRNOTSUPP ||
                       code == ZIP_ER_NOPASSWD || code == ZIP_ER_WRONGPASSWD;
  return edgefw_fail(input->ctx, unknown ? EDGEFW_UNSUPPORTED : EDGEFW_FORMAT,
                     "'%s': cannot unpack '%s': %s", input->path, out->name,
                     zip_strerror(input->archive));
}

void edgefw__zip_entry_close(edgefw__zip_entry *entry) {
  if (entry->stream) (void)zip_fclose(entry->stream);
  entry->stream = NULL;
}

static edgefw_status damaged(edgefw__zip_entry *entry) {
  return edgefw_fail(entry->input->ctx, EDGEFW_FORMAT, "'%s': the data of '%s' are damaged: %s",
                     entry->input->path, entry->name,
                     zip_error_strerror(zip_file_get_error(entry->stream)));
}

edgefw_status edgefw__zip_entry_read(edgefw__zip_entry *entry, void *out, size_t bytes) {
  char *to = out;
  while (bytes > 0) {
    const zip_int64_t got = zip_fread(entry->stream, to, bytes);
    if (got < 0) return damaged(entry);
    if (got == 0)
      return edgefw_fail(entry->input->ctx, EDGEFW_FORMAT,
                         "'%s': '%s' ends %zu bytes too early (is the file cut short?)",
                         entry->input->path, entry->name, bytes);
    to += got;
    bytes -= (size_t)got;
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__zip_entry_finish(edgefw__zip_entry *entry) {
  char more = 0;
  const zip_int64_t got = zip_fread(entry->stream, &more, 1);
  if (got == 0) return EDGEFW_OK;
  if (got < 0) return damaged(entry);
  return edgefw_fail(entry->input->ctx, EDGEFW_FORMAT,
                     "'%s': '%s' goes on behind its %" PRId64 " bytes", entry->input->path,
                     entry->name, entry->size);
}
