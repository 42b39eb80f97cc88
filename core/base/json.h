/* Writing JSON values. */
#ifndef EDGEFW__JSON_H
#define EDGEFW__JSON_H

#include "base/text.h"

/* A string with its quotes, control characters escaped; U+FFFD stands for each byte that is no
 * UTF-8, so that the result always is. NULL is null. */
void edgefw__json_string(edgefw__text *text, const char *value);

/* A number that reads back as the same double; null if it is not finite. */
void edgefw__json_number(edgefw__text *text, double value);

#endif
