/* Instances: sizes of fields, look-up by name, and what rounding makes of loads. */
#include "edgefw/instance.h"

#include <math.h>
#include <string.h>

int64_t edgefw_field_count(edgefw_field_shape shape, int64_t n) {
  switch (shape) {
  case EDGEFW_FIELD_PAIR: return n * n;
  case EDGEFW_FIELD_NODE: return n;
  case EDGEFW_FIELD_SCALAR: return 1;
  case EDGEFW_FIELD_POINT: return 2 * n;
  }
  return 0;
}

double *edgefw_instance_field(const edgefw_instance *instance, const char *name) {
  for (int f = 0; f < EDGEFW_MAX_FIELDS && instance->fields[f].name; ++f) {
    if (strcmp(instance->fields[f].name, name) == 0) return instance->data[f];
  }
  return NULL;
}

/* --- Loads --- */

typedef enum fraction_kind {
  FRACTION_NONE,   /* a whole number */
  FRACTION_EXACT,  /* a float32 number that few bits hold, such as 0.75: it was not rounded */
  FRACTION_SINGLE, /* a float32 number that takes all bits, such as 0.1 */
  FRACTION_DOUBLE  /* no float32 number */
} fraction_kind;

/* A decimal fraction that was rounded to float32 leaves the last 6 of its 24 bits empty by chance
 * only, and a whole array of them does not. */
static fraction_kind kind_of(double x) {
  int exponent = 0;
  if (x == floor(x)) return FRACTION_NONE;
  if (x != (double)(float)x) return FRACTION_DOUBLE;
  const double head = ldexp(frexp(x, &exponent), 18);
  return head == floor(head) ? FRACTION_EXACT : FRACTION_SINGLE;
}

double edgefw_load_tolerance(const double *demand, int64_t n, double capacity) {
  const fraction_kind carried = kind_of(capacity);
  fraction_kind largest = FRACTION_NONE;
  for (int64_t i = 0; i < n; ++i) {
    const fraction_kind kind = kind_of(demand[i]);
    if (kind > largest) largest = kind;
  }
  if (largest == FRACTION_NONE && carried == FRACTION_NONE) return 0.0;
  const bool single = largest == FRACTION_SINGLE || carried == FRACTION_SINGLE;
  return capacity * (single ? 0x1p-23 : 1e-9);
}
