/* A growing text; capacity doubles. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the end mark. */
static bool reserve(edgefw__text *text, size_t more) {
  if (text->failed) return false;
  const size_t needed = text->length + more + 1;
  if (needed <= text->capacity) return true;
  size_t capacity = text->capacity ? text->capacity : 256;
  while (capacity < needed) capacity *= 2;
  char *data = edgefw_allocate(text->ctx, capacity, 1, "text");
  if (!data) {
    text->failed = true;
    return false;
  }
  if (text->data) memcpy(data, text->data, text->length);
  edgefw_release(text->ctx, text->data);
  text->data = data;
  text->capacity = capacity;
  return true;
}

void edgefw__text_add_bytes(edgefw__text *text, const char *bytes, size_t count) {
  if (!reserve(text, count)) return;
  memcpy(text->data + text->length, bytes, count);
  text->length += count;
  text->data[text->length] = '\0';
}

void edgefw__text_add(edgefw__text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (length < 0 || !reserve(text, (size_t)length)) return;
  va_start(arguments, format);
  vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
  va_end(arguments);
  text->length += (size_t)length;
}

const char *edgefw__text_get(const edgefw__text *text) {
  return text->data ? text->data : "";
}

void edgefw__text_release(edgefw__text *text) {
  edgefw_release(text->ctx, text->data);
  text->data = NULL;
  text->length = text->capacity = 0;
}

const char *edgefw__number_text(double value, char *out, size_t size) {
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(out, size, "%.*g", digits, value);
    if (strtod(out, NULL) == value) break;
  }
  return out;
}
