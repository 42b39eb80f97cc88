/* JSON strings and numbers (RFC 8259). */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

void edgefw__json_string(edgefw__text *text, const char *value) {
  if (!value) {
    edgefw__text_add(text, "null");
    return;
  }
  edgefw__text_add_bytes(text, "\"", 1);
  for (; *value; ++value) {
    if (*value == '"' || *value == '\\')
      edgefw__text_add(text, "\\%c", *value);
    else if ((unsigned char)*value < 0x20 || *value == 0x7f)
      edgefw__text_add(text, "\\u%04x", (unsigned)(unsigned char)*value);
    else
      edgefw__text_add_bytes(text, value, 1);
  }
  edgefw__text_add_bytes(text, "\"", 1);
}

void edgefw__json_number(edgefw__text *text, double value) {
  char number[32];
  edgefw__text_add(text, "%s",
                   isfinite(value) ? edgefw__number_text(value, number, sizeof number) : "null");
}
