/* Loading a model from a checkpoint: what is taken, what is refused, and a model left as it was. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "policy/model_file.h"
#include "support/check.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/snapshot.h"

typedef struct fixture {
  char folder[64], path[96];
  tiny_model tiny; /* float, made for training */
  edgefw__progress progress;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  io_folder_create(f->folder, sizeof f->folder);
  snprintf(f->path, sizeof f->path, "%s/checkpoint-0.h5", f->folder);
  tiny_open(&f->tiny, TINY_OURS, "reference", 5, true);
  f->progress = (edgefw__progress){.history = {.ctx = f->tiny.ctx}};
  tiny_ok(&f->tiny, edgefw__snapshot_save(f->tiny.model, &f->progress, f->path));
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  tiny_close(&f->tiny);
  io_folder_remove(f->folder);
  free(f);
  return 0;
}

static void a_model_for_evaluation_loads_parameters(void **state) {
  const fixture *f = *state;
  tiny_model other;
  tiny_open(&other, TINY_OURS, "reference64", 99, false); /* no moments, another number type */
  tiny_ok(&other, edgefw__model_load(other.model, f->path));
  const int64_t total = other.model->parameters->total;
  const double *values = other.model->parameters->values;
  const float *expected = f->tiny.model->parameters->values;
  for (int64_t p = 0; p < total; ++p) assert_true(values[p] == (double)expected[p]);
  tiny_close(&other);
}

/* Loading into a model of `text` is refused, and its parameters are as before. */
static void expect_mismatch(const fixture *f, const char *text, const char *part) {
  tiny_model other;
  tiny_open(&other, text, "reference", 99, true);
  const int64_t total = other.model->parameters->total;
  double *before = tiny_download(&other, other.model->parameters->values, total);
  tiny_fails(&other, edgefw__model_load(other.model, f->path), EDGEFW_MISMATCH, part);
  double *after = tiny_download(&other, other.model->parameters->values, total);
  check_same_bits(after, before, (size_t)total * sizeof *before, "parameters");
  free(before);
  free(after);
  tiny_close(&other);
}

static void other_terms_are_refused(void **state) {
  tiny_require_term("edge");
  tiny_require_term("closure");
  tiny_require_term("lookahead");
  expect_mismatch(*state, TINY_MODEL("edge, closure"),
                  "its list of terms is \"edge, closure, lookahead\", expected \"edge, closure\"");
}

static void the_order_of_terms_counts(void **state) {
  tiny_require_term("edge");
  tiny_require_term("closure");
  tiny_require_term("lookahead");
  expect_mismatch(*state, TINY_MODEL("closure, edge, lookahead"), "closure, edge, lookahead");
}

static void another_width_is_refused(void **state) {
  expect_mismatch(*state,
                  "[problem]\nname = atsp\n[backbone]\nname = radar\nembedding_dim = 16\n"
                  "layers = 1\nheads = 2\nff_hidden = 8\nmix_hidden = 4\nsvd_rank = 3\n"
                  "[decoder]\nterms = edge, closure, lookahead\nheads = 2\nedge_hidden = 4\n",
                  "projection.weight");
}

static void another_depth_is_refused(void **state) {
  expect_mismatch(*state,
                  "[problem]\nname = atsp\n[backbone]\nname = radar\nembedding_dim = 8\n"
                  "layers = 2\nheads = 2\nff_hidden = 8\nmix_hidden = 4\nsvd_rank = 3\n"
                  "[decoder]\nterms = edge, closure, lookahead\nheads = 2\nedge_hidden = 4\n",
                  "encoder.layers.1.");
}

static void a_number_that_is_none_is_refused(void **state) {
  fixture *f = *state;
  char path[96];
  snprintf(path, sizeof path, "%s/bad.h5", f->folder);
  float *values = f->tiny.model->parameters->values;
  const float kept = values[3];
  values[3] = (float)INFINITY;
  tiny_ok(&f->tiny, edgefw__snapshot_save(f->tiny.model, &f->progress, path));
  values[3] = kept;
  const edgefw_status status = edgefw__model_load(f->tiny.model, path);
  tiny_fails(&f->tiny, status, EDGEFW_FORMAT, "holds a number that is inf");
  assert_true(values[3] == kept);
}

static void a_model_is_made_from_its_file(void **state) {
  const fixture *f = *state;
  tiny_model other;
  tiny_begin(&other, NULL, TINY_OURS, "reference");
  tiny_ok(&other, edgefw__model_open(&other.engine, other.composition, f->path, &other.model));
  const int64_t total = other.model->parameters->total;
  assert_int_equal(total, f->tiny.model->parameters->total);
  assert_memory_equal(other.model->parameters->values, f->tiny.model->parameters->values,
                      (size_t)total * sizeof(float));
  assert_null(other.model->parameters->first_moment);
  tiny_close(&other);
}

/* Largest request of the allocator below. */
static size_t largest;

static void *take(void *user, size_t size) {
  (void)user;
  if (size > largest) largest = size;
  return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void give_back(void *user, void *memory) {
  (void)user;
  free(memory);
}

/* A configuration of a model of 2 GiB, and a file of a few parameters. */
static void a_huge_model_is_refused_before_it_is_allocated(void **state) {
  const fixture *f = *state;
  const edgefw_allocator counting = {.allocate = take, .release = give_back};
  tiny_model other;
  tiny_begin(&other, &counting,
             "[problem]\nname = atsp\n[backbone]\nname = radar\nembedding_dim = 8192\n"
             "layers = 1\nheads = 2\nff_hidden = 16384\nmix_hidden = 4\nsvd_rank = 3\n"
             "[decoder]\nterms = edge, closure, lookahead\nheads = 2\nedge_hidden = 4\n",
             "reference");
  largest = 0;
  tiny_fails(&other, edgefw__model_open(&other.engine, other.composition, f->path, &other.model),
             EDGEFW_MISMATCH, "projection.weight");
  assert_null(other.model);
  assert_true(largest < (size_t)1 << 20);
  tiny_close(&other);
}

static void a_file_cut_short_is_refused(void **state) {
  fixture *f = *state;
  char path[96];
  snprintf(path, sizeof path, "%s/cut.h5", f->folder);
  tiny_ok(&f->tiny, edgefw__snapshot_save(f->tiny.model, &f->progress, path));
  assert_int_equal(truncate(path, 2000), 0);
  const edgefw_status status = edgefw__model_load(f->tiny.model, path);
  assert_true(status == EDGEFW_IO || status == EDGEFW_FORMAT);
  tiny_fails(&f->tiny, status, status, "cut.h5");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_for_evaluation_loads_parameters),
      cmocka_unit_test(other_terms_are_refused),
      cmocka_unit_test(the_order_of_terms_counts),
      cmocka_unit_test(another_width_is_refused),
      cmocka_unit_test(another_depth_is_refused),
      cmocka_unit_test(a_number_that_is_none_is_refused),
      cmocka_unit_test(a_model_is_made_from_its_file),
      cmocka_unit_test(a_huge_model_is_refused_before_it_is_allocated),
      cmocka_unit_test(a_file_cut_short_is_refused),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, setup, teardown);
}
