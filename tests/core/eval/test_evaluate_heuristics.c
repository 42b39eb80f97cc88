/* Evaluation without a model: costs, batches, threads, forbidden arcs, and what is told of it.
 * labels: threads
 * needs plugins: atsp acvrp */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eval/evaluate.h"
#include "policy/fingerprint.h"
#include "support/check.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

enum { COUNT = 7, STEPS = 20 };

#define ATSP  "[problem]\nname = atsp\nforbidden = 900\n[variant h]\nconstruct = inorder\n"
#define ACVRP "[problem]\nname = acvrp\n[variant h]\nconstruct = inorder\n"

static const edgefw__instance_set generated = {
    .name = "10", .n = 10, .size = 10, .count = COUNT, .seed = 8};

typedef struct fixture {
  sandbox box;
  tiny_model tiny;
} fixture;

static void open_fixture(fixture *f, const char *text) {
  sandbox_create(&f->box);
  tiny_open_heuristic(&f->tiny, &f->box, text);
}

static void close_fixture(fixture *f) {
  tiny_close(&f->tiny);
  sandbox_remove(&f->box);
}

/* All answers of a set. */
typedef struct answers {
  int64_t count;
  int32_t tours[COUNT][STEPS];
  double costs[COUNT];
  const char *origin;
} answers;

static edgefw_status keep(void *user, const edgefw__eval_answer *answer) {
  answers *a = user;
  assert_true(answer->instance == a->count && answer->count <= STEPS);
  memcpy(a->tours[a->count], answer->tour, (size_t)answer->count * sizeof *answer->tour);
  a->costs[a->count++] = answer->cost;
  a->origin = answer->origin;
  return EDGEFW_OK;
}

static edgefw__eval_result evaluate(const fixture *f, const edgefw__instance_set *set,
                                    const edgefw__eval_settings *settings, answers *a) {
  edgefw__eval_result result;
  *a = (answers){0};
  tiny_ok(&f->tiny, edgefw__evaluate(f->tiny.model, set, settings, NULL, NULL, &result, keep, a));
  return result;
}

/* Nodes in their order from each start on are one closed tour, so the best is that one. */
static void tours_are_checked_and_priced(void **state) {
  (void)state;
  fixture f;
  answers a;
  open_fixture(&f, ATSP);
  const edgefw__eval_settings settings = edgefw__eval_settings_from(f.tiny.composition);
  assert_true(isnan(settings.clip) && settings.augment == 1);
  const edgefw__eval_result result = evaluate(&f, &generated, &settings, &a);
  double sum = 0.0;
  for (int b = 0; b < COUNT; ++b) {
    for (int i = 0; i < 10; ++i) assert_int_equal(a.tours[b][i], i);
    sum += a.costs[b];
  }
  check_close(result.objective, sum / COUNT, 1e-12, 1e-12, "objective");
  assert_true(result.constructed == result.objective && result.search_seconds == 0.0);
  assert_true(result.seconds > 0.0);
  assert_int_equal(result.starts, 10);
  assert_string_equal(a.origin, "inorder");
  close_fixture(&f);
}

/* Any number of threads and of instances at once: the same bits; and search never worsens. */
static void threads_and_batches_change_no_bit(void **state) {
  (void)state;
  static const char *const texts[] = {ATSP, ACVRP};
  for (int p = 0; p < 2; ++p) {
    fixture f;
    answers first, plain, again;
    open_fixture(&f, texts[p]);
    edgefw__eval_settings settings = edgefw__eval_settings_from(f.tiny.composition);
    const edgefw__eval_result before = evaluate(&f, &generated, &settings, &plain);
    settings.improve = true;
    settings.kicks = 20;
    settings.seed = 5;
    const edgefw__eval_result one = evaluate(&f, &generated, &settings, &first);
    assert_true(one.objective < before.objective);
    check_close(one.constructed, before.objective, 1e-12, 1e-12, "constructed");
    assert_true(one.search_seconds > 0.0 && one.search_seconds < one.seconds);
    for (int threads = 1; threads <= 3; ++threads) {
      edgefw_set_threads(f.tiny.ctx, threads);
      settings.batch = 4 - threads;
      const edgefw__eval_result other = evaluate(&f, &generated, &settings, &again);
      check_same_bits(again.tours, first.tours, sizeof first.tours, "tours");
      check_same_bits(again.costs, first.costs, sizeof first.costs, "costs");
      check_same_bits(&other.constructed, &one.constructed, sizeof one.constructed, "constructed");
    }
    close_fixture(&f);
  }
}

/* 1 -> 2 is forbidden, and the tour in order uses it: it is repaired. */
static void forbidden_arcs_are_repaired(void **state) {
  (void)state;
  fixture f;
  answers a;
  edgefw_arena *arena = NULL;
  edgefw__instance_set set;
  open_fixture(&f, ATSP);
  const char *path = sandbox_write(&f.box, "four.atsp",
                                   "TYPE: ATSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                                   "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
                                   "0 999 3 4\n5 0 6 7\n8 9 0 1\n2 3 4 0\nEOF\n");
  tiny_ok(&f.tiny, edgefw_arena_create(f.tiny.ctx, &arena, "test", 0, true));
  tiny_ok(&f.tiny, edgefw__eval_file_set(f.tiny.ctx, arena, f.tiny.composition, path, true, &set));
  const edgefw__eval_settings settings = edgefw__eval_settings_from(f.tiny.composition);
  const edgefw__eval_result result = evaluate(&f, &set, &settings, &a);
  assert_int_equal(result.forbidden.tours, 0);
  assert_true(a.costs[0] < 900.0);
  edgefw_arena_destroy(arena);
  close_fixture(&f);
}

/* --- Interruption --- */

typedef struct watched {
  int calls, stop_at;
  double cost, gap;
  volatile int flag;
} watched;

static void see(void *user, const edgefw__eval_best *best) {
  watched *w = user;
  assert_string_equal(best->set, "line");
  assert_true(w->calls == 0 || best->cost < w->cost);
  w->cost = best->cost;
  w->gap = best->gap_percent;
  if (++w->calls == w->stop_at) w->flag = 1;
}

/* Stopped while it searches, it hands out the best that there is by then, checked and priced; asked
 * not to keep it, nothing. */
static void an_interruption_keeps_the_best(void **state) {
  (void)state;
  fixture f;
  answers a = {0};
  watched w = {.stop_at = 2};
  edgefw__eval_result result;
  const edgefw__eval_watch watch = {see, &w};
  const edgefw__instance_set line = {.name = "line", .n = 10, .size = 10, .count = 1, .seed = 8};
  open_fixture(&f, ATSP);
  edgefw__eval_settings settings = edgefw__eval_settings_from(f.tiny.composition);
  settings.time_limit = 100.0;
  settings.watch = &watch;
  settings.keep_interrupted = true;
  edgefw_set_interrupt(f.tiny.ctx, &w.flag);
  tiny_fails(&f.tiny,
             edgefw__evaluate(f.tiny.model, &line, &settings, NULL, NULL, &result, keep, &a),
             EDGEFW_INTERRUPTED, "it has what was found by then");
  assert_int_equal(a.count, 1);
  check_close(a.costs[0], w.cost, 1e-9, 1e-9, "cost");
  assert_true(w.calls == 2 && isnan(w.gap));
  w = (watched){.stop_at = 2};
  a = (answers){0};
  settings.keep_interrupted = false;
  tiny_fails(&f.tiny,
             edgefw__evaluate(f.tiny.model, &line, &settings, NULL, NULL, &result, keep, &a),
             EDGEFW_INTERRUPTED, "interrupted");
  assert_int_equal(a.count, 0);
  edgefw_set_interrupt(f.tiny.ctx, NULL);
  close_fixture(&f);
}

/* Name, version and keys of the heuristics tell rows apart. */
static void keys_make_another_model(void **state) {
  (void)state;
  fixture f;
  uint64_t up = 0, again = 0, down = 0;
  edgefw__model *model = NULL;
  open_fixture(&f, "[problem]\nname = atsp\n[variant h]\nconstruct = inorder\n"
                   "[variant i]\nconstruct = inorder\nheuristic.inorder.order = down\n");
  tiny_ok(&f.tiny, edgefw__fingerprint(f.tiny.model, &up));
  tiny_ok(&f.tiny, edgefw__fingerprint(f.tiny.model, &again));
  tiny_ok(&f.tiny, edgefw__model_constructing(&f.tiny.engine, &f.tiny.config->variants[1], &model));
  tiny_ok(&f.tiny, edgefw__fingerprint(model, &down));
  assert_true(up == again && up != down);
  edgefw__model_destroy(model);
  tiny_fails(&f.tiny, edgefw__model_create(&f.tiny.engine, f.tiny.composition, 1, false, &model),
             EDGEFW_CONFIG, "variant 'h' has no model");
  assert_null(model);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tours_are_checked_and_priced),
      cmocka_unit_test(threads_and_batches_change_no_bit),
      cmocka_unit_test(forbidden_arcs_are_repaired),
      cmocka_unit_test(an_interruption_keeps_the_best),
      cmocka_unit_test(keys_make_another_model),
  };
  return test_run(tests, NULL, NULL);
}
