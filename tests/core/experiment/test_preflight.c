/* What a run refuses before it begins.
 * labels: oom */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/preflight.h"
#include "data/dataset.h"
#include "support/failing_allocator.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

enum { N = 6, COUNT = 3 };

typedef struct fixture {
  failing_allocator memory;
  tiny_model tiny;
  sandbox box;
  edgefw__composition composition; /* the model's, to be changed */
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  const edgefw_allocator allocator = failing_allocator_begin(&f->memory, FAILING_ALLOCATOR_NEVER);
  tiny_begin(&f->tiny, &allocator, TINY_PLAIN, "reference");
  f->composition = *f->tiny.composition;
  sandbox_create(&f->box);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  sandbox_remove(&f->box);
  tiny_close(&f->tiny);
  free(f);
  return 0;
}

static edgefw_status check(fixture *f, const edgefw__instance_set *set) {
  return edgefw__preflight(&f->tiny.engine, &f->composition, set, set ? 1 : 0, true);
}

/* A dataset of COUNT instances; the first cost of the first is `cost`. */
static const char *write_dataset(fixture *f, double cost) {
  const char *path = sandbox_path(&f->box, "set.h5");
  edgefw__batch *batch = tiny_batch(&f->tiny, N, 1, 0, COUNT);
  edgefw__dataset_writer *writer = NULL;
  batch->data[0][1] = cost;
  tiny_ok(&f->tiny, edgefw__dataset_create(f->tiny.ctx, path, "atsp", "", 1, batch->fields, COUNT,
                                           N, &writer));
  tiny_ok(&f->tiny, edgefw__dataset_append(writer, batch));
  tiny_ok(&f->tiny, edgefw__dataset_finish(writer));
  edgefw__batch_destroy(f->tiny.ctx, batch);
  return path;
}

static void good_inputs_pass(void **state) {
  fixture *f = *state;
  const edgefw__instance_set sets[] = {
      {.name = "generated", .n = N, .count = COUNT},
      {.name = "dataset", .n = N, .count = COUNT, .dataset = write_dataset(f, 0.5)}};
  tiny_ok(&f->tiny, check(f, NULL));
  tiny_ok(&f->tiny, edgefw__preflight(&f->tiny.engine, &f->composition, sets, 2, true));
}

static void a_foreign_checkpoint_is_refused(void **state) {
  fixture *f = *state;
  f->composition.checkpoint = sandbox_write(&f->box, "x.h5", "no checkpoint");
  tiny_fails(&f->tiny, check(f, NULL), EDGEFW_FORMAT, "x.h5");
}

static void bad_sets_are_refused(void **state) {
  fixture *f = *state;
  edgefw__instance_set set = {.name = "s", .n = N + 1, .count = COUNT};
  set.dataset = write_dataset(f, 0.5);
  tiny_fails(&f->tiny, check(f, &set), EDGEFW_MISMATCH, "6 nodes, expected 7 (set s)");
  set.n = N;
  set.count = COUNT + 1;
  tiny_fails(&f->tiny, check(f, &set), EDGEFW_MISMATCH, "3 instances, [eval] instances asks for 4");
  set.count = COUNT;
  set.dataset = write_dataset(f, -1.0);
  tiny_fails(&f->tiny, check(f, &set), EDGEFW_INFEASIBLE, "is -1");
}

/* Of the instances that a variant trains on the first one is looked at. */
static void bad_training_data_is_refused(void **state) {
  fixture *f = *state;
  char text[1024];
  tiny_model tiny;
  const double costs[] = {0.5, -1.0};
  for (int k = 0; k < 2; ++k) {
    snprintf(text, sizeof text, TINY_PLAIN "[train]\ndata = %s\n", write_dataset(f, costs[k]));
    tiny_begin(&tiny, NULL, text, "reference");
    const edgefw_status status = edgefw__preflight(&tiny.engine, tiny.composition, NULL, 0, true);
    if (k == 0)
      tiny_ok(&tiny, status);
    else
      tiny_fails(&tiny, status, EDGEFW_INFEASIBLE, "[train] data");
    tiny_close(&tiny);
  }
}

/* Data that are gone are named with the place that asks for them, where they are asked for. */
static void missing_training_data_matter_to_training_alone(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL, TINY_PLAIN "[train]\ndata = /gone.h5\n", "reference");
  tiny_ok(&tiny, edgefw__preflight(&tiny.engine, tiny.composition, NULL, 0, false));
  tiny_fails(&tiny, edgefw__preflight(&tiny.engine, tiny.composition, NULL, 0, true), EDGEFW_IO,
             "test:17: train.data: cannot read '/gone.h5': No such file");
  tiny_close(&tiny);
}

static void bad_references_are_refused(void **state) {
  fixture *f = *state;
  const char *csv = sandbox_write(&f->box, "c.csv", "instance,cost\n0,1\n");
  const edgefw__instance_set set = {.name = "s", .n = N, .count = COUNT, .reference = csv};
  tiny_fails(&f->tiny, check(f, &set), EDGEFW_MISMATCH, "no row for instance 1");
}

static void running_out_of_memory_leaks_nothing(void **state) {
  fixture *f = *state;
  const edgefw__instance_set set = {
      .name = "s", .n = N, .count = COUNT, .dataset = write_dataset(f, 0.5)};
  const int64_t live = failing_allocator_live(&f->memory);
  edgefw_status status = EDGEFW_OUT_OF_MEMORY;
  for (int64_t n = 0; status != EDGEFW_OK; ++n) {
    failing_allocator_arm(&f->memory, n);
    status = check(f, &set);
    failing_allocator_disarm(&f->memory);
    assert_true(status == EDGEFW_OK || status == EDGEFW_OUT_OF_MEMORY);
    edgefw_clear(f->tiny.ctx);
    assert_int_equal(failing_allocator_live(&f->memory), live);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      TEST(good_inputs_pass),
      TEST(a_foreign_checkpoint_is_refused),
      TEST(bad_sets_are_refused),
      TEST(bad_training_data_is_refused),
      TEST(missing_training_data_matter_to_training_alone),
      TEST(bad_references_are_refused),
      TEST(running_out_of_memory_leaks_nothing),
  };
  return test_run(tests, NULL, NULL);
}
