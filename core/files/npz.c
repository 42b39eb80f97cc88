/* Reading NumPy .npz files: heads of arrays, then their numbers. */
#include "files/npz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/zip_input.h"

enum {
  MAX_ARRAYS = 16,
  MAX_HEAD = 1 << 16, /* text of a head; NumPy itself writes 118 bytes, and trusts 10,000 */
  PIECE = 1 << 13     /* numbers that are converted at once */
};

/* Beyond it a double skips whole numbers. */
#define MAX_WHOLE (INT64_C(1) << 53)

typedef struct source {
  edgefw__npz_array array;
  int64_t entry;            /* in the archive */
  edgefw__zip_entry stream; /* at number `next`, once rewound */
  int64_t next;
} source;

struct edgefw__npz {
  edgefw__zip_input zip;
  int count;
  source sources[MAX_ARRAYS];
  unsigned char bytes[PIECE * 8];
  char path[];
};

/* --- The head of an array: a Python dictionary in text --- */

/* What stands behind 'KEY': in the dictionary; NULL if there is no such key. */
static const char *value_of(const char *head, const char *key) {
  char quoted[32];
  for (const char *quotes = "'\""; *quotes; ++quotes) {
    snprintf(quoted, sizeof quoted, "%c%s%c", *quotes, key, *quotes);
    const char *at = strstr(head, quoted);
    if (!at) continue;
    at += strlen(quoted);
    at += strspn(at, " \t");
    if (*at != ':') continue;
    ++at;
    return at + strspn(at, " \t");
  }
  return NULL;
}

/* Length of the value at `text`: a quoted text, a tuple or a list with its ends, or a word. */
static size_t value_length(const char *text) {
  static const char begins[] = "'\"([", ends[] = "'\")]";
  const char *kind = *text ? strchr(begins, *text) : NULL;
  if (!kind) return strcspn(text, ",}\n");
  const char *end = strchr(text + 1, ends[kind - begins]);
  return end ? (size_t)(end - text) + 1 : strlen(text);
}

/* At most 23 bytes of the value at `text`, and of its line, fit for a message. Returns `out`. */
static const char *excerpt(const char *text, char out[24]) {
  const size_t length = value_length(text);
  size_t k = 0;
  for (; k < 23 && k < length && text[k] != '\n'; ++k)
    out[k] = text[k] >= ' ' && text[k] <= '~' ? text[k] : '?';
  out[k] = '\0';
  return out;
}

static edgefw_status bad_head(const edgefw__npz *npz, const char *name, const char *key,
                              const char *found, const char *expected) {
  char text[24];
  return edgefw_fail(npz->zip.ctx, EDGEFW_FORMAT,
                     "'%s': the head of the array '%s' says '%s' is %s, expected %s", npz->path,
                     name, key, excerpt(found ? found : "missing", text), expected);
}

static edgefw_status parse_type(const edgefw__npz *npz, const char *head, edgefw__npz_array *out) {
  static const char *const known[] = {"<f4", "<f8", "<i4", "<i8"};
  const char *descr = value_of(head, "descr");
  if (!descr || (*descr != '\'' && *descr != '"' && *descr != '['))
    return bad_head(npz, out->name, "descr", descr, "a type of numbers");
  const char quote = *descr;
  for (size_t k = 0; quote != '[' && k < sizeof known / sizeof *known; ++k)
    if (strncmp(descr + 1, known[k], 3) == 0 && descr[4] == quote) {
      out->kind = known[k][1];
      out->width = known[k][2] - '0';
      return EDGEFW_OK;
    }
  char text[24];
  return edgefw_fail(
      npz->zip.ctx, EDGEFW_UNSUPPORTED,
      "'%s': the numbers of the array '%s' are of type %s; expected little-endian f4, "
      "f8, i4 or i8 (in NumPy: a.astype('<f8'))",
      npz->path, out->name, excerpt(descr, text));
}

static edgefw_status parse_order(const edgefw__npz *npz, const char *head,
                                 const edgefw__npz_array *array) {
  const char *order = value_of(head, "fortran_order");
  if (order && strncmp(order, "False", 5) == 0) return EDGEFW_OK;
  if (!order || strncmp(order, "True", 4) != 0)
    return bad_head(npz, array->name, "fortran_order", order, "True or False");
  return edgefw_fail(npz->zip.ctx, EDGEFW_UNSUPPORTED,
                     "'%s': the array '%s' is in Fortran order; save it in C order (in NumPy: "
                     "numpy.ascontiguousarray(a))",
                     npz->path, array->name);
}

/* "(1000, 20, 20)", "(5,)", "()". Fewer than 2^59 numbers, so that their bytes can be counted. */
static edgefw_status parse_shape(const edgefw__npz *npz, const char *head, edgefw__npz_array *out) {
  static const char expected[] = "a tuple of sizes";
  const char *shape = value_of(head, "shape");
  if (!shape || *shape != '(') return bad_head(npz, out->name, "shape", shape, expected);
  out->count = 1;
  const char *at = shape + 1;
  for (at += strspn(at, " "); *at != ')'; at += strspn(at, " ")) {
    char *end = NULL;
    const long long size = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : -1;
    if (size < 0) return bad_head(npz, out->name, "shape", shape, expected);
    if (out->rank == EDGEFW__NPZ_MAX_RANK)
      return edgefw_fail(npz->zip.ctx, EDGEFW_UNSUPPORTED,
                         "'%s': the array '%s' has more than %d axes", npz->path, out->name,
                         EDGEFW__NPZ_MAX_RANK);
    if (size > 0 && out->count > (INT64_C(1) << 59) / size)
      return bad_head(npz, out->name, "shape", shape, "fewer numbers");
    out->shape[out->rank++] = size;
    out->count *= size;
    at = end + strspn(end, " ");
    if (*at == ',')
      ++at;
    else if (*at != ')')
      return bad_head(npz, out->name, "shape", shape, expected);
  }
  return EDGEFW_OK;
}

/* Length of the head's text from what stands before it; *skip bytes are before the text. */
static edgefw_status head_length(const edgefw__npz *npz, edgefw__zip_entry *stream,
                                 const char *name, size_t *length, size_t *skip) {
  unsigned char lead[12];
  edgefw_status status = edgefw__zip_entry_read(stream, lead, 10);
  if (status != EDGEFW_OK) return status;
  if (memcmp(lead, "\x93NUMPY", 6) != 0)
    return edgefw_fail(npz->zip.ctx, EDGEFW_FORMAT, "'%s': the array '%s' is no NumPy array",
                       npz->path, name);
  const int version = lead[6];
  if (version < 1 || version > 3)
    return edgefw_fail(npz->zip.ctx, EDGEFW_UNSUPPORTED,
                       "'%s': the array '%s' is of NumPy format %d.%d, expected 1.0 to 3.0",
                       npz->path, name, version, lead[7]);
  *skip = version == 1 ? 10 : 12;
  *length = (size_t)lead[8] | (size_t)lead[9] << 8;
  if (version > 1) {
    status = edgefw__zip_entry_read(stream, lead + 10, 2);
    *length |= (size_t)lead[10] << 16 | (size_t)lead[11] << 24;
  }
  if (status != EDGEFW_OK || *length < MAX_HEAD) return status;
  return edgefw_fail(npz->zip.ctx, EDGEFW_FORMAT,
                     "'%s': the head of the array '%s' has %zu bytes, expected fewer than %d",
                     npz->path, name, *length, MAX_HEAD);
}

/* Open the array's entry, read its head into `out`, and stand at its first number. */
static edgefw_status read_head(edgefw__npz *npz, source *s) {
  edgefw_context *ctx = npz->zip.ctx;
  size_t length = 0, skip = 0;
  char *head = NULL;
  edgefw__zip_entry_close(&s->stream);
  edgefw_status status = edgefw__zip_entry_open(&npz->zip, s->entry, &s->stream);
  if (status == EDGEFW_OK) status = head_length(npz, &s->stream, s->array.name, &length, &skip);
  if (status != EDGEFW_OK) return status;
  head = edgefw_allocate(ctx, length + 1, 1, "the head of an array");
  if (!head) return EDGEFW_OUT_OF_MEMORY;
  s->array.rank = 0;
  status = edgefw__zip_entry_read(&s->stream, head, length);
  if (status == EDGEFW_OK) status = parse_type(npz, head, &s->array);
  if (status == EDGEFW_OK) status = parse_order(npz, head, &s->array);
  if (status == EDGEFW_OK) status = parse_shape(npz, head, &s->array);
  edgefw_release(ctx, head);
  const int64_t body = s->stream.size - (int64_t)(skip + length);
  if (status == EDGEFW_OK && body != s->array.count * s->array.width)
    status = edgefw_fail(ctx, EDGEFW_FORMAT,
                         "'%s': the array '%s' holds %" PRId64
                         " bytes of numbers, its shape says %" PRId64,
                         npz->path, s->array.name, body, s->array.count * s->array.width);
  s->next = 0;
  return status;
}

/* --- The file --- */

/* The name of an array's entry without ".npy"; false if it is no such entry. */
static bool array_name(const char *entry, char *out, size_t size) {
  const size_t length = entry ? strlen(entry) : 0;
  if (length < 5 || strcmp(entry + length - 4, ".npy") != 0) return false;
  snprintf(out, size, "%.*s", (int)(length - 4 < size ? length - 4 : size - 1), entry);
  for (char *c = out; *c; ++c) /* names go into messages */
    if ((unsigned char)*c < ' ') *c = '?';
  return true;
}

static edgefw_status read_heads(edgefw__npz *npz) {
  edgefw_status status = EDGEFW_OK;
  const int64_t entries = edgefw__zip_count(&npz->zip);
  int64_t packed = 0; /* at most MAX_ARRAYS times the size of the file */
  for (int64_t i = 0; i < entries && status == EDGEFW_OK; ++i) {
    source s = {.entry = i};
    if (!array_name(edgefw__zip_name(&npz->zip, i), s.array.name, sizeof s.array.name)) continue;
    if (npz->count == MAX_ARRAYS)
      return edgefw_fail(npz->zip.ctx, EDGEFW_UNSUPPORTED, "'%s' has more than %d arrays",
                         npz->path, MAX_ARRAYS);
    status = read_head(npz, &s);
    packed += s.stream.packed;
    if (status == EDGEFW_OK && packed > npz->zip.bytes)
      status = edgefw_fail(npz->zip.ctx, EDGEFW_FORMAT,
                           "'%s': its arrays take %" PRId64
                           " bytes of the archive, which has %" PRId64 ": they overlap",
                           npz->path, packed, npz->zip.bytes);
    edgefw__zip_entry_close(&s.stream);
    npz->sources[npz->count++] = s;
  }
  if (status == EDGEFW_OK && npz->count == 0)
    status = edgefw_fail(npz->zip.ctx, EDGEFW_FORMAT,
                         "'%s' holds no NumPy array (no entry ends in .npy)", npz->path);
  return status;
}

edgefw_status edgefw__npz_open(edgefw_context *ctx, const char *path, edgefw__npz **out) {
  *out = NULL;
  const size_t length = strlen(path);
  edgefw__npz *npz = edgefw_allocate(ctx, 1, sizeof *npz + length + 1, "an open .npz file");
  if (!npz) return EDGEFW_OUT_OF_MEMORY;
  memcpy(npz->path, path, length + 1);
  edgefw_status status = edgefw__zip_open(ctx, npz->path, &npz->zip);
  if (status == EDGEFW_OK) status = read_heads(npz);
  if (status != EDGEFW_OK) {
    edgefw__npz_close(npz);
    return status;
  }
  *out = npz;
  return EDGEFW_OK;
}

void edgefw__npz_close(edgefw__npz *npz) {
  if (!npz) return;
  for (int i = 0; i < npz->count; ++i) edgefw__zip_entry_close(&npz->sources[i].stream);
  edgefw__zip_close(&npz->zip);
  edgefw_release(npz->zip.ctx, npz);
}

int edgefw__npz_count(const edgefw__npz *npz) {
  return npz->count;
}

const edgefw__npz_array *edgefw__npz_at(const edgefw__npz *npz, int index) {
  return &npz->sources[index].array;
}

int edgefw__npz_find(const edgefw__npz *npz, const char *name) {
  for (int i = 0; i < npz->count; ++i)
    if (strcmp(npz->sources[i].array.name, name) == 0) return i;
  return -1;
}

/* --- Numbers --- */

edgefw_status edgefw__npz_rewind(edgefw__npz *npz, int index) {
  return read_head(npz, &npz->sources[index]);
}

static uint64_t little_endian(const unsigned char *bytes, int width) {
  uint64_t value = 0;
  for (int k = width - 1; k >= 0; --k) value = value << 8 | bytes[k];
  return value;
}

/* The number in `width` bytes; false if it is a whole number that no double holds. */
static bool convert(const edgefw__npz_array *array, const unsigned char *bytes, double *out) {
  const uint64_t bits = little_endian(bytes, array->width);
  if (array->kind == 'f' && array->width == 8) {
    memcpy(out, &bits, sizeof *out);
  } else if (array->kind == 'f') {
    const uint32_t low = (uint32_t)bits;
    float value = 0.0F;
    memcpy(&value, &low, sizeof value);
    *out = (double)value;
  } else if (array->width == 4) {
    *out = (int32_t)(uint32_t)bits;
  } else {
    const int64_t whole = (int64_t)bits;
    if (whole > MAX_WHOLE || whole < -MAX_WHOLE) return false;
    *out = (double)whole;
  }
  return true;
}

static edgefw_status read_piece(edgefw__npz *npz, source *s, int64_t count, double *out) {
  const int width = s->array.width;
  const edgefw_status status =
      edgefw__zip_entry_read(&s->stream, npz->bytes, (size_t)(count * width));
  if (status != EDGEFW_OK) return status;
  for (int64_t k = 0; k < count; ++k)
    if (!convert(&s->array, npz->bytes + k * width, &out[k]))
      return edgefw_fail(npz->zip.ctx, EDGEFW_FORMAT,
                         "'%s': number %" PRId64 " of the array '%s' is beyond 2^53", npz->path,
                         s->next + k, s->array.name);
  s->next += count;
  return EDGEFW_OK;
}

edgefw_status edgefw__npz_read(edgefw__npz *npz, int index, int64_t count, double *out) {
  source *s = &npz->sources[index];
  if (!s->stream.stream || count < 0 || count > s->array.count - s->next)
    return edgefw_fail(npz->zip.ctx, EDGEFW_INVALID_ARGUMENT,
                       "'%s': the array '%s' has %" PRId64 " more numbers, asked for %" PRId64,
                       npz->path, s->array.name, s->stream.stream ? s->array.count - s->next : 0,
                       count);
  edgefw_status status = EDGEFW_OK;
  for (int64_t done = 0; done < count && status == EDGEFW_OK;) {
    const int64_t piece = count - done < PIECE ? count - done : PIECE;
    status = read_piece(npz, s, piece, out + done);
    done += piece;
  }
  if (status == EDGEFW_OK && s->next == s->array.count)
    status = edgefw__zip_entry_finish(&s->stream);
  return status;
}
