/* Imports: arrays of NumPy files become fields, library files become instances, and what does not
 * fit is refused. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/dataset.h"
#include "data/import.h"
#include "support/io_support.h"
#include "support/npz_support.h"

/* --- A problem with a field of each kind --- */

static const edgefw_field fields[] = {
    {.name = "capacity", .shape = EDGEFW_FIELD_SCALAR, .storage = EDGEFW_STORE_FLOAT},
    {.name = "cost", .shape = EDGEFW_FIELD_PAIR, .storage = EDGEFW_STORE_SCALED, .scale = 1e-6},
    {.name = "demand", .shape = EDGEFW_FIELD_NODE, .storage = EDGEFW_STORE_FLOAT},
    {.name = NULL}};

static edgefw_status accept(edgefw_context *ctx, const edgefw_options *options,
                            edgefw_instance *instance) {
  (void)options;
  for (int64_t i = 0; i < instance->n; ++i) instance->data[1][i * instance->n + i] = 0.0;
  for (int64_t k = 0; k < instance->n * instance->n; ++k)
    if (!(instance->data[1][k] >= 0.0))
      return edgefw_fail(ctx, EDGEFW_INFEASIBLE, "instance %d: negative", (int)instance->id);
  return EDGEFW_OK;
}

static edgefw_status file_nodes(edgefw_context *ctx, const edgefw_options *options,
                                const edgefw_tsplib *file, int64_t *nodes) {
  (void)ctx;
  (void)options;
  *nodes = file->dimension;
  return EDGEFW_OK;
}

static edgefw_status read_file(edgefw_context *ctx, const edgefw_options *options,
                               const edgefw_tsplib *file, edgefw_instance *out) {
  (void)ctx;
  (void)options;
  memcpy(out->data[1], file->weights, (size_t)(out->n * out->n) * sizeof(double));
  for (int64_t i = 0; i < out->n; ++i) out->data[2][i] = (double)i;
  out->data[0][0] = 5.0;
  return EDGEFW_OK;
}

static const edgefw_problem problem = {.size = sizeof problem,
                                       .fields = fields,
                                       .objective = "cost",
                                       .min_nodes = 2,
                                       .accept = accept,
                                       .file_nodes = file_nodes,
                                       .read = read_file};

/* --- Cases: two instances of three nodes --- */

enum { COUNT = 2, N = 3, PAIRS = COUNT * N * N };

static double data_f8[PAIRS];
static int64_t data_i8[PAIRS];
static float data_f4[PAIRS];
static const int32_t demand_i4[COUNT * N] = {0, 1, 2, 0, 3, 4};
static const double capacity_f8[COUNT] = {7.0, 8.0};

static const npz_entry demand = {"demand.npy", "<i4", "(2, 3)", demand_i4, sizeof demand_i4, 0, 0};
static const npz_entry capacity = {"capacity.npy",     "<f8", "(2,)", capacity_f8,
                                   sizeof capacity_f8, 0,     0};
static const npz_entry whole_data = {"data.npy", "<i8", "(2, 3, 3)", data_i8, sizeof data_i8, 0, 0};

typedef struct fixture {
  io_file file; /* the .npz */
  char out[600];
  edgefw__import import;
  edgefw__import_summary summary;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  io_file *file = NULL;
  if (!f || io_file_set_up((void **)&file, "in.npz") != 0) return -1;
  f->file = *file;
  free(file);
  snprintf(f->out, sizeof f->out, "%s/out.h5", f->file.folder);
  f->import =
      (edgefw__import){.problem_name = "toy", .problem = &problem, .output = f->out, .scale = 1e-6};
  for (int k = 0; k < PAIRS; ++k) {
    data_i8[k] = 1000 * k + 7;
    data_f8[k] = (1000 * k + 7) / 1e6;
    data_f4[k] = (float)(1000 * k + 7);
  }
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  io_file *file = malloc(sizeof *file);
  *file = f->file;
  free(f);
  void *inner = file;
  return io_file_tear_down(&inner);
}

static edgefw_status import(fixture *f, const npz_entry *a, const npz_entry *b,
                            const npz_entry *c) {
  npz_entry entries[4] = {{.name = NULL}};
  int count = 0;
  if (a) entries[count++] = *a;
  if (b) entries[count++] = *b;
  if (c) entries[count++] = *c;
  npz_write(f->file.path, entries, true);
  return edgefw__import_npz(f->file.ctx, &f->import, f->file.path, &f->summary);
}

/* The dataset holds the case's instances: costs (1000 k + 7) / divisor. */
static void expect_dataset(fixture *f, double divisor, const double *capacities) {
  edgefw_context *ctx = f->file.ctx;
  edgefw__dataset *dataset = NULL;
  edgefw__batch *batch = NULL;
  assert_int_equal(f->summary.count, COUNT);
  assert_int_equal(f->summary.n, N);
  assert_ok(ctx, edgefw__dataset_open(ctx, f->out, "toy", fields, &dataset));
  assert_false(edgefw__dataset_describe(dataset)->has_seed);
  assert_ok(ctx, edgefw__batch_create(ctx, fields, COUNT, N, &batch));
  assert_ok(ctx, edgefw__dataset_read(dataset, 0, COUNT, batch));
  for (int k = 0; k < PAIRS; ++k)
    assert_true(batch->data[1][k] == (k % 9 % 4 == 0 ? 0.0 : (1000 * k + 7) / divisor));
  for (int k = 0; k < COUNT * N; ++k) assert_true(batch->data[2][k] == demand_i4[k]);
  for (int b = 0; b < COUNT; ++b) assert_true(batch->data[0][b] == capacities[b]);
  edgefw__batch_destroy(ctx, batch);
  edgefw__dataset_close(dataset);
  unlink(f->out);
}

/* Numbers are taken as they stand, or as somebody says; never as it looks. */
static void units_are_told(void **state) {
  fixture *f = *state;
  edgefw_context *ctx = f->file.ctx;
  npz_entry array = {"dist.npy", "<f8", "(2, 3, 3)", data_f8, sizeof data_f8, 0, 0};
  f->import.scale = 0.0;
  assert_ok(ctx, import(f, &capacity, &array, &demand)); /* fractions: values as they stand */
  expect_dataset(f, 1e6, capacity_f8);
  assert_fails(
      ctx, import(f, &whole_data, &demand, &capacity), EDGEFW_CONFIG,
      "the numbers of 'data' are whole, and nothing says what one of them is worth; say it "
      "with --scale (1: they are values as they stand; 1e-06: they count such units");
  array = (npz_entry){"cost.npy", "<f4", "(2, 3, 3)", data_f4, sizeof data_f4, 0, 0};
  assert_fails(ctx, import(f, &capacity, &array, &demand), EDGEFW_CONFIG, /* up to 17007 */
               "the numbers of 'cost' are above 1000, and nothing says");
  assert_int_equal(access(f->out, F_OK), -1);
  f->import.scale = 1e-6;
  assert_ok(ctx, import(f, &capacity, &array, &demand));
  expect_dataset(f, 1e6, capacity_f8);
  assert_ok(ctx, import(f, &whole_data, &demand, &capacity));
  expect_dataset(f, 1e6, capacity_f8);
  f->import.scale = 1.0;
  assert_ok(ctx, import(f, &whole_data, &demand, &capacity));
  expect_dataset(f, 1.0, capacity_f8);
  f->import.scale = 0.0;
  f->import.divide_by = 100.0;
  assert_ok(ctx, import(f, &whole_data, &demand, &capacity));
  expect_dataset(f, 100.0, capacity_f8);
}

/* Infinite costs, and those that are no numbers, are no sign of whole units, and stay in the
 * dataset as infinite ones. */
static void forbidden_arcs_are_kept(void **state) {
  fixture *f = *state;
  edgefw_context *ctx = f->file.ctx;
  edgefw__dataset *dataset = NULL;
  edgefw__batch *batch = NULL;
  io_log log = {.text = ""};
  const npz_entry array = {"cost.npy", "<f8", "(2, 3, 3)", data_f8, sizeof data_f8, 0, 0};
  data_f8[1] = (double)INFINITY;
  data_f8[9 + 5] = (double)NAN;
  edgefw_set_log(ctx, io_collect, &log);
  f->import.scale = 0.0; /* they are values as they stand */
  assert_ok(ctx, import(f, &array, &demand, &capacity));
  assert_non_null(strstr(log.text, "2 of 12 arcs are forbidden"));
  assert_ok(ctx, edgefw__dataset_open(ctx, f->out, "toy", fields, &dataset));
  assert_ok(ctx, edgefw__batch_create(ctx, fields, COUNT, N, &batch));
  assert_ok(ctx, edgefw__dataset_read(dataset, 0, COUNT, batch));
  for (int k = 0; k < PAIRS; ++k) {
    const bool forbidden = k == 1 || k == 9 + 5;
    const double expected = k % 9 % 4 == 0 ? 0.0 : (1000 * k + 7) / 1e6;
    assert_true(batch->data[1][k] == (forbidden ? (double)INFINITY : expected));
  }
  edgefw__batch_destroy(ctx, batch);
  edgefw__dataset_close(dataset);
}

static void scalars_come_from_arrays_or_values(void **state) {
  fixture *f = *state;
  edgefw_context *ctx = f->file.ctx;
  static const double thirty[] = {30.0, 30.0};
  edgefw__import_value value = {"capacity", 30.0, false};
  f->import.values = &value;
  f->import.value_count = 1;
  assert_ok(ctx, import(f, &whole_data, &demand, NULL));
  expect_dataset(f, 1e6, thirty);
  assert_ok(ctx, import(f, &whole_data, &demand, &capacity)); /* said explicitly */
  expect_dataset(f, 1e6, thirty);
  value.fallback = true;
  assert_ok(ctx, import(f, &whole_data, &demand, &capacity));
  expect_dataset(f, 1e6, capacity_f8);
  f->import.value_count = 0;
  npz_entry array = {"capacity.npy", "<f8", "(2, 1)", capacity_f8, sizeof capacity_f8, 0, 0};
  assert_ok(ctx, import(f, &array, &whole_data, &demand));
  expect_dataset(f, 1e6, capacity_f8);
  array = (npz_entry){"capacity.npy", "<f8", "()", thirty, sizeof *thirty, 0, 0};
  assert_ok(ctx, import(f, &array, &whole_data, &demand));
  expect_dataset(f, 1e6, thirty);
}

static void what_does_not_fit_is_refused(void **state) {
  fixture *f = *state;
  edgefw_context *ctx = f->file.ctx;
  npz_entry array = whole_data;
  assert_fails(ctx, import(f, &demand, &capacity, NULL), EDGEFW_MISMATCH,
               "no array 'cost', 'data' or 'dist' (it has: demand, capacity)");
  assert_fails(ctx, import(f, &whole_data, &demand, NULL), EDGEFW_MISMATCH,
               "give its value with --field capacity=NUMBER");
  array.shape = "(2, 9)";
  assert_fails(ctx, import(f, &array, &demand, &capacity), EDGEFW_MISMATCH,
               "'data' has shape (2,9); expected (N,n,n)");
  array.shape = "(1, 9, 2)";
  assert_fails(ctx, import(f, &array, &demand, &capacity), EDGEFW_MISMATCH, "shape (1,9,2)");
  array = demand;
  array.shape = "(3, 2)";
  assert_fails(ctx, import(f, &whole_data, &array, &capacity), EDGEFW_MISMATCH,
               "'demand' has shape (3,2); expected (N,n) with N = 2 and n = 3");
  array = (npz_entry){"capacity.npy", "<f8", "(3,)", data_f8, 24, 0, 0};
  assert_fails(ctx, import(f, &whole_data, &demand, &array), EDGEFW_MISMATCH, "N = 2");
  const npz_entry none = {"data.npy", "<i8", "(0, 3, 3)", NULL, 0, 0, 0};
  array = (npz_entry){"demand.npy", "<i4", "(0, 3)", NULL, 0, 0, 0};
  assert_fails(ctx, import(f, &none, &array, &capacity), EDGEFW_MISMATCH, "capacity");
  const npz_entry one = {"data.npy", "<i8", "(18, 1, 1)", data_i8, sizeof data_i8, 0, 0};
  array = (npz_entry){"demand.npy", "<i8", "(18, 1)", data_i8, sizeof data_i8, 0, 0};
  const npz_entry seven = {"capacity.npy", "<f8", "()", capacity_f8, 8, 0, 0};
  assert_fails(ctx, import(f, &one, &array, &seven), EDGEFW_MISMATCH, "the problem toy takes 2");
  f->import.memory = 8;
  assert_fails(ctx, import(f, &whole_data, &demand, &capacity), EDGEFW_OUT_OF_MEMORY,
               "takes 0 MiB");
  f->import.memory = 0;
  data_i8[PAIRS - 2] = -1;
  assert_fails(ctx, import(f, &whole_data, &demand, &capacity), EDGEFW_INFEASIBLE,
               "instance 1: negative (while reading ");
  assert_int_equal(access(f->out, F_OK), -1);
}

static void observe(void *user, int64_t done, int64_t count) {
  *(int64_t *)user = 100 * done + count;
}

static void progress_is_told_and_interruptions_are_heard(void **state) {
  fixture *f = *state;
  int64_t seen = 0;
  const volatile int flag = 1;
  f->import.observer = observe;
  f->import.user = &seen;
  assert_ok(f->file.ctx, import(f, &whole_data, &demand, &capacity));
  assert_int_equal(seen, 202);
  unlink(f->out);
  edgefw_set_interrupt(f->file.ctx, &flag);
  assert_fails(f->file.ctx, import(f, &whole_data, &demand, &capacity), EDGEFW_INTERRUPTED,
               "is not written");
  assert_int_equal(access(f->out, F_OK), -1);
}

/* --- Points, and a field that follows from them --- */

static const edgefw_field point_fields[] = {
    {.name = "coords", .shape = EDGEFW_FIELD_POINT, .storage = EDGEFW_STORE_FLOAT},
    {.name = "cost", .shape = EDGEFW_FIELD_PAIR, .storage = EDGEFW_STORE_DERIVED},
    {.name = NULL}};

static edgefw_status accept_points(edgefw_context *ctx, const edgefw_options *options,
                                   edgefw_instance *instance) {
  (void)options;
  for (int64_t k = 0; k < instance->n * instance->n; ++k)
    if (!isnan(instance->data[1][k])) return edgefw_fail(ctx, EDGEFW_INTERNAL, "given a cost");
  return EDGEFW_OK;
}

static edgefw_status read_points(edgefw_context *ctx, const edgefw_options *options,
                                 const edgefw_tsplib *file, edgefw_instance *out) {
  (void)ctx;
  (void)options;
  memcpy(out->data[1], file->weights, (size_t)(out->n * out->n) * sizeof(double));
  return EDGEFW_OK;
}

static const edgefw_problem point_problem = {.size = sizeof problem,
                                             .fields = point_fields,
                                             .objective = "cost",
                                             .min_nodes = 1,
                                             .accept = accept_points,
                                             .file_nodes = file_nodes,
                                             .read = read_points};

static const char *library_file(fixture *f, const char *name, int n, const char *numbers);

static void derived_fields_are_left_to_the_problem(void **state) {
  fixture *f = *state;
  edgefw_context *ctx = f->file.ctx;
  f->import.problem = &point_problem;
  const npz_entry coords = {"coords.npy", "<f8", "(2, 4, 2)", data_f8, 16 * sizeof *data_f8, 0, 0};
  npz_entry wrong = coords;
  assert_fails(ctx, import(f, &coords, &whole_data, NULL), EDGEFW_CONFIG,
               "no array has a unit to tell: the problem toy reads no costs");
  f->import.scale = 0.0;
  assert_ok(ctx, import(f, &coords, &whole_data, NULL)); /* "data" is no field's */
  assert_int_equal(f->summary.n, 4);
  edgefw__dataset *dataset = NULL;
  edgefw__batch *batch = NULL;
  assert_ok(ctx, edgefw__dataset_open(ctx, f->out, "toy", point_fields, &dataset));
  assert_ok(ctx, edgefw__batch_create(ctx, point_fields, 2, 4, &batch));
  assert_ok(ctx, edgefw__dataset_read(dataset, 0, 2, batch));
  assert_memory_equal(batch->data[0], data_f8, 16 * sizeof *data_f8);
  edgefw__batch_destroy(ctx, batch);
  edgefw__dataset_close(dataset);
  unlink(f->out);
  wrong.shape = "(2, 2, 4)";
  assert_fails(ctx, import(f, &wrong, NULL, NULL), EDGEFW_MISMATCH, "expected (N,n,2)");
  const char *path = library_file(f, "a.atsp", 2, "9 1 2 9");
  assert_fails(ctx, edgefw__import_files(ctx, &f->import, &path, 1, &f->summary),
               EDGEFW_UNSUPPORTED, "says how its 'cost' is rounded");
}

/* --- Library files --- */

static const char *library_file(fixture *f, const char *name, int n, const char *numbers) {
  static char paths[3][600];
  static int next = 0;
  char *path = paths[next++ % 3], text[512];
  snprintf(path, sizeof paths[0], "%s/%s", f->file.folder, name);
  const int length = snprintf(text, sizeof text,
                              "TYPE: ATSP\nDIMENSION: %d\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                              "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n%s\n",
                              n, numbers);
  io_write(path, text, (size_t)length);
  return path;
}

static void library_files_become_instances(void **state) {
  fixture *f = *state;
  edgefw_context *ctx = f->file.ctx;
  const char *paths[2] = {library_file(f, "a.atsp", 2, "9 1 2 9"),
                          library_file(f, "b.atsp", 2, "9 3 4.5 9")};
  assert_ok(ctx, edgefw__import_files(ctx, &f->import, paths, 2, &f->summary));
  assert_int_equal(f->summary.count * 10 + f->summary.n, 22);
  edgefw__dataset *dataset = NULL;
  edgefw__batch *batch = NULL;
  static const double costs[] = {0, 1, 2, 0, 0, 3, 4.5, 0};
  assert_ok(ctx, edgefw__dataset_open(ctx, f->out, "toy", fields, &dataset));
  assert_ok(ctx, edgefw__batch_create(ctx, fields, 2, 2, &batch));
  assert_ok(ctx, edgefw__dataset_read(dataset, 0, 2, batch));
  assert_memory_equal(batch->data[1], costs, sizeof costs);
  assert_true(batch->data[0][1] == 5.0 && batch->data[2][3] == 1.0);
  edgefw__batch_destroy(ctx, batch);
  edgefw__dataset_close(dataset);
  unlink(f->out);
  paths[1] = library_file(f, "c.atsp", 3, "9 3 4 9 9 9 9 9 9");
  assert_fails(ctx, edgefw__import_files(ctx, &f->import, paths, 2, &f->summary), EDGEFW_MISMATCH,
               "the instances of a dataset have one size");
  edgefw_problem other = problem;
  other.file_nodes = NULL;
  f->import.problem = &other;
  assert_fails(ctx, edgefw__import_files(ctx, &f->import, paths, 2, &f->summary),
               EDGEFW_UNSUPPORTED, "reads no library files");
  assert_int_equal(access(f->out, F_OK), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(units_are_told, setup, teardown),
      cmocka_unit_test_setup_teardown(forbidden_arcs_are_kept, setup, teardown),
      cmocka_unit_test_setup_teardown(scalars_come_from_arrays_or_values, setup, teardown),
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(progress_is_told_and_interruptions_are_heard, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(derived_fields_are_left_to_the_problem, setup, teardown),
      cmocka_unit_test_setup_teardown(library_files_become_instances, setup, teardown),
  };
  return test_run(tests, NULL, NULL);
}
