/* Text from outside, in any bytes, made fit for people and for JSON. */
#ifndef EDGEFW__UTF8_H
#define EDGEFW__UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 character at the head of `text`, which ends with 0: 1 to 4; 0 if it is none
 * (RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF) or if the text ends. */
size_t edgefw__utf8_length(const char *text);

/* Is the character of `length` bytes at `text` a control character (U+0000 to U+001F, U+007F to
 * U+009F), which may move the cursor of a terminal or end a line? */
bool edgefw__utf8_is_control(const char *text, size_t length);

/* Put a '?' for each byte of `text` that is no UTF-8, and for each byte of a control character that
 * is not one of `kept`. Tabs that are not kept become blanks. The length stays the same. */
void edgefw__utf8_clean(char *text, const char *kept);

#endif
