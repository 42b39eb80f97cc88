/* Where training batches come from: sizes drawn by the step, datasets shuffled anew in every pass,
 * and trainings on them that go on as if they had never stopped.
 * labels: train oom */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/check.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/feed.h"
#include "train/train.h"

#define TRAIN "[train]\ninstances_per_epoch = 5\nbatch = 2\nlearning_rate = 1e-3\nepochs = 2\n"

#define TINY_ROADS                                                                                 \
  "[problem]\nname = atsp\ndistribution = road\n[backbone]\nname = radar\nembedding_dim = 8\n"     \
  "layers = 1\nheads = 2\nff_hidden = 8\nmix_hidden = 4\n[decoder]\nterms =\nheads = 2\n"

/* A folder with data.h5 of seven instances of five nodes; its configurations name that file. */
typedef struct fixture {
  char folder[64], path[96];
} fixture;

static void write_data(const fixture *f, const char *problem, const char *path, uint64_t seed) {
  tiny_model tiny;
  (void)f;
  tiny_begin(&tiny, NULL, problem, "reference");
  edgefw__batch *batch = tiny_batch(&tiny, 5, seed, 0, 7);
  tiny_dataset(&tiny, path, batch);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  io_folder_create(f->folder, sizeof f->folder);
  snprintf(f->path, sizeof f->path, "%s/data.h5", f->folder);
  write_data(f, TINY_PLAIN, f->path, 99);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  io_folder_remove(f->folder);
  free(f);
  return 0;
}

/* TINY_PLAIN and TRAIN with further keys of [train]; %s is the dataset. */
static const char *config_of(const fixture *f, const char *keys, char *text, size_t size) {
  const int length = snprintf(text, size, TINY_PLAIN TRAIN);
  snprintf(text + length, size - (size_t)length, keys, f->path); /* NOLINT: literals of this file */
  return text;
}

#define CONFIG(keys) config_of(f, keys "%.0s", (char[1600]){0}, 1600)
#define DATA(keys)   config_of(f, "data = %s\n" keys, (char[1600]){0}, 1600)

/* --- Sizes --- */

static void steps_draw_their_sizes(void **state) {
  const fixture *f = *state;
  tiny_model tiny;
  edgefw__feed feed;
  tiny_open(&tiny, CONFIG("sizes = 4..6, 9\n"), "reference", 1, true);
  tiny_ok(&tiny, edgefw__feed_open(tiny.model, &feed));
  assert_int_equal(feed.largest, 9);
  assert_int_equal(edgefw__feed_mean_nodes(&feed), 7); /* 7^3 = 343; the mean cube is 283.5 */
  tiny_ok(&tiny, edgefw__feed_reserve(&feed, 2));
  int met[10] = {0};
  for (int64_t step = 0; step < 400; ++step) ++met[edgefw__feed_nodes(&feed, step)];
  for (int n = 0; n < 10; ++n)
    assert_in_range(met[n], n == 9 || (n >= 4 && n <= 6) ? 70 : 0,
                    n == 9 || (n >= 4 && n <= 6) ? 130 : 0);
  for (int64_t step = 0; step < 12; ++step) {
    const int64_t n = edgefw__feed_nodes(&feed, step);
    tiny_ok(&tiny, edgefw__feed_fill(&feed, step, 100, 2));
    assert_int_equal(feed.batch->n, n);
    edgefw__batch *expected = tiny_batch(&tiny, n, 1234, 100, 2);
    check_same_bits(feed.batch->data[0], expected->data[0], (size_t)(2 * n * n) * sizeof(double),
                    "instances of the size");
    assert_int_equal(feed.batch->ids[1], 101);
    edgefw__batch_destroy(tiny.ctx, expected);
  }
  edgefw__feed_close(&feed);
  edgefw__feed_close(&feed); /* twice does no harm */
  tiny_close(&tiny);
}

static void a_distribution_of_its_own(void **state) {
  const fixture *f = *state;
  tiny_model tiny, roads;
  edgefw__feed feed;
  tiny_open(&tiny, CONFIG("size = 6\ndistribution = road\n"), "reference", 1, true);
  tiny_begin(&roads, NULL, TINY_ROADS, "reference");
  edgefw__batch *expected = tiny_batch(&roads, 6, 1234, 100, 2);
  tiny_ok(&tiny, edgefw__feed_open(tiny.model, &feed));
  tiny_ok(&tiny, edgefw__feed_reserve(&feed, 2));
  tiny_ok(&tiny, edgefw__feed_fill(&feed, 0, 100, 2));
  check_same_bits(feed.batch->data[0], expected->data[0], (size_t)(2 * 36) * sizeof(double),
                  "road instances");
  edgefw__feed_close(&feed);
  edgefw__batch_destroy(roads.ctx, expected);
  tiny_close(&roads);
  tiny_close(&tiny);
}

/* --- Data --- */

/* Which instance of data.h5 each of the first `count` was; ids are numbers since the beginning. */
static void read_order(edgefw__feed *feed, const tiny_model *tiny, const edgefw__batch *all,
                       int64_t first, int64_t count, int *order) {
  for (int64_t at = first; at < first + count; at += feed->batch->count) {
    tiny_ok(tiny, edgefw__feed_fill(feed, 0, (uint64_t)at, at + 2 <= first + count ? 2 : 1));
    for (int64_t b = 0; b < feed->batch->count; ++b) {
      order[at - first + b] = -1;
      for (int k = 0; k < 7; ++k)
        if (memcmp(feed->batch->data[0] + b * 25, all->data[0] + k * 25, 25 * sizeof(double)) == 0)
          order[at - first + b] = k;
      assert_int_equal(feed->batch->ids[b], at + b);
    }
  }
}

static void passes_hold_everything_once(void **state) {
  const fixture *f = *state;
  enum { PASSES = 4, ALL = 7 * PASSES };
  tiny_model tiny;
  edgefw__feed feed;
  int order[ALL], again[ALL];
  tiny_open(&tiny, DATA(""), "reference", 1, true);
  edgefw__batch *all = tiny_batch(&tiny, 5, 99, 0, 7);
  tiny_ok(&tiny, edgefw__feed_open(tiny.model, &feed));
  assert_int_equal(feed.largest, 5);
  tiny_ok(&tiny, edgefw__feed_reserve(&feed, 2));
  read_order(&feed, &tiny, all, 0, ALL, order);
  int same = 0;
  for (int p = 0; p < PASSES; ++p) {
    int seen[7] = {0};
    for (int i = 0; i < 7; ++i) ++seen[order[7 * p + i]];
    for (int k = 0; k < 7; ++k) assert_int_equal(seen[k], 1);
    same += memcmp(order + 7 * p, order, 7 * sizeof *order) == 0;
  }
  assert_int_equal(same, 1);                          /* each pass has its own order */
  read_order(&feed, &tiny, all, 11, ALL - 11, again); /* backwards, and into a pass */
  assert_memory_equal(again, order + 11, (ALL - 11) * sizeof *order);
  edgefw__feed_close(&feed);
  edgefw__batch_destroy(tiny.ctx, all);
  tiny_close(&tiny);
}

static void other_data_is_refused(void **state) {
  const fixture *f = *state;
  tiny_model tiny;
  edgefw__feed feed;
  tiny_open(&tiny, DATA("size = 6\n"), "reference", 1, true);
  tiny_fails(&tiny, edgefw__feed_open(tiny.model, &feed), EDGEFW_MISMATCH,
             "train.size = 6, but the instances of");
  edgefw__feed_close(&feed);
  tiny_close(&tiny);
  tiny_open(&tiny, DATA("size = 5\n"), "reference", 1, true); /* as it is */
  tiny_ok(&tiny, edgefw__feed_open(tiny.model, &feed));
  edgefw__feed_close(&feed);
  tiny_close(&tiny);
  io_folder_remove(f->folder);
  assert_int_equal(mkdir(f->folder, 0777), 0);
  write_data(f, TINY_ON("tsp", ""), f->path, 99);
  tiny_open(&tiny, DATA(""), "reference", 1, true);
  tiny_fails(&tiny, edgefw__feed_open(tiny.model, &feed), EDGEFW_MISMATCH,
             "holds instances of the problem 'tsp', expected 'atsp'");
  edgefw__feed_close(&feed);
  tiny_close(&tiny);
}

static void running_out_of_memory_leaks_nothing(void **state) {
  const fixture *f = *state;
  tiny_model tiny;
  failing_allocator memory;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  tiny_begin(&tiny, &allocator, DATA(""), "reference");
  tiny_ok(&tiny, edgefw__model_create(&tiny.engine, tiny.composition, 1, true, &tiny.model));
  const int64_t live = failing_allocator_live(&memory);
  edgefw_status status = EDGEFW_OUT_OF_MEMORY;
  for (int64_t n = 0; status != EDGEFW_OK; ++n) {
    edgefw__feed feed;
    failing_allocator_arm(&memory, n);
    status = edgefw__feed_open(tiny.model, &feed);
    if (status == EDGEFW_OK) status = edgefw__feed_digest(&feed);
    if (status == EDGEFW_OK) status = edgefw__feed_reserve(&feed, 2);
    if (status == EDGEFW_OK) status = edgefw__feed_fill(&feed, 0, 0, 2);
    edgefw__feed_close(&feed);
    failing_allocator_disarm(&memory);
    assert_true(status == EDGEFW_OK || status == EDGEFW_OUT_OF_MEMORY);
    edgefw_clear(tiny.ctx);
    assert_int_equal(failing_allocator_live(&memory), live);
  }
  tiny_close(&tiny);
}

/* --- Training on them --- */

typedef struct stopper {
  volatile int flag;
  int64_t left; /* batches until it rises */
} stopper;

static void observe(void *user, const edgefw__train_state *state) {
  stopper *s = user;
  if (!state->epoch_done && --s->left == 0) s->flag = 1;
}

/* Train in FOLDER/run for `batches` more (0: to the end), and close the model; parameters in *out
 * if it is given, which the caller frees. */
static edgefw_status train(const fixture *f, tiny_model *tiny, const char *text, int64_t batches,
                           float **out) {
  char folder[96];
  stopper stop = {.left = batches};
  snprintf(folder, sizeof folder, "%s/run", f->folder);
  tiny_open(tiny, text, "reference", 1234, true);
  edgefw_set_interrupt(tiny->ctx, &stop.flag);
  const edgefw__train_request request = {
      .model = tiny->model, .folder = folder, .observer = observe, .observer_user = &stop};
  const edgefw_status status = edgefw__train(&request, NULL, 0);
  edgefw_set_interrupt(tiny->ctx, NULL);
  if (out) {
    const size_t bytes = (size_t)tiny->model->parameters->total * sizeof **out;
    *out = malloc(bytes);
    assert_non_null(*out);
    memcpy(*out, tiny->model->parameters->values, bytes);
  }
  return status;
}

static void forget(const fixture *f) {
  char folder[96];
  snprintf(folder, sizeof folder, "%s/run", f->folder);
  io_folder_remove(folder);
}

/* Two epochs of three steps, stopped after each. */
static void expect_resumed(const fixture *f, const char *text) {
  tiny_model tiny;
  float *whole = NULL, *found = NULL;
  tiny_ok(&tiny, train(f, &tiny, text, 0, &whole));
  const size_t bytes = (size_t)tiny.model->parameters->total * sizeof *whole;
  tiny_close(&tiny);
  for (int64_t stop = 1; stop < 6; ++stop) {
    forget(f);
    tiny_fails(&tiny, train(f, &tiny, text, stop, NULL), EDGEFW_INTERRUPTED, "goes on from there");
    tiny_close(&tiny);
    tiny_ok(&tiny, train(f, &tiny, text, 0, &found));
    check_same_bits(found, whole, bytes, "parameters");
    free(found);
    tiny_close(&tiny);
  }
  free(whole);
}

static void several_sizes_resume(void **state) {
  const fixture *f = *state;
  expect_resumed(f, CONFIG("sizes = 4..6\n"));
}

static void data_resumes(void **state) {
  const fixture *f = *state;
  expect_resumed(f, DATA(""));
}

/* The contents count, not the path. */
static void a_state_of_other_instances_is_refused(void **state) {
  const fixture *f = *state;
  tiny_model tiny;
  tiny_fails(&tiny, train(f, &tiny, DATA(""), 2, NULL), EDGEFW_INTERRUPTED, "goes on");
  tiny_close(&tiny);
  tiny_fails(&tiny, train(f, &tiny, CONFIG(""), 0, NULL), EDGEFW_MISMATCH,
             "was trained on [train] data, a dataset of fingerprint");
  tiny_close(&tiny);
  fixture moved = *f;
  snprintf(moved.path, sizeof moved.path, "%s/moved.h5", f->folder);
  assert_int_equal(rename(f->path, moved.path), 0);
  f = &moved;
  tiny_fails(&tiny, train(f, &tiny, DATA(""), 1, NULL), EDGEFW_INTERRUPTED, "goes on");
  tiny_close(&tiny);
  write_data(f, TINY_PLAIN, f->path, 100);
  tiny_fails(&tiny, train(f, &tiny, DATA(""), 0, NULL), EDGEFW_MISMATCH,
             "was trained on other instances than [train] data");
  tiny_close(&tiny);
  forget(f);
  tiny_fails(&tiny, train(f, &tiny, CONFIG("size = 5\n"), 2, NULL), EDGEFW_INTERRUPTED, "goes on");
  tiny_close(&tiny);
  tiny_fails(&tiny, train(f, &tiny, DATA("size = 5\n"), 0, NULL), EDGEFW_MISMATCH,
             "was trained on generated instances, not on [train] data");
  tiny_close(&tiny);
}

#define feed_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {feed_test(steps_draw_their_sizes),
                                     feed_test(a_distribution_of_its_own),
                                     feed_test(passes_hold_everything_once),
                                     feed_test(other_data_is_refused),
                                     feed_test(several_sizes_resume),
                                     feed_test(running_out_of_memory_leaks_nothing),
                                     feed_test(data_resumes),
                                     feed_test(a_state_of_other_instances_is_refused)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
