/* Settings of the two operations that begin a graph: a raw field of the instance, and a field on
 * the device. */
#ifndef EDGEFW__FIELD_H
#define EDGEFW__FIELD_H

enum {
  EDGEFW__FIELD_INDEX,   /* of the problem's fields */
  EDGEFW__FIELD_SCALE,   /* edgefw_input_scale */
  EDGEFW__FIELD_DIVISOR, /* index of the field that divides, with RATIO */
};

#endif
