/* Diagnostics of one size, batch by batch: roll out, find a choice in each tour, ask for the logits
 * there, and ask again under each counterfactual. */
#include "diagnostics/diagnose.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "data/generate.h"
#include "diagnostics/state.h"
#include "eval/evaluate.h"

/* Encodings of a batch: that of its matrices, and of each counterfactual. */
#define PASSES (1 + EDGEFW__COUNTERFACTUALS)

typedef struct diagnosis {
  edgefw_context *ctx;
  edgefw__model *model;
  const edgefw_problem *problem;
  const edgefw__diagnostic_settings *settings;
  edgefw__diagnostic_result *out;
  int64_t size, n, capacity, steps;
  edgefw__generator_pool *pool;
  edgefw__batch *batch;
  edgefw__policy *policy;          /* one rollout of each instance */
  int32_t *tours;                  /* (capacity,T) */
  int32_t *given;                  /* (capacity) entries of each tour that are visited */
  edgefw__state_range *ranges;     /* (capacity) */
  double *logits;                  /* (capacity,n) of the step behind them */
  double *scratch;                 /* (2,n) */
  edgefw__diagnosed_state *states; /* (capacity) */
  double *slopes;                  /* (settings->states) */
  int64_t slope_count;
  double begin;
  edgefw__diagnose_observer observer;
  void *user;
  edgefw__diagnose_receiver receiver;
  void *receiver_user;
} diagnosis;

/* --- What the configuration says --- */

edgefw__diagnostic_settings
edgefw__diagnostic_settings_from(const edgefw__composition *composition) {
  const edgefw_options *own = composition->diagnostics;
  return (edgefw__diagnostic_settings){
      .states = edgefw_options_int(own, "states"),
      .rules = {.perturbation = edgefw_options_real(own, "perturbation"),
                .closeness = edgefw_options_real(own, "closeness"),
                .swap_threshold = edgefw_options_real(own, "swap_threshold")},
      .seed = (uint64_t)edgefw_options_int(own, "seed"),
      .clip = edgefw_options_real(composition->eval, "logit_clip"),
      .batch = edgefw_options_int(composition->eval, "batch")};
}

/* [diagnostics] sizes, or those of [eval] where it has none. */
static const edgefw_options *sizes_of(const edgefw__composition *composition) {
  return edgefw_options_count(composition->diagnostics, "sizes") > 0 ? composition->diagnostics
                                                                     : composition->eval;
}

static bool same_options(const edgefw_options *a, const edgefw_options *b) {
  if (edgefw__options_size(a) != edgefw__options_size(b)) return false;
  for (size_t i = 0; i < edgefw__options_size(a); ++i)
    if (strcmp(edgefw__options_value(a, i)->text, edgefw__options_value(b, i)->text) != 0)
      return false;
  return true;
}

/* Has the variant the very logits of the one that trains its model? */
static bool has_trainers_logits(const edgefw__composition *c) {
  const edgefw__composition *trainer = c->trainer;
  if (!trainer || trainer->eval_terms.count != c->eval_terms.count ||
      edgefw_options_real(trainer->eval, "logit_clip") !=
          edgefw_options_real(c->eval, "logit_clip"))
    return false;
  for (int t = 0; t < c->eval_terms.count; ++t)
    if (trainer->eval_terms.plugins[t] != c->eval_terms.plugins[t] ||
        !same_options(trainer->eval_terms.options[t], c->eval_terms.options[t]))
      return false;
  return true;
}

int64_t edgefw__diagnostic_size_count(const edgefw__composition *composition) {
  if (edgefw_options_int(composition->diagnostics, "states") == 0) return 0;
  if (edgefw__constructs(composition)) return 0; /* no logits to ask */
  if (has_trainers_logits(composition)) return 0;
  return edgefw_options_count(sizes_of(composition), "sizes");
}

int64_t edgefw__diagnostic_size(const edgefw__composition *composition, int64_t index) {
  return edgefw_options_int_at(sizes_of(composition), "sizes", index);
}

/* --- Preparation --- */

edgefw_status edgefw__diagnose_batch(edgefw__model *model, int64_t size,
                                     const edgefw__diagnostic_settings *settings, int64_t *batch) {
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  const edgefw__instance_set set = {.name = "of states",
                                    .n = edgefw__problem_nodes(problem, size),
                                    .size = size,
                                    .count = settings->states};
  const edgefw__eval_settings one = {.starts = 1, .batch = settings->batch};
  return edgefw__eval_batch(model, &set, &one, batch);
}

static edgefw_status allocate(diagnosis *d) {
  const size_t capacity = (size_t)d->capacity;
  d->tours = edgefw_allocate(d->ctx, capacity * (size_t)d->steps, sizeof *d->tours, "tours");
  d->given = edgefw_allocate(d->ctx, capacity, sizeof *d->given, "beginnings of tours");
  d->ranges = edgefw_allocate(d->ctx, capacity, sizeof *d->ranges, "places in tours");
  d->logits = edgefw_allocate(d->ctx, capacity * (size_t)d->n, sizeof *d->logits, "logits");
  d->scratch = edgefw_allocate(d->ctx, 2 * (size_t)d->n, sizeof *d->scratch, "least costs");
  d->states = edgefw_allocate(d->ctx, capacity, sizeof *d->states, "decoding states");
  d->slopes = edgefw_allocate(d->ctx, (size_t)d->settings->states, sizeof *d->slopes, "slopes");
  const bool complete =
      d->tours && d->given && d->ranges && d->logits && d->scratch && d->states && d->slopes;
  return complete ? EDGEFW_OK : edgefw_failure(d->ctx);
}

static edgefw_status prepare(diagnosis *d) {
  edgefw_status status = edgefw__diagnose_batch(d->model, d->size, d->settings, &d->capacity);
  if (status == EDGEFW_OK) status = allocate(d);
  if (status == EDGEFW_OK)
    status = edgefw__batch_create(d->ctx, d->problem->fields, d->capacity, d->n, &d->batch);
  if (status == EDGEFW_OK)
    status = edgefw__policy_create(d->model, d->capacity, d->n, 1, false, &d->policy);
  if (status == EDGEFW_OK) status = edgefw__generator_pool_create(d->ctx, &d->pool);
  if (status == EDGEFW_OK)
    edgefw__generator_pool_use(d->pool, d->model->engine->kernels, d->model->engine->device);
  return status;
}

static void clean_up(diagnosis *d) {
  edgefw__generator_pool_destroy(d->ctx, d->pool);
  edgefw__policy_destroy(d->policy);
  edgefw__batch_destroy(d->ctx, d->batch);
  edgefw_release(d->ctx, d->tours);
  edgefw_release(d->ctx, d->given);
  edgefw_release(d->ctx, d->ranges);
  edgefw_release(d->ctx, d->logits);
  edgefw_release(d->ctx, d->scratch);
  edgefw_release(d->ctx, d->states);
  edgefw_release(d->ctx, d->slopes);
}

/* --- Rollouts --- */

static edgefw_status generate(diagnosis *d, int64_t first) {
  const int64_t left = d->settings->states - first;
  const edgefw__generate_request request = {.problem = d->problem,
                                            .options = d->model->composition->problem_options,
                                            .shortest_paths =
                                                d->model->engine->kernels->shortest_paths,
                                            .seed = d->settings->seed,
                                            .first_id = (uint64_t)first,
                                            .count = left < d->capacity ? left : d->capacity};
  return edgefw__generate_batch(d->ctx, d->pool, &request, d->batch);
}

/* Greedy tours, each from a start of its own. Leaves the batch encoded. */
static edgefw_status roll_out(diagnosis *d, int64_t first) {
  const bool depot = edgefw__problem_has_depot(d->problem);
  const int64_t starts = edgefw__policy_rollouts(d->model, d->n, 0);
  for (int64_t b = 0; b < d->batch->count; ++b) {
    const int64_t start =
        edgefw__state_below(d->settings->seed, first + b, EDGEFW__WORD_START, starts);
    int32_t *tour = d->tours + b * d->steps;
    memset(tour, 0, (size_t)d->steps * sizeof *tour);
    tour[depot] = (int32_t)(start + depot);
    d->given[b] = depot ? 2 : 1;
  }
  const edgefw__rollout_request request = {.clip = d->settings->clip,
                                           .select = EDGEFW_SELECT_GREEDY,
                                           .tours = d->tours,
                                           .given = d->given,
                                           .lengths_only = true};
  const edgefw_status status = edgefw__policy_run(d->policy, d->batch, &request);
  if (status == EDGEFW_OK)
    memcpy(d->tours, d->policy->tours, (size_t)(d->batch->count * d->steps) * sizeof *d->tours);
  return status;
}

/* Logits of the steps behind what is given; with `encode` for matrices that are new. */
static edgefw_status ask(diagnosis *d, bool encode) {
  const edgefw__rollout_request request = {.clip = d->settings->clip,
                                           .select = EDGEFW_SELECT_GREEDY,
                                           .tours = d->tours,
                                           .given = d->given,
                                           .stop = {.early = true, .logits = d->logits},
                                           .lengths_only = true};
  return encode ? edgefw__policy_run(d->policy, d->batch, &request)
                : edgefw__policy_decode(d->policy, d->batch, &request);
}

/* Find a choice in each tour: where it should lie, or else the next place, from the end on to the
 * beginning. A tour that has none is left where it is after a round, with fewer than two nodes
 * open: such states are left out. */
static edgefw_status find_choices(diagnosis *d, int64_t first) {
  for (int64_t b = 0; b < d->batch->count; ++b) {
    d->ranges[b] = edgefw__state_range_of(d->problem, d->tours + b * d->steps, d->steps);
    d->given[b] = (int32_t)edgefw__state_entries(d->settings->seed, first + b, d->settings->states,
                                                 d->ranges[b]);
  }
  for (int64_t round = 0; round < d->steps; ++round) {
    const edgefw_status status = ask(d, false);
    if (status != EDGEFW_OK) return status;
    int64_t missing = 0;
    for (int64_t b = 0; b < d->batch->count; ++b) {
      if (edgefw__state_open(d->logits + b * d->n, d->n) >= 2) continue;
      ++missing;
      if (++d->given[b] > d->ranges[b].last) d->given[b] = (int32_t)d->ranges[b].least;
    }
    if (missing == 0) break;
  }
  return EDGEFW_OK;
}

/* --- Asking --- */

static double *cost_of(const diagnosis *d, int64_t b) {
  const edgefw_instance instance = edgefw__batch_instance(d->batch, b);
  return edgefw_instance_field(&instance, d->problem->objective);
}

static bool has_choice(const diagnosis *d, int64_t b) {
  return d->states[b].open >= 2;
}

static void draw(diagnosis *d, int64_t first) {
  for (int64_t b = 0; b < d->batch->count; ++b) {
    edgefw__diagnosed_state *state = &d->states[b];
    const int32_t *tour = d->tours + b * d->steps;
    const edgefw__state_view view = {.cost = cost_of(d, b),
                                     .logits = d->logits + b * d->n,
                                     .n = d->n,
                                     .depot = edgefw__problem_has_depot(d->problem),
                                     .scratch = d->scratch};
    *state = (edgefw__diagnosed_state){
        .number = first + b,
        .tour = tour,
        .entries = d->given[b],
        .closing = d->problem->closing == EDGEFW_CLOSE_AT_START ? tour[0] : 0,
        .open = edgefw__state_open(view.logits, d->n)};
    if (has_choice(d, b)) edgefw__state_draw(&view, d->settings->seed, &d->settings->rules, state);
  }
}

static edgefw_status ask_counterfactual(diagnosis *d, edgefw__diagnostic which) {
  const edgefw__diagnostic_rules *rules = &d->settings->rules;
  for (int64_t b = 0; b < d->batch->count; ++b)
    if (has_choice(d, b))
      edgefw__counterfactual_set(which, &d->states[b], rules, d->n, cost_of(d, b));
  const edgefw_status status = ask(d, true);
  if (status != EDGEFW_OK) return status;
  for (int64_t b = 0; b < d->batch->count; ++b) {
    edgefw__diagnosed_state *state = &d->states[b];
    if (!has_choice(d, b)) continue;
    edgefw__counterfactual_unset(state, d->n, cost_of(d, b));
    state->changed[which] = d->logits[b * d->n + state->candidate];
    if (!isfinite(state->changed[which]) || !isfinite(state->logit))
      return edgefw_fail(d->ctx, EDGEFW_CHECK_FAILED,
                         "state %" PRId64 ": the logit of node %d is not finite", state->number,
                         state->candidate);
  }
  return EDGEFW_OK;
}

static edgefw_status tell(diagnosis *d, double done) {
  const double seconds = edgefw__seconds() - d->begin;
  if (d->observer) d->observer(d->user, done, (double)d->settings->states, seconds);
  if (!edgefw_interrupted(d->ctx)) return EDGEFW_OK;
  return edgefw_fail(d->ctx, EDGEFW_INTERRUPTED, "interrupted in the diagnostics of size %" PRId64,
                     d->size);
}

/* --- Results --- */

static void count(diagnosis *d, const edgefw__diagnosed_state *state, bool choice) {
  const edgefw__diagnostic_rules *rules = &d->settings->rules;
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which) {
    edgefw__diagnostic_tally *tally = &d->out->tally[which];
    const edgefw__verdict verdict =
        choice ? edgefw__verdict_of((edgefw__diagnostic)which, state, rules) : EDGEFW__LEFT_OUT;
    tally->hits += verdict == EDGEFW__HIT;
    tally->judged += verdict == EDGEFW__HIT || verdict == EDGEFW__MISS;
    tally->ties += verdict == EDGEFW__TIE;
    tally->left_out += verdict == EDGEFW__LEFT_OUT;
  }
  if (choice)
    d->slopes[d->slope_count++] =
        (state->changed[EDGEFW__CURRENT] - state->logit) / edgefw__perturbation_of(state, rules);
}

static edgefw_status run_batch(diagnosis *d, int64_t first) {
  edgefw_status status = generate(d, first);
  if (status == EDGEFW_OK) status = roll_out(d, first);
  if (status == EDGEFW_OK) status = find_choices(d, first);
  if (status != EDGEFW_OK) return status;
  const double each = (double)d->batch->count / PASSES;
  draw(d, first);
  status = tell(d, (double)first + each);
  for (int which = 0; status == EDGEFW_OK && which < EDGEFW__COUNTERFACTUALS; ++which) {
    status = ask_counterfactual(d, (edgefw__diagnostic)which);
    if (status == EDGEFW_OK) status = tell(d, (double)first + (which + 2) * each);
  }
  for (int64_t b = 0; status == EDGEFW_OK && b < d->batch->count; ++b) {
    count(d, &d->states[b], has_choice(d, b));
    if (d->receiver && has_choice(d, b)) status = d->receiver(d->receiver_user, &d->states[b]);
  }
  return status;
}

edgefw_status edgefw__diagnose(edgefw__model *model, int64_t size,
                               const edgefw__diagnostic_settings *settings,
                               edgefw__diagnose_observer observer, void *user,
                               edgefw__diagnostic_result *out, edgefw__diagnose_receiver receiver,
                               void *receiver_user) {
  const edgefw_problem *problem = &model->composition->problem->vtable.problem;
  const int64_t n = edgefw__problem_nodes(problem, size);
  diagnosis d = {.ctx = model->engine->ctx,
                 .model = model,
                 .problem = problem,
                 .settings = settings,
                 .out = out,
                 .size = size,
                 .n = n,
                 .steps = edgefw__problem_steps(problem, n),
                 .begin = edgefw__seconds(),
                 .observer = observer,
                 .user = user,
                 .receiver = receiver,
                 .receiver_user = receiver_user};
  *out = (edgefw__diagnostic_result){.states = settings->states};
  edgefw_status status = prepare(&d);
  for (int64_t first = 0; status == EDGEFW_OK && first < settings->states; first += d.capacity)
    status = run_batch(&d, first);
  if (status == EDGEFW_OK) out->slope = edgefw__spread_of(d.slopes, d.slope_count);
  out->seconds = edgefw__seconds() - d.begin;
  clean_up(&d);
  return status;
}
