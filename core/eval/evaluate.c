/* Evaluation of one set: decode, keep each instance's best tour, price it independently. */
#include "eval/evaluate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/text.h"
#include "data/source.h"
#include "eval/compare_costs.h"
#include "eval/evaluation.h"
#include "eval/known_cost.h"
#include "eval/missing_ways.h"
#include "eval/search_on.h"
#include "eval/short_time.h"
#include "files/tour.h"

/* The checker and the decoder add the same numbers, perhaps in another order. */
#define PRICE_TOLERANCE 1e-9

typedef edgefw__evaluation evaluation;

static const edgefw_problem *problem_of(const evaluation *e) {
  return &e->model->composition->problem->vtable.problem;
}

/* --- Preparation --- */

/* Whose heuristics take part: the composition's own, or those beside its policy. */
static const edgefw__composition *constructing_of(const edgefw__model *model,
                                                  const edgefw__eval_settings *settings) {
  if (edgefw__constructs(model->composition)) return model->composition;
  return settings->beside ? settings->beside->composition : NULL;
}

static edgefw_status allocate(evaluation *e) {
  edgefw_context *ctx = e->ctx;
  const int64_t capacity = e->capacity;
  const size_t count = (size_t)e->set->count;
  e->best.tours =
      edgefw_allocate(ctx, (size_t)(capacity * e->steps), sizeof *e->best.tours, "tours");
  e->best.lengths = edgefw_allocate(ctx, (size_t)capacity, sizeof *e->best.lengths, "tour lengths");
  e->best.constructed =
      edgefw_allocate(ctx, (size_t)capacity, sizeof *e->best.constructed, "tour lengths");
  e->best.makers =
      edgefw_allocate(ctx, (size_t)capacity, sizeof *e->best.makers, "makers of tours");
  e->plain = edgefw_allocate(ctx, (size_t)capacity, sizeof *e->plain, "tour lengths");
  e->ends = edgefw_allocate(ctx, (size_t)capacity, sizeof *e->ends, "repairs of tours");
  e->costs = edgefw_allocate(ctx, count, sizeof *e->costs, "costs of tours");
  e->reference = edgefw_allocate(ctx, count, sizeof *e->reference, "reference costs");
  if (e->settings->augment > 1)
    e->makers.points = edgefw_allocate(ctx, (size_t)(2 * capacity * e->set->n),
                                       sizeof *e->makers.points, "coordinates");
  const bool complete = e->best.tours && e->best.lengths && e->best.constructed && e->best.makers &&
                        e->plain && e->ends && e->costs && e->reference &&
                        (e->makers.points || e->settings->augment <= 1);
  return complete ? EDGEFW_OK : edgefw_failure(ctx);
}

/* Everything that can be refused is refused here, before hours of decoding. */
static edgefw_status prepare(evaluation *e) {
  if (e->set->count < 1 || e->settings->batch < 0 || e->makers.samples < 1)
    return edgefw_fail(e->ctx, EDGEFW_INVALID_ARGUMENT,
                       "set %s: instances and samples must be at least 1, batch at least 0",
                       e->set->name);
  if (e->first < 0 || e->first >= e->end || e->end > e->set->count)
    return edgefw_fail(e->ctx, EDGEFW_INVALID_ARGUMENT,
                       "set %s: it has no instances %" PRId64 " to %" PRId64, e->set->name,
                       e->first, e->end - 1);
  edgefw_status status =
      edgefw__source_open(e->model->engine, e->model->composition, e->set, &e->source);
  if (status == EDGEFW_OK)
    status = edgefw_note(
        e->ctx, edgefw__prefix_open(e->ctx, problem_of(e), e->set, e->settings, &e->prefix),
        "set %s", e->set->name);
  e->best.fixed = edgefw__prefix_fixed(&e->prefix);
  if (status == EDGEFW_OK) status = edgefw__evaluation_plan(e);
  if (status == EDGEFW_OK) status = allocate(e);
  if (status == EDGEFW_OK)
    status = edgefw__source_reference(&e->source, e->reference, &e->has_reference);
  return status;
}

static void clean_up(evaluation *e) {
  if (!e->is_kept) edgefw__evaluation_close_policy(e);
  edgefw_release(e->ctx, e->makers.points);
  edgefw_release(e->ctx, e->reference);
  edgefw_release(e->ctx, e->costs);
  edgefw_release(e->ctx, e->ends);
  edgefw_release(e->ctx, e->plain);
  edgefw_release(e->ctx, e->best.makers);
  edgefw_release(e->ctx, e->best.constructed);
  edgefw_release(e->ctx, e->best.lengths);
  edgefw_release(e->ctx, e->best.tours);
  edgefw__prefix_close(e->ctx, &e->prefix);
  edgefw__source_close(&e->source);
}

/* --- Watching --- */

static void see(void *user, double length) {
  const evaluation *e = user;
  const edgefw__eval_watch *watch = e->settings->watch;
  const double reference = e->has_reference ? e->reference[0] : (double)NAN;
  if (!watch || e->set->count > 1 || !isfinite(length)) return;
  watch->see(watch->user,
             &(edgefw__eval_best){.set = e->set->name,
                                  .cost = length,
                                  .gap_percent = edgefw__gap_percent(length, reference),
                                  .seconds = edgefw__seconds() - e->begun});
}

/* --- Decoding --- */

static edgefw_status make_tours(evaluation *e) {
  edgefw__first_tours first = {.plain = e->plain};
  e->makers.policy = e->policy;
  e->makers.name = edgefw__source_name(&e->source);
  edgefw__warm_size *warm = edgefw__evaluation_warm(e);
  if (warm) e->makers.policy_time = warm->policy_time;
  const double limit = e->settings->deadline * edgefw__eval_turns(e->ctx, e->batch->count);
  if (limit > 0.0) edgefw__set_deadline(e->ctx, e->begun + EDGEFW__CONSTRUCTION_SHARE * limit);
  edgefw_status status = edgefw__make_first_tours(&e->makers, e->batch, &e->best, e->ends, &first);
  edgefw__set_deadline(e->ctx, 0.0);
  if (warm) warm->policy_time = e->makers.policy_time;
  if (status == EDGEFW_INTERRUPTED && limit > 0.0 && !edgefw_interrupted(e->ctx)) {
    edgefw_clear(e->ctx); /* only the time is over */
    e->out_of_time = true;
    edgefw__set_deadline(e->ctx, e->begun + limit);
    status = edgefw__short_of_time(&e->makers, e->batch, &e->best, e->ends);
    for (int64_t b = 0; b < e->batch->count; ++b) e->plain[b] = e->best.lengths[b];
  }
  e->idle = !e->policy || first.left_out;
  e->spent = first.spent;
  e->out_of_time |= first.cut;
  if (status == EDGEFW_OK) see(e, e->best.lengths[0]);
  return status;
}

/* Is a number of rounds or kicks asked for? */
static bool asks_for_more(const edgefw__eval_settings *settings) {
  return settings->reconstruct > 0 || settings->kicks > 0;
}

/* Go on from the best tours, with what is left of the time. Where no policy takes part nothing is
 * decoded again, and the time goes to kicks. */
static edgefw_status search_on(evaluation *e) {
  edgefw__eval_settings settings = *e->settings;
  bool cut = false;
  settings.time_limit -= e->spent;
  if (e->idle && settings.beside) settings.reconstruct = 0;
  if (settings.deadline > 0.0) {
    const double turns = edgefw__eval_turns(e->ctx, e->batch->count);
    const double left = settings.deadline - (edgefw__seconds() - e->begun) / turns;
    e->out_of_time |= left <= 0.0 && asks_for_more(&settings);
    if (left <= 0.0) return EDGEFW_OK;
    /* Rounds without a limit of their own have what is left, too. */
    if (!(settings.time_limit > 0.0 && settings.time_limit < left) &&
        (asks_for_more(&settings) || settings.time_limit > 0.0))
      settings.time_limit = left;
  }
  if (e->spent > 0.0 && settings.time_limit <= 0.0) {
    e->out_of_time |= asks_for_more(&settings);
    return EDGEFW_OK;
  }
  const edgefw_status status = edgefw__eval_search_on(
      e->model, e->idle ? NULL : e->policy, e->batch, &settings,
      &(edgefw__search_watch){.set = e->set->name,
                              .better = e->settings->watch && e->set->count == 1 ? see : NULL,
                              .user = e},
      &e->best, &cut);
  e->out_of_time |= cut;
  return status;
}

/* Count the forbidden arcs that an instance's tour uses, and tell of the first such tour. */
static void report_forbidden(evaluation *e, int64_t b, const edgefw_instance *instance) {
  const edgefw_problem *problem = problem_of(e);
  const edgefw__forbidden_use use =
      edgefw__forbidden_used(problem, instance, e->best.tours + b * e->steps, e->steps);
  /* Nodes as solutions have them: from 1, or with a depot from 0, the depot. */
  const int32_t base = edgefw__problem_has_depot(problem) ? 0 : 1;
  char price[32];
  if (use.arcs == 0) return;
  e->forbidden.arcs += use.arcs;
  e->forbidden.price = instance->forbidden;
  if (e->forbidden.tours++ > 0) return;
  edgefw_log(e->ctx, EDGEFW_LOG_WARNING,
             "set %s, instance %" PRIu64 ": its tour uses %" PRId64 " forbidden arc%s, the first "
             "from node %d to node %d; each is priced at %s, more than a tour without any costs; "
             "%s",
             e->set->name, instance->id, use.arcs, use.arcs == 1 ? "" : "s", use.from + base,
             use.to + base, edgefw__number_text(instance->forbidden, price, sizeof price),
             e->ends[b] == EDGEFW__REPAIR_NO_TOUR
                 ? "every tour of the instance uses some"
                 : "no tour without was found, though there may be one");
}

/* --- Pricing --- */

/* An instance that lacks ways keeps no other from its answer: its failure waits for the end. */
static edgefw_status look_for_ways(evaluation *e, int64_t b, const edgefw_instance *instance,
                                   double *cost) {
  const edgefw_problem *problem = problem_of(e);
  const edgefw_status status =
      edgefw__missing_ways(e->ctx, e->set, problem, instance, e->best.tours + b * e->steps,
                           e->steps, e->ends[b] == EDGEFW__REPAIR_NO_TOUR);
  if (status != EDGEFW_INFEASIBLE) return status;
  if (e->unsolved++ == 0) snprintf(e->fault, sizeof e->fault, "%s", edgefw_message(e->ctx));
  *cost = (double)NAN;
  edgefw_clear(e->ctx);
  return EDGEFW_OK;
}

static edgefw_status conclude(const evaluation *e) {
  if (e->unsolved == 0) return EDGEFW_OK;
  if (e->unsolved == 1) return edgefw_fail(e->ctx, EDGEFW_INFEASIBLE, "%s", e->fault);
  return edgefw_fail(e->ctx, EDGEFW_INFEASIBLE,
                     "%s (%" PRId64 " of %" PRId64 " instances lack ways)", e->fault, e->unsolved,
                     e->set->count);
}

/* Price the best tours with the problem's checker; they are instances first, first + 1, ... */
static edgefw_status price(evaluation *e, int64_t first) {
  const edgefw__composition *composition = e->model->composition;
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  for (int64_t b = 0; b < e->batch->count; ++b) {
    edgefw_instance instance = edgefw__batch_instance(e->batch, b);
    instance.name = edgefw__source_name(&e->source);
    double *cost = &e->costs[first + b];
    const int32_t *tour = e->best.tours + b * e->steps;
    if (e->interrupted && isinf(e->best.lengths[b])) {
      *cost = (double)NAN; /* there was no time for it */
      continue;
    }
    edgefw_status status =
        problem->check(e->ctx, composition->problem_options, &instance, tour, e->steps, cost);
    const int64_t unsolved = e->unsolved;
    if (status == EDGEFW_OK) status = look_for_ways(e, b, &instance, cost);
    if (status != EDGEFW_OK) return status;
    if (e->unsolved > unsolved) continue;
    /* Written so that a NaN on either side fails. */
    if (!(fabs(*cost - e->best.lengths[b]) <= PRICE_TOLERANCE * fabs(*cost)))
      return edgefw_fail(e->ctx, EDGEFW_CHECK_FAILED,
                         "set %s, instance %" PRIu64
                         ": the decoder says that its tour costs %.17g, the checker says %.17g",
                         e->set->name, instance.id, e->best.lengths[b], *cost);
    report_forbidden(e, b, &instance);
  }
  return EDGEFW_OK;
}

/* Where no table has a reference cost for a library file, a solution that lies beside it gives one,
 * if it checks. */
static edgefw_status find_known(evaluation *e) {
  if (!e->set->file || e->set->given || e->set->count > 1 || e->has_reference) return EDGEFW_OK;
  edgefw_instance instance = edgefw__batch_instance(e->batch, 0);
  instance.name = edgefw__source_name(&e->source);
  return edgefw__known_cost(e->ctx, &e->source, &instance, &e->reference[0], &e->has_reference);
}

/* A batch of those before `end`. */
static edgefw_status try_batch(evaluation *e, int64_t first, int64_t end) {
  const int64_t left = end - first;
  const int64_t count = left < e->capacity ? left : e->capacity;
  edgefw_status status = e->batch ? EDGEFW_OK : edgefw__evaluation_open_policy(e);
  for (int64_t b = 0; b < e->capacity; ++b) e->best.lengths[b] = (double)INFINITY;
  if (status == EDGEFW_OK) status = edgefw__source_load(&e->source, first, count, e->batch);
  if (status == EDGEFW_OK) status = find_known(e);
  if (status == EDGEFW_OK)
    status = edgefw__prefix_check(e->ctx, problem_of(e), e->set->name, e->batch, &e->prefix);
  e->begun = edgefw__seconds();
  if (status == EDGEFW_OK) status = make_tours(e);
  return status == EDGEFW_OK ? search_on(e) : status;
}

/* Is there a solution to hand out in spite of an interruption? */
static bool has_any(const evaluation *e) {
  bool any = false;
  for (int64_t b = 0; e->settings->keep_interrupted && e->batch && b < e->batch->count; ++b)
    any |= isfinite(e->best.lengths[b]) != 0;
  return any;
}

static edgefw_status run_batch(evaluation *e, int64_t first, int64_t end) {
  edgefw_status status = try_batch(e, first, end);
  while (status != EDGEFW_OK && !(status == EDGEFW_INTERRUPTED && has_any(e))) {
    status = edgefw__evaluation_shrink(e, status);
    if (status != EDGEFW_OK) return status;
    status = try_batch(e, first, end);
  }
  if (status == EDGEFW_INTERRUPTED) {
    edgefw_clear(e->ctx);
    e->interrupted = true;
    for (int64_t b = 0; b < e->batch->count; ++b) e->ends[b] = EDGEFW__REPAIR_NONE_FOUND;
  }
  status = price(e, first);
  e->length = edgefw__source_length(&e->source, e->best.tours, e->steps);
  return status;
}

/* --- Results --- */

/* Bring a tour into the form of answers; returns its entries. A closed tour is turned to begin with
 * what is fixed, else at node 0 or the stop that was asked for; routes lose the depots that only
 * fill them up. */
static int64_t tidy(const evaluation *e, int32_t *tour) {
  int64_t count = e->steps;
  if (edgefw__problem_has_depot(problem_of(e))) {
    while (count > 1 && tour[count - 1] == 0) --count;
  } else {
    const int64_t first = e->set->stops ? e->set->stops->depot : 0;
    edgefw__tour_turn_to(tour, count, e->best.fixed ? e->best.fixed->nodes[0] : first);
  }
  return count;
}

const char *edgefw__evaluation_origin(const evaluation *e, int64_t maker) {
  if (maker == EDGEFW__MAKER_START) return EDGEFW__ORIGIN_START;
  if (maker == EDGEFW__MAKER_POLICY) return EDGEFW__ORIGIN_POLICY;
  return e->makers.constructing->heuristics.names[maker];
}

/* The answer of instance b of the batch, whose first one is instance `first` of the set. */
static edgefw__eval_answer answer_of(const evaluation *e, int64_t first, int64_t b) {
  const edgefw_problem *problem = problem_of(e);
  const edgefw_instance instance = edgefw__batch_instance(e->batch, b);
  const double none = (double)NAN, cost = e->costs[first + b];
  const double reference = e->has_reference ? e->reference[first + b] : none;
  const double gap = edgefw__gap_percent(cost, reference);
  int32_t *tour = e->best.tours + b * e->steps;
  const int64_t arcs = edgefw__forbidden_used(problem, &instance, tour, e->steps).arcs;
  return (edgefw__eval_answer){.instance = first + b,
                               .tour = tour,
                               .count = tidy(e, tour),
                               .cost = cost,
                               .plain = e->plain[b],
                               .constructed = e->best.constructed[b],
                               .origin = edgefw__evaluation_origin(e, e->best.makers[b]),
                               .length = e->length,
                               .reference = reference,
                               .reference_kind = e->source.reference_kind,
                               .gap_percent = isfinite(gap) ? gap : none,
                               .forbidden_arcs = arcs,
                               .forbidden_price = arcs > 0 ? instance.forbidden : 0.0};
}

/* The same for rank 0, where several share the set. */
static edgefw_status log_batch(evaluation *e, int64_t first, double seconds) {
  const edgefw__eval_entry entry = {first, e->batch->count, e->best.starts};
  edgefw__eval_log_batch(&e->log, &entry);
  for (int64_t b = 0; b < e->batch->count; ++b) {
    edgefw__eval_found found = {.maker = e->best.makers[b], .answer = answer_of(e, first, b)};
    found.answer.seconds = seconds / (double)e->batch->count;
    edgefw__eval_log_add(&e->log, &found);
  }
  return e->log.bytes.failed ? edgefw_failure(e->ctx) : EDGEFW_OK;
}

/* Give the receiver the answers of the batch, whose instances are first, first + 1, ... */
static edgefw_status hand_out(evaluation *e, int64_t first, double seconds) {
  edgefw_status status = EDGEFW_OK;
  if (e->settings->chunk > 0) return log_batch(e, first, seconds);
  for (int64_t b = 0; b < e->batch->count; ++b) {
    e->sums.plain += e->plain[b];
    e->sums.constructed += e->best.constructed[b];
  }
  for (int64_t b = 0; e->receiver && status == EDGEFW_OK && b < e->batch->count; ++b) {
    if (isnan(e->costs[first + b])) continue; /* it lacks ways, or time */
    edgefw__eval_answer answer = answer_of(e, first, b);
    answer.seconds = seconds / (double)e->batch->count;
    status = e->receiver(e->receiver_user, &answer);
  }
  return status;
}

static void summarise(const evaluation *e, edgefw__eval_result *out) {
  *out = (edgefw__eval_result){.length = e->length,
                               .forbidden = e->forbidden,
                               .starts = e->best.starts,
                               .seconds = e->best.seconds,
                               .search_seconds = e->best.search_seconds};
  const edgefw__eval_costs costs = {e->first, e->end, e->costs,
                                    e->has_reference ? e->reference : NULL};
  edgefw__eval_summarise(e->ctx, &e->source, e->settings, &costs, &e->sums, out);
}

/* --- All of them --- */

edgefw_status edgefw__evaluation_range(evaluation *e, int64_t first, int64_t end,
                                       edgefw__eval_observer observer, void *user) {
  edgefw_status status = EDGEFW_OK;
  while (status == EDGEFW_OK && first < end) {
    const double begin = e->best.seconds;
    status = run_batch(e, first, end);
    if (status == EDGEFW_OK) status = hand_out(e, first, e->best.seconds - begin);
    if (status == EDGEFW_OK && e->interrupted)
      status = edgefw_fail(e->ctx, EDGEFW_INTERRUPTED,
                           "interrupted while evaluating set %s: it has what was found by then",
                           e->set->name);
    if (status != EDGEFW_OK) break;
    first += e->batch->count;
    if (observer) observer(user, first - e->first, e->end - e->first, e->best.seconds);
  }
  return status;
}

edgefw_status edgefw__evaluate(edgefw__model *model, const edgefw__instance_set *set,
                               const edgefw__eval_settings *settings,
                               edgefw__eval_observer observer, void *user, edgefw__eval_result *out,
                               edgefw__eval_receiver receiver, void *receiver_user) {
  evaluation e = {
      .ctx = model->engine->ctx,
      .model = model,
      .set = set,
      .settings = settings,
      .first = settings->first,
      .end = settings->end > 0 ? settings->end : set->count,
      .steps = edgefw__problem_steps(&model->composition->problem->vtable.problem, set->n),
      /* A greedy rollout is the same every time. */
      .makers = {.constructing = constructing_of(model, settings),
                 .model = model,
                 .set = set,
                 .settings = settings,
                 .samples = settings->select == EDGEFW_SELECT_SAMPLE ? settings->samples : 1},
      .log = {.bytes = {.ctx = model->engine->ctx}},
      .receiver = receiver,
      .receiver_user = receiver_user};
  memset(out, 0, sizeof *out);
  edgefw_status status = prepare(&e);
  const bool shared = settings->chunk > 0;
  if (shared)
    status = edgefw__evaluation_share(&e, status, observer, user);
  else if (status == EDGEFW_OK)
    status = edgefw__evaluation_range(&e, e.first, e.end, observer, user);
  if (status == EDGEFW_OK) status = conclude(&e);
  if (status == EDGEFW_OK && e.forbidden.tours > !shared)
    edgefw_log(e.ctx, EDGEFW_LOG_WARNING,
               "set %s: %" PRId64 " of %" PRId64 " tours use forbidden arcs, %" PRId64 " in all",
               set->name, e.forbidden.tours, e.end - e.first, e.forbidden.arcs);
  if (status == EDGEFW_OK) summarise(&e, out);
  out->out_of_time = e.out_of_time; /* with what could be solved of an INFEASIBLE set, too */
  edgefw__eval_log_release(&e.log);
  clean_up(&e);
  return status;
}
