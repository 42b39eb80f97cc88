/* Devices against golden files; see golden_device.h. */
#include "support/test.h"

#include "support/check.h"
#include "support/golden_device.h"

#include <math.h>
#include <stdio.h>

void golden_on_devices(const ks_devices *devices, const char *name, golden_run run) {
  for (int i = 0; i < devices->count; ++i) {
    golden_device g = {.d = &devices->item[i], .file = golden_open(name)};
    g.tolerance = g.d->k->dtype == EDGEFW_F64 ? golden_attribute(g.file, "tolerance") : 2e-5;
    run(&g);
    while (g.array_count > 0) ks_release(g.d, g.arrays[--g.array_count]);
    H5Fclose(g.file);
  }
}

static void *keep(golden_device *g, void *array) {
  assert_non_null(array);
  assert_true(g->array_count < GOLDEN_MOST_ARRAYS);
  return g->arrays[g->array_count++] = array;
}

void *golden_bytes(golden_device *g, size_t bytes) {
  return keep(g, g->d->k->allocate(g->d->device, bytes, "golden test"));
}

void *golden_zeros(golden_device *g, int64_t count) {
  return keep(g, ks_reals(g->d, count));
}

double *golden_exact(golden_device *g, double *values, int64_t count) {
  const ks_device *d = g->d;
  if (!d->k->upload_exact) return values;
  double *exact = golden_bytes(g, (size_t)count * sizeof *exact);
  ks_ok(d, d->k->upload_exact(d->device, exact, values, count));
  return exact;
}

void *golden_copy(golden_device *g, const double *values, int64_t count) {
  return keep(g, ks_upload(g->d, values, count));
}

/* Reads GROUP/NAME and leaves its path in `path`. */
static void read_values(const golden_device *g, const char *group, const char *name, int64_t count,
                        char path[128], double values[GOLDEN_MOST_NUMBERS]) {
  assert_in_range(count, 1, GOLDEN_MOST_NUMBERS);
  snprintf(path, 128, "%s/%s", group, name);
  golden_read(g->file, path, count, values);
}

void *golden_input(golden_device *g, const char *group, const char *name, int64_t count) {
  double values[GOLDEN_MOST_NUMBERS];
  char path[128];
  read_values(g, group, name, count, path, values);
  return golden_copy(g, values, count);
}

void golden_expect_values(const golden_device *g, const double *actual, const char *group,
                          const char *name, int64_t count, double tolerance) {
  double expected[GOLDEN_MOST_NUMBERS], scale = 1.0;
  char path[128], what[192];
  read_values(g, group, name, count, path, expected);
  snprintf(what, sizeof what, "%s: %s", g->d->name, path);
  for (int64_t i = 0; i < count; ++i) scale = fmax(scale, fabs(expected[i]));
  check_close_f64(actual, expected, count, tolerance * scale, 0.0, what);
}

void golden_expect(const golden_device *g, const void *array, const char *group, const char *name,
                   int64_t count) {
  double actual[GOLDEN_MOST_NUMBERS];
  assert_in_range(count, 1, GOLDEN_MOST_NUMBERS);
  g->d->k->download(g->d->device, actual, array, count);
  golden_expect_values(g, actual, group, name, count, g->tolerance);
}
