/* Numbers of the types that files of weights hold. */
#include "files/weight.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

size_t edgefw__number_width(edgefw__number_type type) {
  static const size_t widths[] = {[EDGEFW__NUMBER_OTHER] = 0,
                                  [EDGEFW__NUMBER_F64] = 8,
                                  [EDGEFW__NUMBER_F32] = 4,
                                  [EDGEFW__NUMBER_F16] = 2,
                                  [EDGEFW__NUMBER_BF16] = 2};
  return widths[type];
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* binary16: a sign, 5 bits of exponent, 10 of the fraction; subnormal ones are multiples of 2^-24.
 */
static float half_of(uint32_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31u;
  const uint32_t fraction = bits & 0x3ffu;
  if (exponent == 31) return float_of(sign | 0x7f800000u | fraction << 13);
  if (exponent > 0) return float_of(sign | (exponent + 112u) << 23 | fraction << 13);
  const float size = ldexpf((float)fraction, -24);
  return sign ? -size : size;
}

static float float_of_double(uint64_t bits, int64_t *rounded) {
  double value;
  memcpy(&value, &bits, sizeof value);
  const float out = (float)value;
  if (!isnan(value) && (double)out != value) ++*rounded;
  return out;
}

float edgefw__number_at(edgefw__number_type type, const unsigned char *bytes, int64_t *rounded) {
  uint64_t bits = 0;
  for (size_t k = edgefw__number_width(type); k > 0; --k) bits = bits << 8 | bytes[k - 1];
  switch (type) {
  case EDGEFW__NUMBER_F64: return float_of_double(bits, rounded);
  case EDGEFW__NUMBER_F32: return float_of((uint32_t)bits);
  case EDGEFW__NUMBER_F16: return half_of((uint32_t)bits);
  case EDGEFW__NUMBER_BF16: return float_of((uint32_t)bits << 16);
  default: return NAN;
  }
}

bool edgefw__weight_measure(edgefw__weight *weight) {
  weight->count = 1;
  bool empty = false; /* sizes behind a 0 count as well */
  for (int axis = 0; axis < weight->rank; ++axis) {
    const int64_t size = weight->shape[axis];
    if (size < 0 || (size > 0 && weight->count > (EDGEFW__MOST_NUMBERS - 1) / size)) return false;
    if (size > 0) weight->count *= size;
    empty |= size == 0;
  }
  if (empty) weight->count = 0;
  return true;
}

const char *edgefw__shape_text(int rank, const int64_t *shape, char *out, size_t size) {
  size_t used = 0;
  snprintf(out, size, "()");
  for (int axis = 0; axis < rank && used + 24 < size; ++axis)
    used += (size_t)snprintf(out + used, size - used, "%s%" PRId64, axis ? ", " : "(", shape[axis]);
  if (used > 0) snprintf(out + used, size - used, ")");
  return out;
}
