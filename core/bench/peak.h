/* The ceiling: what a device's fastest product of large matrices does. */
#ifndef EDGEFW__PEAK_H
#define EDGEFW__PEAK_H

#include "policy/model.h"

/* Rows and columns of the matrices. */
#define EDGEFW__PEAK_SIZE 2048

/* Operations per second of the best of several products. 0 if the device has none. */
EDGEFW_NODISCARD edgefw_status edgefw__peak_measure(const edgefw__engine *engine, double *out);

#endif
