/* Reading golden files; see golden.h. */
#include "support/test.h"

#include "support/golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hid_t golden_open(const char *name) {
  const char *data = getenv("EDGEFW_TEST_DATA");
  char path[1024];
  snprintf(path, sizeof path, "%s/golden/%s.h5", data ? data : EDGEFW_TEST_DATA, name);
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

char *golden_text(hid_t file, const char *name) {
  const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  if (attribute < 0) fail_msg("no golden attribute %s", name);
  const hid_t type = H5Aget_type(attribute);
  char *text = NULL;
  if (H5Tis_variable_str(type) > 0) {
    char *own = NULL;
    assert_true(H5Aread(attribute, type, &own) >= 0);
    text = strdup(own);
    H5free_memory(own);
  } else {
    text = calloc(1, H5Tget_size(type) + 1);
    assert_non_null(text);
    assert_true(H5Aread(attribute, type, text) >= 0);
  }
  H5Tclose(type);
  H5Aclose(attribute);
  assert_non_null(text);
  return text;
}

/* Where the parameter begins in a packed array; fails unless it has `count` numbers. */
static int64_t packed_offset(hid_t file, const char *parameter, int64_t count) {
  char *names = golden_text(file, "parameter_names");
  int64_t offset = 0, found = -1;
  for (char *rest = names, *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
    char name[256];
    int64_t size = 0;
    assert_int_equal(sscanf(line, "%255s %" SCNd64, name, &size), 2);
    if (strcmp(name, parameter) == 0) {
      found = size;
      break;
    }
    offset += size;
  }
  free(names);
  if (found != count)
    fail_msg("golden parameter %s has %" PRId64 " numbers (-1: missing), expected %" PRId64,
             parameter, found, count);
  return offset;
}

void golden_read_packed(hid_t file, const char *path, const char *parameter, int64_t count,
                        double *out) {
  const int64_t offset = packed_offset(file, parameter, count);
  const int64_t total = golden_count(file, path);
  assert_true(offset + count <= total);
  double *all = malloc((size_t)total * sizeof *all);
  assert_non_null(all);
  golden_read(file, path, total, all);
  memcpy(out, all + offset, (size_t)count * sizeof *out);
  free(all);
}
