/* Where the instances of a set come from: generated, dataset, library file; and their references.
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/source.h"
#include "support/check.h"
#include "support/io_support.h"
#include "support/tiny_model.h"

#define BR17   EDGEFW_SOURCE_DIR "/data/atsplib/br17.atsp"
#define OPTIMA EDGEFW_SOURCE_DIR "/data/optima.csv"

enum { N = 6, COUNT = 5 };

typedef struct fixture {
  tiny_model tiny;
  char folder[64], dataset[96], csv[96];
  edgefw__batch *batch; /* the dataset's instances, with 9999 on the diagonal in the file */
} fixture;

static void write_dataset(fixture *f) {
  const edgefw_problem *problem = &f->tiny.composition->problem->vtable.problem;
  static const double reference[COUNT] = {1.5, 2.5, 3.5, 4.5, 5.5};
  edgefw__dataset_writer *writer = NULL;
  tiny_ok(&f->tiny, edgefw__dataset_create(f->tiny.ctx, f->dataset, "atsp", "tmat", 8,
                                           problem->fields, COUNT, N, &writer));
  for (int b = 0; b < COUNT; ++b)
    for (int i = 0; i < N; ++i) f->batch->data[0][(b * N + i) * N + i] = 9999.0;
  tiny_ok(&f->tiny, edgefw__dataset_append(writer, f->batch));
  for (int b = 0; b < COUNT; ++b)
    for (int i = 0; i < N; ++i) f->batch->data[0][(b * N + i) * N + i] = 0.0;
  edgefw__dataset_put_reference(writer, reference,
                                &(edgefw__reference_note){.kind = EDGEFW__REFERENCE_BOUND,
                                                          .solver = "by hand",
                                                          .settings = ""});
  tiny_ok(&f->tiny, edgefw__dataset_finish(writer));
}

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  tiny_open(&f->tiny, TINY_PLAIN, "reference", 1, false);
  io_folder_create(f->folder, sizeof f->folder);
  snprintf(f->dataset, sizeof f->dataset, "%s/set.h5", f->folder);
  snprintf(f->csv, sizeof f->csv, "%s/costs.csv", f->folder);
  f->batch = tiny_batch(&f->tiny, N, 8, 0, COUNT);
  write_dataset(f);
  FILE *csv = fopen(f->csv, "w");
  assert_non_null(csv);
  fputs("instance,cost\n0,10\n1,11\n2,12\n3,13\n4,14\n", csv);
  fclose(csv);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  io_folder_remove(f->folder);
  tiny_close(&f->tiny);
  free(f);
  return 0;
}

/* Load instances 1 .. 3 of a set of N nodes and compare with the fixture's. */
static void expect_same_instances(fixture *f, const edgefw__instance_set *set) {
  edgefw__source source;
  tiny_ok(&f->tiny,
          edgefw__source_open(f->tiny.model->engine, f->tiny.model->composition, set, &source));
  edgefw__batch *batch = tiny_batch(&f->tiny, N, 1, 0, 3);
  tiny_ok(&f->tiny, edgefw__source_load(&source, 1, 3, batch));
  assert_int_equal(batch->count, 3);
  assert_int_equal(batch->ids[0], 1);
  assert_int_equal(batch->ids[2], 3);
  check_same_bits(batch->data[0], f->batch->data[0] + N * N, 3 * N * N * sizeof(double), "costs");
  assert_null(edgefw__source_name(&source));
  edgefw__batch_destroy(f->tiny.ctx, batch);
  edgefw__source_close(&source);
}

static void generated_and_stored_are_the_same(void **state) {
  fixture *f = *state;
  expect_same_instances(f, &(edgefw__instance_set){.name = "6", .n = N, .count = COUNT, .seed = 8});
  /* The file's diagonal is 9999: accepting it makes it 0. */
  expect_same_instances(
      f, &(edgefw__instance_set){.name = "6", .n = N, .count = COUNT, .dataset = f->dataset});
}

static void a_library_file_is_one_instance(void **state) {
  fixture *f = *state;
  const edgefw__instance_set set = {.name = "br17", .n = 17, .count = 1, .file = BR17};
  edgefw__source source;
  tiny_ok(&f->tiny,
          edgefw__source_open(f->tiny.model->engine, f->tiny.model->composition, &set, &source));
  edgefw__batch *batch = tiny_batch(&f->tiny, 17, 1, 0, 1);
  tiny_ok(&f->tiny, edgefw__source_load(&source, 0, 1, batch));
  assert_string_equal(edgefw__source_name(&source), "br17");
  for (int i = 0; i < 17; ++i) assert_true(batch->data[0][i * 18] == 0.0);
  assert_true(batch->data[0][1] == 3.0 && batch->data[0][2] == 5.0); /* as printed in the file */
  edgefw__batch_destroy(f->tiny.ctx, batch);
  edgefw__source_close(&source);
}

/* The reference costs of a set; their number is the result, 0 for none. */
static int64_t references(fixture *f, const edgefw__instance_set *set, double *out) {
  edgefw__source source;
  bool found = true;
  tiny_ok(&f->tiny,
          edgefw__source_open(f->tiny.model->engine, f->tiny.model->composition, set, &source));
  tiny_ok(&f->tiny, edgefw__source_reference(&source, out, &found));
  edgefw__source_close(&source);
  return found ? set->count : 0;
}

static void references_have_their_order(void **state) {
  fixture *f = *state;
  double out[COUNT] = {0};
  edgefw__instance_set set = {.name = "6", .n = N, .count = 3};
  assert_int_equal(references(f, &set, out), 0);
  set.dataset = f->dataset; /* the dataset's own */
  assert_int_equal(references(f, &set, out), 3);
  assert_true(out[0] == 1.5 && out[2] == 3.5 && out[3] == 0.0);
  set.reference = f->csv; /* goes before them */
  assert_int_equal(references(f, &set, out), 3);
  assert_true(out[0] == 10.0 && out[2] == 12.0);
}

static void a_file_looks_its_name_up(void **state) {
  fixture *f = *state;
  double out = 0.0;
  edgefw__instance_set set = {
      .name = "br17", .n = 17, .count = 1, .file = BR17, .reference = OPTIMA};
  assert_int_equal(references(f, &set, &out), 1);
  assert_true(out == 39.0);
  set.reference = NULL;
  assert_int_equal(references(f, &set, &out), 0);
}

static void expect_refused(fixture *f, const edgefw__instance_set *set, edgefw_status expected,
                           const char *part) {
  edgefw__source source;
  tiny_fails(&f->tiny,
             edgefw__source_open(f->tiny.model->engine, f->tiny.model->composition, set, &source),
             expected, part);
  edgefw__source_close(&source);
}

static void sets_that_do_not_fit_are_refused(void **state) {
  fixture *f = *state;
  expect_refused(f, &(edgefw__instance_set){.name = "a", .n = 7, .count = 1, .dataset = f->dataset},
                 EDGEFW_MISMATCH, "its instances have 6 nodes, expected 7");
  expect_refused(f, &(edgefw__instance_set){.name = "a", .n = N, .count = 9, .dataset = f->dataset},
                 EDGEFW_MISMATCH, "it has 5 instances, [eval] instances asks for 9");
  expect_refused(f, &(edgefw__instance_set){.name = "a", .n = 18, .count = 1, .file = BR17},
                 EDGEFW_MISMATCH, "1 instance of 17 nodes, expected 1 of 18");
  expect_refused(f, &(edgefw__instance_set){.name = "a", .n = 1, .count = 1}, EDGEFW_UNSUPPORTED,
                 "instances of 1 nodes; the problem atsp needs at least 2");
  expect_refused(f, &(edgefw__instance_set){.name = "a", .n = 6, .count = 1, .dataset = "/no/a.h5"},
                 EDGEFW_IO, "/no/a.h5");
}

static void a_bad_instance_is_named(void **state) {
  fixture *f = *state;
  char path[96];
  snprintf(path, sizeof path, "%s/bad.atsp", f->folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("NAME: bad\nTYPE: ATSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
        "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1\n-4 0\nEOF\n",
        file);
  fclose(file);
  const edgefw__instance_set set = {.name = "bad", .n = 2, .count = 1, .file = path};
  edgefw__source source;
  tiny_ok(&f->tiny,
          edgefw__source_open(f->tiny.model->engine, f->tiny.model->composition, &set, &source));
  edgefw__batch *batch = tiny_batch(&f->tiny, 2, 1, 0, 1);
  tiny_fails(&f->tiny, edgefw__source_load(&source, 0, 1, batch), EDGEFW_INFEASIBLE,
             "instance bad (number 0): cost from node 2 to node 1 is -4");
  edgefw__batch_destroy(f->tiny.ctx, batch);
  edgefw__source_close(&source);
}

static void write_matrix(const char *path, const char *numbers) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file,
          "NAME: arcs\nTYPE: ATSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
          "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n%s\nEOF\n",
          numbers);
  fclose(file);
}

/* Load a set of one instance of four nodes; what the log says of it. */
static edgefw__batch *load_one(fixture *f, const edgefw__instance_set *set, io_log *log) {
  edgefw__source source;
  *log = (io_log){.text = ""};
  edgefw_set_log(f->tiny.ctx, io_collect, log);
  tiny_ok(&f->tiny,
          edgefw__source_open(f->tiny.model->engine, f->tiny.model->composition, set, &source));
  edgefw__batch *batch = tiny_batch(&f->tiny, 4, 1, 0, 1);
  tiny_ok(&f->tiny, edgefw__source_load(&source, 0, 1, batch));
  edgefw__source_close(&source);
  edgefw_set_log(f->tiny.ctx, NULL, NULL);
  return batch;
}

static void forbidden_arcs_are_marked_and_told(void **state) {
  fixture *f = *state;
  char path[96];
  io_log log;
  snprintf(path, sizeof path, "%s/arcs.atsp", f->folder);
  const edgefw__forbidden_rule rule = {true, 5000.0};
  edgefw__instance_set set = {.name = "arcs", .n = 4, .count = 1, .file = path};
  write_matrix(path, "0 1 2 5000 4 0 6 7 8 9 0 1 2 3 9999 0");
  edgefw__batch *batch = load_one(f, &set, &log);
  assert_null(edgefw__batch_forbidden(batch));
  assert_true(edgefw__batch_instance(batch, 0).forbidden == 0.0);
  assert_int_equal(log.warnings, 1);
  assert_non_null(
      strstr(log.text, "2 of 12 arcs are 5000 or more: 1250 times the median of the others"));
  assert_non_null(strstr(log.text, "--forbidden 5000"));
  edgefw__batch_destroy(f->tiny.ctx, batch);
  set.forbidden = &rule;
  batch = load_one(f, &set, &log);
  assert_non_null(edgefw__batch_forbidden(batch));
  assert_true(edgefw__batch_instance(batch, 0).forbidden == 81.0); /* (2 * 4 + 1) * 9 */
  assert_true(batch->data[0][3] == 81.0 && batch->data[0][14] == 81.0 && batch->data[0][2] == 2.0);
  assert_int_equal(log.warnings, 0);
  assert_non_null(strstr(log.text, "arcs.atsp: 2 of 12 arcs are forbidden"));
  edgefw__batch_destroy(f->tiny.ctx, batch);
}

/* What a dataset keeps as infinite is forbidden in every instance that has some, and only there. */
static void datasets_keep_forbidden_arcs(void **state) {
  fixture *f = *state;
  const edgefw_problem *problem = &f->tiny.composition->problem->vtable.problem;
  char path[96];
  edgefw__dataset_writer *writer = NULL;
  edgefw__source source;
  snprintf(path, sizeof path, "%s/forbidden.h5", f->folder);
  edgefw__batch *batch = tiny_batch(&f->tiny, N, 8, 0, 3);
  batch->data[0][N * N + 1] = (double)INFINITY;
  tiny_ok(&f->tiny, edgefw__dataset_create(f->tiny.ctx, path, "atsp", "", EDGEFW__DATASET_NO_SEED,
                                           problem->fields, 3, N, &writer));
  tiny_ok(&f->tiny, edgefw__dataset_append(writer, batch));
  tiny_ok(&f->tiny, edgefw__dataset_finish(writer));
  const edgefw__instance_set set = {.name = "6", .n = N, .count = 3, .dataset = path};
  tiny_ok(&f->tiny,
          edgefw__source_open(f->tiny.model->engine, f->tiny.model->composition, &set, &source));
  tiny_ok(&f->tiny, edgefw__source_load(&source, 0, 3, batch));
  assert_true(edgefw__batch_instance(batch, 0).forbidden == 0.0);
  assert_true(edgefw__batch_instance(batch, 1).forbidden == batch->data[0][N * N + 1]);
  assert_true(edgefw__batch_instance(batch, 2).forbidden == 0.0);
  edgefw__source_close(&source);
  edgefw__batch_destroy(f->tiny.ctx, batch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(generated_and_stored_are_the_same),
      cmocka_unit_test(a_library_file_is_one_instance),
      cmocka_unit_test(references_have_their_order),
      cmocka_unit_test(a_file_looks_its_name_up),
      cmocka_unit_test(sets_that_do_not_fit_are_refused),
      cmocka_unit_test(a_bad_instance_is_named),
      cmocka_unit_test(forbidden_arcs_are_marked_and_told),
      cmocka_unit_test(datasets_keep_forbidden_arcs),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, setup, teardown);
}
