/* Checks of a problem by itself. */
#include <math.h>
#include <string.h>

#include "conformance/conformance_report.h"
#include "conformance/trial.h"
#include "edgefw/rng.h"
#include "plugin/problem_shape.h"

#define TOURS     20 /* random ones */
#define TOLERANCE 1e-9

typedef struct subject {
  edgefw__conformance_report *report;
  const edgefw_problem *problem;
  const edgefw_options *options;
  edgefw_instance instance;
  int64_t n, steps;
  int32_t *tour; /* (steps + 1) */
} subject;

/* Price a tour; a refusal is forgotten. */
static bool price(const subject *s, int64_t count, double *cost) {
  *cost = (double)NAN;
  const bool taken = s->problem->check(s->report->ctx, s->options, &s->instance, s->tour, count,
                                       cost) == EDGEFW_OK;
  if (!taken) edgefw_clear(s->report->ctx);
  return taken;
}

/* A random permutation; the `number`-th. With a depot each customer has a route of its own. */
static void shuffle(const subject *s, int number) {
  const bool depot = edgefw__problem_has_depot(s->problem);
  const int64_t first = depot ? 1 : 0, count = s->n - first;
  for (int64_t i = 0; i < count; ++i) s->tour[i] = (int32_t)(i + first);
  for (int64_t i = count - 1; i > 0; --i) {
    const uint32_t word =
        edgefw_random_word(1, EDGEFW_STREAM_ROLLOUT, (uint64_t)number, (uint64_t)i);
    const int64_t other = edgefw_random_below(word, (uint32_t)(i + 1));
    const int32_t kept = s->tour[i];
    s->tour[i] = s->tour[other];
    s->tour[other] = kept;
  }
  if (!depot) return;
  for (int64_t i = count - 1; i >= 0; --i) {
    s->tour[2 * i + 1] = s->tour[i];
    s->tour[2 * i] = 0;
  }
  for (int64_t i = 2 * count; i < s->steps; ++i) s->tour[i] = 0;
}

/* What the objective's entries along the closed tour add up to. */
static double added_up(const subject *s) {
  const double *objective = edgefw_instance_field(&s->instance, s->problem->objective);
  double sum = 0.0;
  for (int64_t t = 0; t < s->steps; ++t)
    sum += objective[s->tour[t] * s->n + s->tour[(t + 1) % s->steps]];
  return sum;
}

static void check_prices(const subject *s) {
  int priced = 0, agreeing = 0;
  for (int t = 0; t < TOURS; ++t) {
    double cost = 0.0;
    shuffle(s, t);
    if (!price(s, s->steps, &cost) || !isfinite(cost)) continue;
    ++priced;
    agreeing += fabs(cost - added_up(s)) <= TOLERANCE * fmax(1.0, fabs(cost));
  }
  edgefw__conformance_tell(s->report, priced == TOURS, "the checker prices %d of %d random tours",
                           priced, TOURS);
  edgefw__conformance_tell(s->report, agreeing == TOURS,
                           "its price is the sum of the objective %s for %d of them",
                           s->problem->objective, agreeing);
}

static void check_refusals(const subject *s) {
  static const char *const names[] = {"a node twice", "a node above the last", "a negative node",
                                      "a node too few", "a node too many"};
  const bool depot = edgefw__problem_has_depot(s->problem);
  const int64_t customers = s->n - (depot ? 1 : 0), last = depot ? 2 * customers - 1 : s->n - 1;
  for (int fault = 0; fault < 5; ++fault) {
    double cost = 0.0;
    int64_t count = s->steps;
    shuffle(s, fault);
    s->tour[s->steps] = s->tour[last];
    switch (fault) {
    case 0: s->tour[last - (depot ? 2 : 1)] = s->tour[last]; break;
    case 1: s->tour[1] = (int32_t)s->n; break;
    case 2: s->tour[1] = -1; break;
    case 3: count = last; break;
    default: ++count; break;
    }
    edgefw__conformance_tell(s->report, !price(s, count, &cost),
                             "the checker refuses a tour with %s", names[fault]);
  }
}

/* The first field with a number for each node that comes from outside. */
static double *stored_numbers(const subject *s, const edgefw_instance *instance) {
  int f = 0;
  while (s->problem->fields[f + 1].name && (s->problem->fields[f].storage == EDGEFW_STORE_DERIVED ||
                                            s->problem->fields[f].shape == EDGEFW_FIELD_SCALAR))
    ++f;
  return instance->data[f];
}

static void check_accept(const subject *s) {
  edgefw_context *ctx = s->report->ctx;
  edgefw_instance instance = s->instance;
  edgefw__conformance_call(s->report, s->problem->accept(ctx, s->options, &instance),
                           "a generated instance is accepted");
  double *stored = stored_numbers(s, &instance);
  const double kept = stored[1];
  stored[1] = (double)NAN;
  const bool refused = s->problem->accept(ctx, s->options, &instance) != EDGEFW_OK;
  if (refused) edgefw_clear(ctx);
  stored[1] = kept;
  edgefw__conformance_tell(s->report, refused, "an instance with a NaN is refused");
}

/* The same number of the sequence is the same instance; the next one is another. */
static void check_generator(const subject *s, const edgefw__trial *trial) {
  edgefw__batch *again = NULL;
  edgefw_context *ctx = s->report->ctx;
  edgefw_status status = edgefw__batch_create(ctx, s->problem->fields, 2, s->n, &again);
  if (status == EDGEFW_OK)
    status = edgefw__generate_batch(
        ctx, trial->pool,
        &(edgefw__generate_request){.problem = s->problem,
                                    .options = s->options,
                                    .shortest_paths = trial->engine->kernels->shortest_paths,
                                    .seed = 2026,
                                    .count = 2},
        again);
  if (edgefw__conformance_call(s->report, status, "instances are generated")) {
    bool same = true, differ = false, finite = true;
    for (int f = 0; f < again->field_count; ++f) {
      const size_t count = (size_t)edgefw_field_count(s->problem->fields[f].shape, s->n);
      const size_t bytes = count * sizeof(double);
      same &= memcmp(again->data[f], trial->batch->data[f], 2 * bytes) == 0;
      differ |= memcmp(again->data[f], again->data[f] + count, bytes) != 0;
      for (size_t i = 0; i < 2 * count; ++i) finite &= isfinite(again->data[f][i]) != 0;
    }
    edgefw__conformance_tell(s->report, same, "the same number gives the same instance");
    edgefw__conformance_tell(s->report, differ, "the next number gives another one");
    edgefw__conformance_tell(s->report, finite, "generated numbers are finite");
  }
  edgefw__batch_destroy(ctx, again);
}

/* The policy's own tours are solutions, and cost what the decoder says. */
static void check_rollouts(subject *s, const edgefw__trial *trial) {
  const int64_t rollouts = trial->policy->rollouts;
  bool complete = true, equal = true;
  for (int64_t r = 0; r < EDGEFW__TRIAL_COUNT * rollouts; ++r) {
    double cost = 0.0;
    s->instance = edgefw__batch_instance(trial->batch, r / rollouts);
    memcpy(s->tour, trial->tours + r * s->steps, (size_t)s->steps * sizeof *s->tour);
    complete &= price(s, s->steps, &cost);
    equal &= fabs(cost - trial->lengths[r]) <= TOLERANCE * fmax(1.0, fabs(cost));
  }
  edgefw__conformance_tell(s->report, complete, "every rollout ends in a solution");
  edgefw__conformance_tell(s->report, equal, "checker and decoder agree on its cost");
}

void edgefw__conformance_problem(edgefw__conformance_report *report,
                                 const edgefw__composition *composition) {
  edgefw__engine engine;
  edgefw__trial trial = {.ctx = report->ctx};
  if (!edgefw__conformance_call(
          report,
          edgefw__engine_open(report->ctx, report->registry, EDGEFW__CONFORMANCE_ORACLE, &engine),
          "device " EDGEFW__CONFORMANCE_ORACLE " is there"))
    return;
  edgefw_status status = edgefw__trial_open(&engine, composition, NULL, &trial);
  if (status == EDGEFW_OK) status = edgefw__trial_run(&trial);
  if (edgefw__conformance_call(report, status, "a policy rolls out")) {
    subject s = {.report = report,
                 .problem = &composition->problem->vtable.problem,
                 .options = composition->problem_options,
                 .instance = edgefw__batch_instance(trial.batch, 0),
                 .n = trial.batch->n,
                 .steps = trial.policy->steps};
    s.tour = edgefw_arena_take(report->arena, (size_t)s.steps + 1, sizeof *s.tour);
    if (s.tour) {
      check_generator(&s, &trial);
      check_accept(&s);
      check_prices(&s);
      check_refusals(&s);
      check_rollouts(&s, &trial);
    }
  }
  edgefw__trial_close(&trial);
  edgefw__engine_close(&engine);
}
