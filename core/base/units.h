/* Durations and sizes as people read them. */
#ifndef EDGEFW__UNITS_H
#define EDGEFW__UNITS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that each of the functions below needs at most. */
#define EDGEFW__UNIT_TEXT 32

/* "40 ms", "0.41 s", "12.3 s", "4 min 05 s", "2 h 10 min", "3.5 days"; "-" for what is no duration.
 * Returns `out`. */
const char *edgefw__duration_text(double seconds, char *out, size_t size);

/* "812 B", "4.2 KB", "1.31 GB" (powers of 1000). Returns `out`. */
const char *edgefw__bytes_text(double bytes, char *out, size_t size);

/* 3309576 as "3,309,576". Returns `out`. */
const char *edgefw__count_text(int64_t count, char *out, size_t size);

#endif
