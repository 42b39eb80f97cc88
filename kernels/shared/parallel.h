/* An operation that is many like parts, on all threads. A device that takes this in defines `struct
 * edgefw_device` with a member `ctx`. */
#ifndef EDGEFW_KERNELS_SHARED_PARALLEL_H
#define EDGEFW_KERNELS_SHARED_PARALLEL_H

#include "edgefw/kernels.h"

/* Defines NAME(device, args), which calls NAME_one(args, i) for i = 0 .. COUNT - 1. COUNT is in
 * terms of the arguments `a`. */
#define PARALLEL(name, arguments, count)                                                           \
  static edgefw_status name##_task(void *user, int64_t i, int thread) {                            \
    (void)thread;                                                                                  \
    name##_one(user, i);                                                                           \
    return EDGEFW_OK;                                                                              \
  }                                                                                                \
  static edgefw_status name(edgefw_device *device, const arguments *args) {                        \
    arguments own = *args, *a = &own;                                                              \
    return edgefw_parallel(device->ctx, count, name##_task, a);                                    \
  }

/* What parts that may fail are called with. */
typedef struct parallel_call {
  edgefw_device *device;
  const void *args;
} parallel_call;

/* The same where they do: NAME_one(device, args, i) gives a status. */
#define PARALLEL_STATUS(name, arguments, count)                                                    \
  static edgefw_status name##_task(void *user, int64_t i, int thread) {                            \
    const parallel_call *call = user;                                                              \
    (void)thread;                                                                                  \
    return name##_one(call->device, call->args, i);                                                \
  }                                                                                                \
  static edgefw_status name(edgefw_device *device, const arguments *a) {                           \
    parallel_call call = {device, a};                                                              \
    return edgefw_parallel(device->ctx, count, name##_task, &call);                                \
  }

#endif
