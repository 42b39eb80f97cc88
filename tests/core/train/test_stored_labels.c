/* Labels of a dataset: they are those of the instances that training sees, in every pass, whatever
 * it was that shuffled them; and bad ones are refused.
 * labels: train
 * needs plugins: nearest */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset_labels.h"
#include "search/solve_batch.h"
#include "support/check.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/labels.h"
#include "train/train.h"

/* Three epochs of two steps over five instances, so that passes begin within batches. */
enum { COUNT = 5, N = 6, EPOCHS = 3, STEPS = 2 };
#define CONFIG(more)                                                                               \
  TINY_OURS "[train]\ninstances_per_epoch = 4\nbatch = 3\nepochs = 3\nobjective = imitation\n"     \
            "labels = dataset\n" more

typedef struct fixture {
  char folder[64], data[96], text[1024];
  int32_t tours[COUNT * N]; /* that are stored */
  double costs[COUNT];
} fixture;

static const edgefw__label_shape shape = {COUNT, N, N, {0}};

/* A dataset of generated instances, labelled by a search. */
static void make_data(fixture *f, const char *more) {
  tiny_model tiny;
  io_folder_create(f->folder, sizeof f->folder);
  snprintf(f->data, sizeof f->data, "%s/d.h5", f->folder);
  snprintf(f->text, sizeof f->text, CONFIG("label_starts = 2\ndata = %s\n%s"), f->data, more);
  tiny_begin(&tiny, NULL, TINY_PLAIN "[variant h]\nconstruct = nearest\n", "reference");
  edgefw__batch *batch = tiny_batch(&tiny, N, 3, 0, COUNT);
  tiny_ok(&tiny,
          edgefw__solve_batch(tiny.ctx, tiny.composition, batch,
                              &(edgefw__effort){.starts = 0, .kicks = 20}, f->tours, f->costs));
  tiny_dataset(&tiny, f->data, batch);
  tiny_ok(&tiny, edgefw__dataset_store_labels(tiny.ctx, f->data, &shape, f->tours, "test"));
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

/* The observer: what every batch cost, and the flag that stops training. */
typedef struct witness {
  volatile int flag;
  int64_t stop_after, batches;
  double score; /* of the last epoch */
} witness;

static void observe(void *user, const edgefw__train_state *state) {
  witness *w = user;
  w->score = state->score;
  if (!state->epoch_done && ++w->batches == w->stop_after) w->flag = 1;
}

static edgefw_status train(const fixture *f, tiny_model *tiny, witness *w, int64_t stop_after) {
  char runs[96];
  snprintf(runs, sizeof runs, "%s/run", f->folder);
  *w = (witness){.stop_after = stop_after};
  tiny_open(tiny, f->text, "reference", 7, true);
  edgefw_set_interrupt(tiny->ctx, &w->flag);
  const edgefw__train_request request = {
      .model = tiny->model, .folder = runs, .observer = observe, .observer_user = w};
  return edgefw__train(&request, NULL, 0);
}

/* Each instance meets its own label: the checker would price another one otherwise. */
static void labels_are_those_of_their_instances(void **state) {
  (void)state;
  fixture f;
  make_data(&f, "");
  tiny_model tiny;
  tiny_begin(&tiny, NULL, f.text, "reference");
  edgefw__labels labels = edgefw__labels_begin(tiny.ctx, tiny.composition);
  tiny_ok(&tiny, edgefw__labels_open(&labels));
  edgefw__batch *batch = tiny_batch(&tiny, N, 3, 0, COUNT);
  static const int32_t rows[COUNT] = {0, 1, 2, 3, 4};
  int32_t tours[COUNT * 2 * N];
  tiny_ok(&tiny, edgefw__labels_make(&labels, batch, rows, 2, tours));
  check_close_f64(labels.costs, f.costs, COUNT, 1e-12, 1e-12, "costs of labels");
  for (int64_t k = 0; k < COUNT * 2; ++k) { /* the stored tour, begun elsewhere */
    const int32_t *stored = f.tours + k / 2 * N, *made = tours + k * N;
    int64_t place = 0;
    while (stored[place] != made[0]) ++place;
    for (int64_t t = 0; t < N; ++t) assert_int_equal(made[t], stored[(place + t) % N]);
  }
  edgefw__labels_end(&labels);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
  io_folder_remove(f.folder);
}

static void resumed_equals_uninterrupted(void **state) {
  (void)state;
  fixture f;
  make_data(&f, "");
  tiny_model whole, part;
  witness seen, more;
  tiny_ok(&whole, train(&f, &whole, &seen, 0));
  assert_int_equal(seen.batches, EPOCHS * STEPS);
  io_folder_remove(f.folder);
  make_data(&f, "");
  tiny_fails(&part, train(&f, &part, &more, 3), EDGEFW_INTERRUPTED, "goes on from there");
  tiny_close(&part);
  tiny_ok(&part, train(&f, &part, &more, 0));
  assert_int_equal(more.batches, EPOCHS * STEPS - 3);
  check_same_bits(&more.score, &seen.score, sizeof seen.score, "score");
  check_same_bits(part.model->parameters->values, whole.model->parameters->values,
                  (size_t)whole.model->parameters->total * sizeof(float), "parameters");
  tiny_close(&part);
  tiny_close(&whole);
  io_folder_remove(f.folder);
}

/* Other labels in the file are another training. */
static void other_labels_are_not_gone_on_with(void **state) {
  (void)state;
  fixture f;
  make_data(&f, "");
  tiny_model tiny;
  witness seen;
  tiny_fails(&tiny, train(&f, &tiny, &seen, 1), EDGEFW_INTERRUPTED, "goes on from there");
  const int32_t kept = f.tours[0];
  memmove(f.tours, f.tours + 1, (N - 1) * sizeof *f.tours); /* rotate the first one */
  f.tours[N - 1] = kept;
  tiny_ok(&tiny, edgefw__dataset_store_labels(tiny.ctx, f.data, &shape, f.tours, "test"));
  tiny_close(&tiny);
  tiny_fails(&tiny, train(&f, &tiny, &seen, 0), EDGEFW_MISMATCH, "than [train] data = ");
  tiny_close(&tiny);
  tiny_fails(&tiny, train(&f, &tiny, &seen, 0), EDGEFW_MISMATCH, "or with other labels of them, ");
  tiny_close(&tiny);
  io_folder_remove(f.folder);
}

static void bad_labels_are_refused(void **state) {
  (void)state;
  fixture f;
  make_data(&f, "");
  tiny_model tiny;
  witness seen;
  f.tours[3 * N + 1] = f.tours[3 * N]; /* a node twice */
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  tiny_ok(&tiny, edgefw__dataset_store_labels(tiny.ctx, f.data, &shape, f.tours, "test"));
  tiny_close(&tiny);
  tiny_fails(&tiny, train(&f, &tiny, &seen, 0), EDGEFW_CHECK_FAILED,
             "d.h5 (number 3): the tour visits node ");
  assert_int_equal(seen.batches, 0); /* whichever batch would have met it */
  tiny_close(&tiny);
  io_folder_remove(f.folder);
}

static void datasets_without_labels_and_too_many_starts_are_refused(void **state) {
  (void)state;
  fixture f;
  make_data(&f, "");
  tiny_model tiny;
  witness seen;
  snprintf(f.text, sizeof f.text, CONFIG("label_starts = 7\ndata = %s\n"), f.data);
  tiny_fails(&tiny, train(&f, &tiny, &seen, 0), EDGEFW_MISMATCH,
             "train.label_starts = 7, but an instance of");
  tiny_close(&tiny);
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  edgefw__batch *batch = tiny_batch(&tiny, N, 3, 0, COUNT);
  tiny_dataset(&tiny, f.data, batch);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
  snprintf(f.text, sizeof f.text, CONFIG("label_starts = 2\ndata = %s\n"), f.data);
  tiny_fails(&tiny, train(&f, &tiny, &seen, 0), EDGEFW_MISMATCH, "has no labels");
  tiny_close(&tiny);
  io_folder_remove(f.folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_are_those_of_their_instances),
      cmocka_unit_test(resumed_equals_uninterrupted),
      cmocka_unit_test(other_labels_are_not_gone_on_with),
      cmocka_unit_test(bad_labels_are_refused),
      cmocka_unit_test(datasets_without_labels_and_too_many_starts_are_refused),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
