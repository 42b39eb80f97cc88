/* Heads of NumPy arrays, and what their bytes mean. */
#include "files/npy_head.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text of a head; NumPy itself writes 118 bytes, and trusts 10,000. */
enum { MAX_HEAD = 1 << 16 };

/* Beyond it a double skips whole numbers. */
#define MAX_WHOLE (INT64_C(1) << 53)

typedef struct reader {
  edgefw_context *ctx;
  const char *path, *name;
  edgefw__npy_bytes bytes;
  void *stream;
} reader;

/* --- The text of a head: a Python dictionary --- */

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

static edgefw_status bad_head(const reader *in, const char *key, const char *found,
                              const char *expected) {
  char text[24];
  return edgefw_fail(in->ctx, EDGEFW_FORMAT,
                     "'%s': the head of the array '%s' says '%s' is %s, expected %s", in->path,
                     in->name, key, excerpt(found ? found : "missing", text), expected);
}

static edgefw_status parse_type(const reader *in, const char *head, edgefw__npy_array *out) {
  static const char *const known[] = {"<f4", "<f8", "<i4", "<i8"};
  const char *descr = value_of(head, "descr");
  if (!descr || (*descr != '\'' && *descr != '"' && *descr != '['))
    return bad_head(in, "descr", descr, "a type of numbers");
  const char quote = *descr;
  for (size_t k = 0; quote != '[' && k < sizeof known / sizeof *known; ++k)
    if (strncmp(descr + 1, known[k], 3) == 0 && descr[4] == quote) {
      out->kind = known[k][1];
      out->width = known[k][2] - '0';
      return EDGEFW_OK;
    }
  char text[24];
  return edgefw_fail(
      in->ctx, EDGEFW_UNSUPPORTED,
      "'%s': the numbers of the array '%s' are of type %s; expected little-endian f4, "
      "f8, i4 or i8 (in NumPy: a.astype('<f8'))",
      in->path, in->name, excerpt(descr, text));
}

static edgefw_status parse_order(const reader *in, const char *head) {
  const char *order = value_of(head, "fortran_order");
  if (order && strncmp(order, "False", 5) == 0) return EDGEFW_OK;
  if (!order || strncmp(order, "True", 4) != 0)
    return bad_head(in, "fortran_order", order, "True or False");
  return edgefw_fail(in->ctx, EDGEFW_UNSUPPORTED,
                     "'%s': the array '%s' is in Fortran order; save it in C order (in NumPy: "
                     "numpy.ascontiguousarray(a))",
                     in->path, in->name);
}

/* "(1000, 20, 20)", "(5,)", "()". Fewer than 2^59 numbers, so that their bytes can be counted. */
static edgefw_status parse_shape(const reader *in, const char *head, edgefw__npy_array *out) {
  static const char expected[] = "a tuple of sizes";
  const char *shape = value_of(head, "shape");
  if (!shape || *shape != '(') return bad_head(in, "shape", shape, expected);
  out->count = 1;
  const char *at = shape + 1;
  for (at += strspn(at, " "); *at != ')'; at += strspn(at, " ")) {
    char *end = NULL;
    const long long size = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : -1;
    if (size < 0) return bad_head(in, "shape", shape, expected);
    if (out->rank == EDGEFW__NPY_MAX_RANK)
      return edgefw_fail(in->ctx, EDGEFW_UNSUPPORTED, "'%s': the array '%s' has more than %d axes",
                         in->path, in->name, EDGEFW__NPY_MAX_RANK);
    if (size > 0 && out->count > (INT64_C(1) << 59) / size)
      return bad_head(in, "shape", shape, "fewer numbers");
    out->shape[out->rank++] = size;
    out->count *= size;
    at = end + strspn(end, " ");
    if (*at == ',')
      ++at;
    else if (*at != ')')
      return bad_head(in, "shape", shape, expected);
  }
  return EDGEFW_OK;
}

/* Length of the head's text from what stands before it, which takes *skip bytes. */
static edgefw_status head_length(const reader *in, size_t *length, size_t *skip) {
  unsigned char lead[12] = {0};
  edgefw_status status = in->bytes(in->stream, lead, 10);
  if (status != EDGEFW_OK) return status;
  if (memcmp(lead, "\x93NUMPY", 6) != 0)
    return edgefw_fail(in->ctx, EDGEFW_FORMAT, "'%s': the array '%s' is no NumPy array", in->path,
                       in->name);
  const int version = lead[6];
  if (version < 1 || version > 3)
    return edgefw_fail(in->ctx, EDGEFW_UNSUPPORTED,
                       "'%s': the array '%s' is of NumPy format %d.%d, expected 1.0 to 3.0",
                       in->path, in->name, version, lead[7]);
  *skip = version == 1 ? 10 : 12;
  *length = (size_t)lead[8] | (size_t)lead[9] << 8;
  if (version > 1) {
    status = in->bytes(in->stream, lead + 10, 2);
    *length |= (size_t)lead[10] << 16 | (size_t)lead[11] << 24;
  }
  if (status != EDGEFW_OK || *length < MAX_HEAD) return status;
  return edgefw_fail(in->ctx, EDGEFW_FORMAT,
                     "'%s': the head of the array '%s' has %zu bytes, expected fewer than %d",
                     in->path, in->name, *length, MAX_HEAD);
}

edgefw_status edgefw__npy_head_read(edgefw_context *ctx, const char *path, edgefw__npy_bytes bytes,
                                    void *stream, edgefw__npy_array *out, int64_t *size) {
  const reader in = {ctx, path, out->name, bytes, stream};
  size_t length = 0, skip = 0;
  edgefw_status status = head_length(&in, &length, &skip);
  if (status != EDGEFW_OK) return status;
  char *head = edgefw_allocate(ctx, length + 1, 1, "the head of an array");
  if (!head) return EDGEFW_OUT_OF_MEMORY;
  out->rank = 0;
  *size = (int64_t)(skip + length);
  status = bytes(stream, head, length);
  if (status == EDGEFW_OK) status = parse_type(&in, head, out);
  if (status == EDGEFW_OK) status = parse_order(&in, head);
  if (status == EDGEFW_OK) status = parse_shape(&in, head, out);
  edgefw_release(ctx, head);
  return status;
}

/* --- Numbers --- */

static uint64_t little_endian(const unsigned char *bytes, int width) {
  uint64_t value = 0;
  for (int k = width - 1; k >= 0; --k) value = value << 8 | bytes[k];
  return value;
}

bool edgefw__npy_number(const edgefw__npy_array *array, const unsigned char *bytes, double *out) {
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

const char *edgefw__npy_shape_text(const edgefw__npy_array *array, char out[80]) {
  size_t used = 0;
  snprintf(out, 80, "()");
  for (int axis = 0; axis < array->rank; ++axis)
    used += (size_t)snprintf(out + used, 80 - used, "%c%" PRId64 "%s", axis ? ',' : '(',
                             array->shape[axis], axis + 1 == array->rank ? ")" : "");
  return out;
}
