/* Where the scores of the decoder's attention lie, which are looked up. */
#ifndef EDGEFW__CPU_DECODE_ATTENTION_H
#define EDGEFW__CPU_DECODE_ATTENTION_H

#include "decode.h"

/* Powers of a row reach from 2^-MOST_SPREAD to 1. A weight has at most four such factors, of two
 * rows and of two shares: it stays a normal number. */
#define MOST_SPREAD 30.0f
_Static_assert(SCORE_TABLES + EDGEFW_MAX_RESOURCES <= 4, "a product of powers may underflow");

/* A row of head h in an array (rows,heads,stride). */
static inline float *score_row(const decode_task *task, float *rows, int64_t row, int64_t h) {
  return rows + (row * task->heads + h) * task->stride;
}

#endif
