/* Reading datasets: by parts, of other programs, damaged, and of the wrong kind. */
#include "support/test.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/dataset.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"

enum { COUNT = 6, N = 4 };

static const edgefw_field fields[] = {
    {.name = "cost", .shape = EDGEFW_FIELD_PAIR, .storage = EDGEFW_STORE_SCALED, .scale = 1e-6},
    {.name = "demand", .shape = EDGEFW_FIELD_NODE, .storage = EDGEFW_STORE_FLOAT},
    {.name = NULL},
};

typedef struct fixture {
  edgefw_context *ctx;
  char folder[256], path[512];
  edgefw__batch *given, *read;
} fixture;

static edgefw_status write_good(fixture *f) {
  edgefw__dataset_writer *writer = NULL;
  double cost[COUNT];
  for (int i = 0; i < COUNT; ++i) cost[i] = i + 0.25;
  edgefw_status status =
      edgefw__dataset_create(f->ctx, f->path, "routes", "tmat", 2026, fields, COUNT, N, &writer);
  if (status != EDGEFW_OK) return status;
  status = edgefw__dataset_append(writer, f->given);
  edgefw__dataset_put_reference(writer, cost,
                                &(edgefw__reference_note){.kind = EDGEFW__REFERENCE_BEST_KNOWN,
                                                          .solver = "s",
                                                          .settings = ""});
  if (status == EDGEFW_OK) return edgefw__dataset_finish(writer);
  edgefw__dataset_abandon(writer);
  return status;
}

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (edgefw_context_create(&f->ctx, NULL) != EDGEFW_OK) return -1;
  io_path(f->path, io_folder_create(f->folder, sizeof f->folder), "set.h5");
  if (edgefw__batch_create(f->ctx, fields, COUNT, N, &f->given) != EDGEFW_OK) return -1;
  if (edgefw__batch_create(f->ctx, fields, COUNT, N, &f->read) != EDGEFW_OK) return -1;
  for (int k = 0; k < COUNT * N * N; ++k) f->given->data[0][k] = (k * 7919) / 1e6;
  for (int k = 0; k < COUNT * N; ++k) f->given->data[1][k] = k;
  f->given->count = COUNT;
  *state = f;
  return write_good(f) == EDGEFW_OK ? 0 : -1;
}

static int teardown(void **state) {
  fixture *f = *state;
  edgefw__batch_destroy(f->ctx, f->given);
  edgefw__batch_destroy(f->ctx, f->read);
  io_folder_remove(f->folder);
  edgefw_context_destroy(f->ctx);
  free(f);
  return 0;
}

static edgefw_status open_set(fixture *f, edgefw__dataset **out) {
  return edgefw__dataset_open(f->ctx, f->path, "routes", fields, out);
}

static void parts_are_read_with_their_numbers(void **state) {
  fixture *f = *state;
  edgefw__dataset *set = NULL;
  assert_ok(f->ctx, open_set(f, &set));
  assert_ok(f->ctx, edgefw__dataset_read(set, 2, 3, f->read));
  assert_int_equal(f->read->count, 3);
  assert_int_equal(f->read->ids[0], 2);
  assert_int_equal(f->read->ids[2], 4);
  assert_memory_equal(f->read->data[0], f->given->data[0] + 2 * N * N, 3 * N * N * sizeof(double));
  assert_memory_equal(f->read->data[1], f->given->data[1] + 2 * N, 3 * N * sizeof(double));
  assert_ok(f->ctx, edgefw__dataset_read(set, COUNT, 0, f->read));
  assert_int_equal(f->read->count, 0);
  double cost[COUNT];
  assert_ok(f->ctx, edgefw__dataset_reference(set, cost));
  for (int i = 0; i < COUNT; ++i) assert_true(cost[i] == i + 0.25);

  const edgefw_status bad = EDGEFW_INVALID_ARGUMENT;
  assert_fails(f->ctx, edgefw__dataset_read(set, 5, 2, f->read), bad, "6 instances, asked for 2");
  assert_fails(f->ctx, edgefw__dataset_read(set, -1, 2, f->read), bad, "from -1 on");
  assert_fails(f->ctx, edgefw__dataset_read(set, 1, INT64_MAX, f->read), bad, "6 instances");
  edgefw__batch *small = NULL;
  assert_ok(f->ctx, edgefw__batch_create(f->ctx, fields, 2, N, &small));
  assert_fails(f->ctx, edgefw__dataset_read(set, 0, 3, small), bad, "room for 2");
  edgefw__batch_destroy(f->ctx, small);
  assert_ok(f->ctx, edgefw__batch_create(f->ctx, fields, COUNT, N + 1, &small));
  assert_fails(f->ctx, edgefw__dataset_read(set, 0, 1, small), bad, "5 nodes");
  edgefw__batch_destroy(f->ctx, small);
  edgefw__dataset_close(set);
  edgefw__dataset_close(NULL);
}

static void info_needs_no_problem(void **state) {
  fixture *f = *state;
  edgefw__dataset_summary info;
  assert_ok(f->ctx, edgefw__dataset_info(f->ctx, f->path, &info));
  assert_string_equal(info.problem, "routes");
  assert_string_equal(info.distribution, "tmat");
  assert_int_equal(info.seed, 2026);
  assert_int_equal(info.count, COUNT);
  assert_int_equal(info.n, N);
  assert_true(info.has_reference);
  assert_int_equal(info.field_count, 2);
  assert_string_equal(info.fields[0].name, "cost");
  assert_string_equal(info.fields[0].storage, "int32 x 1e-06");
  assert_string_equal(info.fields[1].name, "demand");
}

static void other_problems_and_fields_are_refused(void **state) {
  fixture *f = *state;
  edgefw__dataset *set = NULL;
  static const edgefw_field more[] = {
      {.name = "cost", .shape = EDGEFW_FIELD_PAIR},
      {.name = "time", .shape = EDGEFW_FIELD_PAIR},
      {.name = NULL},
  };
  static const edgefw_field shapes[] = {{.name = "demand", .shape = EDGEFW_FIELD_PAIR},
                                        {.name = NULL}};
  assert_fails(f->ctx, edgefw__dataset_open(f->ctx, f->path, "packing", fields, &set),
               EDGEFW_MISMATCH, "problem 'routes', expected 'packing'");
  assert_fails(f->ctx, edgefw__dataset_open(f->ctx, f->path, "routes", more, &set), EDGEFW_FORMAT,
               "the array 'time' is missing");
  assert_fails(f->ctx, edgefw__dataset_open(f->ctx, f->path, "routes", shapes, &set), EDGEFW_FORMAT,
               "'demand' has 2 axes, expected 3: (N,n,n)");
  assert_null(set);
}

/* --- Files of others, made with plain HDF5 calls --- */

static void put_attribute(hid_t object, const char *name, hid_t type, const void *value) {
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, value);
  H5Aclose(attribute);
  H5Sclose(space);
}

static void put_text(hid_t object, const char *name, const char *text) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(text) + 1);
  put_attribute(object, name, type, text);
  H5Tclose(type);
}

static hid_t begin_foreign(const char *path) {
  const int64_t version = 1;
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  put_text(file, "format", "edgefw-dataset");
  put_attribute(file, "format_version", H5T_NATIVE_INT64, &version);
  put_text(file, "problem", "routes");
  return file;
}

/* An array of zeros, or of `value` at its head. */
static hid_t put_array(hid_t group, const char *name, int rank, const hsize_t *shape,
                       double value) {
  static double values[1024];
  memset(values, 0, sizeof values);
  values[0] = value;
  const hid_t space = H5Screate_simple(rank, shape, NULL);
  const hid_t array =
      H5Dcreate2(group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(array, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Sclose(space);
  return array;
}

static void a_minimal_foreign_file_is_read(void **state) {
  fixture *f = *state;
  const hsize_t matrix[] = {2, N, N}, vector[] = {2, N};
  const hid_t file = begin_foreign(f->path);
  H5Dclose(put_array(file, "cost", 3, matrix, 0.75));
  H5Dclose(put_array(file, "demand", 2, vector, 3));
  H5Gclose(H5Gcreate2(file, "notes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Fclose(file);
  edgefw__dataset *set = NULL;
  assert_ok(f->ctx, open_set(f, &set));
  const edgefw__dataset_summary *info = edgefw__dataset_describe(set);
  assert_false(info->has_seed);
  assert_string_equal(info->distribution, "");
  assert_ok(f->ctx, edgefw__dataset_read(set, 0, 2, f->read));
  assert_true(f->read->data[0][0] == 0.75 && f->read->data[1][0] == 3.0);
  double cost[2];
  assert_fails(f->ctx, edgefw__dataset_reference(set, cost), EDGEFW_MISMATCH,
               "has no reference costs");
  edgefw__dataset_close(set);
}

typedef struct hostile_case {
  hsize_t cost[3], demand[2];
  double scale; /* 0: none */
  hsize_t reference;
  double reference_cost;
  const char *message; /* of opening, or of reading the references */
} hostile_case;

static void inconsistent_files_are_refused(void **state) {
  fixture *f = *state;
  const double nothing = (double)NAN, endless = (double)INFINITY;
  const hostile_case cases[] = {
      {{2, N, N}, {3, N}, 0, 2, 1, "'demand' has 3 instances, 'cost' has 2"},
      {{2, N, N}, {2, N + 1}, 0, 2, 1, "'demand' has 5 nodes, expected 4"},
      {{2, N, 3}, {2, N}, 0, 2, 1, "matrices of 4 by 3, expected square"},
      {{2, N, N}, {2, N}, -1, 2, 1, "has scale -1, expected a positive number"},
      {{2, N, N}, {2, N}, endless, 2, 1, "has scale inf"},
      {{2, N, N}, {2, N}, nothing, 2, 1, "nan"},
      {{2, N, N}, {2, N}, 0, 3, 1, "3 reference costs for 2 instances"},
      {{2, N, N}, {2, N}, 0, 2, nothing, "reference cost of instance 0 is not finite"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    const hid_t file = begin_foreign(f->path);
    const hid_t array = put_array(file, "cost", 3, cases[c].cost, 1);
    if (cases[c].scale != 0) put_attribute(array, "scale", H5T_NATIVE_DOUBLE, &cases[c].scale);
    H5Dclose(array);
    H5Dclose(put_array(file, "demand", 2, cases[c].demand, 1));
    const hid_t group = H5Gcreate2(file, "reference", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(put_array(group, "cost", 1, &cases[c].reference, cases[c].reference_cost));
    H5Gclose(group);
    H5Fclose(file);
    edgefw__dataset *set = NULL;
    double cost[4];
    edgefw_status status = open_set(f, &set);
    if (status == EDGEFW_OK) status = edgefw__dataset_reference(set, cost);
    edgefw__dataset_close(set);
    assert_fails(f->ctx, status, EDGEFW_FORMAT, cases[c].message);
  }
}

/* A minimal file with one link more, to a pipe: opening it would wait for ever. */
static void write_linked(const fixture *f, const char *name, const char *pipe) {
  const hsize_t matrix[] = {2, N, N}, vector[] = {2, N};
  const hid_t file = begin_foreign(f->path);
  H5Dclose(put_array(file, "cost", 3, matrix, 0.75));
  H5Dclose(put_array(file, "demand", 2, vector, 3));
  H5Lcreate_external(pipe, "/", file, name, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
}

static void links_out_of_the_file_are_refused_unopened(void **state) {
  fixture *f = *state;
  char pipe[512];
  edgefw__dataset_summary info;
  edgefw__dataset *set = NULL;
  io_path(pipe, f->folder, "pipe");
  assert_int_equal(mkfifo(pipe, 0600), 0);
  alarm(30);
  write_linked(f, "other", pipe);
  assert_fails(f->ctx, edgefw__dataset_info(f->ctx, f->path, &info), EDGEFW_FORMAT,
               "'other' is not an array of this file");
  write_linked(f, "reference", pipe);
  assert_fails(f->ctx, edgefw__dataset_info(f->ctx, f->path, &info), EDGEFW_FORMAT,
               "'reference' is not a group of this file");
  assert_fails(f->ctx, open_set(f, &set), EDGEFW_FORMAT, "'reference' is not a group of this file");
  assert_null(set);
  alarm(0);
}

static void sizes_that_cannot_be_are_refused(void **state) {
  fixture *f = *state;
  const hsize_t shape[] = {1000000, 40000, 40000}, chunk[] = {1, 100, 100};
  const hid_t file = begin_foreign(f->path);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 3, chunk);
  const hid_t space = H5Screate_simple(3, shape, NULL);
  H5Dclose(H5Dcreate2(file, "cost", H5T_IEEE_F32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(creation);
  H5Fclose(file);
  edgefw__dataset *set = NULL;
  edgefw__dataset_summary info;
  assert_fails(f->ctx, open_set(f, &set), EDGEFW_FORMAT, "far larger than what is stored");
  assert_fails(f->ctx, edgefw__dataset_info(f->ctx, f->path, &info), EDGEFW_FORMAT,
               "far larger than what is stored");

  H5Fclose(begin_foreign(f->path));
  assert_fails(f->ctx, edgefw__dataset_info(f->ctx, f->path, &info), EDGEFW_FORMAT,
               "holds no instances");
}

/* Cut anywhere, a file is refused in one line; a zeroed part at its end is found when it is read.
 */
static void damaged_files_are_refused(void **state) {
  fixture *f = *state;
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  const size_t sizes[] = {0, 1, 7, 8, 95, 96, length / 4, length / 2, length - 100, length - 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    io_write(f->path, bytes, sizes[i]);
    edgefw__dataset *set = NULL;
    const edgefw_status status = open_set(f, &set);
    assert_true(status == EDGEFW_IO || status == EDGEFW_FORMAT);
    assert_true(io_message_has(f->ctx, "set.h5'"));
    assert_null(set);
    edgefw_clear(f->ctx);
  }
  free(bytes);
}

static void changed_bytes_never_crash(void **state) {
  fixture *f = *state;
  if (IO_HDF5_LEAKS_SHOW) skip();
  size_t length = 0;
  char *good = io_read(f->path, &length), *bad = malloc(length);
  int refused = 0;
  for (uint64_t trial = 0; trial < 250; ++trial) {
    io_damage(good, length, trial, bad);
    io_write(f->path, bad, length);
    edgefw__dataset *set = NULL;
    double cost[COUNT];
    edgefw_status status = open_set(f, &set);
    if (status == EDGEFW_OK) status = edgefw__dataset_read(set, 0, COUNT, f->read);
    if (status == EDGEFW_OK) status = edgefw__dataset_reference(set, cost);
    edgefw__dataset_close(set);
    refused += status != EDGEFW_OK;
    if (status != EDGEFW_OK) {
      assert_true(io_message_has(f->ctx, "set.h5'"));
    } else { /* what is read is what was written */
      assert_memory_equal(f->read->data[0], f->given->data[0], COUNT * N * N * sizeof(double));
    }
    edgefw_clear(f->ctx);
  }
  assert_true(refused > 75); /* most of what is used has checksums */
  free(good);
  free(bad);
}

static void running_out_of_memory_leaks_nothing(void **state) {
  fixture *f = *state;
  for (int64_t n = 1;; ++n) {
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx = NULL;
    edgefw__dataset *set = NULL;
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    const edgefw_status status = edgefw__dataset_open(ctx, f->path, "routes", fields, &set);
    const bool failed = failing_allocator_failed(&memory);
    assert_int_equal(status, failed ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    if (failed) assert_true(io_message_has(ctx, "memory"));
    edgefw__dataset_close(set);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
    if (!failed) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(parts_are_read_with_their_numbers, setup, teardown),
      cmocka_unit_test_setup_teardown(info_needs_no_problem, setup, teardown),
      cmocka_unit_test_setup_teardown(other_problems_and_fields_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(a_minimal_foreign_file_is_read, setup, teardown),
      cmocka_unit_test_setup_teardown(inconsistent_files_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(links_out_of_the_file_are_refused_unopened, setup, teardown),
      cmocka_unit_test_setup_teardown(sizes_that_cannot_be_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(damaged_files_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(changed_bytes_never_crash, setup, teardown),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaks_nothing, setup, teardown),
  };
  return test_run(tests, NULL, NULL);
}
