/* Diagnostics of tiny models: state by state as an independent implementation in PyTorch has them,
 * from seed and parameters on; the same however they are cut into batches; and ended when they
 * should be.
 * labels: golden threads oom
 * needs plugins: atsp acvrp radar edge closure lookahead rank */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnostics/diagnose.h"
#include "support/check.h"
#include "support/tiny_memory.h"
#include "support/golden.h"
#include "support/tiny_model.h"

enum { STATES_MOST = 32, WHOLE = 7, COSTS = 5, LOGITS = 7, STEPS_MOST = 16 };

/* --- Golden states --- */

typedef struct golden_case {
  tiny_model tiny;
  hid_t file;
  double tolerance;
  int64_t size, steps, told;
  double tours[STATES_MOST * STEPS_MOST], states[STATES_MOST * WHOLE], costs[STATES_MOST * COSTS],
      logits[STATES_MOST * LOGITS];
} golden_case;

static void set_parameters(const golden_case *g) {
  const edgefw__parameters *parameters = g->tiny.model->parameters;
  for (int i = 0; i < parameters->item_count; ++i) {
    const edgefw__parameter *item = &parameters->items[i];
    double *values = malloc((size_t)item->count * sizeof *values);
    assert_non_null(values);
    golden_read_packed(g->file, "/parameters", edgefw__parameter_first_name(item), item->count,
                       values);
    tiny_upload(&g->tiny, edgefw__parameters_at(parameters, parameters->values, i), values,
                item->count);
    free(values);
  }
}

static void begin(golden_case *g, const char *name, const char *device) {
  *g = (golden_case){.file = golden_open(name)};
  char *config = golden_text(g->file, "config");
  tiny_open(&g->tiny, config, device, 1, false);
  free(config);
  g->tolerance =
      g->tiny.engine.kernels->dtype == EDGEFW_F64 ? golden_attribute(g->file, "tolerance") : 2e-4;
  g->size = edgefw_options_int_at(g->tiny.composition->eval, "sizes", 0);
  set_parameters(g);
  const int64_t states = golden_count(g->file, "/states") / WHOLE;
  g->steps = golden_count(g->file, "/tours") / states;
  assert_in_range(states, 1, STATES_MOST);
  assert_in_range(g->steps, 1, STEPS_MOST);
  golden_read(g->file, "/tours", states * g->steps, g->tours);
  golden_read(g->file, "/states", states * WHOLE, g->states);
  golden_read(g->file, "/costs", states * COSTS, g->costs);
  golden_read(g->file, "/logits", states * LOGITS, g->logits);
}

static void end(golden_case *g) {
  tiny_close(&g->tiny);
  H5Fclose(g->file);
}

static edgefw_status expect_state(void *user, const edgefw__diagnosed_state *s) {
  golden_case *g = user;
  const int64_t m = g->told++;
  const bool pair = s->pair[0] >= 0;
  const double whole[WHOLE] = {(double)s->entries, s->current, s->closing, s->candidate,
                               (double)s->open,    s->pair[0], s->pair[1]};
  const double costs[COSTS] = {s->unit, s->forth, s->back, pair ? s->pair_cost[0] : 0.0,
                               pair ? s->pair_cost[1] : 0.0};
  const double logits[LOGITS] = {s->logit,
                                 s->changed[0],
                                 s->changed[1],
                                 s->changed[2],
                                 s->changed[3],
                                 pair ? s->pair_logit[0] : 0.0,
                                 pair ? s->pair_logit[1] : 0.0};
  assert_int_equal(s->number, m);
  for (int64_t t = 0; t < s->entries; ++t)
    assert_true(g->tours[m * g->steps + t] == (double)s->tour[t]);
  check_close_f64(whole, g->states + m * WHOLE, WHOLE, 0.0, 0.0, "state");
  check_close_f64(costs, g->costs + m * COSTS, COSTS, 1e-9, 0.0, "costs");
  check_close_f64(logits, g->logits + m * LOGITS, LOGITS, 10.0 * g->tolerance, 0.0, "logits");
  return EDGEFW_OK;
}

static void states_are_those_of_pytorch(void **state) {
  (void)state;
  static const char *const cases[] = {"diagnostics_atsp", "diagnostics_acvrp"};
  static const char *const devices[] = {"reference64", "cpu", "cuda_emulated"};
  static golden_case g;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
    for (size_t d = 0; d < sizeof devices / sizeof *devices; ++d) {
      if (!tiny_has_device(devices[d])) continue;
      begin(&g, cases[c], devices[d]);
      const edgefw__diagnostic_settings settings =
          edgefw__diagnostic_settings_from(g.tiny.composition);
      edgefw__diagnostic_result result;
      tiny_ok(&g.tiny, edgefw__diagnose(g.tiny.model, g.size, &settings, NULL, NULL, &result,
                                        expect_state, &g));
      assert_int_equal(g.told, settings.states);
      end(&g);
    }
}

/* --- The whole --- */

#define ASKED "[eval]\nsizes = 6\n[diagnostics]\nstates = 11\n"

static edgefw__diagnostic_settings asked_of(const tiny_model *tiny) {
  return edgefw__diagnostic_settings_from(tiny->composition);
}

/* Seconds differ. */
static void expect_same(const edgefw__diagnostic_result *a, const edgefw__diagnostic_result *b) {
  assert_int_equal(a->states, b->states);
  assert_memory_equal(a->tally, b->tally, sizeof a->tally);
  assert_memory_equal(&a->slope, &b->slope, sizeof a->slope);
}

static void batches_and_threads_change_nothing(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__diagnostic_result whole, cut;
  tiny_open(&tiny, TINY_OURS ASKED, "cpu", 3, false);
  edgefw__diagnostic_settings settings = asked_of(&tiny);
  tiny_ok(&tiny, edgefw__diagnose(tiny.model, 6, &settings, NULL, NULL, &whole, NULL, NULL));
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which) {
    const edgefw__diagnostic_tally *t = &whole.tally[which];
    assert_int_equal(t->judged + t->ties + t->left_out, 11);
    assert_true(t->hits <= t->judged);
  }
  settings.batch = 3;
  edgefw_set_threads(tiny.ctx, 2);
  tiny_ok(&tiny, edgefw__diagnose(tiny.model, 6, &settings, NULL, NULL, &cut, NULL, NULL));
  expect_same(&whole, &cut);
  settings.seed += 1;
  tiny_ok(&tiny, edgefw__diagnose(tiny.model, 6, &settings, NULL, NULL, &cut, NULL, NULL));
  assert_memory_not_equal(&whole.slope, &cut.slope, sizeof whole.slope);
  tiny_close(&tiny);
}

static void sizes_are_those_asked_for(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL, TINY_OURS "[eval]\nsizes = 6, 7\n", "cpu");
  assert_int_equal(edgefw__diagnostic_size_count(tiny.composition), 0);
  tiny_close(&tiny);
  tiny_begin(&tiny, NULL, TINY_OURS "[eval]\nsizes = 6, 7\n[diagnostics]\nstates = 1\n", "cpu");
  assert_int_equal(edgefw__diagnostic_size_count(tiny.composition), 2);
  assert_int_equal(edgefw__diagnostic_size(tiny.composition, 1), 7);
  /* Of a variant that shares this one's training nothing new is to be learned. */
  edgefw__composition sharing = *tiny.composition;
  sharing.trainer = tiny.composition;
  assert_int_equal(edgefw__diagnostic_size_count(&sharing), 0);
  sharing.eval_terms.count = 1;
  assert_int_equal(edgefw__diagnostic_size_count(&sharing), 2);
  tiny_close(&tiny);
  tiny_begin(&tiny, NULL, TINY_OURS "[eval]\nsizes = 6\n[diagnostics]\nstates = 1\nsizes = 9\n",
             "cpu");
  assert_int_equal(edgefw__diagnostic_size_count(tiny.composition), 1);
  assert_int_equal(edgefw__diagnostic_size(tiny.composition, 0), 9);
  tiny_close(&tiny);
}

/* A vehicle that a customer fills leaves no choice but at the depot, and of two customers, of which
 * one is visited, none at all. */
static void a_tour_without_a_choice_is_left_out(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__diagnostic_result result;
  tiny_open(&tiny,
            "[problem]\nname = acvrp\ncapacity = 9\ndemand_low = 9\n"
            "[backbone]\nname = radar\nembedding_dim = 8\nlayers = 1\nheads = 2\nff_hidden = 8\n"
            "mix_hidden = 4\nsvd_rank = 3\nsinkhorn_iterations = 3\n[decoder]\nterms =\nheads = 2\n"
            "[eval]\nsizes = 2, 5\n[diagnostics]\nstates = 6\n",
            "reference", 3, false);
  edgefw__diagnostic_settings settings = asked_of(&tiny);
  tiny_ok(&tiny, edgefw__diagnose(tiny.model, 2, &settings, NULL, NULL, &result, NULL, NULL));
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which)
    assert_int_equal(result.tally[which].left_out, 6);
  assert_true(isnan(result.slope.mean));
  tiny_ok(&tiny, edgefw__diagnose(tiny.model, 5, &settings, NULL, NULL, &result, NULL, NULL));
  assert_int_equal(result.tally[EDGEFW__CURRENT].left_out, 0);
  tiny_close(&tiny);
}

/* --- Endings --- */

typedef struct progress {
  int calls, stop_at, flag;
  double done;
} progress;

static void watch(void *user, double done, double states, double seconds) {
  progress *p = user;
  assert_true(done > p->done && done <= states + 1e-9 && seconds >= 0.0);
  p->done = done;
  if (++p->calls == p->stop_at) p->flag = 1;
}

static void progress_is_told_and_ends_it(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__diagnostic_result result;
  tiny_open(&tiny, TINY_PLAIN ASKED, "cpu", 3, false);
  edgefw__diagnostic_settings settings = asked_of(&tiny);
  settings.batch = 6;
  progress p = {0};
  tiny_ok(&tiny, edgefw__diagnose(tiny.model, 6, &settings, watch, &p, &result, NULL, NULL));
  assert_int_equal(p.calls, 10);
  check_close(p.done, 11.0, 1e-9, 0.0, "states done");
  p = (progress){.stop_at = 3};
  edgefw_set_interrupt(tiny.ctx, &p.flag);
  tiny_fails(&tiny, edgefw__diagnose(tiny.model, 6, &settings, watch, &p, &result, NULL, NULL),
             EDGEFW_INTERRUPTED, "interrupted in the diagnostics of size 6");
  assert_int_equal(p.calls, 3);
  tiny_close(&tiny);
}

static edgefw_status refuse(void *user, const edgefw__diagnosed_state *s) {
  return s->number < 2 ? EDGEFW_OK : edgefw_fail(user, EDGEFW_IO, "state %d", (int)s->number);
}

static void a_receiver_may_end_it(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__diagnostic_result result;
  tiny_open(&tiny, TINY_PLAIN ASKED, "cpu", 3, false);
  const edgefw__diagnostic_settings settings = asked_of(&tiny);
  tiny_fails(&tiny,
             edgefw__diagnose(tiny.model, 6, &settings, NULL, NULL, &result, refuse, tiny.ctx),
             EDGEFW_IO, "state 2");
  tiny_close(&tiny);
}

static edgefw_status diagnose(const tiny_model *tiny, void *user) {
  edgefw__diagnostic_result result;
  edgefw__diagnostic_settings settings = asked_of(tiny);
  (void)user;
  settings.states = settings.batch = 2;
  return edgefw__diagnose(tiny->model, 6, &settings, NULL, NULL, &result, NULL, NULL);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  tiny_memory_sweep(TINY_OURS ASKED, 10, diagnose, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_are_those_of_pytorch),
      cmocka_unit_test(batches_and_threads_change_nothing),
      cmocka_unit_test(sizes_are_those_asked_for),
      cmocka_unit_test(a_tour_without_a_choice_is_left_out),
      cmocka_unit_test(progress_is_told_and_ends_it),
      cmocka_unit_test(a_receiver_may_end_it),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return test_run(tests, NULL, NULL);
}
