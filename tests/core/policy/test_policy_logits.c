/* Logits that join training late: before their step nothing knows of them, from it on they count,
 * and a model that was saved is evaluated as far as it was trained. */
/* needs plugins: tsp pomo local_policy */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/objectives/reinforce.h"
#include "train/snapshot.h"
#include "policy/model_file.h"

enum { N = 6, COUNT = 2, LOGITS = COUNT * N * N * N, FROM = 3 };

#define WITHOUT                                                                                    \
  "[problem]\nname = tsp\n[backbone]\nname = elg\nembedding_dim = 8\nlayers = 1\nheads = 2\n"      \
  "ff_hidden = 8\n[decoder]\nheads = 2\nterms ="
#define WITH WITHOUT " local_policy\n[term.local_policy]\nlocal_size = 3\nfrom_step = 3\n"

/* Tours for all: node s and on. */
static void fill_tours(int32_t *tours) {
  for (int row = 0; row < COUNT * N; ++row)
    for (int t = 0; t < N; ++t) tours[row * N + t] = (row + t) % N;
}

/* Logits (LOGITS) of the tours; the gradients are those of this run. */
static void run(tiny_model *tiny, bool training, double *logits) {
  int32_t tours[COUNT * N * N];
  edgefw__batch *batch = tiny_batch(tiny, N, 77, 0, COUNT);
  edgefw__policy *policy = tiny_policy(tiny, COUNT, N, training);
  const edgefw__rollout_request request = {.clip = 10.0,
                                           .select = EDGEFW_SELECT_FORCED,
                                           .tours = tours,
                                           .logits = logits,
                                           .objective = &edgefw__reinforce};
  fill_tours(tours);
  edgefw__parameters *parameters = tiny->model->parameters;
  if (training) memset(parameters->gradients, 0, (size_t)parameters->total * sizeof(double));
  memset(logits, 0, LOGITS * sizeof *logits);
  tiny_ok(tiny, edgefw__policy_run(policy, batch, &request));
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny->ctx, batch);
}

/* Are all gradients of the term's parameters 0? `count` of them there are. */
static bool is_idle(const tiny_model *tiny, int *count) {
  const edgefw__parameters *parameters = tiny->model->parameters;
  bool idle = true;
  *count = 0;
  for (int p = 0; p < parameters->item_count; ++p) {
    const edgefw__parameter *item = &parameters->items[p];
    if (!strstr(item->name, "local_policy_0")) continue;
    const double *gradient = edgefw__parameters_at(parameters, parameters->gradients, p);
    for (int64_t i = 0; i < item->count; ++i) idle = idle && gradient[i] == 0.0;
    ++*count;
  }
  return idle;
}

static void before_its_step_a_logit_is_not_there(void **state) {
  (void)state;
  tiny_model with, without;
  double *logits = calloc(LOGITS, sizeof *logits), *expected = calloc(LOGITS, sizeof *expected);
  int count = 0;
  assert_true(logits && expected);
  tiny_open(&with, WITH, "reference64", 5, true);
  tiny_open(&without, WITHOUT "\n", "reference64", 5, true);
  run(&without, true, expected);
  for (int64_t step = 0; step < FROM; ++step) {
    with.model->step = step;
    run(&with, true, logits);
    check_same_bits(logits, expected, LOGITS * sizeof *logits, "logits before the step");
    assert_true(is_idle(&with, &count));
    assert_int_equal(count, EDGEFW_LOCAL_TENSORS);
  }
  free(logits);
  free(expected);
  tiny_close(&with);
  tiny_close(&without);
}

static void from_its_step_on_it_counts_and_learns(void **state) {
  (void)state;
  tiny_model with;
  double *logits = calloc(LOGITS, sizeof *logits), *before = calloc(LOGITS, sizeof *before);
  int count = 0;
  assert_true(logits && before);
  tiny_open(&with, WITH, "reference64", 5, true);
  with.model->step = FROM - 1;
  run(&with, true, before);
  for (int64_t step = FROM; step < FROM + 2; ++step) {
    with.model->step = step;
    run(&with, true, logits);
    assert_memory_not_equal(logits, before, LOGITS * sizeof *logits);
    assert_false(is_idle(&with, &count));
  }
  free(logits);
  free(before);
  tiny_close(&with);
}

/* A model saved after `step` steps is, when it is loaded, what it was when it was saved. */
static void check_saved(int64_t step, const char *path, double *logits) {
  tiny_model trained, loaded;
  double *expected = calloc(LOGITS, sizeof *expected);
  assert_non_null(expected);
  tiny_open(&trained, WITH, "reference64", 5, true);
  /* Files hold float32: round the parameters first. */
  double *values = trained.model->parameters->values;
  for (int64_t i = 0; i < trained.model->parameters->total; ++i)
    values[i] = (double)(float)values[i];
  edgefw__progress progress = {.history = {.ctx = trained.ctx}, .step = step};
  trained.model->step = step;
  run(&trained, true, expected);
  tiny_ok(&trained, edgefw__snapshot_save(trained.model, &progress, path));
  tiny_open(&loaded, WITH, "reference64", 1, false);
  tiny_ok(&loaded, edgefw__model_load(loaded.model, path));
  assert_int_equal(loaded.model->step, step);
  run(&loaded, false, logits);
  check_same_bits(logits, expected, LOGITS * sizeof *logits, "logits of the loaded model");
  free(expected);
  tiny_close(&trained);
  tiny_close(&loaded);
}

static void a_saved_model_is_evaluated_as_it_was_trained(void **state) {
  (void)state;
  char folder[64], path[512];
  double *before = calloc(LOGITS, sizeof *before), *after = calloc(LOGITS, sizeof *after);
  assert_true(before && after);
  io_path(path, io_folder_create(folder, sizeof folder), "checkpoint-1.h5");
  check_saved(FROM - 1, path, before);
  check_saved(FROM, path, after);
  assert_memory_not_equal(before, after, LOGITS * sizeof *before);
  free(before);
  free(after);
  io_folder_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(before_its_step_a_logit_is_not_there),
      cmocka_unit_test(from_its_step_on_it_counts_and_learns),
      cmocka_unit_test(a_saved_model_is_evaluated_as_it_was_trained),
  };
  return test_run(tests, NULL, NULL);
}
