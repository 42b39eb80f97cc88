/* JSON strings and numbers (RFC 8259). */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

/* U+FFFD stands for bytes that are no UTF-8. */
#define REPLACEMENT "\xEF\xBF\xBD"

void edgefw__json_string(edgefw__text *text, const char *value) {
  if (!value) {
    edgefw__text_add(text, "null");
    return;
  }
  edgefw__text_add_bytes(text, "\"", 1);
  while (*value) {
    const size_t length = edgefw__utf8_length(value);
    if (*value == '"' || *value == '\\')
      edgefw__text_add(text, "\\%c", *value);
    else if (length == 0)
      edgefw__text_add(text, REPLACEMENT);
    else if (edgefw__utf8_is_control(value, length)) /* its number is that of its last byte */
      edgefw__text_add(text, "\\u%04x", (unsigned)(unsigned char)value[length - 1]);
    else
      edgefw__text_add_bytes(text, value, length);
    value += length > 0 ? length : 1;
  }
  edgefw__text_add_bytes(text, "\"", 1);
}

void edgefw__json_number(edgefw__text *text, double value) {
  char number[32];
  edgefw__text_add(text, "%s",
                   isfinite(value) ? edgefw__number_text(value, number, sizeof number) : "null");
}
