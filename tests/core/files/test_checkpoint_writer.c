/* Writing checkpoints: bit for bit, readable with plain HDF5, whole or not at all. */
/* labels: oom */
#include "support/test.h"

#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/checkpoint_sample.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"

static int setup(void **state) {
  return io_file_set_up(state, "checkpoint-3.h5");
}

static void everything_comes_back(void **state) {
  io_file *f = *state;
  const edgefw__checkpoint_content *given = checkpoint_sample();
  edgefw__checkpoint *checkpoint = NULL;
  assert_ok(f->ctx, edgefw__checkpoint_write(f->ctx, f->path, given));
  assert_int_equal(io_count_entries(f->folder), 1);
  assert_ok(f->ctx, edgefw__checkpoint_open(f->ctx, f->path, &checkpoint));
  const edgefw__checkpoint_content *found = edgefw__checkpoint_content_of(checkpoint);
  assert_string_equal(found->meta.problem, given->meta.problem);
  assert_string_equal(found->meta.backbone, given->meta.backbone);
  assert_string_equal(found->meta.terms, given->meta.terms);
  assert_string_equal(found->meta.plugins, given->meta.plugins);
  assert_string_equal(found->meta.config, given->meta.config);
  assert_int_equal(found->meta.epoch, 3);
  assert_int_equal(found->meta.step, 471);
  assert_true(found->meta.instances == given->meta.instances);
  assert_true(found->meta.init_digest == given->meta.init_digest);
  assert_true(found->meta.data_digest == given->meta.data_digest);
  assert_int_equal(found->tensor_count, SAMPLE_TENSORS);
  for (int i = 0; i < SAMPLE_TENSORS; ++i) {
    const edgefw__checkpoint_tensor *a = &found->tensors[i], *b = &given->tensors[i];
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->rank, b->rank);
    size_t bytes = sizeof(float);
    for (int axis = 0; axis < a->rank; ++axis) {
      assert_int_equal(a->shape[axis], b->shape[axis]);
      bytes *= (size_t)a->shape[axis];
    }
    assert_memory_equal(a->value, b->value, bytes);
    assert_memory_equal(a->ema, b->ema, bytes);
    assert_int_equal(a->m == NULL, b->m == NULL);
    assert_int_equal(a->v == NULL, b->v == NULL);
    if (!b->m) continue;
    assert_memory_equal(a->m, b->m, bytes);
    assert_memory_equal(a->v, b->v, bytes);
  }
  assert_int_equal(found->series_count, 2);
  assert_int_equal(found->scalar_count, 2);
  int64_t count = 0;
  const double *loss = edgefw__checkpoint_metric(checkpoint, "loss", &count);
  assert_int_equal(count, 3);
  assert_memory_equal(loss, given->series[0].values, 3 * sizeof(double));
  assert_null(edgefw__checkpoint_metric(checkpoint, "none", &count));
  assert_int_equal(count, 0);
  double value = 0.0;
  assert_true(edgefw__checkpoint_scalar_value(checkpoint, "score_sum", &value));
  assert_true(value == given->scalars[1].value);
  assert_false(edgefw__checkpoint_scalar_value(checkpoint, "none", &value));
  edgefw__checkpoint_close(checkpoint);
  edgefw__checkpoint_close(NULL);
}

static void the_layout_is_the_documented_one(void **state) {
  io_file *f = *state;
  assert_ok(f->ctx, edgefw__checkpoint_write(f->ctx, f->path, checkpoint_sample()));
  const hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  static const char *const arrays[] = {
      "/parameters/a.weight",  "/parameters/encoder.layers.0.Wq.bias",  "/parameters/mix",
      "/optimizer/m/a.weight", "/optimizer/v/encoder.layers.0.Wq.bias", "/ema/mix",
      "/history/loss",
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    const hid_t array = H5Dopen2(file, arrays[i], H5P_DEFAULT);
    assert_true(array >= 0);
    H5Dclose(array);
  }
  assert_true(H5Lexists(file, "/optimizer/m/mix", H5P_DEFAULT) == 0);
  static const char *const attributes[] = {
      "format",      "format_version", "problem",       "backbone", "terms",
      "plugins",     "config",         "epoch",         "step",     "instances",
      "init_digest", "data_digest",    "edgefw_version"};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; ++i) {
    assert_true(H5Aexists(file, attributes[i]) > 0);
  }
  assert_true(H5Aexists_by_name(file, "/partial", "loss_sum", H5P_DEFAULT) > 0);
  H5Fclose(file);
}

/* What only some trainings have leaves no trace in the files of others. */
static void what_is_not_there_is_not_written(void **state) {
  io_file *f = *state;
  edgefw__checkpoint_content content = *checkpoint_sample();
  edgefw__checkpoint_tensor tensor = content.tensors[0];
  tensor.ema = NULL;
  content.tensors = &tensor;
  content.tensor_count = 1;
  content.meta.init_digest = content.meta.data_digest = 0;
  assert_ok(f->ctx, edgefw__checkpoint_write(f->ctx, f->path, &content));
  const hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(H5Lexists(file, "/ema", H5P_DEFAULT) == 0);
  assert_true(H5Aexists(file, "init_digest") == 0);
  assert_true(H5Aexists(file, "data_digest") == 0);
  H5Fclose(file);
}

static void the_same_state_is_the_same_bytes(void **state) {
  io_file *f = *state;
  char other[512];
  assert_ok(f->ctx, checkpoint_sample_write(f->ctx, f->path, 3));
  assert_ok(f->ctx, checkpoint_sample_write(f->ctx, io_path(other, f->folder, "other.h5"), 3));
  size_t length_a = 0, length_b = 0;
  char *a = io_read(f->path, &length_a), *b = io_read(other, &length_b);
  assert_int_equal(length_a, length_b);
  assert_memory_equal(a, b, length_a);
  free(a);
  free(b);
}

static void bare_and_large_checkpoints(void **state) {
  io_file *f = *state;
  edgefw__checkpoint *checkpoint = NULL;
  char *config = calloc(1, 300001);
  memset(config, 'c', 300000);
  const edgefw__checkpoint_content bare = {.meta = {"p", "b", "", "", config, 0, 0, 0, 0}};
  assert_ok(f->ctx, edgefw__checkpoint_write(f->ctx, f->path, &bare));
  assert_ok(f->ctx, edgefw__checkpoint_open(f->ctx, f->path, &checkpoint));
  const edgefw__checkpoint_content *found = edgefw__checkpoint_content_of(checkpoint);
  assert_int_equal(found->tensor_count, 0);
  assert_int_equal(found->series_count, 0);
  assert_int_equal(found->scalar_count, 0);
  assert_string_equal(found->meta.terms, "");
  assert_string_equal(found->meta.config, config);
  edgefw__checkpoint_close(checkpoint);
  free(config);
}

static void bad_content_is_refused_before_writing(void **state) {
  io_file *f = *state;
  const float value = 1.0f;
  const edgefw__checkpoint_tensor bad[] = {
      {"a/b", 1, {1}, &value, NULL, NULL, NULL},  {"", 1, {1}, &value, NULL, NULL, NULL},
      {"x", 0, {1}, &value, NULL, NULL, NULL},    {"x", 4, {1, 1, 1}, &value, NULL, NULL, NULL},
      {"x", 2, {1, 0}, &value, NULL, NULL, NULL}, {"x", 1, {-1}, &value, NULL, NULL, NULL},
      {"x", 1, {1}, &value, &value, NULL, NULL},  {"x", 1, {1}, NULL, NULL, NULL, NULL},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    edgefw__checkpoint_content content = *checkpoint_sample();
    content.tensors = &bad[i];
    content.tensor_count = 1;
    assert_fails(f->ctx, edgefw__checkpoint_write(f->ctx, f->path, &content),
                 EDGEFW_INVALID_ARGUMENT, "cannot write");
  }
  edgefw__checkpoint_tensor two[2] = {checkpoint_sample()->tensors[0],
                                      checkpoint_sample()->tensors[1]};
  edgefw__checkpoint_content content = *checkpoint_sample();
  two[1].ema = NULL;
  content.tensors = two;
  content.tensor_count = 2;
  assert_fails(f->ctx, edgefw__checkpoint_write(f->ctx, f->path, &content), EDGEFW_INVALID_ARGUMENT,
               "of parameters 'a.weight' and 'encoder.layers.0.Wq.bias' "
               "one alone has a mean");
  assert_fails(f->ctx, checkpoint_sample_write(f->ctx, "/no/x.h5", 1), EDGEFW_IO,
               "'/no/x.h5': No such file");
  assert_int_equal(io_count_entries(f->folder), 0);
}

/* A process that is killed while it writes again and again leaves a whole file behind. */
static void a_killed_writer_leaves_a_whole_file(void **state) {
  io_file *f = *state;
  assert_ok(f->ctx, checkpoint_sample_write(f->ctx, f->path, 0));
  for (int trial = 0; trial < 8; ++trial) {
    const pid_t parent = getpid(), child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* until it is killed, or the test has failed and is gone */
      for (int64_t epoch = 1; getppid() == parent; ++epoch)
        if (checkpoint_sample_write(f->ctx, f->path, epoch) != EDGEFW_OK) _exit(1);
      _exit(0);
    }
    /* What is read meanwhile is whole as well. */
    for (int i = 0; i < 3; ++i) {
      edgefw__checkpoint *checkpoint = NULL;
      const struct timespec pause = {.tv_nsec = 1000000L * (trial + 1)};
      nanosleep(&pause, NULL);
      assert_ok(f->ctx, edgefw__checkpoint_open(f->ctx, f->path, &checkpoint));
      edgefw__checkpoint_close(checkpoint);
    }
    int ended = 0;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFSIGNALED(ended));
    edgefw__checkpoint *checkpoint = NULL;
    assert_ok(f->ctx, edgefw__checkpoint_open(f->ctx, f->path, &checkpoint));
    assert_int_equal(edgefw__checkpoint_content_of(checkpoint)->tensor_count, SAMPLE_TENSORS);
    edgefw__checkpoint_close(checkpoint);
  }
}

static void running_out_of_memory_leaks_nothing(void **state) {
  io_file *f = *state;
  assert_ok(f->ctx, checkpoint_sample_write(f->ctx, f->path, 1));
  for (int64_t n = 1;; ++n) {
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx = NULL;
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    const edgefw_status status = checkpoint_sample_write(ctx, f->path, 2);
    const bool failed = failing_allocator_failed(&memory);
    assert_int_equal(status, failed ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
    assert_int_equal(io_count_entries(f->folder), 1);
    edgefw__checkpoint *checkpoint = NULL;
    assert_ok(f->ctx, edgefw__checkpoint_open(f->ctx, f->path, &checkpoint));
    assert_int_equal(edgefw__checkpoint_content_of(checkpoint)->meta.epoch, failed ? 1 : 2);
    edgefw__checkpoint_close(checkpoint);
    if (!failed) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(everything_comes_back, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(the_layout_is_the_documented_one, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(what_is_not_there_is_not_written, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(the_same_state_is_the_same_bytes, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(bare_and_large_checkpoints, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(bad_content_is_refused_before_writing, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(a_killed_writer_leaves_a_whole_file, setup,
                                      io_file_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaks_nothing, setup,
                                      io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
