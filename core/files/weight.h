/* A tensor of a model that another program wrote, as files of weights describe it, and the types of
 * numbers that such files hold. */
#ifndef EDGEFW__WEIGHT_H
#define EDGEFW__WEIGHT_H

#include "edgefw/context.h"

/* Most tensors of a file, most axes of a tensor, and longest name, that are read. */
enum {
  EDGEFW__WEIGHTS_MAX_COUNT = 4096,
  EDGEFW__WEIGHT_MAX_RANK = 8,
  EDGEFW__WEIGHT_NAME_SIZE = 256
};

typedef enum edgefw__number_type {
  EDGEFW__NUMBER_OTHER = 0, /* whole numbers, truth values, 8-bit floats: never read */
  EDGEFW__NUMBER_F64,
  EDGEFW__NUMBER_F32,
  EDGEFW__NUMBER_F16, /* IEEE 754 binary16 */
  EDGEFW__NUMBER_BF16 /* the upper half of a binary32 */
} edgefw__number_type;

/* A tensor; its place in the file is the reader's. */
typedef struct edgefw__weight {
  const char *name;
  const char *type_name; /* as the file calls its type */
  edgefw__number_type type;
  int rank; /* 0 .. EDGEFW__WEIGHT_MAX_RANK */
  int64_t shape[EDGEFW__WEIGHT_MAX_RANK];
  int64_t count; /* product of shape */
} edgefw__weight;

/* No file holds as many numbers as this. */
#define EDGEFW__MOST_NUMBERS (INT64_C(1) << 48)

/* Bytes of a number; 0 for OTHER. */
size_t edgefw__number_width(edgefw__number_type type);

/* The little-endian number at `bytes` as float. *rounded grows by 1 if float cannot hold it: it is
 * then the nearest one, and infinite if it is too large. binary16 and bfloat16 are always exact. */
float edgefw__number_at(edgefw__number_type type, const unsigned char *bytes, int64_t *rounded);

/* Set `count` to the product of the shape. False if a size is negative or the product is
 * EDGEFW__MOST_NUMBERS or more. */
bool edgefw__weight_measure(edgefw__weight *weight);

/* Text of a shape, "(256, 20)", for messages. Returns `out`, of `size` bytes; 96 are enough for
 * every shape of a parameter. */
const char *edgefw__shape_text(int rank, const int64_t *shape, char *out, size_t size);

#endif
