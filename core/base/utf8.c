/* UTF-8 as RFC 3629 has it. */
#include "base/utf8.h"

#include <string.h>

/* Well-formed sequences by their first byte; the second has limits of its own, later ones are
 * 0x80 to 0xBF. */
typedef struct form {
  unsigned char first, last; /* of the first byte */
  unsigned char low, high;   /* of the second */
  size_t length;
} form;

static const form forms[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

size_t edgefw__utf8_length(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  if (c[0] < 0x80) return c[0] ? 1 : 0;
  for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f) {
    if (c[0] < forms[f].first || c[0] > forms[f].last) continue;
    if (c[1] < forms[f].low || c[1] > forms[f].high) return 0;
    for (size_t k = 2; k < forms[f].length; ++k)
      if (c[k] < 0x80 || c[k] > 0xBF) return 0;
    return forms[f].length;
  }
  return 0;
}

bool edgefw__utf8_is_control(const char *text, size_t length) {
  const unsigned char *c = (const unsigned char *)text;
  if (length == 1) return c[0] < 0x20 || c[0] == 0x7F;
  return length == 2 && c[0] == 0xC2 && c[1] < 0xA0;
}

void edgefw__utf8_clean(char *text, const char *kept) {
  while (*text) {
    const size_t length = edgefw__utf8_length(text);
    const bool fine = length > 0 && (!edgefw__utf8_is_control(text, length) ||
                                     (length == 1 && strchr(kept, *text)));
    const size_t step = length > 0 ? length : 1;
    if (!fine) memset(text, *text == '\t' ? ' ' : '?', step);
    text += step;
  }
}
