/* Instances: sizes of fields, and look-up by name. */
#include "edgefw/instance.h"

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
