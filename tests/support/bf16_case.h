/* Operations of the device cpu in BF16, on everything that multiplies there. */
#ifndef EDGEFW_TESTS_SUPPORT_BF16_CASE_H
#define EDGEFW_TESTS_SUPPORT_BF16_CASE_H

#include "support/kernels_support.h"

/* Called with a device cpu of its own for each instruction set and unit of this processor, in BF16.
 */
typedef void (*bf16_visit)(const ks_device *d, const char *unit, void *user);

/* Visit them all; at least the plain arithmetic is there. */
void bf16_each_unit(void **state, bf16_visit visit, void *user);

/* On each of them: outputs and gradients differ from the oracle's by at most these shares of their
 * root mean square (not of every number: rounding may open a ReLU); they are not those of FP32; 1,
 * 2 and 3 threads give the same bits. */
void bf16_check(void **state, const ks_case *c, double forward, double backward);

#endif
