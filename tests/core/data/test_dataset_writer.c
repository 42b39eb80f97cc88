/* Writing datasets: what comes back is bit for bit what went in, in the most compact form. */
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"

enum { COUNT = 5, N = 3 };

static const edgefw_field fields[] = {
    {.name = "cost", .shape = EDGEFW_FIELD_PAIR, .storage = EDGEFW_STORE_SCALED, .scale = 1e-6},
    {.name = "demand", .shape = EDGEFW_FIELD_NODE, .storage = EDGEFW_STORE_FLOAT},
    {.name = "capacity", .shape = EDGEFW_FIELD_SCALAR, .storage = EDGEFW_STORE_SCALED, .scale = 5},
    {.name = NULL},
};

typedef struct fixture {
  edgefw_context *ctx;
  char folder[256], path[512];
  edgefw__batch *given; /* all COUNT instances */
  edgefw__batch *read;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (edgefw_context_create(&f->ctx, NULL) != EDGEFW_OK) return -1;
  io_path(f->path, io_folder_create(f->folder, sizeof f->folder), "set.h5");
  if (edgefw__batch_create(f->ctx, fields, COUNT, N, &f->given) != EDGEFW_OK) return -1;
  if (edgefw__batch_create(f->ctx, fields, COUNT, N, &f->read) != EDGEFW_OK) return -1;
  for (int k = 0; k < COUNT * N * N; ++k) f->given->data[0][k] = (123457 * k) / 1e6;
  for (int k = 0; k < COUNT * N; ++k) f->given->data[1][k] = k;
  for (int k = 0; k < COUNT; ++k) f->given->data[2][k] = 5.0 * k;
  f->given->count = COUNT;
  *state = f;
  return 0;
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

/* Instances first .. first + count - 1 of `batch`, as a view. */
static edgefw__batch part_of(const edgefw__batch *batch, int64_t first, int64_t count) {
  edgefw__batch part = *batch;
  part.count = count;
  for (int field = 0; field < batch->field_count; ++field) {
    part.data[field] += first * edgefw_field_count(fields[field].shape, N);
  }
  return part;
}

/* Write in pieces of 2, 2 and 1. */
static edgefw_status write_all(edgefw_context *ctx, const fixture *f) {
  edgefw__dataset_writer *writer = NULL;
  edgefw_status status = edgefw__dataset_create(ctx, f->path, "routes", "uniform", UINT64_MAX - 1,
                                                fields, COUNT, N, &writer);
  for (int first = 0; first < COUNT && status == EDGEFW_OK; first += 2) {
    const edgefw__batch part = part_of(f->given, first, first + 2 <= COUNT ? 2 : 1);
    status = edgefw__dataset_append(writer, &part);
  }
  if (status == EDGEFW_OK) return edgefw__dataset_finish(writer);
  edgefw__dataset_abandon(writer);
  return status;
}

static void assert_reads_back(fixture *f, const char *cost, const char *demand,
                              const char *capacity) {
  edgefw__dataset *dataset = NULL;
  assert_ok(f->ctx, write_all(f->ctx, f));
  assert_int_equal(io_count_entries(f->folder), 1);
  assert_ok(f->ctx, edgefw__dataset_open(f->ctx, f->path, "routes", fields, &dataset));
  const edgefw__dataset_summary *summary = edgefw__dataset_describe(dataset);
  assert_string_equal(summary->problem, "routes");
  assert_string_equal(summary->distribution, "uniform");
  assert_true(summary->has_seed && summary->seed == UINT64_MAX - 1);
  assert_int_equal(summary->count, COUNT);
  assert_int_equal(summary->n, N);
  assert_false(summary->has_reference);
  assert_string_equal(summary->fields[0].storage, cost);
  assert_string_equal(summary->fields[1].storage, demand);
  assert_string_equal(summary->fields[2].storage, capacity);
  assert_ok(f->ctx, edgefw__dataset_read(dataset, 0, COUNT, f->read));
  for (int field = 0; field < 3; ++field) {
    const int64_t numbers = COUNT * edgefw_field_count(fields[field].shape, N);
    assert_memory_equal(f->read->data[field], f->given->data[field], numbers * sizeof(double));
  }
  edgefw__dataset_close(dataset);
}

static void multiples_are_stored_as_integers(void **state) {
  assert_reads_back(*state, "int32 x 1e-06", "float32", "int32 x 5");
}

/* Every number of units, read back, is the double nearest to the decimal number. */
static void units_become_the_nearest_double(void **state) {
  (void)state;
  const edgefw__unit micro = edgefw__unit_of(1e-6), three = edgefw__unit_of(3.0);
  const edgefw__unit half = edgefw__unit_of(0.5), third = edgefw__unit_of(0.3);
  int differences = 0;
  for (int k = 0; k < 1000000; ++k) {
    assert_true(edgefw__unit_value(&micro, k) == k / 1e6);
    differences += k * 1e-6 != k / 1e6;
  }
  assert_true(differences > 0); /* so multiplying would not do */
  assert_true(edgefw__unit_value(&three, 7) == 21.0);
  assert_true(edgefw__unit_value(&half, 7) == 3.5);
  assert_true(edgefw__unit_value(&third, 7) == 7 * 0.3);
}

static void other_values_widen_the_array(void **state) {
  fixture *f = *state;
  double *cost = f->given->data[0], *demand = f->given->data[1], *capacity = f->given->data[2];
  cost[COUNT * N * N - 1] = 0.5 / 1048576; /* no multiple, in the last batch */
  assert_reads_back(f, "float64", "float32", "int32 x 5");
  for (int k = 0; k < COUNT * N * N; ++k) cost[k] = k;
  cost[COUNT * N * N - 1] = 0.5 / 1048576;
  assert_reads_back(f, "float64", "float32", "int32 x 5");
  for (int k = 0; k < COUNT * N * N; ++k) cost[k] = (k + 0.5) / 1048576;
  assert_reads_back(f, "float32", "float32", "int32 x 5"); /* so from the first batch on */
  demand[COUNT * N - 1] = 0.1;
  capacity[0] = 21474836480.0; /* 5 * 2^32: a multiple, but not in 32 bits */
  assert_reads_back(f, "float32", "float64", "float32");
  cost[4] = -0.0;
  cost[5] = DBL_MAX;
  cost[6] = (double)FLT_MAX;
  cost[7] = -DBL_TRUE_MIN;
  assert_reads_back(f, "float64", "float64", "float32");
  cost[0] = INT32_MAX / 1e6;
  for (int k = 1; k < COUNT * N * N; ++k) cost[k] = -(double)k / 1e6;
  assert_reads_back(f, "int32 x 1e-06", "float64", "float32");
  cost[20] = (INT32_MAX + 1.0) / 1e6;
  assert_reads_back(f, "float64", "float64", "float32");
}

/* Infinite costs forbid arcs: they are no reason to give up whole numbers. */
static void infinite_costs_are_stored_as_integers(void **state) {
  fixture *f = *state;
  double *cost = f->given->data[0];
  cost[1] = cost[COUNT * N * N - 1] = (double)INFINITY;
  assert_reads_back(f, "int32 x 1e-06", "float32", "int32 x 5");
  cost[COUNT * N * N - 2] = 0.5 / 1048576; /* widened: they stay what they are */
  assert_reads_back(f, "float64", "float32", "int32 x 5");
}

static void the_reference_is_kept(void **state) {
  fixture *f = *state;
  const double cost[COUNT] = {1.5, 2.5, 3.5, 4.5, 1.0 / 3.0};
  edgefw__dataset_writer *writer = NULL;
  edgefw__dataset *dataset = NULL;
  assert_ok(f->ctx,
            edgefw__dataset_create(f->ctx, f->path, "routes", "", 0, fields, COUNT, N, &writer));
  assert_ok(f->ctx, edgefw__dataset_append(writer, f->given));
  edgefw__dataset_put_reference(writer, cost,
                                &(edgefw__reference_note){.kind = EDGEFW__REFERENCE_BOUND,
                                                          .solver = "solver 1",
                                                          .settings = "runs = 1"});
  assert_ok(f->ctx, edgefw__dataset_finish(writer));
  assert_ok(f->ctx, edgefw__dataset_open(f->ctx, f->path, "routes", fields, &dataset));
  assert_true(edgefw__dataset_describe(dataset)->has_reference);
  assert_int_equal(edgefw__dataset_describe(dataset)->reference_kind, EDGEFW__REFERENCE_BOUND);
  double read[COUNT];
  assert_ok(f->ctx, edgefw__dataset_reference(dataset, read));
  assert_memory_equal(read, cost, sizeof cost);
  edgefw__dataset_close(dataset);
}

static void misuse_is_refused_and_leaves_the_old_file(void **state) {
  fixture *f = *state;
  edgefw__dataset_writer *writer = NULL;
  const edgefw_status bad = EDGEFW_INVALID_ARGUMENT;
  io_write(f->path, "old", 3);
  assert_fails(f->ctx, edgefw__dataset_create(f->ctx, f->path, "p", "d", 0, fields, 0, N, &writer),
               bad, "asked for 0 instances");
  assert_fails(f->ctx,
               edgefw__dataset_create(f->ctx, f->path, "p", "d", 0, fields, 1, 50001, &writer), bad,
               "50001 nodes");
  assert_fails(f->ctx,
               edgefw__dataset_create(f->ctx, "/no/x.h5", "p", "d", 0, fields, 1, N, &writer),
               EDGEFW_IO, "No such file");
  assert_null(writer);
  assert_ok(f->ctx, edgefw__dataset_create(f->ctx, f->path, "p", "d", 0, fields, 4, N, &writer));
  assert_fails(f->ctx, edgefw__dataset_append(writer, f->given), bad, "4 more instances");
  const edgefw__batch part = part_of(f->given, 0, 3);
  assert_ok(f->ctx, edgefw__dataset_append(writer, &part));
  assert_fails(f->ctx, edgefw__dataset_finish(writer), bad, "3 of 4 instances");
  assert_ok(f->ctx, edgefw__dataset_create(f->ctx, f->path, "p", "d", 0, fields, 4, N, &writer));
  edgefw__dataset_abandon(writer);
  edgefw__dataset_abandon(NULL);
  assert_int_equal(io_count_entries(f->folder), 1);
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  assert_string_equal(bytes, "old");
  free(bytes);
}

static void running_out_of_memory_leaks_nothing(void **state) {
  fixture *f = *state;
  f->given->data[0][COUNT * N * N - 1] = 0.1234567; /* widens */
  for (int64_t n = 1;; ++n) {
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx = NULL;
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    const edgefw_status status = write_all(ctx, f);
    const bool failed = failing_allocator_failed(&memory);
    assert_int_equal(status, failed ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
    assert_int_equal(io_count_entries(f->folder), failed ? 0 : 1);
    if (!failed) break;
  }
}

static void references_can_be_stored_later(void **state) {
  fixture *f = *state;
  double cost[COUNT] = {1, 2, 3, 4, 5}, read[COUNT];
  assert_ok(f->ctx, write_all(f->ctx, f));
  for (int pass = 0; pass < 2; ++pass) { /* the second one replaces the first one's */
    cost[0] = 1.5 + pass;
    assert_ok(f->ctx,
              edgefw__dataset_store_reference(
                  f->ctx, f->path, COUNT, cost,
                  &(edgefw__reference_note){
                      .kind = EDGEFW__REFERENCE_BEST_KNOWN, .solver = "solver", .settings = "x"}));
    edgefw__dataset *dataset = NULL;
    assert_ok(f->ctx, edgefw__dataset_open(f->ctx, f->path, "routes", fields, &dataset));
    assert_ok(f->ctx, edgefw__dataset_reference(dataset, read));
    assert_memory_equal(read, cost, sizeof cost);
    assert_ok(f->ctx, edgefw__dataset_read(dataset, 0, COUNT, f->read));
    assert_memory_equal(f->read->data[0], f->given->data[0], COUNT * N * N * sizeof(double));
    edgefw__dataset_close(dataset);
  }
  assert_int_equal(io_count_entries(f->folder), 1);
  size_t before = 0, after = 0;
  char *old = io_read(f->path, &before);
  assert_fails(f->ctx,
               edgefw__dataset_store_reference(
                   f->ctx, f->path, COUNT - 1, cost,
                   &(edgefw__reference_note){
                       .kind = EDGEFW__REFERENCE_BEST_KNOWN, .solver = "", .settings = ""}),
               EDGEFW_MISMATCH, "has 5 instances, there are 4 reference costs");
  for (int64_t n = 1;; ++n) {
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx = NULL;
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    const edgefw_status status = edgefw__dataset_store_reference(
        ctx, f->path, COUNT, cost,
        &(edgefw__reference_note){
            .kind = EDGEFW__REFERENCE_BEST_KNOWN, .solver = "solver", .settings = "x"});
    const bool failed = failing_allocator_failed(&memory);
    assert_int_equal(status, failed ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
    assert_int_equal(io_count_entries(f->folder), 1);
    if (!failed) break;
    char *now = io_read(f->path, &after);
    assert_true(before == after && memcmp(old, now, before) == 0);
    free(now);
  }
  free(old);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(multiples_are_stored_as_integers, setup, teardown),
      cmocka_unit_test(units_become_the_nearest_double),
      cmocka_unit_test_setup_teardown(other_values_widen_the_array, setup, teardown),
      cmocka_unit_test_setup_teardown(infinite_costs_are_stored_as_integers, setup, teardown),
      cmocka_unit_test_setup_teardown(the_reference_is_kept, setup, teardown),
      cmocka_unit_test_setup_teardown(references_can_be_stored_later, setup, teardown),
      cmocka_unit_test_setup_teardown(misuse_is_refused_and_leaves_the_old_file, setup, teardown),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaks_nothing, setup, teardown),
  };
  return test_run(tests, NULL, NULL);
}
