/* A text that grows while it is written: lists in messages, resolved configurations. */
#ifndef EDGEFW__TEXT_H
#define EDGEFW__TEXT_H

#include "edgefw/context.h"

/* Start with {.ctx = ctx}. Out of memory is sticky: it is recorded in the context, further writing
 * does nothing, and `failed` is set. */
typedef struct edgefw__text {
  edgefw_context *ctx;
  char *data; /* ends with NUL; NULL before anything is written */
  size_t length, capacity;
  bool failed;
} edgefw__text;

/* printf at the end. */
void edgefw__text_add(edgefw__text *text, const char *format, ...) EDGEFW_PRINTF(2, 3);

/* `count` bytes at the end. */
void edgefw__text_add_bytes(edgefw__text *text, const char *bytes, size_t count);

/* What is written so far; "" for nothing. */
const char *edgefw__text_get(const edgefw__text *text);

void edgefw__text_release(edgefw__text *text);

/* Text of `value` that reads back as the same double, as short as possible; `out` has `size` bytes,
 * 32 are always enough. Returns `out`. */
const char *edgefw__number_text(double value, char *out, size_t size);

#endif
