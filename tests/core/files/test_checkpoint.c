/* Reading checkpoints: strict in names and shapes, and refusing what is damaged, foreign, newer or
 * hostile before any of it is used. */
/* labels: oom */
#include "support/test.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/checkpoint_sample.h"
#include "support/io_support.h"
#include "support/out_of_memory.h"

static int setup(void **state) {
  io_file_set_up(state, "good.h5");
  const io_file *f = *state;
  return checkpoint_sample_write(f->ctx, f->path, 3) == EDGEFW_OK ? 0 : -1;
}

static void tensors_are_loaded_by_name_and_shape(void **state) {
  io_file *f = *state;
  edgefw__checkpoint *ck = NULL;
  assert_ok(f->ctx, edgefw__checkpoint_open(f->ctx, f->path, &ck));
  const int64_t right[] = {2, 3}, turned[] = {3, 2}, flat[] = {6};
  const edgefw__checkpoint_tensor *given = &checkpoint_sample()->tensors[0];
  float value[6] = {7}, m[6] = {7}, v[6] = {7}, ema[6] = {7};
  const edgefw__checkpoint_arrays all = {value, m, v, ema}, moments = {value, m, v, NULL};
  assert_ok(f->ctx, edgefw__checkpoint_load_tensor(ck, "a.weight", 2, right, &all));
  assert_memory_equal(value, given->value, sizeof value);
  assert_memory_equal(m, given->m, sizeof m);
  assert_memory_equal(v, given->v, sizeof v);
  assert_memory_equal(ema, given->ema, sizeof ema);
  /* Without moments it is for evaluation, which takes the mean. */
  const edgefw__checkpoint_arrays evaluated = {.value = value};
  assert_ok(f->ctx, edgefw__checkpoint_load_tensor(ck, "a.weight", 2, right, &evaluated));
  assert_memory_equal(value, given->ema, sizeof value);

  /* A refused load changes nothing. */
  float untouched[12] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, kept[12];
  memcpy(kept, untouched, sizeof kept);
  const edgefw__checkpoint_arrays to = {.value = untouched};
  const int64_t mix[] = {2, 3, 2};
  const edgefw_status bad = EDGEFW_MISMATCH;
  assert_fails(f->ctx, edgefw__checkpoint_load_tensor(ck, "a.weight", 2, turned, &to), bad,
               "parameter 'a.weight' has shape (2,3), the model expects shape (3,2)");
  assert_fails(f->ctx, edgefw__checkpoint_load_tensor(ck, "a.weight", 1, flat, &to), bad,
               "has shape (2,3), the model expects shape (6)");
  assert_fails(f->ctx, edgefw__checkpoint_load_tensor(ck, "a.weigh", 2, right, &to), bad,
               "parameter 'a.weigh' is missing, the model expects shape (2,3)");
  assert_fails(f->ctx, edgefw__checkpoint_load_tensor(ck, "mix", 3, mix, &moments), bad,
               "no optimizer state for parameter 'mix'");
  assert_memory_equal(untouched, kept, sizeof kept);
  assert_memory_equal(value, given->ema, sizeof value);
  edgefw__checkpoint_close(ck);
  edgefw__checkpoint_content content = *checkpoint_sample();
  edgefw__checkpoint_tensor bare = content.tensors[0];
  bare.ema = NULL;
  content.tensors = &bare;
  content.tensor_count = 1;
  assert_ok(f->ctx, edgefw__checkpoint_write(f->ctx, f->path, &content));
  assert_ok(f->ctx, edgefw__checkpoint_open(f->ctx, f->path, &ck));
  assert_fails(f->ctx, edgefw__checkpoint_load_tensor(ck, "a.weight", 2, right, &all), bad,
               "no exponential mean (ema) for parameter 'a.weight'");
  assert_ok(f->ctx, edgefw__checkpoint_load_tensor(ck, "a.weight", 2, right, &evaluated));
  assert_memory_equal(value, given->value, sizeof value);
  edgefw__checkpoint_close(ck);
}

static void parameters_must_be_the_expected_ones(void **state) {
  io_file *f = *state;
  edgefw__checkpoint *ck = NULL;
  assert_ok(f->ctx, edgefw__checkpoint_open(f->ctx, f->path, &ck));
  edgefw__checkpoint_tensor expected[SAMPLE_TENSORS + 1];
  memcpy(expected, checkpoint_sample()->tensors, SAMPLE_TENSORS * sizeof *expected);
  assert_ok(f->ctx, edgefw__checkpoint_expect(ck, expected, SAMPLE_TENSORS));
  assert_fails(f->ctx, edgefw__checkpoint_expect(ck, expected, 2), EDGEFW_MISMATCH,
               "has a parameter 'mix' that the model does not");
  expected[2].rank = 0; /* of any shape */
  assert_ok(f->ctx, edgefw__checkpoint_expect(ck, expected, SAMPLE_TENSORS));
  expected[3] = (edgefw__checkpoint_tensor){.name = "more", .rank = 1, .shape = {5}};
  assert_fails(f->ctx, edgefw__checkpoint_expect(ck, expected, 4), EDGEFW_MISMATCH,
               "parameter 'more' is missing, the model expects shape (5)");
  expected[3].rank = 0; /* or not at all */
  assert_ok(f->ctx, edgefw__checkpoint_expect(ck, expected, 4));
  expected[1].shape[0] = 5;
  assert_fails(f->ctx, edgefw__checkpoint_expect(ck, expected, SAMPLE_TENSORS), EDGEFW_MISMATCH,
               "has shape (4), the model expects shape (5)");
  edgefw__checkpoint_close(ck);
}

static void assert_refused(io_file *f, const char *path) {
  edgefw__checkpoint *ck = NULL;
  const edgefw_status status = edgefw__checkpoint_open(f->ctx, path, &ck);
  assert_true(status == EDGEFW_IO || status == EDGEFW_FORMAT);
  assert_true(io_message_has(f->ctx, path));
  assert_null(ck);
  edgefw_clear(f->ctx);
}

static void damaged_files_are_refused_in_one_line(void **state) {
  io_file *f = *state;
  char bad[512];
  size_t length = 0;
  char *bytes = io_read(f->path, &length);
  io_path(bad, f->folder, "bad.h5");
  const size_t sizes[] = {0, 1, 8, 96, length / 4, length / 2, length - 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    io_write(bad, bytes, sizes[i]);
    assert_refused(f, bad);
  }
  io_write(bad, "epoch,loss\n1,2\n", 15);
  assert_refused(f, bad);
  assert_refused(f, f->folder);
  io_path(bad, f->folder, "missing.h5");
  assert_refused(f, bad);
  free(bytes);
}

/* --- A good file in which one thing is changed with plain HDF5 calls --- */

static void replace_attribute(hid_t object, const char *name, hid_t type, const void *value) {
  if (H5Aexists(object, name) > 0) H5Adelete(object, name);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Awrite(attribute, type, value) >= 0);
  H5Aclose(attribute);
  H5Sclose(space);
}

static void replace_array(hid_t file, const char *name, int rank, const hsize_t *shape,
                          hid_t type) {
  static const double zeros[64];
  if (H5Lexists(file, name, H5P_DEFAULT) > 0) H5Ldelete(file, name, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(rank, shape, NULL);
  const hid_t array = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(array >= 0);
  assert_true(H5Dwrite(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0);
  H5Dclose(array);
  H5Sclose(space);
}

typedef void (*change)(hid_t file);

static void newer_format(hid_t file) {
  const int64_t version = 2;
  replace_attribute(file, "format_version", H5T_NATIVE_INT64, &version);
}
static void other_format(hid_t file) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 14);
  replace_attribute(file, "format", type, "edgefw-dataset");
  H5Tclose(type);
}
static void no_problem(hid_t file) {
  H5Adelete(file, "problem");
}
static void negative_epoch(hid_t file) {
  const int64_t epoch = -1;
  replace_attribute(file, "epoch", H5T_NATIVE_INT64, &epoch);
}
static void fractional_step(hid_t file) {
  const double step = 1.5;
  replace_attribute(file, "step", H5T_NATIVE_DOUBLE, &step);
}
static void no_parameters(hid_t file) {
  H5Ldelete(file, "parameters", H5P_DEFAULT);
}
static void one_moment(hid_t file) {
  H5Ldelete(file, "optimizer/v/a.weight", H5P_DEFAULT);
}
static void misshaped_moment(hid_t file) {
  replace_array(file, "optimizer/m/a.weight", 2, (const hsize_t[]){3, 2}, H5T_NATIVE_FLOAT);
}
static void double_parameter(hid_t file) {
  replace_array(file, "parameters/a.weight", 2, (const hsize_t[]){2, 3}, H5T_NATIVE_DOUBLE);
}
static void integer_parameter(hid_t file) {
  replace_array(file, "parameters/mix", 1, (const hsize_t[]){12}, H5T_NATIVE_INT32);
}
static void four_axes(hid_t file) {
  replace_array(file, "parameters/mix", 4, (const hsize_t[]){1, 1, 1, 2}, H5T_NATIVE_FLOAT);
}
static void group_for_array(hid_t file) {
  H5Gclose(H5Gcreate2(file, "parameters/group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}
static void float_history(hid_t file) {
  replace_array(file, "history/loss", 1, (const hsize_t[]){3}, H5T_NATIVE_FLOAT);
}
static void text_scalar(hid_t file) {
  const hid_t group = H5Gopen2(file, "partial", H5P_DEFAULT);
  replace_attribute(group, "loss_sum", H5T_C_S1, "x");
  H5Gclose(group);
}
/* Nothing is stored for it. */
static void huge_parameter(hid_t file) {
  const hsize_t shape[] = {1u << 20, 1u << 20}, chunk[] = {64, 64};
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  const hid_t space = H5Screate_simple(2, shape, NULL);
  H5Pset_chunk(creation, 2, chunk);
  H5Dclose(H5Dcreate2(file, "parameters/huge", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, creation,
                      H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(creation);
}
/* One array under many names: each is honest, all of them are not. */
static void many_names(hid_t file) {
  H5Ldelete(file, "ema", H5P_DEFAULT);
  replace_array(file, "parameters/mix", 1, (const hsize_t[]){32}, H5T_NATIVE_FLOAT);
  for (int i = 0; i < 2000; ++i) {
    char name[32];
    snprintf(name, sizeof name, "parameters/n%d", i);
    H5Lcreate_hard(file, "parameters/mix", file, name, H5P_DEFAULT, H5P_DEFAULT);
  }
}
/* Write one number of an array of the file. */
static void put_entry(hid_t file, const char *name, double value) {
  const hid_t array = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(array);
  const hid_t memory = H5Screate(H5S_SCALAR);
  const hsize_t last[EDGEFW__CHECKPOINT_MAX_RANK] = {1, 1, 1};
  assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 1, last) >= 0);
  assert_true(H5Dwrite(array, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value) >= 0);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(array);
}
static void nan_moment(hid_t file) {
  put_entry(file, "optimizer/m/a.weight", NAN);
}
static void infinite_moment(hid_t file) {
  put_entry(file, "optimizer/v/a.weight", INFINITY);
}
static void negative_moment(hid_t file) {
  put_entry(file, "optimizer/v/a.weight", -1.0);
}
/* A group that is a link: into this file, or to a pipe, which nobody must open. */
static char pipe_path[512];

static void link_group(hid_t file, const char *name, bool outside) {
  assert_true(H5Lmove(file, name, file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  if (outside)
    H5Lcreate_external(pipe_path, "/", file, name, H5P_DEFAULT, H5P_DEFAULT);
  else
    H5Lcreate_soft("/elsewhere", file, name, H5P_DEFAULT, H5P_DEFAULT);
}
static void nan_ema(hid_t file) {
  put_entry(file, "ema/a.weight", NAN);
}
static void one_ema(hid_t file) {
  H5Ldelete(file, "ema/mix", H5P_DEFAULT);
}
static void misshaped_ema(hid_t file) {
  replace_array(file, "ema/a.weight", 2, (const hsize_t[]){3, 2}, H5T_NATIVE_FLOAT);
}
static void outside_ema(hid_t file) {
  link_group(file, "ema", true);
}
static void fractional_digest(hid_t file) {
  const double digest = 1.5;
  replace_attribute(file, "init_digest", H5T_NATIVE_DOUBLE, &digest);
}
static void fractional_data_digest(hid_t file) {
  const double digest = 1.5;
  replace_attribute(file, "data_digest", H5T_NATIVE_DOUBLE, &digest);
}
static void nan_history(hid_t file) {
  put_entry(file, "history/score", NAN);
}
static void infinite_history(hid_t file) {
  put_entry(file, "history/loss", -INFINITY);
}
static void nan_sum(hid_t file) {
  const double value = NAN;
  const hid_t group = H5Gopen2(file, "partial", H5P_DEFAULT);
  replace_attribute(group, "score_sum", H5T_NATIVE_DOUBLE, &value);
  H5Gclose(group);
}

static void outside_parameters(hid_t file) {
  link_group(file, "parameters", true);
}
static void linked_parameters(hid_t file) {
  link_group(file, "parameters", false);
}
static void outside_optimizer(hid_t file) {
  link_group(file, "optimizer", true);
}
static void outside_moments(hid_t file) {
  link_group(file, "optimizer/m", true);
}
static void outside_history(hid_t file) {
  link_group(file, "history", true);
}
static void outside_partial(hid_t file) {
  link_group(file, "partial", true);
}
static void long_name(hid_t file) {
  char name[400] = "parameters/";
  memset(name + 11, 'n', 300);
  replace_array(file, name, 1, (const hsize_t[]){1}, H5T_NATIVE_FLOAT);
}

static void wrong_content_is_refused(void **state) {
  io_file *f = *state;
  static const struct {
    change change;
    edgefw_status status;
    const char *message;
  } cases[] = {
      {newer_format, EDGEFW_UNSUPPORTED, "format_version 2, this edgefw reads up to 1"},
      {other_format, EDGEFW_FORMAT, "'edgefw-dataset', expected 'edgefw-checkpoint'"},
      {no_problem, EDGEFW_FORMAT, "the attribute 'problem' is missing"},
      {negative_epoch, EDGEFW_FORMAT, "epoch or step is negative"},
      {fractional_step, EDGEFW_FORMAT, "'step' is not a whole number"},
      {no_parameters, EDGEFW_FORMAT, "has no group 'parameters'"},
      {one_moment, EDGEFW_FORMAT, "'a.weight' is missing (in optimizer/v)"},
      {misshaped_moment, EDGEFW_FORMAT,
       "optimizer/m of 'a.weight' has shape (3,2), expected (2,3)"},
      {double_parameter, EDGEFW_FORMAT, "does not hold 32-bit floating point"},
      {integer_parameter, EDGEFW_FORMAT, "does not hold 32-bit floating point"},
      {four_axes, EDGEFW_FORMAT, "has not 1 to 3 axes"},
      {group_for_array, EDGEFW_FORMAT, "'group' is not an array"},
      {float_history, EDGEFW_FORMAT, "'loss' does not hold 64-bit floating point"},
      {text_scalar, EDGEFW_FORMAT, "'loss_sum' is not a number"},
      {huge_parameter, EDGEFW_FORMAT, "far larger than what is stored"},
      {many_names, EDGEFW_FORMAT, "larger than the file"},
      {long_name, EDGEFW_FORMAT, "the name of an array is damaged"},
      {nan_moment, EDGEFW_FORMAT, "optimizer/m of 'a.weight' holds nan, expected a finite number"},
      {infinite_moment, EDGEFW_FORMAT, "optimizer/v of 'a.weight' holds inf"},
      {negative_moment, EDGEFW_FORMAT,
       "optimizer/v of 'a.weight' holds -1, expected a finite number that is not negative"},
      {nan_ema, EDGEFW_FORMAT, "ema of 'a.weight' holds nan, expected finite numbers"},
      {one_ema, EDGEFW_FORMAT, "'mix' is missing (in ema)"},
      {misshaped_ema, EDGEFW_FORMAT, "ema of 'a.weight' has shape (3,2), expected (2,3)"},
      {outside_ema, EDGEFW_FORMAT, "'ema' is not a group of this file"},
      {fractional_digest, EDGEFW_FORMAT, "'init_digest' is not a whole number"},
      {fractional_data_digest, EDGEFW_FORMAT, "'data_digest' is not a whole number"},
      {nan_history, EDGEFW_FORMAT, "the metric 'score' holds nan"},
      {infinite_history, EDGEFW_FORMAT, "the metric 'loss' holds -inf"},
      {nan_sum, EDGEFW_FORMAT, "the sum 'score_sum' holds nan"},
      {outside_parameters, EDGEFW_FORMAT, "'parameters' is not a group of this file"},
      {linked_parameters, EDGEFW_FORMAT, "'parameters' is not a group of this file"},
      {outside_optimizer, EDGEFW_FORMAT, "'optimizer' is not a group of this file"},
      {outside_moments, EDGEFW_FORMAT, "'m' is not a group of this file"},
      {outside_history, EDGEFW_FORMAT, "'history' is not a group of this file"},
      {outside_partial, EDGEFW_FORMAT, "'partial' is not a group of this file"},
  };
  io_path(pipe_path, f->folder, "pipe");
  assert_int_equal(mkfifo(pipe_path, 0600), 0);
  alarm(60); /* whoever opens the pipe waits for ever */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    assert_ok(f->ctx, checkpoint_sample_write(f->ctx, f->path, 3));
    const hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    cases[i].change(file);
    assert_true(H5Fclose(file) >= 0);
    edgefw__checkpoint *ck = NULL;
    assert_fails(f->ctx, edgefw__checkpoint_open(f->ctx, f->path, &ck), cases[i].status,
                 cases[i].message);
    assert_null(ck);
  }
  alarm(0);
}

static void changed_bytes_never_crash(void **state) {
  io_file *f = *state;
  if (IO_HDF5_LEAKS_SHOW) skip();
  char path[512];
  size_t length = 0;
  char *good = io_read(f->path, &length), *bad = malloc(length);
  int refused = 0;
  io_path(path, f->folder, "bad.h5");
  for (uint64_t trial = 0; trial < 250; ++trial) {
    io_damage(good, length, trial, bad);
    io_write(path, bad, length);
    edgefw__checkpoint *ck = NULL;
    const edgefw_status status = edgefw__checkpoint_open(f->ctx, path, &ck);
    edgefw__checkpoint_close(ck);
    refused += status != EDGEFW_OK;
    if (status != EDGEFW_OK) assert_true(io_message_has(f->ctx, "bad.h5'"));
    edgefw_clear(f->ctx);
  }
  assert_true(refused > 125); /* most of the file has checksums; the rest is unused */
  free(good);
  free(bad);
}

static edgefw_status open_and_close(edgefw_context *ctx, void *user) {
  const io_file *f = user;
  edgefw__checkpoint *ck = NULL;
  const edgefw_status status = edgefw__checkpoint_open(ctx, f->path, &ck);
  edgefw__checkpoint_close(ck);
  return status;
}

static void running_out_of_memory_leaks_nothing(void **state) {
  out_of_memory_sweep(open_and_close, *state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(tensors_are_loaded_by_name_and_shape, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(parameters_must_be_the_expected_ones, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(damaged_files_are_refused_in_one_line, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(wrong_content_is_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(changed_bytes_never_crash, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaks_nothing, setup,
                                      io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
