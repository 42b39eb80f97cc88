/* Support for the tests of devices: opens every device that was built, and runs an operation, given
 * as a ks_case, through the checks that all operations share. "reference64" is the oracle. */
#ifndef EDGEFW_TESTS_SUPPORT_KERNELS_SUPPORT_H
#define EDGEFW_TESTS_SUPPORT_KERNELS_SUPPORT_H

#include "kernels.h"

#define KS_MAX_DEVICES 8
#define KS_MAX_TENSORS 32

typedef struct ks_device {
  const char *name;
  const edgefw_kernels *k;
  edgefw_context *ctx;
  edgefw_device *device;
  void *library;
  size_t real_size; /* bytes of one real */
} ks_device;

typedef struct ks_devices {
  int count;
  ks_device item[KS_MAX_DEVICES];
  const ks_device *oracle; /* reference64 */
} ks_devices;

/* CMocka group fixture: *state becomes a ks_devices with all devices of
 * $EDGEFW_TEST_DEVICES, or else of the build tree, each in a context of one thread and in fp32; cpu
 * once more per lower instruction set. A device that cannot start on this machine is left out with
 * a message; a missing oracle fails. */
int ks_setup(void **state);
/* The same for long tests: under a sanitizer without emulated devices, whose fibers then take
 * minutes. Shorter tests show those the same code. */
int ks_setup_long(void **state);
int ks_teardown(void **state);

/* The device called so, from the fixture's *state. If there is none on this machine the test is
 * skipped. */
const ks_device *ks_named(void **state, const char *name);
/* The device that is made of the CUDA sources: `cuda` where there is a GPU, else its emulation.
 * With neither the test is skipped. */
const ks_device *ks_cuda(void **state);
/* Its emulation, whose memory the environment limits, and is the host's; elsewhere the test is
 * skipped. */
const ks_device *ks_emulated(void **state);
bool ks_is_emulated(const ks_device *d);

/* Fails the test with the device's message unless `status` is OK. */
void ks_ok(const ks_device *d, edgefw_status status);

/* --- Numbers -------------------------------------------------------------------------------------
 * Reproducible, uniform in [-scale, scale], and exact in float, so that all devices see the same
 * inputs. */
void ks_fill(double *values, int64_t count, double scale, uint64_t seed);
double *ks_zeros(int64_t count); /* calloc that fails the test */
void *ks_upload(const ks_device *d, const double *values, int64_t count); /* release it */
void *ks_reals(const ks_device *d, int64_t count);                        /* zeroed, release it */
void ks_release(const ks_device *d, void *memory);
/* Doubles as the device takes exact ones: in its own memory, or `values` themselves. */
double *ks_exact(const ks_device *d, double *values, int64_t count);
void ks_release_exact(const ks_device *d, double *exact); /* what ks_exact gave */

/* --- Cases ---------------------------------------------------------------------------------------
 */

typedef struct ks_tensor {
  const char *name;
  int64_t count; /* 0: the operation gets NULL */
  bool has_gradient;
  double *value;
} ks_tensor;

typedef struct ks_case ks_case;

/* Runs the operation on a device: `in` and `grad` are device arrays in the order of the tensors.
 * Writes out_count numbers to host array `out`. With `dout` (device, NULL: forward only) it runs
 * the backward too, which adds to the non-NULL `grad`. */
typedef void (*ks_run)(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                       void *const *grad, double *out);

struct ks_case {
  const char *op;
  double forward_tolerance, backward_tolerance; /* as ks_tolerance; 0 if it does not know the op */
  const void *shape;
  ks_run run;
  int tensor_count;
  ks_tensor tensor[KS_MAX_TENSORS];
  int64_t out_count;
  double *dout; /* random, or what the case sets: loss = dout . out */
};

void ks_case_create(ks_case *c, const char *op, const void *shape, ks_run run, int64_t out_count);
void ks_case_destroy(ks_case *c);

/* Append a tensor filled by ks_fill; returns its values. */
double *ks_case_add(ks_case *c, const char *name, int64_t count, bool has_gradient, double scale);

/* Forward on a device; checks that no input was changed and that `out` is finite. */
void ks_forward(const ks_case *c, const ks_device *d, double *out);

/* Forward and backward `passes` times without zeroing; `grad` are host arrays, one per tensor.
 * Those that are NULL are not asked for. */
void ks_backward(const ks_case *c, const ks_device *d, int passes, double *const *grad);

/* One array for each tensor with a gradient, NULL for the others. */
void ks_gradients_create(const ks_case *c, double **grad);
void ks_gradients_destroy(double **grad);
double ks_gradients_largest(const ks_case *c, double *const *grad); /* of all numbers, absolute */

/* --- Checks
 * --------------------------------------------------------------------------------------- */

/* The oracle's gradients against finite differences: of every tensor with a gradient up to 16
 * numbers one by one, and all of them at once, in a random direction. */
void ks_check_gradient(const ks_devices *devices, const ks_case *c);

/* Outputs and gradients of every float device against the oracle's, to the operation's tolerance.
 */
void ks_check_parity(const ks_devices *devices, const ks_case *c);

/* On every device: one and two threads give the same bits; a second backward doubles the gradients;
 * a gradient asked for alone is the same. */
void ks_check_rules(const ks_devices *devices, const ks_case *c);

/* Largest accepted error of a float device, relative to the largest number of the array. */
double ks_tolerance(const char *op, bool backward);

#endif
