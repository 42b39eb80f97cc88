/* Reading golden files; see golden.h. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "support/golden.h"

#include <stdio.h>

hid_t golden_open(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, EDGEFW_TEST_DATA "/golden/%s.h5", name);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) fail_msg("%s cannot be opened", path);
  return file;
}

static int64_t dataset_count(hid_t dataset) {
  const hid_t space = H5Dget_space(dataset);
  const int64_t count = (int64_t)H5Sget_simple_extent_npoints(space);
  H5Sclose(space);
  return count;
}

int64_t golden_count(hid_t file, const char *path) {
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  if (dataset < 0) fail_msg("no golden dataset %s", path);
  const int64_t count = dataset_count(dataset);
  H5Dclose(dataset);
  return count;
}

void golden_read(hid_t file, const char *path, int64_t count, double *out) {
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  if (dataset < 0) fail_msg("no golden dataset %s", path);
  const int64_t found = dataset_count(dataset);
  if (found != count)
    fail_msg("golden dataset %s has %lld numbers, expected %lld", path, (long long)found,
             (long long)count);
  const herr_t status = H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
  H5Dclose(dataset);
  if (status < 0) fail_msg("golden dataset %s cannot be read", path);
}

double golden_attribute(hid_t file, const char *name) {
  double value = 0.0;
  const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  if (attribute < 0) fail_msg("no golden attribute %s", name);
  const herr_t status = H5Aread(attribute, H5T_NATIVE_DOUBLE, &value);
  H5Aclose(attribute);
  if (status < 0) fail_msg("golden attribute %s cannot be read", name);
  return value;
}
