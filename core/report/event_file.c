/* Records of event files. Numbers of more than one byte are little-endian in both formats.
 *   TFRecord: length (8), masked CRC-32C of these 8 bytes (4), data, masked CRC-32C of the data (4)
 *   Event:    1 wall_time (double), 2 step (int64), 3 file_version (string) or 5 summary (Summary)
 *   Summary:  1 value (Value)
 *   Value:    1 tag (string), 2 simple_value (float)
 * Fields stand in the order of their numbers, and those that are 0 are left out, as the reference
 * implementations write them. */
#include "report/event_file.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/utf8.h"

/* How a field is stored (the lowest three bits of its key). */
enum { VARINT = 0, EIGHT_BYTES = 1, BYTES = 2, FOUR_BYTES = 5 };

static const char version[] = "brain.Event:2";

/* Bytes around the data of a record. */
enum { HEAD = 12, TAIL = 4 };

/* --- Protocol buffers --- */

static void add_fixed(edgefw__text *out, uint64_t value, int bytes) {
  char little[8];
  for (int b = 0; b < bytes; ++b) little[b] = (char)(value >> (8 * b) & 0xff);
  edgefw__text_add_bytes(out, little, (size_t)bytes);
}

static void add_varint(edgefw__text *out, uint64_t value) {
  char bytes[10];
  size_t count = 0;
  for (; value >= 0x80; value >>= 7) bytes[count++] = (char)((value & 0x7f) | 0x80);
  bytes[count++] = (char)value;
  edgefw__text_add_bytes(out, bytes, count);
}

static void add_key(edgefw__text *out, unsigned field, unsigned type) {
  add_varint(out, field << 3 | type);
}

static void add_double(edgefw__text *out, unsigned field, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (bits == 0) return;
  add_key(out, field, EIGHT_BYTES);
  add_fixed(out, bits, 8);
}

/* A member of a oneof: it is written even if it is 0. */
static void add_float(edgefw__text *out, unsigned field, double value) {
  const float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  add_key(out, field, FOUR_BYTES);
  add_fixed(out, bits, 4);
}

static void add_bytes(edgefw__text *out, unsigned field, const char *bytes, size_t length) {
  add_key(out, field, BYTES);
  add_varint(out, length);
  if (length > 0) edgefw__text_add_bytes(out, bytes, length);
}

/* --- Records --- */

static uint32_t masked_sum(const void *bytes, size_t length) {
  const uint32_t sum = edgefw__crc32c(bytes, length);
  return (sum >> 15 | sum << 17) + 0xa282ead8u;
}

static void add_record(edgefw__text *file, const edgefw__text *data) {
  char length[8];
  for (int b = 0; b < 8; ++b) length[b] = (char)((uint64_t)data->length >> (8 * b) & 0xff);
  edgefw__text_add_bytes(file, length, sizeof length);
  add_fixed(file, masked_sum(length, sizeof length), 4);
  edgefw__text_add_bytes(file, edgefw__text_get(data), data->length);
  add_fixed(file, masked_sum(edgefw__text_get(data), data->length), 4);
  file->failed |= data->failed;
}

void edgefw__event_file_begin(edgefw__text *file, double wall_time) {
  edgefw__text event = {.ctx = file->ctx};
  add_double(&event, 1, wall_time);
  add_bytes(&event, 3, version, sizeof version - 1);
  add_record(file, &event);
  edgefw__text_release(&event);
}

void edgefw__event_file_scalar(edgefw__text *file, double wall_time, int64_t step, const char *tag,
                               double value) {
  edgefw__text clean = {.ctx = file->ctx}, one = {.ctx = file->ctx}, summary = {.ctx = file->ctx},
               event = {.ctx = file->ctx};
  edgefw__text_add(&clean, "%s", tag);
  if (clean.data) edgefw__utf8_clean(clean.data, "");
  add_bytes(&one, 1, edgefw__text_get(&clean), clean.length);
  add_float(&one, 2, value);
  add_bytes(&summary, 1, edgefw__text_get(&one), one.length);
  add_double(&event, 1, wall_time);
  if (step != 0) {
    add_key(&event, 2, VARINT);
    add_varint(&event, (uint64_t)step);
  }
  add_bytes(&event, 5, edgefw__text_get(&summary), summary.length);
  event.failed |= clean.failed || one.failed || summary.failed;
  add_record(file, &event);
  edgefw__text_release(&clean);
  edgefw__text_release(&one);
  edgefw__text_release(&summary);
  edgefw__text_release(&event);
}

bool edgefw__event_file_began(const void *bytes, size_t length, double *wall_time) {
  const unsigned char *head = bytes;
  const size_t data = 1 + 8 + 2 + sizeof version - 1; /* keys, double, length and text */
  if (length < HEAD + data + TAIL || head[0] != data || head[HEAD] != (1 << 3 | EIGHT_BYTES))
    return false;
  uint64_t bits = 0;
  for (int b = 0; b < 8; ++b) bits |= (uint64_t)head[HEAD + 1 + b] << (8 * b);
  memcpy(wall_time, &bits, sizeof bits);
  uint32_t sum = 0;
  for (int b = 0; b < 4; ++b) sum |= (uint32_t)head[HEAD + data + (size_t)b] << (8 * b);
  return sum == masked_sum(head + HEAD, data) &&
         memcmp(head + HEAD + 11, version, sizeof version - 1) == 0;
}
