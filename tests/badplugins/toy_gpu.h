/* What tests see of the device in toy_gpu.c. */
#ifndef EDGEFW_TESTS_TOY_GPU_H
#define EDGEFW_TESTS_TOY_GPU_H

#include <edgefw/kernels.h>

typedef struct toy_gpu_counts {
  size_t used;           /* bytes of its memory */
  size_t reserved;       /* bytes that others take without its memory() knowing (tests set it) */
  size_t taken;          /* the same, and it knows */
  int64_t refused;       /* requests for which there was no memory */
  int64_t decode_limit;  /* instances that a decode call can take; 0: any number (tests set it) */
  int64_t largest_batch; /* of all decode calls */
  int64_t precisions_set, finished, closures; /* calls */
  edgefw_precision precision;
} toy_gpu_counts;

#endif
