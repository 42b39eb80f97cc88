/* Logits that join training late: until then their parameters wait, at that step Adam starts anew,
 * and a run that was stopped before, at or after it goes on as if it had never been.
 * labels: train
 * needs plugins: tsp radar local_policy */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/objectives/reinforce.h"
#include "train/train.h"

/* Three epochs of four steps; the term joins inside the second one. */
enum { N = 6, COUNT = 3, FROM = 5, STEPS = 12 };

#define TRAIN                                                                                      \
  "[train]\nsize = 6\ninstances_per_epoch = 10\nbatch = 3\nlearning_rate = 1e-3\n"                 \
  "weight_decay = 0.01\nepochs = 3\n"
#define WITHOUT TINY_ON("tsp", "") TRAIN
#define WITH                                                                                       \
  TINY_ON("tsp", "local_policy") TRAIN "[term.local_policy]\nlocal_size = 3\nfrom_step = 5\n"

static const edgefw__rollout_request sampled = {.clip = 10.0,
                                                .select = EDGEFW_SELECT_SAMPLE,
                                                .sample_seed = 6,
                                                .objective = &edgefw__reinforce};

/* --- Steps by hand, in double --- */

typedef struct fixture {
  tiny_model tiny;
  edgefw__policy *policy;
} fixture;

static void begin(fixture *f, const char *text) {
  tiny_open(&f->tiny, text, "reference64", 5, true);
  f->policy = tiny_policy(&f->tiny, COUNT, N, true);
}

static void end(fixture *f) {
  edgefw__policy_destroy(f->policy);
  tiny_close(&f->tiny);
}

static edgefw_status next_step(fixture *f) {
  edgefw__model *model = f->tiny.model;
  double norm = 0.0;
  edgefw__batch *batch = tiny_batch(&f->tiny, N, 3, (uint64_t)(model->step * COUNT), COUNT);
  const edgefw_status status =
      edgefw__train_step(f->policy, batch, &sampled, model->step + 1, 1e-3, &norm);
  if (status == EDGEFW_OK) ++model->step;
  edgefw__batch_destroy(f->tiny.ctx, batch);
  return status;
}

static void steps(fixture *f, int count) {
  for (int s = 0; s < count; ++s) tiny_ok(&f->tiny, next_step(f));
}

static bool is_of_the_term(const edgefw__parameter *item) {
  return strstr(item->name, "local_polic") != NULL;
}

static double *entries(const edgefw__parameters *parameters, void *array, int index) {
  return edgefw__parameters_at(parameters, array, index);
}

static bool all_zero(const double *x, int64_t count) {
  for (int64_t e = 0; e < count; ++e)
    if (x[e] != 0.0) return false;
  return true;
}

static void until_it_joins_its_parameters_wait(void **state) {
  (void)state;
  fixture f;
  begin(&f, WITH);
  const edgefw__parameters *parameters = f.tiny.model->parameters;
  double *start = tiny_download(&f.tiny, parameters->values, parameters->total);
  int waiting = 0;
  steps(&f, FROM);
  for (int p = 0; p < parameters->item_count; ++p) {
    const edgefw__parameter *item = &parameters->items[p];
    const double *m = entries(parameters, parameters->first_moment, p);
    const double *v = entries(parameters, parameters->second_moment, p);
    const bool waits = is_of_the_term(item);
    const bool moved = memcmp(entries(parameters, parameters->values, p), start + item->offset,
                              (size_t)item->count * sizeof *start) != 0;
    assert_int_equal(moved, !waits);
    assert_int_equal(all_zero(m, item->count), waits);
    assert_int_equal(all_zero(v, item->count), waits);
    waiting += waits;
  }
  assert_int_equal(waiting, EDGEFW_LOCAL_TENSORS);
  free(start);
  end(&f);
}

static void until_it_joins_all_is_as_without_it(void **state) {
  (void)state;
  fixture with, without;
  begin(&with, WITH);
  begin(&without, WITHOUT);
  steps(&with, FROM);
  steps(&without, FROM);
  const edgefw__parameters *expected = without.tiny.model->parameters;
  const edgefw__parameters *found = with.tiny.model->parameters;
  void *const arrays[][2] = {{found->values, expected->values},
                             {found->first_moment, expected->first_moment},
                             {found->second_moment, expected->second_moment}};
  for (int p = 0; p < expected->item_count; ++p) {
    const edgefw__parameter *item = &expected->items[p];
    const int index = edgefw__parameters_find(found, item->name);
    assert_true(index >= 0);
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; ++a)
      check_same_bits(entries(found, arrays[a][0], index), entries(expected, arrays[a][1], p),
                      (size_t)item->count * sizeof(double), item->name);
  }
  end(&with);
  end(&without);
}

/* Adam by hand, from moments of 0, through `count` steps: every parameter, every step. */
static void expect_adam(fixture *f, int count) {
  const edgefw__parameters *parameters = f->tiny.model->parameters;
  const int64_t total = parameters->total;
  double *m = calloc((size_t)total, sizeof *m), *v = calloc((size_t)total, sizeof *v);
  assert_true(m && v);
  for (int t = 1; t <= count; ++t) {
    double *before = tiny_download(&f->tiny, parameters->values, total);
    steps(f, 1);
    const double *after = parameters->values, *gradients = parameters->gradients;
    for (int64_t e = 0; e < total; ++e) {
      const double g = gradients[e] + 0.01 * before[e];
      m[e] = 0.9 * m[e] + 0.1 * g;
      v[e] = 0.999 * v[e] + 0.001 * g * g;
      const double move =
          (m[e] / (1.0 - pow(0.9, t))) / (sqrt(v[e] / (1.0 - pow(0.999, t))) + 1e-8);
      check_close(after[e], before[e] - 1e-3 * move, 1e-12, 1e-9, "parameter");
    }
    check_close_f64(parameters->first_moment, m, total, 1e-15, 1e-9, "first moments");
    check_close_f64(parameters->second_moment, v, total, 1e-15, 1e-9, "second moments");
    free(before);
  }
  free(m);
  free(v);
}

static void when_it_joins_adam_starts_anew_for_all(void **state) {
  (void)state;
  fixture f;
  begin(&f, WITH);
  steps(&f, FROM);
  expect_adam(&f, 3);
  end(&f);
}

/* A step that fails at the join leaves everything as it was, and can be made again. */
static void a_failed_step_forgets_no_moments(void **state) {
  (void)state;
  fixture f;
  begin(&f, WITH);
  steps(&f, FROM);
  const edgefw__parameters *parameters = f.tiny.model->parameters;
  const int64_t total = parameters->total;
  const size_t bytes = (size_t)total * sizeof(double);
  double *m = tiny_download(&f.tiny, parameters->first_moment, total);
  double *v = tiny_download(&f.tiny, parameters->second_moment, total);
  double *value = entries(parameters, parameters->values,
                          edgefw__parameters_find(parameters, "projection.weight"));
  const double kept = *value;
  *value = (double)NAN;
  tiny_fails(&f.tiny, next_step(&f), EDGEFW_NUMERIC, "finite");
  *value = kept;
  check_same_bits(parameters->first_moment, m, bytes, "first moments");
  check_same_bits(parameters->second_moment, v, bytes, "second moments");
  expect_adam(&f, 1);
  free(m);
  free(v);
  end(&f);
}

/* --- The training loop, in float as files have it --- */

typedef struct stopper {
  volatile int flag;
  int64_t batches, stop_after; /* 0: never */
} stopper;

static void observe(void *user, const edgefw__train_state *state) {
  stopper *s = user;
  if (!state->epoch_done && ++s->batches == s->stop_after) s->flag = 1;
}

/* Train in `folder` until so many batches are done; tiny_close afterwards. */
static void train(tiny_model *tiny, const char *folder, int64_t stop_after) {
  stopper s = {.stop_after = stop_after};
  tiny_open(tiny, WITH, tiny_has_device("cpu") ? "cpu" : "reference", 1234, true);
  edgefw_set_interrupt(tiny->ctx, &s.flag);
  const edgefw__train_request request = {
      .model = tiny->model, .folder = folder, .observer = observe, .observer_user = &s};
  const edgefw_status status = edgefw__train(&request, NULL, 0);
  if (stop_after > 0)
    tiny_fails(tiny, status, EDGEFW_INTERRUPTED, "goes on from there");
  else
    tiny_ok(tiny, status);
}

/* Stopped after 1, 2, ... steps: before the join, where the next step is the join, and after it. */
static void resumed_across_the_join_equals_uninterrupted(void **state) {
  (void)state;
  char folder[64];
  tiny_model whole;
  io_folder_create(folder, sizeof folder);
  train(&whole, folder, 0);
  io_folder_remove(folder);
  const edgefw__parameters *expected = whole.model->parameters;
  const size_t bytes = (size_t)expected->total * sizeof(float);
  for (int64_t stop = 1; stop < STEPS; ++stop) {
    tiny_model first, second;
    io_folder_create(folder, sizeof folder);
    train(&first, folder, stop);
    assert_int_equal(first.model->step, stop);
    tiny_close(&first);
    train(&second, folder, 0);
    const edgefw__parameters *found = second.model->parameters;
    check_same_bits(found->values, expected->values, bytes, "parameters");
    check_same_bits(found->first_moment, expected->first_moment, bytes, "first moments");
    check_same_bits(found->second_moment, expected->second_moment, bytes, "second moments");
    tiny_close(&second);
    io_folder_remove(folder);
  }
  tiny_close(&whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(until_it_joins_its_parameters_wait),
      cmocka_unit_test(until_it_joins_all_is_as_without_it),
      cmocka_unit_test(when_it_joins_adam_starts_anew_for_all),
      cmocka_unit_test(a_failed_step_forgets_no_moments),
      cmocka_unit_test(resumed_across_the_join_equals_uninterrupted),
  };
  return test_run(tests, NULL, NULL);
}
