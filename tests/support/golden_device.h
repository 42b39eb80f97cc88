/* Running operations of every device on golden inputs and comparing with golden results. */
#ifndef EDGEFW_TESTS_SUPPORT_GOLDEN_DEVICE_H
#define EDGEFW_TESTS_SUPPORT_GOLDEN_DEVICE_H

#include "support/golden.h"
#include "support/kernels_support.h"

enum { GOLDEN_MOST_ARRAYS = 64, GOLDEN_MOST_NUMBERS = 1024 };

/* One device on one golden file, with the device arrays made so far. */
typedef struct golden_device {
  const ks_device *d;
  hid_t file;
  double tolerance; /* the file's own in double, 2e-5 in float */
  void *arrays[GOLDEN_MOST_ARRAYS];
  int array_count;
} golden_device;

typedef void (*golden_run)(golden_device *g);

/* run() on every device with golden/NAME.h5; device arrays are released afterwards. */
void golden_on_devices(const ks_devices *devices, const char *name, golden_run run);

/* Device arrays that are released by golden_on_devices: zeroed bytes, zeros, copies of host
 * numbers, and the dataset GROUP/NAME (group "" for the root). */
void *golden_bytes(golden_device *g, size_t bytes);
void *golden_zeros(golden_device *g, int64_t count);
void *golden_copy(golden_device *g, const double *values, int64_t count);
double *golden_exact(golden_device *g, double *values, int64_t count); /* as ks_exact */
void *golden_input(golden_device *g, const char *group, const char *name, int64_t count);

/* Fails the test unless every number is within tolerance * max(1, largest expected number) of the
 * dataset GROUP/NAME. */
void golden_expect(const golden_device *g, const void *array, const char *group, const char *name,
                   int64_t count);
void golden_expect_values(const golden_device *g, const double *actual, const char *group,
                          const char *name, int64_t count, double tolerance);

#endif
