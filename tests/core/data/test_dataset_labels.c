/* Labels of a dataset: what comes back is what went in; what does not fit is refused.
 * labels: oom */
#include "support/test.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "data/dataset_labels.h"
#include "support/check.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"

enum { COUNT = 3, N = 4 };

static const edgefw_field fields[] = {
    {.name = "cost", .shape = EDGEFW_FIELD_PAIR, .storage = EDGEFW_STORE_FLOAT}, {.name = NULL}};
static const edgefw__label_shape shape = {COUNT, N, N, {0}};
static const int32_t tours[COUNT * N] = {0, 1, 2, 3, 3, 1, 0, 2, 2, 0, 3, 1};

/* A dataset without labels. */
static void write_dataset(edgefw_context *ctx, const char *path) {
  edgefw__batch *batch = NULL;
  edgefw__dataset_writer *writer = NULL;
  assert_ok(ctx, edgefw__batch_create(ctx, fields, COUNT, N, &batch));
  batch->count = COUNT;
  for (int k = 0; k < COUNT * N * N; ++k) batch->data[0][k] = k;
  assert_ok(ctx, edgefw__dataset_create(ctx, path, "toy", "none", 1, fields, COUNT, N, &writer));
  assert_ok(ctx, edgefw__dataset_append(writer, batch));
  assert_ok(ctx, edgefw__dataset_finish(writer));
  edgefw__batch_destroy(ctx, batch);
}

static int setup(void **state) {
  if (io_file_set_up(state, "set.h5") != 0) return -1;
  const io_file *f = *state;
  write_dataset(f->ctx, f->path);
  return 0;
}

static bool has_labels(const io_file *f) {
  edgefw__dataset_summary summary;
  assert_ok(f->ctx, edgefw__dataset_info(f->ctx, f->path, &summary));
  return summary.has_labels;
}

static void what_was_stored_comes_back(void **state) {
  const io_file *f = *state;
  int32_t read[COUNT * N], other[COUNT * N];
  for (int i = 0; i < COUNT * N; ++i) other[i] = tours[COUNT * N - 1 - i];
  assert_false(has_labels(f));
  assert_ok(f->ctx, edgefw__dataset_store_labels(f->ctx, f->path, &shape, other, "nobody"));
  assert_ok(f->ctx, edgefw__dataset_store_labels(f->ctx, f->path, &shape, tours, "somebody"));
  assert_true(has_labels(f));
  assert_ok(f->ctx, edgefw__dataset_labels(f->ctx, f->path, &shape, read));
  check_same_bits(read, tours, sizeof tours, "labels");
  edgefw__dataset *set = NULL; /* instances are what they were */
  edgefw__batch *batch = NULL;
  assert_ok(f->ctx, edgefw__dataset_open(f->ctx, f->path, "toy", fields, &set));
  assert_ok(f->ctx, edgefw__batch_create(f->ctx, fields, COUNT, N, &batch));
  assert_ok(f->ctx, edgefw__dataset_read(set, 0, COUNT, batch));
  for (int k = 0; k < COUNT * N * N; ++k) check_close(batch->data[0][k], k, 0.0, 0.0, "cost");
  edgefw__batch_destroy(f->ctx, batch);
  edgefw__dataset_close(set);
}

static void what_does_not_fit_is_refused(void **state) {
  const io_file *f = *state;
  int32_t read[COUNT * N * 2];
  const edgefw__label_shape more = {COUNT + 1, N, N, {0}}, longer = {COUNT, N, 2 * N, {0}};
  assert_fails(f->ctx, edgefw__dataset_labels(f->ctx, f->path, &shape, read), EDGEFW_MISMATCH,
               "set.h5' has no labels; edgefw data label finds some");
  assert_fails(f->ctx, edgefw__dataset_store_labels(f->ctx, f->path, &more, tours, ""),
               EDGEFW_MISMATCH, "has 3 instances of 4 nodes, the labels are of 4 instances of 4");
  assert_false(has_labels(f));
  assert_ok(f->ctx, edgefw__dataset_store_labels(f->ctx, f->path, &shape, tours, ""));
  assert_fails(f->ctx, edgefw__dataset_labels(f->ctx, f->path, &longer, read), EDGEFW_MISMATCH,
               "whole numbers of 3 instances with 8 entries each");
}

/* Labels keep the rule for forbidden arcs that they were found with, and serve no other one. */
static void labels_of_another_rule_are_refused(void **state) {
  const io_file *f = *state;
  int32_t read[COUNT * N];
  edgefw__label_shape ruled = shape;
  ruled.forbidden = (edgefw__forbidden_rule){true, 2.5};
  assert_ok(f->ctx, edgefw__dataset_store_labels(f->ctx, f->path, &shape, tours, ""));
  assert_fails(f->ctx, edgefw__dataset_labels(f->ctx, f->path, &ruled, read), EDGEFW_MISMATCH,
               "found with [problem] forbidden = none, while it is 2.5 here; 'edgefw data label'");
  assert_ok(f->ctx, edgefw__dataset_store_labels(f->ctx, f->path, &ruled, tours, ""));
  assert_ok(f->ctx, edgefw__dataset_labels(f->ctx, f->path, &ruled, read));
  assert_fails(f->ctx, edgefw__dataset_labels(f->ctx, f->path, &shape, read), EDGEFW_MISMATCH,
               "found with [problem] forbidden = 2.5, while it is none here");
  ruled.forbidden.value = 3.0;
  assert_fails(f->ctx, edgefw__dataset_labels(f->ctx, f->path, &ruled, read), EDGEFW_MISMATCH,
               "forbidden = 2.5, while it is 3 here");
}

static void what_is_no_node_is_refused(void **state) {
  const io_file *f = *state;
  static const int32_t wrong[] = {-1, N};
  for (int w = 0; w < 2; ++w) {
    int32_t bad[COUNT * N], read[COUNT * N];
    memcpy(bad, tours, sizeof bad);
    bad[N + 2] = wrong[w];
    assert_ok(f->ctx, edgefw__dataset_store_labels(f->ctx, f->path, &shape, bad, ""));
    assert_fails(f->ctx, edgefw__dataset_labels(f->ctx, f->path, &shape, read), EDGEFW_FORMAT,
                 w ? "entry 2 of the label of instance 1 is 4, expected a node, 0 to 3"
                   : "entry 2 of the label of instance 1 is -1");
  }
}

/* Labels that another program wrote: a group without any, then one of fractions. */
static void other_arrays_are_refused(void **state) {
  const io_file *f = *state;
  int32_t read[COUNT * N];
  const hsize_t axes[2] = {COUNT, N};
  const double numbers[COUNT * N] = {0};
  const hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
  H5Gclose(H5Gcreate2(file, "label", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Fclose(file);
  assert_fails(f->ctx, edgefw__dataset_labels(f->ctx, f->path, &shape, read), EDGEFW_FORMAT,
               "'tour' is missing");
  const hid_t again = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(2, axes, NULL);
  const hid_t array =
      H5Dcreate2(again, "label/tour", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dwrite(array, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  H5Dclose(array);
  H5Sclose(space);
  H5Fclose(again);
  assert_fails(f->ctx, edgefw__dataset_labels(f->ctx, f->path, &shape, read), EDGEFW_MISMATCH,
               "label/tour is not what was expected");
}

static edgefw_status store_and_read(edgefw_context *ctx, void *user) {
  const io_file *f = user;
  int32_t read[COUNT * N];
  const edgefw_status status =
      edgefw__dataset_store_labels(ctx, f->path, &shape, tours, "somebody");
  return status == EDGEFW_OK ? edgefw__dataset_labels(ctx, f->path, &shape, read) : status;
}

static void running_out_of_memory_leaves_the_old_file(void **state) {
  io_file *f = *state;
  out_of_memory_sweep(store_and_read, f);
  assert_int_equal(io_count_entries(f->folder), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_was_stored_comes_back, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(labels_of_another_rule_are_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(what_is_no_node_is_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(other_arrays_are_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaves_the_old_file, setup,
                                      io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
